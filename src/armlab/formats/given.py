"""The files that somebody gave: one file with what lies beside it, a folder, or a zip; nothing outside is ever read."""

from __future__ import annotations

import os
import re
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path, PurePosixPath

from lxml import etree

from armlab.errors import InvalidInput
from armlab.messages import _

MAX_FILES = 50_000
MAX_ZIP_FILES = 10_000
MAX_ZIP_BYTES = 500_000_000
MAX_ZIP_RATIO = 200.0
"""A part of a zip that grows more than this is a bomb; small parts may."""
SMALL = 1_000_000
ENCRYPTED = 1
"""The bit of a part of a zip that says that it needs a password."""
PACKAGE_LEVELS = 4
"""How far above a file its package may begin."""
_SCHEME = re.compile(r"^(package|model|file)://", re.IGNORECASE)


class GivenFiles:
    """A folder, and the search for files in it by the names that robot descriptions use."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    @cached_property
    def _files(self) -> dict[str, list[tuple[str, ...]]]:
        """All files as parts of their path below the root, by their name in small letters.

        Raises:
            InvalidInput: if there are too many.
        """
        found: dict[str, list[tuple[str, ...]]] = {}
        count = 0
        for folder, folders, names in os.walk(self.root):
            folders.sort()
            parts = Path(folder).relative_to(self.root).parts
            for name in sorted(names):
                count += 1
                if count > MAX_FILES:
                    raise InvalidInput(
                        "folder_too_large",
                        _("{folder}: more than {most} files; give the folder of one arm"),
                        folder=str(self.root),
                        most=MAX_FILES,
                    )
                found.setdefault(name.lower(), []).append((*parts, name))
        return found

    @cached_property
    def _packages(self) -> dict[str, Path]:
        """The folders of packages by the names that their package.xml say."""
        files = [self.root.joinpath(*parts) for parts in self._files.get("package.xml", ())]
        return {name: file.parent for file in reversed(files) if (name := _package_name(file)) is not None}

    def with_suffix(self, suffixes: Collection[str]) -> list[Path]:
        """Return the files below the root whose names end so, in order."""
        parts = (each for found in self._files.values() for each in found)
        paths = (self.root.joinpath(*each) for each in parts if PurePosixPath(each[-1]).suffix.lower() in suffixes)
        return sorted(path for path in paths if self.inside(path) is not None)

    def inside(self, path: Path) -> Path | None:
        """Return `path` if it is a file below the root, also after following links."""
        try:
            real = path.resolve()
            return real if real.is_relative_to(self.root) and real.is_file() else None
        except (OSError, ValueError):
            return None

    def find(self, name: str, near: Path) -> Path | None:
        """Return the file that a description in the folder `near` calls `name`, wherever below the root it is.

        Schemes (package://, model://, file://), wrong case, absolute paths of another machine and missing roots of
        packages are seen through: the file with the longest common end of its path is it.
        """
        plain = _SCHEME.sub("", name.replace("\\", "/")).strip()
        if not plain or "\0" in plain:
            return None
        wanted = [part for part in PurePosixPath(plain).parts if part not in {"/", ".", ".."}]
        if not wanted:
            return None
        if not _SCHEME.match(name) and (beside := self.inside(near / plain)) is not None:
            return beside
        best, best_score = None, 0
        for parts in self._files.get(wanted[-1].lower(), ()):
            score = _common_end(parts, wanted)
            if score > best_score:
                best, best_score = parts, score
        return None if best is None else self.inside(self.root.joinpath(*best))

    def package(self, name: str) -> Path | None:
        """Return the folder of a package: the one whose package.xml says so, or that has its name."""
        if not re.fullmatch(r"[\w.-]+", name):
            return None
        if name in self._packages:
            return self._packages[name]
        for found in self._files.values():
            for parts in found:
                if name in parts[:-1]:
                    return self.root.joinpath(*parts[: parts.index(name) + 1])
        return self.root if self.root.name == name else None


def _common_end(parts: tuple[str, ...], wanted: list[str]) -> int:
    """Return by how many parts two paths end alike; case matters a little."""
    score = 0
    for one, other in zip(reversed(parts), reversed(wanted), strict=False):
        if one.lower() != other.lower():
            break
        score += 3 if one == other else 2
    return score


def _package_name(file: Path) -> str | None:
    try:
        with file.open("rb") as stream:
            data = stream.read(100_000)
    except OSError:
        return None
    found = re.search(rb"<name>\s*([\w.-]+)\s*</name>", data)
    return None if found is None else found.group(1).decode()


@contextmanager
def given_files(path: Path) -> Iterator[GivenFiles]:
    """Give what belongs to a path: a folder as it is, a zip unpacked while the block lasts, or a file's package.

    Raises:
        InvalidInput: if there is nothing, or a zip has links, names that lead outside, or too much in it.
    """
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except (OSError, ValueError):
        is_folder = is_file = False
    if is_folder:
        yield GivenFiles(path)
    elif not is_file:
        raise InvalidInput("file_missing", _("no such file")).within(str(path))
    elif zipfile.is_zipfile(path):
        with tempfile.TemporaryDirectory(prefix="armlab-") as folder:
            _unpack(path, Path(folder))
            yield GivenFiles(Path(folder))
    elif path.suffix.lower() == ".zip":
        raise _broken_zip(path, "BadZipFile")
    else:
        yield GivenFiles(_package_root(path.resolve()))


def _package_root(file: Path) -> Path:
    """Return the folder that a file's description may reach: its package's, or its own."""
    for folder in list(file.parents)[:PACKAGE_LEVELS]:
        if (folder / "package.xml").is_file():
            return folder
    return file.parent


@contextmanager
def opened_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Give a zip whose parts are few and small enough, and stay inside.

    Raises:
        InvalidInput: if they are not, or it is broken, also where that shows while it is read in the block.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_zip(archive.infolist(), path.name)
            yield archive
    except InvalidInput:
        raise
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError, ValueError) as error:
        raise _broken_zip(path, type(error).__name__) from None


def _unpack(path: Path, folder: Path) -> None:
    with opened_zip(path) as archive:
        for part in archive.infolist():
            if not part.is_dir():
                target = folder.joinpath(*PurePosixPath(part.filename).parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(part) as stream:
                    target.write_bytes(stream.read(part.file_size + 1)[: part.file_size])


def _broken_zip(path: Path, reason: str) -> InvalidInput:
    return InvalidInput("zip_broken", _("not a zip that can be read ({reason})"), reason=reason).within(path.name)


def _check_zip(parts: list[zipfile.ZipInfo], file: str) -> None:
    total = sum(part.file_size for part in parts)
    if len(parts) > MAX_ZIP_FILES or total > MAX_ZIP_BYTES:
        raise InvalidInput(
            "zip_too_large",
            _("{file}: {count} files of {size:.0f} MB in all; at most {most} files and {largest:.0f} MB are allowed"),
            file=file,
            count=len(parts),
            size=total / 1e6,
            most=MAX_ZIP_FILES,
            largest=MAX_ZIP_BYTES / 1e6,
        )
    for part in parts:
        if part.flag_bits & ENCRYPTED:
            raise InvalidInput(
                "zip_encrypted",
                _("{file}: '{part}' needs a password; unpack the zip, or pack it again without one"),
                file=file,
                part=part.filename[:80],
            )
        pure = PurePosixPath(part.filename)
        is_link = stat.S_ISLNK(part.external_attr >> 16)
        if is_link or pure.is_absolute() or ".." in pure.parts or "\\" in part.filename or ":" in part.filename:
            raise InvalidInput(
                "zip_path", _("{file}: '{part}' leads out of the zip, or is a link"), file=file, part=part.filename[:80]
            )
        if part.file_size > SMALL and part.file_size > MAX_ZIP_RATIO * max(part.compress_size, 1):
            raise InvalidInput(
                "zip_bomb", _("{file}: '{part}' grows too much when unpacked"), file=file, part=part.filename[:80]
            )


def xml_root_tag(data: bytes) -> str | None:
    """Return the name of the root element at the beginning of a document; none if it is not XML."""
    parser = etree.XMLPullParser(events=("start",), resolve_entities=False, load_dtd=False, no_network=True)
    try:
        start = data.lstrip()
        parser.feed(start[:4000])
        for _event, element in parser.read_events():
            return str(element.tag).rpartition("}")[2]
    except etree.XMLSyntaxError:
        pass
    found = re.search(rb"<(robot|mujoco|mujocoinclude|sdf)\b", data[:20_000])
    return None if found is None else found.group(1).decode()
