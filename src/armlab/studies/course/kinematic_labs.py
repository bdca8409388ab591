"""Labs 1 and 2: frames and DH tables, forward kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from armlab.arrays import Floats
from armlab.catalog.write import robot_toml
from armlab.geometry import pose
from armlab.kinematics.symbolic.check import check_formula
from armlab.messages import _
from armlab.studies.course.arms import MM, from_rows, planar, planar_file
from armlab.studies.course.lab import (
    RIGHT,
    Lab,
    LabQuestion,
    Values,
    Verdict,
    as_numbers,
    as_text,
    listed,
    rounded,
    wrong,
)

IDENTITY = "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]"
NEAR = 0.05
"""mm: how far an answer may put the tool from where it belongs; answers have two or three decimals."""


def _frames_variant(rng: Generator) -> dict[str, Any]:
    rows = [[0.0, float(rng.integers(200, 400)), 0.0, 90.0], [0.0, 0.0, float(rng.integers(200, 400)), 0.0]]
    rows.append([0.0, 0.0, float(rng.integers(150, 300)), 0.0])
    arm = from_rows(rows)
    axes, places = [], []
    for T, joint in zip(arm.frames(np.zeros(3))[1:-1], arm.joints, strict=True):
        axes.append((np.round(T[:3, :3] @ joint.axis) + 0.0).astype(int).tolist())
        places.append(rounded(T[:3, 3] / MM))
    return {
        "xyz": rng.integers(-400, 400, 3).astype(float).tolist(),
        "abc": (rng.integers(1, 12, 3) * 15.0 - 90.0).tolist(),
        "p_b": rng.integers(-100, 100, 3).astype(float).tolist(),
        "_rows": rows,
        "joint_places": places,
        "joint_axes": axes,
        "tool_place": rounded(arm.fk(np.zeros(3))[:3, 3] / MM),
    }


def _pose_of(values: Values) -> Floats:
    T = pose.from_mm_deg([*values["xyz"], *values["abc"]]).copy()
    T[:3, 3] /= MM
    return T


def _grade_matrix(values: Values, answer: Any) -> Verdict:
    return _same_transform(_pose_of(values), as_numbers(answer, (4, 4), "T_a_b"))


def _grade_inverse(values: Values, answer: Any) -> Verdict:
    return _same_transform(
        np.asarray(np.linalg.inv(_pose_of(values)), dtype=np.float64), as_numbers(answer, (4, 4), "T_b_a")
    )


def _same_transform(true: Floats, given: Floats) -> Verdict:
    R = given[:3, :3]
    if np.abs(R.T @ R - np.eye(3)).max() > 1e-3 or np.linalg.det(R) < 0.0:
        return wrong(
            "answer_not_a_rotation",
            _("the upper left 3×3 is not a rotation: RᵀR differs from 1 by {off:.3g}, det R = {det:.3g}"),
            off=float(np.abs(R.T @ R - np.eye(3)).max()),
            det=float(np.linalg.det(R)),
        )
    points = np.vstack([np.eye(3) * 100.0, np.zeros(3)])
    ours, theirs = (points @ T[:3, :3].T + T[:3, 3] for T in (true, given))
    off = np.linalg.norm(ours - theirs, axis=1)
    worst = int(np.argmax(off))
    if off[worst] <= 0.1 and np.abs(given[3] - [0, 0, 0, 1]).max() < 1e-9:
        return RIGHT
    return wrong(
        "transform_off",
        _("the point {point} is mapped to {given}, {off:.3g} mm from where it belongs"),
        point=listed(points[worst], 0),
        given=listed(theirs[worst], 1),
        off=float(off[worst]),
    )


def _grade_point(values: Values, answer: Any) -> Verdict:
    given = as_numbers(answer, (3,), "p_a")
    T = _pose_of(values)
    off = float(np.linalg.norm(T[:3, :3] @ values["p_b"] + T[:3, 3] - given))
    if off <= NEAR:
        return RIGHT
    back = np.linalg.inv(T) @ [*given, 1.0]
    return wrong(
        "point_off",
        _("in frame B that is the point {back}, not the given one: {off:.3g} mm off"),
        back=listed(back[:3], 1),
        off=off,
    )


def _grade_dh(values: Values, answer: Any) -> Verdict:
    given = as_numbers(answer, (3, 4), "dh")
    arm, theirs = from_rows(values["_rows"]), from_rows(given.tolist())
    q = np.random.default_rng(0).uniform(-2.5, 2.5, (50, 3))
    q[0] = 0.0
    ours, drawn = arm.fk(q)[:, :3, 3] / MM, theirs.fk(q)[:, :3, 3] / MM
    off = np.linalg.norm(ours - drawn, axis=1)
    bad = np.flatnonzero(off > NEAR)
    if not len(bad):
        return RIGHT
    k = int(bad[0])
    return wrong(
        "dh_off",
        _("at q = {q}° your table puts the tool at {given} mm; it is at {true} mm"),
        q=listed(np.degrees(q[k]), 1),
        given=listed(drawn[k], 1),
        true=listed(ours[k], 1),
    )


LAB_1 = Lab(
    1,
    _("Frames and Denavit–Hartenberg tables"),
    _frames_variant,
    (
        LabQuestion(
            key="T_a_b",
            text=_("Frame B stands in frame A at {xyz} mm, turned by A, B, C = {abc}°. Write T_a_b (4×4, mm)."),
            blank=IDENTITY,
            grade=_grade_matrix,
        ),
        LabQuestion(
            key="p_a",
            text=_("A point has the coordinates {p_b} mm in B. Write them in A."),
            blank="[0, 0, 0]",
            grade=_grade_point,
        ),
        LabQuestion(
            key="T_b_a",
            text=_("Write the inverse, T_b_a."),
            blank=IDENTITY,
            grade=_grade_inverse,
        ),
        LabQuestion(
            key="dh",
            text=_(
                "An arm at q = 0: its joints stand at {joint_places} mm and turn about {joint_axes}; the "
                "tool point is at {tool_place} mm. Write its standard DH table, rows θ °, d mm, a mm, α "
                "°; the base is frame 0."
            ),
            blank="[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]",
            grade=_grade_dh,
        ),
    ),
    lambda values: {"arm.toml": robot_toml(from_rows(values["_rows"]))},
)


def _planar_variant(rng: Generator) -> dict[str, Any]:
    lengths = (rng.integers(15, 40, 2) * 10.0).tolist()
    return {"lengths": lengths, "q": (rng.integers(2, 12, 2) * 10.0 - 5.0).tolist()}


def _grade_formula(quantity: str) -> Any:
    def grade(values: Values, answer: Any) -> Verdict:
        verdict = check_formula(planar(values["lengths"]), quantity, as_text(answer, quantity))
        return RIGHT if verdict.right else Verdict(False, verdict.message)

    return grade


def _grade_tool(values: Values, answer: Any) -> Verdict:
    given = as_numbers(answer, (2,), "point")
    true = planar(values["lengths"]).fk(np.radians(values["q"]))[:2, 3] / MM
    if np.linalg.norm(given - true) <= NEAR:
        return RIGHT
    mirrored = np.linalg.norm(given[::-1] - true) <= NEAR
    hint = _("x and y are exchanged") if mirrored else _("the tool is {off:.3g} mm away from there")
    return wrong("tool_off", hint, off=float(np.linalg.norm(given - true)))


def _grade_jacobian(values: Values, answer: Any) -> Verdict:
    given = as_numbers(answer, (2, 2), "J")
    true = planar(values["lengths"]).jacobian(np.radians(values["q"]))[:2] / MM
    off = np.abs(given - true).max(axis=0)
    if off.max() <= 0.5:
        return RIGHT
    k = int(np.argmax(off))
    return wrong(
        "jacobian_off",
        _("turn q{joint} by 0.01 rad: the tool moves by {true} mm; your column {joint} says {given} mm"),
        joint=k + 1,
        true=listed(true[:, k] * 0.01),
        given=listed(given[:, k] * 0.01),
    )


LAB_2 = Lab(
    2,
    _("Forward kinematics"),
    _planar_variant,
    (
        LabQuestion(
            key="x",
            text=_("Write x of the tool of a planar arm as a formula of L1, L2, t1, t2."),
            blank='""',
            grade=_grade_formula("x"),
        ),
        LabQuestion(key="y", text=_("Write y in the same form."), blank='""', grade=_grade_formula("y")),
        LabQuestion(
            key="point",
            text=_("Lengths {lengths} mm, q = {q}°: where is the tool (x, y in mm)?"),
            blank="[0, 0]",
            grade=_grade_tool,
        ),
        LabQuestion(
            key="J",
            text=_("Write the Jacobian there (2×2, mm/rad: rows x, y)."),
            blank="[[0, 0], [0, 0]]",
            grade=_grade_jacobian,
        ),
    ),
    planar_file,
)
