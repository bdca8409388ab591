"""Who may move an arm: one page at a time; it is free once it has rested, or when it is asked for."""

from __future__ import annotations

from collections.abc import Hashable

from armlab.cell import commands as c
from armlab.cell.arm_runtime import ArmRuntime
from armlab.cell.command_queue import MOTIONS
from armlab.errors import InvalidInput
from armlab.messages import _

FREE_S = 2.0
"""s of rest after which an arm is free for every page."""


class Leases:
    """The page that moves each arm, and since when the arm rests; a stop needs no lease."""

    def __init__(self) -> None:
        self._holders: dict[str, tuple[int, Hashable]] = {}
        self._rests: dict[str, float] = {}

    def holder(self, arm: str) -> int | None:
        """Return the number of the page that holds an arm, or None."""
        return self._holders[arm][0] if arm in self._holders else None

    def check(self, command: c.ForArm, arm: str, page: Hashable, number: int) -> None:
        """Let a page move an arm that is its own or free, which makes it its own.

        Raises:
            InvalidInput: if another page moves it.
        """
        if not isinstance(command, MOTIONS):
            return
        held = self._holders.get(arm)
        if held is not None and held[1] is not page:
            text = _("'{arm}' is moved by page {holder}: take it over, or wait until it has rested for 2 s")
            raise InvalidInput("arm_held", text, arm=arm, holder=held[0])
        self.give(arm, page, number)

    def give(self, arm: str, page: Hashable, number: int) -> None:
        """Let a page hold an arm from now on."""
        self._holders[arm], self._rests[arm] = (number, page), 0.0

    def forget(self, page: Hashable) -> list[str]:
        """Free the arms of a page that is gone; return their names."""
        names = [name for name, held in self._holders.items() if held[1] is page]
        for name in names:
            del self._holders[name]
        return names

    def rest(self, arms: dict[str, ArmRuntime], seconds: float) -> list[str]:
        """Let time pass; return the arms that are free now, as they have rested or are gone."""
        freed = []
        for name in tuple(self._holders):
            arm = arms.get(name)
            is_resting = arm is None or (arm.is_at_rest and not arm.jogger.is_active)
            self._rests[name] = self._rests[name] + seconds if is_resting else 0.0
            if arm is None or self._rests[name] >= FREE_S:
                del self._holders[name]
                freed.append(name)
        return freed
