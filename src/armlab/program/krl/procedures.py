"""Procedures of every controller: BAS, PULSE, messages; those that are refused, and those that do nothing here."""

from __future__ import annotations

from collections.abc import Generator

from armlab.messages import _
from armlab.program.instructions import Answer, Instruction
from armlab.program.krl import special
from armlab.program.krl.data_types import ANY, ENUM, DataType
from armlab.program.krl.dialogs import MESSAGES, compile_message, is_dialog
from armlab.program.krl.emitter import StatementEmitter
from armlab.program.krl.evaluation import compiled, condition, number, refused, report_unknown_call
from armlab.program.krl.functions import FUNCTIONS
from armlab.program.krl.inline_forms import bas
from armlab.program.krl.scope import Slots
from armlab.program.krl.system import OUTPUTS
from armlab.program.krl.tree import Call, Name, Number

IDLE = frozenset({
    "IR_STOPM", "SET_CD_PARAMS", "USERSPOT", "USER_GRP", "USERGRP", "H50", "A10_INI", "A20_INI", "ARC_INI", "SPOTTECH",
    "GRIPPERTECH", "TOUCHSENSE", "USERTECHINI", "LASERTECH", "SERVOGUN", "RECIPE", "GLUETECH", "SWR_INI", "CAL_INI",
})  # fmt: skip
"""Procedures of the controller and its options that change nothing here."""


def compile_procedure(call: Call, compiler: StatementEmitter) -> bool:
    """Compile a call of such a procedure; tell whether it is one."""
    name = call.name
    if name == "BAS":
        _bas(call, compiler)
    elif name == "PULSE":
        _pulse(call, compiler)
    elif name in MESSAGES:
        compile_message(call, compiler)
    elif compiler.program.routine(name, compiler.scope.module) is not None:
        return False  # a routine of the program wins over one of an option that has the same name or begins like it
    elif name in IDLE or refused(call, compiler.scope):
        pass
    elif call.name not in FUNCTIONS and not is_dialog(call.name):
        report_unknown_call(call, compiler.scope)
    else:
        return False
    return True


def _bas(call: Call, compiler: StatementEmitter) -> None:
    scope, span, controller = compiler.scope, call.span, compiler.program.controller
    first = call.arguments[0] if call.arguments else None
    command = None if first is None else compiled(first, scope)
    if command is None or command.type not in {ENUM, ANY, DataType("BAS_COMMAND")}:
        scope.report("krl_bas_command", _("BAS takes a command such as #PTP_PARAMS, and a number"), span)
        return
    second = call.arguments[1] if len(call.arguments) > 1 else None
    value = number(Number(0, span) if second is None else second, scope)
    evaluate = command.evaluate

    def run(slots: Slots) -> Generator[Instruction, Answer, None]:
        bas(controller, str(evaluate(slots)), value(slots), span)
        yield from controller.tell_all(span)

    compiler.effect(run, span)


def _pulse(call: Call, compiler: StatementEmitter) -> None:
    scope, span, controller = compiler.scope, call.span, compiler.program.controller
    target = call.arguments[0] if len(call.arguments) == 3 else None
    node = target if isinstance(target, Name) else None
    binding = scope.lookup(node.name) if node is not None and node.name not in OUTPUTS else None
    if binding is None and node is not None and node.name not in OUTPUTS:
        scope.report_unknown(node)
        return
    if binding is not None and binding.signal is not None and binding.signal.last is None:
        node = binding.signal.first
    level, seconds = (call.arguments[1], call.arguments[2]) if len(call.arguments) == 3 else (None, None)
    if node is None or node.name not in OUTPUTS or len(node.indices) != 1 or level is None or seconds is None:
        scope.report("krl_pulse", _("PULSE takes an output, its level, and seconds"), span)
        return
    index = node.indices[0]
    assert index is not None
    which, high, length, variable = number(index, scope), condition(level, scope), number(seconds, scope), node.name

    def run(slots: Slots) -> Generator[Instruction, Answer, None]:
        name = special.signal_name(variable, int(which(slots)))
        yield from special.set_output(controller, name, bool(high(slots)), span, max(float(length(slots)), 0.0))

    compiler.effect(run, span)
