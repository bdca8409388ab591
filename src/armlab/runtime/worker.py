"""One thread that runs one session in real time: commands in, states and events out."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

from armlab.errors import ArmlabError, InvalidInput
from armlab.runtime.commands import Command, Edit, JogJoints, JogTool
from armlab.runtime.engine import Engine
from armlab.runtime.events import Event, Failed, Notice, Welcome
from armlab.runtime.outbox import Outbox
from armlab.runtime.project import Project

RATE_HZ = 60.0
MAX_LAG_S = 0.25
"""A session that has fallen behind further than this lets the lost time go, and says so."""
MOST_TICKS = 5
"""How many ticks may be made at once: states then come at 12 Hz, and the session still keeps up with real time."""
MAX_WAITING = 1000
IDLE_S = 0.5
PATIENCE_S = 60.0
OWN_ERROR = "the session met an error of its own; the server's log says more"

_TURN = threading.Lock()
"""Whose tick it is: one session ticks at a time.

Python runs one thread at a time anyway, and the engine gives the lock up at every step; threads that all want it back
spend their time handing it round. Waiting here costs nothing, and leaves the lock to the thread that serves the pages.
"""
_log = logging.getLogger(__name__)


class Worker:
    """A session: its engine, its thread, and the pages that look at it.

    Only the thread touches the engine; everybody else leaves work for it and goes on.
    """

    def __init__(self, name: str, engine: Engine, version: str) -> None:
        self.name = name
        self.last_seen = time.monotonic()
        self._version = version
        self._engine = engine
        self._work: deque[Callable[[], None]] = deque()
        self._outboxes: tuple[Outbox, ...] = ()
        self._hand: Outbox | None = None
        """Whose page jogs: when it goes, the arm stops."""
        self._changed = threading.Condition()
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name=f"session-{name}", daemon=True)
        self._thread.start()

    @property
    def engine(self) -> Engine:
        """The engine; only frozen things of it may be read from other threads."""
        return self._engine

    @property
    def pages(self) -> int:
        """How many pages look at the session."""
        return len(self._outboxes)

    def post(self, command: Command, sender: Outbox | None = None) -> None:
        """Hand over a command; what fails is told to its sender.

        Raises:
            InvalidInput: if a thousand commands wait already.
        """
        if len(self._work) >= MAX_WAITING:
            raise InvalidInput("too many commands are waiting")
        self._leave_work(lambda: self._handle(command, sender))

    def replace(self, project: Project, label: str) -> None:
        """Put another project in the place of this one, whatever its revision is, and wait until it is done.

        Raises:
            ArmlabError: if it cannot be done; the session keeps what it has.
        """
        done: Future[None] = Future()

        def change() -> None:
            engine = self._engine
            try:
                engine.handle(Edit(type="edit", project=project, label=label, revision=engine.revision))
            except ArmlabError as error:
                done.set_exception(error)
            except Exception:
                done.set_exception(InvalidInput(OWN_ERROR))
                raise
            else:
                done.set_result(None)

        self._leave_work(change)
        done.result(timeout=PATIENCE_S)

    def join(self, outbox: Outbox) -> None:
        """Let a page look on: it gets a welcome, the document, and states from now on."""
        self._leave_work(lambda: self._welcome(outbox))

    def leave(self, outbox: Outbox) -> None:
        """Stop telling a page; what it held down is let go."""
        self._leave_work(lambda: self._forget(outbox))

    def end(self) -> None:
        """End the session and its thread."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        self._thread.join(timeout=5.0)

    def _leave_work(self, work: Callable[[], None]) -> None:
        with self._changed:
            self._work.append(work)
            self._changed.notify()

    def _run(self) -> None:
        due = time.monotonic()
        while not self._is_over:
            with self._changed:
                wait = due - time.monotonic() if self._is_awake() else IDLE_S
                if not self._work and not self._is_over and wait > 0.0:
                    self._changed.wait(wait)
                waiting = tuple(self._work)
                self._work.clear()
            for work in waiting:
                self._guarded(work)
            if waiting:
                self._publish()
            now = time.monotonic()
            if not self._is_awake():
                due = math.ceil(now * RATE_HZ) / RATE_HZ
            elif now >= due:
                with _TURN:
                    due = self._tick(due, time.monotonic())
        self._guarded(self._engine.close)

    def _is_awake(self) -> bool:
        return bool(self._outboxes) or self._engine.is_busy

    def _guarded(self, work: Callable[[], None]) -> bool:
        """Do something at the border of the thread: a mistake of ours is logged and must not end the session."""
        try:
            work()
        except Exception:
            _log.exception("session %s failed", self.name)
            return False
        return True

    def _handle(self, command: Command, sender: Outbox | None) -> None:
        if isinstance(command, JogJoints | JogTool):
            self._hand = sender
        try:
            self._engine.handle(command)
        except ArmlabError as error:
            self._tell(Failed(command=command.type, code=error.code, message=error.message), sender)
        except Exception:
            self._tell(Failed(command=command.type, code="internal", message=OWN_ERROR), sender)
            raise

    def _welcome(self, outbox: Outbox) -> None:
        self._outboxes = (*self._outboxes, outbox)
        pages = len(self._outboxes)
        outbox.put_event(Welcome(session=self.name, version=self._version, pages=pages))
        for event in self._engine.introduction():
            outbox.put_event(event)
        for other in self._outboxes[:-1]:
            other.put_event(Notice(code="other_page", facts={"pages": pages}))
        self.last_seen = time.monotonic()

    def _forget(self, outbox: Outbox) -> None:
        self._outboxes = tuple(other for other in self._outboxes if other is not outbox)
        if outbox is self._hand:
            self._engine.let_go()
            self._hand = None
        self.last_seen = time.monotonic()

    def _tick(self, due: float, now: float) -> float:
        """Let the time pass that has passed: where the machine is too busy, several ticks at once, with one state."""
        ticks = min(1 + int((now - due) * RATE_HZ), MOST_TICKS)
        if not self._guarded(lambda: self._engine.advance(ticks / RATE_HZ)):
            self._guarded(self._engine.recover)
        self._publish()
        if self._outboxes:
            self._guarded(self._send_state)
        due += ticks / RATE_HZ
        if now - due > MAX_LAG_S:
            self._engine.note_lag(now - due)
            return math.ceil(now * RATE_HZ) / RATE_HZ
        return due

    def _send_state(self) -> None:
        state = self._engine.state_frame()
        for outbox in self._outboxes:
            outbox.put_state(state)

    def _publish(self) -> None:
        for event in self._engine.take_events():
            self._tell(event, None)

    def _tell(self, event: Event, only: Outbox | None) -> None:
        for outbox in self._outboxes if only is None else (only,):
            outbox.put_event(event)
