"""The real arm: a nominal arm and all that makes the one on the floor differ from its drawing; frozen values in SI."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, read_only
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia, combined
from armlab.messages import Message, _, term
from armlab.model.coupling import not_for_coupled
from armlab.model.parts import of_joint
from armlab.model.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class FrameError:
    """How far a frame is from where the drawing has it: a shift (m), then a rotation vector (rad), along its own axes.

    The real frame is T · shift · rotation where the nominal one is T.
    """

    xyz: Floats = field(default_factory=lambda: np.zeros(3))
    rotation: Floats = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        for what in ("xyz", "rotation"):
            object.__setattr__(self, what, read_only(as_floats(getattr(self, what), (3,), what)))

    @property
    def pose(self) -> Floats:
        """The error as a pose (4, 4): T_nominal_real."""
        angle = float(np.linalg.norm(self.rotation))
        axis = self.rotation if angle > 1e-12 else np.array([0.0, 0.0, 1.0])
        return pose.from_xyz_axis_angle(self.xyz, axis, angle)


@dataclass(frozen=True, slots=True)
class Friction:
    """Friction of a joint (N m or N): dry, proportional to speed, and the extra at rest that speed takes away.

    τ(q̇) = sign(q̇)·(coulomb + breakaway·exp(−(q̇ / stribeck_speed)²)) + viscous·q̇
    """

    coulomb: float = 0.0
    viscous: float = 0.0
    breakaway: float = 0.0
    stribeck_speed: float = 0.05

    def torque(self, qd: ArrayLike) -> Floats:
        """Return what the drive must give against friction at the speed `qd`; nothing at rest."""
        speed = np.asarray(qd, dtype=np.float64)
        dry = self.coulomb + self.breakaway * np.exp(-((speed / self.stribeck_speed) ** 2))
        return np.asarray(np.sign(speed) * dry + self.viscous * speed)


@dataclass(frozen=True, slots=True, eq=False)
class RealJoint:
    """What one joint does other than the drawing says (rad or m, N m or N); the default is a perfect joint."""

    name: str
    frame: FrameError = field(default_factory=FrameError)
    """Of the joint's frame in its parent link."""
    offset: float = 0.0
    """Added to the commanded value."""
    ratio: float = 0.0
    """Error of the gear ratio: the joint moves (1 + ratio) times what is commanded."""
    eccentricity: Floats = field(default_factory=lambda: np.zeros(2))
    """Of gear or encoder: amplitudes (2,) of sin q and cos q, added to the joint value."""
    stiffness: float = math.inf
    """About (or along) the joint's axis, N m/rad or N/m: gear and drive."""
    bending_stiffness: float = math.inf
    """Across the joint's axis, N m/rad: bearing and link, which sag under weight and payload."""
    backlash: float = 0.0
    """The whole play of the gear: within it the motor moves alone."""
    hysteresis: float = 0.0
    """The whole width of the loop that friction inside the gear leaves between the two directions."""
    friction: Friction = field(default_factory=Friction)
    resolution: float = 0.0
    """Of the servo: commands are rounded to multiples of it."""
    dead_band: float = 0.0
    """The servo does not answer to a change of its command that is smaller."""
    delay: float = 0.0
    """s from a command to the servo."""
    speed: float = math.inf
    """The servo moves no faster (rad/s or m/s)."""
    drift: float = 0.0
    """Shift of the zero per kelvin (rad/K or m/K)."""

    def __post_init__(self) -> None:
        pair = as_floats(self.eccentricity, (2,), of_joint(self.name, "eccentricity"))
        object.__setattr__(self, "eccentricity", read_only(pair))
        for what in ("offset", "ratio", "drift"):
            if not math.isfinite(getattr(self, what)):
                raise _joint_value(self.name, what, getattr(self, what), term(_("a finite number")))
        for what in ("backlash", "hysteresis", "resolution", "dead_band", "delay"):
            if not (getattr(self, what) >= 0.0 and math.isfinite(getattr(self, what))):
                raise _joint_value(self.name, what, getattr(self, what), term(_("a finite number ≥ 0")))
        for what in ("stiffness", "bending_stiffness", "speed"):
            if not getattr(self, what) > 0.0:
                raise _joint_value(self.name, what, getattr(self, what), term(_("a number > 0")))
        for each in fields(Friction):
            value = getattr(self.friction, each.name)
            least = 1e-12 if each.name == "stribeck_speed" else 0.0
            if not (value >= least and math.isfinite(value)):
                raise _joint_value(self.name, each.name, value, term(_("a finite number ≥ 0")))


