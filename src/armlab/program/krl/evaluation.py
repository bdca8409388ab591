"""Expressions of KRL become Python functions: names are looked up and types are checked once, before the program runs.

Whatever takes part in the arm's time (inputs, where the arm is, functions of the program) is run before the statement
that uses it, in the order in which it is written; KRL evaluates both sides of AND and OR.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from armlab.messages import _
from armlab.program.krl import operators, special
from armlab.program.krl.data_types import (
    ANY,
    BOOL,
    ENUM,
    INT,
    REAL,
    TEXT,
    Component,
    Convert,
    DataType,
    Value,
    converter,
    family,
    new_array,
    set_text,
    text_of,
    type_of_components,
)
from armlab.program.krl.faults import Fault
from armlab.program.krl.functions import FUNCTIONS, BuiltIn
from armlab.program.krl.places import component_type, failing, read_path, read_variable
from armlab.program.krl.scope import Compiled, Evaluate, Scope, Slots
from armlab.program.krl.tree import Aggregate, Binary, Call, EnumValue, Expression, Name, Number, String, Truth, Unary

REFUSED = frozenset({"CWRITE", "CREAD", "COPEN", "CCLOSE", "SWRITE", "SREAD", "CAST_TO", "CAST_FROM", "CIOCTL"})
REFUSED_BEGINNINGS = ("EKI_", "RSI_", "CREAD", "FOPEN", "FCLOSE", "FREAD", "FWRITE", "KRL_F")
"""Channels, files and networks; texts with a format."""
REFUSED_RESULTS = frozenset({"RSIOK"})
"""What such calls give, as their options declare it: the call is reported, and nothing else follows."""


def compiled(node: Expression, scope: Scope, wanted: DataType | None = None) -> Compiled:  # noqa: PLR0911 - one case per kind
    """Return an expression ready to be evaluated; `wanted` tells what a value in braces is meant to be."""
    match node:
        case Number(value=value):
            return Compiled(INT if isinstance(value, int) else REAL, lambda _slots: value)
        case Truth(value=truth):
            return Compiled(BOOL, lambda _slots: truth)
        case String(value=text):
            return Compiled(TEXT, lambda _slots: text)
        case EnumValue(name=name):
            return Compiled(ENUM, lambda _slots: name)
        case Name():
            return _variable(node, scope)
        case Call():
            return _call(node, scope)
        case Aggregate():
            return _aggregate(node, scope, wanted)
        case Unary():
            return operators.unary(node, compiled(node.value, scope), scope)
        case Binary():
            left, right = compiled(node.left, scope), compiled(node.right, scope)
            check_enum_values(node, left, right, scope)
            return operators.binary(node, left, right, scope)


def assigned_value(node: Expression, target: DataType, scope: Scope) -> Evaluate:
    """Return the value of an expression as a variable of type `target` takes it."""
    value = compiled(node, scope, target)
    convert = conversion(value.type, target, node, scope)
    if convert is None:
        return failing(node.span)
    evaluate, change = value.evaluate, convert
    if value.type == target and target in {REAL, BOOL}:
        return evaluate
    return lambda slots: change(evaluate(slots))


def conversion(given: DataType, target: DataType, node: Expression, scope: Scope) -> Convert | None:
    """Return how a value is converted to a type; what cannot be is reported."""
    if isinstance(node, EnumValue):
        values = scope.enumeration(target)
        if values is not None and node.name not in values:
            template = _("#{name} is not a value of {kind}")
            scope.report("krl_enum_value", template, node.span, name=node.name, kind=str(target))
    convert = converter(target, given, node.span)
    if convert is None:
        template = _("{given} cannot be assigned to {target}")
        scope.report("krl_assign_type", template, node.span, given=_shown(given), target=str(target))
    return convert


def _shown(kind: DataType) -> str:
    return "ENUM" if kind == ENUM else str(kind)


def check_enum_values(node: Binary, left: Compiled, right: Compiled, scope: Scope) -> None:
    """Report a #VALUE that is compared with an enumeration which does not have it."""
    for side, other in ((node.left, right), (node.right, left)):
        if isinstance(side, EnumValue) and (values := scope.enumeration(other.type)) and side.name not in values:
            template = _("#{name} is not a value of {kind}")
            scope.report("krl_enum_value", template, side.span, name=side.name, kind=str(other.type))


