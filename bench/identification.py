"""Identification: the regressor beside Pinocchio's, one identification, one diagnosis."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import partial

import numpy as np

import armlab
from armlab.calibration.clinic.diagnose import diagnose
from armlab.calibration.clinic.plant import simulate_run
from armlab.calibration.identification.excitation import excite
from armlab.calibration.identification.identify import identify
from armlab.calibration.identification.payload import identify_payload
from armlab.calibration.identification.samples import joint_samples
from armlab.calibration.identification.simulated import simulated, true_arm
from armlab.dynamics import torque_regressor
from armlab.formats.urdf import urdf_text
from armlab.model.robot import Robot
from bench.timing import Line, best_of

ARMS = ("ur5e", "franka-panda")
STATES, PEER_STATES = 5_000, 2_000


def lines() -> Iterator[Line]:
    """Yield one line per measure; without Pinocchio only ours."""
    for name in ARMS:
        yield _regressor_line(armlab.load(name))
    robot = armlab.load("ur5e")
    found = excite(robot, trials=60)
    yield Line("exciting motion, per trial", robot.name, best_of(lambda: excite(robot, trials=60), 60))
    samples = joint_samples(robot, simulated(true_arm(robot, 1), found.motion, seed=1))
    yield Line(
        "identification with possible bodies",
        robot.name,
        best_of(partial(identify, robot, samples)),
        note="2,000 samples",
    )
    loaded = joint_samples(robot, simulated(true_arm(robot, 1), found.motion, seed=1, mass=2.0))
    yield Line("payload", robot.name, best_of(partial(identify_payload, robot, loaded)), note="2,000 samples")
    run = simulate_run(robot, None, seed=1)
    yield Line("simulated run of the clinic", robot.name, best_of(partial(simulate_run, robot, None)), note="60 s")
    yield Line(
        "diagnosis", robot.name, best_of(partial(diagnose, robot, run.recording, run.imu)), note="60 s at 100 Hz"
    )


def _regressor_line(robot: Robot) -> Line:
    """Time per row: the equation of one joint at one state, with all 13 n columns (theirs has 10 n)."""
    rng = np.random.default_rng(0)
    states = rng.uniform(-1.0, 1.0, (3, STATES, robot.dof))
    q, qd, qdd = (np.ascontiguousarray(rows) for rows in states)
    ours = best_of(partial(torque_regressor, robot, q, qd, qdd), STATES * robot.dof)
    what = "regressor, per row"
    try:
        pin = importlib.import_module("pinocchio")
    except ImportError:
        return Line(what, robot.name, ours)
    model = pin.buildModelFromXML(urdf_text(robot))
    data = model.createData()

    def loop() -> None:
        for k in range(PEER_STATES):
            pin.computeJointTorqueRegressor(model, data, q[k], qd[k], qdd[k])

    return Line(what, robot.name, ours, "Pinocchio in a loop", best_of(loop, PEER_STATES * robot.dof))
