"""What a name means where it stands: variables of a routine, of its module, of all modules, and of the controller."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

from armlab.messages import Message, _
from armlab.model.finding import Severity
from armlab.program.instructions import Answer, Instruction
from armlab.program.krl.actions import Routine
from armlab.program.krl.controller import Controller
from armlab.program.krl.data_types import ANY, ENUMERATIONS, STRUCTURES, DataType, Fields, Value
from armlab.program.krl.faults import Findings
from armlab.program.krl.tree import Call, Import, Name, Signal
from armlab.program.span import Span

Slots: TypeAlias = list[Value]
"""The variables of one call of a routine, and values that a statement sets aside."""
Evaluate: TypeAlias = Callable[[Slots], Value]
Effect: TypeAlias = Callable[[Slots], Generator[Instruction, Answer, Value]]
"""What takes part in the arm's time: it yields instructions, and gives a value in the end."""


INLINE_NAME = re.compile(r"X\w+|F[A-Z]*\d+|P?PDAT\d+|L?CPDAT\d+")
"""What inline forms call their points and settings: XP1, FP1, PPDAT1, LCPDAT1."""
UNKNOWN = frozenset({"krl_unknown_name", "krl_unknown_routine", "krl_unknown_system"})
FOLLOWS = UNKNOWN | {"krl_never_assigned"}
"""What may only follow from a line that could not be read."""


class Compiled(NamedTuple):
    """An expression that can be evaluated, and the type of what it gives."""

    type: DataType
    evaluate: Evaluate


@dataclass(frozen=True, slots=True)
class Binding:
    """Where a variable is kept: `container[key]`; no container: the slots of the routine's call."""

    type: DataType
    container: Any
    key: int | str
    is_constant: bool = False
    signal: Signal | None = None


class Functions(Protocol):
    """What calls the routines of a program: known to whoever compiles statements."""

    def call(self, node: Call, scope: Scope) -> Compiled | None:
        """Return the value of a call, or None if nothing has this name."""


@dataclass(slots=True, eq=False)
class ModuleScope:
    """A module: its data list, types and routines."""

    name: str
    data: dict[str, Value] = field(default_factory=dict)
    bindings: dict[str, Binding] = field(default_factory=dict)
    structures: dict[str, Fields] = field(default_factory=dict)
    enumerations: dict[str, frozenset[str]] = field(default_factory=dict)
    routines: dict[str, Routine] = field(default_factory=dict)
    imports: dict[str, Import] = field(default_factory=dict)
    """What it imports from the data lists of other modules, by the names that it has here."""
    is_public: bool = False
    """Whether other modules may import from its data list."""
    unknown_kinds: set[str] = field(default_factory=set)
    has_data: bool = True
    """Whether it came with a data list."""
    is_system: bool = False
    """Whether it belongs to the controller and not to its user: types of options are taken as they are."""
    option_lines: frozenset[int] = frozenset()
    """Lines of folds in which options of the controller are initialised; a controller may lack the option."""


class Universe(Protocol):
    """Everything outside of a module: what other modules make global, and the controller's own."""

    findings: Findings
    controller: Controller

    def binding(self, name: str) -> Binding | None:
        """Return a global variable."""

    def imported(self, node: Import) -> Binding | None:
        """Return a variable of another module's data list; None if it cannot be had."""

    def is_unread(self, name: str) -> bool:
        """Tell whether a name stands in a line that could not be read."""

    def fields(self, kind: str) -> Fields | None:
        """Return the components of a global structure."""

    def enumeration(self, kind: str) -> frozenset[str] | None:
        """Return the values of a global enumeration."""


