"""The files of a program: one module with what lies beside it, a folder, or a zip of a controller.

Nothing is unpacked to disk. Files are indexed by the names of their routines, and parsed when a program needs them.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.messages import _

SUFFIXES = frozenset({".src", ".dat", ".sub"})
MOST_FILES = 20_000
"""How many files of a folder or zip are looked at."""
MOST_BYTES = 200_000_000
"""Of all modules together."""
MOST_MODULE = 20_000_000
"""Bytes of one file of a module."""
MOST_DEPTH = 12
SYSTEM_FOLDERS = frozenset({"system", "mada", "tp", "steu", "template"})
_ROUTINE = re.compile(
    rb"^[ \t]*(GLOBAL[ \t]+)?DEF(?:FCT[ \t]+[\w$]+(?:[ \t]*\[[^\]\r\n]*\])?)?[ \t]+([\w$]+)",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(slots=True)
class SourceFile:
    """A file of a module: what it is called in messages, and its bytes."""

    name: str
    data: bytes


@dataclass(slots=True)
class ModuleFiles:
    """The files of one module."""

    name: str
    folder: str = ""
    source: SourceFile | None = None
    data: SourceFile | None = None

    @property
    def is_system(self) -> bool:
        """Whether it belongs to the controller and not to its user."""
        return self.name.startswith("$") or self.folder.lower() in SYSTEM_FOLDERS


@dataclass(slots=True)
class Library:
    """Modules by name, and which module each routine is in."""

    modules: dict[str, ModuleFiles] = field(default_factory=dict)
    routines: dict[str, str] = field(default_factory=dict)
    """Routines that every module can call: the first of a module, and those that are GLOBAL."""
    main: str = ""

    def add(self, name: str, data: bytes) -> None:
        """Take in a file; of two modules of one name the first is kept."""
        path = PurePosixPath(name.replace("\\", "/"))
        module = self.modules.setdefault(path.stem.upper(), ModuleFiles(path.stem.upper(), path.parent.name))
        if path.suffix.lower() == ".dat":
            module.data = module.data or SourceFile(name, data)
        elif module.source is None:
            module.source = SourceFile(name, data)
            for number, found in enumerate(_ROUTINE.finditer(data)):
                if number == 0 or found[1]:
                    self.routines.setdefault(found[2].decode("ascii", "replace").upper(), module.name)

    @property
    def user_modules(self) -> list[str]:
        """The names of modules with routines that belong to the user."""
        return sorted(m.name for m in self.modules.values() if m.source is not None and not m.is_system)


def archive_of(path: Path) -> Path | None:
    """Return the zip that a path leads into, or None."""
    return next((parent for parent in path.parents if parent.suffix.lower() == ".zip" and parent.is_file()), None)


def open_library(path: Path, main: str = "", *, needs_main: bool = True) -> Library:
    """Return the modules of a file, folder or zip; `main` is the module that a program begins with.

    A module of a zip is named by its path in it, or only by its name: `backup.zip/KRC/R1/Program/job.src`,
    `backup.zip/job.src`.

    Without `needs_main` a folder or zip has none unless it is named.

    Raises:
        InvalidInput: if nothing can be read, or it is not clear where to begin.
    """
    library = Library()
    if (archive := archive_of(path)) is not None:
        path, main = archive, path.stem
    if path.is_dir():
        _add_folder(library, path, path)
    elif path.suffix.lower() == ".zip":
        _add_zip(library, path)
    else:
        library.add(str(path), read_bounded(path, MOST_MODULE))
        library.main = path.stem.upper()
        _add_neighbours(library, path)
    if not library.modules:
        raise InvalidInput("krl_no_modules", _("{path}: there are no KRL modules (.src, .dat)"), path=str(path))
    if needs_main or main:
        library.main = _main_of(library, path, main or library.main)
    return library


def _main_of(library: Library, path: Path, main: str) -> str:
    users = library.user_modules
    if main:
        if main.upper() not in library.modules:
            template = _("{path}: there is no module '{name}'; known: {known}")
            raise InvalidInput("krl_unknown_module", template, path=str(path), name=main, known=users[:12])
        return main.upper()
    if len(users) == 1:
        return users[0]
    for name in (path.stem.upper(), "MAIN", "CELL"):
        if name in users:
            return name
    template = _("{path}: several modules; name the one to begin with: {known}")
    raise InvalidInput("krl_which_module", template, path=str(path), known=users[:12])


def _add_neighbours(library: Library, path: Path) -> None:
    """Take in the modules beside a file, and the controller's own where the file lies in a copy of its disk."""
    parents = list(path.absolute().parents)[:MOST_DEPTH]
    root = next((parent for parent in parents if parent.name.upper() == "R1" or _has_system(parent)), None)
    if root is not None:
        _add_folder(library, root, root)
    else:
        _add_folder(library, path.parent, path.parent, deepest=0)


def _has_system(folder: Path) -> bool:
    """Tell whether a folder is that of a controller's programs: System/$config.dat is in it."""
    return any((folder / name / "$config.dat").is_file() for name in ("System", "SYSTEM", "system"))


def _add_folder(library: Library, folder: Path, root: Path, deepest: int = MOST_DEPTH) -> None:
    budget = MOST_BYTES
    for path in _files(folder, deepest):
        data = read_bounded(path, MOST_MODULE)
        budget -= len(data)
        if budget < 0:
            raise _too_large(root)
        library.add(str(path), data)


def _files(folder: Path, deepest: int) -> Iterator[Path]:
    left = [(folder, 0)]
    seen = 0
    while left:
        place, depth = left.pop()
        try:
            entries = sorted(place.iterdir())
        except OSError:
            continue
        for entry in entries:
            seen += 1
            _check_count(seen, folder)
            if entry.is_symlink():
                continue
            if entry.is_dir() and depth < deepest:
                left.append((entry, depth + 1))
            elif entry.suffix.lower() in SUFFIXES and entry.is_file():
                yield entry


def _check_count(count: int, path: Path) -> None:
    if count > MOST_FILES:
        raise InvalidInput("krl_many_files", _("{path}: more than {most} files"), path=str(path), most=MOST_FILES)


def _too_large(path: Path) -> InvalidInput:
    template = _("{path}: the modules are larger than {most:g} MB together")
    return InvalidInput("krl_too_large", template, path=str(path), most=MOST_BYTES / 1e6)


def _add_zip(library: Library, path: Path) -> None:
    """Take in the modules of a zip file; sizes are measured while it is unpacked, whatever its directory says."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            _check_count(len(infos), path)
            budget = MOST_BYTES
            for info in infos:
                if info.is_dir() or PurePosixPath(info.filename).suffix.lower() not in SUFFIXES:
                    continue
                with archive.open(info) as stream:
                    data = _bounded(stream, min(MOST_MODULE, budget), path)
                budget -= len(data)
                library.add(f"{path.name}/{info.filename}", data)
    except InvalidInput:
        raise
    except FileNotFoundError:
        raise InvalidInput("file_missing", _("no such file")).within(str(path)) from None
    except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        template = _("{path}: the zip file cannot be read ({reason})")
        raise InvalidInput("krl_bad_zip", template, path=str(path), reason=str(error)[:80]) from None


def _bounded(stream: IO[bytes], most: int, path: Path) -> bytes:
    data = stream.read(most + 1)
    if len(data) > most:
        raise _too_large(path)
    return data
