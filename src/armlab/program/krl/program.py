"""A KRL program: modules are loaded when a name needs them, and their routines become operations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from armlab.arrays import Floats
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.program.krl.actions import Fold, Module, Routine
from armlab.program.krl.blocks import BlockCompiler
from armlab.program.krl.controller import Controller
from armlab.program.krl.data_lists import declare_data, declare_types
from armlab.program.krl.data_types import Fields
from armlab.program.krl.faults import Findings
from armlab.program.krl.imports import import_problem
from armlab.program.krl.library import Library, SourceFile
from armlab.program.krl.machine_data import check_limits, read_speed
from armlab.program.krl.parse import parse
from armlab.program.krl.routines import RoutineCode, declare_routine
from armlab.program.krl.scope import Binding, ModuleScope, Scope
from armlab.program.krl.tree import Import
from armlab.program.span import Span

LOOKED_AT = 4096
MOST_CONTROLS = 0.02
"""Share of control letters in a text."""
CONTROLS = bytes((*range(9), *range(14, 32)))
KEPT_MODULES, MOST_KEPT = 16, 100_000
"""How many modules are kept when they are read, and how large (bytes) they are at most."""
CONFIG, MACHINE = "$CONFIG", "$MACHINE"


class KrlProgram:
    """The modules of a library on the controller of one arm."""

    def __init__(self, library: Library, robot: Robot, start: Floats) -> None:
        self.library, self.findings = library, Findings()
        self.controller = Controller(robot, start, self.findings)
        self._modules: dict[str, ModuleScope | None] = {}
        self._codes: dict[tuple[str, str], RoutineCode] = {}
        self._waiting: list[RoutineCode] = []
        self._searched: set[str] = set()
        self._unread: set[str] = set()
        self._imports: list[Import] = []
        """Imports of data lists that were not looked at yet: modules may import from each other."""
        if CONFIG in library.modules:
            self.module(CONFIG)
        if MACHINE in library.modules and (file := library.modules[MACHINE].data) is not None:
            machine = parse(file.data, file.name)[0]
            check_limits(machine, self.controller, self.findings)
            read_speed(machine, self.controller)

    # -- modules -----------------------------------------------------------------------------------------------------

    def module(self, name: str) -> ModuleScope | None:
        """Return a module, loaded with its data list; None if there is none of this name."""
        if name not in self._modules:
            self._modules[name] = None  # while it is being loaded, it has nothing that others could use
            if name in self.library.modules:
                self._modules[name] = self._loaded(name)
        return self._modules[name]

    def _loaded(self, name: str) -> ModuleScope:
        files = self.library.modules[name]
        source, data = self._parsed(files.source), self._parsed(files.data)
        scope = ModuleScope(name, is_system=files.is_system, option_lines=_option_lines(source))
        scope.has_data = files.data is not None
        self._unread |= source.unread | data.unread
        for routine in source.routines:
            if routine.name in scope.routines:
                template = _("'{name}' is defined a second time")
                self.findings.add("error", Message("krl_defined_twice", template, name=routine.name), routine.span)
            scope.routines.setdefault(routine.name, routine)
        own = Scope(scope, self)
        declarations = (*data.data, *source.data)
        declare_types(declarations, own)
        shared = self.controller.system if name == CONFIG else {}
        declare_data(declarations, own, shared)
        scope.is_public = data.is_public
        self._imports += scope.imports.values()
        return scope

    def _parsed(self, file: SourceFile | None) -> Module:
        if file is None:
            return Module("")
        if is_binary(file.data):
            message = Message("krl_binary", _("this is not a text file"))
            self.findings.add("error", message, Span(file.name, 1, 1))
            return Module("")
        module, findings = _read(file)
        for finding in findings:
            place = Span(file.name, int(finding.where["line"]), int(finding.where["column"]))
            self.findings.add(finding.severity, finding.message, place)
        return module

    # -- names that all modules share --------------------------------------------------------------------------------

    def _search(self, name: str) -> None:
        """Load the data lists that may make a name global."""
        if name in self._searched:
            return
        self._searched.add(name)
        word = name.encode("ascii", "ignore")
        for files in self.library.modules.values():
            data = files.data
            if data is None or files.name in self._modules:
                continue
            text = data.data.upper()
            if b"GLOBAL" in text and word in text:
                self.module(files.name)

    def binding(self, name: str) -> Binding | None:
        """Return a global variable, or one of the controller."""
        config = self._modules.get(CONFIG)
        if config is not None and name in config.bindings:
            return config.bindings[name]
        if name in self.controller.types:
            return Binding(self.controller.types[name], self.controller.system, name)
        self._search(name)
        for module in self._modules.values():
            if module is not None and name in module.bindings and self._is_global(module.name, name):
                return module.bindings[name]
        return None

    def imported(self, node: Import) -> Binding | None:
        """Return a variable of another module's data list; None, and a finding, if it cannot be had."""
        is_loading = node.module in self.library.modules and self._modules.get(node.module, node) is None
        if is_loading:
            return None
        other = self.module(node.module)
        binding = other.bindings.get(node.original) if other is not None else None
        if message := import_problem(node, other, binding):
            self.findings.add("error", message, node.span)
        return binding

    def is_unread(self, name: str) -> bool:
        """Tell whether a name stands in a line that could not be read."""
        return name in self._unread

    def _is_global(self, module: str, _name: str) -> bool:
        data = self.library.modules[module].data
        return data is not None and b"GLOBAL" in data.data.upper()

    def fields(self, kind: str) -> Fields | None:
        """Return the components of a structure that some module declares."""
        self._search(kind)
        found = (m.structures.get(kind) for m in self._modules.values() if m is not None)
        return next((fields for fields in found if fields is not None), None)

    def enumeration(self, kind: str) -> frozenset[str] | None:
        """Return the values of an enumeration that some module declares."""
        self._search(kind)
        found = (m.enumerations.get(kind) for m in self._modules.values() if m is not None)
        return next((values for values in found if values is not None), None)

    # -- routines ----------------------------------------------------------------------------------------------------

    def routine(self, name: str, module: ModuleScope) -> RoutineCode | None:
        """Return a routine that a module can call: its own, or a global one; its body is compiled later."""
        home: ModuleScope | None = module
        if name not in module.routines:
            owner = self.library.routines.get(name)
            home = self.module(owner) if owner is not None else None
        if home is None or name not in home.routines:
            return None
        key = (home.name, name)
        if key not in self._codes:
            self._codes[key] = declare_routine(home.routines[name], home, self)
            self._waiting.append(self._codes[key])
        return self._codes[key]

    def define(self, routine: Routine, module: ModuleScope) -> None:
        """Give a module a routine, in the place of one of the same name."""
        module.routines[routine.name] = routine
        self._codes.pop((module.name, routine.name), None)
        self.routine(routine.name, module)

    def compile_all(self) -> None:
        """Compile the bodies of all routines that were asked for, and of those that they call."""
        while self._waiting or self._imports:
            if self._imports:
                self.imported(self._imports.pop())
            else:
                BlockCompiler(self._waiting.pop(), self).compile()

    def main(self) -> RoutineCode | None:
        """Return the routine that the program begins with, compiled with all that it calls; None if there is none."""
        module = self.module(self.library.main)
        code = None
        if module is not None and module.routines:
            name = module.name if module.name in module.routines else next(iter(module.routines))
            code = self.routine(name, module)
        is_told = any(finding.code == "krl_binary" for finding in self.findings.items)
        if code is None and not is_told:
            files = self.library.modules.get(self.library.main)
            file = (files.source or files.data) if files is not None else None
            message = Message(
                "krl_no_routine", _("module '{name}' has no routine to begin with"), name=self.library.main
            )
            self.findings.add("error", message, Span(file.name if file is not None else self.library.main, 1, 1))
        self.compile_all()
        return code

    def statement_lines(self) -> set[tuple[str, int]]:
        """Return the file and line of every statement that was compiled."""
        codes = self._codes.values()
        return {code.spans[at][:2] for code in codes for at in code.starts if at < len(code.spans)}

    @property
    def loaded(self) -> list[ModuleScope]:
        """The modules that were needed so far."""
        return [module for module in self._modules.values() if module is not None]

    def check_modules(self, names: Iterable[str]) -> None:
        """Load modules, and compile all of their routines and what those call."""
        for name in names:
            module = self.module(name)
            for routine in list(module.routines) if module is not None else ():
                assert module is not None
                self.routine(routine, module)
        self.compile_all()


