"""The arm of a project: of the catalog or of its own file, perhaps with other lengths, limits, tool or base."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from armlab.appearance.skin import LinkSkin, make_skin
from armlab.assets import PREFIX, asset_store
from armlab.catalog import load, load_text, load_tool, robot_names, tool_names
from armlab.cell.project import ArmChoice, DhValues, Range
from armlab.dynamics import with_payload
from armlab.errors import InvalidInput, UnknownName
from armlab.formats.glb_read import link_meshes
from armlab.geometry import pose, solid
from armlab.geometry.inertia import ball_inertia
from armlab.messages import _, term
from armlab.model.coupling import narrowed, not_for_coupled
from armlab.model.dh import DhRow, dh_table, joint_frames
from armlab.model.joint_limits import outside_limits
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot
from armlab.units import M_PER_MM, RAD_PER_DEG, joint_scale

KEPT_ARMS = 64


@lru_cache(maxsize=KEPT_ARMS)
def build_arm(choice: ArmChoice) -> Robot:
    """Return the arm of a project: of its own file, or of the catalog; names are never paths.

    Raises:
        UnknownName: if the catalog has no such arm or tool.
        CatalogError: if the arm's own file cannot be used.
        InvalidInput: if there are not as many rows or limits as joints, or they make no arm.
    """
    robot = own_arm(choice)
    if choice.tool not in tool_names():
        raise UnknownName("tool", choice.tool, tool_names())
    if choice.dh is not None:
        robot = _with_rows(robot, choice.dh)
    if choice.limits is not None:
        robot = _with_limits(robot, choice.limits)
    base = pose.from_mm_deg(choice.base)
    return _with_tool(robot, choice).with_base(base @ robot.base)


def _with_tool(robot: Robot, choice: ArmChoice) -> Robot:
    """Return the arm with its tool, whose point may be elsewhere, and with what that carries."""
    tool = load_tool(choice.tool)
    if choice.tcp is not None:
        tool = replace(tool, T_flange_tool=pose.from_mm_deg(choice.tcp))
    robot, load = robot.with_tool(tool), choice.payload
    if load is None or load.mass == 0.0:
        return robot
    return with_payload(robot, load.mass, np.array(load.com) * M_PER_MM, ball_inertia(load.mass))


def own_arm(choice: ArmChoice) -> Robot:
    """Return the arm as its file or the catalog has it, with nothing changed.

    Raises:
        UnknownName: if the catalog has no such arm.
        CatalogError: if the arm's own file cannot be used.
    """
    if choice.file is not None:
        return replace(_brought(choice.file), name=choice.name)
    if choice.name not in robot_names():
        raise UnknownName("robot", choice.name, robot_names())
    return load(choice.name)


@lru_cache(maxsize=KEPT_ARMS)
def _brought(file: str) -> Robot:
    """Return the arm of a robot file that the store of assets has."""
    store = asset_store()
    text = store.read(file.removeprefix(PREFIX)).decode(errors="replace")
    return load_text(text, meshes=lambda name: link_meshes(store.read(name.removesuffix(".glb"))))


def _with_rows(robot: Robot, values: tuple[DhValues, ...]) -> Robot:
    """Return the arm with other standard rows: new joints, new looks, masses spread over the new shapes."""
    if robot.followers:
        raise not_for_coupled(term(_("a DH table")))
    if len(values) != robot.dof:
        raise InvalidInput(
            "dh_row_count",
            _("{robot} has {dof} joints, got {count} DH rows"),
            robot=robot.name,
            dof=robot.dof,
            count=len(values),
        )
    table = dh_table(robot, "standard")
    rows = [
        DhRow(joint.name, joint.kind, v.theta * RAD_PER_DEG, v.d * M_PER_MM, v.a * M_PER_MM, v.alpha * RAD_PER_DEG)
        for joint, v in zip(robot.joints, values, strict=True)
    ]
    frames = joint_frames("standard", rows)
    axis = np.array([0.0, 0.0, 1.0])
    T_base_table = pose.inverse(robot.base) @ table.base  # the arm's own base stays; the table may begin elsewhere
    places = (T_base_table @ frames.T_parent_joint[0], *frames.T_parent_joint[1:])
    joints = tuple(replace(joint, T_parent_joint=T, axis=axis) for joint, T in zip(robot.joints, places, strict=True))
    flange = frames.T_link_end @ table.tool @ pose.inverse(robot.tool.T_flange_tool)
    shapes = make_skin(joints, flange, [LinkSkin()] * (robot.dof + 1))
    links = tuple(
        Link(link.name, solid.inertia(shape, mass=link.inertia.mass or None), shape)
        for link, shape in zip(robot.links, shapes, strict=True)
    )
    estimated = tuple(dict.fromkeys([*robot.estimated, "dimensions", "link masses"]))
    return replace(
        robot,
        joints=joints,
        links=links,
        flange=flange,
        configurations=dict(robot.configurations),
        estimated=estimated,
    )


def _with_limits(robot: Robot, limits: tuple[Range, ...]) -> Robot:
    if len(limits) != robot.dof:
        raise InvalidInput(
            "limit_count",
            _("{robot} has {dof} joints, got limits of {count}"),
            robot=robot.name,
            dof=robot.dof,
            count=len(limits),
        )
    joints = tuple(
        narrowed(_limited(joint, given), [follower for follower in robot.followers if follower.leader == i])
        for i, (joint, given) in enumerate(zip(robot.joints, limits, strict=True))
    )
    lower, upper = (np.array([getattr(joint, end) for joint in joints]) for end in ("lower", "upper"))
    limited = replace(robot, joints=joints, home=np.clip(robot.home, lower, upper), configurations={})
    kept = {name: q for name, q in robot.configurations.items() if not outside_limits(limited, q).any()}
    return replace(limited, configurations=kept)


def _limited(joint: Joint, given: Range) -> Joint:
    scale = joint_scale(joint.kind)
    return replace(joint, lower=given.lower * scale, upper=given.upper * scale)
