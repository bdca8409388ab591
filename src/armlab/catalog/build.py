"""Turn a checked robot or tool table (mm, degrees) into a Robot or Tool (SI)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from armlab.appearance.skin import LinkSkin, make_skin
from armlab.arrays import Floats
from armlab.catalog.build_followers import build_followers, check_values
from armlab.catalog.build_loops import build_loops
from armlab.catalog.schema import FrameTable, InertialTable, LinkTable, RobotTable, ShapeTable, SkinTable, ToolTable
from armlab.errors import InvalidInput
from armlab.formats.glb_read import NO_MESHES, LinkMeshes
from armlab.formats.surface_text import read_surface
from armlab.geometry import pose, solid
from armlab.geometry.inertia import Inertia, from_six
from armlab.geometry.shape import Finish, Palette, Shape, ShapeKind, unknown_kind
from armlab.geometry.visual import Visual, placed
from armlab.messages import _
from armlab.model.dh import DhRow, joint_frames
from armlab.model.jaws import Finger, Jaws
from armlab.model.joint_units import joint_scales
from armlab.model.pair_rule import PairRule
from armlab.model.parts import Joint, Link, Tool
from armlab.model.robot import Robot
from armlab.units import M_PER_MM, joint_scale


@dataclass(frozen=True)
class _ChainGeometry:
    """The geometry of a file: joints, what precedes the flange, and where inertias are given."""

    joints: tuple[Joint, ...]
    T_link_end: Floats
    """The frame at which the file's `flange` starts, in the last link's frame."""
    T_link_given: tuple[Floats, ...]
    """For each link, base first: the frame in which the file gives its masses and shapes."""


def build_robot(table: RobotTable, own: LinkMeshes = NO_MESHES) -> Robot:
    """Return the robot that `table` describes, with its links' own meshes; masses not given come from the shapes."""
    chain = _dh_chain(table) if table.dh else _origin_chain(table)
    flange = chain.T_link_end @ _frame(table.flange)
    tables = (table.base_link, *(joint.link for joint in table.joint))
    skins = [_skin(s) for s in (table.skin, *(joint.skin for joint in table.joint))]
    generated = make_skin(chain.joints, flange, skins)
    names = [link.name or ("base" if i == 0 else f"link_{i}") for i, link in enumerate(tables)]
    shapes = tuple(
        (*_shapes(link.shapes, T), *own.hulls_of(name)) if link.shapes is not None else made
        for name, link, made, T in zip(names, tables, generated, chain.T_link_given, strict=True)
    )
    inertias = _inertias(tables, shapes, chain.T_link_given, table.mass)
    surfaces = (_surface(link, T) for link, T in zip(tables, chain.T_link_given, strict=True))
    links = tuple(
        Link(name, inertia, shape, own.visuals.get(name, surface))
        for name, inertia, shape, surface in zip(names, inertias, shapes, surfaces, strict=True)
    )
    joints, followers = build_followers(table.joint, chain.joints)
    if followers:
        named = {f"configurations.{name}": q for name, q in table.configurations.items()}
        check_values(joints, {"home": table.home, **named})
    scales = joint_scales(joints)
    return Robot(
        name=table.name,
        title=table.title,
        maker=table.maker or "",
        source=table.source,
        joints=joints,
        followers=followers,
        links=links,
        home=np.array(table.home) * scales,
        configurations={name: np.array(q) * scales for name, q in table.configurations.items()},
        base=_frame(table.base),
        flange=flange,
        payload=table.payload,
        notes=table.notes or "",
        estimated=_estimates(table, tables),
        palette=Palette(**table.palette.model_dump(exclude_none=True)),
        loops=build_loops(table.rod, table.pin, names),
        pair_rules=tuple(PairRule(*pair.parts, pair.compared, pair.reason) for pair in table.pair),
    )


def _surface(table: LinkTable, T_link_given: Floats) -> tuple[Visual, ...]:
    """Return what a link looks like by the file's own text."""
    return tuple(placed(each, T_link_given) for each in read_surface(table.surface)) if table.surface else ()


def _estimates(table: RobotTable, links: Sequence[InertialTable]) -> tuple[str, ...]:
    """What the file says is estimated, and the masses that it does not give."""
    guessed = any(link.inertia is None for link in links)
    unweighed = guessed and table.mass is None and any(link.mass is None for link in links)
    more = [*(["mass"] if unweighed else []), *(["link masses"] if guessed else [])]
    return tuple(dict.fromkeys([*table.estimated, *more]))


def build_tool(table: ToolTable) -> Tool:
    """Return the tool that `table` describes."""
    palm = _shapes(table.shape, np.eye(4))
    jaws = _jaws(table, palm)
    shapes = palm if jaws is None else (*palm, *(shape for finger in jaws.fingers for shape in finger.shapes))
    (inertia,) = _inertias((table,), (shapes,), (np.eye(4),), None)
    return Tool(table.name, table.kind, _frame(table.tip), inertia, shapes, jaws)


