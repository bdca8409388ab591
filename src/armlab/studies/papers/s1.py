"""S1: a SCARA in a 3D engine: its model, closed-form kinematics with both elbows, straight lines, G-code."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.geometry import pose
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.workspace import reach_map
from armlab.messages import _, term
from armlab.model.joint_limits import outside_limits
from armlab.model.robot import Robot
from armlab.motion.follow.follow import follow
from armlab.motion.segments import line
from armlab.program.executor import Executor, Piece
from armlab.program.languages import ProgramSource
from armlab.program.prepare import Cell, PartPlace, cell_of, prepare
from armlab.studies.papers.s1_model import cad_model, structures
from armlab.studies.papers.study import PaperStudy, PartResult, StudyFigure, StudyFile, StudyRow, at_most, near, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MM = 1e-3
L1, L2 = 0.3, 0.2
"""m: of planar2, the paper's arm seen from above."""
TARGETS = 200
GCODE = """G21 G90 G61 (mm, absolute, exact corners)
G0 X0 Y0 Z5
G1 Z0 F1200
G1 X60 Y0
G1 X60 Y40
G91 (relative)
G1 X-60 Y0
G1 X0 Y-40 F600
G90
G0 Z5
M2
"""
"""A rectangle of 60 × 40 mm; the last side at half the feed."""
CORNERS = ((0.0, 0.0), (60.0, 0.0), (60.0, 40.0), (0.0, 40.0), (0.0, 0.0))
FEEDS = (1200.0, 600.0)
PLACE = (0.28, -0.02, 0.2)
"""m: where the part lies before the SCARA."""


def paper_fk(q: Floats) -> Floats:
    """Return the tool point (m, 2) by the paper's formulas."""
    q1, q12 = q[:, 0], q[:, 0] + q[:, 1]
    return np.stack([L1 * np.cos(q1) + L2 * np.cos(q12), L1 * np.sin(q1) + L2 * np.sin(q12)], axis=1)


def paper_ik(x: float, y: float) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return both elbows by the paper's listing; None where the point is outside the ring."""
    B = math.hypot(x, y)
    if B > L1 + L2 or abs(L1 - L2) > B:
        return None
    q1, q2 = math.atan2(y, x), math.acos((L1**2 + B**2 - L2**2) / (2.0 * L1 * B))
    elbow = math.pi - math.acos((L1**2 + L2**2 - B**2) / (2.0 * L1 * L2))
    return (math.remainder(q1 - q2, math.tau), elbow), (math.remainder(q1 + q2, math.tau), -elbow)


def kinematics(robot: Robot | None = None) -> PartResult:
    """Compare forward and inverse kinematics with the paper's formulas, and the reach with its ring."""
    robot = robot or load("planar2")
    figures = (
        StudyFigure("elbows", term(_("Both elbows of one target.")), lambda: _draw_elbows(robot)),
        StudyFigure("reach", term(_("Where the tool point can be: a ring.")), lambda: _draw_reach(robot)),
    )
    return PartResult(kinematic_rows(robot), figures)


def kinematic_rows(robot: Robot) -> tuple[StudyRow, ...]:
    """Return how far the arm is from the paper's formulas."""
    q = np.random.default_rng(1).uniform(robot.lower, robot.upper, (TARGETS, 2))
    points = robot.fk(q)[:, :2, 3]
    fk_error = float(np.linalg.norm(points - paper_fk(q), axis=1).max()) / MM
    worst, counts = 0.0, []
    for x, y in points:
        ours = [solution.q for solution in all_ik(robot, _at(x, y))]
        theirs = [np.array(one) for one in paper_ik(x, y) or ()]
        theirs = [one for one in theirs if not outside_limits(robot, one).any()]
        counts.append(len(ours) == len(theirs))
        worst = max([worst, *(min((_turn(a, b) for b in ours), default=math.pi) for a in theirs)])
    outer, inner = L1 + L2, abs(L1 - L2)
    probes = [(outer - 1e-6, True), (outer + 1e-6, False), (inner - 1e-6, False)]
    right = sum((len(all_ik(robot, _at(radius, 0.0))) > 0) is wanted for radius, wanted in probes)
    return (
        at_most(term(_("FK against x = L1 cos Q1 + L2 cos(Q1+Q2), y: largest difference, mm")), 0.0, fk_error, 1e-9),
        at_most(term(_("IK against the listing, both elbows: largest difference, °")), 0.0, math.degrees(worst), 1e-6),
        shown(
            term(_("IK: as many solutions as the listing has inside the limits, targets")),
            float(TARGETS),
            float(sum(counts)),
            term(_("every target")),
            holds=all(counts),
        ),
        near(term(_("reach ring: points 1 µm inside and outside its edges told right")), 3.0, float(right), 0.0),
    )


