"""S4: Levenberg–Marquardt on a three-link planar arm: the run, maps, all configurations, player, the Braccio."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.geometry import pose
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.ik import attempt_ik
from armlab.kinematics.lm_trace import LmTrace, lm_trace
from armlab.messages import _, term, tr
from armlab.model.joint_limits import outside_limits
from armlab.model.robot import Robot
from armlab.motion.joint import plan_joint
from armlab.studies.papers.study import (
    PaperStudy,
    PartResult,
    StudyFigure,
    StudyRow,
    StudyTable,
    at_most,
    near,
    shown,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MM = 1e-3
START = (30.0, 30.0, 20.0)
"""°"""
START_POINT, TARGET = (30.79, 47.02), (-10.0, 35.0)
"""mm"""
FIRST_ERROR, RESULT, GOOD = 42.53, (38.5, 68.8, 62.8), 0.1
"""mm, °, mm: what the paper reports, and how small it wants the error."""
DAMPINGS = (1e-3, 1e-2, 0.1, 1.0, 10.0)
CELLS = 25
"""Along each side of a map."""
REACHED = 200
"""Targets that come from random configurations."""
SEEDS, SEARCHES = 5, 40
AWAY, MARGIN, BENT = np.radians(15.0), np.radians(23.0), np.radians(29.0)
"""rad: from a solution to the start, from the limits to a solution, least bend of an arm that is not stretched."""
SLOWER = 1.5
APART = 5.0
"""°: configurations that differ by more count as two."""


def iteration(robot: Robot | None = None) -> PartResult:
    """Run the paper's example step by step."""
    robot = robot or load("planar3")
    trace = run_example(robot)
    caption = term(_("Error and damping of the paper's example, step by step."))
    counts = [len(run_example(robot, damping).steps) for damping in DAMPINGS]
    return PartResult(
        example_rows(robot, trace, counts),
        (StudyFigure("convergence", caption, lambda: _draw_trace(trace)),),
        tables=(iteration_table(robot, trace),),
    )


def run_example(robot: Robot, damping: float = 1e-2) -> LmTrace:
    """Return the paper's run: from its start to its target until the error is below 0.1 mm."""
    return lm_trace(robot, _at(TARGET), np.radians(START), damping=damping, error_tolerance=GOOD * MM)


def example_rows(robot: Robot, trace: LmTrace, counts: Sequence[int]) -> tuple[StudyRow, ...]:
    """Return the example's numbers beside the paper's; `counts` are the iterations with each of `DAMPINGS`."""
    x, y = robot.fk(np.radians(START))[:2, 3] / MM
    angles = np.degrees(trace.q)
    names = ("θ1", "θ2", "θ3")
    return (
        near(term(_("start, x, mm")), START_POINT[0], x, 0.005),
        near(term(_("start, y, mm")), START_POINT[1], y, 0.005),
        near(term(_("‖e‖ at the start, mm")), FIRST_ERROR, trace.steps[0].error / MM, 0.005),
        *(
            near(term(_("result {name}, °"), name=name), paper, ours, 0.1)
            for name, paper, ours in zip(names, RESULT, angles, strict=True)
        ),
        at_most(term(_("‖e‖ at the end, mm")), GOOD, trace.error / MM, GOOD),
        shown(
            term(_("iterations with λ0 = 0.001, 0.01, 0.1, 1, 10")),
            term(_("few")),
            ", ".join(map(str, counts)),
            term(_("at most 6 each")),
            holds=max(counts) <= 6,
        ),
    )


def iteration_table(robot: Robot, trace: LmTrace) -> StudyTable:
    """Return the run as a table."""
    rows = [
        (
            str(number),
            *(f"{value:.3f}" for value in np.degrees(step.q)),
            *(f"{value:.3f}" for value in robot.fk(step.q)[:2, 3] / MM),
            f"{step.error / MM:.5f}",
            f"{step.damping:.0e}",
            f"{np.degrees(step.step):.3f}",
            "✓" if step.accepted else "×",
        )
        for number, step in enumerate(trace.steps)
    ]
    end = (*(f"{value:.3f}" for value in np.degrees(trace.q)), *(f"{v:.3f}" for v in robot.fk(trace.q)[:2, 3] / MM))
    rows.append((str(len(trace.steps)), *end, f"{trace.error / MM:.5f}", "", "", ""))
    header = ("k", "θ1 °", "θ2 °", "θ3 °", "x", "y", "‖e‖", "λ", "‖Δθ‖ °", term(_("accepted")))
    return StudyTable(term(_("Levenberg–Marquardt, lengths in mm")), header, tuple(rows))


