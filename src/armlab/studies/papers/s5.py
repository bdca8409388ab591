"""S5: a virtual inertial sensor: the four experiments with their tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from armlab.messages import Message, _, term
from armlab.sensing.experiments import Experiment, ExperimentRow, carousel, pushed_cube, rig_at_rest, run_ups
from armlab.studies.papers.study import PaperStudy, PartResult, StudyFigure, StudyRow, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def _draw(experiment: Experiment) -> Figure:
    from armlab.figures.sensing import draw_experiment

    return draw_experiment(experiment)


S5 = PaperStudy(
    "S5",
    term(_("Virtual inertial sensor (Lukyanov, Mpengele, Alkhalili 2025)")),
    tuple(_part(run) for run in (rig_at_rest, pushed_cube, carousel, run_ups)),
)
