"""What armlab tells about a robot, in the units people read: millimetres, degrees, kilograms, newton metres.

The command line prints these, `--json` writes them, the server answers with them and the page's types are
generated from them, so that all of them always say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from armlab.arrays import Floats
from armlab.kinematics.reach import reach
from armlab.model import pose
from armlab.model.dh import dh_table
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale, joint_unit

if TYPE_CHECKING:
    from armlab.kinematics.answers import IkSolution
    from armlab.kinematics.why import Diagnosis

DIGITS = 9
"""Reports are rounded here: a millionth of a micrometre, below what double precision means."""


class Report(BaseModel):
    """A frozen report; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RobotRow(Report):
    """One line of the list of robots."""

    name: str
    title: str
    maker: str
    dof: int
    reach: float
    """Largest distance of the tool point from the first axis, mm."""
    source: str


class JointRow(Report):
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


class LinkRow(Report):
    """One link: its mass in kg, its centre of mass in its own frame, mm."""

    name: str
    mass: float
    com: tuple[float, float, float]


class DhRow(Report):
    """One row of a Denavit-Hartenberg table: mm and degrees; the joint value adds to theta or to d."""

    joint: str
    theta: float
    d: float
    a: float
    alpha: float


class NamedPose(Report):
    """Joint values under a name, in the joints' units."""

    name: str
    q: tuple[float, ...]


class RobotSheet(RobotRow):
    """Everything about one robot."""

    payload: float | None
    mass: float
    notes: str
    """What a user of this arm should know: where it differs from the maker's controller, say."""
    estimated: tuple[str, ...]
    """What in this sheet is an estimate and not published: mass, acceleration, effort …"""
    tool: str
    joints: tuple[JointRow, ...]
    links: tuple[LinkRow, ...]
    dh_standard: tuple[DhRow, ...]
    dh_modified: tuple[DhRow, ...]
    poses: tuple[NamedPose, ...]


class FrameReport(Report):
    """One frame in world coordinates."""

    name: str
    xyz: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]
    """w x y z"""


class FkReport(Report):
    """Where the tool is: mm, degrees (KUKA's A B C), quaternion w x y z, 4×4 matrix with mm in the last column."""

    robot: str
    q: tuple[float, ...]
    xyz: tuple[float, float, float]
    abc: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]
    matrix: tuple[tuple[float, ...], ...]
    frames: tuple[FrameReport, ...] | None = None
    """base, every link, tool; only where asked for."""


class FreeJointReport(Report):
    """A joint that may move from `lower` to `upper` without moving the tool, degrees."""

    joint: str
    lower: float
    upper: float


class SolutionReport(Report):
    """One solution: joint values (° and mm), branch, what is left of an error (mm and °)."""

    q: tuple[float, ...]
    branch: str
    position_error: float
    rotation_error: float
    free: FreeJointReport | None = None


class IkReport(Report):
    """The answer of inverse kinematics: one solution, or all of them."""

    converged: bool
    reason: str
    solutions: tuple[SolutionReport, ...]


class BranchReport(Report):
    """What kills one branch; `joint` and `excess` (° or mm) where it is a limit."""

    branch: str
    sentence: str
    joint: str
    excess: float


class WhyReport(Report):
    """Why a target cannot be reached, and what comes nearest: joint values, pose, and gaps in mm and °."""

    reachable: bool
    code: str
    summary: str
    branches: tuple[BranchReport, ...]
    nearest_q: tuple[float, ...]
    nearest_xyz: tuple[float, float, float]
    nearest_abc: tuple[float, float, float]
    position_gap: float
    rotation_gap: float
    singular: bool
    """Whether the arm is singular at the nearest pose."""


def robot_row(robot: Robot) -> RobotRow:
    """Return one line of the list of robots."""
    return RobotRow(**_row(robot))


def robot_sheet(robot: Robot) -> RobotSheet:
    """Return everything about one robot."""
    poses = {"home": robot.home, **robot.poses}
    return RobotSheet(
        **_row(robot),
        payload=robot.payload,
        mass=_round(sum(link.inertia.mass for link in robot.links)),
        notes=robot.notes,
        estimated=robot.estimated,
        tool=robot.tool.name,
        joints=tuple(_joint_row(robot, i) for i in range(robot.dof)),
        links=tuple(
            LinkRow(name=link.name, mass=_round(link.inertia.mass), com=_mm(link.inertia.com)) for link in robot.links
        ),
        dh_standard=_dh_rows(robot, "standard"),
        dh_modified=_dh_rows(robot, "modified"),
        poses=tuple(NamedPose(name=name, q=shown_q(robot, q)) for name, q in poses.items()),
    )


