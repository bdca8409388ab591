"""URDF text becomes a checked tree of links and joints; nothing is folded or chosen yet.

The text comes from outside: it may be cut off, hostile or simply not URDF. Whatever is wrong is told in one
InvalidInput that names the file and the element.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from lxml import etree

from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported
from armlab.files import read_bounded
from armlab.kernels.trig import LARGEST
from armlab.model import pose
from armlab.model.parts import Inertia
from armlab.model.shape import Finish, Shape

MAX_BYTES = 20_000_000
MAX_LINKS = 2000
MAX_LETTERS = 200
"""The longest name."""
UNLIMITED = 1e9
"""Stands for "no limit" in files: URDF has no word for it. Values from here on are read as infinite."""

TreeJointKind = Literal["fixed", "revolute", "continuous", "prismatic"]

_XACRO = "http://www.ros.org/wiki/xacro"
_WHOLE_TURN = 2.0 * math.pi
_SIZES = {"box": (("size", 3),), "cylinder": (("radius", 1), ("length", 1)), "sphere": (("radius", 1),)}
"""The solids that URDF has: where their sizes stand, and how many numbers there."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeLink:
    """One link of the file, in its own frame."""

    name: str
    inertia: Inertia
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TreeJoint:
    """One joint of the file; `lower` … `effort` mean nothing for a fixed one."""

    name: str
    kind: TreeJointKind
    parent: str
    child: str
    T_parent_child: Floats
    axis: Floats
    follows: bool
    """Whether the joint only mimics another one."""
    lower: float
    upper: float
    velocity: float
    effort: float

    @property
    def is_axis(self) -> bool:
        """Whether the joint can be moved on its own."""
        return self.kind != "fixed" and not self.follows


@dataclass(frozen=True, slots=True, eq=False)
class UrdfTree:
    """All links by name, in an order in which parents come first, and for each the joint that carries it."""

    file: str
    name: str
    root: str
    links: dict[str, TreeLink]
    joint_of: dict[str, TreeJoint]
    joints_from: dict[str, tuple[TreeJoint, ...]]


def read_tree(path: Path) -> UrdfTree:
    """Return the tree of a URDF file.

    Raises:
        InvalidInput: if the file cannot be read, is no URDF, or contradicts itself.
        NotSupported: if it is an unexpanded xacro, or has floating or planar joints.
    """
    file = path.name or str(path)
    robot = _robot_element(_file_bytes(path), file)
    count = sum(1 for _ in robot.iterchildren("link", "joint"))
    if count > 2 * MAX_LINKS:
        raise InvalidInput(f"{file}: {count} links and joints; a robot may have {MAX_LINKS} of each")
    links = [_link(element, file) for element in robot.iterchildren("link")]
    joints = [_joint(element, file) for element in robot.iterchildren("joint")]
    _check_names("link", [link.name for link in links], file)
    _check_names("joint", [joint.name for joint in joints], file)
    if not links:
        raise InvalidInput(f"{file}: <robot> has no links")
    root = _root(links, joints, file)
    joints_from: dict[str, list[TreeJoint]] = {link.name: [] for link in links}
    for joint in joints:
        joints_from[joint.parent].append(joint)
    order = [root]
    for name in order:
        order.extend(joint.child for joint in joints_from[name])
    if len(order) < len(links):
        rest = ", ".join(sorted({link.name for link in links} - set(order))[:4])
        raise InvalidInput(f"{file}: links {rest} hang in a cycle that never reaches the root '{root}'")
    by_name = {link.name: link for link in links}
    return UrdfTree(
        file=file,
        name=robot.get("name", "").strip() or path.stem,
        root=root,
        links={name: by_name[name] for name in order},
        joint_of={joint.child: joint for joint in joints},
        joints_from={name: tuple(found) for name, found in joints_from.items()},
    )


def _file_bytes(path: Path) -> bytes:
    data = read_bounded(path, MAX_BYTES)
    if not data.strip():
        raise InvalidInput(f"{path.name}: the file is empty")
    return data


