"""Files that documents name by their content: each is kept once, under the SHA-256 of its bytes.

A document says `sha256:…`; any process of the same user finds the bytes in one folder. A robot file names its meshes as
`<SHA-256>.glb`, so that its own hash stands for them, too.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

from armlab.cache import private_temporary, user_data
from armlab.errors import InvalidInput
from armlab.files import bounded_bytes
from armlab.messages import _

LARGEST_BYTES = 200_000_000
"""Of one asset."""
MOST_BYTES = 4_000_000_000
"""Of all assets together, where the server makes room for new ones."""
FULL_BYTES = 2 * MOST_BYTES
"""With more than this, no more are taken: all are in use."""
FRESH_S = 24 * 3600.0
"""What was kept or read within this time stays: another server of the same user may have it in use."""
PREFIX = "sha256:"
REFERENCE = r"^sha256:[0-9a-f]{64}$"

_NAME = re.compile(r"[0-9a-f]{64}")
_REFERENCES = re.compile(PREFIX + r"([0-9a-f]{64})")
_MESHES = re.compile(rb'^meshes = "([0-9a-f]{64})\.glb"$', re.MULTILINE)


def asset_missing(name: str) -> InvalidInput:
    """Return what is wrong where the bytes of an asset are not there."""
    template = _("the file {asset} is not on this server; open the project file that holds it")
    return InvalidInput("asset_missing", template, asset=f"{PREFIX}{name}")


class AssetUpload:
    """Bytes on their way into the store: hashed and counted as they come."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._hash, self.size = stream, hashlib.sha256(), 0

    def write(self, data: bytes) -> None:
        """Add bytes.

        Raises:
            InvalidInput: if there are too many.
        """
        self.size += len(data)
        if self.size > LARGEST_BYTES:
            raise InvalidInput("file_too_large", _("larger than the {most:g} MB allowed"), most=LARGEST_BYTES / 1e6)
        self._hash.update(data)
        self._stream.write(data)

    @property
    def name(self) -> str:
        """The SHA-256 of all bytes so far."""
        return self._hash.hexdigest()


class AssetStore:
    """A folder of files named by their SHA-256; what is written is whole or not there."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES, full_bytes: int = FULL_BYTES) -> None:
        self.folder = folder
        self._most_bytes, self._full_bytes = most_bytes, full_bytes

    def has(self, name: str) -> bool:
        """Tell whether an asset is there."""
        return _NAME.fullmatch(name) is not None and (self.folder / name).is_file()

    def path(self, name: str) -> Path:
        """Return the file of an asset, which counts as used from now on.

        Raises:
            InvalidInput: if it is not there.
        """
        if not self.has(name):
            raise asset_missing(name)
        with suppress(OSError):
            os.utime(self.folder / name)
        return self.folder / name

    def read(self, name: str) -> bytes:
        """Return the bytes of an asset.

        Raises:
            InvalidInput: if it is not there, or not whole any more: then it goes.
        """
        path = self.path(name)
        data = bounded_bytes(path, LARGEST_BYTES)
        if hashlib.sha256(data).hexdigest() != name:
            path.unlink(missing_ok=True)
            raise asset_missing(name)
        return data

    def keep(self, data: bytes) -> str:
        """Keep bytes, and return their name.

        Raises:
            InvalidInput: if they are too many, or cannot be written.
        """
        name = hashlib.sha256(data).hexdigest()
        if self.has(name):
            self.path(name)
        else:
            with self.upload(name) as upload:
                upload.write(data)
        return name

    @contextmanager
    def upload(self, name: str) -> Iterator[AssetUpload]:
        """Give what takes the bytes of the asset `name` in the block; at its end it is there, whole.

        Raises:
            InvalidInput: if the bytes have another hash, are too many, or cannot be written; nothing is kept then.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._check_room()
            beside = self.folder / f".{secrets.token_hex(8)}"
            try:
                with beside.open("xb") as stream:
                    upload = AssetUpload(stream)
                    yield upload
                if upload.name != name:
                    template = _("the file's SHA-256 is {found}, not {asset}")
                    raise InvalidInput("asset_hash", template, found=upload.name, asset=name)
                beside.replace(self.folder / name)
            finally:
                beside.unlink(missing_ok=True)
        except OSError as error:
            template = _("the file cannot be kept on the server ({reason})")
            raise InvalidInput("asset_unwritable", template, reason=error.strerror or "") from None

    def make_room(self, in_use: Iterable[str] = ()) -> int:
        """Remove assets that were not used for the longest time until few enough bytes are left; return how many.

        What is in use stays, and what was used within the last day.
        """
        now, kept, removed = time.time(), set(in_use), 0
        for name in kept:
            with suppress(OSError):
                os.utime(self.folder / name)
        found = sorted(self._files(), key=lambda each: each[1])
        total = sum(size for _path, _used, size in found)
        for path, used, size in found:
            if now - used < FRESH_S:
                break
            is_left = path.name.startswith(".")  # by a process that was killed
            if path.name in kept or (total <= self._most_bytes and not is_left):
                continue
            with suppress(OSError):
                path.unlink()
                total, removed = total - size, removed + 1
        return removed

    def closure(self, references: Iterable[str]) -> dict[str, str]:
        """Return all assets that names lead to, each with the ending that its file has: robot files and their meshes.

        Raises:
            InvalidInput: if one of them is not there.
        """
        found: dict[str, str] = {}
        for name in references:
            found[name] = "toml"
            found.update(dict.fromkeys(meshes_of(self.read(name)), "glb"))
        for name in found:
            self.path(name)
        return found

    def _check_room(self) -> None:
        if sum(size for _path, _used, size in self._files()) > self._full_bytes:
            template = _("the server keeps {most:g} GB of imported arms and no more")
            raise InvalidInput("assets_full", template, most=self._full_bytes / 1e9)

    def _files(self) -> list[tuple[Path, float, int]]:
        """Return our files, when each was used last, and its bytes."""
        found = []
        with suppress(OSError):
            for entry in os.scandir(self.folder):
                with suppress(OSError):
                    facts = entry.stat(follow_symlinks=False)
                    found.append((Path(entry.path), facts.st_mtime, facts.st_size))
        return found


def references_in(document: str) -> list[str]:
    """Return the names of the assets that a document (JSON) refers to, each once."""
    return list(dict.fromkeys(_REFERENCES.findall(document)))


def meshes_of(robot_file: bytes) -> list[str]:
    """Return the names of the meshes that the text of a robot file refers to."""
    return [name.decode() for name in _MESHES.findall(robot_file)]


def asset_store() -> AssetStore:
    """Return this user's store; for a user without a home, one in a temporary folder.

    Raises:
        InvalidInput: if there is no place for one.
    """
    root = user_data() or private_temporary()
    if root is None:
        raise InvalidInput(
            "asset_unwritable", _("the file cannot be kept on the server ({reason})"), reason="no folder"
        )
    return _store_in(root / "assets")


@cache
def _store_in(folder: Path) -> AssetStore:
    return AssetStore(folder.absolute())
