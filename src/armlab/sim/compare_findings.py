"""What went wrong in a comparison, why, and what would help: divergence, shaking, drives at their limits, gaps.

A drive feeds its position back once per step. With mass matrix M, damping D and stiffness K, positions whose error
changes sign at every step grow when 4M + 2·dt·D - dt²·K is not positive: the damping acts within the step, the
stiffness only after it. The largest stable timestep and stiffness follow from the same matrix.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.bodies import weighed
from armlab.dynamics.forces import mass_matrix
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.sim.compare_run import CommandRows, StructureRun, name_of
from armlab.sim.drives import Drive
from armlab.sim.engine import SHORTEST_STEP
from armlab.units import MM_PER_M

THIN = 1e-12
"""kg m²: added to every joint, for links as thin as a line."""
POSES = 16
"""Of the command, in which the arm's mass is looked at."""
FAST_SHARE = 0.05
"""Of a joint's largest speed: reversals of slower motion are not shaking."""
SHAKES_HZ = 12.0
"""Reversals per second; nothing that is commanded changes its direction as often."""
LEAST_REVERSALS = 6
SATURATED_SHARE = 0.05
"""Of the time at the force limit, from which on it is told."""
AT_LIMIT = 0.999
WIDE_GAP = 1e-4
"""m"""
LITTLE_DAMPED = 0.5
"""Damping ratio: below, a drive overshoots by a sixth and more."""
MARGIN = 0.8
"""What is advised is a little inside the bound."""


def findings_of(
    robot: Robot, rows: CommandRows, made: StructureRun, timestep: float, drives: Sequence[Drive]
) -> tuple[Finding, ...]:
    """Return what a person should know about the run of one structure; nothing if all is well."""
    if made.run.structure == "hierarchy":
        return ()
    shaking = _shaking(robot, made)
    if made.diverged is None and shaking is None:
        return (*_saturated(robot, made, drives), *_gaps(made))
    why = _why(robot, made, _masses(robot, rows), timestep, drives)
    if made.diverged is not None:
        text = _("diverged at {time:.3g} s: {who} left all bounds")
        message = Message("structure_diverged", text, time=made.diverged.time, who=made.diverged.who)
        return (Finding("error", message, {"time": made.diverged.time}), Finding("note", why))
    assert shaking is not None
    joint, rate = shaking
    text = _("unstable: {who} shakes, {rate:.0f} reversals per second")
    if why.code == "drive_little_damped":
        text = _("hardly damped: {who} swings, {rate:.0f} reversals per second")
    message = Message("structure_shakes", text, who=name_of(robot, joint), rate=rate)
    return (Finding("error", message, {"joint": joint}), Finding("note", why), *_gaps(made))


def stable_timestep(masses: Floats, damping: Floats, stiffness: Floats) -> float:
    """Return the longest timestep (s) with which drives stay stable at mass matrices (m, n, n); inf if all do."""
    low, high = 0.0, 1.0
    if _weakest(masses, damping, stiffness, high)[0] > 0.0:
        return math.inf
    for _halving in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _weakest(masses, damping, stiffness, middle)[0] > 0.0 else (low, middle)
    return low


def stable_stiffness(masses: Floats, damping: Floats, stiffness: Floats, timestep: float) -> float:
    """Return by which factor the stiffness may grow, or has to shrink, to be just stable at that timestep."""
    room = 4.0 * masses + 2.0 * timestep * np.diag(damping)
    scale = 1.0 / np.sqrt(np.maximum(stiffness, 1e-300))
    return float(np.linalg.eigvalsh(scale[:, None] * room * scale)[:, 0].min()) / timestep**2


def _weakest(masses: Floats, damping: Floats, stiffness: Floats, timestep: float) -> tuple[float, int]:
    """Return the least eigenvalue of the stability matrix relative to the masses, and the joint that is most in it."""
    room = 4.0 * masses + timestep * np.diag(2.0 * damping - timestep * stiffness)
    scale = 1.0 / np.sqrt(np.einsum("kii->ki", masses))
    values, vectors = np.linalg.eigh(scale[:, :, None] * room * scale[:, None, :])
    worst = int(np.argmin(values[:, 0]))
    return float(values[worst, 0]), int(np.argmax(np.abs(vectors[worst, :, 0])))


