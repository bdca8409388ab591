"""Read a TOML file of a known format: whatever is wrong with it becomes one sentence with file and key."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from armlab.errors import CatalogError, InvalidInput
from armlab.files import read_bounded

MAX_BYTES = 200_000
DEEPEST_KEY = 20
SHOWN_PROBLEMS = 4

AnyTable = TypeVar("AnyTable", bound=BaseModel)


def read_table(path: Path, kind: type[AnyTable]) -> AnyTable:
    """Return the file at `path` as a checked `kind`.

    Raises:
        CatalogError: if it cannot be read, is no TOML, or has an unknown, missing or wrong key.
    """
    try:
        return kind.model_validate(_parsed(path))
    except ValidationError as error:
        raise CatalogError(path, *problem_texts(error)) from None


def problem_texts(error: ValidationError) -> tuple[str, str]:
    """Return the key of the first problem, and what is wrong with it and with the others."""
    problems = [_problem(e) for e in error.errors(include_url=False)]
    (key, first), others = problems[0], [f"{key}: {text}" for key, text in problems[1:SHOWN_PROBLEMS]]
    more = [f"and {len(problems) - SHOWN_PROBLEMS} more"] if len(problems) > SHOWN_PROBLEMS else []
    return key, "; ".join([first, *others, *more])


def _parsed(path: Path) -> dict[str, Any]:
    text = _text(path)
    if any(line.partition("=")[0].count(".") > DEEPEST_KEY for line in text.splitlines()):
        raise CatalogError(path, "", "is nested too deeply")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(path, "", f"is no TOML: {error}") from None
    except ValueError:
        raise CatalogError(path, "", "is no TOML: it has a number with too many digits") from None
    except RecursionError:
        raise CatalogError(path, "", "is nested too deeply") from None


def _text(path: Path) -> str:
    try:
        return read_bounded(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CatalogError(path, "", "is no text file") from None
    except InvalidInput as error:
        raise CatalogError(path, "", error.message.partition(": ")[2]) from None


def _problem(error: Any) -> tuple[str, str]:
    key = ""
    for part in error["loc"]:
        key += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if key else str(part)
    match error["type"]:
        case "extra_forbidden":
            text = "unknown key"
        case "missing":
            text = "is missing"
        case "value_error":
            text = str(error["ctx"]["error"])
        case "string_pattern_mismatch":
            text = f"{error['input']!r} does not match {error['ctx']['pattern']}"
        case _:
            text = f"{error['msg'][:1].lower()}{error['msg'][1:]}, got {_shown(error['input'])}"
    return key, text


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
