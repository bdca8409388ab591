"""Inverse kinematics against ssik, roboticstoolbox, OptIK, TRAC-IK, EAIK, ik-geo and py-opw-kinematics.

Targets are poses of joints inside the limits, uniform or hard: each joint with probability 0.3 exactly on a limit, at
zero or at mid-range. Whoever answers is judged by one forward kinematics that nobody solves with, the modified DH
table: 1e-6 m, 1e-6 rad, inside the limits. Whole turns and 1e-6 of a limit are forgiven to every peer, not to us.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kinematics.numeric import search_batch
from armlab.kinematics.solvers import solver_of
from armlab.kinematics.task import TASKS
from armlab.model.robot import Robot
from bench.peers import ALL_SOLUTIONS, ONE_SOLUTION, AllPeer, Builders, IkPeer, Toolbox, each, ssik_inside
from bench.timing import Line, each_call

ARMS = ("franka-panda", "ur5e", "kuka-kr6-r700", "scara", "planar3")
NUMERIC_ARMS = ("franka-panda", "kuka-iiwa14", "ur5e", "kuka-kr6-r700", "xarm6")
ALL_ARMS = ("kuka-kr6-r700", "ur5e")
UNREACHABLE_ARMS = ("franka-panda", "ur5e", "kuka-kr6-r700", "scara")
UNIFORM, HARD, CATALOG, CHUNK, NAMED, UNREACHABLE = 1_000, 2_000, 10_000, 1_000, 100, 100
BATCH_PASSES = 10
TOLERANCE = FORGIVEN = 1e-6
TURN = 2.0 * np.pi


def lines() -> Iterator[Line]:
    """Yield one solution, hard targets, the whole catalog, all solutions, and what cannot be reached."""
    for name in ARMS:
        yield from one_solution(armlab.load(name))
    for name in ARMS:
        yield from hard_targets(armlab.load(name))
    for name in armlab.robot_names():
        yield whole_arm(armlab.load(name))
    for name in NUMERIC_ARMS:
        yield numeric_batch(armlab.load(name))
    for name in ALL_ARMS:
        yield from all_solutions(armlab.load(name))
    for name in (*ALL_ARMS, "scara"):
        yield from all_solutions_batched(armlab.load(name))
    for name in UNREACHABLE_ARMS:
        yield from unreachable(armlab.load(name))


def uniform(robot: Robot, count: int, seed: int) -> Floats:
    """Return joints (count, n) anywhere between the limits."""
    return np.random.default_rng(seed).uniform(robot.lower, robot.upper, (count, robot.dof))


def hard(robot: Robot, count: int, seed: int) -> Floats:
    """Return joints (count, n), each with probability 0.3 exactly on a limit, at zero or at mid-range."""
    rng = np.random.default_rng(seed)
    zero = np.clip(np.zeros(robot.dof), robot.lower, robot.upper)
    special = np.array([robot.lower, robot.upper, zero, 0.5 * (robot.lower + robot.upper)])
    chosen = special[rng.integers(0, 4, (count, robot.dof)), np.arange(robot.dof)]
    return np.where(rng.random((count, robot.dof)) < 0.3, chosen, uniform(robot, count, seed))


class Judge:
    """The modified DH table of an arm, and its limits."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.table = robot, armlab.dh_table(robot, "modified")

    def errors(self, q: Floats, T: Floats) -> Floats:
        """Return the larger of the errors in m and rad, for each row of `q` (m, n); infinite where it is not finite."""
        finite = np.asarray(np.isfinite(q).all(axis=1))
        at = self.table.fk(np.where(finite[:, None], q, 0.0))
        position: Floats = np.linalg.norm(at[:, :3, 3] - T[:, :3, 3], axis=1)
        chord = np.linalg.norm(at[:, :3, :3] - T[:, :3, :3], axis=(1, 2)) / np.sqrt(8.0)
        return np.where(finite, np.maximum(position, 2.0 * np.arcsin(np.minimum(chord, 1.0))), np.inf)

    def failures(self, q: Floats, T: Floats, forgiven: float = 0.0) -> int:
        """Return how many rows of `q` miss their target or a limit."""
        lower, upper = self.robot.lower - forgiven, self.robot.upper + forgiven
        if forgiven:
            low, high = np.ceil((lower - q) / TURN), np.floor((upper - q) / TURN)
            turns = np.where(low <= high, np.clip(0.0, low, np.maximum(low, high)), 0.0)
            q = np.where(self.robot.chain.revolute > 0.5, q + TURN * turns, q)
        inside = ((q >= lower) & (q <= upper)).all(axis=1)
        return int((~inside | (self.errors(q, T) > TOLERANCE)).sum())


def ours(robot: Robot) -> IkPeer:
    """The public call as a peer among peers."""

    def solve(T: Any, start: Any) -> Any:
        result = armlab.attempt_ik(robot, T, start=start, task="pose")
        return result.q if result.converged else None

    return IkPeer("armlab", solve)


