"""Labs 1 to 4: frames and DH, forward kinematics, inverse kinematics by geometry and by Levenberg–Marquardt."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from armlab.arrays import Floats
from armlab.catalog.write import robot_toml
from armlab.geometry import pose
from armlab.kinematics.symbolic.check import check_formula
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.studies.course.arms import MM, from_rows, planar
from armlab.studies.course.lab import (
    RIGHT,
    Lab,
    Question,
    Values,
    Verdict,
    as_numbers,
    as_text,
    close,
    listed,
    rounded,
    wrong,
)

NEAR = 0.05
"""mm: how far an answer may put the tool from where it belongs; answers have two or three decimals."""
APART = 10.0
"""°: configurations that differ by more are two."""


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
            "not_a_rotation",
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
        Question(
            "T_a_b",
            _("Frame B stands in frame A at {xyz} mm, turned by A, B, C = {abc}°. Write T_a_b (4×4, mm)."),
            "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]",
            _grade_matrix,
        ),
        Question("p_a", _("A point has the coordinates {p_b} mm in B. Write them in A."), "[0, 0, 0]", _grade_point),
        Question(
            "T_b_a",
            _("Write the inverse, T_b_a."),
            "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]",
            _grade_inverse,
        ),
        Question(
            "dh",
            _(
                "An arm at q = 0: its joints stand at {joint_places} mm and turn about {joint_axes}; the tool point is "
                "at {tool_place} mm. Write its standard DH table, rows θ °, d mm, a mm, α °; the base is frame 0."
            ),
            "[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]",
            _grade_dh,
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
        Question(
            "x", _("Write x of the tool of a planar arm as a formula of L1, L2, t1, t2."), '""', _grade_formula("x")
        ),
        Question("y", _("Write y in the same form."), '""', _grade_formula("y")),
        Question(
            "point", _("Lengths {lengths} mm, q = {q}°: where is the tool (x, y in mm)?"), "[0, 0]", _grade_tool
        ),
        Question(
            "J", _("Write the Jacobian there (2×2, mm/rad: rows x, y)."), "[[0, 0], [0, 0]]", _grade_jacobian
        ),
    ),
    lambda values: {"arm.toml": robot_toml(planar(values["lengths"]))},
)  # fmt: skip


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
        Question(
            "elbows",
            _("Lengths {lengths} mm, target {target} mm. Write both solutions [q1, q2] in degrees."),
            "[[0, 0], [0, 0]]",
            _grade_elbows,
        ),
        Question("r_max", _("The outer radius of the ring that the tool reaches, mm."), "0", _grade_outer),
        Question("r_min", _("Its inner radius, mm (joints turn all the way)."), "0", _grade_inner),
        Question(
            "unreachable", _("Which of the targets {targets} mm is out of reach: 1, 2 or 3?"), "0", _grade_unreachable
        ),
    ),
    lambda values: {"arm.toml": robot_toml(planar(values["lengths"]))},
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
        Question(
            "step",
            _("Lengths {lengths} mm, q = {start}°, target {target} mm, λ = {damping:g}. Write the first step Δθ "
              "in degrees."),
            "[0, 0, 0]",
            _grade_step,
        ),
        Question(
            "q",
            _("Iterate: write a configuration (°) whose tool is at the target within 0.1 mm."),
            "[0, 0, 0]",
            _grade_reached,
        ),
        Question(
            "two",
            _("Write two configurations of the target that differ by 10° or more."),
            "[[0, 0, 0], [0, 0, 0]]",
            _grade_two,
        ),
        Question("singular", _("Write a singular configuration of this arm (°)."), "[0, 45, 0]", _grade_singular),
    ),
    lambda values: {"arm.toml": robot_toml(planar(values["lengths"]))},
)  # fmt: skip
