"""A student's formula as it is judged, and the names that it may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from armlab.messages import Message
from armlab.model.robot import Robot
from armlab.reports.report import ReportModel, rounded

if TYPE_CHECKING:
    from armlab.kinematics.symbolic.check import FormulaVerdict


class FormulaReport(ReportModel):
    """Whether a formula is right; where not, joint values (° and mm) with both numbers (mm, rad)."""

    right: bool
    code: str
    message: Message
    parameters: Mapping[str, Any]
    counter_example: Mapping[str, float] | None
    yours: float | None
    expected: float | None


class FormulaLength(ReportModel):
    """A length of the arm as a formula names it, mm."""

    name: str
    value: float


class FormulaNames(ReportModel):
    """What can be asked about an arm, and the names that its formulas may use."""

    quantities: tuple[str, ...]
    lengths: tuple[FormulaLength, ...]
    """Those that are not zero."""
    known: tuple[str, ...]
    """Joint values, lengths, constants and functions, series as "theta1 … theta6"."""


def formula_report(verdict: FormulaVerdict) -> FormulaReport:
    """Return a verdict, its parameters in the reader's language."""
    return FormulaReport(
        right=verdict.right,
        code=verdict.message.code,
        message=verdict.message,
        parameters=verdict.message.facts(),
        counter_example=verdict.counter_example,
        yours=verdict.yours,
        expected=verdict.expected,
    )


def formula_names(robot: Robot) -> FormulaNames:
    """Return what formulas of an arm can be about and made of."""
    from armlab.kinematics.symbolic.sampled_arm import END, SampledArm, quantity_names
    from armlab.kinematics.symbolic.vocabulary import Vocabulary

    arm = SampledArm.from_robot(robot)
    words = Vocabulary(arm)
    links = {name: link for link, name in words.links.items()}
    return FormulaNames(
        quantities=tuple(quantity_names(arm)),
        lengths=tuple(
            FormulaLength(name=links.get(name, name), value=rounded(value))
            for name, value in arm.own.items()
            if value and name not in END
        ),
        known=tuple(words.listed()),
    )
