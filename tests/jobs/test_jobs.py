"""Jobs: what comes of them, who goes first, and what ends them."""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from dataclasses import replace

import pytest
from jobs import work

from armlab.errors import InvalidInput, UnknownName
from armlab.jobs import ASKED, COMMAND, Job, JobBoard, Ticket, tell
from armlab.jobs.job import JobBroken, JobCancelled
from armlab.messages import Message, reader

PATIENCE_S = 120.0
THREAD = Ticket(COMMAND, "somebody")
PROCESS = Ticket(ASKED, "somebody")
SHORT = replace(ASKED, name="short", cpu_s=0.3)


@pytest.fixture
def board() -> Iterator[JobBoard]:
    made = JobBoard()
    yield made
    made.cancel_all()


def wait_until_told(job: Job[None]) -> None:
    """Wait until the work has begun to tell how far it is."""
    told = threading.Event()
    job.listen(told.set)
    assert job.share > 0.0 or told.wait(PATIENCE_S)


@pytest.mark.parametrize("ticket", [THREAD, PROCESS], ids=["thread", "process"])
def test_a_job_gives_its_result_and_tells_its_steps(board: JobBoard, ticket: Ticket) -> None:
    job = board.submit(ticket, work.add_twice, 2, b=3)
    steps: list[Message] = []
    job.listen(lambda: steps.append(job.step))
    assert job.result(PATIENCE_S) == 10
    assert (job.state, job.share, job.failure) == ("done", 1.0, None)
    assert steps[-1] == work.STEP


@pytest.mark.parametrize("ticket", [THREAD, PROCESS], ids=["thread", "process"])
def test_errors_of_ours_keep_their_kind_and_parameters(board: JobBoard, ticket: Ticket) -> None:
    job = board.submit(ticket, work.refuse)
    with pytest.raises(UnknownName) as refused:
        job.result(PATIENCE_S)
    assert refused.value.parameters["near"] == ["ur5e"]
    assert job.state == "failed"
    assert job.failure == refused.value.message


def test_a_mistake_of_ours_is_logged_with_its_traceback_and_told_as_internal(
    board: JobBoard, caplog: pytest.LogCaptureFixture
) -> None:
    job = board.submit(PROCESS, work.break_down)
    with pytest.raises(JobBroken):
        job.result(PATIENCE_S)
    assert job.failure is not None
    assert job.failure.code == "internal"
    assert "break_down" in caplog.text


def test_a_process_is_another_one_and_can_call_home(board: JobBoard) -> None:
    there, home = board.submit(PROCESS, work.ask_home).result(PATIENCE_S)
    assert home == os.getpid() != there


def test_a_job_speaks_the_readers_language(board: JobBoard) -> None:
    token = reader.set("uk")
    try:
        job = board.submit(PROCESS, work.language)
    finally:
        reader.reset(token)
    assert job.result(PATIENCE_S) == "uk"


@pytest.mark.skipif(sys.platform != "linux", reason="priorities and threads are read from Linux")
def test_a_process_gives_way_to_the_sessions(board: JobBoard) -> None:
    nice, threads = board.submit(PROCESS, work.settings).result(PATIENCE_S)
    assert nice >= 10
    assert threads == 2, "the work and the thread that watches it"


def test_work_without_an_end_is_ended_by_the_time_that_it_computes(board: JobBoard) -> None:
    job = board.submit(Ticket(SHORT), work.compute_for_ever)
    with pytest.raises(InvalidInput) as ended:
        job.result(PATIENCE_S)
    assert (ended.value.code, ended.value.parameters["seconds"]) == ("job_time", 0.3)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the address space")
def test_work_that_needs_too_much_memory_is_told_so(board: JobBoard) -> None:
    with pytest.raises(InvalidInput) as ended:
        board.submit(PROCESS, work.fill_memory).result(PATIENCE_S)
    assert ended.value.code == "job_memory"


def test_a_process_that_somebody_kills_is_an_error_and_the_next_job_works(board: JobBoard) -> None:
    with pytest.raises(InvalidInput) as ended:
        board.submit(PROCESS, work.end_itself).result(PATIENCE_S)
    assert ended.value.code == "job_ended"
    assert board.submit(PROCESS, work.add, 1, 2).result(PATIENCE_S) == 3


