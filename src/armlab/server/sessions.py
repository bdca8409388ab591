"""The sessions that the server holds: made, found, and ended when nobody comes back."""

from __future__ import annotations

import secrets
import threading
import time

import armlab
from armlab.errors import InvalidInput, UnknownName
from armlab.runtime.commands import JogTool, MoveTool
from armlab.runtime.engine import Engine
from armlab.runtime.project import ArmChoice, Project
from armlab.runtime.worker import Worker

MAX_SESSIONS = 64
FORGOTTEN_S = 30 * 60.0
FIRST_PROJECT = Project(arm=ArmChoice(name="kuka-kr6-r700"))


def warm_up_sessions() -> None:
    """Do once what every session does, so that the first person need not wait for it."""
    engine = Engine(FIRST_PROJECT)
    for command in (
        JogTool(type="jog_tool", shares=(0.0, 0.0, 0.1, 0.0, 0.0, 0.0), frame="base", sequence=0),
        MoveTool(type="move_tool", pose=(400.0, 0.0, 500.0, 0.0, 90.0, 0.0), sequence=0),
    ):
        engine.handle(command)
        engine.advance(0.1)
    engine.state_frame()
    engine.close()


class Sessions:
    """All sessions by their name."""

    def __init__(self) -> None:
        self._workers: dict[str, Worker] = {}
        self._lock = threading.Lock()

    def create(self, project: Project | None = None, q: tuple[float, ...] | None = None) -> Worker:
        """Start a session with the arm at `q` (°, mm) or at home.

        Those that nobody looked at for half an hour make room first; where all places are taken, the one goes that
        nobody has looked at for the longest time.

        Raises:
            InvalidInput: if there are too many, and somebody looks at each.
        """
        engine = Engine(project or FIRST_PROJECT, q)
        with self._lock:
            self._forget_old()
            if len(self._workers) >= MAX_SESSIONS:
                engine.close()
                raise InvalidInput(f"{MAX_SESSIONS} sessions are open, and no more are allowed; end one first")
            name = secrets.token_hex(8)
            worker = self._workers[name] = Worker(name, engine, armlab.__version__)
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
