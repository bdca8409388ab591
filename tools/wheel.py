"""Prove that armlab works as users get it: from the wheel, with nothing installed but what it requires to run.

    python tools/wheel.py --install   build the wheel, install it into .venv-wheel
    python tools/wheel.py             the same, and run there every command of the README, every --help, the server
                                      and the Python examples of README and docs

Does nothing where the same sources were installed, or passed, already.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv-wheel"
INPUTS = ("src", "docs", "tests/docs", "tools", "README.md", "CONTRIBUTING.md", "pyproject.toml", "constraints.txt")
NOISE = ("Traceback", "Warning", "nanobind")
"""What no command may leave on standard error, not even as it ends."""
STARTUP = 120
"""Seconds that the server may take to say where it is: it may have to compile kernels."""

sys.path.insert(0, str(ROOT / "tests"))
from docs import examples  # noqa: E402


def digest(root: Path = ROOT) -> str:
    """Return a hash of everything that the check depends on."""
    found = hashlib.sha256()
    for top in (root / name for name in INPUTS):
        for path in sorted([top] if top.is_file() else top.rglob("*")):
            if path.is_file() and path.suffix not in {".pyc", ".mo"}:
                found.update(f"{path.relative_to(root).as_posix()}\n".encode() + path.read_bytes())
    return found.hexdigest()


def install() -> int:
    """Build the wheel and install it into an environment of its own; return the exit status."""
    stamp, wanted = ENVIRONMENT / "installed", digest()
    if _says(stamp, wanted):
        return 0
    setup = [sys.executable, str(ROOT / "tools" / "setup_env.py"), ENVIRONMENT.name, "--wheel"]
    status = subprocess.run(setup, check=False).returncode
    if status == 0:
        stamp.write_text(wanted, encoding="ascii")
    return status


def check() -> int:
    """Run the checks inside the environment, which is installed first; return the exit status."""
    stamp, wanted = ENVIRONMENT / "checked", digest()
    if _says(stamp, wanted):
        return 0
    if status := install():
        return status
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with tempfile.TemporaryDirectory() as folder:
        command = [str(python), "-I", str(Path(__file__).resolve()), "--inside"]
        status = subprocess.run(command, cwd=folder, env={**clean, "MPLBACKEND": "agg"}, check=False).returncode
    if status == 0:
        stamp.write_text(wanted, encoding="ascii")
    return status


def _says(stamp: Path, wanted: str) -> bool:
    return stamp.is_file() and stamp.read_text(encoding="ascii") == wanted


def inside() -> int:
    """Run every check in the environment of the wheel; print what failed; return the exit status."""
    import armlab

    assert not Path(armlab.__file__).is_relative_to(ROOT / "src"), armlab.__file__
    failures = [*failed_commands(), *failed_helps(), *failed_server(), *failed_examples()]
    for where, text in failures:
        print(f"wheel: {where}\n{text.rstrip()}\n")
    return 1 if failures else 0


def failed_commands() -> Iterator[tuple[str, str]]:
    """Run every command of the README as a user does; yield those that failed, with what they said."""
    lines = [line for _where, line in examples.commands([examples.README])]
    for line in (*lines, "armlab warmup", "armlab --version"):
        done = _armlab(*shlex.split(line)[1:])
        if done.returncode != 0 or not done.stdout or any(word in done.stderr for word in NOISE):
            yield line, done.stdout + done.stderr


def failed_helps() -> Iterator[tuple[str, str]]:
    """Ask every command for its help, in this process; check that the README runs all that need no server or arm."""
    from armlab.cli.main import COMMANDS, run

    shown = {shlex.split(line)[1] for _where, line in examples.commands([examples.README])}
    if silent := set(COMMANDS) - shown - {"serve", "warmup", "connect", "bridge"}:
        yield "README", f"does not show: {', '.join(sorted(silent))}"
    for name in ("", *COMMANDS):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = run([*filter(None, [name]), "--help"])
        if status != 0 or "--help" not in out.getvalue():
            yield f"armlab {name} --help", out.getvalue()


def failed_server() -> Iterator[tuple[str, str]]:
    """Start the server, fetch the page and the list of arms with the link that it prints, and stop it."""
    command = [_script(), "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        assert server.stdout is not None
        try:
            link = next((found[0] for line in server.stdout if (found := re.search(r"http://\S+", line))), None)
            if link is None:
                yield "armlab serve", "printed no link"
                return
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            page = opener.open(link, timeout=STARTUP).read().decode()
            arms = json.load(opener.open(link.partition("?")[0].rstrip("/") + "/api/robots", timeout=STARTUP))
            if "<script" not in page or not any(arm["name"] == "ur5e" for arm in arms):
                yield "armlab serve", f"a wrong page or list of arms at {link}"
        except OSError as error:
            yield "armlab serve", str(error)
        finally:
            server.terminate()


def failed_examples() -> Iterator[tuple[str, str]]:
    """Run the Python blocks of README and docs; yield those that failed."""
    for where, code in examples.blocks("python"):
        try:
            with (
                tempfile.TemporaryDirectory() as folder,
                contextlib.chdir(folder),
                contextlib.redirect_stdout(io.StringIO()),
            ):
                exec(compile(code, where, "exec"), {"__name__": "example"})
        except Exception:  # noqa: BLE001  # whatever an example raises is what this tool reports
            yield where, traceback.format_exc()


def _armlab(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([_script(), *arguments], capture_output=True, text=True, encoding="utf-8", check=False)


def _script() -> str:
    return str(Path(sys.executable).with_name("armlab"))


def main() -> int:
    """Install the wheel, check it or, called by itself, run the checks inside of its environment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="build and install only")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.install:
        return install()
    return inside() if options.inside else check()


if __name__ == "__main__":
    raise SystemExit(main())
