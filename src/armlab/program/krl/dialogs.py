"""Messages and dialogs of a program: MsgNotify and its kind, Set_KrlMsg, Set_KrlDlg; errors that it raises.

Nobody acknowledges a message here: it is told, and counts as acknowledged at once; a dialog as answered with its first
key.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from armlab.messages import _
from armlab.program.instructions import Answer, Instruction, Say
from armlab.program.krl.data_types import ANY, BOOL, INT, DataType, Value, text_of
from armlab.program.krl.evaluation import compiled
from armlab.program.krl.faults import Fault
from armlab.program.krl.places import failing, locate_variable
from armlab.program.krl.scope import Compiled, Scope, Slots
from armlab.program.krl.tree import Call, Expression, Name, String

if TYPE_CHECKING:
    from armlab.program.krl.emitter import StatementEmitter

MESSAGES = frozenset({"MSGNOTIFY", "MSGQUIT", "MSGINFO", "MSGSTATE", "MSGDIALOG", "MSGLOOP"})
SAYING = {"SET_KRLMSG": 1, "SET_KRLDLG": 0}
"""Which argument is the message."""
QUIET = {
    "EXISTS_KRLMSG": (BOOL, False),
    "CLEAR_KRLMSG": (BOOL, True),
    "EXISTS_KRLDLG": (BOOL, False),
    "MBX_REC": (INT, 0),
    "SYNC": (INT, 0),
}
"""What functions give that tell of messages: there is none any more, and no mail."""
ERRORS = frozenset({"ERR_RAISE", "ERR_CLEAR"})
FIRST_KEY = 1


def compile_message(call: Call, compiler: StatementEmitter) -> None:
    """Compile MsgNotify("text") and its kind."""
    texts = [argument for argument in call.arguments if isinstance(argument, String)]
    span, kind = call.span, call.name
    for argument in call.arguments:
        if argument is not None and not isinstance(argument, String):
            compiled(argument, compiler.scope)  # for what may be wrong with it
    text = text_of(texts[0].value) if texts else ""

    def run(_slots: Slots) -> Generator[Instruction, Answer, None]:
        yield Say(text, kind.lower(), span)

    compiler.effect(run, span)


def is_dialog(name: str) -> bool:
    """Tell whether a function of this name tells or looks at messages, or raises errors."""
    return name in SAYING or name in QUIET or name in ERRORS


def dialog(node: Call, scope: Scope) -> Compiled | None:
    """Return the value of such a function; None for another name."""
    if node.name in SAYING:
        return _said(node, scope)
    if node.name in ERRORS:
        return _error(node, scope)
    if node.name not in QUIET:
        return None
    kind, value = QUIET[node.name]
    outputs = [_output(argument, scope) for argument in node.arguments[1:] if argument is not None]
    if node.arguments and node.arguments[0] is not None:
        compiled(node.arguments[0], scope)

    def evaluate(slots: Slots) -> Value:
        for put in outputs:
            put(slots)
        return value

    return Compiled(kind, evaluate)


def _output(argument: Expression, scope: Scope) -> Callable[[Slots], None]:
    """Return what writes the key that a dialog was answered with."""
    binding = scope.lookup(argument.name) if isinstance(argument, Name) else None
    if not isinstance(argument, Name) or binding is None:
        compiled(argument, scope)
        return lambda _slots: None
    scope.assigned.add(argument.name)
    kind, locate = locate_variable(binding, argument, scope, compiled)

    def put(slots: Slots) -> None:
        container, key = locate(slots)
        container[key] = FIRST_KEY

    return put if kind in {INT, ANY} else lambda _slots: None


def _said(node: Call, scope: Scope) -> Compiled:
    place, span, name = SAYING[node.name], node.span, node.name.lower()
    if len(node.arguments) <= place + 1 or node.arguments[place] is None:
        scope.report("krl_argument_missing", _("{name}: an argument is missing"), span, name=node.name)
        return Compiled(INT, failing(span))
    for argument in node.arguments:
        if isinstance(argument, Name):
            scope.assigned.add(argument.name)  # parameters without a value are empty
    values = [None if argument is None else compiled(argument, scope) for argument in node.arguments]
    message, parameters = values[place], values[place + 1]
    assert message is not None
    if message.type not in {ANY, DataType("KRLMSG_T")}:
        template = _("{name}: argument {number} cannot be {kind}")
        scope.report("krl_argument_type", template, span, name=node.name, number=place + 1, kind=str(message.type))
    handles = scope.universe.controller

    def effect(slots: Slots) -> Generator[Instruction, Answer, Value]:
        handles.messages += 1
        given = None if parameters is None else parameters.evaluate(slots)
        yield Say(_text(message.evaluate(slots), given), name, span)
        return handles.messages

    evaluate = scope.hoisted(effect)
    if evaluate is None or scope.is_live:
        scope.report("krl_not_here", _("{name} cannot be used here"), span, name=node.name)
        return Compiled(INT, failing(span))
    return Compiled(INT, evaluate)


def _text(message: Value, parameters: Value) -> str:
    """Return a KrlMsg_T as a text: %1, %2 and %3 are its parameters."""
    text = text_of((message.get("MSG_TXT") if isinstance(message, dict) else None) or [])
    for number, parameter in enumerate(parameters if isinstance(parameters, list) else (), start=1):
        text = text.replace(f"%{number}", _parameter(parameter if isinstance(parameter, dict) else {}))
    return text


def _parameter(parameter: dict[str, Value]) -> str:
    if parameter.get("PAR_TYPE") not in {"VALUE", "KEY"}:
        return ""
    for name in ("PAR_INT", "PAR_REAL", "PAR_BOOL"):
        if parameter.get(name) is not None:
            return str(parameter[name])
    return text_of(parameter.get("PAR_TXT") or [])


def _error(node: Call, scope: Scope) -> Compiled:
    """Return ERR_RAISE($ERR), which ends the program if $ERR has a number, or ERR_CLEAR($ERR)."""
    controller, span = scope.universe.controller, node.span
    values = [compiled(argument, scope) for argument in node.arguments if argument is not None]
    if len(values) != 1 or values[0].type not in {ANY, DataType("ERROR_T")}:
        scope.report("krl_error_argument", _("{name} takes an error, such as $ERR"), span, name=node.name)
        return Compiled(ANY, failing(span))

    def evaluate(slots: Slots) -> Value:
        if node.name == "ERR_CLEAR":
            controller.no_error()
        elif values[0].evaluate(slots).get("NUMBER"):
            template = _("ERR_RAISE: an error of line {line} ends the program")
            raise Fault("krl_raised", template, span, line=values[0].evaluate(slots).get("LINE_NR") or 0)
        return True

    return Compiled(BOOL, evaluate)
