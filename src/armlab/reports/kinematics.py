"""Forward and inverse kinematics as people read them: millimetres and degrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import Message
from armlab.model.robot import Robot
from armlab.reports.report import ReportModel, mm, rounded, rounded_all, shown_q
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale, joint_unit

if TYPE_CHECKING:
    from armlab.kinematics.answers import FreeJoint, IkSolution
    from armlab.kinematics.why import Diagnosis


class FrameReport(ReportModel):
    """One frame in world coordinates."""

    name: str
    xyz: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]
    """w x y z"""


class FkReport(ReportModel):
    """Where the tool is: mm, degrees (KUKA's A B C), quaternion w x y z, 4×4 matrix with mm in the last column."""

    robot: str
    q: tuple[float, ...]
    xyz: tuple[float, float, float]
    abc: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]
    matrix: tuple[tuple[float, ...], ...]
    frames: tuple[FrameReport, ...] | None = None
    """base, every link, tool; only where asked for."""


class FreeJointReport(ReportModel):
    """A joint that the target leaves free: its value in the solution and the interval of the continuum, ° or mm.

    `step` is 0 where the ends are exact, otherwise how far apart the values are at which the continuum was looked at.
    """

    joint: str
    unit: str
    value: float
    lower: float
    upper: float
    step: float


class SolutionReport(ReportModel):
    """One solution: joint values (° and mm), branch, what is left of an error (mm and °)."""

    q: tuple[float, ...]
    branch: str
    position_error: float
    rotation_error: float
    free: tuple[FreeJointReport, ...] | None = None
    """Where the solution is one of a continuum: the joints that are free in it."""


class IkReport(ReportModel):
    """The answer of inverse kinematics: one solution, or all of them; `code` and `parameters` are the reason's."""

    converged: bool
    code: str
    reason: Message
    parameters: Mapping[str, Any]
    solutions: tuple[SolutionReport, ...]


class BranchReport(ReportModel):
    """What rules one branch out, as a sentence with its code; `joint` and `excess` (° or mm) where it is a limit."""

    branch: str
    code: str
    sentence: Message
    parameters: Mapping[str, Any]
    joint: str
    excess: float


class WhyReport(ReportModel):
    """Why a target cannot be reached, and what comes nearest: joint values, pose, and gaps in mm and °."""

    reachable: bool
    code: str
    summary: Message
    parameters: Mapping[str, Any]
    branches: tuple[BranchReport, ...]
    nearest_q: tuple[float, ...]
    nearest_xyz: tuple[float, float, float]
    nearest_abc: tuple[float, float, float]
    position_gap: float
    rotation_gap: float
    singular: bool
    """Whether the arm is singular at the nearest pose."""


def fk_report(robot: Robot, q: Floats, *, with_frames: bool = False) -> FkReport:
    """Return where the tool is at `q` (n,), in rad and m, and where asked also every frame."""
    T = robot.fk(q)
    return FkReport(
        robot=robot.name,
        q=shown_q(robot, q),
        xyz=mm(T[:3, 3]),
        abc=rounded_all(pose.as_abc(T) * DEG_PER_RAD),
        quaternion=rounded_all(pose.as_quaternion(T)),
        matrix=tuple(rounded_all(row * [1, 1, 1, MM_PER_M if i < 3 else 1]) for i, row in enumerate(T)),
        frames=_frame_reports(robot, q) if with_frames else None,
    )


def ik_report(robot: Robot, converged: bool, reason: Message, solutions: Sequence[IkSolution]) -> IkReport:
    """Return solutions in the units people read."""
    return IkReport(
        converged=converged,
        code=reason.code,
        reason=reason,
        parameters=reason.facts(),
        solutions=tuple(
            SolutionReport(
                q=shown_q(robot, s.q),
                branch=s.branch,
                position_error=s.position_error * MM_PER_M,
                rotation_error=s.rotation_error * DEG_PER_RAD,
                free=tuple(_free_joint(robot, free) for free in s.free) or None,
            )
            for s in solutions
        ),
    )


def _free_joint(robot: Robot, free: FreeJoint) -> FreeJointReport:
    kind = next(joint.kind for joint in robot.joints if joint.name == free.joint)
    value, lower, upper, step = (
        rounded(v / joint_scale(kind)) for v in (free.value, free.lower, free.upper, free.step)
    )
    return FreeJointReport(joint=free.joint, unit=joint_unit(kind), value=value, lower=lower, upper=upper, step=step)


def why_report(robot: Robot, diagnosis: Diagnosis) -> WhyReport:
    """Return a diagnosis in the units people read."""
    kinds = {joint.name: joint.kind for joint in robot.joints}
    return WhyReport(
        reachable=diagnosis.reachable,
        code=diagnosis.code,
        summary=diagnosis.summary,
        parameters=diagnosis.summary.facts(),
        branches=tuple(
            BranchReport(
                branch=b.branch,
                code=b.sentence.code,
                sentence=b.sentence,
                parameters=b.sentence.facts(),
                joint=b.joint,
                excess=rounded(b.excess / joint_scale(kinds.get(b.joint, "revolute"))),
            )
            for b in diagnosis.branches
        ),
        nearest_q=shown_q(robot, diagnosis.nearest_q),
        nearest_xyz=mm(diagnosis.nearest_T[:3, 3]),
        nearest_abc=rounded_all(pose.as_abc(diagnosis.nearest_T) * DEG_PER_RAD),
        position_gap=rounded(diagnosis.position_gap * MM_PER_M),
        rotation_gap=rounded(diagnosis.rotation_gap * DEG_PER_RAD),
        singular=diagnosis.singular,
    )


def _frame_reports(robot: Robot, q: Floats) -> tuple[FrameReport, ...]:
    frames = robot.frames(q)
    quaternions = pose.as_quaternion(frames)
    return tuple(
        FrameReport(name=name, xyz=mm(T[:3, 3]), quaternion=rounded_all(wxyz))
        for name, T, wxyz in zip(robot.frame_names, frames, quaternions, strict=True)
    )
