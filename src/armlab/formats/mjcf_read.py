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
from armlab.formats.description import (
    DescribedJoint,
    DescribedKind,
    DescribedLink,
    Description,
    MeshUse,
    Repairs,
)
from armlab.formats.given import GivenFiles
from armlab.formats.mesh_parts import hex_colour
from armlab.formats.mjcf_equality import BodyPlaces, follow, loops_of
from armlab.formats.mjcf_values import ClassedValues, Compiler, orientation
from armlab.formats.repair import GivenLimits, repaired_inertia, repaired_limits
from armlab.formats.safe_xml import parse_xml
from armlab.formats.xml_attributes import printable
from armlab.geometry import pose, solid
from armlab.geometry.inertia import Inertia, combined
from armlab.geometry.shape import Shape
from armlab.messages import _

MAX_BYTES = 20_000_000
MAX_INCLUDES = 50
MAX_BODIES = 2000
DENSITY = 1000.0
"""kg/m³ of a geom that does not say."""
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
    _splice(root, file, files, 0)
    reader = _Reader(root, file, files, repairs)
    return reader.description(root, file)


def _splice(root: Any, file: Path, files: GivenFiles, count: int) -> None:
    """Put what is included in the place of each <include>."""
    while (element := root.find(".//include")) is not None:
        count += 1
        name = element.get("file", "")
        path = files.find(name, file.parent)
        if path is None or count > MAX_INCLUDES:
            raise InvalidInput(
                "mjcf_include",
                _(
                    "{file}: '{name}' to include is not among the given files (give the folder that has both), "
                    "or includes itself"
                ),
                file=file.name,
                name=printable(name),
            )
        inner = parse_xml(read_bounded(path, MAX_BYTES), Repairs(path.name))
        parent, index = element.getparent(), element.getparent().index(element)
        parent.remove(element)
        for i, child in enumerate(list(inner)):
            parent.insert(index + i, child)