def maps(robot: Robot | None = None) -> PartResult:
    """Map how many iterations targets take from one start, and where starts lead to for one target."""
    robot = robot or load("planar3")
    counts, ends = target_map(robot), start_map(robot)
    rows = (singular_row(*iterations_near_singular(robot)), *map_rows(ends, shares_found(robot)))
    figures = (
        StudyFigure(
            "iterations", term(_("Iterations over the target, from one start; blank: not reached.")),
            lambda: _draw_targets(counts),
        ),
        StudyFigure(
            "starts", term(_("Final θ3 over the start (θ1, θ2), for one target.")), lambda: _draw_starts(ends)
        ),
    )  # fmt: skip
    return PartResult(rows, figures)


def iterations_near_singular(robot: Robot) -> tuple[Floats, Floats]:
    """Return the mean iterations of each seed: to poses of the stretched arm, which are singular, and to others.

    Each search starts 15° away from a solution in every joint, so that limits and far starts have no part in it.
    """
    slow, usual = [], []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        bent = rng.uniform(robot.lower + MARGIN, robot.upper - MARGIN, (SEARCHES, 3))
        bent[:, 1:] = np.copysign(np.maximum(np.abs(bent[:, 1:]), BENT), bent[:, 1:])
        stretched = bent * [1.0, 0.0, 0.0]
        off = AWAY * rng.choice([-1.0, 1.0], (SEARCHES, 3))
        slow.append(_mean_iterations(robot, stretched, off))
        usual.append(_mean_iterations(robot, bent, off))
    return np.array(slow), np.array(usual)


def _mean_iterations(robot: Robot, q: Floats, off: Floats) -> float:
    runs = [
        lm_trace(robot, T, start, task="position", error_tolerance=1e-6)
        for T, start in zip(robot.fk(q), q + off, strict=True)
    ]
    return float(np.mean([len(run.steps) for run in runs if run.converged]))


def singular_row(slow: Floats, usual: Floats) -> StudyRow:
    """Return whether the method is clearly slower near singular poses, by the mean iterations of each seed."""
    return shown(
        term(_("iterations (mean of {count} seeds) to poses of the stretched arm, and to others"), count=len(slow)),
        term(_("slow near singular poses")),
        f"{slow.mean():.2f}, {usual.mean():.2f}",
        term(_("at least {times:g} times as many with every seed"), times=SLOWER),
        holds=bool(np.all(slow >= SLOWER * usual)),
    )


def map_rows(ends: Floats, shares: tuple[float, float]) -> tuple[StudyRow, ...]:
    """Return what the maps show: final joints (…, 3), shares found alone and by the solver."""
    distinct = different(ends.reshape(-1, 3))
    alone, solver = shares
    return (
        shown(
            term(_("different final configurations from {count} starts"), count=CELLS * CELLS),
            term(_("depends on the start")),
            float(distinct),
            term(_("more than one")),
            holds=distinct > 1,
        ),
        shown(
            term(_("reachable targets found from one start, %: by the method alone, by armlab's solver")),
            term(_("depends on the start")),
            f"{100.0 * alone:.1f}, {100.0 * solver:.1f}",
            term(_("the solver finds all, the method alone does not")),
            holds=alone < solver == 1.0,
        ),
    )


def target_map(robot: Robot) -> Floats:
    """Return iterations (rows, columns), NaN where the method does not arrive."""
    x, y = _grid(-58.0, 58.0, 2.0, 59.0)
    counts = np.full(x.shape, np.nan)
    for at in np.ndindex(x.shape):
        trace = lm_trace(robot, _at((float(x[at]), float(y[at]))), np.radians(START), error_tolerance=1e-6)
        if trace.converged:
            counts[at] = len(trace.steps)
    return counts


def shares_found(robot: Robot) -> tuple[float, float]:
    """Return which share of targets that the arm surely reaches the method finds from one start, and the solver."""
    q = np.random.default_rng(4).uniform(robot.lower, robot.upper, (REACHED, 3))
    targets = robot.fk(q)
    alone = [lm_trace(robot, T, np.radians(START), task="position", error_tolerance=1e-6).converged for T in targets]
    solver = attempt_ik(robot, targets, task="position", start=np.radians(START)).converged
    return float(np.mean(alone)), float(np.mean(solver))


def start_map(robot: Robot) -> Floats:
    """Return the final configurations (rows, columns, 3) for the example's target, over θ1 and θ2 of the start."""
    first = np.linspace(robot.lower[0], robot.upper[0], CELLS)
    second = np.linspace(robot.lower[1], robot.upper[1], CELLS)
    out = np.full((CELLS, CELLS, 3), np.nan)
    for row, b in enumerate(second):
        for column, a in enumerate(first):
            trace = lm_trace(robot, _at(TARGET), [a, b, np.radians(START[2])], error_tolerance=1e-6)
            if trace.converged:
                out[row, column] = trace.q
    return out


