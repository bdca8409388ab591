"""Recordings made ready for identification: joint values, speeds, accelerations and torques, row by row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import Message, _, term
from armlab.model.finding import Finding
from armlab.model.joint_limits import MEASURED_SLACK, check_joint_limits
from armlab.model.robot import Robot
from armlab.recording.exports import column_names
from armlab.recording.recording import Recording

FEWEST = 50
"""Samples below which nothing is identified."""
WINDOW = 0.1
"""s: speeds and accelerations that were not recorded are those of cubics through so much of the positions."""
NARROWEST = 7
"""Samples of such a cubic at least."""
JITTER = 0.5
"""A step in time may differ from the usual one by this share of it."""
SHORTEST_STEP = 1e-6
"""s between samples, at least."""
LARGEST = 1e9
"""Of any value in SI units: larger ones are damage, and their squares would not be numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class JointSamples:
    """What the joints did: times (m,), and positions, speeds, accelerations and forces (m, n), without gaps."""

    t: Floats
    q: Floats
    qd: Floats
    qdd: Floats
    tau: Floats
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        return len(self.t)


def joint_samples(robot: Robot, recording: Recording) -> JointSamples:
    """Return what a recording tells of an arm's motion and forces; missing speeds and accelerations are derived.

    Raises:
        InvalidInput: if the joints are others, torques are missing, a value is, or times do not grow evenly; it names
            the row, the first one being 1.
    """
    columns, findings = _joint_columns(robot, recording)
    findings += _other_robot(robot, recording)
    t = np.asarray(recording.t, dtype=np.float64)
    if len(t) < FEWEST:
        raise InvalidInput(
            "recording_too_short",
            _("recording: {count} samples; at least {fewest} are needed"),
            count=len(t),
            fewest=FEWEST,
        )
    q, tau = _measured(robot, recording.q[:, columns], "q"), _measured(robot, recording.tau[:, columns], "tau")
    _check_times(t)
    check_joint_limits(robot, q, _recorded_row, slack=MEASURED_SLACK)
    step = float(np.median(np.diff(t)))
    cut = 0
    qd, qdd = recording.qd[:, columns], recording.qdd[:, columns]
    if np.isnan(qd).any():
        qd, cut = _derived(q, step, 1), _window(len(t), step) // 2
        qdd = _derived(q, step, 2)
    elif np.isnan(qdd).any():
        qdd, cut = _derived(_measured(robot, qd, "qd"), step, 1), _window(len(t), step) // 2
    else:
        qd, qdd = _measured(robot, qd, "qd"), _measured(robot, qdd, "qdd")
    rows = slice(cut, len(t) - cut)  # at the ends cubics are one-sided
    q, qd, qdd, tau = (np.ascontiguousarray(each[rows]) for each in (q, qd, qdd, tau))
    return JointSamples(t[rows].copy(), q, qd, qdd, tau, tuple(findings))


def _joint_columns(robot: Robot, recording: Recording) -> tuple[list[int], list[Finding]]:
    """Return which column of the recording is which joint; by their names."""
    names = column_names(tuple(joint.name for joint in robot.joints))
    given = column_names(recording.names)
    if sorted(given) != sorted(names):
        raise InvalidInput(
            "recording_joints",
            _("recording: its joints are {given}; those of {robot} are {names}"),
            given=given,
            robot=robot.name,
            names=names,
        )
    if given == names:
        return list(range(len(names))), []
    template = _("recording: its joints are in the order {given}; they were put in that of {robot}")
    message = Message("recording_joint_order", template, given=given, robot=robot.name)
    return [given.index(name) for name in names], [Finding("warning", message)]


def _other_robot(robot: Robot, recording: Recording) -> list[Finding]:
    """Return a warning where the recording says that it is of another arm."""
    named = recording.metadata.get("robot", robot.name)
    if named == robot.name:
        return []
    template = _("recording: it is of '{other}', not of '{robot}'")
    return [Finding("warning", Message("recording_of_other", template, other=named, robot=robot.name))]


def _measured(robot: Robot, values: Floats, what: str) -> Floats:
    if np.isnan(values).all():
        raise InvalidInput(
            "recording_without",
            _("recording: it has no column of {what}; columns are named {what}_JOINT_UNIT"),
            what=what,
        )
    bad = np.argwhere(~(np.abs(values) <= LARGEST))
    if len(bad):
        row, joint = bad[0]
        raise InvalidInput(
            "recording_gap",
            _("recording: row {row}: {what} of joint '{joint}' is missing or not finite, or impossibly large"),
            row=int(row) + 1,
            what=what,
            joint=robot.joints[int(joint)].name,
        )
    return np.array(values, dtype=np.float64)


def check_sizes(values: Floats, what: str | Message) -> None:
    """Raise InvalidInput that names the first of the rows (m, n) with a value that is too large; NaN is none."""
    bad = np.flatnonzero((np.abs(values) > LARGEST).any(axis=1))
    if len(bad):
        template = _("recording: row {row}: {what} has a value beyond ±{most:g}")
        raise InvalidInput("recording_value_too_large", template, row=int(bad[0]) + 1, what=what, most=LARGEST)


def _check_times(t: Floats) -> None:
    steps = np.diff(t)
    usual = float(np.median(steps))
    bad = np.flatnonzero(~(np.abs(steps - usual) <= JITTER * abs(usual)) | (steps < SHORTEST_STEP))
    if len(bad):
        row = int(bad[0])
        raise InvalidInput(
            "recording_times",
            _("recording: row {row}: {step:g} s after the row before it, where {usual:g} s are usual"),
            row=row + 2,
            step=float(steps[row]),
            usual=usual,
        )


def _recorded_row(k: int) -> Message:
    return term(_("recording: row {row}"), row=k + 1)


def _window(count: int, step: float) -> int:
    """Return how many of so many samples a cubic goes through."""
    return min(max(NARROWEST, round(WINDOW / step)), count // 4) | 1


def _derived(values: Floats, step: float, order: int) -> Floats:
    from scipy.signal import savgol_filter

    return np.asarray(savgol_filter(values, _window(len(values), step), 3, deriv=order, delta=step, axis=0))
