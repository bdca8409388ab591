"""ISO 9283 on a simulated real arm: 30 cycles through five poses, paths run ten times, corners, and loads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.arm import RealArm
from armlab.calibration.iso9283.characteristics import (
    CornerCharacteristics,
    DistanceCharacteristics,
    PathCharacteristics,
    PoseCharacteristics,
    corner_characteristics,
    distance_characteristics,
    path_characteristics,
    pose_characteristics,
)
from armlab.calibration.iso9283.cube import MeasuringPlane, measuring_plane
from armlab.calibration.plant import RealSimulation
from armlab.calibration.static_pose import joints_of, loads_on, real_chain, values_of
from armlab.dynamics.forces import GRAVITY
from armlab.kinematics.ik import solve_ik
from armlab.model.scene import Scene
from armlab.motion.blending import rounded
from armlab.motion.limits import ToolLimits
from armlab.motion.segments import circle, line
from armlab.motion.tool_motion import plan_tool
from armlab.motion.toolpath.through import through
from armlab.motion.toolpath.toolpath import ToolPath

POSE_CYCLES, PATH_CYCLES = 30, 10
PAUSE = 1.0
"""s at each pose."""
TIMESTEP = 0.004
ORDER = (4, 3, 2, 1, 0)
"""P5 P4 P3 P2 P1, as the standard has it."""
RATED_LOAD = 1.0
"""kg where the maker states no payload."""


@dataclass(frozen=True, slots=True, eq=False)
class PathTest:
    """One path: its characteristics, and the paths themselves in m."""

    name: str
    result: PathCharacteristics
    commanded: Floats
    """(k, 3)."""
    attained: Floats
    """(cycles, k, 3)."""


@dataclass(frozen=True, slots=True, eq=False)
class IsoTest:
    """What ISO 9283 says about an arm; what was not tested is empty."""

    robot: str
    plane: MeasuringPlane
    poses: tuple[PoseCharacteristics, ...]
    distance: DistanceCharacteristics | None
    attained: Floats
    """Where the arm came to, T_world_tool (5, cycles, 4, 4)."""
    has_orientation: bool = True
    paths: tuple[PathTest, ...] = ()
    corners: CornerCharacteristics | None = None
    corner_radius: float = 0.0
    """What the program asks for at corners (m)."""
    speed: float = 0.0
    """Of the tool along paths (m/s)."""
    compliance: Floats | None = None
    """Static compliance (3, 3) m/N in the world's axes, at P1: force → displacement."""
    load: float = 0.0
    """The largest load of the compliance test (N)."""
    has_spread: bool = True
    """Whether chance decides anything at poses: without it their repeatability is not known, not 0."""


def simulate_iso9283(
    real: RealArm,
    *,
    speed: float = 0.25,
    pose_cycles: int = POSE_CYCLES,
    path_cycles: int = PATH_CYCLES,
    seed: int = 0,
    physics: bool = False,
) -> IsoTest:
    """Return what ISO 9283 says about a simulated real arm.

    At poses the arm is at rest: its geometry, weight, warmth and the direction of approach count, and chance decides
    where within its dead band and resolution a servo stops and how much of its hysteresis a gear keeps. Along paths its
    servos run in time, with `physics` also its drives and masses.
    """
    plane = measuring_plane(real.nominal)
    attained = pose_cycle(real, plane, pose_cycles, np.random.default_rng(seed))
    poses = tuple(pose_characteristics(plane.T[k], attained[k]) for k in range(5))
    ends = plane.T[[1, 3], :3, 3]
    distance = distance_characteristics((ends[0], ends[1]), (attained[1, :, :3, 3], attained[3, :, :3, 3]))
    paths = [_path_test(real, plane, name, path, speed, path_cycles, physics) for name, path in standard_paths(plane)]
    radius = 0.02 * plane.side
    corners = plane.T[[1, 2, 3, 4, 1]]
    cornered = _run(real, plane, rounded(through(corners), radius), speed, 3, physics)[1]
    return IsoTest(
        real.nominal.name,
        plane,
        poses,
        distance,
        attained,
        has_spread=is_random(real),
        paths=tuple(paths),
        corners=corner_characteristics(corners[:, :3, 3], cornered),
        corner_radius=radius,
        speed=speed,
        compliance=compliance(real, plane.q[0]),
        load=9.81 * (real.nominal.payload or RATED_LOAD),
    )


