"""One thread that runs one session in real time: commands in, states and events out."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Literal

from armlab.cell import kernel_compiler
from armlab.cell.command_handler import CommandHandler
from armlab.cell.command_queue import Asked, CommandQueue
from armlab.cell.commands import Command, Edit, ForArm, StopMotion, TakeArm
from armlab.cell.deferred import Deferred
from armlab.cell.document import as_json
from armlab.cell.events import Event, Failed, Lease, Notice, Stopped, Welcome
from armlab.cell.leases import Leases
from armlab.cell.outbox import Outbox
from armlab.cell.patch import SetValue
from armlab.cell.preview import Preview
from armlab.cell.project import Project
from armlab.cell.session import Session
from armlab.cell.watchdog import HELD, Watchdog, hold_players
from armlab.errors import ArmlabError, InvalidInput
from armlab.jobs import ASKED, BOARD, COMMAND, Job, Ticket, submit
from armlab.messages import Message, _, n_

RATE_HZ = 60.0
MAX_LAG_S = 0.25
"""A session that has fallen behind further than this lets the lost time go, and says so."""
MOST_TICKS = 5
"""How many ticks may be made at once: states then come at 12 Hz, and the session still keeps up with real time."""
MAX_WAITING = 1000
IDLE_S = 0.5
PATIENCE_S = 60.0
TOLD_AGAIN_S = 10.0
COMPILING = Message("compiling", _("armlab is still getting ready for this; the answer follows by itself"))
INTERNAL = Message("internal", _("internal error; see the server log"))

_TURN = threading.Lock()
"""Whose tick it is: one session ticks at a time.