@lru_cache(maxsize=KEPT_MODULES)
def _read_again(data: bytes, name: str) -> tuple[Module, list[Finding]]:
    return parse(data, name)


def _read(file: SourceFile) -> tuple[Module, list[Finding]]:
    """Return a module of a file; the last ones are kept: a program is read again whenever a line of it changes."""
    return (_read_again if len(file.data) <= MOST_KEPT else parse)(file.data, file.name)


def is_binary(data: bytes) -> bool:
    """Tell whether a file is not text: it has zeros, or many letters that no text has."""
    head = data[:LOOKED_AT]
    return b"\0" in head or len(head) - len(head.translate(None, CONTROLS)) > len(head) * MOST_CONTROLS


def _is_of_user(fold: Fold) -> bool:
    return any(title in fold.title.upper() for title in ("USER INI", "ANWENDER INI"))


def _option_lines(source: Module) -> frozenset[int]:
    """Return the lines of INI folds that a controller writes by itself."""
    lines: set[int] = set()
    for fold in source.folds:
        if "INI" in fold.title.upper().split() and not _is_of_user(fold):
            lines.update(range(fold.first, fold.last + 1))
    for fold in source.folds:
        if _is_of_user(fold):
            lines.difference_update(range(fold.first, fold.last + 1))
    return frozenset(lines)
