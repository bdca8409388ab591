"""S3: a SCARA by Denavit–Hartenberg matrices: the product, the analytic expressions, the check point, the misprints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.figures.animation import between, save_animation
from armlab.geometry import pose
from armlab.kinematics.symbolic.check import check_formula
from armlab.messages import _, term
from armlab.model.dh import DhRow, DhTable, dh_table, robot_from_dh
from armlab.model.parts import Tool
from armlab.model.robot import Robot
from armlab.studies.papers.study import PaperStudy, PartResult, StudyFigure, StudyFile, StudyRow, at_most, near, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MM = 1e-3
PAPER_POINT = (0.0, 70.7, 5.0)
"""mm, with L1 = L2 = L3 = 50, θ1 = 45°, θ2 = 90°, d3 = 30 and the tool 15 mm below the flange."""
PAPER_Q = (np.radians(45.0), np.radians(90.0), 30.0 * MM)
PICTURES = 16
EXPRESSIONS = {"x": "L1 c1 + L2 c12 + x_t c12", "y": "L1 s1 + L2 s12 + x_t s12", "z": "L3 - d3 + z_t"}
FIRST_ROW = {
    "r11": "cos(t1)",
    "r12": "-sin(t1) cos(alpha1)",
    "r13": "sin(t1) sin(alpha1)",
    "x": "a1 cos(t1)",
}
"""Row 1 of Rz(θ)·Tz(d)·Tx(a)·Rx(α)."""
MISPRINTS = {
    "r11": ("sin(t1)", "-cos(t1)", "cos(alpha1)"),
    "r12": ("sin(t1) cos(alpha1)", "-sin(t1)", "-cos(t1) cos(alpha1)", "-sin(t1) sin(alpha1)"),
    "r13": ("-sin(t1) sin(alpha1)", "sin(t1) cos(alpha1)", "cos(t1) sin(alpha1)", "sin(alpha1)"),
    "x": ("a1 sin(t1)", "cos(t1)", "-a1 cos(t1)"),
}
"""Changes of it: a sign, a swapped function, a wrong angle, a lost factor. Not the paper's own, but of their kind."""


def paper_arm() -> Robot:
    """Return the paper's SCARA with its tool 15 mm below the flange."""
    return load("scara-s3").with_tool(Tool("pen-15", "pen", pose.from_xyz([0.0, 0.0, -15.0 * MM])))


def product(q: Floats) -> Floats:
    """Return T_base_flange as the product Rz(θ)·Tz(d)·Tx(a)·Rx(α) of the paper's three rows, written out here."""
    rows = ((q[0], 0.05, 0.05, 0.0), (q[1], 0.0, 0.05, np.pi), (0.0, q[2], 0.0, 0.0))
    T = np.eye(4)
    for theta, d, a, alpha in rows:
        T = T @ pose.from_xyz_abc([0, 0, d], [theta, 0, 0]) @ pose.from_xyz_abc([a, 0, 0], [0, 0, alpha])
    return T


def matrices(robot: Robot | None = None) -> PartResult:
    """Compare the transforms and the tool point with the paper's."""
    robot = robot or paper_arm()
    figures = (StudyFigure("arm", term(_("The SCARA at the paper's joint values.")), lambda: _draw(robot)),)
    return PartResult(matrix_rows(robot, dh_table(robot, "standard")), figures)


def matrix_rows(robot: Robot, rows: DhTable) -> tuple[StudyRow, ...]:
    """Return how far transforms and tool point are from the paper's, and how far a DH table is from the arm."""
    q = np.random.default_rng(3).uniform(robot.lower, robot.upper, (50, 3))
    turned = pose.from_xyz_abc([0, 0, 0], [0, 0, np.pi]) @ robot.tool.T_flange_tool
    off = max(float(np.abs(robot.fk(row) - product(row) @ turned).max()) for row in q)
    table = float(np.abs(rows.fk(q) - robot.fk(q)).max())
    point = robot.fk(PAPER_Q)[:3, 3] / MM
    names = (term(_("tool point X, mm")), term(_("tool point Y, mm")), term(_("tool point Z, mm")))
    return (
        at_most(term(_("product of the DH matrices against FK, 50 configurations: largest element")), 0.0, off, 1e-12),
        at_most(term(_("DH table made from the arm against FK: largest element")), 0.0, table, 1e-12),
        *(near(what, paper, ours, 0.05) for what, paper, ours in zip(names, PAPER_POINT, point, strict=True)),
    )


