from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from refusals import refused

from armlab import catalog
from armlab.arrays import Floats
from armlab.errors import InvalidInput, LimitViolation
from armlab.geometry import pose
from armlab.kinematics.lm_trace import LmTrace, lm_trace

START = np.radians([30.0, 30.0, 20.0])
TARGET = pose.from_xyz([-0.010, 0.035, 0.0])


def paper(damping: float, tolerance: float = 1e-4) -> LmTrace:
    planar3 = catalog.load("planar3")
    return lm_trace(planar3, TARGET, START, task="planar", damping=damping, error_tolerance=tolerance)


@pytest.mark.parametrize("damping", [1e-3, 1e-2, 1e-1, 1.0, 10.0])
def test_the_worked_example_of_s4_is_found_in_four_steps_from_any_damping(damping: float) -> None:
    trace = paper(damping)
    assert trace.steps[0].error == pytest.approx(42.53e-3, abs=0.005e-3)
    assert len(trace.steps) == 4
    assert trace.converged
    assert trace.stop == "error"
    assert trace.error < 0.1e-3
    np.testing.assert_allclose(np.degrees(trace.q), [38.5, 68.8, 62.8], atol=0.1)


def test_accepted_steps_lower_the_error_and_the_damping_and_rejected_ones_stay() -> None:
    robot = catalog.load("ur5e")
    rng = np.random.default_rng(4)
    rejected = 0
    for _ in range(20):
        T = robot.fk(rng.uniform(robot.lower, robot.upper))
        trace = lm_trace(robot, T, robot.home, max_steps=60)
        for here, after in zip(trace.steps, trace.steps[1:], strict=False):
            if here.accepted:
                assert after.error < here.error
                assert after.damping < here.damping or after.damping < 1e-5  # its least value
            else:
                rejected += 1
                assert after.error == here.error
                assert after.damping > here.damping
                np.testing.assert_array_equal(after.q, here.q)
            assert here.step == pytest.approx(np.linalg.norm(after.q - here.q)) or not here.accepted
    assert rejected > 0


@pytest.mark.parametrize("name", ["planar3", "ur5e", "scara", "franka-panda"])
@pytest.mark.parametrize("task", ["pose", "position", "approach"])
def test_every_place_on_the_way_is_inside_the_limits_and_convergence_is_true(name: str, task: str) -> None:
    robot = catalog.load(name)
    rng = np.random.default_rng(1)
    met = 0
    for _ in range(10):
        T = robot.fk(rng.uniform(robot.lower, robot.upper))
        trace = lm_trace(robot, T, robot.home, task=task)
        places = np.array([step.q for step in trace.steps] + [trace.q])
        assert (places >= robot.lower).all()
        assert (places <= robot.upper).all()
        if trace.converged:
            met += 1
            at = robot.fk(trace.q)
            assert np.linalg.norm(at[:3, 3] - T[:3, 3]) <= 1e-6
            if task != "position":
                np.testing.assert_allclose(at[:3, 2], T[:3, 2], atol=1e-4)
    assert met >= 3


def test_it_depends_on_its_start() -> None:
    planar3 = catalog.load("planar3")
    ends = [
        lm_trace(planar3, TARGET, np.radians(start), task="planar").q
        for start in ([30, 30, 20], [150, -60, -60], [90, 90, -90])
    ]
    assert all(np.linalg.norm(a - b) > 0.3 for a, b in ((ends[0], ends[1]), (ends[1], ends[2])))


def test_out_of_reach_it_stops_for_another_reason() -> None:
    planar3 = catalog.load("planar3")
    trace = lm_trace(planar3, pose.from_xyz([0.0, 0.1, 0.0]), START, task="planar", max_steps=200)
    assert not trace.converged
    assert trace.stop in {"step", "gradient", "steps"}
    assert trace.position_error == pytest.approx(0.04, abs=1e-4)


def test_a_straight_arm_pulled_inward_has_no_gradient() -> None:
    planar3 = catalog.load("planar3")
    straight = np.radians([90.0, 0.0, 0.0])
    trace = lm_trace(planar3, pose.from_xyz([0.0, 0.03, 0.0]), straight, task="planar", gradient_tolerance=1e-6)
    assert trace.stop == "gradient"
    assert trace.steps == ()
    assert trace.error == pytest.approx(0.03)


def test_the_number_of_steps_is_bounded() -> None:
    trace = lm_trace(catalog.load("planar3"), TARGET, START, task="planar", max_steps=2)
    assert trace.stop == "steps"
    assert len(trace.steps) == 2


def test_the_unit_only_scales_the_damping() -> None:
    planar3 = catalog.load("planar3")
    in_mm = lm_trace(planar3, TARGET, START, task="planar", damping=10.0)
    in_m = lm_trace(planar3, TARGET, START, task="planar", damping=10.0e-6, unit=1.0)
    np.testing.assert_allclose(in_mm.q, in_m.q, atol=1e-9)
    assert [s.accepted for s in in_mm.steps] == [s.accepted for s in in_m.steps]


def trace_of(**changes: object) -> Callable[[], LmTrace]:
    given: dict[str, object] = {"T_world_tool": TARGET, "start": START, "task": "planar", **changes}
    return lambda: lm_trace(catalog.load("planar3"), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (trace_of(T_world_tool=np.full((4, 4), np.nan)), "target"),
        (trace_of(T_world_tool=np.stack([TARGET, TARGET])), "one pose"),
        (trace_of(start=[0.6, 0.5]), "start"),
        (trace_of(damping=0.0), "damping: 0 is not a positive number"),
        (trace_of(damping=np.nan), "damping: nan is not a positive number"),
        (trace_of(unit=-1.0), "unit: -1 is not a positive number"),
        (trace_of(max_steps=0), "max_steps: 0 given"),
        (trace_of(task="sideways"), "task: 'sideways' is not one of"),
    ],
)
def test_input_that_cannot_be_used_is_refused_in_a_sentence(call: Callable[[], LmTrace], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        call()


def test_a_start_outside_the_limits_names_the_joint() -> None:
    start: Floats = np.radians([10.0, 0.0, 0.0])
    with refused("joint_outside", LimitViolation, joint="theta1"):
        lm_trace(catalog.load("planar3"), TARGET, start, task="planar")
