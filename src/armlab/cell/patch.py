"""Small changes of a document (JSON): what an edit sends, and what the pages are told of it.

A change sets the value at a path, or puts other letters or items in the place of some of a text or list. Paths are keys
of tables and numbers of items from 0. Places in texts count UTF-16 units, as a browser does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from armlab.errors import InvalidInput
from armlab.messages import Message, _
from armlab.program.scenario_schema import StrictModel

DEEPEST = 12
LONG_TEXT = 100
"""Letters of a text from which on only what has changed in it is told."""
MOST_CHANGES = 1000

Key: TypeAlias = Annotated[str, Field(max_length=200)] | Annotated[int, Field(ge=0)]
Place: TypeAlias = Annotated[tuple[Key, ...], Field(max_length=DEEPEST)]


class SetValue(StrictModel):
    """Put another value at a place; the empty path is the whole document."""

    path: Place
    value: Any


class Splice(StrictModel):
    """In a list or text, remove `remove` items or letters from `at` on, and insert others there."""

    path: Place
    at: Annotated[int, Field(ge=0)]
    remove: Annotated[int, Field(ge=0)]
    insert: str | tuple[Any, ...]


Change: TypeAlias = SetValue | Splice
Changes: TypeAlias = Annotated[tuple[Change, ...], Field(max_length=MOST_CHANGES)]


def applied(document: Any, changes: Sequence[Change]) -> Any:
    """Return a document with changes; it itself stays as it is.

    Raises:
        InvalidInput: if a change is about a place that is not there.
    """
    for change in changes:
        document = _at(document, change.path, change)
    return document


def difference(before: Any, after: Any) -> tuple[Change, ...]:
    """Return changes that make one document into another: few where little has changed."""
    changes = _changes(before, after, ())
    return changes if len(changes) <= MOST_CHANGES else (SetValue(path=(), value=after),)


def _changes(before: Any, after: Any, path: Place) -> tuple[Change, ...]:
    if _is_same(before, after):
        return ()
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys() and len(path) < DEEPEST:
        deeper = (_changes(value, after[key], (*path, key)) for key, value in before.items())
        return tuple(change for changes in deeper for change in changes)
    if isinstance(before, list) and isinstance(after, list) and len(path) < DEEPEST:
        return _lists(before, after, path)
    if isinstance(before, str) and isinstance(after, str) and len(before) > LONG_TEXT:
        start, end = _common_ends(before, after)
        at, removed = _units(before[:start]), _units(before[start : len(before) - end])
        return (Splice(path=path, at=at, remove=removed, insert=after[start : len(after) - end]),)
    return (SetValue(path=path, value=after),)


def _lists(before: list[Any], after: list[Any], path: Place) -> tuple[Change, ...]:
    start, end = _common_ends(before, after)
    if len(before) == len(after) and all(isinstance(item, dict | list) for item in (*before, *after)):
        deeper = (_changes(before[i], after[i], (*path, i)) for i in range(start, len(before) - end))
        return tuple(change for changes in deeper for change in changes)
    inserted = tuple(after[start : len(after) - end])
    return (Splice(path=path, at=start, remove=len(before) - end - start, insert=inserted),)


def _common_ends(before: Sequence[Any], after: Sequence[Any]) -> tuple[int, int]:
    """Return how many items or letters are the same at the beginning, and how many of the others at the end."""
    most = min(len(before), len(after))
    start = next((i for i in range(most) if not _is_same(before[i], after[i])), most)
    end = next((i for i in range(most - start) if not _is_same(before[-1 - i], after[-1 - i])), most - start)
    return start, end


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same JSON: `true` is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _at(value: Any, path: Place, change: Change) -> Any:
    """Return a value with a change at a path below it."""
    if not path:
        return change.value if isinstance(change, SetValue) else _spliced(value, change)
    key, *rest = path
    if isinstance(value, dict) and isinstance(key, str) and (key in value or not rest):
        return {**value, key: _at(value.get(key), tuple(rest), change)}
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        return [*value[:key], _at(value[key], tuple(rest), change), *value[key + 1 :]]
    raise InvalidInput(_no_place(change))


def _spliced(value: Any, change: Splice) -> Any:
    at, after = change.at, change.at + change.remove
    if isinstance(value, list) and isinstance(change.insert, tuple) and after <= len(value):
        return [*value[:at], *change.insert, *value[after:]]
    if isinstance(value, str) and isinstance(change.insert, str):
        units = value.encode("utf-16-le")
        try:
            first, last = units[: 2 * at].decode("utf-16-le"), units[2 * after :].decode("utf-16-le")
        except UnicodeDecodeError:  # in the middle of a letter of two units
            raise InvalidInput(_no_place(change)) from None
        if 2 * after <= len(units):
            return f"{first}{change.insert}{last}"
    raise InvalidInput(_no_place(change))


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _no_place(change: Change) -> Message:
    place = ".".join(map(str, change.path))[:100]
    return Message("patch_place", _("the edit is about '{place}', which the project does not have so"), place=place)
