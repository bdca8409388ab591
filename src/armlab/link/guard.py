"""What a link may do at each moment: the states of a connection, and what moves it from one to another.

    OFFLINE → OPENING → MONITOR → ARMED → MOVING → HOLDING
                           ↑ every connection begins here; LOST: nothing is heard; FAULT: latched until acknowledged

Nothing here is a safety function: `stop` is a software stop, and no more than that. Ages are of our own monotonic times
of receipt, never of what a device says.
"""

from __future__ import annotations

from collections import deque
from enum import StrEnum

from armlab.link.lease import MotionLease
from armlab.messages import Message, _
from armlab.model.finding import Finding

SILENCE = 0.5
"""s without a sample after which the arm is lost."""
LATE_TICK = 0.1
"""s between two ticks: more than this, and the arm holds, because nobody was there to look after it."""
OPENING_S = 10.0
"""s that a board may take until it says who it is."""
UNUSED = 60.0
"""s after which an arm that was armed and not moved is disarmed."""
DAMAGED_IN_A_ROW, DAMAGED_SHARE, DAMAGED_WINDOW, FEWEST_DAMAGED = 3, 0.05, 2.0, 3
"""So many damaged packets one after the other are a loss, or this share of those within some seconds."""
FIRST_OVERRIDE = 0.1


class LinkState(StrEnum):
    """Where a connection is."""

    OFFLINE = "offline"
    OPENING = "opening"
    MONITOR = "monitor"
    ARMED = "armed"
    MOVING = "moving"
    HOLDING = "holding"
    LOST = "lost"
    FAULT = "fault"


ENABLED = frozenset({LinkState.ARMED, LinkState.MOVING, LinkState.HOLDING})
CONNECTED = ENABLED | {LinkState.MONITOR}


class Guard:
    """The state of a connection; `reasons` says, the newest last, why it is not what somebody wanted."""

    def __init__(self, *, age: float, lease: MotionLease) -> None:
        self.state = LinkState.OFFLINE
        self.lease = lease
        self.reasons: deque[Finding] = deque(maxlen=50)
        self.override = FIRST_OVERRIDE
        """Share of the planned speed."""
        self._age = age
        self._since = self._heard = self._moved = 0.0
        self._packets: deque[tuple[float, bool]] = deque()
        self._in_a_row = 0

    def opening(self, now: float) -> None:
        """Begin to wait for the board."""
        self._go(LinkState.OPENING, now)
        self._packets.clear()
        self._in_a_row = 0

    def identified(self, now: float) -> None:
        """Note that the right board has answered; where a fault is latched, it stays."""
        self._heard = now
        if self.state is LinkState.OPENING:
            self._packets.clear()
            self._in_a_row = 0
            self._go(LinkState.MONITOR, now)

    def heard(self, now: float) -> None:
        """Note a sample."""
        self._heard, self._in_a_row = now, 0
        self._packets.append((now, False))

    def damaged(self, now: float, count: int) -> None:
        """Note damaged packets: one is counted, too many are a loss."""
        for _one in range(count):
            self._packets.append((now, True))
        self._in_a_row += count
        while self._packets and self._packets[0][0] < now - DAMAGED_WINDOW:
            self._packets.popleft()
        bad = sum(is_bad for _time, is_bad in self._packets)
        too_many = bad >= FEWEST_DAMAGED and bad > DAMAGED_SHARE * len(self._packets) and bad < len(self._packets)
        if self.state in CONNECTED and (self._in_a_row >= DAMAGED_IN_A_ROW or too_many):
            self.lost(now, Message("link_damaged", _("too many damaged packets: {count} in 2 s"), count=bad))

    def age(self, now: float) -> float:
        """Return how long ago (s) the last sample was received."""
        return now - self._heard

    def arm(self, now: float) -> None:
        """Note that the drives hold the arm where it is; the override begins low again."""
        self.override = FIRST_OVERRIDE
        self._moved = now
        self._go(LinkState.ARMED, now)

    def moves(self, now: float) -> None:
        """Note a set-point."""
        self._moved = now
        self._go(LinkState.MOVING, now)

    def rests(self, now: float) -> None:
        """Note that the arm has come to rest as it was told."""
        if self.state is LinkState.MOVING:
            self._go(LinkState.ARMED, now)

    def hold(self, now: float, why: Message) -> None:
        """Hold: whoever wants to move on must arm again."""
        if self.state in {LinkState.ARMED, LinkState.MOVING}:
            self._go(LinkState.HOLDING, now)
            self.reasons.append(Finding("warning", why))

    def disarm(self, now: float) -> None:
        """Go back to reading only."""
        if self.state in ENABLED:
            self._go(LinkState.MONITOR, now)

    def lost(self, now: float, why: Message) -> None:
        """Note that the arm is not heard any more."""
        if self.state not in {LinkState.LOST, LinkState.OFFLINE}:
            self.reasons.append(Finding("error", why))
            if self.state is not LinkState.FAULT:
                self._go(LinkState.LOST, now)

    def fault(self, now: float, why: Message) -> None:
        """Latch a fault."""
        if self.state is not LinkState.FAULT:
            self._go(LinkState.FAULT, now)
            self.reasons.append(Finding("error", why))

    def acknowledge(self, now: float) -> None:
        """End a fault, by a person's word; the connection begins again."""
        if self.state is LinkState.FAULT:
            self._go(LinkState.LOST, now)

    def offline(self, now: float) -> None:
        """Note that the connection was closed on purpose."""
        self._go(LinkState.OFFLINE, now)

    def tick(self, now: float, since_tick: float) -> None:
        """Look at ages and at the lease."""
        expired = self.lease.expire(now)
        state, age = self.state, self.age(now)
        if state in CONNECTED and age > SILENCE:
            self.lost(now, Message("link_silent", _("nothing was heard of the arm for {age:.2f} s"), age=age))
        elif state is LinkState.OPENING and now - self._since > OPENING_S:
            text = _("the device does not say what it is within {seconds:g} s")
            self.lost(now, Message("link_no_identity", text, seconds=OPENING_S))
        elif state in {LinkState.ARMED, LinkState.MOVING}:
            self._look_after(now, since_tick, age, expired=expired)

    def _look_after(self, now: float, since_tick: float, age: float, *, expired: bool) -> None:
        if since_tick > LATE_TICK:
            self.hold(now, Message("tick_late", _("nobody looked after the arm for {age:.2f} s"), age=since_tick))
        elif age > self._age and self.state is LinkState.MOVING:
            self.hold(now, Message("sample_old", _("the last sample is {age:.2f} s old"), age=age))
        elif expired:
            self.hold(now, Message("lease_ended", _("who moved the arm is gone")))
        elif now - self._moved > UNUSED:
            self.disarm(now)

    def _go(self, state: LinkState, now: float) -> None:
        self.state, self._since = state, now
