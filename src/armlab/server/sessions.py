"""The sessions that the server holds: made, found, and ended when nobody comes back."""

from __future__ import annotations

import secrets
import threading
import time
from contextlib import suppress

import armlab
from armlab.assets import asset_store
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import JogJoints, JogTool, MoveJoints
from armlab.cell.project import ArmChoice, Project
from armlab.cell.session import Session
from armlab.cell.worker import Worker
from armlab.errors import InvalidInput, UnknownName
from armlab.messages import _
from armlab.recording.folder import RecordingFolder

MAX_SESSIONS = 64
FORGOTTEN_S = 30 * 60.0
FIRST_PROJECT = Project.of_arm(ArmChoice(name="kuka-kr6-r700"))


def warm_up_sessions() -> None:
    """Do once what every session does at first, so that the first person need not wait for it: show and jog an arm."""
    session = Session(FIRST_PROJECT)
    for command in (
        JogJoints(type="jog_joints", shares=(0.1,) * session.robot.dof, sequence=0),
        JogTool(type="jog_tool", shares=(0.0, 0.0, 0.1, 0.0, 0.0, 0.0), frame="base", sequence=0),
        MoveJoints(type="move_joints", revision=session.revision, targets={0: 10.0}),
    ):
        CommandHandler(session).handle(command)
        session.advance(0.1)
    session.state_frame()
    session.close()


class Sessions:
    """All sessions by their name."""

    def __init__(self, recordings: RecordingFolder | None = None) -> None:
        self._recordings = recordings
        self._workers: dict[str, Worker] = {}
        self._lock = threading.Lock()

    def create(self, project: Project | None = None) -> Worker:
        """Start a session.

        Those that nobody looked at for half an hour make room first; where all places are taken, the one goes that
        nobody has looked at for the longest time.

        Raises:
            InvalidInput: if there are too many, and somebody looks at each.
        """
        session = Session(project or FIRST_PROJECT, self._recordings)
        with self._lock:
            self._forget_old()
            if len(self._workers) >= MAX_SESSIONS:
                session.close()
                text = _("{count} sessions are open, and no more are allowed; end one first")
                raise InvalidInput("too_many_sessions", text, count=MAX_SESSIONS)
            name = secrets.token_hex(8)
            worker = self._workers[name] = Worker(name, session, armlab.__version__)
        return worker

    def find(self, name: str) -> Worker:
        """Return the session of that name.

        Raises:
            UnknownName: if there is none (any more).
        """
        worker = self._workers.get(name)
        if worker is None:
            raise UnknownName("session", name, ())
        return worker

    def make_room_for_assets(self) -> None:
        """Remove files from the store that were not used for long, where there are too many; what is in use stays."""
        store = asset_store()
        used = {name for worker in tuple(self._workers.values()) for name in worker.session.history.assets()}
        for name in tuple(used):
            with suppress(InvalidInput):
                used.update(store.closure([name]))
        store.make_room(used)

    def end(self, name: str) -> None:
        """End a session."""
        with self._lock:
            worker = self._workers.pop(name, None)
        if worker is not None:
            worker.end()

    def end_all(self) -> None:
        """End every session: the server stops."""
        for name in tuple(self._workers):
            self.end(name)

    def __len__(self) -> int:
        return len(self._workers)

    def _forget_old(self) -> None:
        now = time.monotonic()
        alone = sorted((w.last_seen, n) for n, w in self._workers.items() if not w.pages)
        old = [n for seen, n in alone if now - seen > FORGOTTEN_S]
        if not old and len(self._workers) >= MAX_SESSIONS:
            old = [n for _, n in alone[:1]]
        for name in old:
            threading.Thread(target=self._workers.pop(name).end, daemon=True).start()
