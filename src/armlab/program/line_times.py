"""How long the lines of a program take: a few bytes per line, and a bound on how many lines are kept."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

MOST_LINES = 1_000_000
"""Lines whose times are kept one by one, of all files together; what later ones take is only added up."""
FIRST = 1024
"""Room for so many lines is made at first."""


@dataclass(frozen=True, slots=True)
class LineTime:
    """How long the arm moves because of a line of a program (s), and how often it was carried out."""

    file: str
    line: int
    time: float
    count: int


class LineTimes:
    """Times of the lines of a program, file by file and in the order of the lines; iterate over it to get them."""

    def __init__(self) -> None:
        self.rest = 0.0
        """s: what the lines take that are not kept."""
        self._files: dict[str, tuple[array[float], array[int]]] = {}
        self._room = MOST_LINES

    def add(self, file: str, line: int, seconds: float, times: int) -> None:
        """Add the time that a line takes, and how often it begins in it."""
        known = self._files.get(file)
        if known is None or line >= len(known[0]):
            known = self._with_room(file, line)
            if known is None:
                self.rest += seconds
                return
        known[0][line] += seconds
        known[1][line] += times

    def _with_room(self, file: str, line: int) -> tuple[array[float], array[int]] | None:
        """Return the sums of a file with room for a line; None where no more lines are kept."""
        sums = self._files.get(file) or (array("d"), array("L"))
        wanted = max(FIRST, 2 * len(sums[0]), line + 1)
        most = len(sums[0]) + self._room
        if line >= most:
            return None
        added = min(wanted, most) - len(sums[0])
        self._room -= added
        for column in sums:
            column.frombytes(bytes(added * column.itemsize))
        self._files[file] = sums
        return sums

    def __iter__(self) -> Iterator[LineTime]:
        for file, (seconds, counts) in self._files.items():
            for line, count in enumerate(counts):
                if count or seconds[line] > 0.0:
                    yield LineTime(file, line, seconds[line], count)

    def __len__(self) -> int:
        return sum(1 for _line in self)

    def longest(self, count: int) -> list[LineTime]:
        """Return the lines that take longest, the longest first."""
        return heapq.nlargest(count, self, key=lambda one: one.time)
