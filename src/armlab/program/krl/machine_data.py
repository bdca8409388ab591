"""$machine.dat says how far the axes of the real arm may turn, and how fast its tool may be: programs rely on it."""

from __future__ import annotations

from armlab.messages import Message, _
from armlab.program.krl.actions import Module
from armlab.program.krl.controller import Controller
from armlab.program.krl.faults import Findings
from armlab.program.krl.tree import Aggregate, Expression, InitialValue, Number, Unary

TOLERANCE = 0.5
"""Degrees, or mm."""
ENDS = {"$SOFTN_END": "lower", "$SOFTP_END": "upper"}


def _plain(node: Expression) -> float | None:
    if isinstance(node, Unary) and node.operator == "-":
        value = _plain(node.value)
        return None if value is None else -value
    return float(node.value) if isinstance(node, Number) else None


def read_speed(module: Module, controller: Controller) -> None:
    """Take the fastest path velocity, $VEL_MA.CP."""
    for declaration in module.data:
        if not isinstance(declaration, InitialValue) or declaration.target.name != "$VEL_MA":
            continue
        whole, part = declaration.value, declaration.target.component
        parts = [(part, whole)] if part is not None else whole.fields if isinstance(whole, Aggregate) else ()
        for name, node in parts:
            value = _plain(node)
            if name.name == "CP" and value is not None and value > 0.0:
                controller.fastest = value


def check_limits(module: Module, controller: Controller, findings: Findings) -> None:
    """Report the software limits that are not those of the simulated arm."""
    robot, arm = controller.arm.robot, controller.arm
    limits = {"lower": arm.axes_of(robot.lower), "upper": arm.axes_of(robot.upper)}
    for declaration in module.data:
        if not isinstance(declaration, InitialValue) or declaration.target.name not in ENDS:
            continue
        index = declaration.target.indices[0] if declaration.target.indices else None
        number, value = (None if index is None else _plain(index)), _plain(declaration.value)
        if number is None or value is None or not 1 <= number <= len(arm.names):
            continue
        name, end = arm.names[int(number) - 1], ENDS[declaration.target.name]
        if abs(value - limits[end][name]) > TOLERANCE:
            template = _("axis {axis}: $machine.dat has the limit {given:.1f}, {robot} has {limit:.1f}")
            facts = {"axis": name, "given": value, "robot": robot.name, "limit": limits[end][name]}
            findings.add("note", Message("krl_machine_limit", template, **facts), declaration.span)