def different(q: Floats) -> int:
    """Return how many of the rows (m, 3) are more than 5° apart from all before them."""
    found: list[Floats] = []
    for row in q[np.isfinite(q).all(axis=1)]:
        if all(np.degrees(np.abs(row - one).max()) > APART for one in found):
            found.append(row)
    return len(found)


def configurations(robot: Robot | None = None) -> PartResult:
    """List configurations of the target inside the limits, save them, and play from one to the next."""
    robot = robot or load("planar3")
    poses = np.array([solution.q for solution in all_ik(load("planar3"), _at(TARGET), turns=True)])
    saved = poses[:4]
    film = plan_joint(robot, saved, scheme="linear")
    q = film.sample(film.times(0.005)).q
    caption = term(_("Saved configurations of one target, played one after the other."))
    figure = StudyFigure("configurations", caption, lambda: _draw_path(robot, q))
    return PartResult(configuration_rows(robot, poses, q, saved), (figure,))


def configuration_rows(robot: Robot, poses: Floats, q: Floats, saved: Floats) -> tuple[StudyRow, ...]:
    """Return whether configurations (m, 3) are of the target and inside, and joints (k, 3) on lines between saved."""
    off = float(np.linalg.norm(robot.fk(poses)[:, :2, 3] / MM - TARGET, axis=1).max())
    inside = not outside_limits(robot, poses).any()
    return (
        shown(
            term(_("configurations of the target inside the limits")),
            term(_("several")),
            float(len(poses)),
            term(_("more than one, all inside")),
            holds=len(poses) > 1 and inside,
        ),
        at_most(term(_("the same: largest distance from the target, mm")), 0.1, off, 1e-6),
        at_most(term(_("player: saved poses interpolated linearly, largest deviation, °")), 0.0, bend(q, saved), 1e-9),
    )


def bend(q: Floats, saved: Floats) -> float:
    """Return how far (°) joints leave the straight lines between saved configurations."""
    off = np.full(len(q), np.inf)
    for a, b in pairwise(saved):
        share = np.clip((q - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        off = np.minimum(off, np.abs(q - a - share[:, None] * (b - a)).max(axis=1))
    return float(np.degrees(off.max()))


def braccio(robot: Robot | None = None) -> PartResult:
    """Take the whole Braccio in 3D through FK and IK."""
    given = load("braccio")
    robot = robot or given
    low, high = given.lower + 0.3, given.upper - 0.3
    q = np.random.default_rng(4).uniform(low, high, (40, given.dof))
    targets = given.fk(q)
    found = attempt_ik(robot, targets, task="pose")
    off = float(np.linalg.norm(given.fk(found.q)[:, :3, 3] - targets[:, :3, 3], axis=1).max()) / MM
    row = at_most(term(_("whole Braccio, 40 poses: FK → IK → FK, largest error, mm")), GOOD, off, 1e-3)
    caption = term(_("The whole Braccio in 3D."))
    return PartResult((row,), (StudyFigure("braccio", caption, lambda: _draw_arm(given)),))


def _at(point: tuple[float, float]) -> Floats:
    return pose.from_xyz([point[0] * MM, point[1] * MM, 0.0])


def _grid(left: float, right: float, bottom: float, top: float) -> tuple[Floats, Floats]:
    x, y = np.meshgrid(np.linspace(left, right, CELLS), np.linspace(bottom, top, CELLS))
    return x, y


def _draw_trace(trace: LmTrace) -> Figure:
    from armlab.figures.convergence import draw_convergence

    return draw_convergence(trace)


def _draw_targets(counts: Floats) -> Figure:
    from armlab.figures.heat_map import draw_heat_map

    labels = ("x [mm]", "y [mm]", tr("iterations"))
    return draw_heat_map(counts, (-58.0, 58.0, 2.0, 59.0), tr("Iterations from one start"), labels)


def _draw_starts(ends: Floats) -> Figure:
    from armlab.figures.heat_map import draw_heat_map

    labels = ("θ1 [°]", "θ2 [°]", "θ3 [°]")
    return draw_heat_map(np.degrees(ends[:, :, 2]), (20.0, 160.0, -100.0, 100.0), tr("Where a start leads to"), labels)


def _draw_path(robot: Robot, q: Floats) -> Figure:
    from armlab.figures.arm import draw_path

    return draw_path(robot, q)


def _draw_arm(robot: Robot) -> Figure:
    from armlab.figures.arm import draw_arm

    return draw_arm(robot, robot.home)


S4 = PaperStudy(
    "S4",
    term(_("Kinematics and control simulator, Braccio arm (Bogdanovskyi, Pidtychenko, Gorbik 2025)")),
    (iteration, maps, configurations, braccio),
)
