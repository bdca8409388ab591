"""Which bodies of a description are a link of the arm, and which are parts of their own that are fixed to it.

A link is what lies between its two joints; a hand, a camera or a table that is fixed to it keeps its own name, so that
what a file says of the link does not hold for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from armlab.formats.description import Description
from armlab.model.pair_rule import PairRule


class LinkParts(NamedTuple):
    """The names of the links, and the part of the arm that each body belongs to; several may be one link."""

    links: tuple[str, ...]
    part_of: dict[str, str]


def link_parts(
    description: Description,
    chain: Sequence[str],
    bodies: Sequence[Sequence[str]],
    shaped: Collection[str],
    loops: Collection[str],
) -> LinkParts:
    """Return the part that each body belongs to: the name of its link, or its own.

    A link of the `chain` is the first body with solids behind its joint, the last one before the next joint, and what
    lies between; of the base only the last. What hangs on a link and closes a loop with others belongs to it, too.
    `bodies` are for each link all that move with it, `shaped` those with solids.
    """
    found: dict[str, str] = {}
    titles = []
    for i, (link, names) in enumerate(zip(chain, bodies, strict=True)):
        group, mine = set(names), set(loops) & set(names)
        if i > 0:
            mine |= _nearest(description, link, group, shaped)
        if i + 1 < len(chain):
            end = description.joint_of[chain[i + 1]].parent
            mine |= _nearest(description, end, group, shaped)
            mine |= set(_up(description, end, link)) if i > 0 else set()
        # a table that the base stands on is not the base, though it comes first
        title = min(mine) if i == 0 and mine and link in shaped and link not in mine else link
        titles.append(title)
        found |= {name: title if name in mine or name == title else name for name in names}
    return LinkParts(tuple(titles), found)


def _nearest(description: Description, start: str, group: Collection[str], shaped: Collection[str]) -> set[str]:
    """Return the bodies with solids next to `start`: itself, or what is fixed to it with no other between."""
    found, seen, queue = set(), {start}, [start]
    for name in queue:
        if name in shaped:
            found.add(name)
            continue
        joints = description.joints_from[name]
        beside = [joint.child for joint in joints if joint.kind == "fixed"]
        above = description.joint_of.get(name)
        if above is not None and above.kind == "fixed":
            beside.append(above.parent)
        fresh = [each for each in beside if each in group and each not in seen]
        seen.update(fresh)
        queue.extend(fresh)
    return found


def _up(description: Description, name: str, end: str) -> list[str]:
    path = [name]
    while path[-1] != end:
        path.append(description.joint_of[path[-1]].parent)
    return path


def part_rules(rules: Iterable[PairRule], parts: Mapping[str, str]) -> tuple[PairRule, ...]:
    """Return what the rules about bodies say of parts of the arm.

    Two parts are excluded where all their bodies are, and compared where a rule asks for some of them.
    """
    latest: dict[tuple[str, str], PairRule] = {}
    for rule in rules:
        if rule.first in parts and rule.second in parts:
            first, second = sorted((rule.first, rule.second))
            latest[first, second] = rule
    members: dict[str, list[str]] = {}
    for body, part in parts.items():
        members.setdefault(part, []).append(body)
    found: dict[tuple[str, str], PairRule] = {}
    for (one, other), rule in latest.items():
        first, second = sorted((parts[one], parts[other]))
        if first == second or (first, second) in found:
            continue
        each = [latest.get((min(a, b), max(a, b))) for a in members[first] for b in members[second]]
        if any(own is not None and own.is_compared for own in each):
            found[first, second] = PairRule(first, second, is_compared=True, reason=rule.reason)
        elif None not in each:
            found[first, second] = PairRule(first, second, reason=rule.reason)
    return tuple(found.values())
