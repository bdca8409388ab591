"""A description in millimetres becomes one in metres, and says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from armlab.arrays import Floats
from armlab.formats.description import DescribedJoint, DescribedLink, Description, MeshUse, Repairs
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.messages import _

MM = 0.001
TOO_LONG = 100.0
"""m from the base to the farthest link: no arm is longer, but one in millimetres looks so."""


def in_metres(description: Description) -> Description:
    """Return the description in metres: one that is more than 100 m long is taken for millimetres."""
    length = description_length(description)
    if length <= TOO_LONG:
        return description
    repairs = Repairs(description.file)
    repairs.add(
        "warning",
        None,
        "arm_unit_guessed",
        _("the arm is {length:.4g} m long; its numbers are taken for millimetres"),
        length=length,
    )
    slides = {joint.name: joint.kind == "prismatic" for joint in description.joint_of.values()}
    joints = {name: _joint(joint, slides) for name, joint in description.joint_of.items()}
    return replace(
        description,
        links={name: _link(link) for name, link in description.links.items()},
        joint_of=joints,
        joints_from={
            name: tuple(joints[joint.child] for joint in found) for name, found in description.joints_from.items()
        },
        findings=(*description.findings, *repairs.findings),
        loops=tuple(replace(loop, p_a=loop.p_a * MM, p_b=loop.p_b * MM) for loop in description.loops),
    )


def description_length(description: Description) -> float:
    """Return the longest way from the root along the joints, in the description's own unit."""
    lengths = {description.root: 0.0}
    for name in description.links:
        for joint in description.joints_from.get(name, ()):
            step = float(np.linalg.norm(joint.T_parent_child[:3, 3]))
            lengths[joint.child] = lengths.get(name, 0.0) + step
    return max(lengths.values())


def _joint(joint: DescribedJoint, slides: Mapping[str, bool]) -> DescribedJoint:
    made = replace(joint, T_parent_child=_place(joint.T_parent_child))
    if joint.mimic is not None:
        own, other = (MM if slides.get(name, False) else 1.0 for name in (joint.name, joint.mimic.joint))
        mimic = replace(joint.mimic, multiplier=joint.mimic.multiplier * own / other, offset=joint.mimic.offset * own)
        made = replace(made, mimic=mimic)
    if joint.kind != "prismatic":
        return made
    return replace(made, lower=joint.lower * MM, upper=joint.upper * MM, velocity=joint.velocity * MM)


def _link(link: DescribedLink) -> DescribedLink:
    # masses are kilograms in any unit of length
    inertia = Inertia(link.inertia.mass, link.inertia.com * MM, link.inertia.matrix * MM**2)
    return replace(
        link,
        inertia=inertia,
        seen=tuple(map(_shape, link.seen)),
        felt=tuple(map(_shape, link.felt)),
        meshes=tuple(map(_mesh, link.meshes)),
    )


def _shape(shape: Shape) -> Shape:
    size = tuple(value * MM for value in shape.size)
    points = None if shape.points is None else shape.points * MM
    return replace(shape, size=size, T_link_shape=_place(shape.T_link_shape), points=points)


def _mesh(use: MeshUse) -> MeshUse:
    x, y, z = use.scale
    return replace(use, scale=(x * MM, y * MM, z * MM), T_link_mesh=_place(use.T_link_mesh))


def _place(T: Floats) -> Floats:
    out = T.copy()
    out[:3, 3] *= MM
    return out
