"""The report on one arm: every formula, with the numbers of one pose beside the symbols."""

from __future__ import annotations

from numpy.typing import ArrayLike

from armlab.arrays import as_floats
from armlab.documents import dynamic_parts, inverse_parts, kinematic_parts
from armlab.documents.blocks import Block, Heading, Picture
from armlab.documents.pictures import png_of
from armlab.documents.sentences import said
from armlab.figures.arm import draw_arm
from armlab.kinematics.symbolic.derivation import Derivation, NumericDerivation
from armlab.kinematics.symbolic.evaluate import evaluate
from armlab.messages import _, tr
from armlab.model.robot import Robot


def derivation_blocks(robot: Robot, derivation: Derivation, q: ArrayLike) -> list[Block]:
    """Return the report on `robot` at the joints `q` (n,); the same input gives the same blocks.

    Raises:
        InvalidInput: if `q` is not one finite value per joint.
    """
    at = evaluate(derivation, as_floats(q, (robot.dof,), f"{robot.name}: q"))
    return [
        *_opening(robot, at),
        *kinematic_parts.joint_blocks(robot, derivation, at),
        *kinematic_parts.table_blocks(derivation, at),
        *kinematic_parts.matrix_blocks(derivation, at),
        *kinematic_parts.product_blocks(derivation, at),
        *kinematic_parts.tool_blocks(robot, derivation, at),
        *kinematic_parts.frame_blocks(robot, at),
        *kinematic_parts.jacobian_blocks(derivation, at),
        *kinematic_parts.singular_blocks(derivation, at),
        *inverse_parts.inverse_blocks(derivation),
        *inverse_parts.numeric_blocks(robot, at),
        *dynamic_parts.dynamic_blocks(robot, derivation, at),
    ]


def _opening(robot: Robot, at: NumericDerivation) -> list[Block]:
    name, values = robot.title or robot.name, kinematic_parts.joint_values_text(robot, at)
    tool = tr("none") if robot.tool.kind == "none" else robot.tool.name
    return [
        Heading(1, tr("{robot}: derivation", robot=name)),
        said(
            _(
                "Arm: {robot}; joints: {count}; tool: {tool}. All numbers are for the joint values {values}. Lengths "
                "are in millimetres and angles in degrees, unless stated otherwise."
            ),
            robot=robot.name,
            count=robot.dof,
            tool=tool,
            values=values,
        ),
        Picture("arm", png_of(draw_arm(robot, at.q)), tr("{robot} at these joint values.", robot=name)),
    ]
