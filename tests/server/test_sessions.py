"""The sessions that a server holds."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from armlab.cell.outbox import Outbox
from armlab.cell.project import ArmChoice, Project
from armlab.errors import InvalidInput, UnknownName
from armlab.server import sessions as rooms
from armlab.server.sessions import Sessions

SMALL = Project.of_arm(ArmChoice(name="planar2"), structure="hierarchy")


@pytest.fixture
def sessions() -> Iterator[Sessions]:
    made = Sessions()
    yield made
    made.end_all()


def test_a_session_is_found_by_its_name_until_it_ends(sessions: Sessions) -> None:
    worker = sessions.create(SMALL)
    assert sessions.find(worker.name) is worker
    sessions.end(worker.name)
    with pytest.raises(UnknownName, match="no session named"):
        sessions.find(worker.name)
    sessions.end(worker.name)


def test_names_cannot_be_guessed(sessions: Sessions) -> None:
    names = {sessions.create(SMALL).name for _ in range(3)}
    assert len(names) == 3
    assert all(len(name) >= 16 for name in names)


def test_there_are_not_more_than_the_server_can_bear(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "MAX_SESSIONS", 2)
    first, second = sessions.create(SMALL), sessions.create(SMALL)
    first.last_seen -= 1.0
    third = sessions.create(SMALL)
    assert len(sessions) == 2
    with pytest.raises(UnknownName):
        sessions.find(first.name)
    for worker in (second, third):
        is_welcome = threading.Event()
        worker.join(Outbox(is_welcome.set))
        assert is_welcome.wait(60.0)
    with pytest.raises(InvalidInput, match="2 sessions are open, and no more are allowed"):
        sessions.create(SMALL)


def test_sessions_that_nobody_looks_at_make_room(sessions: Sessions) -> None:
    old = sessions.create(SMALL)
    old.last_seen = time.monotonic() - rooms.FORGOTTEN_S - 1.0
    young = sessions.create(SMALL)
    with pytest.raises(UnknownName):
        sessions.find(old.name)
    assert sessions.find(young.name) is young


def test_the_end_of_the_server_ends_every_thread(sessions: Sessions) -> None:
    names = {f"session-{sessions.create(SMALL).name}" for _ in range(3)}
    assert names <= {thread.name for thread in threading.enumerate()}
    sessions.end_all()
    assert len(sessions) == 0
    assert not names & {thread.name for thread in threading.enumerate()}


def test_a_project_that_cannot_be_built_makes_no_session(sessions: Sessions) -> None:
    with pytest.raises(UnknownName, match="no robot named 'none-such'"):
        sessions.create(Project.of_arm(ArmChoice(name="none-such")))
    assert len(sessions) == 0
