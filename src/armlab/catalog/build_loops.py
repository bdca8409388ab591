"""The loops of a robot file: rods beside the chain, and the pins that close them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armlab.catalog.schema import PinTable, RodTable
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia, from_six
from armlab.messages import _
from armlab.model.linkage import Closure
from armlab.model.loops import LoopPart, Loops
from armlab.model.parts import Joint, Link
from armlab.units import M_PER_MM, joint_scale


def build_loops(rods: Sequence[RodTable], pins: Sequence[PinTable], links: Sequence[str]) -> Loops | None:
    """Return the loops beside a chain with these links, the base first; None without any.

    Raises:
        InvalidInput: if a rod or pin names a link that is not there, or two rods, or a rod and a link, have one name.
    """
    if not rods or not pins:
        return None
    index = {name: i for i, name in enumerate(links)}
    parts = []
    for rod in rods:
        if rod.name in index:
            raise InvalidInput("name_twice", _("{who}: two links are named '{name}'"), who="rod", name=rod.name)
        parts.append(LoopPart(Link(rod.name, _inertia(rod)), _joint(rod), _number(rod.on, index)))
        index[rod.name] = len(index)
    closures = []
    for pin in pins:
        (a, b), (p_a, p_b) = (_number(name, index) for name in pin.links), np.array(pin.points) * M_PER_MM
        closures.append(Closure(a, p_a, b, p_b))
    return Loops(tuple(parts), tuple(closures))


def _number(name: str, index: dict[str, int]) -> int:
    if name not in index:
        raise InvalidInput(
            "loop_link", _("rod or pin: there is no link '{link}'; known: {known}"), link=name, known=list(index)[:12]
        )
    return index[name]


def _inertia(rod: RodTable) -> Inertia:
    com = np.array(rod.com) * M_PER_MM
    return from_six(rod.mass or 0.0, com, rod.inertia or (0.0,) * 6)


def _joint(rod: RodTable) -> Joint:
    scale = joint_scale(rod.kind)
    T = pose.from_xyz_rpy_mm_deg(rod.xyz, rod.rpy)
    axis = np.array(rod.axis, dtype=np.float64)
    return Joint(rod.joint, rod.kind, T, axis, rod.limits.lower * scale, rod.limits.upper * scale)