# -- variables -------------------------------------------------------------------------------------------------------


def _variable(node: Name, scope: Scope) -> Compiled:
    found = special.read(node, scope, compiled)
    if found is not None:
        return found
    binding = scope.lookup(node.name)
    if binding is None:
        if node.name not in REFUSED_RESULTS:
            scope.report_unknown(node)
        return Compiled(ANY, failing(node.span))
    if binding.signal is not None:
        return special.read_signal(binding.signal, scope, node.span, compiled)
    if binding.container is None:
        scope.read.setdefault(node.name, node.span)
    return read_variable(binding, node, scope, compiled)


# -- structures ------------------------------------------------------------------------------------------------------


def _aggregate(node: Aggregate, scope: Scope, wanted: DataType | None) -> Compiled:
    names = frozenset(name.name for name, _value in node.fields)
    kind = DataType(node.kind) if node.kind else (wanted or type_of_components(names) or ANY)
    if not node.kind and kind != ANY and scope.fields(kind) is None:
        kind = type_of_components(names) or ANY
    elif not node.kind and family(kind) in {"FRAME", "AXIS"}:
        kind = type_of_components(names) or kind  # PTP takes both: what is written decides
    fields = scope.fields(kind)
    parts: list[tuple[str, Evaluate, Component | None]] = []
    for name, value in node.fields:
        part = component_type(kind, name, scope) if fields is not None else ANY
        component = fields.get(name.name) if fields is not None else None
        if part.name == "CHAR" and part.dimensions == 1:
            parts.append((name.name, compiled(value, scope).evaluate, component))
        else:
            parts.append((name.name, assigned_value(value, part, scope), component))
    return Compiled(kind, _structure(parts))


def _structure(parts: list[tuple[str, Evaluate, Component | None]]) -> Evaluate:
    plain = [(name, evaluate) for name, evaluate, component in parts if component is None or not component.sizes]
    texts = [(name, evaluate, component) for name, evaluate, component in parts if component and component.sizes]

    def evaluate(slots: Slots) -> Value:
        made = {name: value(slots) for name, value in plain}
        for name, value, component in texts:
            made[name] = letters = new_array(component.sizes)
            set_text(letters, text_of(value(slots)))
        return made

    return evaluate


# -- calls -----------------------------------------------------------------------------------------------------------


def _call(node: Call, scope: Scope) -> Compiled:
    value = _called(node, scope)
    if node.component is not None:
        return read_path(value, Name("", node.span, (), node.component), scope, compiled)
    return value


def _called(node: Call, scope: Scope) -> Compiled:
    if node.name in FUNCTIONS:
        return _built_in(node, FUNCTIONS[node.name], scope)
    if node.name == "VARSTATE":
        return _variable_state(node, scope)
    if scope.functions is not None:
        found = scope.functions.call(node, scope)
        if found is not None:
            return found
    if not refused(node, scope):
        report_unknown_call(node, scope)
    return Compiled(ANY, failing(node.span))


def refused(node: Call, scope: Scope) -> bool:
    """Report a call of something that an arm without a controller does not have; tell whether it is one."""
    if node.name not in REFUSED and not node.name.startswith(REFUSED_BEGINNINGS):
        return False
    template = _("{name}: channels, files, networks and formatted texts of a controller are not simulated")
    scope.report("krl_channel", template, node.span, name=node.name)
    _may_assign(node, scope)
    return True


def report_unknown_call(node: Call, scope: Scope) -> None:
    """Report a call of something that nothing defines."""
    template = _("no DEF or DEFFCT named '{name}' is in these files, and the controller has none that is simulated")
    scope.report("krl_unknown_routine", template, node.span, name=node.name)
    _may_assign(node, scope)


