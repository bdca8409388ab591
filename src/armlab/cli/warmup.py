"""`armlab warmup`: compile the kernels now."""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

from armlab.cli.text import progress_bar


def warmup() -> None:
    """Compile all kernels, on all cores, so that no later command has to wait."""
    start = time.perf_counter()
    from armlab.kernels.jit import cache_folder
    from armlab.kernels.warmup import GROUPS

    with (
        ProcessPoolExecutor(max_workers=min(os.cpu_count() or 1, len(GROUPS))) as workers,
        progress_bar("compiling kernels") as report,
    ):
        jobs = [workers.submit(_warm_up_group, name) for name in GROUPS]
        for done, job in enumerate(as_completed(jobs), start=1):
            job.result()
            report(done, len(jobs))
    kept = cache_folder()
    where = f"kept in {kept}" if kept else "not kept: no folder can be written (set ARMLAB_CACHE)"
    print(f"kernels ready in {time.perf_counter() - start:.1f} s, {where}")


def _warm_up_group(name: str) -> None:
    from armlab.kernels.warmup import GROUPS

    GROUPS[name]()
