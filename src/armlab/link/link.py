"""A connection to one arm: `tick(now)` takes what has arrived, looks after the arm, and sends at most one command.

No thread, no clock, no queue: of what somebody wants and of what is heard, the latest counts. After every connection
the link only reads; nothing that was wanted before is ever sent after it.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import LinkRefused
from armlab.link.clock import DeviceClock
from armlab.link.driver import (
    LONGEST_UNWATCHED,
    Answer,
    Damaged,
    DeviceFault,
    Driver,
    Heard,
    Identity,
    Sample,
    Setpoint,
)
from armlab.link.following import Following
from armlab.link.guard import CONNECTED, ENABLED, Guard, LinkState
from armlab.link.lease import MotionLease
from armlab.link.link_file import ARMING_STEP, LinkFile
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.motion.limits import limits_of

RETRY = 1.0
"""s until a lost connection is tried again."""
ANSWER_S = 0.25
"""s after which a command without an answer counts as lost."""
KEEP_ALIVE = 0.05
STEP_SLACK = 1.5
"""A set-point may be so many times farther away than the top speed allows in its time, and not more."""
LARGEST_SEQUENCE = 65535


class Wanted(NamedTuple):
    """Where to be, and in which time (s)."""

    q: Floats
    qd: Floats
    seconds: float


class ArmLink:
    """A connection; whoever owns it calls `tick` about a hundred times a second.

    Args:
        file: which arm it is, and what it may do
        driver: speaks with it
        watched: whether a person watches a board that has no watchdog, so that it may be given long motions
    """

    def __init__(self, file: LinkFile, driver: Driver, *, watched: bool = False) -> None:
        self.file, self.driver, self._watched = file, driver, watched
        self.guard = Guard(age=max(3.0 / driver.capabilities.rate, file.table.watch.age), lease=MotionLease())
        self.clock = DeviceClock()
        self.counts: Counter[str] = Counter()
        """What has happened so far: samples, damaged, missed, unanswered, refused, sent, connections, resets …"""
        self.sample: Sample | None = None
        self.new: list[Sample] = []
        """Samples of the last tick."""
        self.identity: Identity | None = None
        self.commanded: Floats | None = None
        """Where the arm was told to be last; None before it was armed."""
        limits = limits_of(file.robot).scaled(file.table.limits.speed, file.table.limits.acceleration)
        self.limits = limits
        self.following = Following(file.robot.dof, file.table.follow.dead_time, file.table.follow.lag)
        self._wanted: Wanted | None = None
        self._outstanding: tuple[int, float] | None = None
        self._arming = 0
        """The command that switches the drives on, while it is not answered; what samples say is older then."""
        self._sequence = 0
        self._ticked: float | None = None
        self._wants_connection = self._is_open = False
        self._retry = self._kept_alive = 0.0
        self._off_since: float | None = None

    @property
    def state(self) -> LinkState:
        """Where the connection is."""
        return self.guard.state

    def connect(self) -> None:
        """Want a connection from now on; ticks make it."""
        self._wants_connection = True

    def disconnect(self, now: float) -> None:
        """Stop, and close the connection."""
        self._wants_connection = False
        if self.state in ENABLED:
            self.driver.stop(self.file.table.stop.on_release)
        self._forget()
        self.driver.close()
        self._is_open = False
        self.guard.offline(now)

    def tick(self, now: float) -> None:
        """Take what has arrived, look after the arm, send what is due."""
        since = 0.0 if self._ticked is None else now - self._ticked
        self._ticked, self.new = now, []
        if self.state in {LinkState.OFFLINE, LinkState.LOST} and self._wants_connection and now >= self._retry:
            self._open(now)
        if self.state in CONNECTED | {LinkState.OPENING}:
            try:
                for heard in self.driver.poll(now):
                    self._take(heard, now)
                self._look_after(now, since)
            except LinkRefused as error:
                self.guard.lost(now, error.message)
        if self.state in {LinkState.LOST, LinkState.FAULT}:
            self._drop(now)

    def _open(self, now: float) -> None:
        self._retry = now + RETRY
        self._forget()
        self.sample = self.identity = None
        self.clock = DeviceClock()
        try:
            self.driver.open()
        except LinkRefused as error:
            if not self.guard.reasons or self.guard.reasons[-1].message != error.message:
                self.guard.reasons.append(Finding("error", error.message))
            return
        self._is_open = True
        self.counts["connections"] += 1
        self.guard.opening(now)

    def _drop(self, now: float) -> None:
        """Let go of a connection that cannot be used; nothing that was wanted outlives it."""
        if self._is_open:
            self.driver.stop("hold")
            self.driver.close()
            self._is_open, self._retry = False, now + RETRY
        self._forget()
        self.identity = None

    def _forget(self) -> None:
        self._wanted = self._outstanding = self.commanded = self._off_since = None
        self._arming = 0
        self.following.clear()

    # -- what is heard -----------------------------------------------------------------------------------------------

    def _take(self, heard: Heard, now: float) -> None:
        match heard:
            case Identity():
                self._identify(heard, now)
            case Sample():
                self._hear(heard, now)
            case Answer():
                self._answered(heard, now)
            case Damaged(packets=count):
                self.counts["damaged"] += count
                self.guard.damaged(now, count)
            case DeviceFault(text=text):
                self._fault(now, Message("device_fault", _("the arm reports a fault: {text}"), text=text[:200]))

    def _fault(self, now: float, why: Message) -> None:
        self.driver.stop("hold")
        self.guard.fault(now, why)

    def _identify(self, identity: Identity, now: float) -> None:
        wanted = self.file.table.identity
        if self.identity is not None and self.state in ENABLED:  # it has started anew under our hands
            self.counts["resets"] += 1
            self.hold(now, Message("device_reset", _("the board has been reset")))
            self.guard.disarm(now)
            self._forget()
        for what, expected, got in (
            ("firmware", wanted.firmware, identity.firmware),
            ("serial", wanted.serial, identity.serial),
        ):
            if expected and expected != got:
                text = _("{file}: identity.{what} is {expected}, but {got} answers")
                facts = {"file": self.file.path.name, "what": what, "expected": expected, "got": got}
                self._fault(now, Message("another_device", text, **facts))
                return
        self.identity = identity
        self.guard.identified(now)

    def _hear(self, sample: Sample, now: float) -> None:
        before = self.sample
        if not np.isfinite(sample.q).all():
            self._take(Damaged(), now)
            return
        self.guard.heard(now)
        self.counts["samples"] += 1
        if before is not None and sample.sequence is not None and before.sequence is not None:
            self.counts["missed"] += max((sample.sequence - before.sequence - 1) % 65536, 0) % 32768
        if sample.device_time is not None:
            event = self.clock.take(sample.device_time, now)
            if event is not None:
                self.counts[f"clock_{event}"] += 1
                if event == "reset" and self.state in ENABLED:
                    self.hold(now, Message("device_reset", _("the board has been reset")))
                    self.guard.disarm(now)
                    self._forget()
        self.sample = sample
        self.new.append(sample)
        if sample.is_tripped and self.state in ENABLED and not self._arming:
            self.counts["trips"] += self.state is not LinkState.HOLDING
            self.hold(now, Message("watchdog_tripped", _("the board's watchdog has stopped the arm")))
        elif self.state in ENABLED:
            self._watch(sample, now)

    def _watch(self, sample: Sample, now: float) -> None:
        """Hold where a joint that is measured is not where it should be."""
        sources = self.driver.capabilities.position
        off = self.following.deviation(sample.q, now)
        if off is None:
            return
        far = [i for i in np.flatnonzero(np.abs(off) > self.file.bound).tolist() if sources[i] == "measured"]
        if not far:
            self._off_since = None
            return
        self._off_since = now if self._off_since is None else self._off_since
        if now - self._off_since >= 2.5 / self.driver.capabilities.rate and self.state is not LinkState.HOLDING:
            joint = self.file.robot.joints[far[0]]
            self.counts["not_followed"] += 1
            text = _("joint '{joint}' does not follow its command")
            self.hold(now, Message("joint_not_followed", text, joint=joint.name, deviation=float(off[far[0]])))

    def _answered(self, answer: Answer, now: float) -> None:
        if self._outstanding is not None and answer.sequence == self._outstanding[0]:
            self._outstanding, self._arming = None, 0
        elif answer.sequence:
            self.counts["late_answers"] += 1
            return
        if answer.reason:
            self.counts["refused"] += 1
            text = _("the board has refused a command: {reason}")
            self.hold(now, Message("command_refused", text, reason=answer.reason))

    # -- what is sent ------------------------------------------------------------------------------------------------

    def _look_after(self, now: float, since: float) -> None:
        before = self.state
        self.guard.tick(now, since)
        if before in {LinkState.ARMED, LinkState.MOVING} and self.state not in {LinkState.ARMED, LinkState.MOVING}:
            self._stop_sending()
        if self._outstanding is not None and now - self._outstanding[1] > ANSWER_S:
            self.counts["unanswered"] += 1
            self._outstanding = None
            if self._arming:
                self._arming = 0
                self.hold(now, Message("arming_unanswered", _("the board has not answered that its drives are on")))
        if self.state is LinkState.MOVING and self._wanted is not None and self._outstanding is None:
            wanted, self._wanted = self._wanted, None
            number = self._next()
            self.driver.send(Setpoint(number, wanted.q, wanted.qd, wanted.seconds))
            self._sent(number, now)
            self.commanded = wanted.q
        elif self.state in ENABLED and now - self._kept_alive >= KEEP_ALIVE:
            self._kept_alive = now
            self.driver.keep_alive(self._sequence)
        if self.commanded is not None:
            self.following.command(self.commanded, now)

    def _sent(self, number: int, now: float) -> None:
        self.counts["sent"] += 1
        self._kept_alive = now
        if self.driver.capabilities.answers:
            self._outstanding = number, now

    def _next(self) -> int:
        self._sequence = self._sequence % LARGEST_SEQUENCE + 1
        return self._sequence

    def _stop_sending(self) -> None:
        self._wanted = None
        self.driver.stop("hold")

    # -- what people and programs want -------------------------------------------------------------------------------

    @property
    def believed(self) -> Floats | None:
        """Where the arm is as far as that is known: measured, or told by a board that holds it; else its rest."""
        if self.sample is None:
            return None
        if self.driver.capabilities.position[0] in {"measured", "estimated"} or self.sample.is_enabled:
            return self.sample.q
        return self.file.rest

    def hold(self, now: float, why: Message) -> None:
        """Hold at once, and say why; nobody needs a lease for that."""
        self._stop_sending()
        self.guard.hold(now, why)

    def stop(self, now: float) -> None:
        """Stop: a software stop, which is no emergency stop."""
        self.hold(now, Message("stopped", _("stopped by a person")))

    def arm(self, holder: str, now: float) -> Finding | None:
        """Hold the arm where it is, so that it can be moved; return why not, or None.

        The arm is held where it was told to be if it is near that, because a servo that carries a weight stands on its
        error; else where it is measured.
        """
        why = self._cannot_arm(holder, now)
        if why is not None:
            return Finding("error", why)
        assert self.sample is not None
        q = self.believed
        if q is None:
            text = _("{file}: nobody knows where the arm is; give its resting pose as 'rest'")
            return Finding("error", Message("rest_missing", text, file=self.file.path.name))
        told = self.sample.commanded
        if self.sample.is_enabled and told is not None and bool((np.abs(told - q) <= self.file.bound).all()):
            q = told
        outside = np.maximum(q - self.limits.upper, self.limits.lower - q)
        if outside.max() > ARMING_STEP:
            joint = self.file.robot.joints[int(outside.argmax())].name
            return Finding(
                "error", Message("start_outside", _("joint '{joint}' is outside of its limits"), joint=joint)
            )
        number = self._next()
        try:
            self.driver.enable(number, q)
        except LinkRefused as error:
            self.guard.lost(now, error.message)
            return Finding("error", error.message)
        self._sent(number, now)
        self._arming = number if self._outstanding is not None else 0
        self.commanded, self._wanted = q.copy(), None
        self.following.clear()
        self.guard.arm(now)
        return None

    def _cannot_arm(self, holder: str, now: float) -> Message | None:
        if self.driver.capabilities.setpoint == "none":
            return Message("arm_only_read", _("{robot}: this arm is only read"), robot=self.file.robot.name)
        if self.state not in CONNECTED or self.sample is None:
            return Message("arm_not_connected", _("{robot}: not connected"), robot=self.file.robot.name)
        age = now - self.sample.received
        if age > max(3.0 / self.driver.capabilities.rate, self.file.table.watch.age):
            return Message("sample_old", _("the last sample is {age:.2f} s old"), age=age)
        if not self.guard.lease.take(holder, now):
            text = _("{holder} moves the arm")
            return Message("lease_held", text, holder=self.guard.lease.holder)
        return None

    def want(self, q: Floats, qd: Floats, seconds: float, holder: str, now: float) -> Finding | None:
        """Want the arm to be at `q` (n,) in `seconds`, moving with `qd`; return why not, or None.

        A set-point that is farther away than the joints can come in that time is refused and never shortened.
        """
        if self.state not in {LinkState.ARMED, LinkState.MOVING} or self.commanded is None:
            return Finding("error", Message("arm_not_armed", _("{robot}: not armed"), robot=self.file.robot.name))
        if not self.guard.lease.take(holder, now):
            return Finding("error", Message("lease_held", _("{holder} moves the arm"), holder=self.guard.lease.holder))
        if self._refused_step(q, seconds) is not None:
            return self._refused_step(q, seconds)
        self._wanted = Wanted(q, qd, seconds)
        self.guard.moves(now)
        return None

    def _refused_step(self, q: Floats, seconds: float) -> Finding | None:
        assert self.commanded is not None
        if self.driver.capabilities.own_watchdog is None and not self._watched and seconds > LONGEST_UNWATCHED:
            text = _("{robot}: the board has no watchdog; moves may take {most:g} s at most")
            facts = {"robot": self.file.robot.name, "most": LONGEST_UNWATCHED}
            return Finding("error", Message("move_unwatched", text, **facts))
        if not (np.isfinite(q).all() and 0.0 < seconds < np.inf):
            text = _("{robot}: a set-point is not a number")
            return Finding("error", Message("setpoint_not_finite", text, robot=self.file.robot.name))
        outside = np.maximum(q - self.limits.upper, self.limits.lower - q)
        far = np.abs(q - self.commanded) - STEP_SLACK * self.limits.velocity * seconds - ARMING_STEP
        for values, code, text in (
            (outside - 1e-9, "setpoint_outside", _("joint '{joint}': a set-point is outside of the limits")),
            (far, "setpoint_jumps", _("joint '{joint}': a set-point is farther away than the joint can come")),
        ):
            if values.max() > 0.0:
                joint = self.file.robot.joints[int(values.argmax())].name
                return Finding("error", Message(code, text, joint=joint), {"joint": joint})
        return None

    def rest(self, now: float) -> None:
        """Note that the motion has come to its end."""
        self.guard.rests(now)
