"""System variables that take only some values."""

from __future__ import annotations

from typing import Any

from armlab.messages import _
from armlab.program.krl.faults import Fault
from armlab.program.krl.scope import Evaluate, Scope, Slots
from armlab.program.krl.tree import Expression, Name, Number, Unary

RANGES = {"$ADVANCE": (0, 5)}
"""The least and the most that such a variable takes: motions that are planned ahead."""


def in_range(target: Name, node: Expression, value: Evaluate, scope: Scope) -> Evaluate:
    """Return a value for a variable that is checked when it is assigned; a plain number is checked at once."""
    if target.name not in RANGES:
        return value
    least, most = RANGES[target.name]
    template, span = _("{name} takes {least} … {most}, got {value}"), node.span
    bounds: dict[str, Any] = {"name": target.name, "least": least, "most": most}
    plain = _plain(node)
    if plain is not None and not least <= plain <= most:
        scope.report("krl_out_of_range", template, span, value=plain, **bounds)

    def checked(slots: Slots) -> Any:
        found = value(slots)
        if not least <= found <= most:
            raise Fault("krl_out_of_range", template, span, value=found, **bounds)
        return found

    return checked


def _plain(node: Expression) -> float | None:
    """Return a number as it is written, with its sign; None if it is something else."""
    if isinstance(node, Unary) and isinstance(node.value, Number):
        return -node.value.value if node.operator == "-" else None
    return node.value if isinstance(node, Number) else None