def _jaws(table: ToolTable, palm: tuple[Shape, ...]) -> Jaws | None:
    """Return the fingers of a gripper, and how they close."""
    grip = table.grip
    if grip is None:
        return None
    fingers = []
    for finger in table.finger:
        axis, shapes = np.array(finger.axis, dtype=np.float64), _shapes(finger.shapes, np.eye(4))
        fingers.append(Finger(axis / np.linalg.norm(axis), shapes, solid.inertia(shapes, mass=finger.mass)))
    opening, travel, speed = (value * M_PER_MM for value in (grip.opening, grip.travel, grip.speed))
    return Jaws(opening, travel, palm, tuple(fingers), grip.force, speed)


def _origin_chain(table: RobotTable) -> _ChainGeometry:
    joints = []
    for i, joint in enumerate(table.joint):
        origin = FrameTable(xyz=joint.xyz or (0.0, 0.0, 0.0), rpy=joint.rpy or (0.0, 0.0, 0.0))
        joints.append(_joint(table, i, _frame(origin), np.array(joint.axis, dtype=np.float64)))
    return _ChainGeometry(tuple(joints), np.eye(4), (np.eye(4),) * (len(joints) + 1))


def _dh_chain(table: RobotTable) -> _ChainGeometry:
    assert table.dh is not None  # the schema has seen to it
    rows = []
    for joint in table.joint:
        assert joint.dh is not None
        dh = joint.dh
        angles, lengths = np.radians([dh.theta, dh.alpha]), np.array([dh.d, dh.a]) * M_PER_MM
        rows.append(DhRow(joint.name, joint.kind, angles[0], lengths[0], lengths[1], angles[1]))
    frames = joint_frames(table.dh, rows)
    axis = np.array([0.0, 0.0, 1.0])
    joints = tuple(_joint(table, i, T, axis) for i, T in enumerate(frames.T_parent_joint))
    return _ChainGeometry(joints, frames.T_link_end, (np.eye(4), *frames.T_link_dh))


def _joint(table: RobotTable, i: int, T_parent_joint: Floats, axis: Floats) -> Joint:
    joint = table.joint[i]
    scale, limits = joint_scale(joint.kind), joint.limits
    return Joint(
        name=joint.name,
        kind=joint.kind,
        T_parent_joint=T_parent_joint,
        axis=axis,
        lower=limits.lower * scale,
        upper=limits.upper * scale,
        velocity=math.inf if limits.velocity is None else limits.velocity * scale,
        acceleration=math.inf if limits.acceleration is None else limits.acceleration * scale,
        effort=math.inf if limits.effort is None else limits.effort,
    )


def _inertias(
    tables: Sequence[InertialTable],
    shapes: Sequence[tuple[Shape, ...]],
    T_link_given: Sequence[Floats],
    total: float | None,
) -> list[Inertia]:
    """Return each link's inertia; what is left of `total` is shared out, by volume, to links without a mass."""
    known = sum(table.mass or 0.0 for table in tables)
    volumes = [
        0.0 if table.mass is not None else sum(solid.volume(s) for s in shape)
        for table, shape in zip(tables, shapes, strict=True)
    ]
    if total is not None and any(volumes) and total <= known:
        raise InvalidInput(
            "mass_below_links",
            _("mass: {total:g} kg of the whole arm must be > the {links:g} kg of its links"),
            total=total,
            links=known,
        )
    out = []
    for table, shape, volume, T in zip(tables, shapes, volumes, T_link_given, strict=True):
        if table.inertia is not None:
            out.append(_given_inertia(table, T))
            continue
        share = None if total is None or not any(volumes) else (total - known) * volume / sum(volumes)
        estimate = solid.inertia(shape, mass=share if table.mass is None else table.mass)
        moved = table.mass is not None and any(table.com)
        com = pose.transform(T, np.array(table.com) * M_PER_MM) if moved else estimate.com
        out.append(Inertia(estimate.mass, com, estimate.matrix))
    return out


def _given_inertia(table: InertialTable, T: Floats) -> Inertia:
    assert table.mass is not None
    assert table.inertia is not None
    given = from_six(table.mass, np.array(table.com) * M_PER_MM, table.inertia)
    R = T[:3, :3]
    return Inertia(given.mass, pose.transform(T, given.com), R @ given.matrix @ R.T)


def _shapes(tables: Sequence[ShapeTable], T_link_given: Floats) -> tuple[Shape, ...]:
    out = []
    for table in tables:
        kind, finish = table.kind, table.finish
        if kind not in get_args(ShapeKind):
            raise unknown_kind(kind)
        if finish not in get_args(Finish):
            raise InvalidInput(
                "shape_finish",
                _("shape: finish '{finish}' is not one of {known}"),
                finish=finish,
                known=get_args(Finish),
            )
        T = T_link_given @ _frame(FrameTable(xyz=table.xyz, rpy=table.rpy))
        size = tuple(v * M_PER_MM for v in table.size)
        points = None if table.points is None else np.array(table.points) * M_PER_MM
        out.append(Shape(kind, size, T, finish, points, table.part or ""))  # type: ignore[arg-type]
    return tuple(out)


def _skin(table: SkinTable) -> LinkSkin:
    given = table.model_dump(exclude_none=True)
    metres: dict[str, Any] = {k: v * M_PER_MM if isinstance(v, float) else v for k, v in given.items()}
    return LinkSkin(**metres)


def _frame(table: FrameTable) -> Floats:
    return pose.from_xyz_rpy_mm_deg(table.xyz, table.rpy)
