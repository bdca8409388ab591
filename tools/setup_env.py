"""Make a virtual environment with armlab in it, from nothing but Python.

    python tools/setup_env.py FOLDER [--group NAME]

Uses only the standard library, because it runs before anything is installed. Some systems ship Python without
`ensurepip` (Debian puts it into python3-venv); then the system's pip serves, or that package is installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
PIP_FOR_GROUPS = "pip>=25.1"  # the first that knows --group


def main() -> None:
    """Create FOLDER if need be, and install armlab (editable) with the chosen dependency group into it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--group", default="")
    options = parser.parse_args()
    if sys.version_info < OLDEST:
        sys.exit(f"armlab needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}")
    python = _environment(ROOT / options.folder)
    _pip(python, "install", PIP_FOR_GROUPS)
    group = ["--group", options.group] if options.group else []
    _pip(python, "install", "--editable", ".", "--constraint", "constraints.txt", *group)


def _environment(folder: Path) -> Path:
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if python.exists() and _has_pip(python):
        return python
    print(f"setting up {folder.name} …", flush=True)
    if importlib.util.find_spec("ensurepip"):
        venv.create(folder, with_pip=True, clear=True)
    else:
        venv.create(folder, with_pip=False, clear=True)
        _bring_pip(python)
    return python


def _has_pip(python: Path) -> bool:
    return subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def _bring_pip(python: Path) -> None:
    """Install pip into an environment that has none, by the system's pip, or by Debian's package where we may."""
    if importlib.util.find_spec("pip"):
        subprocess.run([sys.executable, "-m", "pip", "--python", str(python), "install", "-qq", "pip"], check=True)
    elif shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "python3-venv"], check=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(python.parent.parent)], check=True)
    else:
        sys.exit("this Python has neither pip nor ensurepip; install them (Debian, Ubuntu: apt install python3-venv)")


def _pip(python: Path, *arguments: str) -> None:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments, "-qq"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        sys.exit(f"set-up failed at: pip {' '.join(arguments)}")


if __name__ == "__main__":
    main()
