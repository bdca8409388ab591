"""Times of lines: sums are kept line by line, and their memory is bounded."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from armlab.program import line_times
from armlab.program.line_times import LineTimes


def test_sums_are_those_of_a_plain_dictionary() -> None:
    rng, lines, expected, counts = random.Random(5), LineTimes(), Counter[tuple[str, int]](), Counter[tuple[str, int]]()
    for _step in range(5000):
        key, seconds, begins = (rng.choice("ab"), rng.randrange(1, 4000)), rng.random(), rng.random() < 0.7
        lines.add(*key, seconds, begins)
        expected[key] += seconds  # type: ignore[assignment]
        counts[key] += begins
    assert {(one.file, one.line): one.count for one in lines} == {key: counts[key] for key in expected}
    for one in lines:
        assert one.time == pytest.approx(expected[one.file, one.line], rel=1e-12)
    assert lines.rest == 0.0
    assert [one.time for one in lines.longest(7)] == sorted((one.time for one in lines), reverse=True)[:7]


def test_lines_beyond_the_bound_are_only_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_times, "MOST_LINES", 3000)
    lines = LineTimes()
    for line in range(1, 100_001):
        lines.add("a.ngc", line, 0.5, 1)
    assert len(lines) < 3000
    assert sum(one.time for one in lines) + lines.rest == 50_000.0
    assert sum(len(column) * column.itemsize for sums in lines._files.values() for column in sums) <= 3000 * 16
