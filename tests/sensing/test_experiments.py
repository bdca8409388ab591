"""S5's experiments: the exact sensor errs by 1e-9 at most where the paper's erred by 1e-4."""

from __future__ import annotations

import numpy as np
import pytest

from armlab.errors import ArmlabError
from armlab.sensing.experiments import (
    Experiment,
    carousel,
    experiment_of,
    pushed_cube,
    ramp_end,
    rig_at_rest,
    run_ups,
)
from armlab.sensing.imu_record import ImuRecord

TOLERANCE = 1e-9


def assert_exact(experiment: Experiment) -> None:
    for row in experiment.rows:
        assert row.our_error <= TOLERANCE, row
        assert row.our_error < row.paper_error
        assert row.ours == pytest.approx(row.expected, abs=2 * TOLERANCE)


def test_gravity_is_split_over_the_axes_of_a_tilted_sensor() -> None:
    experiment = rig_at_rest(rate=20.0)
    assert_exact(experiment)
    half = next(row for row in experiment.rows if row.what.startswith("y axis at 45°, at rest"))
    assert half.ours == pytest.approx(0.7071, abs=1e-4)


def test_a_cube_feels_g_then_the_push_then_nothing() -> None:
    assert_exact(pushed_cube(rate=50.0))


def test_on_the_carousel_the_sensor_feels_the_turn() -> None:
    assert_exact(carousel(rate=50.0))


def test_run_ups_take_the_time_that_inertia_and_torque_say() -> None:
    experiment = run_ups()
    assert_exact(experiment)
    assert [round(row.expected, 3) for row in experiment.rows] == pytest.approx(
        [0.417, 0.208, 0.138, 0.138, 0.138, 0.185], abs=1.1e-3
    )


def test_records_of_another_experiment_are_refused() -> None:
    t = np.arange(0.0, 3.0, 0.01)
    still = ImuRecord(t, np.zeros((len(t), 3)), np.tile([0.0, 0.0, 9.81], (len(t), 1)), name="still")
    for name, records, code in (
        ("b", [still, still], "experiment_records"),
        ("b", [still], "experiment_record_short"),
        ("d", [still] * 6, "ramp_missing"),
        ("e", [still], "unknown_experiment"),
    ):
        with pytest.raises(ArmlabError) as refused:
            experiment_of(name, records)  # type: ignore[arg-type]
        assert refused.value.code == code


def test_the_end_of_a_ramp_is_found_between_samples() -> None:
    t = np.linspace(0.0, 0.99, 100)
    assert ramp_end(t, np.minimum(2.0 * t - 0.1, 1.0), 1.0) == pytest.approx(0.55)
