"""`armlab import` and `armlab export`: arms from and to the formats of others."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, RobotName, TcpOption, ToolName, arm_of
from armlab.cli.text import console, heading, in_one_line, number, print_json, severity, table
from armlab.errors import InvalidInput
from armlab.messages import _, tr

if TYPE_CHECKING:
    from armlab.catalog.importing import ImportedArm, ImportOptions
    from armlab.formats.mesh_units import MeshUnit
    from armlab.model.pair_rule import PairRule
    from armlab.model.robot import Robot
    from armlab.reports.imported import ImportReport


MOST_SECONDS = 600.0
"""Of reading one arm; the page allows a tenth of it."""
ArmFileOut = Annotated[
    Path | None, typer.Option("-o", "--out", metavar="ARM.toml", help=_("Write the arm to this file."))
]
ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help=_("Write the report: .html, .md, .tex or .json."))
]
Allowed = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="A,B", help=_("Leave two links out of collision checks; can be repeated.")),
]
Compared = Annotated[
    list[str] | None,
    typer.Option("--compare", metavar="A,B", help=_("Compare two links though the file leaves them out.")),
]


class DhKind(StrEnum):
    """The conventions of a DH table."""

    standard = "standard"
    modified = "modified"


class LengthUnit(StrEnum):
    """The units that meshes come in."""

    m = "m"
    cm = "cm"
    mm = "mm"
    inch = "in"


class ExportKind(StrEnum):
    """The formats that an arm can be written in."""

    urdf = "urdf"
    mjcf = "mjcf"
    dh = "dh"
    toml = "toml"
    glb = "glb"
    usd = "usd-ascii"


_SUFFIXES = {
    ExportKind.urdf: (".urdf", ".xml"),
    ExportKind.mjcf: (".xml", ".mjcf"),
    ExportKind.dh: (".dh.toml", ".toml"),
    ExportKind.toml: (".toml",),
    ExportKind.glb: (".glb",),
    ExportKind.usd: (".usda", ".usd"),
}
"""Endings of the files, the first where none is given."""


def import_arm(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help=_("A file ({arm_files}), a folder or a zip; with --joints also a CAD assembly."),
            show_default=False,
        ),
    ],
    out: ArmFileOut = None,
    report: ReportFile = None,
    base: Annotated[
        str | None, typer.Option("--base", metavar="LINK", help=_("The link that the arm stands on."))
    ] = None,
    tip: Annotated[str | None, typer.Option("--tip", metavar="LINK", help=_("The link at the arm's end."))] = None,
    chains: Annotated[bool, typer.Option("--chains", help=_("Only list the chains that there are."))] = False,
    file: Annotated[
        str | None, typer.Option("--file", metavar="NAME", help=_("Which file of a folder or zip is the arm."))
    ] = None,
    argument: Annotated[
        list[str] | None, typer.Option("--arg", metavar="NAME=VALUE", help=_("An argument of a xacro template."))
    ] = None,
    dh: Annotated[DhKind | None, typer.Option("--dh", help=_("The convention of a DH table."))] = None,
    joints: Annotated[
        Path | None,
        typer.Option("--joints", metavar="JOINTS.toml", help=_("Axes and pivots of a CAD assembly (STEP, FBX, GLB).")),
    ] = None,
    snap: Annotated[
        bool, typer.Option(help=_("Make rounded angles and zeros exact where that moves the tool by < 1 µm."))
    ] = True,
    allow: Allowed = None,
    compare: Compared = None,
    mesh_unit: Annotated[
        LengthUnit | None,
        typer.Option("--mesh-unit", help=_("The unit of STL, OBJ and PLY files, where the guess is wrong.")),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run `armlab import`."""
    from armlab.catalog.importing import ImportOptions
    from armlab.jobs import UPLOAD, Ticket, submit
    from armlab.reports.imported import import_report

    _check_report(report)
    given = dict(_pair(text) for text in argument or ())
    rules = (*_rules("--allow", allow, False), *_rules("--compare", compare, True))
    unit: MeshUnit | None = None if mesh_unit is None else mesh_unit.value
    options = ImportOptions(base, tip, file, given, None if dh is None else dh.value, joints, snap, rules, unit)
    lane = replace(UPLOAD, cpu_s=MOST_SECONDS, is_warm=False)  # one process is no gain over another
    arm = submit(Ticket(lane), _imported, path, options).result()
    made = import_report(arm)
    _write(made, arm.robot, report, out)
    if as_json:
        print_json(made)
    elif chains:
        _print_chains(made)
    else:
        _print_report(made, out)


def _imported(path: Path, options: ImportOptions) -> ImportedArm:
    """Return the arm of a file; runs in a process of its own, whose steps are shown."""
    from armlab.catalog.importing import import_arm as bring

    return bring(path, options, on_mesh=_say_mesh)