class _Reader:
    def __init__(self, root: Any, file: Path, files: GivenFiles, repairs: Repairs) -> None:
        self._repairs, self._files, self._folder = repairs, files, file.parent
        self._compiler = Compiler.of(root, repairs.file)
        self._values = ClassedValues(root, repairs.file)
        self._mesh_points: dict[str, Floats] = {}
        self._mesh_files = self._meshes(root)
        self._efforts = self._forces(root)
        self._materials = {
            element.get("name", ""): self._values.of(element, "") for element in root.iterfind("asset/material")
        }
        self._tree = _Tree()
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
            links=self._tree.links,
            joint_of={joint.child: joint for joint in joints},
            joints_from={name: tuple(found) for name, found in children.items()},
            findings=tuple(self._repairs.findings),
            loops=loops,
        )

    def _meshes(self, root: Any) -> dict[str, tuple[str, tuple[float, float, float]]]:
        """Return the files of meshes and their scales, by name."""
        found = {}
        for element in root.iterfind("asset/mesh"):
            own = self._values.of(element, "")
            file = own.get("file", "")
            name = own.get("name") or Path(file).stem
            x, y, z = self._values.numbers(own, "scale", 3, (1.0, 1.0, 1.0))
            if "vertex" in own:
                points = np.array(self._values.numbers(own, "vertex", None, ()))
                self._mesh_points[name] = points[: len(points) // 3 * 3].reshape(-1, 3) * [x, y, z]
                continue
            found[name] = (f"{self._compiler.mesh_folder}{file}", (x, y, z))
        return found

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
                inner = place.T_link_here @ self._frame(dict(child.attrib))
                own = child.get("childclass", place.childclass)
                weights += self._children(child, _Place(place.link, inner, own))
            elif child.tag == "body":
                self._body(child, place)
            elif child.tag == "site":
                T = place.T_link_here @ self._frame(self._values.of(child, place.childclass))
                self._sites[child.get("name", "")] = (place.link, T[:3, 3])
            elif child.tag == "geom":
                weights += self._geom(child, place)
        return weights

    def _body(self, element: Any, place: _Place) -> None:
        if len(self._tree.links) > MAX_BODIES:
            raise InvalidInput(
                "mjcf_too_large", _("{file}: more than {most} bodies"), file=self._repairs.file, most=MAX_BODIES
            )
        name = self._name(element)
        childclass = element.get("childclass", place.childclass)
        T_here = place.T_link_here @ self._frame(dict(element.attrib))
        self._at_start[name] = self._at_start[place.link] @ T_here
        self._joints(element, name, place.link, T_here, childclass)
        weights = self._children(element, _Place(name, np.eye(4), childclass))
        self._weigh(element, name, weights)

    def _joints(self, element: Any, body: str, link: str, T_here: Floats, childclass: str) -> None:
        """Add the joints of a body one after the other, and the body's own link behind the last."""
        joints = list(element.iterchildren("joint", "freejoint"))
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
        if joint.child in self._tree.links or any(other.name == joint.name for other in self._tree.joints):
            raise InvalidInput(
                "mjcf_name_twice",
                _("{file}: the name '{name}' is used twice"),
                file=self._repairs.file,
                name=joint.name,
            )
        self._tree.links[joint.child] = DescribedLink(joint.child)
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

    def _frame(self, own: dict[str, str]) -> Floats:
        T = pose.from_xyz(np.array(self._values.numbers(own, "pos", 3, (0.0, 0.0, 0.0))))
        T[:3, :3] = orientation(own, self._compiler, self._values)
        return T

    def _name(self, element: Any) -> str:
        name = str(element.get("name", "")).strip()
        if not name:
            self._unnamed += 1
            name = f"body_{self._unnamed}"
        return name

    # masses and shapes

    def _weigh(self, element: Any, name: str, weights: list[tuple[Inertia, Floats]]) -> None:
        """Give a body the inertia that it states, or that of its geoms."""
        inertial = element.find("inertial")
        link = self._tree.links[name]
        if inertial is None:
            inertia = combined(weights) if weights else Inertia()
        else:
            own = dict(inertial.attrib)
            (mass,) = self._values.numbers(own, "mass", 1, (0.0,))
            T = self._frame(own)
            if "fullinertia" in own:
                xx, yy, zz, xy, xz, yz = self._values.numbers(own, "fullinertia", 6, (0.0,) * 6)
                matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            else:
                matrix = np.diag(self._values.numbers(own, "diaginertia", 3, (0.0, 0.0, 0.0)))
            R = T[:3, :3]
            inertia = repaired_inertia(mass, T[:3, 3], R @ matrix @ R.T, name, inertial.sourceline, self._repairs)
        self._tree.links[name] = replace(link, inertia=inertia)

    def _geom(self, element: Any, place: _Place) -> list[tuple[Inertia, Floats]]:
        """Add a geom to its link; return what it weighs, in the frame of the link."""
        own = self._values.of(element, place.childclass)
        link = self._tree.links[place.link]
        T = place.T_link_here @ self._geom_frame(own)
        collides = own.get("contype", "1") != "0" or own.get("conaffinity", "1") != "0"
        if own.get("mesh") in self._mesh_files:
            file, scale = self._mesh_files[own["mesh"]]
            use = MeshUse(file, scale, T, collides, element.sourceline or 0, self._colour(own))
            self._tree.links[place.link] = replace(link, meshes=(*link.meshes, use))
            return []
        if own.get("mesh") in self._mesh_points:
            shapes = [Shape("hull", (), T, points=self._mesh_points[own["mesh"]])]
        else:
            shapes = [Shape(kind, size, T @ T_shape) for kind, size, T_shape in self._solids(own)]
        self._tree.links[place.link] = (
            replace(link, felt=(*link.felt, *shapes)) if collides else replace(link, seen=(*link.seen, *shapes))
        )
        if not shapes:
            return []
        (mass,) = self._values.numbers(own, "mass", 1, (-1.0,))
        (density,) = self._values.numbers(own, "density", 1, (DENSITY,))
        doubled = (
            solid.volume(shapes[-1]) if own.get("type") == "capsule" else 0.0
        )  # half of each ball is in the cylinder
        weight = mass if mass >= 0.0 else density * (sum(map(solid.volume, shapes)) - doubled)
        return [(solid.inertia(tuple(shapes), mass=weight), np.eye(4))] if weight > 0.0 else []

    def _colour(self, own: dict[str, str]) -> str | None:
        """Return the colour of a geom: its material's, or its own."""
        rgba = self._materials.get(own.get("material", "")) or own
        red, green, blue, *_alpha = self._values.numbers(rgba, "rgba", None, (0.5, 0.5, 0.5, 1.0)) or (0.5,) * 4
        return hex_colour(red, green, blue) if "rgba" in rgba else None

    def _geom_frame(self, own: dict[str, str]) -> Floats:
        if "fromto" not in own:
            return self._frame(own)
        ends = np.array(self._values.numbers(own, "fromto", 6, (0.0,) * 6)).reshape(2, 3)
        T = pose.from_xyz(ends.mean(axis=0))
        along = " ".join(map(repr, (ends[0] - ends[1]).tolist()))
        T[:3, :3] = orientation({"zaxis": along}, self._compiler, self._values)
        return T

    def _solids(self, own: dict[str, str]) -> list[tuple[Any, tuple[float, ...], Floats]]:
        """Return the solids of a primitive geom: kind, size, place; a capsule is a cylinder between two balls."""
        kind = own.get("type", "sphere")
        size = [abs(value) for value in self._values.numbers(own, "size", None, ())]
        half = 0.0
        if "fromto" in own:
            ends = np.array(self._values.numbers(own, "fromto", 6, (0.0,) * 6)).reshape(2, 3)
            half = float(np.linalg.norm(ends[0] - ends[1])) / 2.0
        elif len(size) > 1:
            half = size[1]
        radius = size[0] if size else 0.0
        if kind == "sphere" and radius > 0.0:
            return [("sphere", (radius,), np.eye(4))]
        if kind in {"cylinder", "capsule"} and min(radius, half) > 0.0:
            middle = ("cylinder", (radius, 2.0 * half), np.eye(4))
            balls = [("sphere", (radius,), pose.from_xyz([0.0, 0.0, sign * half])) for sign in (-1.0, 1.0)]
            return [middle, *balls] if kind == "capsule" else [middle]
        if kind == "box" and len(size) == 3 and min(size) > 0.0:
            return [("box", tuple(2.0 * value for value in size), np.eye(4))]
        return []
