"""Files from outside are read once, whole and bounded; files of ours are written beside and renamed."""

from __future__ import annotations

import secrets
import stat
from pathlib import Path

from armlab.errors import InvalidInput

LONGEST_NAME = 200


def read_bounded(path: Path, most: int) -> bytes:
    """Return the bytes of an ordinary file of at most `most` bytes.

    Raises:
        InvalidInput: if there is none, it is a folder or a device, it is too large, or it cannot be read.
    """
    try:
        _check_ordinary(path)
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except FileNotFoundError:
        raise InvalidInput(f"{path}: there is no such file") from None
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read ({error.strerror})") from None
    except InvalidInput:
        raise
    except ValueError:  # a NUL in the name, a name that cannot be encoded
        raise InvalidInput(f"{str(path)!r}: no file can have this name") from None
    if len(data) > most:
        raise InvalidInput(f"{path}: is larger than the {most / 1e6:g} MB allowed")
    return data


def _check_ordinary(path: Path) -> None:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise InvalidInput(f"{path}: is a folder, not a file")
    if not stat.S_ISREG(mode):
        raise InvalidInput(f"{path}: is no ordinary file")


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to `path`, whole or not at all.

    Raises:
        InvalidInput: if it cannot be written.
    """
    if len(path.name) > LONGEST_NAME:
        raise InvalidInput(f"{path.name[:40]}…: a file's name has at most {LONGEST_NAME} letters")
    beside = path.with_name(f".{secrets.token_hex(8)}")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written ({error.strerror})") from None
    except ValueError:
        raise InvalidInput(f"{str(path)!r}: no file can have this name") from None
    finally:
        _forget(beside)


def _forget(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except (OSError, ValueError):
        return
