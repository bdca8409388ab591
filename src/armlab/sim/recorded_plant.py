"""A recording as a plant: the arm does again what it did, and takes no commands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NoReturn, get_args

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.recording.recording import COMMAND_Q, COMMAND_QD, QD, QDD, TAU, Q, Recording
from armlab.sim.plant import ArmSamples, ArmState, Outcome, Qualities, Quality, Signal, not_simulated

NO_SIGNALS: Mapping[str, Signal] = {}


class RecordedPlant:
    """Plays the recording of one arm: its state is that of the last sample at or before the plant's time.

    A position that was not recorded is the commanded one, a speed then the commanded one or that between two samples;
    the quality of a state says so.

    Args:
        recording: of an arm, from any kind of file.
        robot: that arm; joints are matched by name.
        name: what the arm is called; by default as the robot.
        quality: of what was recorded; by default what the recording says (`quality` in its metadata), else `measured`.

    Raises:
        InvalidInput: if the recording is empty, lacks a joint, or knows no position at some time.
    """

    def __init__(
        self, recording: Recording, robot: Robot, *, name: str | None = None, quality: Quality | None = None
    ) -> None:
        if not len(recording.t):
            raise InvalidInput("recording_empty", _("no joint states recorded")).within(robot.name)
        names = [joint.name for joint in robot.joints]
        missing = [joint for joint in names if joint not in recording.names]
        if missing:
            text = _("{robot}: the recording lacks the joints {missing}")
            raise InvalidInput("recording_lacks_joints", text, robot=robot.name, missing=missing)
        self._robot, self._name = robot, name or robot.name
        self._t = recording.t - recording.t[0]
        rows = recording.joints[:, :, [recording.names.index(joint) for joint in names]]
        self._recorded = quality or _quality_of(recording)
        self._q, self._q_from = self._first_known((rows[:, Q], self._recorded), (rows[:, COMMAND_Q], "commanded"))
        if not np.isfinite(self._q).all():
            raise InvalidInput("recording_without_positions", _("{robot}: positions are missing"), robot=robot.name)
        between = np.gradient(self._q, self._t, axis=0) if len(self._t) > 1 else np.zeros_like(self._q)
        self._qd, self._qd_from = self._first_known(
            (rows[:, QD], self._recorded), (rows[:, COMMAND_QD], "commanded"), (between, "estimated")
        )
        self._qdd, self._tau = np.nan_to_num(rows[:, QDD]), rows[:, TAU]
        self._has_tau = np.array([np.isfinite(row).all() for row in self._tau])
        gaps = np.diff(self._t)
        self._period = float(np.median(gaps)) if len(gaps) else 1.0
        self._time, self._last = 0.0, slice(0, 0)

    def _first_known(self, *choices: tuple[Floats, Quality]) -> tuple[Floats, list[tuple[Quality, ...]]]:
        """Return of each number (m, n) the first choice that was recorded, and where each comes from."""
        values, came = np.full_like(choices[0][0], np.nan), np.full(choices[0][0].shape, -1)
        for k, (rows, _quality) in enumerate(choices):
            new = ~np.isfinite(values) & np.isfinite(rows)
            values[new], came[new] = rows[new], k
        return values, [tuple(choices[k][1] for k in row) for row in came]

    @property
    def arms(self) -> tuple[str, ...]:
        """The name of the arm."""
        return (self._name,)

    @property
    def time(self) -> float:
        """How far the recording is played (s); it starts at 0."""
        return self._time

    @property
    def period(self) -> float:
        """The usual time between two samples (s)."""
        return self._period

    @property
    def is_over(self) -> bool:
        """Whether the last sample has been reached; the arm stays there."""
        return self._time >= float(self._t[-1])

    def command(self, arm: str, q: ArrayLike, qd: ArrayLike | None = None) -> Outcome:  # noqa: ARG002
        """Refuse: what is recorded has happened."""
        self._check(arm)
        text = _("{robot}: a recording is played; it takes no commands")
        return Outcome("refused", Finding("error", Message("recording_not_commanded", text, robot=arm)))

    def step(self, seconds: float) -> None:
        """Go on in the recording by the whole number of periods that `seconds` are.

        Raises:
            InvalidInput: if `seconds` is not a number ≥ 0.
        """
        if not (seconds >= 0.0 and math.isfinite(seconds)):
            raise InvalidInput("seconds_negative", _("step: seconds must be ≥ 0, got {seconds:g} s"), seconds=seconds)
        before = self._count()
        self._time += round(seconds / self._period) * self._period
        self._last = slice(before, self._count())

    def _count(self) -> int:
        """Return how many samples there are up to now; rounding of the time hides none."""
        return int(np.searchsorted(self._t, self._time + 1e-9 * self._period, side="right"))

    def state(self, arm: str) -> ArmState:
        """Return the last sample at or before now; `stamp` is its time."""
        self._check(arm)
        i = self._count() - 1
        tau_from = (self._recorded,) * self._robot.dof if self._has_tau[i] else ()
        return ArmState(
            stamp=float(self._t[i]),
            q=self._q[i].copy(),
            qd=self._qd[i].copy(),
            qdd=self._qdd[i].copy(),
            tau=self._tau[i].copy() if self._has_tau[i] else None,
            frames=self._robot.frames(self._q[i]),
            quality=Qualities(self._q_from[i], self._qd_from[i], tau_from),
        )

    def samples(self, arm: str) -> ArmSamples:
        """Return the samples of the last `step`."""
        self._check(arm)
        now = self._last
        tau = self._tau[now].copy() if self._has_tau.all() else None
        return ArmSamples(
            self._t[now].copy(), self._q[now].copy(), self._qd[now].copy(), tau, np.zeros(len(self._t[now]))
        )

    @property
    def bodies(self) -> Mapping[str, Floats]:
        """None: a recording is of joints."""
        return {}

    def grip(self, arm: str, body: str | None = None) -> NoReturn:  # noqa: ARG002
        """Raise NotSupported."""
        raise self._only_played(arm)

    def release(self, arm: str) -> tuple[str, ...]:
        """Return no names: nothing is held."""
        self._check(arm)
        return ()

    @property
    def inputs(self) -> Mapping[str, Signal]:
        """None."""
        return NO_SIGNALS

    @property
    def outputs(self) -> Mapping[str, Signal]:
        """None."""
        return NO_SIGNALS

    def set_output(self, name: str, value: Signal) -> NoReturn:  # noqa: ARG002
        """Raise NotSupported."""
        raise self._only_played(self._name)

    def halt(self) -> None:
        """Do nothing: time stands still between two steps."""

    def snapshot(self) -> float:
        """Return the time that is played."""
        return self._time

    def restore(self, snapshot: object) -> None:
        """Go to a time of the recording.

        Raises:
            InvalidInput: if it is not one.
        """
        if not isinstance(snapshot, float) or not 0.0 <= snapshot < math.inf:
            raise InvalidInput("foreign_snapshot", _("restore: the snapshot is of another simulation"))
        self._time, self._last = snapshot, slice(0, 0)

    def measure(self) -> NoReturn:
        """Raise NotSupported: nothing is simulated."""
        raise not_simulated(self._name)

    def _check(self, arm: str) -> None:
        if arm != self._name:
            raise UnknownName("simulated_robot", arm, self.arms)

    def _only_played(self, arm: str) -> NotSupported:
        self._check(arm)
        return NotSupported("recording_only_played", _("{robot}: a recording is only played"), robot=arm)


def _quality_of(recording: Recording) -> Quality:
    """Return where the numbers of a recording come from, as far as it says."""
    said = recording.metadata.get("quality", "")
    return next((quality for quality in get_args(Quality) if quality == said), "measured")
