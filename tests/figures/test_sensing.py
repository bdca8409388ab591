"""The figures of S5's experiments show what the sensors read."""

from __future__ import annotations

import numpy as np
import pytest

from armlab.figures.sensing import draw_experiment
from armlab.sensing.experiments import carousel, run_ups


def test_run_ups_are_drawn_with_the_end_of_each_ramp() -> None:
    experiment = run_ups()
    (axes,) = draw_experiment(experiment).axes
    marks = [float(np.ravel(line.get_xdata())[0]) for line in axes.lines if line.get_marker() == "o"]
    assert marks == pytest.approx([row.expected for row in experiment.rows], abs=1e-9)
    rates = axes.lines[0].get_ydata()
    assert np.max(rates) == pytest.approx(45.0, abs=0.1)


def test_the_carousel_shows_rate_and_force() -> None:
    rate, force = draw_experiment(carousel(rate=50.0)).axes
    turning, radial = (np.asarray(line.get_ydata()) for line in (rate.lines[2], force.lines[0]))
    assert turning[len(turning) // 2] == pytest.approx(45.0)
    assert radial[len(radial) // 2] == pytest.approx(-0.46264, abs=1e-4)