Python runs one thread at a time anyway, and MuJoCo gives the lock up at every step; threads that all want it back
spend their time handing it round. Waiting here costs nothing, and leaves the lock to the thread that serves the pages.
"""
_log = logging.getLogger(__name__)


class Worker:
    """A session in real time: its thread, and the pages that look at it.

    Only the thread touches the session; everybody else leaves work for it and goes on. What may take longer than a tick
    is computed in a second thread: time goes on meanwhile, later commands wait, and only a stop is done at once.
    """

    def __init__(self, name: str, session: Session, version: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the session's thread; `clock` tells the time that passes for it (s)."""
        self.name = name
        self._clock = clock
        self.last_seen = clock()
        self._version = version
        self._session = session
        self._commands = CommandHandler(session)
        self._work: deque[Callable[[], None]] = deque()
        self._queue = CommandQueue()
        self._computing: Asked | None = None
        """The slow command whose result is awaited."""
        self._outboxes: tuple[Outbox, ...] = ()
        self._leases = Leases()
        self._numbers: dict[Outbox | None, int] = {}
        """Of the pages, counted as they come."""
        self._pages_so_far = 0
        self._watchdog = Watchdog()
        self._told_of_compiling = -math.inf
        self._changed = threading.Condition()
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name=f"session-{name}", daemon=True)
        self._thread.start()

    @property
    def session(self) -> Session:
        """The session; only frozen values of it may be read from other threads."""
        return self._session

    @property
    def pages(self) -> int:
        """How many pages look at the session."""
        return len(self._outboxes)

    def post(self, command: Command, sender: Outbox | None = None) -> None:
        """Hand over a command; what fails is told to its sender.

        Raises:
            InvalidInput: if a thousand commands wait already.
        """
        if len(self._queue) >= MAX_WAITING:
            raise InvalidInput("too_many_commands", _("too many commands are waiting"))
        self._ask(Asked(command, sender))

    def replace(self, project: Project, label: str) -> None:
        """Put another project in the place of this one, whatever its revision is, and wait until it is done.

        Raises:
            ArmlabError: if it cannot be done; the session keeps what it has.
        """
        done: Future[None] = Future()
        changes = (SetValue(path=(), value=as_json(project)),)
        command = Edit(type="edit", changes=changes, label=label, revision=self._session.revision)
        self._ask(Asked(command, None, done, at_any_revision=True))
        done.result(timeout=PATIENCE_S)

    def join(self, outbox: Outbox) -> None:
        """Let a page look on: it gets a welcome, the document, and states from now on."""
        self._leave_work(lambda: self._welcome(outbox))

    def leave(self, outbox: Outbox) -> None:
        """Stop telling a page; what it held down is let go."""
        self._leave_work(lambda: self._forget(outbox))

    def tell_again(self, outbox: Outbox) -> None:
        """Tell a page once more what was told with texts in it: it reads another language now."""
        self._leave_work(lambda: self._put(outbox, self._session.reworded()))

    def show_document(self, outbox: Outbox) -> None:
        """Tell a page the whole document once more."""
        self._leave_work(lambda: self._put(outbox, [self._session.document()]))

    def watch(self, outbox: Outbox, *, on: bool) -> None:
        """Hold what is played when this page falls silent, or no longer."""
        self._watchdog.hear(outbox, self._clock(), on=on)

    def end(self) -> None:
        """End the session and its thread."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        self._thread.join(timeout=5.0)

    def tell_of_compiling(self) -> None:
        """Tell the pages that an answer waits for code that is being compiled; from any thread."""
        now = self._clock()
        if now - self._told_of_compiling > TOLD_AGAIN_S:
            self._told_of_compiling = now
            self._tell(Notice(message=COMPILING), None)

    def _ask(self, asked: Asked) -> None:
        with self._changed:
            self._queue.put(asked)
            self._changed.notify()

    def _leave_work(self, work: Callable[[], None]) -> None:
        with self._changed:
            self._work.append(work)
            self._changed.notify()

    def _run(self) -> None:
        kernel_compiler.on_wait.set(self.tell_of_compiling)
        due = self._clock()
        while not self._is_over:
            with self._changed:
                wait = due - self._clock() if self._is_awake() else IDLE_S
                if not self._work and not self._has_command() and not self._is_over and wait > 0.0:
                    self._changed.wait(wait)
                waiting = tuple(self._work)
                self._work.clear()
            for work in waiting:
                self._guarded(work)
            self._do_commands()
            self._publish()
            now = self._clock()
            if not self._is_awake():
                due = math.ceil(now * RATE_HZ) / RATE_HZ
            elif now >= due:
                due = self._tick(due, now)
        BOARD.cancel_all(self.name)
        self._guarded(self._session.close)

    def _is_awake(self) -> bool:
        return bool(self._outboxes) or self._session.is_busy

    def _guarded(self, work: Callable[[], None]) -> bool:
        """Do something at the border of the thread: a mistake of ours is logged and must not end the session."""
        try:
            work()
        except Exception:
            _log.exception("session %s failed", self.name)
            return False
        return True

    def _has_command(self) -> bool:
        return self._queue.has(only_stop=self._computing is not None)

    def _do_commands(self) -> None:
        """Do the commands that wait, up to one that takes long."""
        while True:
            with self._changed:
                asked = self._queue.take(only_stop=self._computing is not None)
            if asked is None:
                return
            self._guarded(lambda asked=asked: self._start(asked))  # type: ignore[misc]

    def _start(self, asked: Asked) -> None:
        command = asked.command
        computing = self._computing
        if isinstance(command, StopMotion) and computing is not None and computing.is_stopped_by(command.arm):
            self._computing = None  # what comes of it is not started any more
        if isinstance(command, Edit) and asked.at_any_revision:
            command = command.model_copy(update={"revision": self._session.revision})
        self._answer(asked, lambda: self._begin(asked, command))
        self._run_ahead()

    def _begin(self, asked: Asked, command: Command) -> bool:
        """Begin a command; return whether it is done."""
        if isinstance(command, ForArm):
            self._lease(command, asked.sender)
        slow = self._commands.begin(command)
        if isinstance(command, StopMotion) and not command.release:
            self._tell_of_stop(command, asked.sender)
        if slow is None:
            return True
        self._computing = asked
        job = submit(Ticket(COMMAND, self.name), slow.compute)
        job.future.add_done_callback(lambda _done: self._leave_work(lambda: self._finish(asked, slow, job)))
        return False

    def _lease(self, command: ForArm, page: Outbox | None) -> None:
        """Let a page move an arm, if no other does; tell the pages where that is new.

        Raises:
            InvalidInput: if another page moves it.
        """
        arm, number = self._session.arm(command.arm), self._numbers.get(page, 0)
        before = self._leases.holder(arm.name)
        if isinstance(command, TakeArm):
            if before not in {None, number}:
                arm.let_go()
            self._leases.give(arm.name, page, number)
        else:
            self._leases.check(command, arm.name, page, number)
        if (holder := self._leases.holder(arm.name)) != before:
            self._tell(Lease(arm=arm.name, holder=holder), None)

    def _finish(self, asked: Asked, slow: Deferred, job: Job[Any]) -> None:
        """Apply what was computed for a command, unless a stop has come in between."""
        if self._computing is not asked:
            return
        self._computing = None

        def apply() -> bool:
            slow.apply(job.result())
            return True

        self._answer(asked, apply)
        self._run_ahead()

    def _run_ahead(self) -> None:
        """Begin the job that runs what is played ahead; what it finds is told as it grows."""
        ahead = self._commands.player.take_ahead()
        if ahead is None:
            return
        try:
            job = submit(Ticket(ASKED, self.name, f"preview {ahead.arm}"), ahead.work)
        except ArmlabError:
            return  # too many jobs wait: it is played all the same
        shown: list[Preview] = []

        def hear() -> None:
            found = job.result() if job.state == "done" else job.part
            if isinstance(found, Preview) and found not in shown:
                shown[:] = [found]
                self._leave_work(lambda: ahead.hear(found))

        job.listen(hear)

    def _answer(self, asked: Asked, work: Callable[[], bool]) -> None:
        """Do a part of a command, and tell who asked when it fails or is done."""
        try:
            is_done = work()
        except ArmlabError as error:
            self._refuse(asked, error)
        except Exception:
            self._refuse(asked, InvalidInput(INTERNAL))
            raise
        else:
            if is_done and asked.done is not None:
                asked.done.set_result(None)

    def _refuse(self, asked: Asked, error: ArmlabError) -> None:
        if asked.done is not None:
            asked.done.set_exception(error)
        else:
            named = getattr(asked.command, "arm", None)
            self._tell(Failed(command=asked.command.type, arm=named, message=error.message), asked.sender)

    def _tell_of_stop(self, command: StopMotion, sender: Outbox | None) -> None:
        for outbox in self._outboxes:
            by: Literal["this_page", "other_page", "server"] = "server" if sender is None else "other_page"
            by = "this_page" if outbox is sender else by
            outbox.put_event(Stopped(stops=self._commands.stops.count, arm=command.arm, by=by))

    def _welcome(self, outbox: Outbox) -> None:
        self._outboxes = (*self._outboxes, outbox)
        pages = len(self._outboxes)
        stops = self._commands.stops.count
        self._pages_so_far += 1
        number = self._numbers[outbox] = self._pages_so_far
        outbox.put_event(Welcome(session=self.name, version=self._version, pages=pages, page=number, stops=stops))
        self._put(outbox, self._session.introduction())
        for name in self._session.arms:
            outbox.put_event(Lease(arm=name, holder=self._leases.holder(name)))
        for other in self._outboxes[:-1]:
            text = n_("{count} page shows this session", "{count} pages show this session")
            other.put_event(Notice(message=Message("other_page", text, count=pages)))
        self.last_seen = self._clock()

    def _forget(self, outbox: Outbox) -> None:
        self._outboxes = tuple(other for other in self._outboxes if other is not outbox)
        self._numbers.pop(outbox, None)
        for name in self._leases.forget(outbox):
            if name in self._session.arms:
                self._session.arms[name].let_go()
            self._tell(Lease(arm=name, holder=None), None)
        if self._watchdog.forget(outbox):
            self._hold()
        self.last_seen = self._clock()

    def _hold(self) -> None:
        """Hold what is played: a page that watches it cannot be heard any more."""
        session = self._session
        if hold_players(arm.player for arm in session.arms.values()):
            session.tell(Notice(message=HELD))

    def _tick(self, due: float, now: float) -> float:
        """Let the time pass that has passed: where the machine is too busy, several ticks at once, with one state."""
        if self._watchdog.lost(now):
            self._guarded(self._hold)
        ticks = min(1 + int((now - due) * RATE_HZ), MOST_TICKS)
        if not (self._guarded(lambda: self._session.prepare(ticks / RATE_HZ)) and self._run_in_turn(ticks)):
            self._guarded(self._session.recover)
        for name in self._leases.rest(self._session.arms, ticks / RATE_HZ):
            self._tell(Lease(arm=name, holder=None), None)
        self._publish()
        if self._outboxes:
            self._guarded(self._send_state)
        due += ticks / RATE_HZ
        if now - due > MAX_LAG_S:
            self._session.note_lag(now - due)
            return math.ceil(now * RATE_HZ) / RATE_HZ
        return due

    def _run_in_turn(self, ticks: int) -> bool:
        """Step the simulation when it is this session's turn; what may take long was prepared before."""
        with _TURN:
            return self._guarded(lambda: self._session.run(ticks / RATE_HZ))

    def _send_state(self) -> None:
        state, samples = self._session.state_frame(), self._session.sensors.frames()
        for outbox in self._outboxes:
            outbox.put_samples(samples)
            outbox.put_state(state)

    def _publish(self) -> None:
        for event in self._session.take_events():
            self._tell(event, None)

    @staticmethod
    def _put(outbox: Outbox, events: list[Event]) -> None:
        for event in events:
            outbox.put_event(event)

    def _tell(self, event: Event, only: Outbox | None) -> None:
        for outbox in self._outboxes if only is None else (only,):
            outbox.put_event(event)
