"""SDF, Gazebo's format, becomes URDF elements, which the reader of URDF understands.

Links of SDF stand in the model, not on joints: places are worked out from poses, `relative_to` and frames. A joint
whose frame is not its child's gets a link of its own between the two.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from lxml import etree

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.description import OTHER_KINDS, Repairs
from armlab.formats.urdf_write import exact_rpy
from armlab.formats.xml_attributes import digits, printable
from armlab.geometry import pose
from armlab.messages import _

DEEPEST = 50
"""Frames that stand on one another."""
_KINDS = frozenset({"revolute", "continuous", "prismatic", "fixed", *OTHER_KINDS})
UNLIMITED = 1e15


def sdf_as_urdf(root: Any, repairs: Repairs) -> Any:
    """Return the first model of an SDF document as the element <robot>.

    Raises:
        InvalidInput: if something is missing, not a number, or stands on itself.
    """
    models = list(root.iterchildren("model")) or list(root.iterfind("world/model"))
    if not models:
        raise InvalidInput("sdf_no_model", _("{file}: <sdf> has no model"), file=repairs.file)
    if len(models) > 1:
        repairs.add(
            "warning", models[1].sourceline, "sdf_models", _("{count} models; the first is taken"), count=len(models)
        )
    for tag in ("include", "model"):
        inner = models[0].find(tag)
        if inner is not None:
            repairs.add("warning", inner.sourceline, "sdf_nested", _("<{tag}> inside of a model is left out"), tag=tag)
    return _Model(models[0], repairs).robot()


class _Model:
    def __init__(self, model: Any, repairs: Repairs) -> None:
        self._model, self._repairs = model, repairs
        self._elements = {
            each.get("name", ""): each for tag in ("frame", "joint", "link") for each in model.iterchildren(tag)
        }
        self._known: dict[str, Floats] = {}

    def robot(self) -> Any:
        """Return the whole model."""
        robot = etree.Element("robot", name=self._model.get("name", ""))
        links = [element.get("name", "") for element in self._model.iterchildren("link")]
        joints = list(self._model.iterchildren("joint"))
        if "world" not in links and any(self._text(joint, "parent") == "world" for joint in joints):
            etree.SubElement(robot, "link", name="world")
        for element in self._model.iterchildren("link"):
            self._link(robot, element)
        for joint in joints:
            self._joint(robot, joint, links)
        return robot

    # places

    def _place(self, name: str, depth: int = 0) -> Floats:
        """Return where a link, joint or frame stands in the model."""
        if name in {"", "__model__"} or (name == "world" and name not in self._elements):
            return np.eye(4)
        if name not in self._known:
            element = self._elements.get(name)
            if element is None or depth > DEEPEST:
                raise self._error(self._model, "frame", name)
            given = element.find("pose")
            on = "" if given is None else given.get("relative_to", "")
            if not on and element.tag == "joint":
                on = self._text(element, "child")
            elif not on and element.tag == "frame":
                on = element.get("attached_to", "")
            self._known[name] = self._place(on, depth + 1) @ self._pose(given)
        return self._known[name]

    def _pose(self, element: Any) -> Floats:
        if element is None:
            return np.eye(4)
        values = self._numbers(element)
        if len(values) == 7:
            x, y, z, w = values[3:]
            return pose.from_xyz_quaternion(values[:3], [w, x, y, z])
        if len(values) != 6:
            raise self._error(element, "pose", element.text or "")
        angles = np.radians(values[3:]) if element.get("degrees") == "true" else values[3:]
        return pose.from_xyz_rpy(values[:3], angles)

    # values

    def _numbers(self, element: Any) -> list[float]:
        try:
            values = [float(word) for word in (element.text or "").split()]
        except ValueError:
            values = [math.nan]
        if not np.isfinite(values).all():
            raise self._error(element, element.tag, element.text or "")
        return values

    def _text(self, element: Any, tag: str) -> str:
        return str(element.findtext(tag) or "").strip()

    def _error(self, element: Any, what: str, given: str) -> InvalidInput:
        return InvalidInput(
            "sdf_value",
            _("{file}: line {line}: {what} '{given}' cannot be used"),
            file=self._repairs.file,
            line=element.sourceline or 0,
            what=what,
            given=printable(given),
        )

    # elements

    def _link(self, robot: Any, element: Any) -> None:
        link = _like(element, etree.SubElement(robot, "link", name=element.get("name", "")))
        inertial = element.find("inertial")
        if inertial is not None:
            own = _like(inertial, etree.SubElement(link, "inertial"))
            own.append(_origin(self._pose(inertial.find("pose"))))
            if inertial.find("mass") is not None:
                etree.SubElement(own, "mass", value=self._text(inertial, "mass"))
            moments = {each.tag: (each.text or "").strip() for each in inertial.iterfind("inertia/*")}
            etree.SubElement(own, "inertia", moments)
        for part in element.iterchildren("visual", "collision"):
            self._part(link, part)

    def _part(self, link: Any, part: Any) -> None:
        made = _like(part, etree.SubElement(link, part.tag))
        made.append(_origin(self._pose(part.find("pose"))))
        geometry = etree.SubElement(made, "geometry")
        for given in part.iterfind("geometry/*"):
            if given.tag == "mesh":
                scale = self._text(given, "scale") or "1 1 1"
                _like(given, etree.SubElement(geometry, "mesh", filename=self._text(given, "uri"), scale=scale))
            elif given.tag in {"box", "cylinder", "sphere"}:
                sizes = {each.tag: (each.text or "").strip() for each in given.iterchildren()}
                _like(given, etree.SubElement(geometry, given.tag, sizes))
        diffuse = part.findtext("material/diffuse")
        if diffuse:
            name = f"colour {printable(diffuse)}"
            etree.SubElement(etree.SubElement(made, "material", name=name), "color", rgba=diffuse.strip())

    def _joint(self, robot: Any, element: Any, links: list[str]) -> None:
        name, kind = element.get("name", ""), element.get("type", "")
        parent, child = self._text(element, "parent"), self._text(element, "child")
        if kind not in _KINDS:
            raise self._error(element, "joint", kind)
        T_model_joint, T_model_child = self._place(name), self._place(child)
        T_joint_child = pose.inverse(T_model_joint) @ T_model_child
        is_at_child = bool(np.allclose(T_joint_child, np.eye(4), atol=1e-14)) or kind == "fixed"
        T_parent_joint = pose.inverse(self._place(parent)) @ (T_model_child if is_at_child else T_model_joint)
        between = child if is_at_child else f"{child}/{name}"
        while between in links and not is_at_child:
            between += "_"
        made = _like(element, _joint_element(robot, name, kind, (parent, between), T_parent_joint))
        self._axis(made, element, name)
        if not is_at_child:
            etree.SubElement(robot, "link", name=between)
            _joint_element(robot, f"{name}/fixed", "fixed", (between, child), T_joint_child)

    def _axis(self, made: Any, element: Any, name: str) -> None:
        axis = element.find("axis")
        if axis is None:
            return
        given = axis.find("xyz")
        values = np.array([0.0, 0.0, 1.0] if given is None else self._numbers(given))
        if len(values) != 3:
            raise self._error(axis, "axis", name)
        frame = None if given is None else given.get("expressed_in")
        if self._text(axis, "use_parent_model_frame") in {"1", "true"}:
            frame = "__model__"
        if frame is not None:
            values = (pose.inverse(self._place(name)) @ self._place(frame))[:3, :3] @ values
        etree.SubElement(made, "axis", xyz=digits(*values))
        limit = axis.find("limit")
        if limit is None:
            return
        limits = {}
        for key in ("lower", "upper", "velocity", "effort"):
            found = limit.find(key)
            value = math.nan if found is None or not (found.text or "").strip() else _number(found.text)
            if not math.isnan(value) and not (key in {"velocity", "effort"} and (value < 0.0 or value >= UNLIMITED)):
                limits[key] = digits(min(max(value, -1e12), 1e12))
        _like(limit, etree.SubElement(made, "limit", limits))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _joint_element(robot: Any, name: str, kind: str, ends: tuple[str, str], T: Floats) -> Any:
    joint = etree.SubElement(robot, "joint", name=name, type=kind)
    etree.SubElement(joint, "parent", link=ends[0])
    etree.SubElement(joint, "child", link=ends[1])
    joint.append(_origin(T))
    return joint


def _origin(T: Floats) -> Any:
    return etree.Element("origin", xyz=digits(*T[:3, 3]), rpy=digits(*exact_rpy(T[:3, :3])))


def _like(given: Any, made: Any) -> Any:
    """Return a new element that remembers the line of the one it comes from."""
    made.sourceline = min(given.sourceline or 0, 65535)
    return made
