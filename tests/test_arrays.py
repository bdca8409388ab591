from __future__ import annotations

import re

import numpy as np
import pytest
from refusals import refused

from armlab.arrays import as_floats, as_rows, read_only
from armlab.errors import InvalidInput


def test_lists_and_integers_become_writable_contiguous_floats() -> None:
    array = as_floats([[1, 2], [3, 4]], (None, 2), "q")
    assert array.dtype == np.float64
    assert array.flags.carray


def test_strided_and_read_only_input_is_made_usable_for_kernels() -> None:
    strided = np.arange(12.0).reshape(3, 4)[:, ::2]
    assert as_floats(strided, (3, 2), "q").flags.carray
    assert as_floats(read_only(np.zeros(3)), (3,), "q").flags.carray
    assert as_floats(np.zeros(3, np.float32), (3,), "q").dtype == np.float64


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([1, 2], "q: expected shape (3,), got (2,)"),
        ([1, np.nan, 3], "q[1]: nan is not a finite number"),
        ([1, 2, np.inf], "q[2]: inf is not a finite number"),
        (["1", "2", "3"], "q: ['1', '2', '3'] is not an array of numbers"),
        ("text", "q: 'text' is not an array of numbers"),
        ([1, [2], 3], "q: [1, [2], 3] is not an array of numbers"),
        (None, "q: None is not an array of numbers"),
        ([True, False, True], "q: [True, False, True] is not an array of numbers"),
        ([1j, 0, 0], "q: [1j, 0, 0] is not an array of numbers"),
        (
            np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False]),
            "q: masked_array(data=[1.0, --, ...se], fill_value=1e+20) is not an array of numbers",
        ),
    ],
)
def test_what_is_no_row_of_three_numbers_is_told_in_one_sentence(value: object, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}$"):
        as_floats(value, (3,), "q")  # type: ignore[arg-type]


def test_one_row_and_many_rows_are_told_apart() -> None:
    assert as_rows([1, 2], 2, "q")[1] is True
    rows, single = as_rows([[1, 2], [3, 4]], 2, "q")
    assert rows.shape == (2, 2)
    assert single is False
    with refused("wrong_width", InvalidInput, expected=2):
        as_rows(np.zeros((2, 2, 2)), 2, "q")


def test_a_read_only_copy_cannot_be_written_and_does_not_follow_its_source() -> None:
    source = np.zeros(2)
    copy = read_only(source)
    source[0] = 1.0
    assert copy[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        copy[0] = 2.0
