"""A stop outlasts what is held: presses and drags from before it move nothing any more, whoever holds them."""

from __future__ import annotations

from armlab.cell.commands import Command, Press
from armlab.errors import InvalidInput
from armlab.messages import _


class Stops:
    """Counts the stops; a press says how many its page had heard of when it began."""

    def __init__(self) -> None:
        self.count = 0
        self._of_all = 0
        self._of_arm: dict[str, int] = {}
        """The number of the last stop, of every arm and of one."""

    def hear(self, arm: str | None) -> None:
        """Count a stop of every arm, or of one."""
        self.count += 1
        if arm is None:
            self._of_all = self.count
        else:
            self._of_arm[arm] = self.count

    def check(self, command: Command) -> None:
        """Let pass what began after the last stop of its arm.

        Raises:
            InvalidInput: if a press or a drag is from before it.
        """
        if not isinstance(command, Press):
            return
        if command.stops < max(self._of_all, self._of_arm.get(command.arm or "", 0)):
            text = _("stopped since this press or drag began: release it and begin again")
            raise InvalidInput("stopped_since", text, stops=self.count)