def _robot_element(data: bytes, file: str) -> Any:
    if b"<!ENTITY" in data:
        raise InvalidInput(f"{file}: entity declarations (<!ENTITY …>) are not allowed in a robot file")
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        robot = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        problem = " ".join(str(error.msg).split())
        raise InvalidInput(f"{file}: not XML: {problem}", line=error.lineno) from None
    if robot.getroottree().docinfo.internalDTD is not None:
        raise InvalidInput(f"{file}: document type declarations (<!DOCTYPE …>) are not allowed in a robot file")
    if robot.tag != "robot":
        raise InvalidInput(f"{file}: the outermost element is <{_shown(robot.tag)}>; URDF has <robot>")
    for element in robot.iterchildren():
        if isinstance(element.tag, str) and element.tag.startswith(f"{{{_XACRO}}}"):
            raise NotSupported(f"{file}: this is xacro, a template of a robot; write it out with `xacro` first")
    return robot


def _link(element: Any, file: str) -> TreeLink:
    name = _text(element, "name", f"{file}: a <link>")
    where = f"{file}: link '{name}'"
    seen = [shape for each in element.iterchildren("visual") for shape in _shapes(each, where)]
    felt = [shape for each in element.iterchildren("collision") for shape in _shapes(each, where)]
    return TreeLink(name, _inertia(element.find("inertial"), where), tuple(seen or felt))


def _inertia(element: Any, where: str) -> Inertia:
    if element is None:
        return Inertia()
    mass_element, tensor = element.find("mass"), element.find("inertia")
    if mass_element is None:
        raise InvalidInput(f"{where}: <inertial> has no <mass>")
    mass = _number(mass_element, "value", None, f"{where}: mass")
    T_link_com = _origin(element, where)
    xx, yy, zz, xy, xz, yz = (
        0.0 if tensor is None else _number(tensor, key, 0.0, f"{where}: inertia")
        for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    R = T_link_com[:3, :3]
    matrix = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    try:
        return Inertia(mass, T_link_com[:3, 3], (matrix + matrix.T) / 2.0)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error.message}") from None


def _shapes(element: Any, where: str) -> list[Shape]:
    """Return the primitive solid of a <visual> or <collision>; nothing for a mesh or without extent."""
    geometry = element.find("geometry")
    T_link_shape = _origin(element, where)
    material = element.find("material")
    named = material.get("name") if material is not None else None
    finish: Finish = next((each for each in get_args(Finish) if each == named), "body")
    shapes = []
    for solid in () if geometry is None else geometry.iterchildren(*_SIZES):
        about = f"{where}: {solid.tag}"
        size = tuple(value for key, n in _SIZES[solid.tag] for value in _numbers(solid, key, n, None, about))
        if any(length < 0 for length in size):
            raise InvalidInput(f"{about}: lengths below zero")
        if all(size):
            shapes.append(Shape(solid.tag, size, T_link_shape, finish))
    return shapes


def _joint(element: Any, file: str) -> TreeJoint:
    name = _text(element, "name", f"{file}: a <joint>")
    where = f"{file}: joint '{name}'"
    kind: Any = _text(element, "type", where)
    if kind in {"floating", "planar"}:
        raise NotSupported(f"{where}: {kind} joints are not supported; revolute, continuous, prismatic, fixed are")
    if kind not in get_args(TreeJointKind):
        raise InvalidInput(f"{where}: type '{_shown(kind)}' is not known; revolute, continuous, prismatic, fixed are")
    axis = element.find("axis")
    lower, upper, velocity, effort = _limits(element.find("limit"), kind, where)
    return TreeJoint(
        name=name,
        kind=kind,
        parent=_end(element, "parent", where),
        child=_end(element, "child", where),
        T_parent_child=_origin(element, where),
        axis=np.array([1.0, 0.0, 0.0] if axis is None else _numbers(axis, "xyz", 3, None, f"{where}: axis")),
        follows=element.find("mimic") is not None,
        lower=lower,
        upper=upper,
        velocity=velocity,
        effort=effort,
    )


def _limits(element: Any, kind: TreeJointKind, where: str) -> tuple[float, float, float, float]:
    """Return lower, upper, velocity and effort; the last two are not known where they are zero."""
    if kind == "fixed":
        return 0.0, 0.0, math.inf, math.inf
    if element is None:
        if kind != "continuous":
            raise InvalidInput(f"{where}: a {kind} joint needs <limit lower=… upper=…>")
        return -_WHOLE_TURN, _WHOLE_TURN, math.inf, math.inf
    where = f"{where}: limit"
    lower, upper, velocity, effort = (_limit(element, key, where) for key in ("lower", "upper", "velocity", "effort"))
    if kind == "continuous" or (kind == "revolute" and max(-lower, upper) > LARGEST):
        lower, upper = -_WHOLE_TURN, _WHOLE_TURN
    if not lower < upper:
        raise InvalidInput(f"{where}: lower {lower:g} is not below upper {upper:g}")
    if velocity < 0 or effort < 0:
        raise InvalidInput(f"{where}: velocity {velocity:g} and effort {effort:g} must not be below zero")
    return lower, upper, velocity or math.inf, effort or math.inf


