"""Parameters of a program: numbered ones, named ones of a call or of everybody, and the file that keeps them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.messages import _
from armlab.program.gcode.problems import BadBlock

LAST = 5602
LOCALS = 30
"""#1 … #30 belong to a call: they are its arguments."""
MAX_FILE = 1_000_000
MAX_NAMES = 100_000

READ_ONLY = frozenset((*range(5021, 5030), *range(5081, 5090), *range(5400, 5429)))
"""Position in the machine, the tool's offset that is applied, the loaded tool, position: computed, never set."""


class Parameters:
    """All values of `#`; `computed` answers for those that the machine's state decides."""

    def __init__(self, kept: Mapping[int, float] | None = None) -> None:
        self._numbers: dict[int, float] = dict(kept or {})
        self._globals: dict[str, float] = {}
        self._frames: list[tuple[dict[int, float], dict[str, float]]] = [({}, {})]
        self.computed: dict[int, Callable[[], float]] = {}
        self.predefined: dict[str, Callable[[], float]] = {}
        self._changes: list[tuple[str, float | None]] | None = None

    def watch(self) -> None:
        """Note from now on what changes; what is set already counts as changed."""
        self._changes = [(f"#{index}", value) for index, value in sorted(self._numbers.items())]

    def taken_changes(self) -> tuple[tuple[str, float | None], ...]:
        """Return which parameters got a value since the last time, `#1` or `#<name>`; None: they are gone."""
        if not self._changes:
            return ()
        changes, self._changes = tuple(self._changes), []
        return changes

    def _note(self, name: str, value: float | None) -> None:
        if self._changes is not None:
            self._changes.append((name, value))

    def _note_locals(self, *, are_there: bool) -> None:
        """Note that the parameters of the present call come or go."""
        numbers, names = self._frames[-1]
        for index, value in numbers.items():
            self._note(f"#{index}", value if are_there else None)
        for name, value in names.items():
            self._note(f"#<{name}>", value if are_there else None)

    @property
    def depth(self) -> int:
        """How many calls deep the program is; 0 in the main program."""
        return len(self._frames) - 1

    def enter(self, arguments: list[float]) -> None:
        """Begin a call: its arguments are #1, #2 …, the other locals are 0."""
        self._note_locals(are_there=False)
        self._frames.append((dict(enumerate(arguments, start=1)), {}))
        self._note_locals(are_there=True)

    def leave(self) -> None:
        """End a call."""
        self._note_locals(are_there=False)
        self._frames.pop()
        self._note_locals(are_there=True)

    def number(self, index: int) -> float:
        """Return #index; 0 if it was never set."""
        self._check(index)
        if index <= LOCALS:
            return self._frames[-1][0].get(index, 0.0)
        if index in self.computed:
            return self.computed[index]()
        return self._numbers.get(index, 0.0)

    def named(self, name: str) -> float:
        """Return #<name>.

        Raises:
            BadBlock: if it was never set.
        """
        if name in self.predefined:
            return self.predefined[name]()
        store = self._globals if name.startswith("_") else self._frames[-1][1]
        if name not in store:
            raise BadBlock("name_unknown", _("parameter #<{name}> has no value"), name=name)
        return store[name]

    def names_set(self) -> list[tuple[str, float]]:
        """Return `#<name>` and value of the named parameters that were set: those of the call, then the global ones."""
        return [
            (f"#<{name}>", value) for store in (self._frames[-1][1], self._globals) for name, value in store.items()
        ]

    def exists(self, name: str) -> bool:
        """Tell whether #<name> has a value."""
        return name in self.predefined or name in (self._globals if name.startswith("_") else self._frames[-1][1])

    def has_number(self, index: int) -> bool:
        """Tell whether there is a parameter #index."""
        return 1 <= index <= LAST

    def set(self, name: int | str, value: float) -> None:
        """Set a parameter, which a program may do.

        Raises:
            BadBlock: if it can only be read.
        """
        if isinstance(name, int):
            self._check(name)
            if name in READ_ONLY:
                raise BadBlock("read_only", _("#{index} can only be read"), index=name)
            self.put(name, value)
            return
        if name in self.predefined:
            raise BadBlock("name_read_only", _("#<{name}> can only be read"), name=name)
        store = self._globals if name.startswith("_") else self._frames[-1][1]
        if len(store) >= MAX_NAMES and name not in store:
            raise BadBlock("too_many_names", _("more than {most} named parameters"), most=MAX_NAMES)
        store[name] = value
        self._note(f"#<{name}>", value)

    def put(self, index: int, value: float) -> None:
        """Set a numbered parameter, as the machine does."""
        self._note(f"#{index}", value)
        if index <= LOCALS:
            self._frames[-1][0][index] = value
        else:
            self._numbers[index] = value

    def kept(self) -> dict[int, float]:
        """Return the numbered parameters, for a file."""
        return dict(self._numbers)

    def _check(self, index: int) -> None:
        if not self.has_number(index):
            raise BadBlock("index_outside", _("#{index} is outside #1 … #{last}"), index=index, last=LAST)


def read_parameter_file(path: Path) -> dict[int, float]:
    """Return the values of a LinuxCNC parameter file: one `index value` per line.

    Raises:
        InvalidInput: if the file cannot be read, or a line is something else.
    """
    values: dict[int, float] = {}
    for number, line in enumerate(read_bounded(path, MAX_FILE).decode("utf-8", "replace").splitlines(), start=1):
        parts = line.split()
        if not parts or parts[0].startswith(("#", ";")):
            continue
        try:
            index, value = int(parts[0]), float(parts[1])
        except (ValueError, IndexError):
            raise InvalidInput(
                "parameter_file_line", _("{file}: line {line} is not 'index value'"), file=str(path), line=number
            ) from None
        if 1 <= index <= LAST:
            values[index] = value
    return values
