"""`armlab formula`: is this formula right?"""

from __future__ import annotations

from typing import Annotated

import typer

from armlab.cli.arguments import AsJson, RobotName, TcpOption, ToolName, arm_of
from armlab.cli.text import print_json, say
from armlab.messages import _

WRONG = 1


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
    tcp: TcpOption = "",
    as_json: AsJson = False,
) -> None:
    """Run `armlab formula`."""
    from armlab.kinematics.symbolic.check import check_formula
    from armlab.reports.formula import formula_report

    verdict = check_formula(arm_of(robot, tool, tcp), quantity, expression)
    if as_json:
        print_json(formula_report(verdict))
    else:
        say(verdict.message.localized())
    if not verdict.right:
        raise typer.Exit(WRONG)
