"""Robots to USD as text (.usda): prims with the schemas of UsdPhysics, which Isaac Sim, Omniverse and usdview open.

Places are doubles, so that the arm is exact at zero; points and joint frames are singles, as USD's schemas want them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.formats.drive_gains import DriveGains, drive_gains
from armlab.formats.xml_attributes import new_name
from armlab.geometry import pose, solid
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Palette, Shape
from armlab.geometry.visual import shaded
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD

_HEAD = """#usda 1.0
(
    defaultPrim = "{name}"
    doc = {doc}
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
)
"""


def usd_text(robot: Robot) -> str:
    """Return the robot as the text of a .usda file: links where they are with all joints at zero, and their joints."""
    name = _identifier(robot.name)
    names: list[str] = []
    for link in robot.links:
        names.append(new_name(_identifier(link.name), names))
    frames = robot.uncoupled.frames(np.zeros(robot.uncoupled.dof))
    lines = [
        _HEAD.format(name=name, doc=json.dumps(f"{robot.title or robot.name}: written by armlab")),
        f'def Xform "{name}" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])',
        "{",
    ]
    for own, link, T in zip(names, robot.links, frames[:-1], strict=True):
        lines += _link(own, link, T, robot.palette)
    tool = new_name("tool", names)
    T_tool_flange = pose.inverse(robot.tool.T_flange_tool)
    held = Link("tool", _moved(robot.tool.inertia, T_tool_flange), _placed(robot.tool.shapes, T_tool_flange))
    lines += _link(tool, held, frames[-1], robot.palette)
    T_link_tool = robot.flange @ robot.tool.T_flange_tool
    lines += _fixed("fixed_to_world", name, None, names[0], robot.base)
    gains = dict(
        zip((joint.name for joint in robot.joints), zip(drive_gains(robot), robot.home, strict=True), strict=True)
    )
    taken = [*names, tool, "fixed_to_world", "tool_mount"]
    for i, joint in enumerate(robot.uncoupled.joints):
        taken.append(new_name(_identifier(joint.name) + "_joint", taken))
        lines += _joint(taken[-1], joint, name, names[i], names[i + 1], gains.get(joint.name))
    lines += _fixed("tool_mount", name, names[-1], tool, T_link_tool)
    return "\n".join([*lines, "}", ""])


def _link(name: str, link: Link, T: Floats, palette: Palette) -> list[str]:
    schemas = '["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
    lines = [f'    def Xform "{name}" (prepend apiSchemas = {schemas})', "    {", *_transform(T, 8)]
    if link.inertia.mass > 0.0:
        moments, axes = np.linalg.eigh(link.inertia.matrix)
        axes = axes * np.sign(np.linalg.det(axes))
        lines += [
            f"        float physics:mass = {_number(link.inertia.mass)}",
            f"        point3f physics:centerOfMass = {_tuple(link.inertia.com)}",
            f"        float3 physics:diagonalInertia = {_tuple(moments)}",
            f"        quatf physics:principalAxes = {_quaternion(axes)}",
        ]
    for i, visual in enumerate(link.visuals):
        mesh = shaded(visual)
        lines += _mesh(f"visual_{i}", mesh.vertices, mesh.faces, visual.colour or palette.body, is_solid=False)
    for i, shape in enumerate(link.shapes):
        surface = solid.mesh(shape)
        colour = getattr(palette, shape.finish)
        lines += _mesh(
            f"solid_{i}", surface.vertices, surface.faces, colour, is_solid=True, is_hidden=bool(link.visuals)
        )
    return [*lines, "    }"]


def _mesh(
    name: str, points: Floats, faces: NDArray[np.int32], colour: str, *, is_solid: bool, is_hidden: bool = False
) -> list[str]:
    rgb = [int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    schemas = ' (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"])' if is_solid else ""
    lines = [
        f'        def Mesh "{name}"{schemas}',
        "        {",
        f"            int[] faceVertexCounts = [{', '.join(['3'] * len(faces))}]",
        f"            int[] faceVertexIndices = [{', '.join(map(str, faces.reshape(-1).tolist()))}]",
        f"            point3f[] points = [{', '.join(map(_single, points.astype(np.float32)))}]",
        '            uniform token subdivisionScheme = "none"',
        f"            color3f[] primvars:displayColor = [{_tuple(rgb)}]",
    ]
    lines += ['            uniform token physics:approximation = "convexHull"'] if is_solid else []
    lines += ['            token visibility = "invisible"'] if is_hidden else []
    return [*lines, "        }"]


def _joint(
    name: str, joint: Joint, root: str, parent: str, child: str, drive: tuple[DriveGains, float] | None
) -> list[str]:
    """Return a joint; USD's turn about or slide along x, y or z of a frame: its z is turned to the axis.

    `drive` has the gains and the target of its drive; None for a joint that follows another one.
    """
    T_child_axis = np.eye(4)
    T_child_axis[:3, :3] = _frame_along(joint.axis)
    is_prismatic = joint.kind == "prismatic"
    scale = 1.0 if is_prismatic else DEG_PER_RAD
    kind = "PhysicsPrismaticJoint" if is_prismatic else "PhysicsRevoluteJoint"
    schemas = f' (prepend apiSchemas = ["PhysicsDriveAPI:{_freedom(joint)}"])' if drive is not None else ""
    lines = [f'    def {kind} "{name}"{schemas}', "    {"]
    lines += _ends(root, parent, child, joint.T_parent_joint, T_child_axis)
    lines += [] if drive is None else _drive(joint, *drive, scale)
    lines += [
        '        uniform token physics:axis = "Z"',
        f"        float physics:lowerLimit = {_number(joint.lower * scale)}",
        f"        float physics:upperLimit = {_number(joint.upper * scale)}",
    ]
    lines += [f"        custom double armlab:effort = {_number(joint.effort)}"] if math.isfinite(joint.effort) else []
    return [*lines, "    }"]


def _freedom(joint: Joint) -> str:
    return "linear" if joint.kind == "prismatic" else "angular"


def _drive(joint: Joint, gains: DriveGains, target: float, scale: float) -> list[str]:
    """Return a drive; USD counts an angle in degrees, in its stiffness and damping, too."""
    lead = f"float drive:{_freedom(joint)}:physics"
    values = {"stiffness": gains.stiffness / scale, "damping": gains.damping / scale, "targetPosition": target * scale}
    values |= {"maxForce": gains.effort} if math.isfinite(gains.effort) else {}
    kind = f'        uniform token drive:{_freedom(joint)}:physics:type = "force"'
    return [kind, *(f"        {lead}:{key} = {_number(value)}" for key, value in values.items())]


def _fixed(name: str, root: str, parent: str | None, child: str, T_parent_child: Floats) -> list[str]:
    ends = _ends(root, parent, child, T_parent_child, np.eye(4))
    return [f'    def PhysicsFixedJoint "{name}"', "    {", *ends, "    }"]


def _ends(root: str, parent: str | None, child: str, T_parent_child: Floats, T_child_joint: Floats) -> list[str]:
    T_parent_joint = T_parent_child @ T_child_joint
    lines = [] if parent is None else [f"        rel physics:body0 = </{root}/{parent}>"]
    return [
        *lines,
        f"        rel physics:body1 = </{root}/{child}>",
        f"        point3f physics:localPos0 = {_tuple(T_parent_joint[:3, 3])}",
        f"        quatf physics:localRot0 = {_quaternion(T_parent_joint[:3, :3])}",
        f"        point3f physics:localPos1 = {_tuple(T_child_joint[:3, 3])}",
        f"        quatf physics:localRot1 = {_quaternion(T_child_joint[:3, :3])}",
    ]


def _frame_along(axis: Floats) -> Floats:
    """Return a rotation (3, 3) whose z is `axis`."""
    other = np.eye(3)[int(np.abs(axis).argmin())]
    x = np.cross(other, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _transform(T: Floats, indent: int) -> list[str]:
    """Return a place; USD multiplies rows from the left, so that its matrix is the transpose."""
    rows = ", ".join(_tuple(row) for row in T.T)
    space = " " * indent
    return [
        f"{space}matrix4d xformOp:transform = ( {rows} )",
        f'{space}uniform token[] xformOpOrder = ["xformOp:transform"]',
    ]


def _placed(shapes: Sequence[Shape], T: Floats) -> tuple[Shape, ...]:
    return tuple(replace(shape, T_link_shape=T @ shape.T_link_shape) for shape in shapes)


def _moved(inertia: Inertia, T: Floats) -> Inertia:
    R = T[:3, :3]
    return Inertia(inertia.mass, pose.transform(T, inertia.com), R @ inertia.matrix @ R.T)


def _identifier(text: str) -> str:
    """Return a name as USD allows it."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", text) or "_"
    return plain if not plain[0].isdigit() else f"_{plain}"


def _quaternion(R: Floats) -> str:
    T = np.eye(4)
    T[:3, :3] = R
    return _tuple(pose.quaternion_of(T))


def _single(values: NDArray[np.float32]) -> str:
    return f"({', '.join(str(value) for value in values)})"


def _tuple(values: Iterable[float]) -> str:
    return f"({', '.join(map(_number, values))})"


def _number(value: float) -> str:
    return repr(float(value) + 0.0)
