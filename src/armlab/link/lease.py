"""Who may move an arm: one holder at a time, who renews it; to stop it, nobody needs a lease."""

from __future__ import annotations

LEASE_S = 2.0


class MotionLease:
    """A lease that ends by itself when it is not renewed."""

    def __init__(self, seconds: float = LEASE_S) -> None:
        self.holder: str | None = None
        self.asked_by: str | None = None
        """Who wants to take over; the holder sees it and may release."""
        self._seconds, self._until = seconds, 0.0

    def take(self, name: str, now: float) -> bool:
        """Take or renew the lease; where somebody else has it, ask to take over, and return False."""
        self.expire(now)
        if self.holder in {None, name}:
            self.holder, self._until = name, now + self._seconds
            if self.asked_by == name:
                self.asked_by = None
            return True
        self.asked_by = name
        return False

    def release(self, name: str) -> None:
        """Give it back; who has not got it changes nothing."""
        if self.holder == name:
            self.holder = None

    def expire(self, now: float) -> bool:
        """Let it end if it was not renewed in time; tell whether that has just happened."""
        if self.holder is None or now < self._until:
            return False
        self.holder = None
        return True
