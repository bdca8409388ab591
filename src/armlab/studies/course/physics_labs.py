"""Labs 7, 9 and 10: structures and dynamics, inertial sensors, calibration."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.calibration import FrameError, RealArm, RealJoint, real_fk
from armlab.catalog.write import robot_toml
from armlab.dynamics import gravity_torque, mass_matrix
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.model.scene import GRAVITY
from armlab.studies.course.arms import MM, planar, upright
from armlab.studies.course.lab import (
    RIGHT,
    Lab,
    LabQuestion,
    Values,
    Verdict,
    as_numbers,
    close,
    listed,
    rounded,
    wrong,
)

NOISE = 0.02
"""mm: of the measurements of lab 10."""
SAMPLES, SHOWN = 60, 30
"""Measurements of lab 10: how many there are, and how many the student gets; the others judge."""


def _dynamics_variant(rng: Generator) -> dict[str, Any]:
    return {
        "lengths": (rng.integers(25, 50, 2) * 10.0).tolist(),
        "masses": (rng.integers(10, 40, 2) / 10.0).tolist(),
        "q": (rng.integers(1, 8, 2) * 10.0).tolist(),
        "effort": float(rng.integers(50, 90)),
    }


def _dynamic_arm(values: Values) -> Robot:
    return upright(values["lengths"], values["masses"], values["effort"])


def _grade_torques(values: Values, answer: Any) -> Verdict:
    given = as_numbers(answer, (2,), "tau")
    true = gravity_torque(_dynamic_arm(values), np.radians(values["q"]))
    off = np.abs(given - true)
    if off.max() <= 0.02:
        return RIGHT
    k = int(np.argmax(off))
    return wrong(
        "torque_off",
        _("lift q{joint} by 0.01 rad: the weight takes {true:.4f} J, your torque gives {given:.4f} J"),
        joint=k + 1,
        true=float(true[k]) * 0.01,
        given=float(given[k]) * 0.01,
    )


def _grade_masses(values: Values, answer: Any) -> Verdict:
    given = as_numbers(answer, (2, 2), "M")
    if abs(given[0, 1] - given[1, 0]) > 1e-6:
        return wrong("not_symmetric", _("a mass matrix is symmetric; yours is not"))
    if np.linalg.eigvalsh(given)[0] <= 0.0:
        v = np.linalg.eigh(given)[1][:, 0]
        return wrong(
            "energy_not_positive",
            _("at the speeds {qd} rad/s your kinetic energy would not be positive"),
            qd=listed(v, 2),
        )
    true = mass_matrix(_dynamic_arm(values), np.radians(values["q"]))
    if np.abs(given - true).max() <= 0.005 * np.abs(true).max():
        return RIGHT
    tests = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    ours, theirs = (0.5 * np.einsum("ki,ij,kj->k", tests, M, tests) for M in (true, given))
    k = int(np.argmax(np.abs(ours - theirs)))
    return wrong(
        "energy_off",
        _("at the speeds {qd} rad/s the arm has {true:.4f} J; your matrix gives {given:.4f} J"),
        qd=listed(tests[k], 0),
        true=float(ours[k]),
        given=float(theirs[k]),
    )


def _grade_payload(values: Values, answer: Any) -> Verdict:
    (l1, l2), (m1, m2) = values["lengths"], values["masses"]
    own = GRAVITY * MM * (m1 * l1 / 2.0 + m2 * (l1 + l2 / 2.0))
    most = max((values["effort"] - own) / (GRAVITY * MM * (l1 + l2)), 0.0)
    return close(answer, most, 0.02, "kg")


def _grade_ratio(_values: Values, answer: Any) -> Verdict:
    given = float(as_numbers(answer, (), "gap_ratio"))
    if 3.0 <= given <= 5.0:
        return RIGHT
    return wrong(
        "ratio_off",
        _("twice the step is not {given:g} times the gap: a link that is carried round leaves its joint by ½ω²r·dt²"),
        given=given,
    )


LAB_7 = Lab(
    7,
    _("Structures and dynamics"),
    _dynamics_variant,
    (
        LabQuestion(
            key="tau",
            text=_(
                "Two rods in the vertical plane, lengths {lengths} mm, masses {masses} kg; q1 counts up "
                "from the horizontal, q2 from rod 1. Which torques (N·m) hold them at q = {q}°?"
            ),
            blank="[0, 0]",
            grade=_grade_torques,
        ),
        LabQuestion(
            key="M", text=_("Write the mass matrix there (2×2, kg·m²)."), blank="[[0, 0], [0, 0]]", grade=_grade_masses
        ),
        LabQuestion(
            key="payload",
            text=_(
                "The first drive gives at most {effort:g} N·m. Which mass (kg) can the arm hold at its "
                "tip, stretched out level? 0 if none."
            ),
            blank="0",
            grade=_grade_payload,
        ),
        LabQuestion(
            key="gap_ratio",
            text=_(
                "Measure with `armlab compare arm.toml --timestep`: how many times as large is the joint "
                "gap of the structure `joints` at 2 ms as at 1 ms?"
            ),
            blank="0",
            grade=_grade_ratio,
        ),
    ),
    lambda values: {"arm.toml": robot_toml(_dynamic_arm(values))},
)


def _sensor_variant(rng: Generator) -> dict[str, Any]:
    return {
        "_seed": int(rng.integers(1, 2**31)),
        "_roll": round(float(rng.uniform(-40.0, 40.0)), 2),
        "_pitch": round(float(rng.uniform(-40.0, 40.0)), 2),
        "_bias": rounded(rng.uniform(-0.8, 0.8, 3), 3),
        "rate": 100.0,
        "_spin": float(rng.integers(40, 120)),
        "_radius": float(rng.integers(20, 90) * 10),
    }


def rest_record(values: Values) -> Floats:
    """Return t, acc (m/s²), gyro (°/s) of 60 s at rest (m, 7), with noise."""
    rng = np.random.default_rng(values["_seed"])
    roll, pitch = np.radians([values["_roll"], values["_pitch"]])
    up = GRAVITY * np.array([-np.sin(pitch), np.cos(pitch) * np.sin(roll), np.cos(pitch) * np.cos(roll)])
    t = np.arange(0.0, 60.0, 1.0 / values["rate"])
    acc = up + 0.05 * rng.standard_normal((len(t), 3))
    gyro = np.array(values["_bias"]) + 0.2 * rng.standard_normal((len(t), 3))
    return np.column_stack([t, acc, gyro])


def turntable_record(values: Values) -> Floats:
    """Return t, acc (m/s²), gyro (°/s) of 10 s on a turntable (m, 7): the sensor's x points outwards."""
    rng = np.random.default_rng(values["_seed"] + 1)
    omega = np.radians(values["_spin"])
    t = np.arange(0.0, 10.0, 1.0 / values["rate"])
    acc = np.array([-(omega**2) * values["_radius"] * MM, 0.0, GRAVITY]) + 0.02 * rng.standard_normal((len(t), 3))
    gyro = np.array([0.0, 0.0, values["_spin"]]) + 0.05 * rng.standard_normal((len(t), 3))
    return np.column_stack([t, acc, gyro])