def pose_cycle(real: RealArm, plane: MeasuringPlane, cycles: int, rng: np.random.Generator) -> Floats:
    """Return where the arm comes to at P1 to P5 in each cycle, T_world_tool (5, cycles, 4, 4)."""
    out = np.empty((5, cycles, 4, 4))
    still = real.column("dead_band") + real.column("resolution") / 2.0
    play, loop = real.column("backlash") / 2.0, real.column("hysteresis") / 2.0
    velocity = np.where(np.isfinite(real.nominal.velocity), real.nominal.velocity, 1.0)
    time, last = 0.0, plane.q[0]
    for cycle in range(cycles):
        for k in ORDER:
            q = plane.q[k]
            time += float((np.abs(q - last) / velocity).max()) + PAUSE
            side = np.sign(q - last)
            row = (q + rng.uniform(-still, still))[None]
            loads = loads_on(real, row)
            there = joints_of(real, row, loads, time=time) - side * (play + loop * rng.uniform(size=real.dof))
            out[k, cycle] = real_chain(real, there, loads, time=time).tool[0]
            last = q
    return out


def is_random(real: RealArm) -> bool:
    """Tell whether chance decides where the arm comes to rest: dead bands, resolutions and hysteresis do."""
    return any(bool(real.column(what).any()) for what in ("dead_band", "resolution", "hysteresis"))


def compliance(real: RealArm, q: Floats) -> Floats:
    """Return how far the tool point gives under a force, (3, 3) m/N: δ = Σ c_i J_i J_iᵀ + bending, at rest."""
    values, row = values_of(real), q[None]
    loads = loads_on(real, row, GRAVITY)
    poses = real_chain(real, joints_of(real, row, loads), loads)
    tip = poses.tool[0, :3, 3]
    C = np.zeros((3, 3))
    for i, joint in enumerate(real.nominal.joints):
        T = poses.bent[i, 0]
        axis, arm = T[:3, :3] @ joint.axis, tip - T[:3, 3]
        cross = np.array([[0.0, -arm[2], arm[1]], [arm[2], 0.0, -arm[0]], [-arm[1], arm[0], 0.0]])  # arm × f
        along = np.cross(axis, arm) if joint.kind == "revolute" else axis
        C += values.compliance[i] * np.outer(along, along)
        only = np.eye(3) - np.outer(axis, axis)
        C += values.bending[i] * (cross.T @ only @ cross)  # moment arm × f, turn c·m, displacement turn × arm
    return C


def standard_paths(plane: MeasuringPlane) -> list[tuple[str, ToolPath]]:
    """Return the standard's paths: a line from P2 to P4, a large and a small circle round P1 in the plane."""
    out: list[tuple[str, ToolPath]] = [("line", line(plane.T[1], plane.T[3]))]
    for name, radius in (("large circle", 0.4 * plane.side), ("small circle", 0.05 * plane.side)):
        T = plane.T[0].copy()
        T[:3, 3] += radius * plane.axes[0]
        on = [plane.centre + radius * plane.axes[1], plane.centre - radius * plane.axes[0]]
        out.append((name, circle(T, *on)))
    return out


def _path_test(
    real: RealArm, plane: MeasuringPlane, name: str, path: ToolPath, speed: float, cycles: int, physics: bool
) -> PathTest:
    commanded, attained = _run(real, plane, path, speed, cycles, physics)
    result, lines = path_characteristics(commanded, attained)
    return PathTest(name, result, lines[0], lines[1:])


def _run(
    real: RealArm, plane: MeasuringPlane, path: ToolPath, speed: float, cycles: int, physics: bool
) -> tuple[Floats, Floats]:
    """Return where the tool should have been (m, 3), and where it was in each cycle (cycles, m, 3), time by time."""
    robot = real.nominal
    limits = ToolLimits(speed=speed)
    task = plane.task
    begin = solve_ik(robot, path.start, start=plane.q[0], task=task)
    planned = plan_tool(robot, path, start=begin, tool_limits=limits, task=task).trajectory
    scene = Scene.of(robot, q=planned.start)
    simulation = RealSimulation(
        scene, {robot.name: real}, "articulation" if physics else "hierarchy", timestep=TIMESTEP / (4 if physics else 1)
    )
    times = planned.times(simulation.timestep)[1:]
    commanded = robot.fk(planned.sample(times).q)[:, :3, 3]
    back = (
        plan_tool(robot, line(path.end, path.start), start=planned.end, tool_limits=limits, task=task)
        if (np.linalg.norm(path.end[:3, 3] - path.start[:3, 3]) > 1e-9)
        else None
    )
    attained = []
    for _cycle in range(cycles):
        began = simulation.time
        run = simulation.play(planned)
        loads = loads_on(real, run.q)
        attained.append(real_chain(real, run.q.copy(), loads, time=began).tool[:, :3, 3])
        if back is not None:
            simulation.play(back.trajectory)
    return commanded, np.array(attained)
