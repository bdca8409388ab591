"""What takes long about programs and scenarios, done in processes of their own: checks and translations."""

from __future__ import annotations

from armlab.cell.prepared import prepared_program
from armlab.cell.preview import LONGEST
from armlab.cell.project import ProgramText
from armlab.errors import ArmlabError
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.program.check import check_program
from armlab.program.check_contacts import check_contacts
from armlab.program.prepare import RunOptions
from armlab.program.scenario import program_of
from armlab.program.scenario_schema import ScenarioFile
from armlab.program.schedule import plan_program
from armlab.program.signals import Signals
from armlab.program.trace import PathTrace, SignalNames
from armlab.program.translate.translation import translate_program
from armlab.reports.findings import FindingReport, finding_report, finding_reports
from armlab.reports.program import LineTimeReport, program_findings
from armlab.reports.translation import translation_report
from armlab.server.messages import ProgramPath, ProgramTextCheck, ProgramTranslation, ScenarioCheck
from armlab.server.requests import TranslateQuestion
from armlab.units import MM_PER_M

MOST_FINDINGS = 200
MOST_POINTS = 20_000
MOST_SIGNALS = 64
DIGITS = 3


def checked_program(program: ProgramText, scene: Scene) -> ProgramTextCheck:
    """Return all findings of a program for a scene, with its times and the tool's path."""
    trace, signals = PathTrace(), SignalNames()
    try:
        ready = prepared_program(program, scene, RunOptions(stops_at_errors=False))
        done = check_program(
            ready.cell.robot,
            trace.follow(signals.follow(ready.instructions)),
            scene=ready.cell.scene,
            start=ready.start,
            signals=Signals(dict(program.inputs)),
            seconds=LONGEST,
        )
    except ArmlabError as error:
        return failed_check(error)
    found = [*ready.findings, *done.findings]
    return ProgramTextCheck(
        findings=program_findings(found[:MOST_FINDINGS]),
        left_out=max(0, len(found) - MOST_FINDINGS) + done.left_out,
        motions=done.motions,
        duration=round(done.cycle_time, DIGITS),
        lines=tuple(
            LineTimeReport(line=one.line, time=round(one.time, DIGITS), count=one.count, file=one.file)
            for one in done.lines
        ),
        paths=_paths(trace),
        said=tuple(done.messages[:MOST_FINDINGS]),
        inputs=tuple(signals.inputs[:MOST_SIGNALS]),
        outputs=tuple(signals.outputs[:MOST_SIGNALS]),
    )


def failed_check(error: ArmlabError) -> ProgramTextCheck:
    """Return a check that got no further than an error."""
    where = {key: int(error.parameters[key]) for key in ("line", "column") if key in error.parameters}
    return ProgramTextCheck(findings=program_findings([Finding("error", error.message, where)]))


def translated_program(asked: TranslateQuestion, scene: Scene, robot: Robot | None) -> ProgramTranslation:
    """Return a program in another language, for the arm of a scene or another `robot`."""
    ready = prepared_program(asked.program, scene, RunOptions(stops_at_errors=False, with_marks=True))
    made = translate_program(ready, asked.to, signals=Signals(dict(asked.program.inputs)), robot=robot)
    return ProgramTranslation(report=translation_report("program", made, None))


def checked_scenario(scenario: ScenarioFile, scene: Scene) -> ScenarioCheck:
    """Return what fails in a scenario, and what would touch what."""
    robot = scene.robots[0].robot
    try:
        schedule = plan_program(robot, program_of(scenario, robot))
    except ArmlabError as error:
        return ScenarioCheck(duration=0.0, findings=(_failure(error),))
    if not schedule.segments:
        return ScenarioCheck(duration=0.0, findings=())
    found = check_contacts(scene, schedule).findings
    return ScenarioCheck(duration=round(schedule.trajectory.duration, 6), findings=finding_reports(found))


def _failure(error: ArmlabError) -> FindingReport:
    """Return why the scenario cannot be planned as a finding; `step` says where, if it is one step's fault."""
    where = {"step": int(error.parameters["step"])} if "step" in error.parameters else {}
    return finding_report(Finding("error", error.message, where))


def _paths(trace: PathTrace) -> tuple[ProgramPath, ...]:
    paths, left = [], MOST_POINTS
    for move in trace.moves:
        left -= len(move.points)
        if left < 0:
            break
        points = (move.points * MM_PER_M).round(DIGITS).tolist()
        paths.append(
            ProgramPath(
                line=None if move.span is None else move.span.line,
                rapid=move.is_rapid,
                points=tuple((x, y, z) for x, y, z in points),
            )
        )
    return tuple(paths)
