"""Where a program is: what can be read, and saved, at every moment."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from armlab.program.signals import Value
from armlab.program.span import Span


@dataclass(frozen=True, slots=True)
class Frame:
    """A routine that has been entered and not left: its name, and the statement that it is at."""

    routine: str
    span: Span


@dataclass(frozen=True, slots=True)
class ExecutorState:
    """What a program has come to: statement, call stack (innermost last), variables, signals, and what is held."""

    time: float
    """s since the program began."""
    index: int
    """The number of the instruction, from 0; -1 before the first."""
    span: Span | None
    stack: tuple[Frame, ...]
    outputs: dict[str, Value] = field(default_factory=dict)
    held: str | None = None
    q: tuple[float, ...] = ()
    """Joint values, rad or m."""
    is_done: bool = False
    variables: dict[str, Value] = field(default_factory=dict)
    """Those that the language tells of, by its names for them: `#1`, `#<depth>` …"""

    def to_json(self) -> str:
        """Return the state as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> ExecutorState:
        """Return a state that `to_json` wrote."""
        read = json.loads(text)
        read["span"] = None if read["span"] is None else Span(*read["span"])
        read["stack"] = tuple(Frame(frame["routine"], Span(*frame["span"])) for frame in read["stack"])
        read["q"] = tuple(read["q"])
        return cls(**read)
