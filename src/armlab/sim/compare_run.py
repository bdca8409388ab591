"""One structure of a comparison, run along its command and sampled on the way; where it diverges, up to there."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput, SimulationDiverged
from armlab.geometry import pose
from armlab.messages import Message, _, term
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.trajectory import Trajectory
from armlab.recording.recording import (
    COMMAND_Q,
    COMMAND_QD,
    COMMAND_QDD,
    QD,
    QDD,
    QUANTITIES,
    SIGNALS,
    TAU,
    Q,
    Recording,
)
from armlab.sim.drives import Drive
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimRun, SimState, Structure
from armlab.units import joint_scale, joint_unit

MOST_SAMPLES = 2000
"""Of one run: every step of a short one, and as many of a long one."""
PROGRESS_SAMPLES = 32
STEP_AT = 0.1
"""s: when a `JointStep` jumps."""


@dataclass(frozen=True, slots=True, eq=False)
class JointStep:
    """A command that jumps: one joint is told another value (rad or m) after 0.1 s, the others to stay."""

    start: Floats
    joint: int
    by: float
    duration: float = 1.0

    @classmethod
    def of(
        cls, robot: Robot, joint: int, by: float, *, start: Floats | None = None, duration: float = 1.0
    ) -> JointStep:
        """Return the step of an arm's joint, from home or from `start`.

        Raises:
            InvalidInput: if there is no such joint, it would leave its limits, or the time is too short.
        """
        q = robot.home if start is None else as_floats(start, (robot.dof,), "start")
        if not 0 <= joint < robot.dof:
            raise InvalidInput(
                "no_such_joint",
                _("{robot} has {dof} joints; there is no joint {number}"),
                robot=robot.name,
                dof=robot.dof,
                number=joint + 1,
            )
        scale = joint_scale(robot.joints[joint].kind)
        low, high, to = robot.lower[joint], robot.upper[joint], q[joint] + by
        if not (low <= to <= high and math.isfinite(by)):
            raise InvalidInput(
                "step_outside_limits",
                _(
                    "{robot}: joint '{joint}' cannot step to {value:.4g} {unit}: "
                    "its limits are {low:.4g} … {high:.4g} {unit}"
                ),
                robot=robot.name,
                joint=robot.joints[joint].name,
                value=float(to / scale),
                low=float(low / scale),
                high=float(high / scale),
                unit=joint_unit(robot.joints[joint].kind),
            )
        if not STEP_AT < duration < math.inf:
            raise InvalidInput(
                "step_too_short",
                _("a step needs more than {least:g} s, got {duration:g} s"),
                least=STEP_AT,
                duration=duration,
            )
        return cls(q.copy(), joint, float(by), float(duration))

    @property
    def dof(self) -> int:
        """How many joints it commands."""
        return len(self.start)


Command = Trajectory | JointStep


class CommandRows(NamedTuple):
    """What is commanded at the end of each step: times (m,), then (m, n) each."""

    t: Floats
    q: Floats
    qd: Floats
    qdd: Floats


def rows_of(command: Command, timestep: float) -> CommandRows:
    """Return the command step by step."""
    if isinstance(command, Trajectory):
        t = command.times(timestep)[1:]
        t = t if len(t) else np.array([command.duration])
        return CommandRows(t, *command.sample(t))
    t = np.arange(1.0, max(1, round(command.duration / timestep)) + 1.0) * timestep
    q = np.tile(command.start, (len(t), 1))
    q[t > STEP_AT, command.joint] += command.by
    none = np.zeros_like(q)
    return CommandRows(t, q, none, none)


class Divergence(NamedTuple):
    """When a structure's numbers left all bounds (s), and the joint or body whose did."""

    time: float
    who: Message


@dataclass(frozen=True, slots=True, eq=False)
class StructureRun:
    """What one structure did: a run of samples, where its links were, and what a step took."""

    run: SimRun
    frames: Floats
    """(m, n + 2, 4, 4): every link's frame and last the tool's, in world coordinates."""
    us_per_step: Floats
    """(m,) µs, as it was measured on the way."""
    diverged: Divergence | None
    simulation: Simulation


def run_structure(
    robot: Robot, rows: CommandRows, structure: Structure, timestep: float, drives: Sequence[Drive], start: Floats
) -> Generator[float, None, StructureRun]:
    """Run one structure along `rows`; yield now and then which share is done, and return the run."""
    simulation = Simulation(
        Scene.of(robot, q=start), structure, timestep=timestep, drives=list(drives), contacts="none"
    )
    stride = math.ceil(len(rows.t) / MOST_SAMPLES)
    ends = [*range(stride, len(rows.t), stride), len(rows.t)]
    states: list[SimState] = []
    cost: list[float] = []
    diverged: Divergence | None = None
    done = 0
    for i, end in enumerate(ends):
        if i % PROGRESS_SAMPLES == 0:
            yield i / len(ends)
        begun = perf_counter()
        try:
            simulation.follow(rows.q[done:end], rows.qd[done:end])
        except SimulationDiverged as error:
            diverged = Divergence(error.parameters["step"] * timestep, error.parameters["joint"])
        if diverged is None or not states:  # lost at once: what there is to show is the start
            cost.append((perf_counter() - begun) / (end - done) * 1e6)
            states.append(simulation.state())
        if diverged is not None:
            break
        done = end
    yield 1.0
    kept = np.array(ends[: len(states)], dtype=np.int64) - 1
    run = SimRun(robot.name, structure, _recording(robot, rows, states, kept), np.array([s.gap for s in states]))
    return StructureRun(run, np.array([s.frames for s in states]), np.array(cost), diverged, simulation)


def _recording(robot: Robot, rows: CommandRows, states: Sequence[SimState], kept: NDArray[np.int64]) -> Recording:
    joints = np.full((len(states), len(QUANTITIES), robot.dof), np.nan)
    for row, name in ((Q, "q"), (QD, "qd"), (QDD, "qdd"), (TAU, "tau")):
        joints[:, row] = [getattr(state, name) for state in states]
    joints[:, COMMAND_Q], joints[:, COMMAND_QD], joints[:, COMMAND_QDD] = rows.q[kept], rows.qd[kept], rows.qdd[kept]
    signals = np.full((len(states), len(SIGNALS)), np.nan)
    signals[:, 0] = [state.gap for state in states]
    signals[:, 1:3] = [(math.nan, math.nan) if s.energy is None else s.energy for s in states]
    signals[:, 3:] = [(*s.frames[-1][:3, 3], *pose.as_abc(s.frames[-1])) for s in states]
    return Recording.of(robot, rows.t[kept], joints, signals=signals)


def name_of(robot: Robot, joint: int) -> Message:
    """Return a joint as messages name it."""
    return term(_("joint '{joint}'"), joint=robot.joints[joint].name)
