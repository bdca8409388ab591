"""Drives: how stiff, how damped and how strong the motor of each joint is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.parts import Joint


@dataclass(frozen=True, slots=True)
class Drive:
    """The motor of one joint, with its gear and its controller, seen from the joint (N m and rad, or N and m).

    Commanded a position it pulls with `stiffness` times the position error plus `damping` times the speed error;
    commanded a speed, with the damping alone; never with more than `effort`. `armature` is the rotor's inertia times
    the gear ratio squared, `friction` the dry friction, `backlash` the whole play of the gear: motor and link are two
    joints in series, and the second moves freely over that play. Gravity compensation holds the arm's own weight.
    """

    stiffness: float
    damping: float
    effort: float = math.inf
    armature: float = 0.0
    friction: float = 0.0
    backlash: float = 0.0
    gravity_compensation: bool = True

    def __post_init__(self) -> None:
        for what in ("stiffness", "damping", "armature", "friction", "backlash"):
            value = getattr(self, what)
            if not (isinstance(value, int | float) and value >= 0.0 and math.isfinite(value)):
                raise InvalidInput(
                    "drive_value",
                    _("drive: {what} must be a finite number ≥ 0, got {value}"),
                    what=what,
                    value=repr(value),
                )
        if not (isinstance(self.effort, int | float) and self.effort > 0.0):
            raise InvalidInput("drive_effort", _("drive: effort must be > 0, got {value}"), value=repr(self.effort))
        if self.backlash > 0.0 and not self.armature > 0.0:
            raise InvalidInput(
                "backlash_without_armature",
                _("drive: a gear with backlash needs an armature: within the play, the rotor moves alone"),
            )

    @property
    def is_free(self) -> bool:
        """Whether the joint swings freely: no stiffness, no damping."""
        return self.stiffness == 0.0 and self.damping == 0.0


FREE = Drive(0.0, 0.0, gravity_compensation=False)
"""No motor at all: the joint swings."""


def check_drives(drives: Sequence[Drive], joints: Sequence[Joint], who: str) -> tuple[Drive, ...]:
    """Return the drives of one arm if there is one for each joint, and all or none hold its weight."""
    if len(drives) != len(joints):
        raise InvalidInput(
            "drive_count",
            _("{robot}: {needed} drives needed, one per joint; got {given}"),
            robot=who,
            needed=len(joints),
            given=len(drives),
        )
    for drive in drives:
        if not isinstance(drive, Drive):
            raise InvalidInput("not_a_drive", _("{robot}: expected a Drive, got {given}"), robot=who, given=repr(drive))
    if len({drive.gravity_compensation for drive in drives}) > 1:
        raise InvalidInput(
            "gravity_compensation_mixed", _("{robot}: either all drives compensate gravity or none"), robot=who
        )
    return tuple(drives)
