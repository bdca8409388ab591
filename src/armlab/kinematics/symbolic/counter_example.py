"""Where a wrong formula is wrong: a pose that is easy to read, both numbers, and a hint where there is a pattern."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from armlab.arrays import Floats
from armlab.kinematics.symbolic.comparison import SEED, Comparison, Points, Question, in_mm
from armlab.messages import Message, _, term
from armlab.model.joint_limits import outside_limits
from armlab.units import MM_PER_M, joint_scale

CANDIDATES = 120
CLEAR = 1e-2
"""A difference that is large enough to show, against the largest value of the quantity."""
CLOSE = 1e-3
"""A difference that looks like rounded numbers."""
STEADY = 1e-9
"""What varies less than this is constant."""
NICE_LENGTHS = (4.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0)
"""No two are the same, nor is one twice another."""


def refusal(question: Question, points: Points) -> tuple[dict[str, float], float | None, float, Message]:
    """Return joint values (° and mm), the formula's value there or None, the right one, and the student's message."""
    at, found, i = _place(question, points)
    arm = question.arm
    degrees = np.where(arm.slides, at.q[i], np.degrees(at.q[i])).tolist()
    pose = {question.words.variable_name(joint): round(value, 9) for joint, value in enumerate(degrees)}
    lengths = {question.spelled(name): round(float(values[i]), 9) for name, values in at.lengths.items()}
    yours, expected = float(found.yours[i]), float(found.expected[i])
    shown = [
        term(_("{name} = {value:.6g}°"), name=name, value=value) if not slides else in_mm(name, value)
        for (name, value), slides in zip(pose.items(), arm.slides, strict=True)
    ]
    shown += [in_mm(name, value) for name, value in lengths.items()]
    if not _inside(question, at.q[i]):
        shown.append(term(_("outside the joint limits")))
    message = _verdict(question, shown, yours, expected)
    hint = _hint(question, points)
    if hint is not None:
        message = Message(
            message.code, _("{verdict}; {hint}"), **{**message.parameters, "verdict": message, "hint": hint}
        )
    return pose | lengths, yours if math.isfinite(yours) else None, expected, message


def _verdict(question: Question, shown: list[Message], yours: float, expected: float) -> Message:
    mine, right = _told_apart(yours, expected)
    facts = {"place": shown, "quantity": question.what.name, "right": _with_unit(right, question)}
    if not math.isfinite(yours):
        return Message("no_value", _("wrong: at {place} the formula has no value, but {quantity} is {right}"), **facts)
    return Message(
        "wrong",
        _("wrong: at {place} the formula is {mine}, but {quantity} is {right}"),
        mine=_with_unit(mine, question),
        **facts,
    )


def _with_unit(text: str, question: Question) -> Message:
    """Return a number with the unit of the quantity."""
    unit = {"mm": _("{text} mm"), "mm/rad": _("{text} mm/rad"), "rad": _("{text} rad"), "": "{text}"}
    return term(unit[question.what.unit], text=text)


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
    return not outside_limits(question.arm.robot, si).any()


def _told_apart(yours: float, expected: float) -> tuple[str, str]:
    """Return both numbers with as many digits as it takes to see that they differ."""
    for digits in (6, 9, 12):
        texts = f"{_no_noise(yours):.{digits}g}", f"{_no_noise(expected):.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts


def _no_noise(value: float) -> float:
    return 0.0 if abs(value) < 1e-12 else value


def _hint(question: Question, points: Points) -> Message | None:
    """Return what the mistake looks like, or nothing."""
    own = question.random_points([])
    at_own = question.compare(own)
    if not at_own.differs.any():
        lengths = dict.fromkeys([*question.named, *question.lengths_of_quantity()])
        return Message(
            "lengths_agree",
            _("the two agree only for this arm's lengths, {lengths}"),
            lengths=question.with_numbers(lengths),
        )
    if not question.compare_in_degrees(points).differs.any():
        return Message("radians", _("angles are in radians here, not degrees"))
    return _ratio_hint(question.compare(points)) or _gap_hint(question, at_own)


def _ratio_hint(found: Comparison) -> Message | None:
    clear = np.abs(found.expected) > CLOSE * found.size
    ratio = found.yours[clear] / found.expected[clear]
    if not clear.any() or not np.isfinite(ratio).all() or np.ptp(ratio) > STEADY * abs(ratio[0]):
        return None
    factor = float(ratio[0])
    if abs(factor + 1.0) < STEADY:
        return Message("sign", _("only the sign is wrong"))
    if abs(factor - 1e-3) < STEADY:
        return Message(
            "metres", _("the formula is always {factor:.6g} times that; lengths are in millimetres here"), factor=factor
        )
    return Message("factor", _("the formula is always {factor:.6g} times that"), factor=factor)


def _gap_hint(question: Question, found: Comparison) -> Message | None:
    gap = found.yours - found.expected
    if not np.isfinite(gap).all():
        return None
    if np.ptp(gap) < STEADY * max(found.size, question.what.size):
        by = _with_unit(f"{abs(gap[0]):.6g}", question)
        if gap[0] > 0:
            return Message("too_large", _("the formula is always too large by {difference}"), difference=by)
        return Message("too_small", _("the formula is always too small by {difference}"), difference=by)
    if found.apart.max() < CLOSE * found.size:
        return Message("rounded", _("the two are close, as if a number in the formula were rounded"))
    return None
