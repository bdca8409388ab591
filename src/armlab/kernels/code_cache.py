"""How the machine code of kernels is kept on disk.

Numba's own disk cache looks at the path and the time of the file that it compiles, and not at the files of the
functions that are called from it. Ours is addressed by content instead: a kernel's file name holds a hash of its
module's source, without whole-line comments, and of every kernel module that this one imports, directly or not. An
edit therefore compiles again what it can change and nothing else, and two clones of the same source share their
machine code. Each file starts with a checksum, so that a damaged one is compiled again and never run. A disk that is
full costs the next process its time, and nobody anything else.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import re
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CacheImpl, _CacheLocator
from numba.core.serialize import dumps

from armlab.cache import writable_cache
from armlab.errors import InvalidInput
from armlab.files import write_whole

OPTIONS: dict[str, Any] = {
    "fastmath": {"contract", "nsz", "arcp"},  # never "nnan": kernels must notice NaN
    "error_model": "numpy",
    "boundscheck": False,
}
FORMAT = 1
"""Counted up when a decorator of armlab.kernels.jit begins to compile otherwise: what was kept before is not used."""

CHECKSUM_SIZE = 32
NOT_CODE = "jit"  # the decorators' file: what of it changes machine code is named in the hash
_IMPORT = re.compile(r"^\s*from (armlab\.kernels[\w.]*) import (\([^)]*\)|[^\n]+)", re.MULTILINE)
_COMMENTS = re.compile(rb"^[ \t]*#[^\n]*\n", re.MULTILINE)
_log = logging.getLogger(__name__)


@lru_cache(maxsize=1)
def cache_folder() -> Path | None:
    """Return the folder that holds the machine code, or None where nothing can be written."""
    return writable_cache("kernels")


_waiting: list[Callable[[Path], None]] = []


def wait_first(wait: Callable[[Path], None]) -> None:
    """From here on call `wait` with the file of a kernel's machine code before the kernel is loaded or compiled.

    Other processes may be compiling it already. Nobody else is held up: Numba's lock is taken after that.
    """
    _waiting[:] = [wait]


def keep(compiled: Any) -> None:
    """Let a kernel that Numba was told to cache read and write files of ours."""
    if not hasattr(compiled, "_cache"):  # where NUMBA_DISABLE_JIT is set
        return
    cache = compiled._cache
    files = cache._cache_file = _MachineCode(cache._cache_path, cache._impl.filename_base)
    compile_now = compiled.compile

    def compile_or_load(signature: Any) -> Any:
        for wait in _waiting:
            wait(files.path(cache._index_key(signature, compiled.targetctx.codegen())))
        return compile_now(signature)

    compiled.compile = compile_or_load


class _ContentLocator(_CacheLocator):  # type: ignore[misc]  # Numba is not typed
    """Tells Numba where the machine code of a kernel of ours is kept, and under which name."""

    def __init__(self, folder: Path, digest: str) -> None:
        self._folder, self._digest = folder, digest

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _ContentLocator | None:
        folder = cache_folder()
        if folder is None or not py_func.__module__.startswith("armlab."):
            return None  # somebody else's function: Numba's own locators look after it
        return cls(folder, closure_digest(Path(py_file)))

    def ensure_cache_path(self) -> None:
        """Try nothing: Numba would write a file to see whether it can, and stop the command where it cannot."""

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        return self._digest


CacheImpl._locator_classes.insert(0, _ContentLocator)


class _MachineCode:
    """One checked file per compiled signature; whatever cannot be read or written means compiling again."""

    def __init__(self, folder: str, base: str) -> None:
        self._folder, self._base = Path(folder), base

    def flush(self) -> None:
        """Forget nothing: the name of a file says all that it depends on."""

    def load(self, key: object) -> Any:
        try:
            data = self.path(key).read_bytes()
        except OSError:
            return None
        checksum, body = data[:CHECKSUM_SIZE], data[CHECKSUM_SIZE:]
        if hashlib.sha256(body).digest() != checksum:
            return None
        try:
            return pickle.loads(body)
        except (ImportError, AttributeError):  # it names a class whose module another version of armlab had elsewhere
            return None

    def save(self, key: object, data: Any) -> None:
        body = dumps(data)
        try:
            write_whole(self.path(key), hashlib.sha256(body).digest() + body)
        except InvalidInput as error:
            _warn_once(str(error))

    def path(self, key: object) -> Path:
        """Return the file of one signature."""
        return self._folder / f"{self._base}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"


@lru_cache(maxsize=1)
def _told() -> list[str]:
    return []


def _warn_once(reason: str) -> None:
    if not _told():
        _told().append(reason)
        _log.warning("compiled kernels stay in memory and are not kept for the next run: %s", reason)


def closure_digest(file: Path) -> str:
    """Return a hash of a source file and of all kernel modules that it imports, of the options, Numba and Python."""
    seen: dict[Path, bytes] = {}
    waiting = [file.resolve()]
    while waiting:
        path = waiting.pop()
        if path not in seen and path.stem != NOT_CODE:
            seen[path], imported = source(path)
            waiting += imported
    parts = sorted(hashlib.sha256(text).digest() for text in seen.values())
    options = sorted((name, str(sorted(v) if isinstance(v, set) else v)) for name, v in OPTIONS.items())
    version = f"{FORMAT} {options} {numba.__version__} {sys.version_info[:2]} {file.stem}".encode()
    return hashlib.sha256(b"".join([version, *parts])).hexdigest()[:16]


@cache
def source(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """Return a file's bytes without whole-line comments, and the kernel modules that it imports."""
    text = _COMMENTS.sub(b"", path.read_bytes())
    found: list[Path] = []
    for package, names in _IMPORT.findall(text.decode()):
        modules = [package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))]
        found += [origin for module in modules if (origin := _file_of(module)) is not None]
    return text, tuple(found)


@cache
def _file_of(module: str) -> Path | None:
    root = Path(__file__).resolve().parents[1]
    base = root.joinpath(*module.split(".")[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None
