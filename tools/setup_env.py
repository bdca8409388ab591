"""Make a virtual environment with armlab in it, from nothing but Python.

    python tools/setup_env.py FOLDER [--group NAME]    armlab from this folder, editable
    python tools/setup_env.py FOLDER --wheel           armlab as users get it: a wheel, and what it requires to run

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
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
PIP_FOR_GROUPS = "pip>=25.1"  # the first that knows --group


def main() -> None:
    """Create FOLDER if need be, and install armlab into it: editable with a dependency group, or as a wheel."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--group", default="")
    parser.add_argument("--wheel", action="store_true")
    options = parser.parse_args()
    if sys.version_info < OLDEST:
        sys.exit(f"armlab needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}")
    if options.wheel:
        _install_wheel(_environment(ROOT / options.folder))
        return
    page = subprocess.Popen([sys.executable, "hatch_build.py", "--if-node"], cwd=ROOT)  # beside pip
    python = _environment(ROOT / options.folder)
    if options.group:
        _pip(python, "install", PIP_FOR_GROUPS)
    _install_editable(python, ["--group", options.group] if options.group else [], page)


def _install_editable(python: Path, group: list[str], page: subprocess.Popen[bytes]) -> None:
    """Install what armlab requires, and when its page is there too, armlab."""
    import tomllib  # not at the top: an older Python has none, and is told above that it is too old

    required = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    _pip(python, "install", "--no-compile", *required, "--constraint", "constraints.txt", *group)
    _compile_packages(python)
    if page.wait() != 0:
        sys.exit("set-up failed: the page was not built, see above")
    _pip(python, "install", "--no-compile", "--no-deps", "--editable", ".", "--constraint", "constraints.txt")


def _compile_packages(python: Path) -> None:
    """Compile the packages to byte code on all cores: pip does it on one, and does not leave out their tests.

    A file that cannot be compiled is no failure: packages ship some for other versions of Python.
    """
    where = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    folder = subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip()
    tests = r"[/\\]tests?[/\\]"
    subprocess.run([str(python), "-m", "compileall", "-qq", "-j", "0", "-x", tests, folder], check=False)


def _install_wheel(python: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _pip(python, "wheel", ".", "--no-deps", "--wheel-dir", folder)
        (wheel,) = Path(folder).glob("*.whl")
        lazily = "--no-compile"  # Python compiles what is imported: less than all
        _pip(python, "install", str(wheel), "--constraint", "constraints.txt", lazily)
        _pip(python, "install", str(wheel), "--force-reinstall", "--no-deps", lazily)  # the version may be the same


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
