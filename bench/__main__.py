"""`python -m bench [--write]`: run every comparison and print one table; --write keeps it in docs/benchmarks.md."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from armlab.kernels.warmup import warm_up
from bench import fk, ik, motion, simulation
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
    "pybullet",
    "numba",
    "numpy",
)
START, END = "<!-- table -->", "<!-- end of table -->"


def main() -> None:
    """Print the table as it grows; write it to the docs when asked to."""
    warm_up()
    print(header())
    table = [header()]
    for line in all_lines():
        text = row(line)
        print(text, flush=True)
        table.append(text)
    if "--write" in sys.argv:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
        after = rest.partition(END)[2]
        body = f"{before}{START}\n\n{machine()}\n\n" + "\n".join(table) + f"\n\n{END}{after}"
        temporary = PAGE.with_suffix(".tmp")
        temporary.write_text(body, encoding="utf-8")
        temporary.replace(PAGE)
        print(f"written to {PAGE.name}")


def all_lines() -> Iterable[Line]:
    """Every comparison, in the order of the table."""
    yield from fk.lines()
    yield from ik.lines()
    yield from motion.lines()
    yield from simulation.lines()


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
