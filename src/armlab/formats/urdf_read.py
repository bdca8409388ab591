"""URDF text becomes a description; what is merely imperfect is repaired and said.

The text comes from outside: it may be cut off, hostile or simply not URDF. Whatever has no clear meaning becomes
one InvalidInput that names the file and the element.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported
from armlab.files import read_bounded
from armlab.formats.description import (
    URDF_KINDS,
    DescribedJoint,
    DescribedKind,
    DescribedLink,
    Description,
    Format,
    MeshUse,
    Mimic,
    Repairs,
)
from armlab.formats.mesh_parts import hex_colour
from armlab.formats.repair import GivenLimits, repaired_inertia, repaired_limits
from armlab.formats.safe_xml import parse_xml
from armlab.formats.urdf_spelling import say_misspelt, without_leftovers
from armlab.formats.xacro_scope import DIRECTIVES, directive_name
from armlab.formats.xml_attributes import (
    attribute_limit,
    attribute_number,
    attribute_numbers,
    attribute_text,
    printable,
)
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Finish, Shape
from armlab.messages import Message, _, term

MAX_BYTES = 20_000_000
MAX_LINKS = 2000

_SIZES = {"box": (("size", 3),), "cylinder": (("radius", 1), ("length", 1)), "sphere": (("radius", 1),)}
"""The solids that URDF has: where their sizes stand, and how many numbers there."""


def read_urdf_description(path: Path) -> Description:
    """Return what a URDF file says.

    Raises:
        InvalidInput: if the file cannot be read, is not URDF, or contradicts itself.
        NotSupported: if it is an unexpanded xacro.
    """
    repairs = Repairs(path.name or str(path))
    root = parse_xml(read_bounded(path, MAX_BYTES), repairs)
    return describe_urdf(root, repairs, path.stem)


def describe_urdf(robot: Any, repairs: Repairs, name: str, *, format: Format = "urdf") -> Description:  # noqa: A002
    """Return what the element <robot> of a URDF document says; `name` where it has none."""
    file = repairs.file
    _check_root(robot, file)
    without_leftovers(robot, repairs)
    if format != "sdf":
        say_misspelt(robot, repairs)
    colours = _colours(robot)
    links = [_link(element, file, colours, repairs) for element in robot.iterchildren("link")]
    kinds = get_args(DescribedKind) if format == "sdf" else URDF_KINDS
    joints = [_joint(element, file, kinds, repairs) for element in robot.iterchildren("joint")]
    _check_names(_("{file}: {count} links are named '{name}'"), [link.name for link in links], file)
    _check_names(_("{file}: {count} joints are named '{name}'"), [joint.name for joint in joints], file)
    if not links:
        raise InvalidInput("urdf_no_links", _("{file}: <robot> has no links"), file=file)
    tree = _tree(links, joints, repairs)
    return Description(
        format=format,
        file=file,
        name=robot.get("name", "").strip() or name,
        root=tree.root,
        links={link.name: link for link in tree.links},
        joint_of={joint.child: joint for found in tree.joints_from.values() for joint in found},
        joints_from=tree.joints_from,
        findings=tuple(repairs.findings),
    )


def _check_root(robot: Any, file: str) -> None:
    if robot.tag != "robot":
        raise InvalidInput(
            "urdf_root",
            _("{file}: the root element is <{tag}>; URDF has <robot>"),
            file=file,
            tag=printable(robot.tag),
        )
    for element in robot.iterchildren("{*}*"):
        is_declared = not str(element.tag).startswith("{xacro}")  # what nobody declares is skipped, and said
        if is_declared and directive_name(element) in DIRECTIVES:
            raise NotSupported(
                "xacro", _("{file}: this is xacro, a template of a robot; expand it with `xacro` first"), file=file
            )
    count = sum(1 for _ in robot.iterchildren("link", "joint"))
    if count > 2 * MAX_LINKS:
        raise InvalidInput(
            "urdf_too_large",
            _("{file}: {count} links and joints; at most {most} of each are allowed"),
            file=file,
            count=count,
            most=MAX_LINKS,
        )


def _link(element: Any, file: str, colours: dict[str, str], repairs: Repairs) -> DescribedLink:
    name = attribute_text(element, "name", f"{file}: <link>")
    where = term(_("{file}: link '{link}'"), file=file, link=name)
    seen = [shape for each in element.iterchildren("visual") for shape in _shapes(each, where)]
    felt = [shape for each in element.iterchildren("collision") for shape in _shapes(each, where)]
    meshes = [
        use
        for each in element.iterchildren("visual", "collision")
        for use in _meshes(each, each.tag != "visual", where, colours)
    ]
    inertia = _inertia(element.find("inertial"), name, where, repairs)
    return DescribedLink(name, inertia, tuple(seen), tuple(felt), tuple(meshes))


def _inertia(element: Any, link: str, where: Message, repairs: Repairs) -> Inertia:
    if element is None:
        return Inertia()
    mass_element, tensor = element.find("mass"), element.find("inertia")
    if mass_element is None or mass_element.get("value") is None:
        repairs.add(
            "warning",
            element.sourceline,
            "mass_missing",
            _("link '{link}': no mass is given; it weighs nothing"),
            link=link,
        )
        return Inertia()
    mass = attribute_number(mass_element, "value", None, _in(where, "mass"))
    T_link_com = _origin(element, where)
    xx, yy, zz, xy, xz, yz = (
        0.0 if tensor is None else attribute_number(tensor, key, 0.0, _in(where, "inertia"))
        for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    R = T_link_com[:3, :3]
    matrix = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    return repaired_inertia(mass, T_link_com[:3, 3], matrix, link, element.sourceline, repairs)


def _shapes(element: Any, where: Message) -> list[Shape]:
    """Return the primitive solid of a <visual> or <collision>; nothing for a mesh or without extent."""
    geometry = element.find("geometry")
    T_link_shape = _origin(element, where)
    material = element.find("material")
    named = material.get("name") if material is not None else None
    finish: Finish = next((each for each in get_args(Finish) if each == named), "body")
    shapes = []
    for solid in () if geometry is None else geometry.iterchildren(*_SIZES):
        about = _in(where, solid.tag)
        size = tuple(value for key, n in _SIZES[solid.tag] for value in attribute_numbers(solid, key, n, None, about))
        if any(length < 0 for length in size):
            raise InvalidInput(
                "urdf_length_negative", _("{where}: lengths must be ≥ 0, got {size}"), where=about, size=size
            )
        if all(size):
            shapes.append(Shape(solid.tag, size, T_link_shape, finish))
    return shapes


def _colours(robot: Any) -> dict[str, str]:
    """Return the colours of all materials that the file defines, by name."""
    found: dict[str, str] = {}
    for material in robot.iter("material"):
        colour = material.find("color")
        try:
            values = [float(word) for word in ("" if colour is None else colour.get("rgba", "")).split()]
        except ValueError:
            continue
        if len(values) >= 3 and (text := hex_colour(*values[:3])) is not None:
            found.setdefault(material.get("name", ""), text)
    return found


def _meshes(element: Any, is_collision: bool, where: Message, colours: dict[str, str]) -> list[MeshUse]:
    """Return the meshes that a <visual> or <collision> names."""
    geometry = element.find("geometry")
    material = element.find("material")
    colour = None if material is None else colours.get(material.get("name", ""))
    return [
        MeshUse(
            mesh.get("filename", "").strip(),
            _scale(mesh, _in(where, "mesh")),
            _origin(element, where),
            is_collision,
            mesh.sourceline or 0,
            colour,
        )
        for mesh in (() if geometry is None else geometry.iterchildren("mesh"))
    ]


def _scale(mesh: Any, where: Message) -> tuple[float, float, float]:
    """Return the scale of a mesh: three numbers, or one for all three; what follows three of them means nothing."""
    words = mesh.get("scale", "1 1 1").split()
    count = 1 if len(words) == 1 else max(len(words), 3)
    values = attribute_numbers(mesh, "scale", count, (1.0, 1.0, 1.0), where)
    x, y, z = values[:3] if len(values) >= 3 else tuple(values) * 3
    return x, y, z


def _joint(element: Any, file: str, known: Sequence[str], repairs: Repairs) -> DescribedJoint:
    name = attribute_text(element, "name", f"{file}: <joint>")
    where = term(_("{file}: joint '{joint}'"), file=file, joint=name)
    kind: Any = attribute_text(element, "type", where)
    if kind not in known:
        raise InvalidInput(
            "urdf_joint_type",
            _("{where}: type '{kind}' is not one of {known}"),
            where=where,
            kind=kind,
            known=known,
        )
    axis = element.find("axis")
    lower, upper, velocity, effort = _limits(element, name, kind, where, repairs)
    return DescribedJoint(
        name=name,
        kind=kind,
        parent=_end(element, "parent", where),
        child=_end(element, "child", where),
        T_parent_child=_origin(element, where),
        axis=np.array(
            [1.0, 0.0, 0.0] if axis is None else attribute_numbers(axis, "xyz", 3, (1.0, 0.0, 0.0), _in(where, "axis"))
        ),
        mimic=_mimic(element.find("mimic"), where),
        lower=lower,
        upper=upper,
        velocity=velocity,
        effort=effort,
        line=element.sourceline or 0,
    )


def _mimic(element: Any, where: Message) -> Mimic | None:
    if element is None:
        return None
    about = _in(where, "mimic")
    return Mimic(
        attribute_text(element, "joint", about),
        attribute_number(element, "multiplier", 1.0, about),
        attribute_number(element, "offset", 0.0, about),
    )


def _limits(element: Any, joint: str, kind: DescribedKind, where: Message, repairs: Repairs) -> GivenLimits:
    if kind not in {"revolute", "continuous", "prismatic"}:
        return GivenLimits(0.0, 0.0, math.inf, math.inf)
    limit, given = element.find("limit"), None
    if limit is not None:
        about = _in(where, "limit")
        lower, upper, velocity, effort = (
            attribute_limit(limit, key, about) for key in ("lower", "upper", "velocity", "effort")
        )
        has_range = limit.get("lower") is not None or limit.get("upper") is not None
        given = (
            GivenLimits(lower, upper, velocity, effort)
            if has_range
            else GivenLimits(math.nan, math.nan, velocity, effort)
        )
    line = (element if limit is None else limit).sourceline
    return repaired_limits(given, kind, joint, line, repairs)


@dataclass(frozen=True, slots=True, eq=False)
class _Tree:
    root: str
    links: tuple[DescribedLink, ...]
    joints_from: dict[str, tuple[DescribedJoint, ...]]


def _tree(links: Sequence[DescribedLink], joints: Sequence[DescribedJoint], repairs: Repairs) -> _Tree:
    """Return the links parents first, from one root; what else the file has is left out and said."""
    by_name = {link.name: link for link in links}
    for joint in joints:
        for end in (joint.parent, joint.child):
            if end not in by_name:
                raise InvalidInput(
                    "urdf_link_missing",
                    _("{file}: joint '{joint}': there is no link '{link}'"),
                    file=repairs.file,
                    joint=joint.name,
                    link=end,
                )
    joints = _one_parent_each(joints, repairs)
    children: dict[str, list[DescribedJoint]] = {name: [] for name in by_name}
    for joint in joints:
        children[joint.parent].append(joint)
    carried = {joint.child for joint in joints}
    roots = [name for name in by_name if name not in carried]
    if not roots:
        raise InvalidInput(
            "urdf_cycle", _("{file}: the joints form a cycle; one link must have no parent"), file=repairs.file
        )
    orders = [_order(root, children) for root in roots]
    cyclic = by_name.keys() - {name for order in orders for name in order}
    if cyclic:
        raise InvalidInput(
            "urdf_cycle_apart",
            _("{file}: links {links} form a cycle that is not connected to the root '{root}'"),
            file=repairs.file,
            links=sorted(cyclic)[:4],
            root=roots[0],
        )
    order = max(orders, key=lambda order: sum(joint.is_axis for name in order for joint in children[name]))
    for other in orders:
        if other is not order:
            repairs.add(
                "warning",
                None,
                "link_apart",
                _("link '{link}' has no parent and is not the base '{root}'; it is left out, with all that it carries"),
                link=other[0],
                root=order[0],
            )
    return _Tree(order[0], tuple(by_name[name] for name in order), {name: tuple(children[name]) for name in order})


def _order(root: str, children: dict[str, list[DescribedJoint]]) -> list[str]:
    order = [root]
    for name in order:
        order.extend(joint.child for joint in children[name])
    return order


def _one_parent_each(joints: Sequence[DescribedJoint], repairs: Repairs) -> list[DescribedJoint]:
    """Return the joints without those that carry a link which another joint carries already."""
    kept: dict[str, DescribedJoint] = {}
    for joint in joints:
        first = kept.setdefault(joint.child, joint)
        if first is not joint:
            repairs.add(
                "warning",
                joint.line,
                "second_parent",
                _("joint '{joint}' is left out: its child '{link}' is carried by joint '{other}' already"),
                joint=joint.name,
                link=joint.child,
                other=first.name,
            )
    return list(kept.values())


def _check_names(template: str, names: Iterable[str], file: str) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise InvalidInput("urdf_name_twice", template, file=file, count=count, name=name)


def _in(where: Message, part: str) -> Message:
    return term("{where}: {part}", where=where, part=part)


def _end(element: Any, tag: str, where: Message) -> str:
    end = element.find(tag)
    if end is None:
        raise InvalidInput("urdf_element_missing", _("{where}: <{tag} link=…> is missing"), where=where, tag=tag)
    return attribute_text(end, "link", _in(where, f"<{tag}>"))


def _origin(element: Any, where: Message) -> Floats:
    origin = element.find("origin")
    if origin is None:
        return np.eye(4)
    xyz, rpy = (attribute_numbers(origin, key, 3, (0.0, 0.0, 0.0), _in(where, "origin")) for key in ("xyz", "rpy"))
    return pose.from_xyz_rpy(xyz, rpy)
