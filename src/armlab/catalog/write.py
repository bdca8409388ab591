"""A robot as a TOML file of ours: what `armlab.load` reads again is the same arm."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from armlab.arrays import Floats
from armlab.files import checked_suffix, write_whole
from armlab.formats.glb import link_meshes_glb
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Palette, Shape
from armlab.model.coupling import Follower
from armlab.model.loops import Loops
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale

LONGEST_LABEL = 60
POINT_DECIMALS = 4
"""Of the corners of hulls, mm."""


def robot_toml(robot: Robot, meshes: str | None = None, surfaces: Sequence[str] | None = None) -> str:
    """Return a robot as the text of a robot file, with its shapes; the tool is not part of it.

    Where a GLB file `meshes` stands beside it, hulls and surfaces are in that; without one, hulls are in the text, and
    `surfaces`, one text for each link, if they are given.
    """
    shown = [""] * len(robot.links) if surfaces is None else surfaces
    home = robot.home / np.array([joint_scale(joint.kind) for joint in robot.joints])
    lines = [
        "schema = 1",
        f"name = {_text(robot.name[:LONGEST_LABEL])}",
        f"title = {_label(robot.title or robot.name)}",
        *([f"maker = {_label(robot.maker)}"] if robot.maker else []),
        f"source = {_text((robot.source or 'imported').ljust(3)[:600])}",
        f"home = {_row(home)}",
        *_frame_line("base", robot.base),
        *_frame_line("flange", robot.flange),
        *([] if meshes is None else [f"meshes = {_text(meshes)}"]),
        "",
        "[palette]",
        *(f'{each.name} = "{getattr(robot.palette, each.name)}"' for each in fields(Palette)),
        "",
        "[base_link]",
        *_link_lines(robot.links[0], meshes, shown[0]),
    ]
    laws = {follower.joint.name: _law_lines(follower, robot.joints[follower.leader]) for follower in robot.followers}
    for joint, link, surface in zip(robot.uncoupled.joints, robot.links[1:], shown[1:], strict=True):
        lines += ["", "[[joint]]", *_joint_lines(joint), *laws.get(joint.name, ())]
        lines += ["[joint.link]", *_link_lines(link, meshes, surface)]
    if robot.loops is not None:
        lines += _loop_lines(robot.loops, [link.name for link in robot.links])
    for rule in robot.pair_rules:
        lines += ["", "[[pair]]", f"parts = [{_label(rule.first)}, {_label(rule.second)}]"]
        lines += ["compared = true"] if rule.is_compared else []
        lines += [f"reason = {_text(rule.reason)}"] if rule.reason else []
    return "\n".join(lines) + "\n"


def write_robot(robot: Robot, path: Path) -> None:
    """Write a robot file, whole or not at all, and beside it a GLB file of the same name if links have meshes.

    Raises:
        InvalidInput: if the name does not end in .toml, or it cannot be written.
    """
    glb = link_meshes_glb(robot)
    if glb is not None:
        write_whole(checked_suffix(path, (".toml",)).with_suffix(".glb"), glb)
    text = robot_toml(robot, None if glb is None else path.with_suffix(".glb").name)
    write_whole(checked_suffix(path, (".toml",)), text.encode())


def _loop_lines(loops: Loops, names: list[str]) -> list[str]:
    lines: list[str] = []
    for part in loops.parts:
        name, *others = _joint_lines(part.joint)
        lines += ["", "[[rod]]", f"name = {_label(part.link.name)}", f"on = {_label(names[part.parent])}"]
        lines += [name.replace("name", "joint", 1), *others, *_inertia_lines(part.link.inertia)]
        names = [*names, part.link.name]
    for pin in loops.pins:
        points = f"[{_row(pin.p_a * MM_PER_M)}, {_row(pin.p_b * MM_PER_M)}]"
        ends = f"[{_label(names[pin.link_a])}, {_label(names[pin.link_b])}]"
        lines += ["", "[[pin]]", f"links = {ends}", f"points = {points}"]
    return lines


def _law_lines(follower: Follower, leader: Joint) -> list[str]:
    own, other = joint_scale(follower.joint.kind), joint_scale(leader.kind)
    multiplier, offset = _number(follower.multiplier * (other / own)), _number(follower.offset / own)
    return [f"follows = {{ joint = {_label(leader.name)}, multiplier = {multiplier}, offset = {offset} }}"]


def _joint_lines(joint: Joint) -> list[str]:
    scale = joint_scale(joint.kind)
    xyz, rpy = _mm_deg(joint.T_parent_joint)
    limits = [f"lower = {_number(joint.lower / scale)}", f"upper = {_number(joint.upper / scale)}"]
    for key, value, unit in (
        ("velocity", joint.velocity, scale),
        ("acceleration", joint.acceleration, scale),
        ("effort", joint.effort, 1.0),
    ):
        if math.isfinite(value):
            limits.append(f"{key} = {_number(value / unit)}")
    return [
        f"name = {_label(joint.name)}",
        f'kind = "{joint.kind}"',
        f"xyz = {xyz}",
        f"rpy = {rpy}",
        f"axis = {_row(joint.axis)}",
        f"limits = {{ {', '.join(limits)} }}",
    ]


def _link_lines(link: Link, meshes: str | None, surface: str) -> list[str]:
    written = [shape for shape in link.shapes if meshes is None or shape.points is None]
    shapes = f"shapes = [{', '.join(map(_shape, written))}]"
    own = [f'surface = "{surface}"'] if surface else []
    return [f"name = {_label(link.name)}", *_inertia_lines(link.inertia), shapes, *own]


def _inertia_lines(inertia: Inertia) -> list[str]:
    I = inertia.matrix  # noqa: E741
    six = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return [f"mass = {_number(inertia.mass)}", f"com = {_row(inertia.com * MM_PER_M)}", f"inertia = {_row(six)}"]


def _shape(shape: Shape) -> str:
    xyz, rpy = _mm_deg(shape.T_link_shape)
    if shape.points is None:
        content = f"size = {_row(value * MM_PER_M for value in shape.size)}"
    else:
        rows = (shape.points * MM_PER_M).round(POINT_DECIMALS)
        content = f"points = [{', '.join(map(_row, rows))}]"
    own = f", part = {_label(shape.part)}" if shape.part else ""
    return f'{{ kind = "{shape.kind}", {content}, xyz = {xyz}, rpy = {rpy}, finish = "{shape.finish}"{own} }}'


def _frame_line(key: str, T: Floats) -> list[str]:
    xyz, rpy = _mm_deg(T)
    return [] if np.array_equal(T, np.eye(4)) else [f"{key} = {{ xyz = {xyz}, rpy = {rpy} }}"]


def _mm_deg(T: Floats) -> tuple[str, str]:
    return _row(T[:3, 3] * MM_PER_M), _row(pose.as_rpy(T) * DEG_PER_RAD)


def _row(values: Iterable[float]) -> str:
    return f"[{', '.join(_number(value) for value in values)}]"


def _number(value: float) -> str:
    return repr(float(value) + 0.0)


def _label(text: str) -> str:
    return _text(text[:LONGEST_LABEL])


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