def straight(robot: Robot | None = None, real: Robot | None = None) -> PartResult:
    """Interpolate between two tool poses in steps of 0.01, as the paper does; `real` is the arm that then moves."""
    robot = robot or load("scara")
    start = robot.fk(robot.home)
    end = start.copy()
    end[:3, 3] += [-0.1, 0.15, -0.05]
    followed = follow(robot, line(start, end), start=robot.home)
    t = np.linspace(0.0, 1.0, 101)
    assert followed.path is not None
    q = followed.path.values(followed.path.start + t * (followed.path.end - followed.path.start))[:, 0]
    wanted = start[:3, 3] + t[:, None] * (end - start)[:3, 3]
    off = float(np.linalg.norm((real or robot).fk(q)[:, :3, 3] - wanted, axis=1).max()) / MM
    row = at_most(
        term(_("linear interpolation, t in steps of 0.01: largest distance from the line, mm")), 0.0, off, 1e-6
    )
    caption = term(_("The tool on a straight line between two poses."))
    return PartResult((row,), (StudyFigure("line", caption, lambda: _draw_path(robot, q)),))


def gcode(feed_factor: float = 1.0) -> PartResult:
    """Run the G-code file on the SCARA; `feed_factor` changes the file's feeds, so that a test can break the row."""
    text = GCODE
    for feed in FEEDS:
        text = text.replace(f"F{feed:.0f}", f"F{feed * feed_factor:.0f}")
    cell = cell_of("scara", None)
    pieces = executed(cell, text)
    rows, q = gcode_rows(cell, pieces)
    caption = term(_("The path of the G-code file."))
    figures = (StudyFigure("gcode", caption, lambda: _draw_path(cell.robot, q)),)
    return PartResult(
        rows, figures, (StudyFile("rectangle.ngc", lambda path: path.write_text(GCODE, encoding="utf-8")),)
    )


def executed(cell: Cell, text: str) -> list[Piece]:
    """Return the timed pieces of a G-code text on the arm of a cell."""
    source = ProgramSource("rectangle.ngc", "gcode", data=text.encode())
    T = pose.from_xyz(PLACE)
    prepared = prepare(source, cell, PartPlace(T))
    executor = Executor(cell.robot, prepared.instructions, start=prepared.start)
    return [item for item in executor if isinstance(item, Piece)]


def gcode_rows(cell: Cell, pieces: list[Piece]) -> tuple[tuple[StudyRow, ...], Floats]:
    """Return whether the corners were met and the feeds kept, and the joints along the path."""
    q, speeds = [], []
    for piece in pieces:
        times = piece.trajectory.times(0.002)
        sample = piece.trajectory.sample(times)
        q.append(sample.q)
        v = np.einsum("mij,mj->mi", cell.robot.jacobian(sample.q)[:, :3], sample.qd)
        speeds.append(np.linalg.norm(v, axis=1))
    joints = np.concatenate(q)
    points = (cell.robot.fk(joints)[:, :3, 3] - PLACE) / MM
    speed = np.concatenate(speeds) / MM * 60.0
    missed = max(float(np.linalg.norm(points - [*corner, 0.0], axis=1).min()) for corner in CORNERS)
    low = points[:, 2] < 1e-6
    fast = low & (points[:, 1] > 20.0)
    slow = low & (np.abs(points[:, 0]) < 1e-3) & (points[:, 1] > 5.0) & (points[:, 1] < 35.0)
    reached = [float(np.max(speed[fast], initial=0.0)), float(np.max(speed[slow], initial=0.0))]
    names = (term(_("G-code: F1200, mm/min")), term(_("G-code: F600 on the last side (G91), mm/min")))
    return (
        at_most(term(_("G-code (G0 G1 G90 G91): corners missed by at most, mm")), 0.0, missed, 0.05),
        *(near(name, feed, value, 0.005 * feed) for name, feed, value in zip(names, FEEDS, reached, strict=True)),
    ), joints


def _at(x: float, y: float) -> Floats:
    return pose.from_xyz([x, y, 0.0])


def _turn(a: Floats, b: Floats) -> float:
    return float(np.abs((a - b + math.pi) % (2.0 * math.pi) - math.pi).max())


def _draw_elbows(robot: Robot) -> Figure:
    from armlab.figures.arm import draw_path

    both = np.array([solution.q for solution in all_ik(robot, _at(0.32, 0.18))])
    return draw_path(robot, both)


def _draw_reach(robot: Robot) -> Figure:
    from armlab.figures.workspace import draw_reach

    return draw_reach(reach_map(robot, cells=120, samples=60_000))


def _draw_path(robot: Robot, q: Floats) -> Figure:
    from armlab.figures.arm import draw_path

    return draw_path(robot, q)


S1 = PaperStudy(
    "S1",
    term(_("Virtual model of a SCARA robot in a 3D engine (Shestakov, Pirmatov, Klintsov 2025)")),
    (cad_model, structures, kinematics, straight, gcode),
)
