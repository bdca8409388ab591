"""S2: trajectory planning on a teaching KUKA arm: four points, node frames, and the accuracy table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.geometry import pose
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.ik import attempt_ik
from armlab.messages import Message, _, term
from armlab.model.robot import Robot
from armlab.motion.joint import plan_joint
from armlab.motion.limits import limits_of
from armlab.motion.schemes import SCHEMES
from armlab.motion.tool_motion import plan_tool
from armlab.motion.toolpath.through import PathKind, through
from armlab.motion.trajectory import Trajectory
from armlab.studies.papers.s2_cell import calibration, collisions, console, dynamics, windscreen
from armlab.studies.papers.study import PaperStudy, PartResult, StudyFigure, StudyRow, StudyTable, at_most, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MM = 1e-3
ARM = "kuka-kr6-r700"
TABLE = (
    ((102.62830, 26.13572, 60.62126, 89.27655, 77.43777, 93.32265), 0.0),
    ((103.63260, 19.38401, 69.88738, 89.82391, 76.41414, 90.74957), 0.00001),
    ((36.76488, 2.746373, 86.17067, -58.77967, 76.41414, 77.74352), 7.37286),
    ((18.52892, 39.52016, 44.57952, -25.50002, 102.33090, 125.63870), 7.22665),
)
"""Joint values (°) of the paper's table, and its program's worst error (°) in each row."""
EXACT = 1e-9
"""°"""
TIMES = (1.5, 2.0, 1.5)
CLASSIC = ("4-3-4", "3-5-3", "3-3-3-3-3")
NODES = ((0.0, 0.0, 0.0, 0.0), (0.0, 0.12, 0.05, 15.0), (-0.06, 0.2, 0.0, 30.0), (-0.1, 0.25, -0.08, 30.0))
"""m and °: offsets of the node frames from the tool at home, and their turns about z."""


def four_points() -> Floats:
    """Return start, departure, approach and end (4, 6): the configurations of the paper's table."""
    return np.radians([row for row, _error in TABLE])


def joint_space(points: Floats | None = None) -> PartResult:
    """Plan through the four points in every scheme; `points` are those to be met, for a test."""
    robot = load(ARM)
    wanted = four_points() if points is None else points
    rows, made = [], {}
    for name in SCHEMES:
        times = TIMES if name in CLASSIC else None
        trajectory = plan_joint(robot, four_points(), scheme=name, times=times)
        made[name] = trajectory
        rows.append(scheme_row(name, trajectory, wanted))
    caption = term(_("Joint-space plan 4-3-4 through start, departure, approach and end."))
    return PartResult(tuple(rows), (StudyFigure("joint-space", caption, lambda: _draw(made["4-3-4"], robot)),))


def scheme_row(name: str, trajectory: Trajectory, points: Floats) -> StudyRow:
    """Return how far a plan passes the points (°), which it must meet in their order."""
    missed = max(np.degrees(missed_by(trajectory, point)) for point in points)
    what = term(_("joint space, scheme {scheme}: four points missed by at most, °"), scheme=name)
    rests = max(float(np.abs(trajectory.at(t).qd).max()) for t in (0.0, trajectory.duration))
    row = at_most(what, 0.0, missed, 1e-6)
    return row._replace(holds=row.holds and (rests < 1e-9 or name == "natural"))


def missed_by(trajectory: Trajectory, point: Floats) -> float:
    """Return the least distance (rad, largest joint) between a motion and a configuration."""
    from scipy.optimize import minimize_scalar

    breaks = np.concatenate([trajectory.pieces.breaks, trajectory.times(0.005)])
    off = np.abs(trajectory.sample(np.clip(breaks, 0.0, trajectory.duration)).q - point).max(axis=1)
    at = float(breaks[int(np.argmin(off))])
    low, high = max(at - 0.01, 0.0), min(at + 0.01, trajectory.duration)
    found = minimize_scalar(
        lambda t: float(np.linalg.norm(trajectory.at(t).q - point)), bounds=(low, high), method="bounded",
        options={"xatol": 1e-12},
    )  # fmt: skip
    best = float(np.abs(trajectory.at(float(found.x)).q - point).max())
    return min(best, float(off.min()))


def cartesian(robot: Robot | None = None) -> PartResult:
    """Plan through node frames with straight segments and with parabolas; IK at every point."""
    robot = robot or load(ARM)
    frames = node_frames(load(ARM))
    rows: list[StudyRow] = []
    figures = []
    for kind, name in (("linear", term(_("linear"))), ("quadratic", term(_("quadratic")))):
        motion = plan_tool(robot, through(frames, _kind(kind)), start=robot.home)
        q = motion.trajectory.sample(motion.trajectory.times(0.001)).q
        rows += node_rows(name, frames, robot.fk(q)[:, :3, 3], motion.path.sampled(0.0005)[:, :3, 3])
        caption = term(_("Cartesian plan, {kind} nodes."), kind=name)
        figures.append(StudyFigure(f"cartesian-{kind}", caption, lambda q=q: _draw_path(robot, q)))  # type: ignore[misc]
    return PartResult(tuple(rows), tuple(figures))


