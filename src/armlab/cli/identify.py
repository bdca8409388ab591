"""`armlab identify`: an arm's dynamics or its payload from a recording, and motions to record."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from armlab.cli.arguments import AsJson, TcpOption, ToolName, arm_of, check_range, number_of
from armlab.cli.text import console, heading, number, print_json, severity, table
from armlab.errors import InvalidInput
from armlab.messages import _, term, tr
from armlab.units import MM_PER_M

if TYPE_CHECKING:
    from armlab.arrays import Floats
    from armlab.model.robot import Robot
    from armlab.reports.findings import FindingReport
    from armlab.reports.identification import IdentificationReport, PayloadReport

PERIODS = (2.0, 120.0)
"""s"""
RATES = (20.0, 2000.0)
"""Hz"""


def identify(
    recording: Annotated[
        Path | None,
        typer.Argument(metavar="[RECORDING]", help=_("What was recorded: .mcap, .csv or .parquet, with torques.")),
    ] = None,
    robot: Annotated[
        str, typer.Option("--robot", metavar="ROBOT", help=_("The arm, as `armlab robots` lists it."))
    ] = "",
    tool: ToolName = "none",
    tcp: TcpOption = "",
    payload: Annotated[bool, typer.Option("--payload", help=_("Find what the arm carries beyond its tool."))] = False,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", metavar="FILE", help=_("With --payload: a recording of the arm without the load.")),
    ] = None,
    excite: Annotated[bool, typer.Option("--excite", help=_("Write a motion that shows the arm's dynamics."))] = False,
    simulate: Annotated[
        bool,
        typer.Option("--simulate", help=_("With --excite: also what a simulated arm measures, unlike the drawing.")),
    ] = False,
    load: Annotated[
        str | None,
        typer.Option(
            "--load", metavar="KG[,X,Y,Z]", help=_("With --simulate: what it carries (mm in the tool's frame).")
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help=_("Of the search, the simulated arm and its noise."))] = 0,
    period: Annotated[float, typer.Option("--period", metavar="S", help=_("How long the motion takes, s."))] = 10.0,
    rate: Annotated[float, typer.Option("--rate", metavar="HZ", help=_("Samples per second, Hz."))] = 200.0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help=_("The identified arm (.toml); with --excite the motion (.csv …).")
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help=_("A report: .html, .md or .tex."))
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run `armlab identify`."""
    if not robot:
        raise InvalidInput("robot_needed", _("give the arm with --robot"))
    arm = arm_of(robot, tool, tcp)
    _check_needed((baseline is not None, payload), (simulate, excite), (load is not None, simulate))
    if excite == (recording is not None):
        raise InvalidInput("recording_or_excite", _("give either a recording, or --excite to write a motion for one"))
    if excite:
        check_range("--period", period, *PERIODS, "s")
        check_range("--rate", rate, *RATES, "Hz")
        _excite(arm, output, _load_of(load), simulate, seed, period, rate, as_json)
        return
    assert recording is not None
    if payload:
        _payload(arm, recording, baseline, report, as_json)
    else:
        _dynamics(arm, recording, output, report, as_json)


def _check_needed(*pairs: tuple[bool, bool]) -> None:
    """Raise InvalidInput if an option is given without the one that it needs."""
    if any(given and not needed for given, needed in pairs):
        raise InvalidInput(
            "option_without", _("--baseline needs --payload; --simulate needs --excite, and --load needs --simulate")
        )


def _load_of(text: str | None) -> tuple[float, Floats]:
    """Return mass (kg) and centre (m) of a typed load."""
    if text is None:
        return 0.0, np.zeros(3)
    values = [number_of(part, term(_("load"))) for part in text.split(",")]
    if len(values) not in {1, 4} or values[0] < 0.0:
        raise InvalidInput("wrong_load", _("--load: expected KG or KG,X,Y,Z, got '{text}'"), text=text)
    return values[0], np.array([*values[1:], 0.0, 0.0, 0.0][:3]) / MM_PER_M


def _excite(
    arm: Robot,
    output: Path | None,
    load: tuple[float, Floats],
    simulate: bool,
    seed: int,
    period: float,
    rate: float,
    as_json: bool,
) -> None:
    from armlab.calibration.identification.excitation import excite
    from armlab.calibration.identification.simulated import commanded, simulated, true_arm
    from armlab.files import checked_suffix
    from armlab.recording import export_recording
    from armlab.reports.identification import excitation_report

    if output is None:
        raise InvalidInput(
            "output_needed", _("{option}: say with -o which file to write: .csv, .mcap or .parquet"), option="--excite"
        )
    checked_suffix(output, (".csv", ".mcap", ".parquet"))
    found = excite(arm, seed=seed, period=period)
    if simulate:
        mass, com = load
        written = simulated(true_arm(arm, seed), found.motion, seed=seed, rate=rate, mass=mass, com=com)
    else:
        written = commanded(arm, found.motion, rate=rate)
    export_recording(written, output, arm)
    made = excitation_report(arm, found, str(output), float(written.t[-1]), len(written.t), measured=simulate)
    if as_json:
        print_json(made)
        return
    out = console()
    out.print(
        tr(
            "{robot}: a motion of {duration:g} s, condition number {condition:.3g} (at random {random:.3g})",
            robot=arm.name,
            duration=made.duration,
            condition=made.condition,
            random=made.random_condition,
        )
    )
    out.print(tr("{file}: written", file=made.file), soft_wrap=True)


