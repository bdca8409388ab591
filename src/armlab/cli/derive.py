"""`armlab derive`: every formula of an arm, on the screen or as a report to hand out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict

from armlab.cli.arguments import (
    AsJson,
    RobotName,
    TcpOption,
    ToolName,
    Units,
    UnitsOption,
    arm_of,
    limit_notes,
    start_values,
)
from armlab.cli.text import console, decimal, heading, joints_text, note, number, print_json, say, table
from armlab.errors import InvalidInput
from armlab.messages import Message, _, tr

if TYPE_CHECKING:
    from armlab.arrays import Floats
    from armlab.kinematics.symbolic.derivation import Derivation
    from armlab.model.robot import Robot

DIGITS = 6


class _Report(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ConditionReport(_Report):
    """A singular condition, and its value in mm to the power that it has."""

    expression: str
    kind: str
    meaning: Message
    value: float
    unit: str


class PoseNumbers(_Report):
    """The numbers of one pose: millimetres and degrees."""

    q: tuple[float, ...]
    xyz: tuple[float, float, float]
    abc: tuple[float, float, float]
    matrix: tuple[tuple[float, ...], ...]
    jacobian: tuple[tuple[float, ...], ...]
    determinant: float | None
    determinant_unit: str | None


class DerivationReport(_Report):
    """The formulas as SymPy writes them; angles in formulas are radians, numbers are millimetres and degrees."""

    robot: str
    convention: str
    variables: tuple[str, ...]
    parameters: dict[str, float]
    shared: dict[str, str]
    """Short names that the formulas use, in the order in which they are to be read."""
    x: str
    y: str
    z: str
    rotation: tuple[tuple[str, ...], ...]
    jacobian: tuple[tuple[str, ...], ...]
    determinant: str | None
    singular: tuple[ConditionReport, ...]
    at: PoseNumbers
    files: tuple[str, ...] | None = None


def derive(
    robot: RobotName,
    q: Annotated[
        str,
        typer.Option(
            "--q", metavar="Q", help=_('Joint values with commas: "0,-90,90"; left out: home.'), show_default=False
        ),
    ] = "",
    configuration: Annotated[
        str,
        typer.Option(
            "--configuration",
            metavar="NAME",
            help=_("A named configuration instead of joint values."),
            show_default=False,
        ),
    ] = "",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help=_("Write a report: .md, .tex or .html."), show_default=False
        ),
    ] = None,
    tool: ToolName = "none",
    tcp: TcpOption = "",
    units: UnitsOption = Units.deg,
    as_json: AsJson = False,
) -> None:
    """Run `armlab derive`."""
    from armlab.kinematics import derive as derive_formulas

    arm = arm_of(robot, tool, tcp)
    if configuration and q:
        raise InvalidInput(
            "configuration_and_values", _("give either joint values with --q or --configuration NAME, not both")
        )
    values = arm.configuration(configuration).copy() if configuration else _joints(arm, q, units)
    if output is not None:
        from armlab.documents.writing import check_report_path

        check_report_path(output)
    if sys.stderr.isatty():
        say(tr("{robot}: deriving …", robot=arm.name), err=True)
    derivation = derive_formulas(arm)
    files = None if output is None else _written(arm, derivation, values, output)
    report = _report(arm, derivation, values)
    if as_json:
        print_json(report.model_copy(update={"files": files}))
    elif files is not None:
        console().print(_sentence(report, files), markup=False, soft_wrap=True)
    else:
        _print_summary(arm, derivation, report)
    for message in limit_notes(arm, values):
        note(message)


def _joints(arm: Robot, text: str, units: Units) -> Floats:
    values = start_values(arm, text, units)
    return arm.home.copy() if values is None else values


def _written(arm: Robot, derivation: Derivation, q: Floats, path: Path) -> tuple[str, ...]:
    from armlab.documents.derivation import derivation_blocks
    from armlab.documents.writing import write_report

    return tuple(str(file) for file in write_report(derivation_blocks(arm, derivation, q), path))


def _report(arm: Robot, derivation: Derivation, q: Floats) -> DerivationReport:
    from armlab.documents import values
    from armlab.kinematics.symbolic.evaluate import evaluate
    from armlab.reports.kinematics import fk_report
    from armlab.units import MM_PER_M

    at, fk = evaluate(derivation, q), fk_report(arm, q)
    determinant = unit = None
    if derivation.determinant is not None and at.determinant is not None:
        power = values.length_power(derivation, derivation.determinant)
        determinant, unit = _round(at.determinant * MM_PER_M**power), _unit(power)
    jacobian = values.jacobian_mm(derivation, at.jacobian)
    tool = derivation.tool
    return DerivationReport(
        robot=arm.name,
        convention=derivation.convention,
        variables=tuple(map(str, derivation.variables)),
        parameters={str(s): _round(values.shown_parameter(s, v)) for s, v in derivation.parameters.items()},
        shared={str(symbol): str(expression) for symbol, expression in derivation.shared},
        x=str(tool[0, 3]),
        y=str(tool[1, 3]),
        z=str(tool[2, 3]),
        rotation=_strings(tool[:3, :3]),
        jacobian=_strings(derivation.jacobian),
        determinant=None if derivation.determinant is None else str(derivation.determinant),
        singular=_conditions(derivation, q),
        at=PoseNumbers(
            q=fk.q,
            xyz=fk.xyz,
            abc=fk.abc,
            matrix=fk.matrix,
            jacobian=tuple(tuple(_round(v) for v in row) for row in jacobian),
            determinant=determinant,
            determinant_unit=unit,
        ),
    )


def _conditions(derivation: Derivation, q: Floats) -> tuple[ConditionReport, ...]:
    from armlab.documents import values
    from armlab.units import MM_PER_M

    numbers = values.numbers_at(derivation, q)
    out = []
    for c in derivation.singular:
        power = values.length_power(derivation, c.expression)
        value = _round(values.value_at(derivation, c.expression, numbers) * MM_PER_M**power)
        text = str(c.expression)
        out.append(ConditionReport(expression=text, kind=c.kind, meaning=c.meaning, value=value, unit=_unit(power)))
    return tuple(out)


def _unit(power: int) -> str:
    return "" if power == 0 else "mm" if power == 1 else f"mm^{power}"


def _strings(matrix: Any) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(str(entry) for entry in row) for row in matrix.tolist())


def _round(value: float) -> float:
    return round(float(value), DIGITS) + 0.0


def _print_summary(arm: Robot, derivation: Derivation, report: DerivationReport) -> None:
    out = console()

    def say(text: str = "") -> None:
        out.print(text, soft_wrap=True)

    out.print(heading(f"{report.robot}  {joints_text(arm, report.at.q)}"))
    rows = [(r.joint, *(str(entry) for entry in (r.theta, r.d, r.a, r.alpha))) for r in derivation.rows]
    standard, modified = tr("Denavit–Hartenberg, standard"), tr("Denavit–Hartenberg, modified")
    title = standard if report.convention == "standard" else modified
    out.print(table(title, (tr("joint"), "theta", "d", "a", "alpha"), rows, words=(0, 1, 2, 3, 4)))
    say(
        tr("numbers (mm, °):")
        + "  "
        + "  ".join(f"{name} = {number(value)}" for name, value in report.parameters.items())
    )
    wanted = derivation.tool[:3, 3].free_symbols
    for symbol, expression in derivation.shared:
        if symbol in wanted:
            say(f"{symbol} = {expression}")
    say()
    for axis, formula, value in zip("xyz", (report.x, report.y, report.z), report.at.xyz, strict=True):
        say(f"{axis} = {formula}\n  = {number(value)} {tr('mm')}")
    say()
    if report.determinant is not None and report.at.determinant is not None:
        shown = decimal(f"{report.at.determinant:.6g}")
        say(f"det J = {report.determinant}\n      = {shown} {report.at.determinant_unit}".rstrip())
    for condition in report.singular:
        zero = f"{condition.expression} = 0"
        say(tr("singular where {equation}: {meaning}", equation=zero, meaning=condition.meaning))
        say("  " + tr("here: {value:.6g} {unit}", value=condition.value, unit=condition.unit).rstrip())
    say(tr("the whole derivation: -o report.html, report.tex or report.md"))


def _sentence(report: DerivationReport, files: tuple[str, ...]) -> str:
    *pictures, document = files
    at = "  ".join(f"{axis} {number(v, 1)}" for axis, v in zip("XYZ", report.at.xyz, strict=True))
    facts = {"file": document, "robot": report.robot, "xyz": at}
    if not pictures:
        return tr("{file}: derivation of {robot}, tool at {xyz} mm", **facts)
    names = [Path(file).name for file in pictures]
    return tr("{file}: derivation of {robot}, tool at {xyz} mm; pictures beside it: {names}", **facts, names=names)