def expressions(robot: Robot | None = None) -> PartResult:
    """Check the paper's analytic expressions of the tool point."""
    return PartResult(expression_rows(robot or paper_arm(), EXPRESSIONS))


def expression_rows(robot: Robot, texts: Mapping[str, str]) -> tuple[StudyRow, ...]:
    """Return whether each expression is that of the arm, by quantity."""
    rows = []
    for quantity, text in texts.items():
        verdict = check_formula(robot, quantity, text)
        rows.append(shown(
            term(_("analytic expression of {quantity}"), quantity=quantity), text, verdict.message,
            term(_("equal at every configuration tried")), holds=verdict.right,
        ))  # fmt: skip
    return tuple(rows)


def misprints() -> PartResult:
    """Check row 1 of one DH matrix: the right row is confirmed, every change of it is found."""
    note = term(
        _(
            "The matrix printed in the paper has misprints in row 1; the product Rz(θ)·Tz(d)·Tx(a)·Rx(α) is right. The "
            "printed row itself is not repeated here: {count} changes of a sign, a function, an angle or a factor are "
            "made in the right row one by one, and `armlab formula` must find each of them."
        ),
        count=sum(len(texts) for texts in MISPRINTS.values()),
    )
    return PartResult(misprint_rows(FIRST_ROW, MISPRINTS), notes=(note,))


def misprint_rows(right: Mapping[str, str], wrong: Mapping[str, Sequence[str]]) -> tuple[StudyRow, ...]:
    """Return how many right elements are confirmed and how many wrong ones found, and the right row itself."""
    arm = one_joint()
    confirmed = sum(check_formula(arm, quantity, text).right for quantity, text in right.items())
    found = [check_formula(arm, quantity, text) for quantity, texts in wrong.items() for text in texts]
    refused = sum(not verdict.right for verdict in found)
    return (
        near(
            term(_("row 1 of the DH matrix: elements that `armlab formula` confirms")),
            float(len(right)),
            float(confirmed),
            0.0,
        ),
        near(
            term(_("row 1 changed on purpose: changes that `armlab formula` finds, of {count}"), count=len(found)),
            float(len(found)),
            float(refused),
            0.0,
        ),
        shown(
            term(_("row 1 of the DH matrix, as the product gives it")),
            term(_("misprinted")),
            "; ".join(right.values()),
            term(_("every element confirmed")),
            holds=confirmed == len(right),
        ),
    )


def one_joint() -> Robot:
    """Return an arm of one row: θ free, a = 80 mm, α = 40°."""
    table = DhTable("standard", (DhRow("theta", "revolute", 0.0, 0.03, 0.08, np.radians(40.0)),), np.eye(4), np.eye(4))
    return robot_from_dh(table, name="one-row", lower=[-3.0], upper=[3.0])


def moving_picture(robot: Robot | None = None) -> PartResult:
    """Write the moving picture and count what is in it."""
    robot = robot or paper_arm()
    share = np.linspace(0.0, 1.0, PICTURES)[:, None]
    q = robot.home + share * (robot.configuration("left") - robot.home)
    with TemporaryDirectory() as name:
        path = Path(name) / "scara.gif"
        save_animation(robot, q, path)
        pictures = count_pictures(path)
    everything = between(np.array([robot.home, robot.configuration("left"), robot.home]))
    film = StudyFile("scara.gif", lambda path: save_animation(robot, everything, path))
    return PartResult((picture_row(pictures),), (), (film,))


def picture_row(pictures: int) -> StudyRow:
    """Return whether as many different pictures are in the film as there are configurations."""
    what = term(_("moving picture: different pictures"))
    return shown(
        what,
        term(_("animation")),
        float(pictures),
        term(_("{count} different ones"), count=PICTURES),
        holds=pictures == PICTURES,
    )


def count_pictures(path: Path) -> int:
    """Return how many different pictures an animation has."""
    from PIL import Image, ImageSequence

    with Image.open(path) as film:
        return len({picture.convert("RGB").tobytes() for picture in ImageSequence.Iterator(film)})


def _draw(robot: Robot) -> Figure:
    from armlab.figures.arm import draw_arm

    return draw_arm(robot, PAPER_Q)


S3 = PaperStudy(
    "S3",
    term(_("SCARA by Denavit–Hartenberg matrices in Python (Chalenkov et al.)")),
    (matrices, expressions, misprints, moving_picture),
)
