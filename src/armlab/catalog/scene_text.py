"""A scene as the text of a scene file: everything in it written out, in mm and degrees."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterable

import numpy as np
from pydantic import ValidationError

from armlab.arrays import Floats
from armlab.catalog.files import MAX_BYTES
from armlab.catalog.scene_schema import SceneTable
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.messages import Message, _, term
from armlab.model.joint_units import in_joint_units
from armlab.model.scene import Body, PlacedRobot, Push, Scene
from armlab.units import DEG_PER_RAD, MM_PER_M
from armlab.validation import refusal

_DECIMALS = 9
"""Of millimetres and degrees: a thousandth of a nanometre."""


def scene_text(scene: Scene) -> str:
    """Return the text of a scene file that loads to `scene`; arms and tools are named, the rest is written out.

    Raises:
        InvalidInput: if the scene is too large for a file, or has texts that no scene file can have.
    """
    lines = ["schema = 1", f"name = {_text(scene.name)}"]
    lines += [f"{key} = {_text(value)}" for key in ("title", "source", "notes") if (value := getattr(scene, key))]
    lines.append(f"gravity = {_exact(scene.gravity)}")
    for placed in scene.robots:
        lines += ["", *_robot_lines(placed)]
    for body in scene.bodies:
        lines += ["", *_body_lines(body)]
    text = "\n".join([*lines, ""])
    _check(scene.name, text)
    return text


def _check(name: str, text: str) -> None:
    size = len(text.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        raise InvalidInput(
            "scene_text_too_large",
            _("scene '{scene}': its text has {size:.3g} MB; at most {most:g} MB are allowed"),
            scene=name,
            size=size / 1e6,
            most=MAX_BYTES / 1e6,
        )
    who = term(_("scene '{scene}': cannot be written"), scene=name)
    try:
        SceneTable.model_validate(tomllib.loads(text))
    except ValidationError as error:
        raise refusal(error).within(who) from None
    except tomllib.TOMLDecodeError:
        raise InvalidInput(
            Message("text_not_printable", _("has characters that cannot be printed")).within(who)
        ) from None


def _robot_lines(placed: PlacedRobot) -> list[str]:
    return [
        "[[robot]]",
        f"name = {_text(placed.name)}",
        f"arm = {_text(placed.arm_file or placed.robot.name)}",
        f"tool = {_text(placed.tool_file or placed.robot.tool.name)}",
        *_frame_lines(placed.robot.base),
        f"q = {_rounded(in_joint_units(placed.robot, placed.q))}",
    ]


def _body_lines(body: Body) -> list[str]:
    alone = len(body.shapes) == 1 and np.array_equal(body.shapes[0].T_link_shape, np.eye(4))
    lines = ["[[body]]", f"name = {_text(body.name)}"]
    lines += _shape_lines(body.shapes[0]) if alone else ['kind = "compound"']
    lines += _frame_lines(body.T_world_body)
    if body.mass is not None:
        lines.append(f"mass = {_digits(body.mass)}")
    if body.own_inertia is not None:
        matrix = body.own_inertia.matrix
        six = [matrix[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        lines += [f"com = {_rounded(body.own_inertia.com * MM_PER_M)}", f"inertia = {_exact(six)}"]
    lines += [f"friction = {_digits(body.friction)}", f"colour = {_text(body.colour)}"]
    if body.belt is not None:
        lines.append(f"belt = {_rounded(body.belt * MM_PER_M)}")
    for shape in () if alone else body.shapes:
        lines += ["[[body.shape]]", *_shape_lines(shape), *_frame_lines(shape.T_link_shape)]
    for push in body.pushes:
        lines += ["[[body.push]]", *_push_lines(push)]
    return lines


def _push_lines(push: Push) -> list[str]:
    lines = [f"force = {_exact(push.force)}", f"torque = {_exact(push.torque)}", f"start = {_digits(push.start)}"]
    if math.isfinite(push.end):
        lines.append(f"end = {_digits(push.end)}")
    if math.isfinite(push.until_rate):
        lines.append(f"until_rate = {_digits(round(push.until_rate * DEG_PER_RAD, _DECIMALS))}")
    return lines


def _shape_lines(shape: Shape) -> list[str]:
    if shape.points is None:
        return [f"kind = {_text(shape.kind)}", f"size = {_rounded(np.array(shape.size) * MM_PER_M)}"]
    points = ", ".join(_rounded(point * MM_PER_M) for point in shape.points)
    return ['kind = "hull"', f"points = [{points}]"]


def _frame_lines(T: Floats) -> list[str]:
    lines = [f"xyz = {_rounded(T[:3, 3] * MM_PER_M)}"]
    angles = pose.as_rpy(T) * DEG_PER_RAD
    return [*lines, f"rpy = {_rounded(angles)}"] if angles.round(_DECIMALS).any() else lines


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rounded(values: Iterable[float]) -> str:
    return _exact(round(float(value), _DECIMALS) for value in values)


def _exact(values: Iterable[float]) -> str:
    return f"[{', '.join(_digits(float(value)) for value in values)}]"


def _digits(value: float) -> str:
    """Return a number that reads as the same double; whole ones without a point, never a minus zero."""
    return str(int(value)) if value == int(value) else repr(value)
