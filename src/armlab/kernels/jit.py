"""The one decorator of all kernels, and where their machine code is kept.

Numba's disk cache looks at the file of the function it compiles, not at the files of the functions that it calls.
The cache folder is therefore named after a hash of all kernel files: any edit starts a new, empty folder.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {
    "fastmath": {"contract", "nsz", "arcp"},  # never "nnan": kernels must notice NaN
    "error_model": "numpy",
    "boundscheck": False,
}

DAMAGE = (pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError, AttributeError, ImportError, TypeError)
"""What reading a damaged cache file can raise."""


def kernel(function: Function) -> Function:
    """Compile `function` on its first call, and keep the machine code on disk."""
    return _compiled(function, {})


def inlined(function: Function) -> Function:
    """Compile `function` into each kernel that calls it, so that LLVM can vectorise across the call."""
    return _compiled(function, {"inline": "always"})


def _compiled(function: Function, options: dict[str, Any]) -> Function:
    folder = cache_folder()
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or "")
    try:
        compiled: Any = numba.njit(cache=folder is not None, **OPTIONS, **options)(function)
    finally:
        numba.config.CACHE_DIR = before
    if folder is not None and hasattr(compiled, "_cache"):
        _forgive_damage(compiled._cache)
    result: Function = compiled
    return result


def _forgive_damage(cache: Any) -> None:
    """Let a damaged file in the cache (a full disk, a power cut) mean that the kernel is compiled again."""
    load = cache.load_overload

    def load_or_forget(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except DAMAGE:
            cache.flush()
            return None

    cache.load_overload = load_or_forget


@lru_cache(maxsize=1)
def cache_folder() -> Path | None:
    """Return the folder for this version of the kernels, or None where nothing can be written."""
    sources = sorted(path for path in Path(__file__).parent.glob("*.py") if path.name != "warmup.py")
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    for root in (user_cache(), _own_temporary()):
        if root is not None and _is_writable(root / f"kernels-{digest}"):
            return root / f"kernels-{digest}"
    return None


def user_cache() -> Path | None:
    """Return armlab's folder in the user's cache, or None for a user without a home."""
    try:
        if chosen := os.environ.get("ARMLAB_CACHE"):
            return Path(chosen)
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "armlab"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "armlab"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "armlab"
    except RuntimeError:
        return None


def _own_temporary() -> Path | None:
    """Return a folder in the system's temporary one that nobody else can write to: what is in it will be run."""
    if sys.platform == "win32":
        return Path(tempfile.gettempdir()) / "armlab"
    folder = Path(tempfile.gettempdir()) / f"armlab-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        facts = folder.lstat()
    except OSError:
        return None
    is_mine = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o022
    return folder if is_mine else None


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