def _imu_csv(rows: Floats) -> str:
    return _table(["t", "acc_x", "acc_y", "acc_z", "gyro_x", "gyro_y", "gyro_z"], rows)


def _table(header: list[str], rows: Floats) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([f"{value:.6g}" for value in row] for row in rows)
    return out.getvalue()


def _grade_tilt(values: Values, answer: Any) -> Verdict:
    given = as_numbers(answer, (2,), "tilt")
    off = np.abs(given - [values["_roll"], values["_pitch"]])
    if off.max() <= 0.3:
        return RIGHT
    roll, pitch = np.radians(given)
    up = GRAVITY * np.array([-np.sin(pitch), np.cos(pitch) * np.sin(roll), np.cos(pitch) * np.cos(roll)])
    mean = rest_record(values)[:, 1:4].mean(axis=0)
    return wrong(
        "tilt_off",
        _("a sensor that is tilted so reads {given} m/s²; this one reads {true} m/s²"),
        given=listed(up, 2),
        true=listed(mean, 2),
    )


def _grade_bias(values: Values, answer: Any) -> Verdict:
    given = as_numbers(answer, (3,), "bias")
    mean = rest_record(values)[:, 4:7].mean(axis=0)
    off = np.abs(given - mean)
    if off.max() <= 0.01:
        return RIGHT
    k = int(np.argmax(off))
    return wrong(
        "bias_off",
        _("with this bias taken off, the angle about {axis} still runs away by {drift:.2f}° in a minute"),
        axis="xyz"[k],
        drift=float(off[k] * 60.0),
    )


def _grade_radius(values: Values, answer: Any) -> Verdict:
    given = float(as_numbers(answer, (), "radius"))
    if abs(given - values["_radius"]) <= 0.01 * values["_radius"]:
        return RIGHT
    reads = np.radians(values["_spin"]) ** 2 * given * MM
    mean = -float(turntable_record(values)[:, 1].mean())
    return wrong(
        "radius_off",
        _("at {given:g} mm the sensor would read {reads:.3f} m/s² inwards; it reads {mean:.3f} m/s²"),
        given=given,
        reads=float(reads),
        mean=mean,
    )