class Scope:
    """The names that a routine, or a data list, can use."""

    def __init__(self, module: ModuleScope, universe: Universe, functions: Functions | None = None) -> None:
        self.module, self.universe, self.functions = module, universe, functions
        self.locals: dict[str, Binding] = {}
        self.initial: list[Callable[[], Value]] = []
        """What makes the value of each slot when the routine is called."""
        self.hoist_effect: Callable[[Effect, int], None] | None = None
        """Emits an operation that runs an effect and keeps its value in a slot; none where nothing may take time."""
        self.is_live = False
        """Whether inputs are read through `live`: in a condition that is looked at while the arm moves."""
        self.lacks_option = False
        """Whether a statement uses a name of an option that the controller does not have."""
        self.live_reads = 0
        """How often a condition reads inputs or the time."""
        self.assigned: set[str] = set()
        self.read: dict[str, Span] = {}

    def report(self, code: str, template: str, span: Span, severity: Severity = "error", **parameters: Any) -> None:
        """Report something that is wrong with the text; a name that is not known, once."""
        message = Message(code, template, **parameters)
        if code in FOLLOWS and self.universe.is_unread(str(parameters["name"])):
            return
        if code not in UNKNOWN:
            self.universe.findings.add(severity, message, span)
        elif span.line in self.module.option_lines:
            self.lacks_option = True
            template = _("'{name}' is not known here: the initialisation of an option is left out")
            note = Message("krl_option", template, name=parameters["name"])
            self.universe.findings.add_once("note", note, span, str(parameters["name"]))
        elif not self.module.has_data and INLINE_NAME.fullmatch(str(parameters["name"])):
            template = _("'{name}' is not known here: '{module}' has points, but its data list (.dat) is missing")
            lost = Message("krl_data_missing", template, name=parameters["name"], module=self.module.name)
            self.universe.findings.add_once(severity, lost, span, self.module.name)
        else:
            self.universe.findings.add_once(severity, message, span, str(parameters["name"]))

    def report_unknown(self, node: Name) -> None:
        """Report a variable that nothing declares."""
        if node.name.startswith("$"):
            template = _("the system variable '{name}' is not simulated here; what reads it cannot be executed")
            self.report("krl_unknown_system", template, node.span, "warning", name=node.name)
        else:
            template = _("'{name}' is not declared in these files")
            self.report("krl_unknown_name", template, node.span, name=node.name)

    def slot(self, make: Callable[[], Value] = lambda: None) -> int:
        """Return the number of a new slot."""
        self.initial.append(make)
        return len(self.initial) - 1

    def lookup(self, name: str) -> Binding | None:
        """Return where a variable is kept."""
        found = self.locals.get(name) or self.module.bindings.get(name)
        if found is None and name in self.module.imports:
            found = self.universe.imported(self.module.imports[name])
        return found or self.universe.binding(name)

    def fields(self, kind: DataType) -> Fields | None:
        """Return the components of a structure."""
        if kind.dimensions:
            return None
        own: Mapping[str, Fields] = self.module.structures
        return own.get(kind.name) or STRUCTURES.get(kind.name) or self.universe.fields(kind.name)

    def enumeration(self, kind: DataType) -> frozenset[str] | None:
        """Return the values of an enumeration; None where it is not known."""
        own = self.module.enumerations
        return own.get(kind.name) or ENUMERATIONS.get(kind.name) or self.universe.enumeration(kind.name)

    def kind(self, name: str, span: Span, dimensions: int = 0) -> DataType:
        """Return the type of this name; one that nobody declares is reported, once a module."""
        known = (
            name in {"INT", "REAL", "BOOL", "CHAR"} or self.fields(DataType(name)) or self.enumeration(DataType(name))
        )
        if not known:
            if name not in self.module.unknown_kinds and not self.module.is_system:
                self.module.unknown_kinds.add(name)
                template = _("type '{kind}' is not declared here; its values are not checked")
                self.report("krl_unknown_type", template, span, "note", kind=name)
            return DataType(ANY.name, dimensions)
        return DataType(name, dimensions)

    def hoisted(self, effect: Effect) -> Evaluate | None:
        """Let an effect run before the statement; return what reads its value, or None where that cannot be."""
        if self.hoist_effect is None:
            return None
        slot = self.slot()
        self.hoist_effect(effect, slot)
        return lambda slots: slots[slot]
