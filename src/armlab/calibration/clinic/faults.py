"""The faults that the clinic knows: what each changes, from when on, and how large it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from armlab.errors import InvalidInput, UnknownName
from armlab.messages import Message, _, term
from armlab.model.robot import Robot

FaultKind = Literal[
    "backlash",
    "gear_wear",
    "belt_slip",
    "stuck_servo",
    "weak_servo",
    "encoder_jump",
    "loose_tool",
    "wrong_payload",
    "imu_bias",
]
FAULTS: tuple[FaultKind, ...] = get_args(FaultKind)
OF_JOINTS: frozenset[FaultKind] = frozenset(
    {"backlash", "gear_wear", "belt_slip", "stuck_servo", "weak_servo", "encoder_jump"}
)
GROWING: frozenset[FaultKind] = frozenset({"backlash", "gear_wear"})
_SIZES: dict[FaultKind, tuple[float, float]] = {
    "backlash": (1e-3, 4e-3),
    "gear_wear": (0.3, 1.0),
    "belt_slip": (1e-3, 4e-3),
    "stuck_servo": (1.0, 1.0),
    "weak_servo": (0.4, 0.7),
    "encoder_jump": (5e-3, 3e-2),
    "loose_tool": (3e-4, 1.5e-3),
    "wrong_payload": (0.1, 0.4),
    "imu_bias": (0.01, 0.05),
}


@dataclass(frozen=True, slots=True)
class ArmFault:
    """One fault of an arm."""

    kind: FaultKind
    joint: int | None
    """Which joint has it; None where it is not one of a joint."""
    onset: float
    """s from the start of the recording; below zero, it was there before."""
    size: float
    """backlash: the whole play that is reached at the end (rad or m). gear_wear: friction added by the end, as a share.
    belt_slip: of each slip (rad or m). weak_servo: what is left of the torque that the motion needs, as a share.
    encoder_jump: rad or m. loose_tool: m. wrong_payload: as a share of what the arm may carry. imu_bias: of the
    gyroscope (rad/s); of the accelerometer ten times that (m/s²). stuck_servo: not used."""

    def __post_init__(self) -> None:
        if self.kind not in FAULTS:
            raise UnknownName("fault", self.kind, FAULTS)
        if not (np.isfinite(self.onset) and np.isfinite(self.size)):
            raise InvalidInput("fault_values", _("fault '{kind}': onset and size must be finite"), kind=self.kind)


def draw_fault(robot: Robot, kind: FaultKind, rng: np.random.Generator, window: tuple[float, float]) -> ArmFault:
    """Return a fault of a random joint and size that begins within a window of time (s)."""
    low, high = _SIZES[kind]
    size = float(rng.uniform(low, high))
    if kind in {"encoder_jump", "belt_slip"} and rng.random() < 0.5:
        size = -size
    joint = int(rng.integers(robot.dof)) if kind in OF_JOINTS else None
    return ArmFault(kind, joint, float(rng.uniform(*window)), size)


def fault_title(kind: str) -> Message:
    """Return what people call a fault."""
    return {
        "backlash": term(_("growing backlash")),
        "gear_wear": term(_("gear wear")),
        "belt_slip": term(_("slipping belt")),
        "stuck_servo": term(_("stuck servo")),
        "weak_servo": term(_("weak servo")),
        "encoder_jump": term(_("encoder jump")),
        "loose_tool": term(_("loose tool")),
        "wrong_payload": term(_("wrong payload")),
        "imu_bias": term(_("IMU bias")),
    }[kind]
