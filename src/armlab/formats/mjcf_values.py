"""Attributes of MJCF elements: defaults by class, numbers, and the five ways to say an orientation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.mjcf_mass import InertiaRules
from armlab.formats.xml_attributes import UNLIMITED, printable
from armlab.geometry import pose
from armlab.messages import _

MAIN = "main"
MAX_WORK = 40_000_000
"""Letters of numbers in all, and tenfold the attributes that elements have by their classes: both may be few in a file
and yet be read again and again."""


class ClassedValues:
    """Attributes of elements with the defaults of their classes."""

    def __init__(self, root: Any, file: str) -> None:
        self._file = file
        self._work = 0
        self._defaults: dict[tuple[str, str], dict[str, str]] = {}
        """Attributes by class and element."""
        self._parents: dict[str, str] = {}
        for element in root.iterfind("default"):
            self._read(element, element.get("class", MAIN), "")

    def _read(self, element: Any, name: str, parent: str) -> None:
        name = name or MAIN
        if name != MAIN:
            self._parents[name] = parent or MAIN
        for child in element.iterchildren():
            if child.tag == "default":
                self._read(child, child.get("class", ""), name)
            else:
                self._defaults.setdefault((name, child.tag), {}).update(child.attrib)

    def of(self, element: Any, childclass: str) -> dict[str, str]:
        """Return the attributes of an element: its own, or else those of its class, of the class above, and so on."""
        name = element.get("class") or childclass or MAIN
        if name != MAIN and name not in self._parents:
            raise InvalidInput(
                "mjcf_class",
                _("{file}: line {line}: there is no default class '{name}'"),
                file=self._file,
                line=element.sourceline or 0,
                name=printable(name),
            )
        chain = [name]
        while chain[-1] != MAIN and len(chain) < 100:
            chain.append(self._parents[chain[-1]])
        merged: dict[str, str] = {}
        for each in reversed(chain):
            merged |= self._defaults.get((each, element.tag), {})
        self._spend(10 * len(merged))
        return merged | dict(element.attrib)

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > MAX_WORK:
            raise InvalidInput("mjcf_endless", _("{file}: its classes repeat too many numbers"), file=self._file)

    def numbers(
        self, own: dict[str, str], key: str, count: int | None, default: tuple[float, ...]
    ) -> tuple[float, ...]:
        """Return the numbers of an attribute; MuJoCo takes more than it needs, and fewer where the rest is known."""
        text = own.get(key)
        if text is None:
            return default
        self._spend(len(text))
        try:
            values = tuple(float(word) for word in text.split())
        except ValueError:
            values = (math.nan,)
        if any(math.isnan(value) or abs(value) >= UNLIMITED for value in values):
            raise InvalidInput(
                "mjcf_number",
                _('{file}: {key}="{given}" is not a number within ±{largest:g}'),
                file=self._file,
                key=key,
                given=printable(text),
                largest=UNLIMITED,
            )
        if count is None:
            return values
        if len(values) > count or not values:
            raise InvalidInput(
                "mjcf_value_count",
                _('{file}: {key}="{given}": expected {expected} values, got {count}'),
                file=self._file,
                key=key,
                given=printable(text),
                expected=count,
                count=len(values),
            )
        return (*values, *default[len(values) :]) if len(default) == count else values


@dataclass(frozen=True, slots=True)
class Compiler:
    """What <compiler> says about all others: radians per angle, the order of Euler angles, where meshes are."""

    angle: float
    euler: str
    mesh_folder: str
    strips_paths: bool
    fits_boxes: bool
    """Whether geoms that stand for a mesh take the size of its box, not of its moments."""
    rules: InertiaRules

    @classmethod
    def of(cls, root: Any, values: ClassedValues, file: str) -> Compiler:
        """Return the settings of a document; later ones win."""
        own: dict[str, str] = {}
        for element in root.iterfind("compiler"):
            own |= element.attrib
            own["meshdir"] = element.get("meshdir", element.get("assetdir", own.get("meshdir", "")))
        if own.get("coordinate", "local") != "local":
            raise InvalidInput(
                "mjcf_coordinate", _("{file}: global coordinates are not supported by MuJoCo any more"), file=file
            )
        euler, folder = own.get("eulerseq", "xyz"), own.get("meshdir", "")
        if len(euler) != 3 or euler.lower().strip("xyz"):
            raise InvalidInput(
                "mjcf_euler",
                _("{file}: eulerseq '{order}' is not three of x, y and z"),
                file=file,
                order=printable(euler),
            )
        return cls(
            angle=1.0 if own.get("angle", "degree") == "radian" else math.pi / 180.0,
            euler=euler,
            mesh_folder=f"{folder.rstrip('/')}/" if folder else "",
            strips_paths=own.get("strippath") == "true",
            fits_boxes=own.get("fitaabb") == "true",
            rules=_rules(own, values),
        )

    def mesh_file(self, name: str) -> str:
        """Return the path of a mesh as the document means it."""
        return self.mesh_folder + (name.replace("\\", "/").rpartition("/")[2] if self.strips_paths else name)


def _rules(own: dict[str, str], values: ClassedValues) -> InertiaRules:
    first, last = values.numbers(own, "inertiagrouprange", 2, (0.0, 5.0))
    (total,) = values.numbers(own, "settotalmass", 1, (-1.0,))
    (mass,) = values.numbers(own, "boundmass", 1, (0.0,))
    (moment,) = values.numbers(own, "boundinertia", 1, (0.0,))
    balanced = own.get("balanceinertia") == "true"
    return InertiaRules(own.get("inertiafromgeom", "auto"), (first, last), total, mass, moment, balanced)


def frame(own: dict[str, str], compiler: Compiler, values: ClassedValues) -> Floats:
    """Return the pose (4, 4) that an element says by pos and an orientation."""
    T = pose.from_xyz(np.array(values.numbers(own, "pos", 3, (0.0, 0.0, 0.0))))
    T[:3, :3] = orientation(own, compiler, values)
    return T


def orientation(own: dict[str, str], compiler: Compiler, values: ClassedValues) -> Floats:
    """Return the rotation (3, 3) that an element says by quat, axisangle, euler, xyaxes or zaxis."""
    if "quat" in own:
        q = np.array(values.numbers(own, "quat", 4, (1.0, 0.0, 0.0, 0.0)))
        size = float(np.linalg.norm(q))
        return np.asarray(pose.from_xyz_quaternion([0.0, 0.0, 0.0], q / size)[:3, :3]) if size else np.eye(3)
    if "axisangle" in own:
        *xyz, turn = values.numbers(own, "axisangle", 4, (0.0, 0.0, 1.0, 0.0))
        return _turn(_unit(np.array(xyz), np.array([0.0, 0.0, 1.0])), turn * compiler.angle)
    if "euler" in own:
        return _euler(values.numbers(own, "euler", 3, (0.0, 0.0, 0.0)), compiler)
    if "xyaxes" in own:
        six = np.array(values.numbers(own, "xyaxes", 6, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)))
        x = _unit(six[:3], np.array([1.0, 0.0, 0.0]))
        y = _unit(six[3:] - (six[3:] @ x) * x, np.array([0.0, 1.0, 0.0]))
        return np.column_stack([x, y, np.cross(x, y)])
    if "zaxis" in own:
        return _turned_to(np.array(values.numbers(own, "zaxis", 3, (0.0, 0.0, 1.0))))
    return np.eye(3)


def _euler(angles: tuple[float, ...], compiler: Compiler) -> Floats:
    """Return the rotation by three angles about the axes of `eulerseq`: small letters turn with the frame."""
    R = np.eye(3)
    for letter, angle in zip(compiler.euler, angles, strict=True):
        step = _turn(np.eye(3)["xyz".index(letter.lower())], angle * compiler.angle)
        R = R @ step if letter.islower() else step @ R
    return R


def _turn(axis: Floats, angle: float) -> Floats:
    return np.asarray(pose.from_xyz_axis_angle([0.0, 0.0, 0.0], axis, angle)[:3, :3])


def _unit(v: Floats, otherwise: Floats) -> Floats:
    size = float(np.linalg.norm(v))
    return v / size if size > 1e-14 else otherwise


def _turned_to(z: Floats) -> Floats:
    """Return the smallest rotation that turns the z axis to a direction; half a turn is about x."""
    z = _unit(z, np.array([0.0, 0.0, 1.0]))
    axis = np.cross([0.0, 0.0, 1.0], z)
    size = float(np.linalg.norm(axis))
    if size < 1e-10:
        return np.eye(3) if z[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    return _turn(axis / size, math.atan2(size, float(z[2])))
