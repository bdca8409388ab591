"""Decisions and loops become jumps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from armlab.messages import _
from armlab.program.krl.actions import Exit, For, Goto, If, Label, Loop, Repeat, Return, Statement, Switch, While
from armlab.program.krl.data_types import ANY, CHAR, ENUM, INT, REAL, DataType
from armlab.program.krl.emitter import JumpTarget, StatementEmitter
from armlab.program.krl.evaluation import assigned_value, check_enum_values, compiled, condition
from armlab.program.krl.faults import Fault
from armlab.program.krl.operators import binary
from armlab.program.krl.places import failing
from armlab.program.krl.scope import Compiled, Evaluate, Scope, Slots
from armlab.program.krl.tree import Binary, Expression, Truth
from armlab.program.span import Span


def compile_if(c: StatementEmitter, node: If) -> None:
    """Compile IF … ENDIF."""
    otherwise, end = JumpTarget(), JumpTarget()
    c.jump_unless(condition(node.condition, c.scope), otherwise, node.span)
    c.block(node.body)
    if node.otherwise:
        c.jump(end, node.span)
    otherwise.at = c.next
    c.block(node.otherwise)
    end.at = c.next


def compile_switch(c: StatementEmitter, node: Switch) -> None:
    """Compile SWITCH … ENDSWITCH."""
    value, slot, end = compiled(node.value, c.scope), c.scope.slot(), JumpTarget()
    if not _is_criterion(value.type, c.scope):
        template = _("SWITCH decides by an INT, a CHAR or an ENUM, got {kind}")
        c.scope.report("krl_switch_type", template, node.value.span, kind=str(value.type))
        value = Compiled(ANY, value.evaluate)
    evaluate = value.evaluate
    c.do(lambda slots: slots.__setitem__(slot, evaluate(slots)), node.span)
    kept = Compiled(value.type, lambda slots: slots[slot])
    for case in node.cases:
        following = JumpTarget()
        if case.values:
            tests = [_test(node.value, kept, item, c.scope) for item in case.values]
            c.jump_unless(_any([test.evaluate for test in tests]), following, case.span)
        c.block(case.body)
        c.jump(end, case.span)
        following.at = c.next
    end.at = c.next


def _is_criterion(kind: DataType, scope: Scope) -> bool:
    return kind in {INT, CHAR, ANY, ENUM} or (kind.dimensions == 0 and scope.enumeration(kind) is not None)


def _test(value: Expression, kept: Compiled, item: Expression, scope: Scope) -> Compiled:
    """Return whether the value of a SWITCH is that of a CASE."""
    found = compiled(item, scope)
    check_enum_values(Binary("==", value, item, item.span), kept, found, scope)
    if found.type == REAL and kept.type != ANY:
        template = _("CASE: a value of the type of SWITCH is expected ({kind}), got {given}")
        scope.report("krl_case_type", template, item.span, kind=str(kept.type), given=str(found.type))
        return Compiled(ANY, failing(item.span))
    return binary(Binary("==", value, item, item.span), kept, found, scope)


def compile_for(c: StatementEmitter, node: For) -> None:
    """Compile FOR … ENDFOR: the bounds are evaluated once."""
    scope, variable, span = c.scope, node.variable, node.span
    binding = scope.lookup(variable.name)
    if binding is None and variable.name:
        scope.report_unknown(variable)
    if binding is None:
        c.block(node.body)  # for what may be wrong in it
        return
    if binding.type not in {INT, ANY} or variable.indices or variable.component:
        scope.report("krl_for_variable", _("FOR counts with a variable of type INT"), variable.span)
        return
    scope.assigned.add(variable.name)
    container, key = binding.container, binding.key
    last, step, top, end = scope.slot(), scope.slot(), JumpTarget(), JumpTarget()
    c.assign_plain(container, key, assigned_value(node.first, INT, scope), span)
    c.assign_plain(None, last, assigned_value(node.last, INT, scope), span)
    by = (lambda _slots: 1) if node.step is None else assigned_value(node.step, INT, scope)
    c.assign_plain(None, step, _not_zero(by, span), span)
    top.at, following = c.next, c.next + 1

    def test(slots: Slots) -> int:
        place: Any = slots if container is None else container
        inside = place[key] <= slots[last] if slots[step] > 0 else place[key] >= slots[last]
        return following if inside else end.at

    def count(slots: Slots) -> None:
        place: Any = slots if container is None else container
        place[key] += slots[step]

    c.emit(test, span)
    c.exits.append(end)
    c.block(node.body)
    c.exits.pop()
    c.do(count, span)
    c.back(top, span)
    end.at = c.next


def compile_while(c: StatementEmitter, node: While) -> None:
    """Compile WHILE … ENDWHILE."""
    top, end = JumpTarget(), JumpTarget()
    top.at = c.next
    c.jump_unless(condition(node.condition, c.scope), end, node.span)
    c.exits.append(end)
    c.block(node.body)
    c.exits.pop()
    if node.condition == Truth(True, node.condition.span) and not _leaves(node.body):
        c.count_pass(node.span)
    c.back(top, node.span)
    end.at = c.next


def compile_repeat(c: StatementEmitter, node: Repeat) -> None:
    """Compile REPEAT … UNTIL."""
    top, again, end = JumpTarget(), JumpTarget(), JumpTarget()
    top.at = c.next
    c.exits.append(end)
    c.block(node.body)
    c.exits.pop()
    c.jump_unless(condition(node.condition, c.scope), again, node.span)
    c.jump(end, node.span)
    again.at = c.next
    if node.condition == Truth(False, node.condition.span) and not _leaves(node.body):
        c.count_pass(node.span)
    c.back(top, node.span)
    end.at = c.next


def compile_loop(c: StatementEmitter, node: Loop) -> None:
    """Compile LOOP … ENDLOOP."""
    top, end = JumpTarget(), JumpTarget()
    top.at = c.next
    c.exits.append(end)
    c.block(node.body)
    c.exits.pop()
    if not _leaves(node.body):
        c.count_pass(node.span)
    c.back(top, node.span)
    end.at = c.next


def _any(checks: list[Evaluate]) -> Evaluate:
    return lambda slots: any(check(slots) for check in checks)


def _not_zero(step: Evaluate, span: Span) -> Evaluate:
    def checked(slots: Slots) -> int:
        value: int = step(slots)
        if value == 0:
            raise Fault("krl_step_zero", _("FOR: STEP must not be 0"), span)
        return value

    return checked


def _leaves(body: Sequence[Statement]) -> bool:
    """Tell whether a loop can be left: by EXIT, RETURN or GOTO; an EXIT of a loop inside leaves only that one."""
    for statement in body:
        match statement:
            case Exit() | Return() | Goto():
                return True
            case If() if _leaves(statement.body) or _leaves(statement.otherwise):
                return True
            case Switch() if any(_leaves(case.body) for case in statement.cases):
                return True
            case For() | While() | Repeat() | Loop() if _leaves(statement.body):
                return True
            case _:
                continue
    return False


def is_endless_goto(goto: Goto, body: Sequence[Statement]) -> bool:
    """Tell whether a GOTO in the body of a routine always leads back to a label before it, and nothing leads away."""
    labels = [i for i, one in enumerate(body) if isinstance(one, Label) and one.name == goto.label]
    here = next((i for i, one in enumerate(body) if one is goto), -1)
    return bool(labels) and labels[0] < here and not _leaves(body[labels[0] : here])
