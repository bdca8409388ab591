"""`armlab diagnose`: which fault a recording shows, since when, and what speaks for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, TcpOption, ToolName, arm_of, number_of
from armlab.cli.text import console, heading, number, print_json, severity, table
from armlab.errors import InvalidInput, UnknownName
from armlab.messages import _, term, tr

if TYPE_CHECKING:
    from armlab.calibration.clinic.faults import ArmFault
    from armlab.model.robot import Robot
    from armlab.reports.diagnosis import DiagnosisReport
    from armlab.sensing.imu_record import ImuRecord

FOUND = 1
"""Exit status where a fault was found."""
WINDOW = (25.0, 40.0)
"""s: where an injected fault begins unless its time is given."""


def diagnose(
    recording: Annotated[
        Path | None,
        typer.Argument(metavar="[RECORDING]", help=_("What was recorded: .mcap, .csv or .parquet, with torques.")),
    ] = None,
    robot: Annotated[
        str, typer.Option("--robot", metavar="ROBOT", help=_("The arm, as `armlab robots` lists it."))
    ] = "",
    tool: ToolName = "none",
    tcp: TcpOption = "",
    imu: Annotated[
        Path | None, typer.Option("--imu", metavar="FILE", help=_("What an IMU on the arm read at the same time."))
    ] = None,
    link: Annotated[
        str | None, typer.Option("--imu-link", metavar="LINK", help=_("Where the IMU sits; else on the last link."))
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(
            "--reference",
            metavar="FILE",
            help=_("The same work when the arm was healthy: then faults from the start show."),
        ),
    ] = None,
    reference_imu: Annotated[
        Path | None, typer.Option("--reference-imu", metavar="FILE", help=_("What the IMU read with the reference."))
    ] = None,
    inject: Annotated[
        str | None,
        typer.Option(
            "--inject",
            metavar="FAULT[:JOINT][@S]",
            help=_("Write a simulated recording with a fault (or 'none') to -o, and its IMU beside it."),
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help=_("Of the simulated arm, its work and its noise."))] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help=_("With --inject: .csv, .mcap or .parquet."))
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help=_("A report: .html, .md or .tex."))
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run `armlab diagnose`."""
    if not robot:
        raise InvalidInput("robot_needed", _("give the arm with --robot"))
    arm = arm_of(robot, tool, tcp)
    if (inject is None) == (recording is None):
        raise InvalidInput("recording_or_inject", _("give either a recording, or --inject to simulate one"))
    if inject is not None:
        return _inject(arm, inject, seed, output)
    assert recording is not None
    known = (reference, _imu(arm, reference_imu, link))
    return _diagnose(arm, recording, _imu(arm, imu, link), known, report, as_json)


def _diagnose(
    arm: Robot,
    recording: Path,
    imu: ImuRecord | None,
    known: tuple[Path | None, ImuRecord | None],
    report: Path | None,
    as_json: bool,
) -> int:
    from armlab.calibration.clinic.diagnose import diagnose as diagnosed
    from armlab.recording import read_recording
    from armlab.reports.diagnosis import diagnosis_report

    healthy = None if known[0] is None else read_recording(known[0])
    found = diagnosed(arm, read_recording(recording), imu, reference=healthy, reference_imu=known[1])
    made = diagnosis_report(arm, found)
    if report is not None:
        from armlab.documents.diagnosis_report import diagnosis_blocks
        from armlab.documents.writing import write_report

        write_report(diagnosis_blocks(made), report)
    if as_json:
        print_json(made)
    else:
        _print(made)
        if report is not None:
            console().print(tr("{file}: written", file=str(report)), soft_wrap=True)
    return 0 if made.healthy else FOUND


def _imu(arm: Robot, path: Path | None, link: str | None) -> ImuRecord | None:
    if path is None:
        return None
    from dataclasses import replace

    from armlab.sensing.files import read_imu

    where = arm.links[-1].name if link is None else link
    if where not in arm.frame_names:
        raise UnknownName("link", where, arm.frame_names, owner=arm.name)
    return replace(read_imu(path).record, notes={"link": where})


def _inject(arm: Robot, text: str, seed: int, output: Path | None) -> int:
    from armlab.calibration.clinic.plant import simulate_run
    from armlab.files import checked_suffix
    from armlab.recording import export_recording
    from armlab.sensing.files import write_imu

    if output is None:
        raise InvalidInput(
            "output_needed", _("{option}: say with -o which file to write: .csv, .mcap or .parquet"), option="--inject"
        )
    checked_suffix(output, (".csv", ".mcap", ".parquet"))
    run = simulate_run(arm, _fault(arm, text, seed), seed=seed)
    export_recording(run.recording, output, arm)
    beside = write_imu(run.imu, output.with_name(f"{output.stem}-imu{output.suffix}"))
    for file in (output, beside):
        console().print(tr("{file}: written", file=str(file)), soft_wrap=True)
    return 0


def _fault(arm: Robot, text: str, seed: int) -> ArmFault | None:
    """Return the fault that is typed as KIND[:JOINT][@SECONDS]; what is left out is drawn."""
    from dataclasses import replace

    import numpy as np

    from armlab.calibration.clinic.faults import FAULTS, OF_JOINTS, draw_fault

    rest, _at, seconds = text.partition("@")
    kind, _colon, joint = rest.partition(":")
    if kind == "none":
        return None
    known = next((each for each in FAULTS if each == kind), None)
    if known is None:
        raise UnknownName("fault", kind, (*FAULTS, "none"))
    fault = draw_fault(arm, known, np.random.default_rng([seed, 4]), WINDOW)
    if joint:
        names = [each.name for each in arm.joints]
        if joint not in names or known not in OF_JOINTS:
            raise UnknownName("joint", joint, names if known in OF_JOINTS else (), owner=arm.name)
        fault = replace(fault, joint=names.index(joint))
    if seconds:
        fault = replace(fault, onset=number_of(seconds, term(_("onset"))))
    return fault


def _print(made: DiagnosisReport) -> None:
    out = console()
    title = made.title.localized()
    if made.joint is not None:
        title = tr("{cause}, joint '{joint}'", cause=title, joint=made.joint)
    out.print(heading(f"{made.robot}: {title}"))
    out.print(made.evidence.localized(), soft_wrap=True)
    if made.since is not None and made.noticed is not None:
        out.print(tr("since {since:.1f} s, noticed at {noticed:.1f} s", since=made.since, noticed=made.noticed))
    if made.life is not None:
        high = "∞" if made.life.high is None else number(made.life.high, 0)
        out.print(tr("remaining life: {low} … {high} s", low=number(made.life.low, 0), high=high))
        out.print(made.life.assumptions.localized(), soft_wrap=True)
    rows = [(c.title.localized(), c.joint or "–", f"{c.score:.3g}") for c in made.candidates]
    out.print(table(tr("What was considered"), (tr("cause"), tr("joint"), tr("score")), rows, words=(0, 1)))
    if made.healthy_until:
        out.print(tr("The first {time:.1f} s were taken as healthy.", time=made.healthy_until))
        out.print(tr("A fault that was there before is seen with --reference only."), soft_wrap=True)
    if made.unseen:
        from armlab.calibration.clinic.faults import fault_title

        names = ", ".join(fault_title(kind).localized() for kind in made.unseen)
        out.print(tr("not to be seen in this recording: {faults}", faults=names), soft_wrap=True)
    for finding in made.findings:
        out.print(f"{severity(finding.severity)}: {finding.message.localized()}", soft_wrap=True)
