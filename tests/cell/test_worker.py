"""A session in real time: its thread takes commands, tells pages, and lives through what goes wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cell.driven import Driven, project, with_parts
from cell.editing import whole

from armlab.cell import command_handler, world
from armlab.cell.commands import COMMAND
from armlab.cell.events import Changed, Document, Dragged, Event, Failed, Notice, Stopped, Welcome
from armlab.cell.outbox import Outbox
from armlab.cell.patch import SetValue
from armlab.cell.session import Session
from armlab.cell.watchdog import SILENCE_S
from armlab.cell.wire import HEADER, Flag
from armlab.cell.worker import MAX_WAITING, Worker
from armlab.errors import InvalidInput, UnknownName

PATIENCE_S = 60.0
"""Only a test that fails waits as long as this."""


class Page:
    """What one page gets; it looks whenever there is something new."""

    def __init__(self, worker: Worker) -> None:
        self._has_news = threading.Event()
        self.outbox = Outbox(self._has_news.set)
        self.events: list[Event] = []
        self.states: list[bytes] = []
        self.worker = worker
        worker.join(self.outbox)

    def read(self) -> None:
        """Wait for something new, and take it in."""
        assert self._has_news.wait(PATIENCE_S), "nothing was told"
        self._has_news.clear()
        events, state = self.outbox.take()
        self.events += events
        self.states += [] if state is None else [state]

    def until(self, is_so: Callable[[Page], bool]) -> None:
        """Read on; 60 states a second come for ever, so that it is counted how often nothing was right."""
        for _ in range(5000):
            if is_so(self):
                return
            self.read()
        pytest.fail("nothing of the kind was told")

    def ticks(self, count: int) -> None:
        """Wait for a number of new states."""
        more = len(self.states) + count
        self.until(lambda p: len(p.states) >= more)

    def ask(self, kind: str, **values: object) -> None:
        self.worker.post(COMMAND.validate_python({"type": kind, **values}), self.outbox)

    @property
    def time(self) -> float:
        """The session's time (s) in the newest state."""
        return float(HEADER.unpack_from(self.states[-1])[5])


class Gate:
    """Work that does not end before the test lets it."""

    def __init__(self, work: Callable[..., Any]) -> None:
        self._work = work
        self._is_begun, self._may_end = threading.Event(), threading.Event()

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        self._is_begun.set()
        assert self._may_end.wait(PATIENCE_S)
        return self._work(*arguments, **more)

    def await_begin(self) -> None:
        """Wait until somebody is at work."""
        assert self._is_begun.wait(PATIENCE_S)

    def open(self) -> None:
        """Let the work end."""
        self._may_end.set()


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker("abc", Session(project("planar3")), "1.2.3")
    yield made
    made.end()


def failed(page: Page) -> list[Failed]:
    return [event for event in page.events if isinstance(event, Failed)]


def told_title(page: Page, title: str) -> bool:
    """Tell whether a page was told of a new title."""
    changed = [change for event in page.events if isinstance(event, Changed) for change in event.changes]
    return SetValue(path=("title",), value=title) in changed


def flags(page: Page) -> Flag:
    return Flag(HEADER.unpack_from(page.states[-1])[6]) if page.states else Flag(0)


def test_a_page_is_welcomed_and_gets_document_and_states(worker: Worker) -> None:
    page = Page(worker)
    page.until(lambda p: len(p.states) > 5)
    first = page.events[0]
    assert isinstance(first, Welcome)
    assert (first.session, first.version, first.pages) == ("abc", "1.2.3", 1)
    assert isinstance(page.events[1], Document)
    times = [HEADER.unpack_from(state)[5] for state in page.states]
    assert times == sorted(times)


def test_what_fails_is_told_to_who_asked_and_to_nobody_else(worker: Worker) -> None:
    one, other = Page(worker), Page(worker)
    one.ask("move_joints", revision=7, targets={0: 1.0})
    one.until(lambda p: bool(failed(p)))
    assert (failed(one)[0].command, failed(one)[0].code) == ("move_joints", "stale")
    other.until(lambda p: len(p.states) > 3)
    assert failed(other) == []


@pytest.mark.parametrize("revision", [-1, 0, 2])
def test_an_edit_of_a_revision_that_is_not_the_last_is_refused(worker: Worker, revision: int) -> None:
    page = Page(worker)
    changed = worker.session.project.model_copy(update={"title": "ours"})
    page.ask("edit", changes=whole(changed), label="title", revision=revision)
    page.until(lambda p: bool(failed(p)))
    assert (failed(page)[0].command, failed(page)[0].code) == ("edit", "stale")
    assert worker.session.revision == 1


def test_every_page_sees_the_same_document(worker: Worker) -> None:
    one, other = Page(worker), Page(worker)
    changed = worker.session.project.model_copy(update={"title": "ours"})
    one.ask("edit", changes=whole(changed), label="title", revision=1)
    for page in (one, other):
        page.until(lambda p: told_title(p, "ours"))
    one.until(lambda p: any(isinstance(e, Notice) and e.code == "other_page" for e in p.events))


