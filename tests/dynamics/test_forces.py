"""Laws of mechanics, which hold for every arm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused

from armlab import dynamics
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot
from oracles.arms import joint_values, made_up_arms

ARMS = {robot.name: robot for robot in made_up_arms()}


@pytest.fixture(params=list(ARMS))
def arm(request: pytest.FixtureRequest) -> Robot:
    return ARMS[request.param]


@pytest.fixture
def six() -> Robot:
    return ARMS["six-odd"]


def states(robot: Robot, seed: int, count: int = 20) -> tuple[Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    q = joint_values(robot, count, seed)
    return q, rng.normal(size=q.shape), rng.normal(size=q.shape)


def pendulum(mass: float = 2.0, length: float = 0.7) -> Robot:
    """Return a point mass that hangs from an axis along y, straight down at zero."""
    return Robot(
        name="pendulum",
        joints=(Joint("swing", "revolute", np.eye(4), np.array([0.0, 1.0, 0.0]), -3.0, 3.0),),
        links=(Link("base"), Link("bob", Inertia(mass, np.array([0.0, 0.0, -length])))),
        home=np.zeros(1),
        source="made up for tests",
    )


def test_a_pendulum_swings_as_in_the_textbook() -> None:
    m, r, g = 2.0, 0.7, 9.81
    for angle in (-1.0, 0.0, 0.4, math.pi / 2):
        assert dynamics.gravity_torque(pendulum(), [angle])[0] == pytest.approx(m * g * r * math.sin(angle), abs=1e-14)
        qdd = dynamics.forward_dynamics(pendulum(), [angle], [2.0], [0.0])
        assert qdd[0] == pytest.approx(-g / r * math.sin(angle), abs=1e-13)
    assert dynamics.mass_matrix(pendulum(), [0.3])[0, 0] == pytest.approx(m * r * r)
    assert dynamics.coriolis_torque(pendulum(), [0.3], [5.0])[0] == pytest.approx(0.0, abs=1e-14)


def test_a_crane_that_slides_feels_coriolis_force() -> None:
    """A mass on a rail that turns: F = m (r̈ − r ω²), T = m (r² α + 2 r ṙ ω)."""
    robot = Robot(
        name="crane",
        joints=(
            Joint("turn", "revolute", np.eye(4), np.array([0.0, 0.0, 1.0]), -3.0, 3.0),
            Joint("slide", "prismatic", np.eye(4), np.array([1.0, 0.0, 0.0]), 0.0, 2.0),
        ),
        links=(Link("base"), Link("rail"), Link("trolley", Inertia(3.0))),
        home=np.array([0.0, 1.0]),
        source="made up for tests",
    )
    r, w, v, a, b = 1.2, 0.7, 0.4, 0.3, -0.2
    tau = dynamics.inverse_dynamics(robot, [0.5, r], [w, v], [a, b])
    np.testing.assert_allclose(tau, [3.0 * (r * r * a + 2 * r * v * w), 3.0 * (b - r * w * w)], atol=1e-13)


def test_the_mass_matrix_is_symmetric_and_positive_definite(arm: Robot) -> None:
    M = dynamics.mass_matrix(arm, states(arm, 1)[0])
    np.testing.assert_array_equal(M, M.transpose(0, 2, 1))
    if arm.name != "square":  # whose last link is a point on its axis
        assert np.linalg.eigvalsh(M).min() > 0.0


def test_forces_are_mass_times_acceleration_plus_the_rest(arm: Robot) -> None:
    q, qd, qdd = states(arm, 2)
    tau = np.einsum("mij,mj->mi", dynamics.mass_matrix(arm, q), qdd)
    tau += dynamics.coriolis_torque(arm, q, qd) + dynamics.gravity_torque(arm, q)
    np.testing.assert_allclose(dynamics.inverse_dynamics(arm, q, qd, qdd), tau, rtol=1e-11, atol=1e-11)


def test_forward_undoes_inverse(six: Robot) -> None:
    q, qd, qdd = states(six, 3)
    tau = dynamics.inverse_dynamics(six, q, qd, qdd)
    np.testing.assert_allclose(dynamics.forward_dynamics(six, q, qd, tau), qdd, atol=1e-9)


def test_the_mass_matrix_changes_as_the_coriolis_matrix_says(arm: Robot) -> None:
    """With Christoffel's symbols dM/dt = C + Cᵀ, so that dM/dt − 2C is skew-symmetric: the arm makes no energy."""
    q, qd, _ = states(arm, 4)
    h = 1e-6
    change = (dynamics.mass_matrix(arm, q + h * qd) - dynamics.mass_matrix(arm, q - h * qd)) / (2 * h)
    C = dynamics.coriolis_matrix(arm, q, qd)
    np.testing.assert_allclose(change, C + C.transpose(0, 2, 1), atol=1e-6)
    np.testing.assert_allclose(np.einsum("mij,mj->mi", C, qd), dynamics.coriolis_torque(arm, q, qd), atol=1e-10)