def _masses(robot: Robot, rows: CommandRows) -> Floats:
    pick = np.unique(np.linspace(0, len(rows.q) - 1, POSES).astype(np.int64))
    return mass_matrix(weighed(robot), rows.q[pick]) + THIN * np.eye(robot.dof)


def _shaking(robot: Robot, made: StructureRun) -> tuple[int, float] | None:
    """Return the joint that reverses most often beyond a small speed, and how often per second; None if none shakes."""
    run = made.run
    fast = np.abs(run.qd) > FAST_SHARE * robot.velocity
    best: tuple[int, float] | None = None
    for joint in range(robot.dof):
        moving = run.qd[fast[:, joint], joint]
        reversals = int(np.count_nonzero(np.diff(np.sign(moving))))
        rate = reversals / max(float(run.time[-1]), 1e-9)
        if reversals >= LEAST_REVERSALS and rate > SHAKES_HZ and (best is None or rate > best[1]):
            best = joint, rate
    return best


def _why(robot: Robot, made: StructureRun, masses: Floats, timestep: float, drives: Sequence[Drive]) -> Message:
    damping, stiffness = (np.array([getattr(d, name) for d in drives]) for name in ("damping", "stiffness"))
    weakest, joint = _weakest(masses, damping, stiffness, timestep)
    if weakest <= 0.0:
        longest = MARGIN * stable_timestep(masses, damping, stiffness)
        softer = MARGIN * stable_stiffness(masses, damping, stiffness, timestep)
        return Message(
            "step_too_long_for_stiffness",
            _(
                "why: the drive of {who} is too stiff for steps of {step:.3g} ms: each correction overshoots by more "
                "than the error before. What helps: steps of {longest:.2g} ms, {softer:.2g} times this stiffness, "
                "or more damping"
            ),
            who=name_of(robot, joint),
            step=timestep * 1e3,
            longest=max(longest, SHORTEST_STEP) * 1e3,
            softer=softer,
        )
    ratio = damping / (2.0 * np.sqrt(stiffness * np.einsum("kii->ki", masses).max(axis=0)))
    least = int(np.argmin(ratio))
    if ratio[least] < LITTLE_DAMPED:
        return Message(
            "drive_little_damped",
            _(
                "why: {who} has a damping ratio of only {ratio:.2g} and swings about its target. "
                "What helps: more damping"
            ),
            who=name_of(robot, least),
            ratio=float(ratio[least]),
        )
    joint, share = _limited(made, drives)
    if share > 0.0:
        return Message(
            "drive_saturated_shakes",
            _(
                "why: the drive of {who} was at its force limit for {share:.0%} of the time, one way and then the "
                "other. What helps: shorter steps, less damping, or a higher force limit"
            ),
            who=name_of(robot, joint),
            share=share,
        )
    return Message("cause_not_found", _("why: not known. What may help: shorter steps, softer drives, more damping"))


def _limited(made: StructureRun, drives: Sequence[Drive]) -> tuple[int, float]:
    """Return the joint that was longest at its force limit, and for which share of the time."""
    limits = np.array([drive.effort for drive in drives])
    shares = np.mean(np.abs(made.run.tau) >= AT_LIMIT * limits, axis=0)
    joint = int(np.argmax(shares))
    return joint, float(shares[joint])


def _saturated(robot: Robot, made: StructureRun, drives: Sequence[Drive]) -> tuple[Finding, ...]:
    joint, share = _limited(made, drives)
    if share < SATURATED_SHARE:
        return ()
    text = _("{who} was at its force limit for {share:.0%} of the time: it cannot follow there")
    message = Message("force_limit_reached", text, who=name_of(robot, joint), share=share)
    return (Finding("warning", message, {"joint": joint}),)


def _gaps(made: StructureRun) -> tuple[Finding, ...]:
    worst = int(np.argmax(made.run.gap))
    gap, time = float(made.run.gap[worst]), float(made.run.time[worst])
    if gap < WIDE_GAP:
        return ()
    text = _(
        "links came apart by {gap:.2g} mm at {time:.3g} s: constraints are solved once per step. "
        "What helps: half the step, which makes a quarter of the gap"
    )
    return (Finding("warning", Message("joint_gap_wide", text, gap=gap * MM_PER_M, time=time), {"time": time}),)
