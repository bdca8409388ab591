from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armlab
from armlab.figures.convergence import draw_convergence
from armlab.figures.style import save_figure


def _trace(**options: Any) -> Any:
    arm = armlab.load("planar3")
    target = arm.fk(arm.home).copy()
    target[:2, 3] = -0.010, 0.035
    return armlab.lm_trace(arm, target, arm.home, task="position", **options)


def _points(axes: Any, label: str) -> Any:
    (line,) = [line for line in axes.lines if line.get_label() == label]
    return np.array(line.get_data()).T


def test_every_step_is_drawn_with_its_error_and_its_damping() -> None:
    trace = _trace()
    above, below = draw_convergence(trace).axes
    assert above.get_yscale() == below.get_yscale() == "log"
    assert above.get_ylabel() == "error ‖e‖ [mm]"
    errors = [step.error * 1e3 for step in trace.steps] + [trace.error * 1e3]
    np.testing.assert_allclose(np.asarray(above.lines[0].get_ydata()), errors)
    np.testing.assert_allclose(np.asarray(below.lines[0].get_ydata()), [step.damping for step in trace.steps])
    np.testing.assert_allclose(_points(above, "end"), [[len(trace.steps), trace.error * 1e3]])


def test_accepted_and_refused_steps_have_their_own_marks() -> None:
    arm = armlab.load("kuka-kr6-r900")
    rng = np.random.default_rng(3)
    for _ in range(30):
        goal = arm.fk(rng.uniform(arm.lower, arm.upper))
        trace = armlab.lm_trace(arm, goal, arm.home, damping=1e-6)
        refused = [k for k, step in enumerate(trace.steps) if not step.accepted]
        if refused:
            break
    figure = draw_convergence(trace)
    for axes in figure.axes:
        assert _points(axes, "step rejected")[:, 0].tolist() == refused
        assert len(_points(axes, "step accepted")) == len(trace.steps) - len(refused)
    assert f"rejected: {len(refused)}" in figure.get_suptitle()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "converged"),
        ({"max_steps": 1}, "no more steps were allowed\nsteps: 1,"),
        ({"step_tolerance": 10.0}, "the steps became too small"),
        ({"gradient_tolerance": 1e9}, "no small step"),
    ],
)
def test_the_title_says_why_it_ended(options: dict[str, Any], words: str) -> None:
    assert words in draw_convergence(_trace(**options)).get_suptitle()


def test_a_start_at_the_target_is_a_figure_with_one_point(tmp_path: Any) -> None:
    arm = armlab.load("planar3")
    trace = armlab.lm_trace(arm, arm.fk(arm.home), arm.home)
    assert trace.steps == ()
    figure = draw_convergence(trace)
    save_figure(figure, tmp_path / "one.png")
    assert "steps: 0," in figure.get_suptitle()
