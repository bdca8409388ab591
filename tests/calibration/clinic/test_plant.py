"""The light simulation of servos, against SciPy's integration of the same equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from armlab import catalog, dynamics
from armlab.arrays import Floats
from armlab.calibration.clinic.faults import ArmFault
from armlab.calibration.clinic.plant import simulate_run, work_motion
from armlab.dynamics.bodies import chain_of
from armlab.dynamics.forces import GRAVITY
from armlab.errors import InvalidInput, UnknownName
from armlab.kernels import servo

ROBOT = catalog.load("planar2")
N = ROBOT.dof
STIFFNESS, DAMPING, ROTOR = 200.0, 20.0, 0.1


def conditions(steps: int, coulomb: float = 0.3, viscous: float = 0.2) -> Floats:
    out = np.zeros((steps, servo.CONDITIONS, N))
    out[:, servo.COULOMB], out[:, servo.VISCOUS], out[:, servo.LIMIT] = coulomb, viscous, 1e6
    return out


def run(command: Floats, given: Floats, dt: float) -> Floats:
    bodies = np.zeros((2, N + 1, 10))
    bodies[:, :N] = chain_of(ROBOT).bodies
    bodies[0, N, 0] = len(command)
    gains = np.stack([np.full(N, v) for v in (STIFFNESS, DAMPING, ROTOR, 60.0, -10.0, 10.0)])
    out = np.empty((len(command), 4, N))
    chain = chain_of(ROBOT)
    assert servo.servo_into(chain.constants, chain.revolute, bodies, np.array(GRAVITY), dt, command, gains, given, out)
    return out


def wave(t: Floats) -> Floats:
    """Return commands (m, 4, n): sines, and no torque fed forward."""
    out = np.zeros((len(t), 4, N))
    for i in range(N):
        rate = 1.5 + i
        out[:, 0, i] = 0.5 * np.sin(rate * t)
        out[:, 1, i] = 0.5 * rate * np.cos(rate * t)
        out[:, 2, i] = -0.5 * rate**2 * np.sin(rate * t)
    return out


def test_servos_move_the_arm_as_scipy_integrates_it() -> None:
    dt = 0.0005
    t = np.linspace(0.0, 2000 * dt, 2001)
    ours = run(wave(t), conditions(len(t)), dt)

    def rates(time: float, state: Floats) -> Floats:
        q, qd = state[:N], state[N:]
        command = wave(np.array([time]))[0]
        tau = STIFFNESS * (command[0] - q) + DAMPING * (command[1] - qd)
        tau = tau - 0.3 * np.tanh(qd / servo.SLOW) - 0.2 * qd
        M = dynamics.mass_matrix(ROBOT, q) + ROTOR * np.eye(N)
        bias = dynamics.inverse_dynamics(ROBOT, q, qd, np.zeros(N))
        return np.concatenate([qd, np.linalg.solve(M, tau - bias)])

    start = np.concatenate([ours[0, 0], ours[0, 1]])
    theirs = solve_ivp(rates, (0.0, t[-1]), start, t_eval=t[::100], rtol=1e-8, atol=1e-9, method="LSODA")
    np.testing.assert_allclose(ours[::100, 0], theirs.y[:N].T, atol=2e-3)


def test_a_stuck_joint_stands_and_a_weak_one_gives_no_more_than_its_limit() -> None:
    t = np.linspace(0.0, 999 * 0.005, 1000)
    given = conditions(len(t))
    given[300:, servo.STUCK, 0] = 1.0
    given[:, servo.LIMIT, 1] = 0.05
    out = run(wave(t), given, 0.005)
    assert np.ptp(out[302:, 0, 0]) < 1e-9
    assert np.abs(out[:, 3, 1]).max() <= 0.05


def test_a_run_repeats_with_its_seed() -> None:
    one, other = (simulate_run(ROBOT, None, seed=3, duration=12.0).recording for _run in range(2))
    np.testing.assert_array_equal(one.joints, other.joints)
    assert not np.array_equal(simulate_run(ROBOT, None, seed=4, duration=12.0).recording.tau, one.tau)


def test_work_stays_within_the_limits() -> None:
    robot = catalog.load("ur5e")
    q, qd, _qdd = work_motion(robot, 5).sample(np.linspace(0.0, 12.0, 2000))
    assert (q > robot.lower).all()
    assert (q < robot.upper).all()
    assert (np.abs(qd) < robot.velocity).all()


def test_faults_that_there_are_not_are_refused() -> None:
    with pytest.raises(UnknownName):
        ArmFault("rust", 0, 1.0, 1.0)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput) as caught:
        ArmFault("backlash", 0, 1.0, np.inf)
    assert caught.value.code == "fault_values"