def one_solution(robot: Robot) -> Iterator[Line]:
    """Compare single calls on uniform targets from random starts."""
    yield from _compare(robot, "IK, one call", uniform(robot, UNIFORM, 1), passes=3)


def hard_targets(robot: Robot) -> Iterator[Line]:
    """Compare single calls on hard targets from random starts."""
    yield from _compare(robot, "IK, hard targets", hard(robot, HARD, 2), passes=1)


def _compare(robot: Robot, what: str, q: Floats, passes: int) -> Iterator[Line]:
    judge, T, starts = Judge(robot), robot.fk(q), uniform(robot, len(q), 3)
    times, failed = _measure(ours(robot), judge, T, starts, passes, 0.0)
    mean, p99 = _mean(times), _p99(times)
    for label, peer, why in each(ONE_SOLUTION, robot):
        if peer is None:
            yield Line(what, robot.name, mean, label, note=f"{why}; ours: p99 {p99}, {failed} of {len(q):,} failed")
            continue
        theirs, also_failed = _measure(peer, judge, T, starts, passes, FORGIVEN)
        note = f"p99 {p99} / {_p99(theirs)}; failed {failed} / {also_failed} of {len(q):,}"
        yield Line(what, robot.name, mean, label, _mean(theirs), note)


def _measure(
    peer: IkPeer, judge: Judge, T: Floats, starts: Floats, passes: int, forgiven: float
) -> tuple[list[float], int]:
    inputs = [(peer.form(target), start) for target, start in zip(T.copy(), starts.copy(), strict=True)]
    times, answers = each_call(peer.solve, inputs, passes)
    nothing = np.full(judge.robot.dof, np.nan)
    q = np.array([nothing if answer is None else np.asarray(answer, dtype=float) for answer in answers])
    return times, judge.failures(q, T, forgiven)


def whole_arm(robot: Robot) -> Line:
    """Solve 12,000 targets of one catalog arm, a thousand in each call."""
    q = np.concatenate([uniform(robot, CATALOG, 4), hard(robot, HARD, 5)])
    each_s, failed = _in_chunks(robot, q, lambda T, start: armlab.attempt_ik(robot, T, start=start, task="pose"))
    note = f"failed {failed} of {CATALOG:,} uniform and {HARD:,} hard targets"
    return Line("IK, batch", robot.name, each_s, note=note)


def numeric_batch(robot: Robot) -> Line:
    """Search numerically, as if there were no closed form."""
    q = uniform(robot, CATALOG, 7)
    each_s, failed = _in_chunks(robot, q, lambda T, start: search_batch(robot, T, start, TASKS["pose"]))
    return Line("IK, numeric search, batch", robot.name, each_s, note=f"failed {failed} of {CATALOG:,}")


def _in_chunks(robot: Robot, q: Floats, solve: Callable[[Floats, Floats], Any]) -> tuple[float, int]:
    """Return seconds per target and the number of failures; chunks are short, so that other programs disturb few."""
    T, starts = robot.fk(q), uniform(robot, len(q), 6)
    inputs = [(T[i : i + CHUNK].copy(), starts[i : i + CHUNK].copy()) for i in range(0, len(T), CHUNK)]
    times, answers = each_call(solve, inputs, BATCH_PASSES)
    found = np.concatenate([np.where(answer.converged[:, None], answer.q, np.nan) for answer in answers])
    return sum(times) / len(T), Judge(robot).failures(found, T)


def all_solutions(robot: Robot) -> Iterator[Line]:
    """Compare time and number of all solutions: without limits, as most peers give them, then as `all_ik` does."""
    judge, T = Judge(robot), robot.fk(uniform(robot, UNIFORM, 9))
    q, valid = solver_of(robot).proposals(T)
    count = [_good(judge, rows[ok], t) for rows, ok, t in zip(q, valid > 0.5, T, strict=True)]
    mine = _mean(
        each_call(lambda targets: armlab.all_ik_batch(robot, targets, task="pose"), [(t[None],) for t in T.copy()])[0]
    )
    yield from _compare_all("all solutions, all_ik_batch of one", ALL_SOLUTIONS, judge, T, mine, count)
    T = T[:NAMED]
    listed = lambda target: list(armlab.all_ik(robot, target, task="pose", turns=True))  # noqa: E731
    times, named = each_call(listed, [(t,) for t in T.copy()])
    count = [_good(judge, [solution.q for solution in found], t) for found, t in zip(named, T, strict=True)]
    inside = (("ssik, with limits and turns", ssik_inside),)
    yield from _compare_all("all solutions with names and turns, all_ik", inside, judge, T, _mean(times), count)


def _compare_all(
    what: str, builders: Builders, judge: Judge, T: Floats, mine: float, count: Sequence[int]
) -> Iterator[Line]:
    for label, peer, why in each(builders, judge.robot):
        if peer is None:
            yield Line(what, judge.robot.name, mine, label, note=why)
            continue
        times, answers = each_call(peer.solve, [(peer.form(t),) for t in T.copy()])
        theirs = [_good(judge, peer.rows(answer), t) for answer, t in zip(answers, T, strict=True)]
        yield Line(what, judge.robot.name, mine, label, _mean(times), _counts(count, theirs))


