"""Statements of one line: motions, assignments, calls, waits, interrupts, triggers."""

from __future__ import annotations

from typing import get_args

from armlab.messages import _
from armlab.program.krl.actions import (
    Approximation,
    Assign,
    CallStatement,
    Confirm,
    Exit,
    Goto,
    InterruptDeclaration,
    InterruptSwitch,
    Label,
    Motion,
    MotionKind,
    Return,
    Simple,
    Statement,
    Trigger,
    WaitFor,
    WaitSeconds,
)
from armlab.program.krl.cursor import Cursor, SyntaxProblem
from armlab.program.krl.expressions import expression, name, name_or_call
from armlab.program.krl.tree import Call, EnumValue, Expression, Name

MOTIONS = frozenset(get_args(MotionKind))
APPROXIMATIONS = frozenset(get_args(Approximation)) - {""}
ARCS = frozenset({"CIRC", "CIRC_REL", "SCIRC", "SCIRC_REL"})


def statement(c: Cursor) -> Statement:  # noqa: C901, PLR0911, PLR0912 - one case per word
    """Return the statement of a line."""
    start, word = c.start, c.text
    if word in MOTIONS:
        return _motion(c)
    match word:
        case "WAIT":
            return _wait(c)
        case "EXIT":
            c.take()
            return Exit(start)
        case "GOTO":
            c.take()
            return Goto(c.expect_name().text, start)
        case "RETURN":
            c.take()
            return Return(None if c.token is None else expression(c), start)
        case "HALT" | "CONTINUE" | "RESUME" | "ON_ERROR_PROCEED":
            c.take()
            return Simple(word, start)
        case "BRAKE":
            c.take()
            return Simple("BRAKE F" if c.accept("F") else "BRAKE", start)
        case "INTERRUPT" | "GLOBAL":
            return _interrupt(c)
        case "TRIGGER":
            return _trigger(c)
        case "CONFIRM":
            c.take()
            return Confirm(expression(c), start)
        case "ANIN" | "ANOUT" | "DIGIN":
            _refuse_cyclic(c)
        case "ELSEIF" | "ELSIF" | "ELIF":
            raise _else_if(c, word)
    following = c.peek(1)
    if c.kind == "name" and following is not None and following.text == ":" and c.peek(2) is None:
        c.take()
        c.take()
        return Label(word, start)
    if c.kind != "name":
        raise c.problem("krl_statement", _("'{found}' begins no statement"), found=word)
    target = name_or_call(c)
    if isinstance(target, Call):
        return CallStatement(target, start)
    c.expect("=")
    return Assign(target, expression(c), start)


def _else_if(c: Cursor, word: str) -> SyntaxProblem:
    template = _("KRL has no {word}: write ELSE, on the next line IF … THEN, and an ENDIF for each IF")
    return c.problem("krl_else_if", template, word=word)


def else_line(c: Cursor) -> None:
    """Read ELSE; it stands alone."""
    if (following := c.peek(1)) is not None and following.text == "IF":
        raise _else_if(c, "ELSE IF")
    c.expect("ELSE")


def _refuse_cyclic(c: Cursor) -> None:
    following = c.peek(1)
    if following is not None and following.text in {"ON", "OFF"}:
        template = _(
            "{word} {mode}: cyclic signals are not supported; read $ANIN[n] and write $ANOUT[n] where it matters"
        )
        raise c.problem("krl_cyclic_signal", template, word=c.text, mode=following.text)


def with_settings(c: Cursor) -> tuple[tuple[Name, Expression], ...]:
    """Return `WITH $VEL.CP = 1, …`, or nothing."""
    if not c.accept("WITH"):
        return ()
    found = []
    while True:
        target = name(c)
        c.expect("=")
        found.append((target, expression(c)))
        if not c.accept(","):
            return tuple(found)


def approximations(c: Cursor) -> tuple[Approximation, ...]:
    """Return C_PTP, C_DIS … as far as they go."""
    found: list[Approximation] = []
    while c.text in APPROXIMATIONS:
        found.append(c.take().text)  # type: ignore[arg-type]  # one of them
    return tuple(found)


def _motion(c: Cursor) -> Motion:
    start = c.start
    kind: MotionKind = c.take().text  # type: ignore[assignment]  # one of them
    points = [expression(c)]
    angle: Expression | None = None
    if kind in ARCS:
        c.expect(",")
        points.append(expression(c))
        if c.accept(","):
            c.expect("CA")
            angle = expression(c)
    reference = ""
    if c.kind == "enum":
        found = expression(c)
        assert isinstance(found, EnumValue)
        reference = found.name
    settings = with_settings(c)
    rounded = approximations(c)
    settings = settings or with_settings(c)
    return Motion(kind, tuple(points), start, angle, rounded, settings, reference)


def _wait(c: Cursor) -> WaitSeconds | WaitFor:
    start = c.start
    c.take()
    if c.accept("SEC"):
        return WaitSeconds(expression(c), start)
    if c.accept("FOR"):
        return WaitFor(expression(c), start)
    raise c.problem("krl_wait", _("SEC or FOR expected after WAIT"))


def _interrupt(c: Cursor) -> InterruptDeclaration | InterruptSwitch:
    start = c.start
    is_global = c.accept("GLOBAL") == "GLOBAL"
    c.expect("INTERRUPT")
    if c.accept("DECL"):
        priority = expression(c)
        c.expect("WHEN")
        condition = expression(c)
        c.expect("DO")
        return InterruptDeclaration(priority, condition, statement(c), start, is_global)
    mode = c.accept("ON", "OFF", "ENABLE", "DISABLE")
    if not mode:
        raise c.problem("krl_interrupt", _("DECL, ON, OFF, ENABLE or DISABLE expected after INTERRUPT"))
    return InterruptSwitch(mode, None if c.token is None else expression(c), start)  # type: ignore[arg-type]


def _trigger(c: Cursor) -> Trigger:
    start = c.start
    c.take()
    c.expect("WHEN")
    what = c.accept("DISTANCE", "PATH")
    if not what:
        raise c.problem("krl_trigger", _("DISTANCE or PATH expected after TRIGGER WHEN"))
    c.expect("=")
    where = expression(c)
    is_from_start = c.accept("ONSTART") == "ONSTART"
    c.expect("DELAY")
    c.expect("=")
    delay = expression(c)
    c.expect("DO")
    action = statement(c)
    priority: Expression | None = None
    if c.accept("PRIO"):
        c.expect("=")
        priority = expression(c)
    return Trigger(what, where, delay, action, priority, start, is_from_start)  # type: ignore[arg-type]
