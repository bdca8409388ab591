"""Routines: their variables and parameters, and how they are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Protocol, TypeAlias

from armlab.messages import _
from armlab.program.krl.actions import Parameter, Routine
from armlab.program.krl.data_lists import declare_types, first_value
from armlab.program.krl.data_types import ANY, TEXT, DataType, Value, copied
from armlab.program.krl.dialogs import dialog
from armlab.program.krl.evaluation import assigned_value, compiled
from armlab.program.krl.faults import Fault
from armlab.program.krl.inline_forms import forward_or_inverse, inline_form
from armlab.program.krl.operations import END, RESULT, Invocation, Operation, OperationList
from armlab.program.krl.places import failing, locate_variable
from armlab.program.krl.scope import Binding, Compiled, Evaluate, ModuleScope, Scope, Slots, Universe
from armlab.program.krl.special import signal_type
from armlab.program.krl.system import INPUTS, OUTPUTS
from armlab.program.krl.tree import Call, Expression, Import, Name, Signal, Variable
from armlab.program.span import Span


class Routines(Universe, Protocol):
    """All modules of a program, and the routines in them."""

    def routine(self, name: str, module: ModuleScope) -> RoutineCode | None:
        """Return a routine that a module can call."""


@dataclass(frozen=True, slots=True)
class ParameterSlot:
    """Where a parameter is kept."""

    name: str
    slot: int
    type: DataType
    is_output: bool


@dataclass(slots=True, eq=False, kw_only=True)
class RoutineCode(OperationList):
    """A routine with what its callers and its compiler must know."""

    tree: Routine
    scope: Scope
    parameters: list[ParameterSlot] = field(default_factory=list)
    result: DataType | None = None

    def new_slots(self) -> Slots:
        """Return the variables of a new call."""
        return [make() for make in self.scope.initial]


def declare_routine(tree: Routine, module: ModuleScope, program: Routines) -> RoutineCode:
    """Return a routine whose variables are known, and whose body is not compiled yet."""
    scope = Scope(module, program)
    scope.slot()  # RESULT
    code = RoutineCode(tree.name, tree=tree, scope=scope)
    if tree.result:
        code.result = scope.kind(tree.result, tree.span, tree.result_dimensions)
    declare_types(tree.declarations, scope)
    parameters = {parameter.name: parameter for parameter in tree.parameters}
    kinds: dict[str, DataType] = {}
    for declaration in tree.declarations:
        if isinstance(declaration, Variable):
            _declare_local(declaration, code, parameters, kinds)
        elif isinstance(declaration, Import):
            if (binding := program.imported(declaration)) is not None:
                scope.locals[declaration.name] = binding
        elif isinstance(declaration, Signal):
            scope.locals[declaration.name] = Binding(signal_type(declaration), {}, "", signal=declaration)
    for parameter in tree.parameters:
        _declare_parameter(parameter, code, kinds)
    own = {name: binding.key for name, binding in scope.locals.items() if binding.container is None}
    code.variables = {name: key for name, key in own.items() if isinstance(key, int)}
    return code


def _declare_local(
    variable: Variable, code: RoutineCode, parameters: dict[str, Parameter], kinds: dict[str, DataType]
) -> None:
    scope = code.scope
    if variable.name in parameters:
        kinds[variable.name] = scope.kind(variable.kind, variable.span, len(variable.sizes))
        return
    kind, make = first_value(variable, scope)
    if variable.name in scope.locals:
        scope.report("krl_declared_twice", _("'{name}' is declared a second time"), variable.span, name=variable.name)
    if variable.value is not None or variable.sizes:
        scope.assigned.add(variable.name)
    scope.locals[variable.name] = Binding(kind, None, scope.slot(make), variable.is_constant)


def _declare_parameter(parameter: Parameter, code: RoutineCode, kinds: dict[str, DataType]) -> None:
    kind = kinds.get(parameter.name, ANY)
    if parameter.name not in kinds:
        template = _("the type of parameter '{name}' is not declared")
        code.scope.report("krl_parameter_type", template, parameter.span, name=parameter.name)
    slot = code.scope.slot()
    code.scope.assigned.add(parameter.name)
    code.scope.locals[parameter.name] = Binding(kind, None, slot)
    code.parameters.append(ParameterSlot(parameter.name, slot, kind, parameter.is_output))


# -- calls -----------------------------------------------------------------------------------------------------------

Put: TypeAlias = Callable[[Slots, Value], None]


class CallCompiler:
    """Compiles calls of the program's own routines, as statements and inside expressions."""

    def __init__(self, program: Routines, emit: Callable[[Operation, Span], int]) -> None:
        self._program, self._emit = program, emit

    def call(self, node: Call, scope: Scope) -> Compiled | None:
        """Return the value of a function of the program; it is called before the statement."""
        code = self._program.routine(node.name, scope.module)
        if code is None:
            return forward_or_inverse(node, scope) or inline_form(node, scope) or dialog(node, scope)
        if code.result is None:
            scope.report("krl_no_value", _("'{name}' gives no value"), node.span, name=node.name)
            return Compiled(ANY, failing(node.span))
        if scope.is_live or scope.hoist_effect is None:
            scope.report("krl_not_here", _("{name} cannot be used here"), node.span, name=node.name)
            return Compiled(code.result, failing(node.span))
        slot = scope.slot()
        self.emit_call(node, code, scope, slot)
        return Compiled(code.result, lambda slots: slots[slot])

    def emit_call(self, node: Call, code: RoutineCode, scope: Scope, result: int | None = None) -> None:
        """Emit the call of a routine; its value is put into the slot `result`."""
        passed, returned = self._arguments(node, code, scope)
        following = self._emit(lambda _slots: END, node.span) + 1

        def finish(caller: Slots, routine: Slots) -> None:
            for slot, put in returned:
                if routine[slot] is not None:
                    put(caller, routine[slot])
            if result is not None:
                if routine[RESULT] is None:
                    template = _("{name} ended without RETURN; it gives no value")
                    raise Fault("krl_no_return", template, node.span, name=node.name)
                caller[result] = routine[RESULT]

        def invoke(slots: Slots) -> Invocation:
            own = code.new_slots()
            for slot, value in passed:
                own[slot] = value(slots)
            return Invocation(code, own, finish)

        self._replace(following - 1, invoke)

    def _arguments(
        self, node: Call, code: RoutineCode, scope: Scope
    ) -> tuple[list[tuple[int, Evaluate]], list[tuple[int, Put]]]:
        """Return what goes into which slots of the routine, and where its outputs go."""
        if len(node.arguments) > len(code.parameters):  # the last ones may be left out
            template = _("{name} takes {needed} arguments, got {count}")
            count: dict[str, Any] = {"needed": len(code.parameters), "count": len(node.arguments)}
            scope.report("krl_arguments", template, node.span, name=node.name, **count)
        passed: list[tuple[int, Evaluate]] = []
        returned: list[tuple[int, Put]] = []
        for argument, parameter in zip_longest(node.arguments[: len(code.parameters)], code.parameters):
            if argument is None:
                if parameter.type == TEXT:
                    passed.append((parameter.slot, lambda _slots: []))  # a text that is left out is empty
                continue
            if parameter.is_output:
                value, put = self._output_argument(argument, parameter, scope)
                returned.append((parameter.slot, put))
            else:
                value = assigned_value(argument, parameter.type, scope)
            passed.append((parameter.slot, value))
        return passed, returned

    def _replace(self, number: int, operation: Operation) -> None:
        raise NotImplementedError  # whoever keeps the operations

    def _output_argument(self, argument: Expression, parameter: ParameterSlot, scope: Scope) -> tuple[Evaluate, Put]:
        """Return what reads a variable, which may have no value yet, and what writes it when the routine is over."""
        binding = scope.lookup(argument.name) if isinstance(argument, Name) else None
        if not isinstance(argument, Name) or binding is None or binding.signal is not None:
            is_signal = isinstance(argument, Name) and (binding is not None or argument.name in {*INPUTS, *OUTPUTS})
            if is_signal:  # a controller passes them by reference
                template = _("parameter '{name}' is :OUT: inputs and outputs that are passed to it are not simulated")
                scope.report("krl_output_signal", template, argument.span, name=parameter.name)
            elif isinstance(argument, Name) and not argument.name.startswith("$"):
                scope.report_unknown(argument)
            else:
                template = _("parameter '{name}' is :OUT; a variable is expected")
                scope.report("krl_output_argument", template, argument.span, name=parameter.name)
            return failing(argument.span), lambda _slots, _value: None
        scope.assigned.add(argument.name)
        kind, locate = locate_variable(binding, argument, scope, compiled)
        if ANY not in {kind, parameter.type} and kind != parameter.type:
            template = _("{given} cannot be assigned to {target}")
            scope.report("krl_assign_type", template, argument.span, given=str(kind), target=str(parameter.type))

        def read(slots: Slots) -> Value:
            container, key = locate(slots)
            value = container[key]
            return value if isinstance(value, list) else copied(value)

        def put(slots: Slots, value: Value) -> None:
            container, key = locate(slots)
            container[key] = value

        return read, put
