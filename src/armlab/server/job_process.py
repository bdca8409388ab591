"""What processes of jobs begin with: the modules of their work, and the kernels that are compiled already."""

from __future__ import annotations

import gc
from pathlib import Path

from armlab.cell import (
    kernel_compiler,
    preview,  # noqa: F401 - imported to be there
    warmup,
)
from armlab.jobs import at_home
from armlab.kernels import code_cache
from armlab.server import (
    comparison_work,  # noqa: F401 - imported to be there
    descent_work,  # noqa: F401
    import_work,  # noqa: F401
    program_work,  # noqa: F401
    project_file,  # noqa: F401
    real_work,  # noqa: F401
)


def _wait_for(file: Path) -> None:
    """Wait for a kernel that processes of the server's are compiling."""
    if not file.exists():
        at_home(kernel_compiler.wait_for, file)


_missing = kernel_compiler.missing_groups()
warmup.warm_up(name for name in warmup.GROUPS if name not in _missing)
code_cache.wait_first(_wait_for)
gc.collect()
gc.freeze()  # the collector would write to all objects, and so give each process a copy of them
