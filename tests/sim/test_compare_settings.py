"""Comparisons with other drives, masses and steps: what becomes of them, and what is said about it."""

from __future__ import annotations

import numpy as np
import pytest

from armlab.catalog import load
from armlab.dynamics import mass_matrix, moving_mass
from armlab.errors import InvalidInput
from armlab.sim.compare import StructureComparison, compare, standard_motion
from armlab.sim.compare_findings import stable_stiffness, stable_timestep
from armlab.sim.compare_run import STEP_AT, JointStep
from armlab.sim.compare_settings import DriveSettings, with_masses

PHYSICAL = ("joints", "articulation")


def codes(made: StructureComparison, structure: str) -> list[str]:
    return [finding.code for finding in made.metrics[structure].findings]  # type: ignore[index]


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "scara", "ur5e"])
def test_drives_of_the_arms_own_follow_without_findings(name: str) -> None:
    made = compare(load(name), duration=0.5)
    assert all(one.findings == () and one.diverged is None for one in made.metrics.values())


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "scara", "ur5e"])
def test_drives_shake_beyond_the_stable_timestep_and_not_below_it(name: str) -> None:
    robot, settings = load(name), DriveSettings(stiffness=100.0)
    arm, drives = settings.applied(robot)
    masses = mass_matrix(arm, standard_motion(robot, 0.5).sample(np.linspace(0.0, 0.5, 16)).q)
    damping, stiffness = np.array([d.damping for d in drives]), np.array([d.stiffness for d in drives])
    longest = stable_timestep(masses, damping, stiffness)
    assert stable_stiffness(masses, damping, stiffness, longest) == pytest.approx(1.0, rel=1e-6)
    calm = compare(robot, duration=0.5, timestep=0.8 * longest, settings=settings)
    wild = compare(robot, duration=0.5, timestep=1.3 * longest, settings=settings)
    for structure in PHYSICAL:
        assert "structure_shakes" not in codes(calm, structure)
        assert {"structure_shakes", "structure_diverged"} & set(codes(wild, structure))
        assert "step_too_long_for_stiffness" in codes(wild, structure)
    assert wild.metrics["hierarchy"].findings == ()


def test_what_is_advised_against_shaking_ends_it() -> None:
    robot = load("kuka-kr6-r700")
    wild = compare(robot, duration=0.5, settings=DriveSettings(stiffness=100.0))
    (advice,) = [f.message for f in wild.metrics["joints"].findings if f.code == "step_too_long_for_stiffness"]
    shorter, softer = float(advice.parameters["longest"]) * 1e-3, 100.0 * float(advice.parameters["softer"])
    for again in (
        compare(robot, duration=0.5, timestep=shorter, settings=DriveSettings(stiffness=100.0)),
        compare(robot, duration=0.5, settings=DriveSettings(stiffness=softer)),
    ):
        assert all("structure_shakes" not in codes(again, structure) for structure in PHYSICAL)


def test_a_run_that_diverges_ends_there_and_the_others_go_on() -> None:
    made = compare(load("scara"), timestep=0.01, settings=DriveSettings(stiffness=100.0))
    tied, tree = made.metrics["joints"], made.metrics["hierarchy"]
    assert tied.diverged is not None
    assert tied.run.time[-1] < tied.diverged.time < 2.0 == pytest.approx(tree.run.time[-1])
    assert codes(made, "joints")[:2] == ["structure_diverged", "step_too_long_for_stiffness"]
    assert np.isfinite(tied.frames).all()
    assert len(tied.frames) == len(tied.run.time) == len(tied.step_costs)


def test_a_step_is_followed_by_every_structure() -> None:
    robot = load("kuka-kr6-r700")
    made = compare(robot, JointStep.of(robot, 1, 0.2, duration=0.8))
    wanted = robot.home + np.eye(robot.dof)[1] * 0.2
    for metrics in made.metrics.values():
        before = metrics.run.time < STEP_AT
        np.testing.assert_allclose(metrics.run.q[before], np.tile(robot.home, (before.sum(), 1)), atol=1e-4)
        np.testing.assert_allclose(metrics.run.q[-1], wanted, atol=2e-3)
        np.testing.assert_allclose(metrics.frames[-1, -1], robot.fk(metrics.run.q[-1]), atol=1e-5)


def test_little_damping_is_told_as_such() -> None:
    robot = load("kuka-kr6-r700")
    made = compare(robot, JointStep.of(robot, 0, 0.3), settings=DriveSettings(damping=0.1))
    assert codes(made, "articulation")[:2] == ["structure_shakes", "drive_little_damped"]


def test_weak_drives_let_the_arm_fall_and_say_so() -> None:
    made = compare(load("kuka-kr6-r700"), duration=0.5, settings=DriveSettings(force_limit=0.05))
    for structure in PHYSICAL:
        assert "force_limit_reached" in codes(made, structure)
    assert made.metrics["articulation"].tool_rms > 1e3 * made.metrics["hierarchy"].tool_rms


def test_friction_makes_the_arm_lag() -> None:
    plain, rough = (
        compare(load("scara"), duration=1.0, settings=DriveSettings(friction=share)) for share in (0.0, 0.2)
    )
    for structure in PHYSICAL:
        assert rough.metrics[structure].tool_rms > 3.0 * plain.metrics[structure].tool_rms  # type: ignore[index]
    assert rough.metrics["hierarchy"].tool_rms == plain.metrics["hierarchy"].tool_rms


def test_masses_times_a_factor_are_those_of_a_mass_matrix_times_it() -> None:
    robot = load("ur5e", tool="gripper")
    heavy = with_masses(robot, 3.0)
    assert moving_mass(heavy) == pytest.approx(3.0 * moving_mass(robot))
    np.testing.assert_allclose(
        mass_matrix(heavy, robot.home), 3.0 * mass_matrix(robot, robot.home), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize(
    ("given", "setting"),
    [
        ({"stiffness": 0.0}, "stiffness"),
        ({"damping": -1.0}, "damping"),
        ({"force_limit": float("inf")}, "force_limit"),
        ({"mass": float("nan")}, "mass"),
        ({"friction": 1.5}, "friction"),
    ],
)
def test_wrong_settings_are_refused(given: dict[str, float], setting: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        DriveSettings(**given)
    assert (caught.value.code, caught.value.parameters["setting"]) == ("drive_setting_outside", setting)


@pytest.mark.parametrize(
    ("joint", "by", "duration", "code"),
    [(4, 0.1, 1.0, "no_such_joint"), (-1, 0.1, 1.0, "no_such_joint"), (0, 9.0, 1.0, "step_outside_limits"),
     (0, float("nan"), 1.0, "step_outside_limits"), (0, 0.1, 0.05, "step_too_short")],
)  # fmt: skip
def test_wrong_steps_are_refused(joint: int, by: float, duration: float, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        JointStep.of(load("scara"), joint, by, duration=duration)
    assert caught.value.code == code


def test_a_wrong_timestep_is_refused_before_anything_is_computed() -> None:
    for timestep in (0.0, -1.0, 0.1, float("nan")):
        with pytest.raises(InvalidInput) as caught:
            compare(load("scara"), timestep=timestep)
        assert caught.value.code == "timestep_outside"