def _may_assign(node: Call, scope: Scope) -> None:
    """Take the arguments of a call that is not known for variables that it writes: nothing follows from them."""
    scope.assigned.update(argument.name for argument in node.arguments if isinstance(argument, Name))


_TAKES: dict[str, Callable[[DataType], bool]] = {
    "number": lambda kind: kind.is_number or kind == ANY,
    "text": lambda kind: kind in {TEXT, ANY},
    "letters": lambda kind: kind in {TEXT, ANY},
    "frame": lambda kind: family(kind) == "FRAME" or kind == ANY,
    "case": lambda kind: kind in {ENUM, ANY, DataType("CASE_SENSE_T")},
}


def _built_in(node: Call, function: BuiltIn, scope: Scope) -> Compiled:
    needed = len(function.parameters) - (function.parameters[-1] == "case")
    given = [argument for argument in node.arguments if argument is not None]
    if not needed <= len(given) <= len(function.parameters):
        template = _("{name} takes {needed} arguments, got {count}")
        scope.report("krl_arguments", template, node.span, name=node.name, needed=needed, count=len(given))
        return Compiled(function.result, failing(node.span))
    evaluates: list[Evaluate] = []
    for argument, takes in zip(given, function.parameters, strict=False):
        if takes == "letters" and isinstance(argument, Name):
            scope.assigned.add(argument.name)
        value = compiled(argument, scope)
        is_place = takes != "letters" or isinstance(argument, Name)
        if not _TAKES[takes](value.type) or not is_place:
            template = _("{name}: argument {number} cannot be {kind}")
            number = len(evaluates) + 1
            scope.report(
                "krl_argument_type", template, argument.span, name=node.name, number=number, kind=_shown(value.type)
            )
        evaluates.append(value.evaluate)
    call, span = function.call, node.span
    if len(evaluates) == 1:
        only = evaluates[0]
        return Compiled(function.result, lambda slots: call(only(slots), span))
    return Compiled(function.result, lambda slots: call(*(evaluate(slots) for evaluate in evaluates), span))


def _variable_state(node: Call, scope: Scope) -> Compiled:
    """Return VARSTATE("name"): whether a variable is declared, and whether it has a value."""
    argument = node.arguments[0] if len(node.arguments) == 1 else None
    if not isinstance(argument, String):
        scope.report("krl_varstate", _("VARSTATE takes the name of a variable in quotes"), node.span)
        return Compiled(DataType("VAR_STATE"), failing(node.span))
    name = argument.value.upper().partition("[")[0].partition(".")[0].strip()
    binding = scope.lookup(name)
    if binding is None:
        return Compiled(DataType("VAR_STATE"), lambda _slots: "UNDEFINED")
    container, key = binding.container, binding.key

    def state(slots: Slots) -> Value:
        place: Any = slots if container is None else container
        value = place[key]
        return "DECLARED" if value is None else "INITIALIZED"

    return Compiled(DataType("VAR_STATE"), state)


def condition(node: Expression, scope: Scope) -> Evaluate:
    """Return an expression that must be BOOL."""
    value = compiled(node, scope)
    if value.type not in {BOOL, ANY}:
        template = _("a condition is BOOL, got {kind}")
        scope.report("krl_condition_type", template, node.span, kind=_shown(value.type))
        return failing(node.span)
    return value.evaluate


def number(node: Expression, scope: Scope) -> Evaluate:
    """Return an expression that must be INT or REAL."""
    value = compiled(node, scope)
    if not (value.type.is_number or value.type == ANY):
        template = _("a number is expected, got {kind}")
        scope.report("krl_number_expected", template, node.span, kind=_shown(value.type))
        return failing(node.span)
    if value.type != ANY:
        return value.evaluate
    evaluate, span = value.evaluate, node.span

    def checked(slots: Slots) -> Value:
        result = evaluate(slots)
        if not isinstance(result, int | float):
            raise Fault("krl_not_a_number", _("a number is expected, got '{value}'"), span, value=str(result)[:40])
        return result

    return checked
