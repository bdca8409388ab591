"""Real arms drawn at random within stated tolerances."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.arm import FrameError, Friction, RealArm, RealJoint, Thermal
from armlab.calibration.loads import gravity_loads
from armlab.dynamics.forces import GRAVITY
from armlab.errors import UnknownName
from armlab.geometry.inertia import Inertia, combined
from armlab.model.robot import Robot

SAMPLES = 64
"""Configurations whose loads tell how strong an arm's gears are."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The largest errors of a class of arms: each is drawn evenly from ± these values, or from between two of them."""

    length: float
    """m, of joint frames and of the tool."""
    angle: float
    """rad, of joint axes and of the tool."""
    base_length: float
    base_angle: float
    offset: float
    """rad of a turning joint; a sliding one has `length` instead."""
    ratio: float
    eccentricity: float
    """rad."""
    sag: tuple[float, float]
    """rad (or m): how far gears give under the heaviest load of the arm's own weight."""
    bend: tuple[float, float]
    """rad: how far bearings and links do, across the axis."""
    backlash: tuple[float, float]
    hysteresis: tuple[float, float]
    friction: tuple[float, float]
    """Dry friction as a share of the heaviest load."""
    resolution: float
    dead_band: float
    delay: float
    """s."""
    speed: tuple[float, float]
    """The servos' top speed as a share of the joints' stated speed."""
    drift: float
    """rad/K."""
    rise: float
    """K."""
    payload: float
    """How much the carried mass may differ from the declared one, as a share."""


TOLERANCES = MappingProxyType(
    {
        "iso": Tolerance(
            length=1e-4, angle=2e-4, base_length=2e-4, base_angle=2e-4, offset=3e-4, ratio=1e-6, eccentricity=2e-5,
            sag=(2e-5, 1e-4), bend=(5e-6, 2e-5), backlash=(5e-6, 2e-5), hysteresis=(2e-6, 1e-5), friction=(0.02, 0.05),
            resolution=1e-6, dead_band=0.0, delay=0.001, speed=(1.0, 1.0), drift=1e-6, rise=5.0, payload=0.01,
        ),
        "industrial": Tolerance(
            length=5e-4, angle=1e-3, base_length=1e-3, base_angle=1e-3, offset=2e-3, ratio=1e-5, eccentricity=1e-4,
            sag=(1e-4, 5e-4), bend=(2e-5, 1e-4), backlash=(2e-5, 1e-4), hysteresis=(1e-5, 5e-5), friction=(0.03, 0.1),
            resolution=5e-6, dead_band=1e-5, delay=0.004, speed=(1.0, 1.0), drift=5e-6, rise=15.0, payload=0.05,
        ),
        "hobby": Tolerance(
            length=2e-3, angle=1e-2, base_length=2e-3, base_angle=1e-2, offset=5e-2, ratio=5e-3, eccentricity=3e-3,
            sag=(3e-3, 1e-2), bend=(1e-3, 3e-3), backlash=(3e-3, 1.5e-2), hysteresis=(1e-3, 5e-3), friction=(0.1, 0.3),
            resolution=3e-3, dead_band=5e-3, delay=0.02, speed=(0.6, 0.9), drift=1e-4, rise=20.0, payload=0.2,
        ),
    }
)  # fmt: skip
"""`iso`: the best arms one can buy; `industrial`: ordinary ones as they leave the factory; `hobby`: plastic gears."""


def tolerance_of(name: str) -> Tolerance:
    """Return a class of tolerances by name.

    Raises:
        UnknownName: if there is no such class.
    """
    if name not in TOLERANCES:
        raise UnknownName("tolerance", name, TOLERANCES)
    return TOLERANCES[name]


def real_arm(robot: Robot, tolerance: str = "industrial", *, seed: int) -> RealArm:
    """Return a real arm drawn within the tolerances of a class (`iso`, `industrial`, `hobby`); a seed gives one arm.

    Raises:
        UnknownName: if there is no such class.
    """
    within = tolerance_of(tolerance)
    rng = np.random.default_rng(seed)
    heaviest = _heaviest_loads(robot)
    joints = tuple(_joint(robot, i, within, float(heaviest[i]), rng) for i in range(robot.dof))
    base = FrameError(_around(rng, within.base_length), _around(rng, within.base_angle))
    tool = FrameError(_around(rng, within.length), _around(rng, within.angle))
    return RealArm(
        robot,
        joints,
        base,
        tool,
        payload=_payload(robot, float(rng.uniform(-within.payload, within.payload)), _around(rng, within.length)),
        thermal=Thermal(rise=float(rng.uniform(0.3, 1.0)) * within.rise),
        source=f"tolerance {tolerance}, seed {seed}",
    )


def _joint(robot: Robot, i: int, within: Tolerance, load: float, rng: np.random.Generator) -> RealJoint:
    joint = robot.joints[i]
    turns = joint.kind == "revolute"
    scale = 1.0 if turns else 0.1  # m per rad: a sliding joint gives 0.1 mm where a turning one gives 1 mrad

    def between(pair: tuple[float, float]) -> float:
        return float(rng.uniform(*pair)) * scale

    friction = load * float(rng.uniform(*within.friction))
    fastest = float(joint.velocity) if np.isfinite(joint.velocity) else np.inf
    return RealJoint(
        joint.name,
        FrameError(_around(rng, within.length), _around(rng, within.angle)),
        offset=float(rng.uniform(-1, 1)) * (within.offset if turns else within.length),
        ratio=float(rng.uniform(-1, 1)) * within.ratio,
        eccentricity=_around(rng, within.eccentricity, 2) * turns,
        stiffness=load / between(within.sag),
        bending_stiffness=load / float(rng.uniform(*within.bend)),
        backlash=between(within.backlash),
        hysteresis=between(within.hysteresis),
        friction=Friction(friction, friction * 0.3, friction * 0.3, 0.05 * scale),
        resolution=within.resolution * scale,
        dead_band=within.dead_band * scale,
        delay=within.delay,
        speed=fastest * float(rng.uniform(*within.speed)),
        drift=float(rng.uniform(-1, 1)) * within.drift * scale,
    )


def _payload(robot: Robot, share: float, shift: Floats) -> Inertia:
    """Return what the flange really carries: the declared load heavier or lighter, and its centre elsewhere.

    A bare flange carries, in the same proportion, some of what the maker allows.
    """
    declared = robot.tool.inertia
    if declared.mass > 0.0:
        factor = 1.0 + share
        return Inertia(declared.mass * factor, declared.com + shift, declared.matrix * factor)
    extra = abs(share) * (robot.payload or 0.0)
    return combined([(Inertia(extra, shift), np.eye(4))])


def _heaviest_loads(robot: Robot) -> Floats:
    """Return the largest moment (N m, or force N) that the arm's own weight puts on each joint, (n,), seeded."""
    q = np.random.default_rng(0).uniform(robot.lower, robot.upper, (SAMPLES, robot.dof))
    loads = gravity_loads(robot, robot.tool.inertia, q, np.array(GRAVITY))
    whole = np.hypot(np.linalg.norm(loads.across, axis=2), loads.along)
    return np.asarray(np.maximum(whole.max(axis=0), 0.1))


def _around(rng: np.random.Generator, most: float, count: int = 3) -> Floats:
    return rng.uniform(-most, most, count)
