"""Damaged files of every kind: read or refused with a short message, never a crash, never without an end."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.examples import bounded_time, reader_example
from fuzz.readers import READERS

COUNT = 40


@pytest.mark.parametrize("kind", READERS)
def test_a_damaged_file_is_read_or_refused_with_a_short_message(kind: str, tmp_path: Path) -> None:
    example = reader_example(kind, tmp_path)
    refusals = 0
    for number in range(COUNT):
        with bounded_time():
            refusals += example(number) is not None
    assert refusals or kind == "recording mcap"  # which is read as far as it goes
