"""What a file or a user says of two parts of an arm: that they need no comparison, or that they do."""

from __future__ import annotations

from dataclasses import dataclass

from armlab.errors import InvalidInput
from armlab.messages import _


@dataclass(frozen=True, slots=True)
class PairRule:
    """Two parts of an arm, by name, and whether they are compared; of two rules about a pair the later one holds.

    A part is a link, "tool", or something that is fixed to a link and has a name of its own (see `Shape.part`).
    """

    first: str
    second: str
    is_compared: bool = False
    reason: str = ""
    """Who says so, and why."""

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise InvalidInput("pair_of_one", _("pair: '{name}' is given twice; a pair has two parts"), name=self.first)
