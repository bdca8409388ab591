"""Saved poses that move with an object: where the tool is on it, and the joint values for where it is now."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from armlab.arrays import Floats
from armlab.cell.project import ProjectArm, SavedPose
from armlab.errors import InvalidInput, PlanningFailed
from armlab.geometry import pose
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.ik import track_ik
from armlab.kinematics.why import why_not
from armlab.messages import _
from armlab.model.joint_units import from_joint_units, joint_scales
from armlab.model.robot import Robot

DIGITS = 6


def tool_on_body(robot: Robot, q: Floats, body: str, bodies: Mapping[str, Floats]) -> Floats:
    """Return T_body_tool (4, 4) at joint values `q` (n,), for bodies where they are now.

    Raises:
        InvalidInput: if there is no such body.
    """
    if body not in bodies:
        raise InvalidInput("no_such_object", _("there is no object '{body}' in the scene"), body=body)
    return np.asarray(pose.inverse(bodies[body]) @ robot.fk(q))


def resolved_joints(saved: SavedPose, robot: Robot, bodies: Mapping[str, Floats]) -> Floats:
    """Return the joint values (n,) of a saved pose; of an attached one, those for where its object is now.

    Of several solutions the one next to the saved joint values counts.

    Raises:
        InvalidInput: if the values are of another arm, or the object is gone.
        PlanningFailed: if the arm does not reach the pose.
    """
    q = from_joint_units(robot, saved.q)
    if saved.on is None:
        return q
    if saved.on.body not in bodies:
        raise InvalidInput(
            "attached_object_gone",
            _("pose '{pose}' is attached to '{body}', which is no longer in the scene; detach it or bring it back"),
            pose=saved.name,
            body=saved.on.body,
        )
    T_world_tool = bodies[saved.on.body] @ pose.from_mm_deg(saved.on.pose)
    near = np.clip(q, robot.lower, robot.upper)
    tracked = track_ik(robot, T_world_tool, start=near)
    if tracked.converged:
        return tracked.q
    others = [solution.q for solution in all_ik(robot, T_world_tool, turns=True)]
    if others:
        return min(others, key=lambda other: float(np.abs(other - near).sum()))
    raise PlanningFailed(
        "attached_pose_unreachable",
        _("pose '{pose}' on '{body}' cannot be reached: {why}"),
        pose=saved.name,
        body=saved.on.body,
        why=why_not(robot, T_world_tool).summary,
    )


def with_resolved_poses(arm: ProjectArm, robot: Robot, bodies: Mapping[str, Floats]) -> ProjectArm:
    """Return an arm's part of a project with every attached pose where its object is now.

    Raises:
        ArmlabError: if one cannot be.
    """
    if all(saved.on is None for saved in arm.poses):
        return arm
    scales = joint_scales(robot.joints)
    poses = tuple(
        saved
        if saved.on is None
        else saved.model_copy(
            update={"q": tuple((resolved_joints(saved, robot, bodies) / scales).round(DIGITS).tolist())}
        )
        for saved in arm.poses
    )
    return arm.model_copy(update={"poses": poses})
