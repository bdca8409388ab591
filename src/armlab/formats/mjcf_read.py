"""MJCF, MuJoCo's own format, becomes a description: defaults, classes, includes, frames and joints with anchors.

The text is read here and never handed to MuJoCo as it is: its <include> would read any file, its <replicate> take any
time. FK is MuJoCo's: a body stands at its place in its parent, then each of its joints moves it about its anchor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported
from armlab.files import read_bounded
from armlab.formats.description import DescribedJoint, DescribedKind, DescribedLink, Description, Repairs
from armlab.formats.given import GivenFiles
from armlab.formats.mjcf_contact import GeomMasks
from armlab.formats.mjcf_equality import BodyPlaces, follow, loops_of
from armlab.formats.mjcf_geoms import GeomReader
from armlab.formats.mjcf_values import ClassedValues, Compiler, frame
from armlab.formats.repair import GivenLimits, repaired_inertia, repaired_limits
from armlab.formats.safe_xml import parse_xml
from armlab.formats.xml_attributes import printable
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia, combined, scaled
from armlab.messages import _

MAX_BYTES = 20_000_000
MAX_INCLUDES = 50
MAX_BODIES = 2000
_KINDS: dict[str, DescribedKind] = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "floating"}
_REFUSED = frozenset({"replicate", "composite", "flexcomp", "attach"})


@dataclass
class _Tree:
    """What was read so far."""

    links: dict[str, DescribedLink] = field(default_factory=dict)
    joints: list[DescribedJoint] = field(default_factory=list)


@dataclass(frozen=True)
class _Place:
    """Where elements of a body or frame stand: the link that carries them, their frame on it, and their class."""

    link: str
    T_link_here: Floats
    childclass: str


def describe_mjcf(root: Any, file: Path, files: GivenFiles, repairs: Repairs) -> Description:
    """Return what the element <mujoco> of a document says.

    Raises:
        InvalidInput: if something is missing or is not a number.
        NotSupported: if bodies are made by a pattern (<replicate>, <composite> …).
    """
    _splice(root, file, files)
    reader = _Reader(root, file, files, repairs)
    return reader.description(root, file)


def _splice(root: Any, file: Path, files: GivenFiles) -> None:
    """Put what is included in the place of each <include>."""
    count = size = 0
    while (element := root.find(".//include")) is not None:
        count += 1
        name = element.get("file", "")
        path = files.find(name, file.parent)
        data = b"" if path is None else read_bounded(path, MAX_BYTES)
        size += len(data)
        if path is None or count > MAX_INCLUDES or size > MAX_BYTES:
            raise InvalidInput(
                "mjcf_include",
                _(
                    "{file}: '{name}' to include is not among the given files (give the folder that has both), "
                    "or includes itself"
                ),
                file=file.name,
                name=printable(name),
            )
        inner = parse_xml(data, Repairs(path.name))
        parent, index = element.getparent(), element.getparent().index(element)
        parent.remove(element)
        for i, child in enumerate(list(inner)):
            parent.insert(index + i, child)


class _Reader:
    def __init__(self, root: Any, file: Path, files: GivenFiles, repairs: Repairs) -> None:
        self._repairs = repairs
        self._values = ClassedValues(root, repairs.file)
        self._compiler = Compiler.of(root, self._values, repairs.file)
        self._masks = GeomMasks()
        self._geoms = GeomReader(root, self._values, self._compiler, files, file.parent, repairs, self._masks)
        self._efforts = self._forces(root)
        self._tree = _Tree()
        self._joint_names: set[str] = set()
        self._at_start = {"world": np.eye(4)}
        """Where bodies are before anything moves."""
        self._references: dict[str, float] = {}
        """The values of joints there, rad or m."""
        self._sites: dict[str, tuple[str, Floats]] = {}
        self._unnamed = 0

    def description(self, root: Any, file: Path) -> Description:
        world = "world"
        self._tree.links[world] = DescribedLink(world)
        for element in root.iterchildren("worldbody"):
            self._children(element, _Place(world, np.eye(4), element.get("childclass", "")))
        joints = follow(root, self._tree.joints, self._references, self._values, self._repairs)
        loops = loops_of(root, BodyPlaces(self._at_start, self._sites), self._values, self._repairs)
        children: dict[str, list[DescribedJoint]] = {name: [] for name in self._tree.links}
        for joint in joints:
            children[joint.parent].append(joint)
        return Description(
            format="mjcf",
            file=self._repairs.file,
            name=root.get("model", "").strip() or file.stem,
            root=world,
            links=self._links(),
            joint_of={joint.child: joint for joint in joints},
            joints_from={name: tuple(found) for name, found in children.items()},
            findings=tuple(self._repairs.findings),
            loops=loops,
            rules=tuple(r for r in self._masks.rules(root) if {r.first, r.second} <= self._tree.links.keys()),
        )

    def _links(self) -> dict[str, DescribedLink]:
        """Return the links with their geoms; where the whole model's mass is given, their masses make it."""
        links = {name: self._geoms.link(link) for name, link in self._tree.links.items()}
        mass, total = sum(link.inertia.mass for link in links.values()), self._compiler.rules.total
        if mass <= 0.0 or total <= 0.0:
            return links
        return {name: replace(link, inertia=scaled(link.inertia, total / mass)) for name, link in links.items()}

    def _forces(self, root: Any) -> dict[str, float]:
        """Return the largest force or torque of the actuator of each joint that has one."""
        found = {}
        for element in root.iterfind("actuator/*"):
            own = self._values.of(element, "")
            low, high = self._values.numbers(own, "forcerange", 2, (0.0, 0.0))
            found[own.get("joint", "")] = max(-low, high)
        return found

    # bodies

    def _children(self, element: Any, place: _Place) -> list[tuple[Inertia, Floats]]:
        """Read all that stands in a body, frame or world; return the inertias of its geoms with their places."""
        weights: list[tuple[Inertia, Floats]] = []
        for child in element.iterchildren():
            if child.tag in _REFUSED:
                raise NotSupported(
                    "mjcf_pattern",
                    _("{file}: line {line}: <{tag}> is not supported; write the bodies out"),
                    file=self._repairs.file,
                    line=child.sourceline or 0,
                    tag=child.tag,
                )
            if child.tag == "frame":
                inner = place.T_link_here @ self._frame_of(dict(child.attrib))
                own = child.get("childclass", place.childclass)
                weights += self._children(child, _Place(place.link, inner, own))
            elif child.tag == "body":
                self._body(child, place)
            elif child.tag == "site":
                T = place.T_link_here @ self._frame_of(self._values.of(child, place.childclass))
                self._sites[child.get("name", "")] = (place.link, T[:3, 3])
            elif child.tag == "geom":
                weights += self._geoms.read(child, place.link, place.T_link_here, place.childclass)
        return weights

    def _body(self, element: Any, place: _Place) -> None:
        if len(self._tree.links) > MAX_BODIES:
            raise self._too_many()
        name = self._name(element)
        childclass = element.get("childclass", place.childclass)
        T_here = place.T_link_here @ self._frame_of(dict(element.attrib))
        self._at_start[name] = self._at_start[place.link] @ T_here
        self._joints(element, name, place.link, T_here, childclass)
        weights = self._children(element, _Place(name, np.eye(4), childclass))
        self._weigh(element, name, weights)

    def _too_many(self) -> InvalidInput:
        template = _("{file}: more than {most} bodies")
        return InvalidInput("mjcf_too_large", template, file=self._repairs.file, most=MAX_BODIES)

    def _joints(self, element: Any, body: str, link: str, T_here: Floats, childclass: str) -> None:
        """Add the joints of a body one after the other, and the body's own link behind the last."""
        joints = list(element.iterchildren("joint", "freejoint"))
        if len(self._tree.links) + len(joints) > MAX_BODIES:
            raise self._too_many()
        self._masks.add_joints(link, body, len(joints))
        for i, child in enumerate(joints):
            is_free = child.tag == "freejoint"
            own = {"type": "free", **child.attrib} if is_free else self._values.of(child, childclass)
            name = own.get("name") or f"{body}_joint{i + 1 if len(joints) > 1 else ''}"
            p = np.array(self._values.numbers(own, "pos", 3, (0.0, 0.0, 0.0)))
            is_plain = not p.any() and i + 1 == len(joints)
            child_link = body if is_plain else f"{body}/{name}"
            self._add(self._joint(own, name, link, child_link, T_here @ pose.from_xyz(p), child.sourceline or 0))
            link, T_here = child_link, pose.from_xyz(-p)
        if link != body:
            self._add(DescribedJoint(f"{body}_fixed", "fixed", link, body, T_here))

    def _joint(self, own: dict[str, str], name: str, parent: str, child: str, T: Floats, line: int) -> DescribedJoint:
        kind = _KINDS.get(own.get("type", "hinge"))
        if kind is None:
            raise InvalidInput(
                "mjcf_joint_type",
                _("{file}: joint '{joint}': type '{kind}' is not one of hinge, slide, ball and free"),
                file=self._repairs.file,
                joint=name,
                kind=printable(own["type"]),
            )
        axis = np.array(self._values.numbers(own, "axis", 3, (0.0, 0.0, 1.0)))
        limits = self._limits(own, kind, name, line)
        return DescribedJoint(
            name=name,
            kind=kind,
            parent=parent,
            child=child,
            T_parent_child=T @ self._at_zero(own, name, kind, axis),
            axis=axis,
            lower=limits.lower,
            upper=limits.upper,
            velocity=limits.velocity,
            effort=limits.effort,
            line=line,
        )

    def _add(self, joint: DescribedJoint) -> None:
        if joint.child in self._tree.links or joint.name in self._joint_names:
            raise InvalidInput(
                "mjcf_name_twice",
                _("{file}: the name '{name}' is used twice"),
                file=self._repairs.file,
                name=joint.name,
            )
        self._tree.links[joint.child] = DescribedLink(joint.child)
        self._joint_names.add(joint.name)
        self._tree.joints.append(joint)

    def _at_zero(self, own: dict[str, str], name: str, kind: DescribedKind, axis: Floats) -> Floats:
        """Return the step that a joint has made where its value is zero: MuJoCo counts from `ref`."""
        (ref,) = self._values.numbers(own, "ref", 1, (0.0,))
        size = float(np.linalg.norm(axis))
        if ref == 0.0 or size == 0.0:
            return np.eye(4)
        self._references[name] = ref if kind == "prismatic" else ref * self._compiler.angle
        if kind == "prismatic":
            return pose.from_xyz(-ref * axis / size)
        return pose.from_xyz_axis_angle([0.0, 0.0, 0.0], axis / size, -self._references[name])

    def _limits(self, own: dict[str, str], kind: DescribedKind, joint: str, line: int | None) -> GivenLimits:
        if kind not in {"revolute", "prismatic"}:
            return GivenLimits(0.0, 0.0, math.inf, math.inf)
        scale = self._compiler.angle if kind == "revolute" else 1.0
        low, high = self._values.numbers(own, "actuatorfrcrange", 2, (0.0, 0.0))
        effort = max(-low, high) or self._efforts.get(joint, 0.0)
        has_range = "range" in own and own.get("limited", "auto") != "false"
        if not has_range:
            given: DescribedKind = "continuous" if kind == "revolute" else "prismatic"
            return repaired_limits(GivenLimits(math.nan, math.nan, 0.0, effort), given, joint, line, self._repairs)
        lower, upper = self._values.numbers(own, "range", 2, (0.0, 0.0))
        limits = GivenLimits(lower * scale, upper * scale, 0.0, effort)
        return repaired_limits(limits, kind, joint, line, self._repairs)

    def _frame_of(self, own: dict[str, str]) -> Floats:
        return frame(own, self._compiler, self._values)

    def _name(self, element: Any) -> str:
        name = str(element.get("name", "")).strip()
        if not name:
            self._unnamed += 1
            name = f"body_{self._unnamed}"
        return name

    # masses and shapes

    def _weigh(self, element: Any, name: str, weights: list[tuple[Inertia, Floats]]) -> None:
        """Give a body the inertia that it states, or that of its geoms, as <compiler> chooses."""
        inertial, rules = element.find("inertial"), self._compiler.rules
        is_stated = inertial is not None and not (rules.from_geoms == "true" and weights)
        if is_stated:
            inertia = self._stated(inertial, name)
        else:
            inertia = combined(weights) if weights and rules.from_geoms != "false" else Inertia()
        self._tree.links[name] = replace(self._tree.links[name], inertia=rules.applied(inertia))

    def _stated(self, inertial: Any, name: str) -> Inertia:
        own = dict(inertial.attrib)
        (mass,) = self._values.numbers(own, "mass", 1, (0.0,))
        T = self._frame_of(own)
        if "fullinertia" in own:
            xx, yy, zz, xy, xz, yz = self._values.numbers(own, "fullinertia", 6, (0.0,) * 6)
            matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            matrix = np.diag(self._values.numbers(own, "diaginertia", 3, (0.0, 0.0, 0.0)))
        R = T[:3, :3]
        matrix = self._compiler.rules.balanced(R @ matrix @ R.T)
        return repaired_inertia(mass, T[:3, 3], matrix, name, inertial.sourceline, self._repairs)
