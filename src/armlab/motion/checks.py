"""Checks that several functions of this room make at their border."""

from __future__ import annotations

import math

from armlab.errors import InvalidInput
from armlab.messages import Message, _


def check_seconds(name: str, value: float) -> None:
    """Raise InvalidInput if a time that must be above zero is not."""
    if not (value > 0.0 and math.isfinite(value)):
        raise InvalidInput("time_not_positive", _("{name}: must be > 0 s, got {value:g} s"), name=name, value=value)


def check_joint_count(who: str | Message, count: int, expected: int) -> None:
    """Raise InvalidInput if `who` has another number of joints than expected."""
    if count != expected:
        raise InvalidInput(
            "joint_count",
            _("{who}: joint values needed: {expected}; given: {count}"),
            who=who,
            expected=expected,
            count=count,
        )