LAB_9 = Lab(
    9,
    _("Inertial sensors"),
    _sensor_variant,
    (
        LabQuestion(
            key="tilt",
            text=_("rest.csv: 60 s of a sensor at rest. Write its roll and pitch (°): R = Ry(pitch)·Rx(roll)."),
            blank="[0, 0]",
            grade=_grade_tilt,
        ),
        LabQuestion(key="bias", text=_("Write the bias of its gyroscope, °/s."), blank="[0, 0, 0]", grade=_grade_bias),
        LabQuestion(
            key="radius",
            text=_(
                "turntable.csv: the same kind of sensor on a turntable, x outwards. How far is it from the axis (mm)?"
            ),
            blank="0",
            grade=_grade_radius,
        ),
    ),
    lambda values: {"rest.csv": _imu_csv(rest_record(values)), "turntable.csv": _imu_csv(turntable_record(values))},
)


def _calibration_variant(rng: Generator) -> dict[str, Any]:
    return {
        "_seed": int(rng.integers(1, 2**31)),
        "lengths": (rng.integers(25, 45, 2) * 10.0).tolist(),
        "_real_lengths": rounded(rng.uniform(-2.0, 2.0, 2), 3),
        "_offsets": rounded(rng.uniform(-1.0, 1.0, 2), 3),
    }


def predicted(values: Values, lengths: ArrayLike, offsets: ArrayLike, q: Floats) -> Floats:
    """Return the tool points (m, 2) in mm at q (°) of the variant's arm with these lengths (mm) and offsets (°)."""
    nominal = planar(values["lengths"])
    elbow, tool = (FrameError(np.array([d, 0.0, 0.0])) for d in (np.asarray(lengths) - values["lengths"]) * MM)
    zeros = np.radians(np.asarray(offsets))
    joints = (RealJoint("q1", offset=float(zeros[0])), RealJoint("q2", elbow, offset=float(zeros[1])))
    return np.asarray(real_fk(RealArm(nominal, joints, tool=tool), np.radians(q))[:, :2, 3] / MM)


def measurements(values: Values) -> Floats:
    """Return q1, q2 (°), x, y (mm) of all measurements (m, 4), with noise."""
    rng = np.random.default_rng(values["_seed"])
    q = rng.uniform([-90.0, -120.0], [90.0, 120.0], (SAMPLES, 2))
    lengths = np.array(values["lengths"]) + values["_real_lengths"]
    return np.hstack([q, predicted(values, lengths, values["_offsets"], q) + NOISE * rng.standard_normal((SAMPLES, 2))])


def _grade_before(values: Values, answer: Any) -> Verdict:
    rows = measurements(values)[:SHOWN]
    off = np.linalg.norm(predicted(values, values["lengths"], [0.0, 0.0], rows[:, :2]) - rows[:, 2:], axis=1).mean()
    return close(answer, float(off), 0.01, "mm")


def _grade_parameters(values: Values, answer: Any) -> Verdict:
    given = as_numbers(answer, (4,), "parameters")
    rows = measurements(values)[SHOWN:]
    off = np.linalg.norm(predicted(values, given[:2], given[2:], rows[:, :2]) - rows[:, 2:], axis=1)
    mean = float(off.mean())
    if mean <= 3.0 * NOISE:
        return RIGHT
    k = int(np.argmax(off))
    return wrong(
        "held_out",
        _("on measurements that you did not get the mean error is {mean:.3f} mm; at q = {q}° it is {worst:.3f} mm"),
        mean=mean,
        q=listed(rows[k, :2], 1),
        worst=float(off[k]),
    )


LAB_10 = Lab(
    10,
    _("Calibration"),
    _calibration_variant,
    (
        LabQuestion(
            key="before",
            text=_(
                "measured.csv: where a tracker saw the tool of a planar arm. How far (mm, mean) are the "
                "points from those of the nominal arm, lengths {lengths} mm?"
            ),
            blank="0",
            grade=_grade_before,
        ),
        LabQuestion(
            key="parameters",
            text=_("Find the real lengths (mm) and the offsets of both joints (°): [L1, L2, o1, o2]."),
            blank="[0, 0, 0, 0]",
            grade=_grade_parameters,
        ),
    ),
    lambda values: {"measured.csv": _table(["q1", "q2", "x", "y"], measurements(values)[:SHOWN])},
)
