"""A stop outlasts what is held: presses and drags from before it move nothing any more, whoever holds them."""

from __future__ import annotations

from armlab.cell.commands import Command, Press
from armlab.errors import InvalidInput
from armlab.messages import _


class Stops:
    """Counts the stops of the selected arm; a press says how many its page had heard of when it began."""

    def __init__(self) -> None:
        self.count = 0

    def check(self, command: Command) -> None:
        """Let pass what began after the last stop.

        Raises:
            InvalidInput: if a press or a drag is from before it.
        """
        if isinstance(command, Press) and command.stops < self.count:
            text = _("stopped since this press or drag began: release it and begin again")
            raise InvalidInput("stopped_since", text, stops=self.count)
