"""What a URDF file has and URDF has not: calls of macros left over from a template, and misspelt attributes.

Others read past both, so that they are findings here.
"""

from __future__ import annotations

import difflib
from typing import Any

from armlab.formats.description import Repairs
from armlab.formats.xacro_scope import DIRECTIVES, directive_name
from armlab.formats.xml_attributes import printable
from armlab.messages import _

MOST_SAID = 50
LIKE = 0.6
"""How alike two names are that one may be meant by the other, as difflib counts."""

_ATTRIBUTES: dict[str, frozenset[str]] = {
    "robot/link": frozenset({"name"}),
    "robot/joint": frozenset({"name", "type"}),
    "joint/parent": frozenset({"link"}),
    "joint/child": frozenset({"link"}),
    "joint/origin": frozenset({"xyz", "rpy"}),
    "joint/axis": frozenset({"xyz"}),
    "joint/limit": frozenset({"lower", "upper", "velocity", "effort"}),
    "joint/mimic": frozenset({"joint", "multiplier", "offset"}),
    "inertial/origin": frozenset({"xyz", "rpy"}),
    "inertial/mass": frozenset({"value"}),
    "inertial/inertia": frozenset({"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}),
    "visual/origin": frozenset({"xyz", "rpy"}),
    "collision/origin": frozenset({"xyz", "rpy"}),
    "geometry/box": frozenset({"size"}),
    "geometry/cylinder": frozenset({"radius", "length"}),
    "geometry/sphere": frozenset({"radius"}),
    "geometry/mesh": frozenset({"filename", "scale"}),
}


def without_leftovers(robot: Any, repairs: Repairs) -> None:
    """Take out elements that call a macro where no template is left that could define it, and say so."""
    found = [element for element in robot.iter("{*}*") if directive_name(element) not in {None, *DIRECTIVES}]
    for element in found[:MOST_SAID]:
        repairs.add(
            "warning",
            element.sourceline,
            "xacro_leftover",
            _("<{tag}> is left over from a template; it is skipped"),
            tag=f"{element.prefix or 'xacro'}:{printable(directive_name(element))}",
        )
    for element in found:
        if element.getparent() is not None:
            element.getparent().remove(element)


def say_misspelt(robot: Any, repairs: Repairs) -> None:
    """Say which attributes URDF does not have, but one of a similar name, which is not given."""
    said = 0
    for element in robot.iter("{*}*"):
        parent = element.getparent()
        known = _ATTRIBUTES.get(f"{parent.tag}/{element.tag}") if parent is not None else None
        missing = () if known is None else known - set(element.attrib)
        for key in sorted(set(element.attrib) - (known or frozenset())) if missing else ():
            near = difflib.get_close_matches(key[:40], sorted(missing), n=1, cutoff=LIKE)
            if near and said < MOST_SAID:
                said += 1
                repairs.add(
                    "warning",
                    element.sourceline,
                    "attribute_misspelt",
                    _("<{tag}>: URDF has no attribute '{given}'; did you mean {near}? It is skipped"),
                    tag=element.tag,
                    given=printable(key),
                    near=near[0],
                )
