"""A program on a real arm: the whole of it is checked from where the arm is, then each motion once more before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from armlab.arrays import Floats
from armlab.errors import LinkRefused
from armlab.link.gate import Gate, GateFollower
from armlab.link.guard import LinkState
from armlab.link.link_plant import LinkPlant
from armlab.messages import _
from armlab.model.finding import Finding
from armlab.model.scene import Scene
from armlab.program.check import check_program
from armlab.program.execution import Execution
from armlab.program.executor import Executor
from armlab.program.instructions import Instruction, Pause, Report, Say

CONNECT_S = 15.0
"""s until somebody must have answered."""
FRESH = 0.2
SETTLE = 0.3
"""s that an arm gets at the end of a program to come to rest."""


@dataclass(slots=True)
class ArmRun:
    """What became of a program on a real arm."""

    findings: list[Finding] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    duration: float = 0.0
    """s of the program."""
    took: float = 0.0
    """s of the arm's time."""
    has_moved: bool = False
    is_whole: bool = False
    """Whether it was run to its end."""
    end: Floats | None = None
    """Where the arm is believed to be at the end, (n,)."""


def connect_plant(plant: LinkPlant) -> Floats:
    """Connect, and return where the arm is believed to be.

    Raises:
        LinkRefused: if nobody answers as expected, or nobody knows where the arm is.
    """
    plant.link.connect()
    while plant.time < CONNECT_S and plant.link.state is not LinkState.FAULT:
        plant.step(plant.period)
        if plant.link.state is LinkState.MONITOR and plant.link.sample is not None:
            break
    believed = plant.link.believed
    if plant.link.state is not LinkState.MONITOR or believed is None:
        reasons = plant.link.guard.reasons
        if reasons:
            raise LinkRefused(reasons[-1].message)
        text = _("{file}: nobody knows where the arm is; give its resting pose as 'rest'")
        raise LinkRefused("rest_missing", text, file=plant.link.file.path.name)
    return believed


def run_on_arm(
    plant: LinkPlant,
    scene: Scene,
    instructions: Callable[[], Iterable[Instruction]],
    *,
    override: float | None = None,
    robot: str | None = None,
    each: Callable[[Execution], object] = lambda _execution: None,
) -> ArmRun:
    """Run a program on a connected arm, and return what became of it; what has an error does not move the arm.

    Args:
        plant: a connected arm that only reads
        scene: what stands round it
        instructions: begins the program; it is read once for the check, and once to run it
        override: share of the speed that the link file allows; by default as the guard has it after arming: 10 %
        robot: the name of the arm in the scene
        each: is called after each period
    """
    link, run = plant.link, ArmRun()
    start = link.believed
    assert start is not None
    arm = scene.robot(robot)
    gate = Gate(link.file, scene, robot)
    check = check_program(arm.robot, instructions(), scene=scene, start=start, clearance=gate.margin(start[None]))
    run.findings += check.findings
    if not check.is_good:
        return run
    executor = Executor(arm.robot, instructions(), start=start)
    execution: Execution
    follower = GateFollower(gate, start, lambda: setattr(execution, "is_paused", True))
    execution = Execution(executor, follower=follower)
    execution.look_ahead()
    plant.step(FRESH)  # planning has taken a while: hear the arm again before it is armed
    refused = link.arm(plant.holder, plant.now)
    if refused is not None:
        run.findings.append(refused)
        return run
    if override is not None:
        link.guard.override = override
    _follow(plant, execution, run, each)
    run.findings += [one for one in execution.findings if one not in run.findings]
    run.duration, run.end = execution.time, link.believed
    return run


def _follow(plant: LinkPlant, execution: Execution, run: ArmRun, each: Callable[[Execution], object]) -> None:
    link, (name,), begun = plant.link, plant.arms, plant.time
    plant.step(5 * plant.period)  # the board answers that its drives are on
    while not execution.is_over and not (execution.findings and execution.is_still):
        execution.rate = link.guard.override * link.file.table.limits.speed
        execution.look_ahead()
        for event in execution.advance(plant.period):
            match event.instruction:
                case Say(text=text):
                    run.messages.append(text)
                case Report(finding=finding):
                    run.findings.append(finding)
                case Pause():
                    execution.resume()
                case _:
                    pass
        state = execution.state()
        outcome = plant.command(name, state.q, state.qd)
        if not outcome.is_accepted:
            run.findings += [outcome.finding] if outcome.finding is not None else []
            break
        run.has_moved = True
        plant.step(plant.period)
        each(execution)
    run.is_whole = execution.is_over
    if link.state is LinkState.MOVING:
        plant.command(name, execution.state().q, np.zeros(link.file.robot.dof))
        plant.step(SETTLE)
        link.rest(plant.now)
    run.took = plant.time - begun
