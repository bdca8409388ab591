"""Values of a joint as people read them, as parts of messages: degrees and millimetres, per second, per second²."""

from __future__ import annotations

from armlab.messages import Message, _, term
from armlab.units import joint_scale

ANGLES = (
    _("{value:.{digits}f}°"),
    _("{value:.{digits}f} °/s"),
    _("{value:.{digits}f} °/s²"),
    _("{value:.{digits}f} °/s³"),
)
LENGTHS = (
    _("{value:.{digits}f} mm"),
    _("{value:.{digits}f} mm/s"),
    _("{value:.{digits}f} mm/s²"),
    _("{value:.{digits}f} mm/s³"),
)
DIGITS = (1, 3, 6, 9)


def quantity(kind: str, value: float, order: int = 0, digits: int = 1) -> Message:
    """Return a value of a joint (SI) with its unit; `order` says which derivative over time it is, 0 to 3."""
    template = (ANGLES if kind == "revolute" else LENGTHS)[order]
    return term(template, value=value / joint_scale(kind), digits=digits)


def told_apart(kind: str, value: float, limit: float, order: int = 0) -> tuple[Message, Message]:
    """Return a value and the limit that it is beyond, with as many digits as tell them apart."""
    scale = joint_scale(kind)
    digits = next((d for d in DIGITS if round(value / scale, d) != round(limit / scale, d)), DIGITS[-1])
    return quantity(kind, value, order, digits), quantity(kind, limit, order, digits)