def test_the_page_that_jogs_stops_the_arm_when_it_goes(worker: Worker) -> None:
    one, other = Page(worker), Page(worker)
    for i in range(200):
        one.ask("jog_joints", shares=[0.3, 0.0, 0.0], sequence=i)
        other.ticks(1)
        if flags(other) & Flag.JOGGING:
            break
    assert flags(other) & Flag.JOGGING
    worker.leave(one.outbox)
    other.until(lambda p: not flags(p) & (Flag.JOGGING | Flag.MOVING))


def stops_told(page: Page) -> list[tuple[int, str]]:
    return [(event.stops, event.by) for event in page.events if isinstance(event, Stopped)]


def test_a_stop_in_one_page_ends_the_jog_of_another_until_that_is_begun_anew(worker: Worker) -> None:
    one, other = Page(worker), Page(worker)
    for i in range(200):
        one.ask("jog_joints", shares=[0.3, 0.0, 0.0], sequence=i)
        other.ticks(1)
        if flags(other) & Flag.JOGGING:
            break
    other.ask("stop")
    for page, by in ((one, "other_page"), (other, "this_page")):
        page.until(lambda p: bool(stops_told(p)))
        assert stops_told(page) == [(1, by)]
    other.until(lambda p: not flags(p) & Flag.MOVING)
    for i in range(200, 212):  # still held
        one.ask("jog_joints", shares=[0.3, 0.0, 0.0], sequence=i)
        other.ticks(1)
        assert not flags(other) & (Flag.JOGGING | Flag.MOVING)
    one.until(lambda p: bool(failed(p)))
    assert {event.code for event in failed(one)} == {"stopped_since"}
    one.ask("stop", release=True)
    one.ask("jog_joints", shares=[0.3, 0.0, 0.0], sequence=212, stops=1)
    other.until(lambda p: bool(flags(p) & Flag.JOGGING))
    assert stops_told(other) == [(1, "this_page")]
    late = Page(worker)
    late.until(lambda p: bool(p.events))
    assert isinstance(late.events[0], Welcome)
    assert late.events[0].stops == 1


def test_what_is_played_is_held_when_a_page_that_watches_goes_or_falls_silent() -> None:
    late = [0.0]
    poses = [
        {"id": "a", "name": "there", "q": [100.0, 10.0, 10.0]},
        {"id": "b", "name": "back", "q": [60.0, 10.0, 10.0]},
    ]
    session = Session(project("planar3", poses=poses))
    worker = Worker("abc", session, "1", clock=lambda: time.monotonic() + late[0])
    try:
        watching, other = Page(worker), Page(worker)
        other.ask("play", what="poses", loop=True)
        other.until(lambda p: bool(flags(p) & Flag.PLAYING))
        worker.watch(watching.outbox, on=True)
        worker.leave(watching.outbox)
        other.until(lambda p: any(isinstance(e, Notice) and e.code == "held_unwatched" for e in p.events))
        other.until(lambda p: not flags(p) & Flag.PLAYING)
        other.ask("resume")
        other.until(lambda p: bool(flags(p) & Flag.PLAYING))
        worker.watch(other.outbox, on=True)
        late[0] += 2.0 * SILENCE_S
        other.until(lambda p: not flags(p) & Flag.PLAYING)
        assert sum(isinstance(e, Notice) and e.code == "held_unwatched" for e in other.events) == 2
    finally:
        worker.end()