def test_power_goes_into_kinetic_energy_and_height(arm: Robot) -> None:
    q, qd, qdd = states(arm, 5)
    tau, h = dynamics.inverse_dynamics(arm, q, qd, qdd), 1e-6
    ahead, behind = (q + h * qd + h * h / 2 * qdd, qd + h * qdd), (q - h * qd + h * h / 2 * qdd, qd - h * qdd)
    kinetic = (dynamics.kinetic_energy(arm, *ahead) - dynamics.kinetic_energy(arm, *behind)) / (2 * h)
    height = (dynamics.potential_energy(arm, ahead[0]) - dynamics.potential_energy(arm, behind[0])) / (2 * h)
    held = dynamics.gravity_torque(arm, q)
    np.testing.assert_allclose(kinetic, np.einsum("mi,mi->m", qd, tau - held), rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(height, np.einsum("mi,mi->m", qd, held), rtol=1e-6, atol=1e-5)


def test_an_arm_that_falls_with_its_base_needs_no_force(six: Robot) -> None:
    np.testing.assert_allclose(dynamics.gravity_torque(six, six.home, gravity=[0, 0, 0]), 0.0, atol=1e-13)


def test_a_turned_base_is_a_turned_gravity(six: Robot) -> None:
    q = states(six, 6)[0]
    turn = pose.from_xyz_rpy([1, 2, 3], [0.3, -0.8, 1.1])
    turned = six.with_base(turn @ six.base)
    down = turn[:3, :3].T @ np.array(dynamics.GRAVITY)
    np.testing.assert_allclose(
        dynamics.gravity_torque(turned, q), dynamics.gravity_torque(six, q, gravity=down), atol=1e-11
    )


def test_one_row_and_many_rows_agree(arm: Robot) -> None:
    q, qd, qdd = states(arm, 7, count=33)
    many = dynamics.inverse_dynamics(arm, q, qd, qdd)
    M, C = dynamics.mass_matrix(arm, q), dynamics.coriolis_matrix(arm, q, qd)
    for k in (0, 15, 16, 32):
        np.testing.assert_array_equal(dynamics.inverse_dynamics(arm, q[k], qd[k], qdd[k]), many[k])
        np.testing.assert_array_equal(dynamics.mass_matrix(arm, q[k]), M[k])
        np.testing.assert_array_equal(dynamics.coriolis_matrix(arm, q[k], qd[k]), C[k])
        assert dynamics.kinetic_energy(arm, q[k], qd[k]).shape == ()


def test_one_row_of_speeds_stands_for_all(six: Robot) -> None:
    q, qd, _ = states(six, 8)
    one = dynamics.inverse_dynamics(six, q, qd[0], np.zeros(6))
    each = dynamics.inverse_dynamics(six, q, np.repeat(qd[:1], len(q), axis=0), np.zeros(q.shape))
    np.testing.assert_array_equal(one, each)


def test_no_rows_make_no_rows(six: Robot) -> None:
    empty = np.empty((0, 6))
    assert dynamics.inverse_dynamics(six, empty, empty, empty).shape == (0, 6)
    assert dynamics.mass_matrix(six, empty).shape == (0, 6, 6)
    assert dynamics.coriolis_matrix(six, empty, empty).shape == (0, 6, 6)
    assert dynamics.forward_dynamics(six, empty, empty, empty).shape == (0, 6)


def test_an_arm_without_masses_cannot_be_accelerated(robot: Robot) -> None:
    assert dynamics.moving_mass(robot) == 0.0
    np.testing.assert_array_equal(dynamics.inverse_dynamics(robot, robot.home, [1, 1, 1], [1, 1, 1]), np.zeros(3))
    with refused("joint_without_inertia", InvalidInput, joint="turn"):
        dynamics.forward_dynamics(robot, robot.home, np.zeros(3), np.zeros(3))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([0.0] * 5, [0.0] * 6, [0.0] * 6), r"six-odd: q: expected 6 values or rows of 6, got shape \(5,\)"),
        (([0.0] * 6, [math.nan] * 6, [0.0] * 6), r"six-odd: qd\[0\]: nan is not a finite number"),
        (([0.0] * 6, [0.0] * 6, [math.inf] * 6), r"six-odd: qdd\[0\]: inf is not a finite number"),
        ((np.zeros((2, 6)), np.zeros((3, 6)), [0.0] * 6), "the numbers of rows differ: q 2, qd 3"),
        (([0.0, 2e5, 0, 0, 0, 0], [0.0] * 6, [0.0] * 6), "joint 'j1': q 200000 rad is outside ±100000 rad"),
        (([0.0] * 6, [0, 0, -1e13, 0, 0, 0], [0.0] * 6), "joint 'j2': qd -1e\\+13 rad/s is outside"),
        ((["a"] * 6, [0.0] * 6, [0.0] * 6), "is not an array of numbers"),
    ],
)
def test_bad_states_are_refused_in_a_sentence(six: Robot, arguments: tuple[Floats, ...], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        dynamics.inverse_dynamics(six, *arguments)


@pytest.mark.parametrize("name", ["q", "qd", "tau"])
def test_a_plain_row_that_is_not_finite_is_refused_too(six: Robot, name: str) -> None:
    values = {"q": six.home.copy(), "qd": np.zeros(6), "tau": np.zeros(6)}
    values[name][3] = math.nan
    with pytest.raises(InvalidInput, match=rf"six-odd: {name}\[.*3\]: nan is not a finite number"):
        dynamics.forward_dynamics(six, **values)


def test_arguments_are_left_as_they_were(six: Robot) -> None:
    q, qd, tau = (np.full(6, value) for value in (0.1, 0.2, 0.3))
    dynamics.forward_dynamics(six, q, qd, tau)
    assert [q[0], qd[0], tau[0]] == [0.1, 0.2, 0.3]


def test_bad_gravity_is_refused(six: Robot) -> None:
    with refused("wrong_shape", InvalidInput, who="gravity", expected="(3,)", got="(2,)"):
        dynamics.gravity_torque(six, six.home, gravity=[0, 0])


def test_too_many_matrices_are_refused_before_they_fill_the_memory(six: Robot) -> None:
    q = np.broadcast_to(np.zeros(6), (2_000_000, 6))
    with refused("too_many_values", InvalidInput, most=50_000_000):
        dynamics.mass_matrix(six, q)
