"""`armlab warmup`: compile the kernels now."""

from __future__ import annotations

import time

from armlab.cli.text import progress_bar
from armlab.messages import tr


def warmup() -> None:
    """Compile all kernels, on all cores, so that no later command has to wait."""
    start = time.perf_counter()
    from armlab.cell.kernel_compiler import compile_groups
    from armlab.cell.warmup import GROUPS
    from armlab.kernels.code_cache import cache_folder

    with progress_bar(tr("compiling kernels")) as report:
        compile_groups(list(GROUPS), report)
    seconds, folder = time.perf_counter() - start, cache_folder()
    if folder is None:
        told = tr(
            "kernels compiled in {seconds:.1f} s, but not kept: no folder is writable; set ARMLAB_CACHE",
            seconds=seconds,
        )
    else:
        told = tr("kernels compiled in {seconds:.1f} s, kept in {folder}", seconds=seconds, folder=str(folder))
    print(told)
