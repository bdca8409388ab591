"""What a program holds, in items of lists and letters of texts: it is counted, and bounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armlab.messages import _
from armlab.program.python.script_values import ScriptValue, fault
from armlab.program.span import Span

MOST_HELD = 1_000_000
"""Items and letters of everything that a program holds."""


class Holdings:
    """Counts the variables of a program, and the values that its expressions have not used up yet.

    Going through all of it takes time: that is done when half of the limit was made since the last time.
    """

    def __init__(self, frames: Sequence[Mapping[str, ScriptValue]]) -> None:
        self._frames, self._made = frames, 0
        self.pending: list[ScriptValue] = []
        """Values of expressions that are being computed, the newest last."""

    def made(self, value: ScriptValue, span: Span, size: int | None = None) -> ScriptValue:
        """Return a value that was made; `size` are its new items and letters, by default all but those of inner lists.

        Raises:
            ScriptFault: if the program holds too many of them.
        """
        if size is None:
            size = len(value) if isinstance(value, list | str) else 0
        self._made += size
        if self._made > MOST_HELD // 2:
            self._made = 0
            self._check([*self.pending, value], span)
        return value

    def _check(self, values: list[ScriptValue], span: Span) -> None:
        seen: set[int] = set()
        held = sum(_size(one, seen) for frame in self._frames for one in (*frame, *frame.values()))
        held += sum(_size(one, seen) for one in values)
        if held > MOST_HELD:
            template = _("the program holds more than {most} values and letters")
            raise fault(span, "script_memory", template, most=MOST_HELD)


def size_of(value: ScriptValue) -> int:
    """Return how many items and letters a value has, with those of the lists in it."""
    return _size(value, set())


def _size(value: ScriptValue, seen: set[int]) -> int:
    """Return the size of a value; what was counted before does not count again."""
    if not isinstance(value, list | str) or id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, str):
        return len(value)
    return len(value) + sum(_size(one, seen) for one in value if isinstance(one, list | str))
