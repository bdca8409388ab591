"""Labs 5, 6 and 8: trajectories, programs in G-code and KRL, collisions and a cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.catalog.scene_text import scene_text
from armlab.collision.checker import Checker
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.messages import _, term
from armlab.model.scene import Body, Scene
from armlab.motion.joint import plan_joint
from armlab.program.executor import Executor, Piece
from armlab.program.languages import ProgramSource
from armlab.program.prepare import Cell, PartPlace, cell_of, prepare
from armlab.studies.course.lab import (
    RIGHT,
    Lab,
    LabQuestion,
    Values,
    Verdict,
    as_numbers,
    as_text,
    close,
    listed,
    wrong,
)

MM = 1e-3
PLACE = (0.26, -0.05, 0.2)
"""m: where the part lies before the SCARA."""
ROUNDED = 0.8
"""mm: how far a corner may be rounded; a program without G61 rounds by 0.5 mm."""
LONGEST_RUN = 300.0
"""s: a student's program that takes longer counts as endless."""


def _motion_variant(rng: Generator) -> dict[str, Any]:
    start = float(rng.integers(-60, 0))
    return {
        "start": start,
        "end": start + float(rng.integers(40, 120)),
        "time": float(rng.integers(8, 30)) / 10.0,
        "speed": float(rng.integers(6, 12) * 10),
        "acceleration": float(rng.integers(20, 50) * 10),
    }


def _grade_quintic(values: Values, answer: Any) -> Verdict:
    c = as_numbers(answer, (6,), "quintic")
    curve = np.polynomial.Polynomial(c)
    names = (_("position"), _("speed"), _("acceleration"))
    wanted = ((values["start"], values["end"]), (0.0, 0.0), (0.0, 0.0))
    for order, (name, ends) in enumerate(zip(names, wanted, strict=True)):
        derived = curve.deriv(order) if order else curve
        for t, target in zip((0.0, values["time"]), ends, strict=True):
            if abs(derived(t) - target) > 0.1:
                return wrong(
                    "boundary_missed",
                    _("at t = {t:g} s the {name} is {given:.3g}; {wanted:g} is wanted (°, s)"),
                    t=t,
                    name=term(name),
                    given=float(derived(t)),
                    wanted=target,
                )
    return RIGHT


def _grade_peak(values: Values, answer: Any) -> Verdict:
    peak = 15.0 / 8.0 * (values["end"] - values["start"]) / values["time"]
    return close(answer, peak, 0.005 * peak, "°/s")


def _grade_shortest(values: Values, answer: Any) -> Verdict:
    rise, v, a = values["end"] - values["start"], values["speed"], values["acceleration"]
    shortest = 2.0 * np.sqrt(rise / a) if rise < v * v / a else rise / v + v / a
    given = float(as_numbers(answer, (), "shortest"))
    if given < shortest - 0.002:
        return wrong(
            "too_fast",
            _("in {given:g} s the joint would need more than {v:g} °/s or {a:g} °/s²"),
            given=given,
            v=v,
            a=a,
        )
    if given > shortest + 0.002:
        return wrong(
            "not_shortest", _("a trapezoid is {off:.3g} s shorter than {given:g} s"), given=given, off=given - shortest
        )
    return RIGHT


LAB_5 = Lab(
    5,
    _("Trajectories"),
    _motion_variant,
    (
        LabQuestion(
            key="quintic",
            text=_(
                "A joint goes from {start:g}° to {end:g}° in {time:g} s, from rest to rest, no "
                "acceleration at the ends. Write the coefficients c0 … c5 of its quintic (°, s)."
            ),
            blank="[0, 0, 0, 0, 0, 0]",
            grade=_grade_quintic,
        ),
        LabQuestion(key="peak", text=_("Its highest speed, °/s."), blank="0", grade=_grade_peak),
        LabQuestion(
            key="shortest",
            text=_(
                "The shortest time of the same move with a trapezoid of speed, at most {speed:g} °/s and "
                "{acceleration:g} °/s²."
            ),
            blank="0",
            grade=_grade_shortest,
        ),
    ),
)


def _program_variant(rng: Generator) -> dict[str, Any]:
    return {
        "width": float(rng.integers(3, 8) * 10),
        "height": float(rng.integers(2, 6) * 10),
        "feed": float(rng.integers(4, 15) * 100),
        "a1": float(rng.integers(-5, 5) * 10 + 5),
        "down": float(rng.integers(2, 8) * 10),
    }


