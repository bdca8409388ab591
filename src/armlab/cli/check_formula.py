"""`armlab formula`: is this formula right?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict

from armlab.cli.arguments import AsJson, RobotName, ToolName
from armlab.cli.text import print_json
from armlab.messages import Message, _, plain, reader

if TYPE_CHECKING:
    from armlab.kinematics.symbolic.check import FormulaVerdict

WRONG = 1


class FormulaReport(BaseModel):
    """Whether a formula is right; where not, joint values (° and mm) with both numbers (mm, rad)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    right: bool
    code: str
    message: Message
    parameters: dict[str, Any]
    counter_example: dict[str, float] | None
    yours: float | None
    expected: float | None


def formula(
    robot: RobotName,
    quantity: Annotated[
        str,
        typer.Argument(
            metavar="QUANTITY",
            help=_("x, y, z (tool), r11 … r33, J11 … J66, det (Jacobian), phi (planar arms, SCARA)."),
            show_default=False,
        ),
    ],
    expression: Annotated[
        str,
        typer.Argument(
            metavar="EXPRESSION", help=_('Lengths mm, angles rad: "L1*cos(t1) + L2*cos(t1+t2)".'), show_default=False
        ),
    ],
    tool: ToolName = "none",
    as_json: AsJson = False,
) -> None:
    """Run `armlab formula`."""
    from armlab.catalog import load
    from armlab.kinematics.symbolic.check import check_formula

    verdict = check_formula(load(robot, tool=tool), quantity, expression)
    if as_json:
        print_json(_report(verdict))
    else:
        typer.echo(verdict.message.localized())
    if not verdict.right:
        raise typer.Exit(WRONG)


def _report(verdict: FormulaVerdict) -> FormulaReport:
    return FormulaReport(
        right=verdict.right,
        code=verdict.message.code,
        message=verdict.message,
        parameters=plain(verdict.message.parameters, reader.get()),
        counter_example=verdict.counter_example,
        yours=verdict.yours,
        expected=verdict.expected,
    )
