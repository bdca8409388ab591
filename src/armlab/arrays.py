"""Numbers from outside become arrays here, once: C-contiguous, writable, finite float64 of a known shape."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.errors import InvalidInput
from armlab.messages import Message, _, term
from armlab.validation import shown

Floats: TypeAlias = NDArray[np.float64]
"""float64 values; the shape stands in the docstring of whoever takes or returns them."""

FLOAT64 = np.dtype(np.float64)
"""NumPy has one such object: `array.dtype is FLOAT64` is the quickest check."""

MAX_VALUES = 50_000_000
"""A batch with more numbers than this is refused rather than allowed to fill the memory."""


def as_floats(value: ArrayLike, shape: tuple[int | None, ...], who: str | Message) -> Floats:
    """Return `value` as a C-contiguous, writable, finite float64 array of `shape`; None in it means any length.

    Raises:
        InvalidInput: if `value` is not an array of numbers, has another shape, or holds NaN or infinity.
    """
    array = _converted(value, who)
    if not _fits(array.shape, shape):
        raise InvalidInput(
            "wrong_shape",
            _("{who}: expected shape {expected}, got {got}"),
            who=who,
            expected=_shape_text(shape),
            got=_shape_text(array.shape),
        )
    check_finite(array, who)
    return array


def as_rows(value: ArrayLike, width: int, who: str | Message) -> tuple[Floats, bool]:
    """Return `value` as rows (m, width), and whether it came as a single row (width,)."""
    array = _converted(value, who)
    single = array.ndim == 1
    if array.ndim not in {1, 2} or array.shape[-1] != width:
        raise InvalidInput(
            "wrong_width",
            _("{who}: expected {expected} values or rows of {expected}, got shape {got}"),
            who=who,
            expected=width,
            got=_shape_text(array.shape),
        )
    check_finite(array, who)
    return (array.reshape(1, width) if single else array), single


def as_stack(value: ArrayLike, tail: tuple[int, ...], who: str | Message) -> Floats:
    """Return `value` as finite floats whose shape ends with `tail`, with any leading axes."""
    array = _converted(value, who)
    if array.shape[array.ndim - len(tail) :] != tail:
        inside = ", ".join(str(n) for n in tail)
        raise InvalidInput(
            "wrong_shape",
            _("{who}: expected shape {expected}, got {got}"),
            who=who,
            expected=f"(…, {inside})",
            got=_shape_text(array.shape),
        )
    check_finite(array, who)
    return array


def check_finite(array: Floats, who: str | Message) -> None:
    """Raise InvalidInput that names the first value of `array` that is NaN or infinite."""
    finite = np.isfinite(array)
    if not finite.all():
        place = np.unravel_index(int(np.argmin(finite)), array.shape)
        where = term("{who}{index}", who=who, index=f"[{', '.join(str(int(i)) for i in place)}]" if array.ndim else "")
        raise InvalidInput("not_finite", _("{given} is not a finite number"), given=float(array[place])).within(where)


def read_only(array: Floats) -> Floats:
    """Return a copy of `array` that nobody can write to: what frozen objects hand out."""
    copy = np.array(array, dtype=np.float64)
    copy.setflags(write=False)
    return copy


def _is_masked(value: object) -> bool:
    """Whether some of the numbers are hidden; `np.ma` is imported for subclasses of arrays only."""
    is_subclass = isinstance(value, np.ndarray) and type(value) is not np.ndarray
    return is_subclass and isinstance(value, np.ma.MaskedArray)


def _converted(value: ArrayLike, who: str | Message) -> Floats:
    try:
        array: NDArray[Any] = np.asarray(value)
        if array.dtype.kind not in "fiu" or _is_masked(value):
            raise TypeError  # noqa: TRY301 - text, objects, complex numbers, truth values, masks are not numbers here
    except (TypeError, ValueError):
        raise InvalidInput(
            "not_numbers", _("{who}: {given} is not an array of numbers"), who=who, given=shown(value)
        ) from None
    if array.size > MAX_VALUES:
        raise InvalidInput(
            "too_many_values",
            _("{who}: {count} values given; at most {most} at once"),
            who=who,
            count=array.size,
            most=MAX_VALUES,
        )
    return np.require(array, np.float64, ["C", "W"])


def _fits(got: tuple[int, ...], expected: tuple[int | None, ...]) -> bool:
    return len(got) == len(expected) and all(e in {None, g} for g, e in zip(got, expected, strict=True))


def _shape_text(shape: tuple[int | None, ...]) -> str:
    inside = ", ".join("m" if n is None else str(n) for n in shape)
    return f"({inside},)" if len(shape) == 1 else f"({inside})"
