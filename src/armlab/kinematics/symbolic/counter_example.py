"""Where a wrong formula is wrong: a pose that is easy to read, both numbers, and a hint where there is a pattern."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from armlab.arrays import Floats
from armlab.kinematics.symbolic.comparison import SEED, Comparison, Points, Question
from armlab.units import MM_PER_M, joint_scale, joint_unit

CANDIDATES = 120
CLEAR = 1e-2
"""A difference that is large enough to show, against the largest value of the quantity."""
CLOSE = 1e-3
"""A difference that looks like rounded numbers."""
STEADY = 1e-9
"""What varies less than this is constant."""
NICE_LENGTHS = (4.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0)
"""No two are the same, nor is one twice another."""


def refusal(question: Question, points: Points) -> tuple[dict[str, float], float | None, float, str]:
    """Return a pose (° and mm), the formula's value there or None, the right one, and the sentence for the student."""
    at, found, i = _place(question, points)
    arm, unit = question.arm, question.what.unit and f" {question.what.unit}"
    degrees = np.where(arm.slides, at.q[i], np.degrees(at.q[i])).tolist()
    pose = {question.words.variable_name(joint): round(value, 9) for joint, value in enumerate(degrees)}
    lengths = {question.spelled(name): round(float(values[i]), 9) for name, values in at.lengths.items()}
    yours, expected = float(found.yours[i]), float(found.expected[i])
    units = [joint_unit(joint.kind) for joint in arm.robot.joints]
    shown = [f"{n} = {v:.6g}{'°' if u == '°' else ' mm'}" for (n, v), u in zip(pose.items(), units, strict=True)]
    shown += [f"{name} = {value:.6g} mm" for name, value in lengths.items()]
    outside = "" if _inside(question, at.q[i]) else " (outside the joint limits)"
    mine, right = _told_apart(yours, expected)
    mine = f"is {mine}{unit}" if math.isfinite(yours) else "has no value"
    sentence = f"wrong: at {', '.join(shown)}{outside} the formula {mine}, but {question.what.name} is {right}{unit}"
    hint = _hint(question, points)
    return pose | lengths, yours if math.isfinite(yours) else None, expected, f"{sentence}{hint and '; '}{hint}"


def _place(question: Question, points: Points) -> tuple[Points, Comparison, int]:
    """Return the first set of points in which one shows the difference, and which; at worst a random one."""
    best: tuple[Points, Comparison, int] | None = None
    for candidates in (*_nice_points(question), points):
        found = question.compare(candidates)
        finite = np.isfinite(found.yours)
        clear = np.flatnonzero(finite & found.differs & (found.apart > CLEAR * found.size))
        if len(clear):
            return candidates, found, int(clear[0])
        if best is None and found.differs.any():
            apart = np.where(found.differs, np.where(finite, found.apart, 0.0), -1.0)
            best = candidates, found, int(np.argmax(apart))
    assert best is not None, "the formula differs at the random points"
    return best


def _nice_points(question: Question) -> Iterator[Points]:
    """Yield sets of round joint values: inside the limits, then anywhere; then the same with other lengths."""
    arm = question.arm
    unit = 10.0 ** (math.floor(math.log10(arm.span)) - 1)
    nice = {
        name: np.full(CANDIDATES, math.copysign(1.0, arm.own[name]) * unit * NICE_LENGTHS[i % len(NICE_LENGTHS)])
        for i, name in enumerate(question.named)
    }
    for lengths in ({}, nice) if nice else ({},):
        for inside in (True, False):
            draw = np.random.default_rng(SEED)
            columns = [_nice_values(question, joint, inside, draw) for joint in range(arm.dof)]
            yield Points(_simplest_first(np.stack(columns, axis=1)), lengths)


def _simplest_first(q: Floats) -> Floats:
    """Return the same rows, in each half those with small and positive values first."""
    cost = (np.abs(q) + 0.5 * np.abs(np.minimum(q, 0.0))) / (np.abs(q).max(axis=0) + 1e-9)
    half = np.arange(len(q)) >= len(q) // 2
    return np.asarray(q[np.lexsort((cost.sum(axis=1).round(6), half))])


def _nice_values(question: Question, joint: int, inside: bool, draw: np.random.Generator) -> Floats:
    """Return round values of one joint (rad or mm), the first half rounder than the second."""
    part = question.arm.robot.joints[joint]
    slides = part.kind == "prismatic"
    widest = question.arm.span if slides else 179.0
    border = MM_PER_M if slides else 1.0 / joint_scale(part.kind)
    lower, upper = (
        (max(part.lower * border, -widest), min(part.upper * border, widest)) if inside else (-widest, widest)
    )
    fine = 10.0 ** math.floor(math.log10(max(upper - lower, 1e-9) / 4.0)) if slides else 10.0
    halves = []
    for step in (3.0 * fine if not slides else 2.0 * fine, fine):
        numbers = np.arange(math.ceil(lower / step - 1e-9), math.floor(upper / step + 1e-9) + 1)
        pool = numbers[numbers != 0] * step if (numbers != 0).any() else np.array([(lower + upper) / 2.0])
        halves.append(draw.choice(pool, CANDIDATES // 2))
    return np.concatenate(halves) * (1.0 if slides else joint_scale(part.kind))


def _inside(question: Question, q: Floats) -> bool:
    si = np.where(question.arm.slides, q / MM_PER_M, q)
    robot = question.arm.robot
    return bool(np.all((si >= robot.lower - 1e-9) & (si <= robot.upper + 1e-9)))


def _told_apart(yours: float, expected: float) -> tuple[str, str]:
    """Return both numbers with as many digits as it takes to see that they differ."""
    for digits in (6, 9, 12):
        texts = f"{_no_noise(yours):.{digits}g}", f"{_no_noise(expected):.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts


def _no_noise(value: float) -> float:
    return 0.0 if abs(value) < 1e-12 else value


def _hint(question: Question, points: Points) -> str:
    """Return what the mistake looks like, or nothing."""
    own = question.random_points([])
    at_own = question.compare(own)
    if not at_own.differs.any():
        lengths = dict.fromkeys([*question.named, *question.lengths_of_quantity()])
        return f"the two agree only because of this arm's lengths, {question.with_numbers(lengths)}"
    if not question.compare_in_degrees(points).differs.any():
        return "angles are radians here, not degrees"
    return _ratio_hint(question.compare(points)) or _gap_hint(question, at_own)


def _ratio_hint(found: Comparison) -> str:
    clear = np.abs(found.expected) > CLOSE * found.size
    ratio = found.yours[clear] / found.expected[clear]
    if not clear.any() or not np.isfinite(ratio).all() or np.ptp(ratio) > STEADY * abs(ratio[0]):
        return ""
    factor = float(ratio[0])
    if abs(factor + 1.0) < STEADY:
        return "only the sign is wrong"
    in_metres = "; lengths are millimetres here" if abs(factor - 1e-3) < STEADY else ""
    return f"the formula is always {factor:.6g} times that{in_metres}"


def _gap_hint(question: Question, found: Comparison) -> str:
    gap = found.yours - found.expected
    if not np.isfinite(gap).all():
        return ""
    if np.ptp(gap) < STEADY * max(found.size, question.what.size):
        unit = question.what.unit and f" {question.what.unit}"
        return f"the formula is always {abs(gap[0]):.6g}{unit} too {'large' if gap[0] > 0 else 'small'}"
    if found.apart.max() < CLOSE * found.size:
        return "the two are close, as if a number in the formula were rounded"
    return ""
