"""Which pairs of a scene's objects are checked, and the reasons of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from armlab.collision.collision_objects import CollisionObjects
from armlab.collision.pairs import AllowedPair, PartPair, quick_rules, rules_of
from armlab.errors import InvalidInput
from armlab.kernels.collision.check import NEVER, CollisionModel
from armlab.messages import _
from armlab.model.robot import Robot


class SortedPairs(NamedTuple):
    """Pairs of objects with whether they never meet within the limits, and those that are not checked."""

    checked: list[tuple[int, int, bool]]
    left_out: list[AllowedPair]


def sorted_pairs(
    objects: CollisionObjects, allowed: Iterable[tuple[str, str]], compared: Iterable[tuple[str, str]]
) -> SortedPairs:
    """Return which pairs of objects that move against each other are checked, and why the others are not."""
    free, asked = _indices(objects, allowed, "allowed"), _indices(objects, compared, "compared")
    found = SortedPairs([], [])
    for i, one in enumerate(objects.items):
        for j, other in enumerate(objects.items[:i]):
            if one.frame == other.frame:
                continue
            rule = rule_of(objects, i, j, quick_rules)
            is_never = rule is not None and rule.reason == "never meet"
            if (i, j) in asked or ((rule is None or is_never) and (i, j) not in free):
                found.checked.append((i, j, is_never))
            elif rule is None or is_never:
                found.left_out.append(AllowedPair(other.name, one.name, "excluded", "allowed"))
            else:
                found.left_out.append(rule._replace(first=other.name, second=one.name))
    return found


def _indices(objects: CollisionObjects, pairs: Iterable[tuple[str, str]], who: str) -> set[tuple[int, int]]:
    """Return pairs of names as pairs of objects, the later one first."""
    found: set[tuple[int, int]] = set()
    for names in pairs:
        if isinstance(names, str) or len(names) != 2:
            raise InvalidInput(
                "not_a_pair", _("{what}: expected pairs of names, got {given}"), what=who, given=repr(names)
            )
        found |= {(max(i, j), min(i, j)) for i in objects.indices(names[0]) for j in objects.indices(names[1])}
    return found


def rule_of(
    objects: CollisionObjects, i: int, j: int, rules: Callable[[Robot], Mapping[PartPair, AllowedPair]]
) -> AllowedPair | None:
    """Return what the rules of an arm say of two of its parts; None of other objects."""
    one, other = objects.items[i], objects.items[j]
    if one.arm != other.arm or one.link < 0 or other.link < 0:
        return None
    return rules(objects.robots[one.arm]).get((other.part, one.part))


def with_proofs(model: CollisionModel, objects: CollisionObjects) -> CollisionModel:
    """Return the same model, in which more pairs are known never to meet within the limits."""
    pairs = model.pairs.copy()
    for row in pairs:
        rule = rule_of(objects, max(row[0], row[1]), min(row[0], row[1]), rules_of)
        if rule is not None and rule.reason == "never meet":
            row[3] = NEVER
    return model._replace(pairs=pairs)
