"""The one decorator of all kernels, and where their machine code is kept.

Numba's disk cache looks at the file of the function it compiles, not at the files of the functions that it calls.
The cache folder is therefore named after a hash of all kernel files: any edit starts a new, empty folder.
"""

from __future__ import annotations

import hashlib
import os
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
        compiled: Function = numba.njit(cache=folder is not None, **OPTIONS, **options)(function)
        return compiled
    finally:
        numba.config.CACHE_DIR = before


@lru_cache(maxsize=1)
def cache_folder() -> Path | None:
    """Return the folder for this version of the kernels, or None where nothing can be written."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    for root in (_user_cache(), Path(tempfile.gettempdir()) / f"armlab-{_user_id()}"):
        folder = root / f"kernels-{digest}"
        if _is_writable(folder):
            return folder
    return None


def _user_cache() -> Path:
    if chosen := os.environ.get("ARMLAB_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "armlab"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "armlab"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "armlab"


def _user_id() -> int:
    return os.getuid() if sys.platform != "win32" else 0


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
