"""Read a TOML file of a known format: whatever is wrong with it becomes one error with file and key."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from armlab.errors import CatalogError, InvalidInput
from armlab.files import bounded_bytes
from armlab.messages import Message, _
from armlab.validation import parsed_toml, problems_of, summary

MAX_BYTES = 200_000
MAX_ROBOT_BYTES = 1_000_000
"""Of a robot file: it may hold the corners of convex parts."""

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


def _text(path: Path, most: int) -> str:
    try:
        return bounded_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CatalogError(path, "", Message("not_text_file", _("not a text file"))) from None
    except InvalidInput as error:
        raise CatalogError(path, "", error.message) from None
