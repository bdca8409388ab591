"""System variables and priorities that take only some values."""

from __future__ import annotations

import math
from typing import Any

from armlab.messages import _
from armlab.program.krl.controller import Controller
from armlab.program.krl.data_types import INT, DataType
from armlab.program.krl.faults import Fault
from armlab.program.krl.scope import Evaluate, Scope, Slots
from armlab.program.krl.tree import Aggregate, Expression, Name, Number, Unary
from armlab.program.span import Span

RANGES = {"$ADVANCE": (0, 5), "$VEL_AXIS": (1, 100)}
"""The least and the most that such a variable takes: motions that are planned ahead; percent."""
INTERRUPT_PRIORITIES = ((1, 39), (81, 128))
"""Those from 40 to 80 the controller gives itself."""


def _range_of(target: Name, controller: Controller) -> tuple[float, float] | None:
    part = target.component
    if target.name == "$VEL" and part is not None and part.name == "CP":
        return 0.0, controller.fastest
    return RANGES.get(target.name)


def in_range(target: Name, node: Expression, kind: DataType, value: Evaluate, scope: Scope) -> Evaluate:
    """Return a value for a variable that is checked when it is assigned; a plain number is checked at once."""
    if target.name == "$VEL" and target.component is None:
        _check_speed(target, node, scope)
        return value
    bounds = _range_of(target, scope.universe.controller)
    if bounds is None:
        return value
    least, most = bounds
    template, span = _("{name} takes {least:g} … {most:g}, got {value:g}"), node.span
    name = target.name if target.component is None else f"{target.name}.{target.component.name}"
    facts: dict[str, Any] = {"name": name, "least": least, "most": most}
    given = plain_number(node)
    if given is not None and kind == INT and math.isfinite(given):
        given = math.floor(given + 0.5)
    if given is not None and not least <= given <= most:
        scope.report("krl_out_of_range", template, span, value=given, **facts)

    def checked(slots: Slots) -> Any:
        found = value(slots)
        if isinstance(found, int | float) and not least <= found <= most:
            raise Fault("krl_out_of_range", template, span, value=found, **facts)
        return found

    return checked


def _check_speed(target: Name, node: Expression, scope: Scope) -> None:
    """Check the path velocity in `$VEL = {CP 2, …}`."""
    for part, value in node.fields if isinstance(node, Aggregate) else ():
        whole = Name(target.name, target.span, (), part)
        in_range(whole, value, DataType("REAL"), lambda _slots: None, scope)


def is_priority(value: float) -> bool:
    """Tell whether an interrupt can have this priority."""
    return any(first <= value <= last for first, last in INTERRUPT_PRIORITIES)


def wrong_priority(value: float, span: Span) -> Fault:
    """Return what to report where an interrupt has another priority."""
    return Fault(
        "krl_priority", _("the priority of an interrupt is 1 … 39 or 81 … 128, got {value}"), span, value=value
    )


def plain_number(node: Expression) -> float | None:
    """Return a number as it is written, with its sign; None if it is something else."""
    if isinstance(node, Unary) and isinstance(node.value, Number):
        return -node.value.value if node.operator == "-" else None
    return node.value if isinstance(node, Number) else None
