"""`armlab formula`: is this formula right?"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from armlab.cli.arguments import AsJson, RobotName, ToolName

WRONG = 1


def formula(
    robot: RobotName,
    quantity: Annotated[
        str,
        typer.Argument(
            metavar="QUANTITY",
            help="x, y, z (tool), r11 … r33, J11 … J66, det (Jacobian), phi (planar arms, SCARA).",
            show_default=False,
        ),
    ],
    expression: Annotated[
        str,
        typer.Argument(
            metavar="EXPRESSION", help='Lengths mm, angles rad: "L1*cos(t1) + L2*cos(t1+t2)".', show_default=False
        ),
    ],
    tool: ToolName = "none",
    as_json: AsJson = False,
) -> None:
    """Check a formula: right, or wrong with a pose where it fails (exit status 1)."""
    from armlab.catalog import load
    from armlab.kinematics.symbolic.check import check_formula

    verdict = check_formula(load(robot, tool=tool), quantity, expression)
    if as_json:
        print(json.dumps(asdict(verdict), indent=2, ensure_ascii=False))
    else:
        typer.echo(verdict.sentence)
    if not verdict.right:
        raise typer.Exit(WRONG)