def run_text(cell: Cell, text: str, language: str, place: PartPlace | None = None) -> tuple[Floats, Floats, Floats]:
    """Return joints, tool points (mm) and tool speeds (mm/min) along a student's program.

    Raises:
        InvalidInput: if the program has an error, or nothing moves in it; the message is the program's first finding.
    """
    source = ProgramSource(f"answer.{language}", "krl" if language == "krl" else "gcode", data=text.encode())
    prepared = prepare(source, cell, place)
    executor = Executor(cell.robot, prepared.instructions, start=prepared.start, seconds=LONGEST_RUN)
    joints, speeds = [], []
    for item in executor:
        if not isinstance(item, Piece):
            finding = getattr(item.instruction, "finding", None)
            _refuse([finding] if finding is not None else [])
            continue
        _refuse(item.findings)
        sample = item.trajectory.sample(item.trajectory.times(0.002))
        v = np.einsum("mij,mj->mi", cell.robot.jacobian(sample.q)[:, :3], sample.qd)
        joints.append(sample.q)
        speeds.append(np.linalg.norm(v, axis=1) / MM * 60.0)
    if not joints:
        raise InvalidInput("program_still", _("nothing moves in the program"))
    q = np.concatenate(joints)
    return q, cell.robot.fk(q)[:, :3, 3] / MM, np.concatenate(speeds)


def _refuse(findings: Any) -> None:
    for finding in findings:
        if finding.severity == "error":
            raise InvalidInput(finding.message)


def _grade_gcode(values: Values, answer: Any) -> Verdict:
    text = as_text(answer, "gcode")
    _q, points, speeds = run_text(cell_of("scara", None), text, "gcode", PartPlace(pose.from_xyz(PLACE)))
    points = points - np.array(PLACE) / MM
    w, h = values["width"], values["height"]
    down, drawing = points[:, 2] < ROUNDED, points[:, 2] < 0.01  # corners may be rounded, also those on the part
    if not drawing.any():
        return wrong("never_down", _("the tool never comes down to Z0"))
    corners = np.array([(0.0, 0.0), (w, 0.0), (w, h), (0.0, h)])
    for corner in corners:
        off = np.linalg.norm(points[down, :2] - corner, axis=1).min()
        if off > ROUNDED:
            return wrong(
                "corner_missed",
                _("at Z0 the tool passes the corner {corner} at {off:.1f} mm"),
                corner=listed(corner, 0),
                off=float(off),
            )
    edge = np.minimum.reduce(
        [np.abs(points[down, 0]), np.abs(points[down, 0] - w), np.abs(points[down, 1]), np.abs(points[down, 1] - h)]
    )
    if edge.max() > ROUNDED:
        k = int(np.argmax(edge))
        return wrong(
            "off_the_edge",
            _("at Z0 the tool leaves the rectangle: it is at {point} mm"),
            point=listed(points[down][k, :2], 1),
        )
    sides = drawing & (np.linalg.norm(points[:, None, :2] - corners, axis=2).min(axis=1) > 5.0)
    fastest = float(speeds[sides].max(initial=0.0))
    if abs(fastest - values["feed"]) > 0.02 * values["feed"]:
        return wrong(
            "feed_off",
            _("along the rectangle the tool goes at {given:.0f} mm/min, not {feed:.0f}"),
            given=fastest,
            feed=values["feed"],
        )
    return RIGHT  # fmt: skip


def _grade_krl(values: Values, answer: Any) -> Verdict:
    cell = cell_of("kuka-kr6-r700", None)
    q, points, _speeds = run_text(cell, as_text(answer, "krl"), "krl")
    home = cell.robot.home.copy()
    home[0] = np.radians(values["a1"])
    if np.degrees(np.abs(q - home).max(axis=1).min()) > 0.05:
        return wrong(
            "never_there", _("the arm never stands at A1 = {a1:g}° with the other axes at home"), a1=values["a1"]
        )
    wanted = cell.robot.fk(home)[:3, 3] / MM - [0.0, 0.0, values["down"]]
    off = float(np.linalg.norm(points[-1] - wanted))
    if off > 0.05:
        return wrong(
            "end_missed",
            _("the program ends at {point} mm, {off:.1f} mm from where it should"),
            point=listed(points[-1], 1),
            off=off,
        )
    after = points[int(np.argmin(np.abs(q - home).max(axis=1))) :]
    aside = float(np.linalg.norm(after[:, :2] - wanted[:2], axis=1).max())
    if aside > 0.05:
        return wrong(
            "not_straight", _("while it is lowered, the tool goes {aside:.1f} mm aside: use a LIN motion"), aside=aside
        )
    return RIGHT  # fmt: skip