@dataclass(frozen=True, slots=True)
class Thermal:
    """How the arm warms up while it works: T(t) = rise·(1 − exp(−t / time_constant))."""

    rise: float = 0.0
    """K above the temperature that the arm was measured at, when it is warm."""
    time_constant: float = 1800.0
    """s."""
    expansion: float = 1.2e-5
    """1/K, of the links: lengths grow by this share; 1.2e-5 is steel, 2.3e-5 aluminium."""

    def temperature(self, time: float) -> float:
        """Return how much warmer (K) the arm is `time` s after a cold start."""
        return self.rise * -math.expm1(-max(time, 0.0) / self.time_constant)


@dataclass(frozen=True, slots=True, eq=False)
class RealArm:
    """An arm as it is: the nominal arm that everybody plans with, and the errors of this one.

    `armlab.calibration.real_fk` says where its tool really is, `real_simulation` runs it as a plant.
    """

    nominal: Robot
    joints: tuple[RealJoint, ...] = ()
    base: FrameError = field(default_factory=FrameError)
    """Of the base: the real arm stands at nominal.base · error."""
    tool: FrameError = field(default_factory=FrameError)
    """Of the tool: the real tool point is at T_flange_tool · error."""
    payload: Inertia | None = None
    """What the flange really carries, tool and all, in the flange's frame; None: what the nominal arm declares."""
    thermal: Thermal = field(default_factory=Thermal)
    source: str = ""
    """Where the numbers come from: a calibration, or tolerances and a seed."""

    def __post_init__(self) -> None:
        if self.nominal.followers:
            raise not_for_coupled(term(_("calibration")))
        joints = self.joints or tuple(RealJoint(joint.name) for joint in self.nominal.joints)
        object.__setattr__(self, "joints", tuple(joints))
        given, expected = [j.name for j in joints], [j.name for j in self.nominal.joints]
        if given != expected:
            raise InvalidInput(
                "real_joint_names",
                _("{robot}: the real arm has joints {given}; the robot has {expected}"),
                robot=self.nominal.name,
                given=given,
                expected=expected,
            )
        thermal = self.thermal
        if not (thermal.time_constant > 0.0 and math.isfinite(thermal.rise) and thermal.expansion >= 0.0):
            raise InvalidInput(
                "thermal_values",
                _("{robot}: thermal: the rise must be finite, the time constant > 0 s and the expansion ≥ 0 per K"),
                robot=self.nominal.name,
            )

    @property
    def dof(self) -> int:
        """How many joints the arm has."""
        return self.nominal.dof

    @property
    def carried(self) -> Inertia:
        """What the flange really carries, in its frame."""
        return self.nominal.tool.inertia if self.payload is None else self.payload

    def with_load(self, body: Inertia, T_flange_body: Floats) -> RealArm:
        """Return the same arm that carries a body more, which stands so in the flange's frame."""
        return replace(self, payload=combined([(self.carried, np.eye(4)), (body, T_flange_body)]))

    def with_joint(self, joint: int | str, **changes: object) -> RealArm:
        """Return the same arm with other values for one joint, by its index or name."""
        names = [each.name for each in self.joints]
        at = names.index(joint) if isinstance(joint, str) else joint
        changed = replace(self.joints[at], **changes)  # type: ignore[arg-type]  # checked when it is built
        return replace(self, joints=(*self.joints[:at], changed, *self.joints[at + 1 :]))

    def column(self, what: str) -> Floats:
        """Return one attribute of all joints: `column("backlash")` (n,), `column("eccentricity")` (n, 2)."""
        return np.array([getattr(joint, what) for joint in self.joints], dtype=np.float64)

    def friction_torque(self, qd: ArrayLike) -> Floats:
        """Return what the drives must give against friction at joint speeds `qd` (…, n)."""
        speeds = np.asarray(qd, dtype=np.float64)
        return np.stack([joint.friction.torque(speeds[..., i]) for i, joint in enumerate(self.joints)], axis=-1)


def _joint_value(joint: str, what: str, value: float, allowed: Message) -> InvalidInput:
    return InvalidInput(
        "real_joint_value",
        _("joint '{joint}': {what} must be {allowed}, got {value}"),
        joint=joint,
        what=what,
        allowed=allowed,
        value=repr(value),
    )