def _root(links: Sequence[TreeLink], joints: Sequence[TreeJoint], file: str) -> str:
    """Return the one link that no joint carries, after checking that the joints join links to a tree."""
    known = {link.name for link in links}
    for joint in joints:
        for end in (joint.parent, joint.child):
            if end not in known:
                raise InvalidInput(f"{file}: joint '{joint.name}': there is no link '{_shown(end)}'")
    for child, count in Counter(joint.child for joint in joints).items():
        if count > 1:
            raise InvalidInput(f"{file}: link '{child}' is the child of {count} joints; a tree allows one")
    carried = {joint.child for joint in joints}
    roots = [link.name for link in links if link.name not in carried]
    if not roots:
        raise InvalidInput(f"{file}: the joints form a cycle; one link must have no parent")
    if len(roots) > 1:
        raise InvalidInput(f"{file}: {len(roots)} links have no parent ({', '.join(roots[:4])}); only one may")
    return roots[0]


def _check_names(what: str, names: Iterable[str], file: str) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise InvalidInput(f"{file}: {count} {what}s are named '{name}'")


def _end(element: Any, tag: str, where: str) -> str:
    end = element.find(tag)
    if end is None:
        raise InvalidInput(f"{where}: <{tag} link=…> is missing")
    return _text(end, "link", f"{where}: <{tag}>")


def _origin(element: Any, where: str) -> Floats:
    origin = element.find("origin")
    if origin is None:
        return np.eye(4)
    xyz, rpy = (_numbers(origin, key, 3, (0.0, 0.0, 0.0), f"{where}: origin") for key in ("xyz", "rpy"))
    return pose.from_xyz_rpy(xyz, rpy)


def _text(element: Any, key: str, where: str) -> str:
    text: str = element.get(key, "").strip()
    if not text:
        raise InvalidInput(f"{where}: attribute '{key}' is missing or empty")
    if not text.isprintable() or len(text) > MAX_LETTERS:
        raise InvalidInput(f'{where}: {key}="{_shown(text)}" is not a name of up to {MAX_LETTERS} letters')
    return text


def _number(element: Any, key: str, default: float | None, where: str) -> float:
    return _numbers(element, key, 1, None if default is None else (default,), where)[0]


def _limit(element: Any, key: str, where: str) -> float:
    """Return a limit; what is not given is zero, and UNLIMITED or more is infinite."""
    (value,) = _values(element, key, 1, (0.0,), where)
    return math.copysign(math.inf, value) if abs(value) >= UNLIMITED else value


def _numbers(element: Any, key: str, count: int, default: Sequence[float] | None, where: str) -> Sequence[float]:
    values = _values(element, key, count, default, where)
    if any(abs(value) >= UNLIMITED for value in values):
        raise InvalidInput(f'{where}: {key}="{_shown(element.get(key))}" is outside ±{UNLIMITED:g}')
    return values


def _values(element: Any, key: str, count: int, default: Sequence[float] | None, where: str) -> Sequence[float]:
    """Return the numbers of an attribute, however large; without `default` it must be there."""
    text = element.get(key)
    if text is None:
        if default is None:
            raise InvalidInput(f"{where}: attribute '{key}' is missing")
        return default
    words = text.split()
    if len(words) != count:
        raise InvalidInput(f'{where}: {key}="{_shown(text)}" has {len(words)} values instead of {count}')
    try:
        values = [float(word) for word in words]
    except ValueError:
        raise InvalidInput(f'{where}: {key}="{_shown(text)}" is not a number') from None
    if any(math.isnan(value) for value in values):
        raise InvalidInput(f'{where}: {key}="{_shown(text)}" is not a number')
    return values


def _shown(text: object) -> str:
    plain = "".join(char if char.isprintable() else "?" for char in str(text))
    return plain if len(plain) <= 60 else plain[:57] + "…"
