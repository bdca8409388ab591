"""Batches on several threads: the same rows, the same numbers, no deadlock."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

import armlab
from armlab import threads
from armlab.errors import InvalidInput


@pytest.fixture(autouse=True)
def _default_threads() -> Iterator[None]:
    yield
    threads._chosen = None


@pytest.mark.parametrize("rows", [0, 1, 63, 64, 9_999, 10_000, 10_001, 123_457])
@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_the_slices_are_all_rows_once_and_in_order(rows: int, count: int) -> None:
    armlab.set_threads(count)
    parts = threads.map_slices(lambda part: np.arange(rows)[part], rows)
    np.testing.assert_array_equal(np.concatenate(parts), np.arange(rows))
    assert len(parts) == 1 or (count > 1 and rows >= threads.MINIMUM)


def test_slices_start_where_blocks_start() -> None:
    armlab.set_threads(3)
    starts = threads.map_slices(lambda part: part.start, 50_001)
    assert len(starts) > 3
    assert all(start % threads.ALIGNMENT == 0 for start in starts)


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "scara"])
def test_several_threads_compute_the_same_bits_as_one(name: str) -> None:
    robot = armlab.load(name)
    q = np.random.default_rng(3).uniform(robot.lower, robot.upper, (20_011, robot.dof))
    armlab.set_threads(1)
    alone = robot.fk(q), robot.jacobian(q), robot.frames(q)
    armlab.set_threads(4)
    for one, several in zip(alone, (robot.fk(q), robot.jacobian(q), robot.frames(q)), strict=True):
        np.testing.assert_array_equal(one, several)


def test_a_bad_value_in_any_slice_is_refused() -> None:
    robot = armlab.load("scara")
    armlab.set_threads(2)
    for row in (0, 10_000, 19_999):
        q = np.zeros((20_000, robot.dof))
        q[row, 1] = np.nan
        with pytest.raises(InvalidInput):
            robot.fk(q)


def test_slices_run_beside_the_calling_thread() -> None:
    armlab.set_threads(2)
    both = threading.Barrier(2, timeout=30)

    def meet(_: slice) -> int:
        both.wait()  # passes only when two slices run at the same time
        return threading.get_ident()

    assert len(set(threads.map_slices(meet, 128, minimum=128))) == 2


def test_a_batch_inside_a_slice_stays_on_its_thread() -> None:
    armlab.set_threads(2)

    def inner(_: slice) -> int:
        return len(threads.map_slices(lambda _: 0, 100_000))

    assert set(threads.map_slices(inner, 100_000)) == {1}
    assert len(threads.map_slices(lambda _: 0, 100_000)) > 1


def test_an_error_in_a_slice_is_passed_on_and_the_next_batch_works() -> None:
    armlab.set_threads(2)
    done: list[int] = []

    def fail(part: slice) -> None:
        done.append(part.start)
        if part.start > 0:
            raise LookupError(part.start)

    with pytest.raises(LookupError):
        threads.map_slices(fail, 100_000)
    assert len(done) == len(set(done))
    assert sum(threads.map_slices(lambda part: part.stop - part.start, 100_000)) == 100_000


@pytest.mark.parametrize("count", [0, -1, 257, 2.0, True, "2", None])
def test_a_thread_count_must_be_a_small_positive_integer(count: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        armlab.set_threads(count)  # type: ignore[arg-type]
    assert caught.value.code == "thread_count_outside"
    assert armlab.thread_count() >= 1


def test_the_thread_count_is_what_was_set() -> None:
    armlab.set_threads(5)
    assert armlab.thread_count() == 5


@pytest.mark.parametrize("count", [1, 2, 5])
def test_items_are_answered_once_and_in_order(count: int) -> None:
    armlab.set_threads(count)
    asked: list[int] = []

    def square(item: int) -> int:
        asked.append(item)
        return item * item

    assert threads.map_items(square, range(40)) == [item * item for item in range(40)]
    assert sorted(asked) == list(range(40))
    assert threads.map_items(square, []) == []


def test_two_items_wait_for_each_other_on_two_threads() -> None:
    armlab.set_threads(2)
    both = threading.Barrier(2, timeout=30.0)
    assert sorted(threads.map_items(lambda _item: both.wait(), [0, 1])) == [0, 1]


def test_items_inside_an_item_stay_on_its_thread() -> None:
    armlab.set_threads(2)

    def here(_item: int) -> bool:
        return set(threads.map_items(lambda _inner: threading.get_ident(), range(5))) == {threading.get_ident()}

    assert all(threads.map_items(here, range(6)))