def test_an_error_of_our_own_is_told_and_the_session_lives(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    page = Page(worker)
    monkeypatch.setattr(worker._commands, "begin", lambda _command: 1 / 0)
    page.ask("stop")
    page.until(lambda p: bool(failed(p)))
    monkeypatch.undo()
    assert failed(page)[0].code == "internal"
    page.ticks(3)
    assert "session abc failed" in caplog.text


def test_a_tick_that_fails_restarts_the_simulation(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    page = Page(worker)
    page.ticks(2)
    has_failed = threading.Event()

    def step(_steps: int) -> None:
        monkeypatch.undo()
        has_failed.set()
        raise ZeroDivisionError

    monkeypatch.setattr(worker.session.stepper, "step", step)
    assert has_failed.wait(PATIENCE_S)
    page.ticks(3)
    assert "ZeroDivisionError" in caplog.text


def test_a_session_that_nobody_looks_at_stands_still() -> None:
    late = [0.0]
    worker = Worker("abc", Session(project("planar3")), "1", clock=lambda: time.monotonic() + late[0])
    try:
        page = Page(worker)
        page.ticks(3)
        worker.leave(page.outbox)
        worker.replace(project("planar3", title="left"), "a command that is done after the page has left")
        late[0] += 1000.0
        other = Page(worker)
        other.ticks(1)
        assert other.time - page.time < 100.0
    finally:
        worker.end()


def test_too_many_waiting_commands_are_refused() -> None:
    made = Worker("busy", Session(project("planar3")), "1")
    made.end()
    for _ in range(MAX_WAITING):
        made.post(COMMAND.validate_python({"type": "stop"}))
    with pytest.raises(InvalidInput, match="too many commands are waiting"):
        made.post(COMMAND.validate_python({"type": "stop"}))


def test_a_project_can_be_put_in_the_place_of_another(worker: Worker) -> None:
    worker.replace(project("scara", title="other"), "open")
    assert worker.session.robot.name == "scara"
    with pytest.raises(UnknownName, match="no robot named 'nothing'"):
        worker.replace(project("nothing"), "open")
    assert worker.session.project.title == "other"


def test_a_session_does_not_depend_on_how_time_is_cut() -> None:
    one, other = Driven("planar3"), Driven("planar3")
    for driven, parts in ((one, 1), (other, 4)):
        driven.send(80.0, 10.0, 10.0)
        for _ in range(30 * parts):
            driven.session.advance(1.0 / 60.0 / parts)
    assert abs(one.q - other.q).max() < 1e-6


def test_a_command_that_takes_long_holds_up_no_ticks_and_is_answered_later(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, dragger = Page(worker), worker.session.arm().dragger
    gate = Gate(dragger.drag)
    monkeypatch.setattr(dragger, "drag", gate)
    other = Worker("other", Session(project("planar3")), "1.2.3")
    try:
        page.ask("move_tool", pose=[9000.0, 0.0, 0.0, 0.0, 0.0, 0.0], sequence=5)
        gate.await_begin()
        page.ticks(10)
        Page(other).ticks(10)
        assert not [event for event in page.events if isinstance(event, Dragged)]
        gate.open()
        page.until(lambda p: any(isinstance(event, Dragged) and event.sequence == 5 for event in p.events))
    finally:
        gate.open()
        other.end()


def test_a_stop_is_done_while_something_is_computed_and_what_comes_of_that_is_not_started(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, dragger = Page(worker), worker.session.arm().dragger
    page.ask("move_joints", revision=1, targets={0: 80.0})
    page.until(lambda p: bool(flags(p) & Flag.MOVING))
    gate = Gate(dragger.drag)
    monkeypatch.setattr(dragger, "drag", gate)
    page.ask("move_tool", pose=[30.0, 0.0, 0.0, 0.0, 0.0, 0.0], sequence=1)
    gate.await_begin()
    page.ask("move_joints", revision=1, targets={0: -80.0})  # waits, and is void
    page.ask("stop")
    page.until(lambda p: not flags(p) & Flag.MOVING)
    gate.open()
    worker.replace(project("planar3", title="next"), "a command that comes after all of them")
    page.until(lambda p: told_title(p, "next"))
    page.ticks(5)
    assert not flags(page) & Flag.MOVING
    assert not [event for event in page.events if isinstance(event, Dragged)]


def test_time_goes_on_while_an_edit_is_built_and_later_commands_find_it_done(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, gate = Page(worker), Gate(world.build_world)
    monkeypatch.setattr(command_handler, "build_world", gate)
    page.ask("edit", changes=whole(project("planar2")), label="arm", revision=1)
    gate.await_begin()
    page.ask("move_joints", revision=2, targets={1: 30.0})
    page.ask("stop")  # is done at once, and leaves the edit alone
    page.ask("move_joints", revision=2, targets={1: 40.0}, stops=1)
    page.ticks(10)
    assert HEADER.unpack_from(page.states[-1])[2] == 3, "still the old arm"
    gate.open()
    page.until(lambda p: bool(flags(p) & Flag.MOVING))
    assert HEADER.unpack_from(page.states[-1])[2] == 2
    assert failed(page) == []


def test_an_edit_that_cannot_be_built_is_told_later_and_changes_nothing(worker: Worker) -> None:
    page = Page(worker)
    broken = with_parts(project("planar3"), "arm", arm={"name": "nobody"})
    page.ask("edit", changes=whole(broken), label="arm", revision=1)
    page.until(lambda p: bool(failed(p)))
    assert (failed(page)[0].command, failed(page)[0].code) == ("edit", "unknown_robot")
    page.ask("edit", changes=whole(project("planar2")), label="arm", revision=1)
    page.until(lambda p: any(isinstance(event, Changed) and event.revision == 2 for event in p.events))


def test_a_session_that_ends_does_not_wait_for_what_is_computed(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, dragger = Page(worker), worker.session.arm().dragger
    gate = Gate(dragger.drag)
    monkeypatch.setattr(dragger, "drag", gate)
    page.ask("move_tool", pose=[30.0, 0.0, 0.0, 0.0, 0.0, 0.0], sequence=1)
    gate.await_begin()
    worker.end()
    assert not worker._thread.is_alive()
    gate.open()
