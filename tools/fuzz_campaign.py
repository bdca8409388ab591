"""Feed many damaged files and made-up programs (`tools/fuzz_campaign.py -n 100000 urdf gcode`); tell each defect."""

from __future__ import annotations

import argparse
import faulthandler
import os
import resource
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fuzz.examples import (
    LANGUAGES,
    MOST_SECONDS,
    Example,
    bounded_memory,
    bounded_time,
    language_example,
    reader_example,
)
from fuzz.readers import READERS

from armlab.program.krl import interpreter as krl
from armlab.program.python import interpreter as script

MOST_DEFECTS = 20
"""Of one kind, in one round, that are shown."""
ROUNDS = 100
"""In which all kinds take turns: a campaign that is ended early has fed as much of each."""


def campaign(kind: str, example: Example, first: int, count: int) -> int:
    """Feed inputs first … first + count − 1; print each defect, and return how many there were."""
    defects = 0
    for number in range(first, first + count):
        faulthandler.dump_traceback_later(60.0 * MOST_SECONDS, exit=True)  # what no signal ends
        try:
            with bounded_time():
                example(number)
        except Exception as error:  # noqa: BLE001 - any other error is what is looked for
            defects += 1
            if defects <= MOST_DEFECTS:
                where = traceback.extract_tb(error.__traceback__)[-1]
                reason = f"{type(error).__name__}: {error!s:.200} ({where.filename}:{where.lineno})"
                print(f"{kind} {number}: {reason}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    return defects


def peak() -> int:
    """Return the most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> int:
    """Run campaigns, and return whether there was a defect."""
    kinds = argparse.ArgumentParser(description=__doc__)
    kinds.add_argument("kind", nargs="*", help=f"of {', '.join([*READERS, *LANGUAGES])}; none: all of them")
    kinds.add_argument("-n", type=int, default=0, help="inputs of each; 0: 10^5 files and 10^6 programs")
    kinds.add_argument("--first", type=int, default=0, help="number of the first input")
    asked = kinds.parse_args()
    krl.MOST_STEPS, krl.MOST_POLLS = 1500, 300
    script.MOST_STEPS, script.MOST_QUIET = 3000, 300
    warnings.simplefilter("ignore")
    bounded_memory()
    chosen = asked.kind or [*READERS, *LANGUAGES]
    counts = {kind: asked.n or (100_000 if kind in READERS else 1_000_000) for kind in chosen}
    defects = 0
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        examples = {
            kind: reader_example(kind, Path(folder)) if kind in READERS else language_example(kind) for kind in chosen
        }
        for turn in range(ROUNDS):
            for kind, count in counts.items():
                begin, end = turn * count // ROUNDS, (turn + 1) * count // ROUNDS
                defects += campaign(kind, examples[kind], asked.first + begin, end - begin)
            fed = " or ".join(f"{(turn + 1) * n // ROUNDS:,}" for n in sorted(set(counts.values())))
            print(f"{fed} inputs of each kind, {defects} defects, {time.process_time():.0f} s, {peak()} MB", flush=True)
    return min(defects, 1)


if __name__ == "__main__":
    sys.exit(main())