def node_rows(kind: Message, frames: Floats, points: Floats, path: Floats) -> tuple[StudyRow, ...]:
    """Return how far the tool's points (m, 3) miss the first and last frame, and how far they leave the path (k, 3)."""
    missed = max(float(np.linalg.norm(points - T[:3, 3], axis=1).min()) for T in frames[[0, -1]]) / MM
    tracked = float(distances(points, path).max()) / MM
    ends = term(_("Cartesian, {kind} nodes: first and last frame missed by at most, mm"), kind=kind)
    on_path = term(
        _("Cartesian, {kind} nodes: distance from the path (IK at {count} points), mm"), kind=kind, count=len(points)
    )
    return at_most(ends, 0.0, missed, 1e-5), at_most(on_path, 0.0, tracked, 0.001)


def distances(points: Floats, corners: Floats) -> Floats:
    """Return how far points (m, 3) are from the line through corners (k, 3)."""
    start, along = corners[:-1], np.diff(corners, axis=0)
    away = points[:, None] - start
    share = np.clip(np.einsum("mki,ki->mk", away, along) / np.maximum((along**2).sum(axis=1), 1e-30), 0.0, 1.0)
    return np.asarray(np.linalg.norm(away - share[:, :, None] * along, axis=2).min(axis=1))


def node_frames(robot: Robot) -> Floats:
    """Return the node frames (k, 4, 4)."""
    T = robot.fk(robot.home)
    out = []
    for x, y, z, turn in NODES:
        frame = pose.from_xyz_abc([x, y, z], [np.radians(turn), 0.0, 0.0]) @ T
        frame[:3, 3] = T[:3, 3] + [x, y, z]
        out.append(frame)
    return np.array(out)


def accuracy(robot: Robot | None = None, starts: Floats | None = None) -> PartResult:
    """Do what the paper's program did: joint values → pose → IK from the point before → difference.

    The catalog's arm gives the poses; `robot` solves, and `starts` (4, 6) are where it starts from, both for a test.
    """
    given, points = load(ARM), four_points()
    before = np.vstack([given.home, points[:-1]]) if starts is None else starts
    found = attempt_ik(robot or given, given.fk(points), start=before)
    errors = np.where(found.converged, np.degrees(np.abs(found.q - points).max(axis=1)), np.inf)
    rows = [
        at_most(
            term(_("accuracy table, point {number}: pose → IK from the point before, worst joint error, °"), number=k),
            theirs,
            float(error),
            EXACT,
        )
        for k, ((_row, theirs), error) in enumerate(zip(TABLE, errors, strict=True), start=1)
    ]
    others = [other_solutions(robot or given, given.fk(q), q) for q in points]
    nearest = min((away for each in others for _branch, away in each), default=np.inf)
    note = term(
        _(
            "Why the paper's points 3 and 4 are off by 7°: it is not another branch. Every other solution of the same "
            "pose is at least {nearest:.0f}° away, so the values printed there do not belong to the pose at all. Both "
            "points have A4 < 0, which a formula that loses the sign of A4, or a search that stops early, would miss."
        ),
        nearest=min(nearest, 360.0),
    )
    return PartResult((*rows, other_solution_row(nearest)), tables=(branch_table(others),), notes=(note,))


def other_solutions(robot: Robot, T: Floats, q: Floats) -> list[tuple[str, float]]:
    """Return the branches of the other solutions of a pose, nearest first, with how far each is from `q` (°)."""
    away = [(one.branch, float(np.degrees(np.abs(one.q - q).max()))) for one in all_ik(robot, T, turns=True)]
    return sorted((each for each in away if each[1] > EXACT), key=lambda each: each[1])


def branch_table(others: Sequence[Sequence[tuple[str, float]]]) -> StudyTable:
    """Return the nearest other solution of each point: which branch it is on, and how far away."""
    rows = [
        (str(k), each[0][0], f"{each[0][1]:.2f}", f"{theirs:.5f}") if each else (str(k), "–", "–", f"{theirs:.5f}")
        for k, (each, (_row, theirs)) in enumerate(zip(others, TABLE, strict=True), start=1)
    ]
    header = (term(_("point")), term(_("nearest other branch")), term(_("away, °")), term(_("the paper's error, °")))
    return StudyTable(term(_("Accuracy table: other solutions of the same pose")), header, tuple(rows))


def other_solution_row(nearest: float) -> StudyRow:
    """Return whether the nearest other solution (°) is too far away to explain the paper's largest error."""
    what = term(_("accuracy table: the nearest other solution of any point is away by, °"))
    largest = max(error for _row, error in TABLE)
    return shown(
        what,
        term(_("error of 7.37286")),
        round(nearest, 3),
        term(_("farther than 7.37286")),
        holds=largest < nearest < np.inf,
    )


def _kind(kind: str) -> PathKind:
    return "linear" if kind == "linear" else "quadratic"


def _draw(trajectory: Trajectory, robot: Robot) -> Figure:
    from armlab.figures.trajectory import draw_trajectory

    return draw_trajectory(trajectory, robot, limits_of(robot))


def _draw_path(robot: Robot, q: Floats) -> Figure:
    from armlab.figures.arm import draw_path

    return draw_path(robot, q)


S2 = PaperStudy(
    "S2",
    term(_("Manipulators and trajectory planning (Lyuchev, Klyuchikov, Pchelintseva 2025)")),
    (joint_space, cartesian, accuracy, windscreen, dynamics, calibration, collisions, console),
)