def test_a_cancelled_job_ends_at_once_and_gives_its_place_back(board: JobBoard) -> None:
    lane = replace(ASKED, name="one place", at_once=1)
    job = board.submit(Ticket(lane), work.compute_for_ever)
    wait_until_told(job)
    waiting = board.submit(Ticket(lane), work.add, 1, 2)
    board.cancel(job)
    with pytest.raises(JobCancelled):
        job.result(PATIENCE_S)
    assert job.failure is None
    assert waiting.result(PATIENCE_S) == 3


def test_a_newer_job_of_the_same_key_takes_the_place_of_the_older(board: JobBoard) -> None:
    ticket = Ticket(COMMAND, "somebody", "kind", "arm")
    go, after = threading.Event(), list[str]()

    def slow() -> None:
        assert go.wait(PATIENCE_S)
        tell(0.5)
        after.append("ran on")

    old = board.submit(ticket, slow)
    new = board.submit(ticket, lambda: "new")
    go.set()
    assert new.result(PATIENCE_S) == "new"
    with pytest.raises(JobCancelled):
        old.result(PATIENCE_S)
    assert after == []
    assert board.last("somebody", "kind", "arm") is new
    assert board.last("somebody", "kind", "another arm") is None
    assert board.last("somebody else", "kind", "arm") is None


def test_what_waits_and_is_replaced_holds_its_file_no_longer(board: JobBoard) -> None:
    go = threading.Event()
    lane = replace(COMMAND, name="one", at_once=1)
    board.submit(Ticket(lane), go.wait, PATIENCE_S)

    class Upload:
        """What a job works on."""

    def started() -> weakref.ref[Upload]:
        upload = Upload()
        board.submit(Ticket(lane, "somebody", "kind"), lambda: upload)
        return weakref.ref(upload)

    held = [started() for _ in range(4)]
    assert [file() is None for file in held] == [True, True, True, False], "the last one still waits"
    board.cancel_all("somebody")
    assert held[-1]() is None
    go.set()


def test_who_has_nothing_running_goes_before_who_has(board: JobBoard) -> None:
    lane = replace(COMMAND, name="two", at_once=2)
    held, order = [threading.Event(), threading.Event()], list[str]()
    for go in held:
        board.submit(Ticket(lane, "greedy"), go.wait, PATIENCE_S)
    waiting = [board.submit(Ticket(lane, who), order.append, who) for who in ("greedy", "greedy", "modest")]
    held[0].set()
    for job in waiting:
        job.result(PATIENCE_S)
    held[1].set()
    assert order == ["modest", "greedy", "greedy"]


def test_work_that_nobody_asks_for_any_more_is_ended(board: JobBoard) -> None:
    asked, go = threading.Event(), threading.Event()

    def work_on() -> None:
        asked.set()
        assert go.wait(PATIENCE_S)
        tell(0.5)

    job = board.submit(Ticket(COMMAND, "somebody", "kind", "arm", patience_s=60.0), work_on)
    assert asked.wait(PATIENCE_S)
    assert board.last("somebody", "kind", "arm") is job
    job.asked_at -= 61.0
    go.set()
    with pytest.raises(JobCancelled):
        job.result(PATIENCE_S)
    assert job.is_cancelled


def test_one_owner_may_have_so_many_jobs_and_no_more(board: JobBoard) -> None:
    lane = replace(COMMAND, name="few", most_of_owner=2)
    go = threading.Event()
    for _ in range(2):
        board.submit(Ticket(lane, "greedy"), go.wait, PATIENCE_S)
    with pytest.raises(InvalidInput) as refused:
        board.submit(Ticket(lane, "greedy"), go.wait)
    assert (refused.value.code, refused.value.parameters["count"]) == ("too_many_jobs", 2)
    assert board.submit(Ticket(lane, "modest"), work.add, 1, 2).result(PATIENCE_S) == 3
    go.set()


def test_all_jobs_of_who_goes_are_ended(board: JobBoard) -> None:
    gone = board.submit(Ticket(ASKED, "gone", "kind"), work.compute_for_ever)
    stays = board.submit(Ticket(ASKED, "stays", "kind"), work.add, 1, 2)
    board.cancel_all("gone")
    with pytest.raises(JobCancelled):
        gone.result(PATIENCE_S)
    assert stays.result(PATIENCE_S) == 3
    assert board.last("gone", "kind", None) is None
    deadline = time.monotonic() + PATIENCE_S
    while board.is_busy(ASKED) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not board.is_busy(ASKED)
