"""Identification finds the truth it was simulated with, within the bounds that it states; and bodies that can exist."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from armlab import catalog, dynamics
from armlab.arrays import Floats
from armlab.calibration import Friction
from armlab.calibration.identification.consistent import bodies_of, body_slopes, pseudo_inertias
from armlab.calibration.identification.excitation import FourierMotion, excite
from armlab.calibration.identification.identify import identify
from armlab.calibration.identification.payload import identify_payload
from armlab.calibration.identification.samples import JointSamples, joint_samples
from armlab.calibration.identification.simulated import TrueArm, simulated, true_arm
from armlab.dynamics.regressor import link_parameters
from armlab.errors import InvalidInput
from armlab.geometry.inertia import Inertia
from armlab.model.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return catalog.load("ur5e").with_tool(catalog.load_tool("gripper"))


@pytest.fixture(scope="module")
def motion(robot: Robot) -> FourierMotion:
    return excite(robot, trials=100).motion


def arm_without_stribeck(robot: Robot, seed: int) -> TrueArm:
    """Return an arm whose friction is Coulomb and viscous only, as the model has it."""
    arm = true_arm(robot, seed)
    joints = [replace(j, friction=Friction(j.friction.coulomb, j.friction.viscous)) for j in arm.real.joints]
    return TrueArm(arm.robot, replace(arm.real, joints=tuple(joints)))


def exact_samples(arm: TrueArm, motion: FourierMotion, seed: int, noise: float = 0.01) -> JointSamples:
    """Return torques with noise beside positions, speeds and accelerations without."""
    t = np.arange(0.0, motion.period, 0.01)
    states = motion.sample(t)
    tau = arm.torques(*states)
    sizes = noise * np.abs(tau).max(axis=0)
    return JointSamples(t, *states, tau + np.random.default_rng(seed).normal(size=tau.shape) * sizes)


def truth_of(arm: TrueArm) -> Floats:
    drives = [[j.friction.coulomb, j.friction.viscous, 0.0] for j in arm.real.joints]
    return np.concatenate([link_parameters(arm.robot), np.ravel(drives)])


def test_without_noise_the_truth_comes_back(robot: Robot, motion: FourierMotion) -> None:
    arm = arm_without_stribeck(robot, 1)
    found = identify(robot, exact_samples(arm, motion, 1, noise=0.0))
    truth = found.base.of(truth_of(arm))
    np.testing.assert_allclose(found.fit.values, truth, atol=1e-6 * np.abs(truth).max())
    assert (found.fit.explained > 1.0 - 1e-9).all()


def test_the_stated_bounds_hold_as_often_as_they_say(robot: Robot, motion: FourierMotion) -> None:
    inside = []
    for seed in range(30):
        arm = arm_without_stribeck(robot, seed)
        found = identify(robot, exact_samples(arm, motion, 100 + seed))
        off = (found.fit.values - found.base.of(truth_of(arm))) / found.fit.sigma
        inside.append(np.abs(off) < 1.96)
    assert 0.92 < np.mean(inside) < 0.98


def test_every_identified_body_can_exist_and_moves_the_arm_alike(robot: Robot, motion: FourierMotion) -> None:
    arm = arm_without_stribeck(robot, 2)
    found = identify(robot, exact_samples(arm, motion, 2))
    bodies = found.parameters[: 10 * robot.dof].reshape(-1, 10)
    assert (np.linalg.eigvalsh(pseudo_inertias(bodies)) > 0.0).all()
    q, qd, qdd = motion.sample(np.linspace(0.0, 9.0, 77))
    ours = dynamics.torque_regressor(robot, q, qd, qdd) @ found.parameters + tool_torques(robot, q, qd, qdd)
    theirs = arm.torques(q, qd, qdd)
    assert (np.abs(ours - theirs) < 0.01 * np.abs(theirs).max(axis=0)).all()
    coulomb = np.array([j.friction.coulomb for j in arm.real.joints])
    assert (np.abs(found.coulomb - coulomb) < 0.01 * np.abs(theirs).max(axis=0)).all()


def tool_torques(robot: Robot, q: Floats, qd: Floats, qdd: Floats) -> Floats:
    bare = robot.with_tool(replace(robot.tool, inertia=Inertia()))
    return dynamics.inverse_dynamics(robot, q, qd, qdd) - dynamics.inverse_dynamics(bare, q, qd, qdd)


def test_log_cholesky_numbers_are_bodies() -> None:
    numbers = np.random.default_rng(0).normal(size=(50, 10))
    P = pseudo_inertias(bodies_of(numbers))
    assert (np.linalg.eigvalsh(P) > 0.0).all()
    np.testing.assert_allclose(np.exp(2 * numbers[:, 0]), bodies_of(numbers)[:, 0])


def test_the_slopes_of_bodies_are_those_of_small_differences() -> None:
    numbers = np.random.default_rng(1).normal(size=(20, 10))
    for j, step in enumerate(1e-6 * np.eye(10)):
        differences = (bodies_of(numbers + step) - bodies_of(numbers - step)) / 2e-6
        np.testing.assert_allclose(body_slopes(numbers)[:, :, j], differences, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("with_baseline", [False, True])
def test_a_payload_is_found_within_one_percent_and_two_millimetres(
    robot: Robot, motion: FourierMotion, with_baseline: bool
) -> None:
    rng = np.random.default_rng(5)
    for seed in range(12):
        mass, com = rng.uniform(0.5, 4.0), rng.uniform(-0.05, 0.05, 3)
        arm = true_arm(robot, seed)
        truth = arm if with_baseline else TrueArm(robot, arm.real)
        baseline = None
        if with_baseline:
            baseline = identify(robot, joint_samples(robot, simulated(truth, motion, seed=200 + seed)))
        samples = joint_samples(robot, simulated(truth, motion, seed=seed, mass=mass, com=com))
        load = identify_payload(robot, samples, baseline=baseline)
        assert abs(load.mass - mass) < 0.01 * mass
        assert np.linalg.norm(load.com - com) < 0.002
        assert abs(load.mass - mass) < 4.0 * load.mass_sigma


def test_an_empty_hand_has_no_payload(robot: Robot, motion: FourierMotion) -> None:
    samples = joint_samples(robot, simulated(TrueArm(robot, true_arm(robot, 0).real), motion, seed=1))
    with pytest.raises(InvalidInput) as caught:
        identify_payload(robot, samples)
    assert caught.value.code == "no_payload"


def test_a_flat_arm_does_not_feel_the_height_of_a_load() -> None:
    scara = catalog.load("scara")
    motion = excite(scara, trials=40).motion
    loaded = simulated(TrueArm(scara, true_arm(scara, 0).real), motion, mass=1.0, com=(0.02, 0.01, 0.1), noise=0.001)
    load = identify_payload(scara, joint_samples(scara, loaded))
    assert load.mass == pytest.approx(1.0, rel=0.01)
    assert np.isnan(load.com[2])
    assert not np.isnan(load.com[:2]).any()


def test_a_motion_that_leaves_a_joint_at_rest_is_refused(robot: Robot, motion: FourierMotion) -> None:
    still = replace(motion, sine=motion.sine.copy(), cosine=motion.cosine.copy())
    still.sine[4], still.cosine[4] = 0.0, 0.0
    with pytest.raises(InvalidInput) as caught:
        identify(robot, exact_samples(arm_without_stribeck(robot, 0), still, 0))
    assert caught.value.code == "motion_not_exciting"
    assert "Fv5" in caught.value.parameters["names"]