def fk_report(robot: Robot, q: Floats, *, with_frames: bool = False) -> FkReport:
    """Return where the tool is at `q` (n,), in rad and m, and where asked also every frame."""
    T = robot.fk(q)
    return FkReport(
        robot=robot.name,
        q=shown_q(robot, q),
        xyz=_mm(T[:3, 3]),
        abc=_rounded(pose.as_abc(T) * DEG_PER_RAD),
        quaternion=_rounded(pose.as_quaternion(T)),
        matrix=tuple(_rounded(row * [1, 1, 1, MM_PER_M if i < 3 else 1]) for i, row in enumerate(T)),
        frames=_frame_reports(robot, q) if with_frames else None,
    )


def ik_report(robot: Robot, converged: bool, reason: str, solutions: Sequence[IkSolution]) -> IkReport:
    """Return solutions in the units people read."""
    return IkReport(
        converged=converged,
        reason=reason,
        solutions=tuple(
            SolutionReport(
                q=shown_q(robot, s.q),
                branch=s.branch,
                position_error=s.position_error * MM_PER_M,
                rotation_error=s.rotation_error * DEG_PER_RAD,
                free=None
                if s.free is None
                else FreeJointReport(
                    joint=s.free.joint,
                    lower=_round(s.free.lower * DEG_PER_RAD),
                    upper=_round(s.free.upper * DEG_PER_RAD),
                ),
            )
            for s in solutions
        ),
    )


def why_report(robot: Robot, diagnosis: Diagnosis) -> WhyReport:
    """Return a diagnosis in the units people read."""
    kinds = {joint.name: joint.kind for joint in robot.joints}
    return WhyReport(
        reachable=diagnosis.reachable,
        code=diagnosis.code,
        summary=diagnosis.summary,
        branches=tuple(
            BranchReport(
                branch=b.branch,
                sentence=b.sentence,
                joint=b.joint,
                excess=_round(b.excess / joint_scale(kinds.get(b.joint, "revolute"))),
            )
            for b in diagnosis.branches
        ),
        nearest_q=shown_q(robot, diagnosis.nearest_q),
        nearest_xyz=_mm(diagnosis.nearest_T[:3, 3]),
        nearest_abc=_rounded(pose.as_abc(diagnosis.nearest_T) * DEG_PER_RAD),
        position_gap=_round(diagnosis.position_gap * MM_PER_M),
        rotation_gap=_round(diagnosis.rotation_gap * DEG_PER_RAD),
        singular=diagnosis.singular,
    )


def shown_q(robot: Robot, q: Floats) -> tuple[float, ...]:
    """Return joint values as people read them: degrees and millimetres."""
    return tuple(_round(v / joint_scale(joint.kind)) for v, joint in zip(q, robot.joints, strict=True))


def _row(robot: Robot) -> dict[str, Any]:
    return {
        "name": robot.name,
        "title": robot.title,
        "maker": robot.maker,
        "dof": robot.dof,
        "reach": round(reach(robot) * MM_PER_M, 3),
        "source": robot.source,
    }


def _joint_row(robot: Robot, i: int) -> JointRow:
    joint = robot.joints[i]
    scale = joint_scale(joint.kind)
    return JointRow(
        name=joint.name,
        kind=joint.kind,
        unit=joint_unit(joint.kind),
        lower=_round(joint.lower / scale),
        upper=_round(joint.upper / scale),
        velocity=_stated(joint.velocity / scale),
        acceleration=_stated(joint.acceleration / scale),
        effort=_stated(joint.effort),
        home=_round(robot.home[i] / scale),
    )


def _dh_rows(robot: Robot, convention: Literal["standard", "modified"]) -> tuple[DhRow, ...]:
    return tuple(
        DhRow(
            joint=row.joint,
            theta=_round(row.theta * DEG_PER_RAD),
            d=_round(row.d * MM_PER_M),
            a=_round(row.a * MM_PER_M),
            alpha=_round(row.alpha * DEG_PER_RAD),
        )
        for row in dh_table(robot, convention).rows
    )


def _frame_reports(robot: Robot, q: Floats) -> tuple[FrameReport, ...]:
    frames = robot.frames(q)
    quaternions = pose.as_quaternion(frames)
    return tuple(
        FrameReport(name=name, xyz=_mm(T[:3, 3]), quaternion=_rounded(wxyz))
        for name, T, wxyz in zip(robot.frame_names, frames, quaternions, strict=True)
    )


def _stated(value: float) -> float | None:
    return _round(value) if np.isfinite(value) else None


def _round(value: float) -> float:
    return round(float(value), DIGITS) + 0.0  # + 0.0 turns -0.0 into 0.0


def _rounded(values: Floats) -> tuple[Any, ...]:
    """A tuple of as many numbers as there are values; pydantic checks how many there must be."""
    return tuple(_round(v) for v in values)


def _mm(p: Floats) -> tuple[Any, ...]:
    return _rounded(p * MM_PER_M)
