"""Motions around obstacles: how many are found, how soon, how long they are, and whether they touch anything.

The peer is OMPL's RRTConnect with its own simplification, asking armlab's checker whether a configuration is free.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import armlab
from armlab.collision import Checker
from armlab.errors import PlanningFailed
from bench.planning_sets import Problem, problems
from bench.timing import Line

Floats = NDArray[np.float64]
ARMS = (("ur5e", "gripper"), ("franka-panda", "none"), ("kuka-kr6-r900", "gripper"))
COUNT, OMPL_COUNT = 100, 20
CLEARANCE = 1e-3
SECONDS = 2.0
"""What OMPL may take for a problem."""
STEP = 0.01
"""rad between two configurations at which found paths are looked at again."""


class Found(NamedTuple):
    """What one planner made of a problem."""

    seconds: float
    points: Floats | None


def lines() -> Iterator[Line]:
    """Yield the median and the slowest twentieth for each arm, and beside them OMPL's on some of the problems."""
    for arm, tool in ARMS:
        asked = [(one, Checker(one.scene)) for one in problems(arm, tool=tool, count=COUNT)]
        own = [_timed(lambda p, c: armlab.plan_free(c, p.start, p.goal).points, *one) for one in asked]
        _known, note = _summary(asked, own)
        few = asked[:: COUNT // OMPL_COUNT]
        other = [_timed(_ompl, *one) for one in few]
        _known, said = _summary(few, other)
        for what, share in (("median", 0.5), ("95 %", 0.95)):
            ours, theirs = _quantile(own, share), _quantile(other, share)
            yield Line(f"around obstacles, {what}", arm, ours, "OMPL, RRTConnect", theirs, f"{note}; OMPL: {said}")
        yield Line("around obstacles, asked again in the scene", arm, _again(asked))
        timed = [_timing(p, c, f.points) for (p, c), f in zip(asked, own, strict=True) if f.points is not None]
        free = sum(is_free for _seconds, is_free in timed)
        yield Line(
            "timing of the path", arm, float(np.median([s for s, _free in timed])), note=f"free {free} of {len(timed)}"
        )


def _timed(plan: Callable[[Problem, Checker], Floats | None], problem: Problem, checker: Checker) -> Found:
    checker.motions()  # the scene is known
    start = time.thread_time()
    try:
        points = plan(problem, checker)
    except PlanningFailed:
        points = None
    return Found(time.thread_time() - start, points)


def _quantile(found: list[Found], share: float) -> float:
    return float(np.quantile([one.seconds for one in found if one.points is not None], share))


def _summary(asked: list[tuple[Problem, Checker]], found: list[Found]) -> tuple[int, str]:
    paths = [(c, f.points) for (_p, c), f in zip(asked, found, strict=True) if f.points is not None]
    touching = sum(not np.all(c.is_free(_dense(points))) for c, points in paths)
    length = np.mean([np.linalg.norm(np.diff(points, axis=0), axis=1).sum() for _c, points in paths])
    return len(paths), f"{len(paths)} of {len(asked)} found, {touching} touch, {length:.2f} rad"


def _dense(points: Floats) -> Floats:
    rows = [points[:1]]
    for a, b in pairwise(points):
        count = int(np.ceil(np.abs(b - a).max() / STEP)) + 1
        rows.append(a + np.linspace(0.0, 1.0, count)[1:, None] * (b - a))
    return np.ascontiguousarray(np.concatenate(rows))


def _again(asked: list[tuple[Problem, Checker]]) -> float:
    taken = []
    for problem, checker in asked[:30]:
        start = time.thread_time()
        try:
            armlab.plan_free(checker, problem.goal, problem.start)
        except PlanningFailed:
            continue
        taken.append(time.thread_time() - start)
    return float(np.median(taken))


def _timing(problem: Problem, checker: Checker, points: Floats) -> tuple[float, bool]:
    path = armlab.plan_free(checker, problem.start, problem.goal)
    assert np.array_equal(path.points, points), "the same seed gives the same path"
    start = time.thread_time()
    motion = path.trajectory()
    taken = time.thread_time() - start
    return taken, checker.first_contact(motion, clearance=0.9 * CLEARANCE) is None


def _ompl(problem: Problem, checker: Checker) -> Floats | None:
    from ompl import base, geometric

    robot = problem.scene.robots[0].robot
    n = robot.dof
    space: Any = base.RealVectorStateSpace(n)
    bounds: Any = base.RealVectorBounds(n)
    low = np.maximum(robot.lower, np.minimum(problem.start, problem.goal) - np.pi)
    high = np.minimum(robot.upper, np.maximum(problem.start, problem.goal) + np.pi)
    for i in range(n):
        bounds.setLow(i, float(low[i]))
        bounds.setHigh(i, float(high[i]))
    space.setBounds(bounds)
    setup: Any = geometric.SimpleSetup(space)
    setup.setStateValidityChecker(lambda state: checker.is_free(np.array([state[i] for i in range(n)])))
    ends = [space.allocState() for _ in range(2)]
    for state, q in zip(ends, (problem.start, problem.goal), strict=True):
        for i in range(n):
            state[i] = float(q[i])
    setup.setStartAndGoalStates(*ends)
    setup.setPlanner(geometric.RRTConnect(setup.getSpaceInformation()))
    if not setup.solve(SECONDS):
        return None
    setup.simplifySolution()
    path = setup.getSolutionPath()
    return np.array([[path.getState(k)[i] for i in range(n)] for k in range(path.getStateCount())])