def _good(judge: Judge, rows: Any, T: Floats) -> int:
    """Return how many of a peer's rows reach the target."""
    q = np.array(rows, dtype=float).reshape(-1, judge.robot.dof)
    return int((judge.errors(q, np.broadcast_to(T, (len(q), 4, 4))) <= TOLERANCE).sum())


def _counts(mine: Sequence[int], theirs: Sequence[int]) -> str:
    same = sum(a == b for a, b in zip(mine, theirs, strict=True))
    text = f"same count on {same:,} of {len(mine):,}"
    more = sum(a > b for a, b in zip(mine, theirs, strict=True))
    return text if same == len(mine) else f"{text}; ours more on {more}, fewer on {len(mine) - same - more}"


def all_solutions_batched(robot: Robot) -> Iterator[Line]:
    """Compare the rate of all solutions of many targets."""
    judge, T = Judge(robot), robot.fk(uniform(robot, CATALOG, 10))
    q, valid = armlab.all_ik_batch(robot, T, task="pose")
    worst = judge.errors(q[valid], np.repeat(T[:, None], q.shape[1], axis=1)[valid]).max()
    chunks = [(T[i : i + CHUNK].copy(),) for i in range(0, len(T), CHUNK)]
    mine = sum(each_call(partial(armlab.all_ik_batch, robot, task="pose"), chunks, BATCH_PASSES)[0]) / len(T)
    what, note = (
        "all solutions, batch",
        f"{valid.sum() / len(T):.2f} inside the limits on average, worst error {worst:.0e}",
    )
    yield Line(what, robot.name, mine, note=note)
    peers: list[AllPeer] = [peer for _, peer, _ in each(ALL_SOLUTIONS, robot) if peer is not None]
    for peer in peers:
        if peer.batch is not None:
            theirs = sum(each_call(peer.batch, chunks, BATCH_PASSES)[0]) / len(T)
            yield Line(what, robot.name, mine, peer.batch_label, theirs)


def unreachable(robot: Robot) -> Iterator[Line]:
    """Measure how long it takes to be told that a target cannot be reached, and whether a reason comes with it."""
    for what, T in (("too far away", too_far(robot)), ("another orientation or limits", turned_away(robot))):
        starts = uniform(robot, len(T), 11)
        inputs = list(zip(T.copy(), starts.copy(), strict=True))
        times, results = each_call(lambda t, start: armlab.attempt_ik(robot, t, start=start, task="pose"), inputs, 5)
        told = sum(not r.converged and r.reason.code != "not_found" for r in results)
        note = f"max {max(times) * 1e3:.2f} ms; {told} of {len(T)} with a reason; {_second_opinion(robot, T, starts)}"
        yield Line(f"unreachable: {what}", robot.name, _mean(times), note=note)


def too_far(robot: Robot) -> Floats:
    """Return poses whose point is 1 % to 100 % farther from the first axis, the world's z, than the arm reaches."""
    rng = np.random.default_rng(12)
    T = robot.fk(uniform(robot, UNREACHABLE, 12))
    away = np.linalg.norm(T[:, :2, 3], axis=1)
    T[:, :2, 3] *= (armlab.reach(robot) * rng.uniform(1.01, 2.0, len(T)) / away)[:, None]
    return T


def turned_away(robot: Robot) -> Floats:
    """Return poses at points that the arm reaches, with orientations that it does not."""
    rng, count = np.random.default_rng(13), 50 * UNREACHABLE
    xyz = robot.fk(uniform(robot, count, 13))[:, :3, 3]
    T = pose.from_xyz_quaternion(xyz, _units(rng.normal(size=(count, 4))))
    missed = ~armlab.attempt_ik(robot, T, task="pose").converged
    kept: Floats = T[missed][:UNREACHABLE]
    return kept


def _units(v: Floats) -> Floats:
    return np.asarray(v / np.linalg.norm(v, axis=1, keepdims=True))


def _second_opinion(robot: Robot, T: Floats, starts: Floats) -> str:
    """Say how many of the targets roboticstoolbox reaches after all."""
    try:
        peer = Toolbox(robot)
    except ImportError:
        return "no second opinion here"
    nothing = np.full(robot.dof, np.nan)
    answers = [peer.ik(t, start) for t, start in zip(T.copy(), starts.copy(), strict=True)]
    q = np.array([nothing if answer is None else answer for answer in answers])
    return f"roboticstoolbox reaches {len(T) - Judge(robot).failures(q, T, FORGIVEN)}"


def _mean(times: Sequence[float]) -> float:
    return float(np.mean(times))


def _p99(times: Sequence[float]) -> str:
    return f"{np.percentile(times, 99) * 1e6:.0f} µs"
