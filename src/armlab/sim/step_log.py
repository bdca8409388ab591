"""What happened in each step, noted while the steps are made and read when they are over."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from armlab.arrays import Floats


class Logged(Protocol):
    """Something that is stepped and can tell afterwards what its arms did."""

    def log_row(self) -> Floats:
        """Return what is kept of the step that has just been made."""

    def logged(self, k: int, rows: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return q, qd and tau (m, n) of the driven joints of one arm, and its largest gap (m,), from such rows."""


class StepLog:
    """The steps since it was made or cleared; read it before drives or what is held change."""

    def __init__(self, core: Logged) -> None:
        self._core = core
        self._rows: list[Floats] = []

    def __len__(self) -> int:
        return len(self._rows)

    def take(self) -> None:
        """Note the step that has just been made."""
        self._rows.append(self._core.log_row())

    def drop_after(self, count: int) -> None:
        """Forget all steps but the first so many: they were taken back."""
        del self._rows[count:]

    def joints(self, k: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Return q, qd and tau (m, n) of the driven joints of one arm, and its largest gap (m,)."""
        width = len(self._core.log_row())
        return self._core.logged(k, np.array(self._rows).reshape(-1, width))
