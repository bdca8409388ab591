"""What is on its way to one page: every event in order, only the newest state, and the last of what sensors read."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence

from armlab.cell.events import Event
from armlab.messages import ENGLISH

MAX_EVENTS = 500
"""A page that lets more events wait than this is not reading; it is told to come again."""

MAX_SAMPLES = 50
"""Frames of what sensors read: five seconds."""


class Outbox:
    """Filled by a session's thread, emptied by the socket's task; `wake` is called when there is something new."""

    def __init__(self, wake: Callable[[], None], language: str = ENGLISH) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._events: deque[Event] = deque()
        self._state: bytes | None = None
        self._samples: deque[bytes] = deque(maxlen=MAX_SAMPLES)
        self._is_called = False
        self.is_overfull = False
        self.language = language
        """What the page is told in."""

    def put_event(self, event: Event) -> None:
        """Add an event; too many of them mark the outbox as overfull and are dropped."""
        with self._lock:
            if len(self._events) >= MAX_EVENTS:
                self.is_overfull = True
            else:
                self._events.append(event)
            is_called, self._is_called = self._is_called, True
        if not is_called:
            self._wake()

    def put_state(self, state: bytes) -> None:
        """Put the newest state in the place of one that still waits."""
        with self._lock:
            self._state = state
            is_called, self._is_called = self._is_called, True
        if not is_called:
            self._wake()

    def put_samples(self, frames: Sequence[bytes]) -> None:
        """Add what sensors read; a page that does not read loses the oldest."""
        if not frames:
            return
        with self._lock:
            self._samples.extend(frames)
            is_called, self._is_called = self._is_called, True
        if not is_called:
            self._wake()

    def take_samples(self) -> list[bytes]:
        """Return once what sensors read and is still to be sent."""
        with self._lock:
            frames = list(self._samples)
            self._samples.clear()
        return frames

    def take(self) -> tuple[list[Event], bytes | None]:
        """Return what waits, and forget it."""
        with self._lock:
            events, state = list(self._events), self._state
            self._events.clear()
            self._state, self._is_called = None, False
        return events, state
