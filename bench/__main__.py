"""`python -m bench [PART…] [--write]`: run comparisons, print their tables; --write keeps them in docs/benchmarks.md.

Parts: kinematics, motion, planning, simulation, programs, sensing, identification, threads, workbench, load; else all.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import armlab
from armlab.cell.warmup import GROUPS, warm_up
from bench import fk, identification, ik, motion, planning, programs, sensing, simulation, threads, workbench
from bench.timing import Line

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
PEERS = (
    "pin",
    "roboticstoolbox-python",
    "py-opw-kinematics",
    "ssik",
    "EAIK",
    "ik-geo",
    "optik-py",
    "pytracik",
    "ruckig",
    "toppra",
    "mujoco-core",
    "AHRS",
    "imufusion",
    "pybullet",
    "ompl",
    "pygcode",
    "numba",
    "numpy",
)
PARTS: dict[str, Callable[[], Iterable[Line]]] = {
    "kinematics": lambda: chain(fk.lines(), ik.lines()),
    "motion": motion.lines,
    "planning": planning.lines,
    "simulation": simulation.lines,
    "programs": programs.lines,
    "sensing": sensing.lines,
    "identification": identification.lines,
    "threads": threads.lines,
    "workbench": workbench.lines,
}
LOAD = "load"


def main() -> None:
    """Print each part as it grows; write them to the docs when asked to."""
    named = [name for name in sys.argv[1:] if not name.startswith("-")]
    unknown = set(named) - {*PARTS, LOAD}
    if unknown:
        raise SystemExit(f"no part named {', '.join(sorted(unknown))}; known: {', '.join((*PARTS, LOAD))}")
    warm_up(GROUPS)
    armlab.set_threads(1)  # as the peers; the part `threads` compares one with all
    for name in named or (*PARTS, LOAD):
        body = load_text() if name == LOAD else table(PARTS[name]())
        if "--write" in sys.argv:
            write(name, body)


def table(lines: Iterable[Line]) -> str:
    """Print a table row by row, and return it."""
    rows = [header()]
    print(rows[0])
    for line in lines:
        rows.append(row(line))
        print(rows[-1], flush=True)
    return "\n".join(rows)


def load_text() -> str:
    """Let twenty people at one server, and return what was measured."""
    from bench import load

    found = []
    for line in load.lines():
        found.append(line)
        print(line, flush=True)
    return "\n".join(("```text", *found, "```"))


def write(name: str, body: str) -> None:
    """Put a part between its marks in the docs, with the machine that it was measured on."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, mark, rest = PAGE.read_text(encoding="utf-8").partition(start)
    if not mark:
        raise SystemExit(f"{PAGE.name} has no mark {start}")
    text = f"{before}{start}\n\n{machine()}\n\n{body}\n\n{end}{rest.partition(end)[2]}"
    temporary = PAGE.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(PAGE)
    print(f"{name} written to {PAGE.name}")


def header() -> str:
    """The head of the table."""
    return "| ours / peer | what | arm | ours | peer | its time | note |\n|---|---|---|---|---|---|---|"


def row(line: Line) -> str:
    """One row of the table."""
    ratio = "" if line.ratio is None else f"**{line.ratio:.3g}**"
    peer = "" if line.peer_s is None else seconds(line.peer_s)
    return f"| {ratio} | {line.what} | {line.arm} | {seconds(line.ours_s)} | {line.peer} | {peer} | {line.note} |"


def seconds(value: float) -> str:
    """A time per item with its rate where it is short."""
    if value < 1e-6:
        return f"{value * 1e9:.0f} ns ({1e-6 / value:.1f} M/s)"
    return f"{value * 1e6:.2f} µs" if value < 1e-3 else f"{value * 1e3:.2f} ms"


def machine() -> str:
    """What this run was measured on."""
    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        names = [
            x.partition(":")[2].strip()
            for x in Path("/proc/cpuinfo").read_text().splitlines()
            if x.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    peers = ", ".join(f"{name} {version(name)}" for name in PEERS if is_installed(name))
    day = datetime.now(UTC).date().isoformat()
    return f"{day}, {cpu}, {os.cpu_count()} cores, one thread, Python {platform.python_version()}; {peers}."


def is_installed(name: str) -> bool:
    """Whether this environment has the package: not every peer has wheels for every platform."""
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    main()
