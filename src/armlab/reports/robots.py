"""Robots as people read them: lists and data sheets, in millimetres, degrees, kilograms and newton metres."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from armlab.collision.pairs import quick_rules
from armlab.kinematics.reach import reach, wrist_reach
from armlab.kinematics.task import default_task
from armlab.model.coupling import Follower
from armlab.model.dh import dh_table
from armlab.model.robot import Robot
from armlab.reports.report import ReportModel, mm, rounded, rounded_all, shown_q
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale, joint_unit


class RobotRow(ReportModel):
    """One line of the list of robots."""

    name: str
    title: str
    maker: str
    dof: int
    reach: float
    """Largest distance of the tool point from the first axis, mm."""
    wrist_reach: float | None
    """The same of the wrist centre, which most makers state; none for arms without one."""
    source: str


class JointRow(ReportModel):
    """One joint: `unit` is `°` or `mm`, and holds for every value of the row (velocity per s, acceleration per s²)."""

    name: str
    kind: str
    unit: str
    lower: float
    upper: float
    velocity: float | None
    acceleration: float | None
    effort: float | None
    """N·m for a revolute joint, N for a prismatic one."""
    home: float
    axis: tuple[float, float, float]
    """Of the joint, in the frame of the link that it moves."""


class FollowerRow(ReportModel):
    """A joint without a value of its own: `multiplier` times that of the joint that it follows, plus `offset`."""

    name: str
    follows: str
    multiplier: float
    """° or mm of its own per ° or mm of the other."""
    offset: float
    unit: str
    """Of the offset: `°` or `mm`."""


class LinkRow(ReportModel):
    """One link: its mass in kg, its centre of mass in its own frame, mm."""

    name: str
    mass: float
    com: tuple[float, float, float]


class DhReportRow(ReportModel):
    """One row of a Denavit-Hartenberg table: mm and degrees; the joint value adds to theta or to d."""

    joint: str
    theta: float
    d: float
    a: float
    alpha: float


class NamedConfiguration(ReportModel):
    """Joint values under a name, in the joints' units."""

    name: str
    q: tuple[float, ...]


class PairRow(ReportModel):
    """Two parts of an arm that collision checks leave out: "adjacent", "excluded" by whose word, or "never meet"."""

    first: str
    second: str
    reason: str
    said: str


class RobotSheet(RobotRow):
    """Everything about one robot."""

    payload: float | None
    mass: float
    notes: str
    """What a user of this arm should know: where it differs from the maker's controller, say."""
    estimated: tuple[str, ...]
    """What in this sheet is an estimate and not published: mass, acceleration, effort …"""
    tool: str
    task: str
    """What an inverse-kinematics target constrains by default: "pose", "position", "approach" or "scara"."""
    joints: tuple[JointRow, ...]
    followers: tuple[FollowerRow, ...]
    """Joints of the chain that follow others; DH tables have rows for them, too."""
    links: tuple[LinkRow, ...]
    dh_standard: tuple[DhReportRow, ...]
    dh_modified: tuple[DhReportRow, ...]
    configurations: tuple[NamedConfiguration, ...]
    pairs: tuple[PairRow, ...]
    """What is not compared while the joints are within their limits; "never meet" is what a short search proves."""


def robot_row(robot: Robot) -> RobotRow:
    """Return one line of the list of robots."""
    return RobotRow(**_row(robot))


def robot_sheet(robot: Robot) -> RobotSheet:
    """Return everything about one robot."""
    configurations = {"home": robot.home, **robot.configurations}
    return RobotSheet(
        **_row(robot),
        payload=robot.payload,
        mass=rounded(sum(link.inertia.mass for link in robot.links)),
        notes=robot.notes,
        estimated=robot.estimated,
        tool=robot.tool.name,
        task=default_task(robot).name,
        joints=tuple(_joint_row(robot, i) for i in range(robot.dof)),
        followers=tuple(_follower_row(robot, follower) for follower in robot.followers),
        links=tuple(
            LinkRow(name=link.name, mass=rounded(link.inertia.mass), com=mm(link.inertia.com)) for link in robot.links
        ),
        dh_standard=_dh_rows(robot, "standard"),
        dh_modified=_dh_rows(robot, "modified"),
        configurations=tuple(NamedConfiguration(name=name, q=shown_q(robot, q)) for name, q in configurations.items()),
        pairs=tuple(PairRow(**pair._asdict()) for pair in quick_rules(robot).values()),
    )


def _row(robot: Robot) -> dict[str, Any]:
    wrist = wrist_reach(robot)
    return {
        "name": robot.name,
        "title": robot.title,
        "maker": robot.maker,
        "dof": robot.dof,
        "reach": round(reach(robot) * MM_PER_M, 3),
        "wrist_reach": None if wrist is None else round(wrist * MM_PER_M, 3),
        "source": robot.source,
    }


def _joint_row(robot: Robot, i: int) -> JointRow:
    joint = robot.joints[i]
    scale = joint_scale(joint.kind)
    return JointRow(
        name=joint.name,
        kind=joint.kind,
        unit=joint_unit(joint.kind),
        lower=rounded(joint.lower / scale),
        upper=rounded(joint.upper / scale),
        velocity=_stated(joint.velocity / scale),
        acceleration=_stated(joint.acceleration / scale),
        effort=_stated(joint.effort),
        home=rounded(robot.home[i] / scale),
        axis=rounded_all(joint.axis),
    )


def _follower_row(robot: Robot, follower: Follower) -> FollowerRow:
    leader, scale = robot.joints[follower.leader], joint_scale(follower.joint.kind)
    return FollowerRow(
        name=follower.joint.name,
        follows=leader.name,
        multiplier=rounded(follower.multiplier * joint_scale(leader.kind) / scale),
        offset=rounded(follower.offset / scale),
        unit=joint_unit(follower.joint.kind),
    )


def _dh_rows(robot: Robot, convention: Literal["standard", "modified"]) -> tuple[DhReportRow, ...]:
    return tuple(
        DhReportRow(
            joint=row.joint,
            theta=rounded(row.theta * DEG_PER_RAD),
            d=rounded(row.d * MM_PER_M),
            a=rounded(row.a * MM_PER_M),
            alpha=rounded(row.alpha * DEG_PER_RAD),
        )
        for row in dh_table(robot.uncoupled, convention).rows
    )


def _stated(value: float) -> float | None:
    return rounded(value) if np.isfinite(value) else None
