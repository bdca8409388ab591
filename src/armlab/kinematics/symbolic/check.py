"""Is a student's formula right? `check_formula` compares it with the arm at many points.

Two analytic expressions that agree at hundreds of random points agree everywhere, in whatever form they are written.
The points are the same each time. Angles go all the way round and slides to both sides, whatever the joint limits. A
length that the formula names is sampled too, so that L1 and L2 are told apart even where both are 50 mm; a length that
it does not name keeps the arm's number, so that `50*cos(t1)` can be right. An arm has a value everywhere; where the
formula has none (a root of something negative, a division by zero), it differs.
"""

from __future__ import annotations

from dataclasses import dataclass

from armlab.errors import InvalidInput
from armlab.kinematics.symbolic.comparison import Question
from armlab.kinematics.symbolic.counter_example import refusal
from armlab.kinematics.symbolic.formula import parse
from armlab.kinematics.symbolic.sampled_arm import CheckedQuantity, SampledArm, quantity_of
from armlab.messages import Message, _
from armlab.model.robot import Robot


@dataclass(frozen=True)
class FormulaVerdict:
    """Whether a formula is right, as a message, and where not, a pose (° and mm) with both numbers (mm, rad).

    `yours` is None where the formula has no value at that pose.
    """

    right: bool
    message: Message
    counter_example: dict[str, float] | None = None
    yours: float | None = None
    expected: float | None = None


def check_formula(robot: Robot, quantity: str, text: str) -> FormulaVerdict:
    """Tell whether `text` is the arm's formula for a quantity: x, y, z, r11 … r33, J11 … J6n, det, phi.

    Joint values are theta1 or t1, θ1, q1 (rad) and d3 or q3 (mm) by the joint's number; lengths (mm) are a1, d1, … of
    the standard DH table, x_t, y_t, z_t of the tool, and L1, L2, … for planar arms and SCARAs.

    Raises:
        InvalidInput: if the text is not a formula, uses an unknown name, or the arm has no such quantity.
    """
    arm = SampledArm.from_robot(robot)
    what = quantity_of(arm, quantity)
    question = Question.of(arm, what, parse(_right_side(text, what)))
    points = question.random_points(question.named)
    if not question.compare(points).differs.any():
        return FormulaVerdict(True, _confirmation(question))
    pose, yours, expected, message = refusal(question, points)
    return FormulaVerdict(False, message, pose, yours, expected)


def _right_side(text: str, what: CheckedQuantity) -> str:
    """Return what stands after `x =`, in the same columns; text without `=` as it is."""
    left, equals, right = text.partition("=")
    if not equals:
        return text
    if left.strip().lower().replace("_", "") not in {what.name.lower(), "φ"}:
        raise InvalidInput(
            "equals_sign",
            _("column {column}: '=' may only follow the quantity itself, as in {quantity} = …"),
            column=len(left) + 1,
            quantity=what.name,
        )
    return " " * (len(left) + 1) + right


def _confirmation(question: Question) -> Message:
    others = [name for name in question.lengths_of_quantity() if name not in question.named]
    fixed = [name for name in others if _is_a_number_in(question, name)]
    if fixed:
        return Message(
            "right_for_these_lengths",
            _("right at every joint value, but only for this arm's lengths: {lengths}"),
            lengths=question.with_numbers(fixed),
        )
    return Message(
        "right",
        _("right: this is {quantity} of {robot} at every joint value, whatever its lengths"),
        quantity=question.what.name,
        robot=question.arm.robot.name,
    )


def _is_a_number_in(question: Question, length: str) -> bool:
    """Tell whether the formula holds only for the arm's own value of a length that it does not name."""
    return bool(question.compare(question.random_points([*question.named, length])).differs.any())
