"""Read a TOML file of a known format: whatever is wrong with it becomes one error with file and key."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from armlab.errors import CatalogError, InvalidInput
from armlab.files import bounded_bytes
from armlab.messages import Message, _
from armlab.validation import problems_of, summary, toml_syntax

MAX_BYTES = 200_000
MAX_ROBOT_BYTES = 1_000_000
"""Of a robot file: it may hold the corners of convex parts."""
DEEPEST_KEY = 20

_TEXTS_AND_COMMENTS = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)
_NOT_IN_KEYS = re.compile(r"[^\w.\t -]+")

AnyTable = TypeVar("AnyTable", bound=BaseModel)


def read_table(path: Path, kind: type[AnyTable], most: int = MAX_BYTES) -> AnyTable:
    """Return the file at `path`, of at most so many bytes, as a checked `kind`.

    Raises:
        CatalogError: if it cannot be read, is not TOML, or has an unknown, missing or wrong key.
    """
    return table_of_text(_text(path, most), kind, path)


def table_of_text(text: str, kind: type[AnyTable], path: Path) -> AnyTable:
    """Return the text of a file as a checked `kind`; `path` is what messages call it.

    Raises:
        CatalogError: if it is not TOML, or has an unknown, missing or wrong key.
    """
    try:
        return kind.model_validate(parsed_toml(text))
    except ValidationError as error:
        raise CatalogError(path, *summary(problems_of(error))) from None
    except CatalogError:
        raise
    except InvalidInput as error:
        raise CatalogError(path, "", error.message) from None


def parsed_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises:
        InvalidInput: if it is not TOML, or nested too deeply.
    """
    if _deepest_key(text) > DEEPEST_KEY:  # each part of a dotted key costs tomllib as many steps as parts precede it
        raise InvalidInput(_too_deep())
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(toml_syntax(error)) from None
    except ValueError:
        raise InvalidInput("toml_number_too_long", _("not valid TOML: a number has too many digits")) from None
    except RecursionError:
        raise InvalidInput(_too_deep()) from None


def _too_deep() -> Message:
    return Message("nested_too_deeply", _("nested too deeply"))


def _deepest_key(text: str) -> int:
    """Return the most dots that any key or number of the text has; those in texts and comments do not count."""
    bare = _TEXTS_AND_COMMENTS.sub("", text)
    return max((run.count(".") for line in bare.splitlines() for run in _NOT_IN_KEYS.split(line)), default=0)


def _text(path: Path, most: int) -> str:
    try:
        return bounded_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CatalogError(path, "", Message("not_text_file", _("not a text file"))) from None
    except InvalidInput as error:
        raise CatalogError(path, "", error.message) from None