def export(
    robot: RobotName,
    to: Annotated[ExportKind, typer.Option("--to", help=_("The format."), show_default=False)],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help=_("The file; left out: the arm's name."))
    ] = None,
    tool: ToolName = "none",
    tcp: TcpOption = "",
) -> None:
    """Run `armlab export`."""
    from armlab.catalog.write import write_robot
    from armlab.files import checked_suffix, write_whole
    from armlab.formats.dh_write import dh_toml
    from armlab.formats.glb import robot_glb
    from armlab.formats.mjcf_write import mjcf_text
    from armlab.formats.urdf import urdf_text
    from armlab.formats.usd_write import usd_text

    arm = arm_of(robot, tool, tcp)
    path = Path(f"{arm.name}{_SUFFIXES[to][0]}") if out is None else checked_suffix(out, _SUFFIXES[to])
    match to:
        case ExportKind.toml:
            write_robot(arm, path)
        case ExportKind.glb:
            write_whole(path, robot_glb(arm))
        case _:
            texts = {"urdf": urdf_text, "mjcf": mjcf_text, "dh": dh_toml, "usd-ascii": usd_text}
            write_whole(path, texts[to.value](arm).encode())
    console().print(tr("written: {file}", file=str(path)))


def _check_report(path: Path | None) -> None:
    """Refuse a report of an unknown kind before the arm is read."""
    from armlab.documents.writing import SUFFIXES
    from armlab.files import checked_suffix

    if path is not None:
        checked_suffix(path, (*SUFFIXES, ".json"))


def _write(made: ImportReport, robot: Robot, report: Path | None, out: Path | None) -> None:
    from armlab.catalog.write import write_robot

    if report is not None:
        _write_report(made, robot, report)
    if out is not None:
        write_robot(robot, out)


def _write_report(made: ImportReport, robot: Robot, path: Path) -> None:
    from armlab.documents.import_report import import_blocks
    from armlab.documents.writing import write_report
    from armlab.files import write_whole

    if path.suffix.lower() == ".json":
        write_whole(path, made.model_dump_json(indent=2).encode())
    else:
        write_report(import_blocks(made, robot), path)


def _say_mesh(i: int, count: int, name: str) -> None:
    """Show on a terminal which mesh is being read; cutting a large one takes a second."""
    if sys.stderr.isatty():
        print(
            f"\r{i}/{count} {in_one_line(name)[-60:]:60}", end="\n" if i == count else "", file=sys.stderr, flush=True
        )


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise InvalidInput("argument_pair", _("--arg '{text}': give NAME=VALUE"), text=text[:80])
    return name, value


def _rules(option: str, texts: list[str] | None, is_compared: bool) -> list[PairRule]:
    """Return pairs of links, each given as `A,B`, as rules."""
    from armlab.model.pair_rule import PairRule

    rules = []
    for text in texts or ():
        first, sign, second = text.partition(",")
        if not (sign and first.strip() and second.strip()):
            raise InvalidInput(
                "pair_text", _("{option} '{text}': give two links as A,B"), option=option, text=text[:80]
            )
        rules.append(PairRule(first.strip(), second.strip(), is_compared, option))
    return rules


def _print_chains(report: ImportReport) -> None:
    rows = [(chain.base, chain.tip, str(chain.dof)) for chain in report.chains]
    console().print(table(tr("Chains"), (tr("base"), tr("tip"), tr("axes")), rows, words=(0, 1)))


def _print_report(report: ImportReport, written: Path | None) -> None:
    out = console()
    out.print(heading(f"{report.robot}  ({report.kind}: {report.file})"))
    health = report.health
    out.print(tr("axes: {axes}; health: {score} of 100", axes=report.dof, score=health.score))
    parts = (health.geometry, health.limits, health.inertias, health.meshes, health.collision)
    columns = (tr("geometry"), tr("limits"), tr("inertias"), tr("meshes"), tr("collision"))
    out.print(table("", columns, [tuple(number(part, 1) for part in parts)], words=()))
    rows = [(row.joint, *(number(value) for value in (row.theta, row.d, row.a, row.alpha))) for row in report.dh]
    out.print(
        table(tr("DH, standard: Rz(θ) Tz(d) Tx(a) Rx(α)"), (tr("joint"), "θ °", tr("d mm"), tr("a mm"), "α °"), rows)
    )
    out.print(tr("the table is exact to {error} mm", error=f"{report.dh_error:.1e}"))
    for finding in report.findings:
        line = finding.where.get("line")
        place = f"{finding.where.get('file', report.file)}{'' if line is None else f':{line}'}"
        out.print(
            f"{place}: {severity(finding.severity)}: {finding.message.localized()} [{finding.code}]", soft_wrap=True
        )
    if not report.findings:
        out.print(tr("nothing had to be guessed or repaired"))
    if written is not None:
        out.print(tr("written: {file}", file=str(written)))
