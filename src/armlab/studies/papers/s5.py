"""S5: a virtual inertial sensor: the four experiments with their tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from armlab.catalog import load
from armlab.messages import Message, _, term
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.trajectory import Trajectory
from armlab.sensing.constructions import ConstructionError, compare_constructions
from armlab.sensing.experiments import (
    RADIUS,
    SENSOR_ON_BAR,
    TURN_RATE,
    Experiment,
    ExperimentRow,
    carousel,
    pushed_cube,
    rig_at_rest,
    run_ups,
)
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.truth import imu_along
from armlab.studies.papers.study import PaperStudy, PartResult, StudyFigure, StudyRow, at_most, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEP = 1e-3
"""s: the step of the simulation that the paper's sensors are built on here."""
CAPTIONS: dict[str, str] = {
    "a": _("Experiment a: the sensor on the tilting link."),
    "b": _("Experiment b: a cube rests, is pushed up, and falls."),
    "c": _("Experiment c: a sensor on the carousel."),
    "d": _("Experiment d: run-ups of the bar, with their regression lines."),
}


def experiment_rows(experiment: Experiment) -> tuple[StudyRow, ...]:
    """Return an experiment's table: the error that the paper states, ours, and that ours is not larger."""
    return tuple(_row(experiment.name, row) for row in experiment.rows)


def _row(name: str, row: ExperimentRow) -> StudyRow:
    what = term(
        _("{name}: {what}: {expected:.4f} {unit} expected, {ours:.4f} measured; error"),
        name=name,
        what=row.what,
        expected=row.expected,
        ours=row.ours,
        unit=row.unit,
    )
    return at_most(what, row.paper_error, row.our_error, row.paper_error)


def _part(run: Callable[[], Experiment]) -> Callable[[], PartResult]:
    def part() -> PartResult:
        experiment = run()
        caption: Message = term(CAPTIONS[experiment.name])
        figure = StudyFigure(f"experiment-{experiment.name}", caption, lambda: _draw(experiment))
        return PartResult(experiment_rows(experiment), (figure,))

    return part


def constructions() -> PartResult:
    """Build the sensor on the carousel as the paper did, from velocities and from a test mass, beside the exact one."""
    rig = load("s5-rig")
    turn = PiecewisePolynomial(np.array([0.0, 2.0]), np.array([[[0.0, 0.0], [2.0 * TURN_RATE, 0.0]]]))

    def exact_at(step: float) -> ImuRecord:
        return imu_along(rig, Trajectory(turn), SENSOR_ON_BAR, rate=1.0 / step)

    return PartResult(construction_rows(compare_constructions(exact_at, (STEP,))))


def construction_rows(errors: Sequence[ConstructionError]) -> tuple[StudyRow, ...]:
    """Return how far the paper's two constructions are off, and whether physics explains it.

    A forward difference of velocity is the mean acceleration of a step, which turns by ω·dt meanwhile: it is off by
    ω²r·ω·dt/2 along the path, and only in second order along the radius.
    """
    by_kind = {row.construction: row for row in errors}
    forward, mass = by_kind["forward"], by_kind["test_mass"]
    law = TURN_RATE**3 * RADIUS * STEP / 2.0
    return (
        shown(
            term(_("as the paper builds it, (v₁ − v₀)/dt at 1 ms: accelerometer error, m/s²")),
            term(_("0.0001 at a step that is not stated")),
            float(f"{forward.acc_max:.3g}"),
            term(_("ω³·r·dt/2 = {law:.3g} to 1 %"), law=law),
            holds=abs(forward.acc_max - law) < 0.01 * law,
        ),
        at_most(term(_("as the paper builds it, R₀ᵀR₁ at 1 ms: gyroscope error, rad/s")), 5e-7, forward.gyro_max, 5e-7),
        shown(
            term(_("force sensor with a test mass: accelerometer error, m/s²")),
            term(_("large, not recommended")),
            round(mass.acc_max, 3),
            term(_("more than 100 times that of the difference")),
            holds=mass.acc_max > 100.0 * forward.acc_max,
        ),
    )  # fmt: skip


def _draw(experiment: Experiment) -> Figure:
    from armlab.figures.sensing import draw_experiment

    return draw_experiment(experiment)


S5 = PaperStudy(
    "S5",
    term(_("Virtual inertial sensor (Lukyanov, Mpengele, Alkhalili 2025)")),
    (*(_part(run) for run in (rig_at_rest, pushed_cube, carousel, run_ups)), constructions),
)
