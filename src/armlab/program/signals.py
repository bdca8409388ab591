"""Signals: the inputs and outputs of a cell by name, and scripts that change inputs while a program runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from armlab.catalog.files import read_table

Value: TypeAlias = bool | float
MAX_CHANGES = 100_000


@dataclass(frozen=True, slots=True, order=True)
class InputChange:
    """An input that gets a value at a time (s) of the run."""

    at: float
    name: str
    value: Value


@dataclass(slots=True)
class Signals:
    """Inputs and outputs by name, and the time (s) of the run; a script changes inputs as time passes.

    Names are what the language calls them: "5" is `$IN[5]` and `M66 P5`; "analog 3" is the third analog one.
    """

    inputs: dict[str, Value] = field(default_factory=dict)
    outputs: dict[str, Value] = field(default_factory=dict)
    time: float = 0.0
    script: tuple[InputChange, ...] = ()
    """Changes that are still to come, in the order of their times."""
    is_live: bool = False
    """Whether somebody switches inputs as time passes: they are read when the arm is there, and not ahead."""

    @classmethod
    def scripted(cls, changes: Iterable[InputChange]) -> Signals:
        """Return signals with a script; what it sets at time 0 is set already."""
        signals = cls(script=tuple(sorted(changes, key=lambda change: change.at)))
        signals.advance(0.0)
        return signals

    def read(self, name: str) -> Value:
        """Return an input; False where nobody has set it."""
        return self.inputs.get(name, False)

    def advance(self, time: float) -> None:
        """Let time pass up to `time` (s): inputs change as the script says; time never goes back."""
        self.time = max(self.time, time)
        done = 0
        for change in self.script:
            if change.at > self.time:
                break
            self.inputs[change.name] = change.value
            done += 1
        self.script = self.script[done:]

    def next_change(self) -> float | None:
        """Return when the script changes an input next (s); None when it is over."""
        return self.script[0].at if self.script else None


@dataclass(slots=True)
class TriedSignals(Signals):
    """Inputs with values to try; it notes which are read."""

    names: list[str] = field(default_factory=list)

    def read(self, name: str) -> Value:
        """Return the value to try; False where none is given."""
        if name not in self.names:
            self.names.append(name)
        return self.inputs.get(name, False)


def inputs_read(condition: Callable[[Signals], bool]) -> list[str]:
    """Return the inputs that a condition looks at, tried with all off, and then with those on."""
    tried = TriedSignals()
    condition(tried)
    again = TriedSignals(dict.fromkeys(tried.names, True))
    condition(again)
    return list(dict.fromkeys([*tried.names, *again.names]))


class _Change(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=60)]
    value: bool | Annotated[float, Field(allow_inf_nan=False)]
    at: Annotated[float, Field(ge=0.0, le=1e9, allow_inf_nan=False)] = 0.0


class _Script(BaseModel):
    model_config = ConfigDict(extra="forbid")

    input: Annotated[tuple[_Change, ...], Field(max_length=MAX_CHANGES)] = ()


def read_signals(path: Path) -> Signals:
    """Return the signals of a script file (TOML): tables `[[input]]` with `name`, `value` and `at` (s).

    Raises:
        CatalogError: if the file cannot be used; the message says which key and why.
    """
    script = read_table(path, _Script)
    return Signals.scripted(InputChange(change.at, change.name, change.value) for change in script.input)
