"""Labs 3 and 4: inverse kinematics by geometry and by Levenberg–Marquardt."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from armlab.arrays import Floats
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.studies.course.arms import MM, planar, planar_file
from armlab.studies.course.lab import (
    RIGHT,
    Lab,
    LabQuestion,
    Values,
    Verdict,
    as_numbers,
    close,
    listed,
    rounded,
    wrong,
)

NEAR = 0.05
"""mm: how far an answer may put the tool from where it belongs; answers have two or three decimals."""
APART = 10.0
"""°: configurations that differ by more are two."""


def _ik_variant(rng: Generator) -> dict[str, Any]:
    lengths = [float(rng.integers(25, 40) * 10), float(rng.integers(12, 22) * 10)]
    inner, outer = lengths[0] - lengths[1], sum(lengths)
    radius, angle = rng.uniform(inner + 40.0, outer - 40.0), rng.uniform(0.3, 1.2)
    targets = [[r * np.cos(a), r * np.sin(a)] for r, a in zip(
        rng.permutation([inner * 0.6, inner + 30.0, outer - 30.0]), rng.uniform(-1.0, 1.5, 3), strict=True
    )]  # fmt: skip
    return {
        "lengths": lengths,
        "target": rounded([radius * np.cos(angle), radius * np.sin(angle)]),
        "targets": rounded(targets),
    }


def _grade_elbows(values: Values, answer: Any) -> Verdict:
    given = np.radians(as_numbers(answer, (2, 2), "elbows"))
    verdict = _at_target(planar(values["lengths"]), given, values["target"])
    if verdict is not None:
        return verdict
    if np.sin(given[0, 1]) * np.sin(given[1, 1]) >= 0.0:
        return wrong("same_elbow", _("both reach the target, but with the elbow on the same side"))
    return RIGHT


def _at_target(arm: Robot, q: Floats, target: Any) -> Verdict | None:
    points = arm.fk(q)[:, :2, 3] / MM
    off = np.linalg.norm(points - target, axis=1)
    k = int(np.argmax(off))
    if off[k] <= 0.1:
        return None
    return wrong(
        "target_missed",
        _("q = {q}° puts the tool at {point} mm, {off:.3g} mm from the target"),
        q=listed(np.degrees(q[k]), 2),
        point=listed(points[k], 2),
        off=float(off[k]),
    )


def _grade_outer(values: Values, answer: Any) -> Verdict:
    return close(answer, sum(values["lengths"]), NEAR, "mm")


def _grade_inner(values: Values, answer: Any) -> Verdict:
    return close(answer, abs(values["lengths"][0] - values["lengths"][1]), NEAR, "mm")


def _grade_unreachable(values: Values, answer: Any) -> Verdict:
    index = int(as_numbers(answer, (), "unreachable"))
    radii = [float(np.hypot(*target)) for target in values["targets"]]
    inner, outer = abs(values["lengths"][0] - values["lengths"][1]), sum(values["lengths"])
    if not 1 <= index <= len(radii):
        return wrong("no_such_target", _("{index} is not the number of a target"), index=index)
    radius = radii[index - 1]
    if not inner <= radius <= outer:
        return RIGHT
    return wrong(
        "target_in_ring",
        _("target {index} is {radius:.1f} mm from the axis: the ring reaches from {inner:.1f} to {outer:.1f} mm"),
        index=index,
        radius=radius,
        inner=inner,
        outer=outer,
    )


LAB_3 = Lab(
    3,
    _("Inverse kinematics by geometry"),
    _ik_variant,
    (
        LabQuestion(
            key="elbows",
            text=_("Lengths {lengths} mm, target {target} mm. Write both solutions [q1, q2] in degrees."),
            blank="[[0, 0], [0, 0]]",
            grade=_grade_elbows,
        ),
        LabQuestion(
            key="r_max",
            text=_("The outer radius of the ring that the tool reaches, mm."),
            blank="0",
            grade=_grade_outer,
        ),
        LabQuestion(
            key="r_min", text=_("Its inner radius, mm (joints turn all the way)."), blank="0", grade=_grade_inner
        ),
        LabQuestion(
            key="unreachable",
            text=_("Which of the targets {targets} mm is out of reach: 1, 2 or 3?"),
            blank="0",
            grade=_grade_unreachable,
        ),
    ),
    planar_file,
)


def _lm_variant(rng: Generator) -> dict[str, Any]:
    lengths = (rng.integers(15, 30, 3) * 10.0).tolist()
    arm = planar(lengths)
    start = (rng.integers(2, 7, 3) * 10.0).tolist()
    goal = np.radians(np.array(start) + rng.uniform(15.0, 35.0, 3))
    return {
        "lengths": lengths,
        "start": start,
        "target": rounded(arm.fk(goal)[:2, 3] / MM),
        "damping": float(rng.choice([10.0, 100.0, 1000.0])),
    }


def _grade_step(values: Values, answer: Any) -> Verdict:
    step = np.radians(as_numbers(answer, (3,), "step"))
    arm, q = planar(values["lengths"]), np.radians(values["start"])
    J = arm.jacobian(q)[:2] / MM
    e = np.array(values["target"]) - arm.fk(q)[:2, 3] / MM
    A, b = J.T @ J + values["damping"] * np.eye(3), J.T @ e
    true = np.linalg.solve(A, b)
    if np.degrees(np.abs(step - true).max()) <= 0.05:
        return RIGHT
    return wrong(
        "step_off",
        _("(JᵀJ + λI)Δθ = {left}, but Jᵀe = {right} (mm, rad)"),
        left=listed(A @ step, 0),
        right=listed(b, 0),
    )


def _grade_reached(values: Values, answer: Any) -> Verdict:
    q = np.radians(as_numbers(answer, (3,), "q"))[None]
    return _at_target(planar(values["lengths"]), q, values["target"]) or RIGHT


def _grade_two(values: Values, answer: Any) -> Verdict:
    given = as_numbers(answer, (2, 3), "two")
    verdict = _at_target(planar(values["lengths"]), np.radians(given), values["target"])
    if verdict is not None:
        return verdict
    apart = float(np.abs((given[0] - given[1] + 180.0) % 360.0 - 180.0).max())
    if apart >= APART:
        return RIGHT
    return wrong("too_near", _("the two differ by {apart:.1f}° at most; 10° are wanted"), apart=apart)


def _grade_singular(values: Values, answer: Any) -> Verdict:
    q = np.radians(as_numbers(answer, (3,), "singular"))
    J = planar(values["lengths"]).jacobian(q)[:2]
    large, small = np.linalg.svd(J, compute_uv=False)
    if small <= 1e-3 * large:
        return RIGHT
    direction = np.linalg.svd(J)[0][:, 1]
    return wrong(
        "not_singular",
        _("the tool still moves along {direction} with {speed:.3g} mm per degree"),
        direction=listed(direction, 2),
        speed=float(np.radians(small) / MM),
    )


LAB_4 = Lab(
    4,
    _("Inverse kinematics by Levenberg–Marquardt; singularities"),
    _lm_variant,
    (
        LabQuestion(
            key="step",
            text=_(
                "Lengths {lengths} mm, q = {start}°, target {target} mm, λ = {damping:g}. Write the first"
                " step Δθ in degrees."
            ),
            blank="[0, 0, 0]",
            grade=_grade_step,
        ),
        LabQuestion(
            key="q",
            text=_("Iterate: write a configuration (°) whose tool is at the target within 0.1 mm."),
            blank="[0, 0, 0]",
            grade=_grade_reached,
        ),
        LabQuestion(
            key="two",
            text=_("Write two configurations of the target that differ by 10° or more."),
            blank="[[0, 0, 0], [0, 0, 0]]",
            grade=_grade_two,
        ),
        LabQuestion(
            key="singular",
            text=_("Write a singular configuration of this arm (°)."),
            blank="[0, 45, 0]",
            grade=_grade_singular,
        ),
    ),
    planar_file,
)
