"""What <equality> of MJCF says: joints that follow others, and points that close loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.formats.description import DescribedJoint, DescribedLoop, Mimic, Repairs
from armlab.formats.mjcf_values import ClassedValues
from armlab.formats.xml_attributes import printable
from armlab.geometry import pose
from armlab.messages import _


class BodyPlaces(NamedTuple):
    """Where bodies are before anything moves, in the world, and sites on their bodies."""

    bodies: Mapping[str, Floats]
    sites: Mapping[str, tuple[str, Floats]]


def follow(
    root: Any,
    joints: Iterable[DescribedJoint],
    references: Mapping[str, float],
    values: ClassedValues,
    repairs: Repairs,
) -> list[DescribedJoint]:
    """Return the joints, those that follow others marked so.

    Of a law that is no straight line the linear part is kept, and that is said. MuJoCo's laws are between the
    displacements of joints from their `references` (rad or m; 0 where none is given).
    """
    found = {}
    for element in root.iterfind(".//equality/joint"):
        offset, slope, *more = values.numbers(dict(element.attrib), "polycoef", 5, (0.0, 1.0, 0.0, 0.0, 0.0))
        if not element.get("joint2") or element.get("active", "true") == "false":
            continue
        if any(more):
            repairs.add(
                "warning",
                element.sourceline,
                "mimic_curved",
                _("joint '{joint}' follows joint '{other}' by a law that is no straight line; its curve is left out"),
                joint=printable(element.get("joint1", "")),
                other=printable(element.get("joint2")),
            )
        one, other = element.get("joint1", ""), element.get("joint2")
        offset += references.get(one, 0.0) - slope * references.get(other, 0.0)
        found[one] = Mimic(other, slope, offset)
    return [replace(joint, mimic=found.get(joint.name)) for joint in joints]


def loops_of(root: Any, places: BodyPlaces, values: ClassedValues, repairs: Repairs) -> tuple[DescribedLoop, ...]:
    """Return what each <connect> holds together; a <weld> of two bodies is left out and said.

    A weld that holds a body of the world, which people move by hand (mocap), is no part of an arm.
    """
    moved_by_hand = {element.get("name") for element in root.iter("body") if element.get("mocap") == "true"}
    loops = []
    for element in root.iterfind(".//equality/*"):
        ends = element.get("body1", ""), element.get("body2", "")
        if element.tag == "weld" and not moved_by_hand & set(ends):
            repairs.add(
                "warning",
                element.sourceline,
                "mjcf_weld",
                _("the weld between '{one}' and '{other}' is left out"),
                one=printable(ends[0]),
                other=printable(ends[1] or "world"),
            )
        if element.tag == "connect" and element.get("active", "true") != "false":
            loops += _loop(element, places, values)
    return tuple(loops)


def _loop(element: Any, places: BodyPlaces, values: ClassedValues) -> list[DescribedLoop]:
    line = element.sourceline or 0
    one, other = (places.sites.get(element.get(key, "")) for key in ("site1", "site2"))
    if one is not None and other is not None:
        return [DescribedLoop(*one, *other, line)]
    a, b = element.get("body1", ""), element.get("body2") or "world"
    if a not in places.bodies or b not in places.bodies:
        return []
    # the anchor is given in the first body; where that is on the second counts before anything moves
    p_a = np.array(values.numbers(dict(element.attrib), "anchor", 3, (0.0, 0.0, 0.0)))
    T_b_a = pose.inverse(places.bodies[b]) @ places.bodies[a]
    return [DescribedLoop(a, p_a, b, pose.transform(T_b_a, p_a), line)]
