"""A session in real time: its thread takes commands, tells pages, and lives through what goes wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from runtime.benches import Bench, project

from armlab.errors import InvalidInput, UnknownName
from armlab.runtime.commands import COMMAND
from armlab.runtime.engine import Engine
from armlab.runtime.events import Document, Event, Failed, Notice, Welcome
from armlab.runtime.outbox import Outbox
from armlab.runtime.wire import HEADER, Flag
from armlab.runtime.worker import MAX_WAITING, Worker

PATIENCE_S = 20.0


class Page:
    """What one page gets."""

    def __init__(self, worker: Worker) -> None:
        self.outbox = Outbox(lambda: None)
        self.events: list[Event] = []
        self.states: list[bytes] = []
        self.worker = worker
        worker.join(self.outbox)

    def read(self) -> None:
        events, state = self.outbox.take()
        self.events += events
        self.states += [] if state is None else [state]

    def until(self, is_so: Callable[[Page], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            self.read()
            if is_so(self):
                return
            time.sleep(0.005)
        pytest.fail("nothing of the kind was told")

    def ask(self, kind: str, **values: object) -> None:
        self.worker.post(COMMAND.validate_python({"type": kind, **values}), self.outbox)


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker("abc", Engine(project("planar3")), "1.2.3")
    yield made
    made.end()


def failed(page: Page) -> list[Failed]:
    return [event for event in page.events if isinstance(event, Failed)]


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
    one.ask("move_joints", q=[1.0])
    one.until(lambda p: bool(failed(p)))
    assert (failed(one)[0].command, failed(one)[0].code) == ("move_joints", "invalid_input")
    other.until(lambda p: len(p.states) > 3)
    assert failed(other) == []


def test_every_page_sees_the_same_document(worker: Worker) -> None:
    one, other = Page(worker), Page(worker)
    changed = worker.engine.project.model_copy(update={"title": "ours"})
    one.ask("edit", project=changed.model_dump(by_alias=True), label="title", revision=1)
    for page in (one, other):
        page.until(lambda p: any(isinstance(e, Document) and e.project.title == "ours" for e in p.events))
    one.until(lambda p: any(isinstance(e, Notice) and e.code == "other_page" for e in p.events))


def test_the_page_that_jogs_stops_the_arm_when_it_goes(worker: Worker) -> None:
    one, other = Page(worker), Page(worker)
    for i in range(200):
        one.ask("jog_joints", shares=[0.3, 0.0, 0.0], sequence=i)
        other.read()
        if flags(other) & Flag.JOGGING:
            break
        time.sleep(0.01)
    assert flags(other) & Flag.JOGGING
    worker.leave(one.outbox)
    other.until(lambda p: not flags(p) & (Flag.JOGGING | Flag.MOVING))


def test_an_error_of_our_own_is_told_and_the_session_lives(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    page = Page(worker)
    monkeypatch.setattr(worker.engine, "handle", lambda _command: 1 / 0)
    page.ask("stop")
    page.until(lambda p: bool(failed(p)))
    monkeypatch.undo()
    assert failed(page)[0].code == "internal"
    assert "session abc failed" in caplog.text
    before = len(page.states)
    page.until(lambda p: len(p.states) > before + 3)


def test_a_clock_that_fails_starts_the_simulation_anew(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    page = Page(worker)
    page.until(lambda p: len(p.states) > 2)
    monkeypatch.setattr(worker.engine, "_step", lambda _steps: 1 / 0)
    end = time.monotonic() + PATIENCE_S
    while "failed" not in caplog.text and time.monotonic() < end:
        time.sleep(0.01)
    monkeypatch.undo()
    before = len(page.states)
    page.until(lambda p: len(p.states) > before + 3)
    assert "ZeroDivisionError" in caplog.text


def test_a_session_that_nobody_looks_at_stands_still(worker: Worker) -> None:
    page = Page(worker)
    page.until(lambda p: len(p.states) > 3)
    worker.leave(page.outbox)
    time.sleep(0.3)
    stands = worker.engine.state_frame()
    time.sleep(0.2)
    assert HEADER.unpack_from(worker.engine.state_frame())[5] == HEADER.unpack_from(stands)[5]


def test_too_many_waiting_commands_are_refused() -> None:
    made = Worker("busy", Engine(project("planar3")), "1")
    made.end()
    for _ in range(MAX_WAITING):
        made.post(COMMAND.validate_python({"type": "stop"}))
    with pytest.raises(InvalidInput, match="too many commands are waiting"):
        made.post(COMMAND.validate_python({"type": "stop"}))


def test_a_project_can_be_put_in_the_place_of_another(worker: Worker) -> None:
    worker.replace(project("scara", title="other"), "open")
    assert worker.engine.robot.name == "scara"
    with pytest.raises(UnknownName, match="no robot named 'nothing'"):
        worker.replace(project("nothing"), "open")
    assert worker.engine.project.title == "other"


def test_the_clockwork_does_not_depend_on_how_time_is_cut() -> None:
    one, other = Bench("planar3"), Bench("planar3")
    for bench, parts in ((one, 1), (other, 4)):
        bench.ask("move_joints", q=[80.0, 10.0, 10.0])
        for _ in range(30 * parts):
            bench.engine.advance(1.0 / 60.0 / parts)
    assert abs(one.q - other.q).max() < 1e-6


def test_a_command_that_takes_long_holds_up_its_own_session_only(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Engine(project("planar3"))
    is_handling, may_go_on = threading.Event(), threading.Event()

    def handle(_command: object) -> None:
        is_handling.set()
        assert may_go_on.wait(PATIENCE_S)

    monkeypatch.setattr(slow, "handle", handle)
    other = Worker("slow", slow, "1.2.3")
    try:
        Page(other).ask("stop")
        assert is_handling.wait(PATIENCE_S)
        page = Page(worker)
        page.until(lambda p: len(p.states) > 5)
    finally:
        may_go_on.set()
        other.end()
