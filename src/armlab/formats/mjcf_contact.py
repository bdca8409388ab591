"""Which bodies of MJCF may touch: <exclude>, <pair>, the masks of geoms, and what MuJoCo leaves out by itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from armlab.model.pair_rule import PairRule

MAX_MASKED = 300
"""Bodies with masks that are compared with each other."""
_MASK = 0xFFFFFFFF


@dataclass
class GeomMasks:
    """The masks of the geoms that collide, by body, and the body of each geom that has a name."""

    masks: dict[str, set[tuple[int, int]]] = field(default_factory=dict)
    body_of: dict[str, str] = field(default_factory=dict)
    families: list[PairRule] = field(default_factory=list)
    """Bodies with several joints between them, which MuJoCo takes for parent and child all the same."""

    def add(self, body: str, own: dict[str, str]) -> bool:
        """Keep a geom's masks; return whether it collides with anything."""
        mask = _integer(own.get("contype", "1")), _integer(own.get("conaffinity", "1"))
        self.body_of[own.get("name", "")] = body
        if any(mask):
            self.masks.setdefault(body, set()).add(mask)
        return any(mask)

    def add_joints(self, parent: str, body: str, count: int) -> None:
        """Keep that a body moves against its parent by `count` joints."""
        if count > 1:
            self.families.append(PairRule(parent, body, reason="MJCF: parent and child"))

    def rules(self, root: Any) -> tuple[PairRule, ...]:
        """Return what a document says of pairs of bodies; a later rule holds."""
        found = list(self.families)
        masked = sorted(self.masks)[:MAX_MASKED]
        for one, other in combinations(masked, 2):
            pairs = ((a, b) for a in self.masks[one] for b in self.masks[other])
            if not any(a[0] & b[1] or b[0] & a[1] for a, b in pairs):
                found.append(PairRule(one, other, reason="MJCF: contype, conaffinity"))
        for element in root.iterfind("contact/exclude"):
            found += _rule(element.get("body1", ""), element.get("body2", ""), False, "MJCF: exclude")
        for element in root.iterfind("contact/pair"):
            first, second = (self.body_of.get(element.get(key, ""), "") for key in ("geom1", "geom2"))
            found += _rule(first, second, True, "MJCF: pair")
        return tuple(found)


def _rule(first: str, second: str, is_compared: bool, reason: str) -> list[PairRule]:
    return [PairRule(first, second, is_compared, reason)] if first and second and first != second else []


def _integer(text: str) -> int:
    """Return a mask; what is no number counts as the default, which meets everything that has it too."""
    try:
        return int(text) & _MASK
    except ValueError:
        return 1