LAB_6 = Lab(
    6,
    _("Programs: G-code and KRL"),
    _program_variant,
    (
        LabQuestion(
            key="gcode",
            text=_(
                "For the SCARA: a G-code program that draws the rectangle 0, 0 … {width:g}, {height:g} mm"
                " at Z0 with F{feed:.0f}, and lifts the tool to Z5 before and after."
            ),
            blank='"""\nG21 G90\n"""',
            grade=_grade_gcode,
        ),
        LabQuestion(
            key="krl",
            text=_(
                "For the KR 6 R700: a KRL program that turns A1 to {a1:g}° (the other axes stay), and "
                "then lowers the tool straight by {down:g} mm."
            ),
            blank='"""\nDEF answer()\nEND\n"""',
            grade=_grade_krl,
        ),
    ),
)


def _cell_variant(rng: Generator) -> dict[str, Any]:
    turn, radius = float(rng.integers(50, 75)), float(rng.integers(44, 48) * 10)
    middle = np.radians(-turn / 2.0)  # KUKA's A1 counts clockwise
    return {
        "start": [0.0, -60.0, 90.0, 0.0, 60.0, 0.0],
        "end": [turn, -60.0, 90.0, 0.0, 60.0, 0.0],
        "post": [round(float(radius * np.cos(middle)), 1), round(float(radius * np.sin(middle)), 1)],
        "width": float(rng.integers(6, 11) * 10),
        "post_height": 900.0,
        "clearance": 10.0,
    }


def cell_scene(values: Values) -> Scene:
    """Return the KR 6 with the variant's post."""
    robot = load("kuka-kr6-r700")
    w, height = values["width"] * MM, values["post_height"] * MM
    x, y = (value * MM for value in values["post"])
    post = Body("post", (Shape("box", (w, w, height), np.eye(4)),), pose.from_xyz([x, y, height / 2.0]))
    return Scene.of(robot, q=np.radians(values["start"]), bodies=(post,))


def _grade_direct(values: Values, answer: Any) -> Verdict:
    scene = cell_scene(values)
    robot = scene.robots[0].robot
    report = Checker(scene).sweep(plan_joint(robot, np.radians([values["start"], values["end"]])))
    assert report.first_contact is not None
    given = as_text(answer, "direct").strip()
    if given in {report.first_contact.first, report.first_contact.second} - {"post"}:
        return RIGHT
    return wrong("other_link", _("'{given}' is not what touches the post first"), given=given[:40])


def _grade_distance(values: Values, answer: Any) -> Verdict:
    scene = cell_scene(values)
    nearest = min(
        (
            one.value
            for one in Checker(scene).distances(np.radians(values["start"]), within=2.0)
            if "post" in (one.first, one.second)
        ),
        default=np.inf,
    )
    return close(answer, nearest / MM, 0.5, "mm")  # fmt: skip


def _grade_via(values: Values, answer: Any) -> Verdict:
    via = np.radians(as_numbers(answer, (None, 6), "via"))
    scene = cell_scene(values)
    robot = scene.robots[0].robot
    points = np.vstack([np.radians(values["start"]), via, np.radians(values["end"])])
    report = Checker(scene).sweep(plan_joint(robot, points), clearance=values["clearance"] * MM)
    hit = report.first_contact
    if hit is None:
        return RIGHT
    return wrong(
        "still_touches",
        _("at {time:.2f} s, at q = {q}°, {first} comes within {clearance:g} mm of {second}"),
        time=hit.time,
        q=listed(np.degrees(hit.q), 0),
        first=hit.first,
        second=hit.second,
        clearance=values["clearance"],
    )


LAB_8 = Lab(
    8,
    _("Collisions and planning a cell"),
    _cell_variant,
    (
        LabQuestion(
            key="distance",
            text=_(
                "A post {width:g} mm square and {post_height:g} mm high stands at {post} mm. How far is "
                "the KR 6 R700 from it at q = {start}° (mm)?"
            ),
            blank="0",
            grade=_grade_distance,
        ),
        LabQuestion(
            key="direct",
            text=_("Which link touches the post first on the direct path to {end}°? (its name)"),
            blank='""',
            grade=_grade_direct,
        ),
        LabQuestion(
            key="via",
            text=_(
                "Write configurations (°) between start and end, so that the arm stays {clearance:g} mm "
                "away from the post."
            ),
            blank="[[0, -90, 90, 0, 60, 0]]",
            grade=_grade_via,
        ),
    ),
    lambda values: {"scene.toml": scene_text(cell_scene(values))},
)