def _dynamics(arm: Robot, recording: Path, output: Path | None, report: Path | None, as_json: bool) -> None:
    from armlab.calibration.identification.identify import identify as identified
    from armlab.calibration.identification.samples import joint_samples
    from armlab.catalog.write import write_robot
    from armlab.files import checked_suffix
    from armlab.recording import read_recording
    from armlab.reports.identification import identification_report

    if output is not None:
        checked_suffix(output, (".toml",))
    samples = joint_samples(arm, read_recording(recording))
    found = identified(arm, samples)
    made = identification_report(arm, found, samples)
    if report is not None:
        from armlab.documents.identification_report import identification_blocks
        from armlab.documents.writing import write_report

        write_report(identification_blocks(made), report)
    if output is not None:
        write_robot(found.robot, output)
    if as_json:
        print_json(made)
        return
    _print_dynamics(made)
    _print_findings(made.findings)
    _print_written(output, report)


def _payload(arm: Robot, recording: Path, baseline: Path | None, report: Path | None, as_json: bool) -> None:
    from armlab.calibration.identification.identify import identify as identified
    from armlab.calibration.identification.payload import identify_payload
    from armlab.calibration.identification.samples import joint_samples
    from armlab.recording import read_recording
    from armlab.reports.identification import payload_report

    empty = None if baseline is None else identified(arm, joint_samples(arm, read_recording(baseline)))
    samples = joint_samples(arm, read_recording(recording))
    made = payload_report(arm, identify_payload(arm, samples, baseline=empty), samples)
    if report is not None:
        from armlab.documents.identification_report import payload_blocks
        from armlab.documents.writing import write_report

        write_report(payload_blocks(made), report)
    if as_json:
        print_json(made)
        return
    _print_payload(made)
    _print_findings(made.findings)
    _print_written(report)


def _print_dynamics(made: IdentificationReport) -> None:
    out = console()
    facts = {"samples": made.samples, "duration": round(made.duration, 3), "condition": made.condition}
    out.print(heading(tr("{robot}: identified dynamics", robot=made.robot)))
    out.print(tr("{samples} samples, {duration:g} s; condition number {condition:.3g}", **facts))
    drives = [
        (d.joint, number(d.coulomb, 4), number(d.viscous, 4), number(d.rotor_inertia, 5), number(100 * d.explained, 2))
        for d in made.drives
    ]
    of_joints = (tr("joint"), tr("Coulomb N m"), tr("viscous N m s"), tr("rotor kg m²"), tr("explained %"))
    out.print(table(tr("Joints"), of_joints, drives))
    links = [(k.link, number(k.mass), number(k.nominal_mass), *(number(v, 1) for v in k.com)) for k in made.links]
    of_links = (tr("link"), tr("mass kg"), tr("drawn kg"), tr("x mm"), tr("y mm"), tr("z mm"))
    out.print(table(tr("Links"), of_links, links))
    base = [(b.name, b.formula, f"{b.value:.5g}", f"{b.sigma:.2g}", f"{b.nominal:.5g}") for b in made.base]
    of_base = (tr("name"), tr("combination"), tr("value"), tr("standard deviation"), tr("drawn"))
    out.print(table(tr("Base parameters"), of_base, base, words=(0, 1)))


def _print_payload(made: PayloadReport) -> None:
    out = console()
    out.print(heading(tr("{robot}: payload", robot=made.robot)))
    rows = [(tr("mass kg"), number(made.mass, 4), number(made.mass_sigma, 4))]
    for axis, value, sigma in zip("xyz", made.com, made.com_sigma, strict=True):
        rows.append((f"{axis} {tr('mm')}", number(value, 2), number(sigma, 2)))
    title = tr("Beyond the tool; the centre of mass is in the tool's frame.")
    out.print(table(title, (tr("quantity"), tr("value"), tr("standard deviation")), rows))


def _print_findings(findings: Sequence[FindingReport]) -> None:
    for finding in findings:
        console().print(f"{severity(finding.severity)}: {finding.message.localized()}", soft_wrap=True)


def _print_written(*files: Path | None) -> None:
    for file in files:
        if file is not None:
            console().print(tr("{file}: written", file=str(file)), soft_wrap=True)
