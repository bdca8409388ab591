"""`armlab warmup`: compile the kernels now."""

from __future__ import annotations

import time


def warmup() -> None:
    """Compile all kernels, so that no later command has to wait."""
    start = time.perf_counter()
    from armlab.kernels.jit import cache_folder
    from armlab.kernels.warmup import warm_up

    warm_up()
    kept = cache_folder()
    where = f"kept in {kept}" if kept else "not kept: no folder can be written (set ARMLAB_CACHE)"
    print(f"kernels ready in {time.perf_counter() - start:.1f} s, {where}")
