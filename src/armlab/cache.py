"""Where armlab keeps its files: a cache of what it can make again (kernels, derivations, the page's key), and data."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path


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


def user_data() -> Path | None:
    """Return armlab's folder for what cannot be made again (recordings), or None for a user without a home."""
    try:
        if chosen := os.environ.get("ARMLAB_DATA"):
            return Path(chosen)
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "armlab"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Application Support" / "armlab"
        return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "armlab"
    except RuntimeError:
        return None


def private_temporary() -> Path | None:
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


def writable_cache(name: str) -> Path | None:
    """Return the folder `name` in the user's cache or in a private temporary one, or None if neither can be written."""
    for root in (user_cache(), private_temporary()):
        if root is not None and _is_writable(root / name):
            return root / name
    return None


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
