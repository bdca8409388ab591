"""States of an execution that are kept now and then: any time can be gone back to, and memory stays flat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from armlab.program.executor.executor import Executor
from armlab.program.executor.state import ExecutorState

Again: TypeAlias = Callable[[ExecutorState | None], Executor]
"""Begins the same program once more: behind a state, or with None from its beginning."""
SPACING = 5.0
"""s between kept states at first; it doubles whenever MOST are kept."""
MOST = 64
PATIENCE = 4.0
"""Times the spacing after which a state in the middle of joined moves is kept where the arm never stands."""


class KeptStates:
    """Keeps states, the oldest first; what a program was answered is kept once for all of them."""

    def __init__(self) -> None:
        self._states: list[tuple[ExecutorState, int]] = []
        self._spacing = SPACING

    def __len__(self) -> int:
        return len(self._states)

    def keep(self, executor: Executor, *, is_at_rest: bool) -> None:
        """Keep where an executor is, if the last state is long ago."""
        since = executor.time - (self._states[-1][0].time if self._states else 0.0)
        if since < (self._spacing if is_at_rest else PATIENCE * self._spacing):
            return
        state = executor.state
        self._states.append((replace(state, answers=()), len(state.answers)))
        if len(self._states) >= MOST:
            self._states, self._spacing = self._states[1::2], 2.0 * self._spacing

    def before(self, time: float, executor: Executor) -> ExecutorState | None:
        """Return the last state not behind a time (s), and forget those that are; None: the beginning."""
        self._states = [kept for kept in self._states if kept[0].time <= time]
        if not self._states:
            return None
        state, answered = self._states[-1]
        return replace(state, answers=tuple(executor.answers[:answered]))
