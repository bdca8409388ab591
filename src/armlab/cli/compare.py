"""`armlab compare`: one arm, one motion, three structures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, RobotName, TcpOption, ToolName, arm_of, check_range
from armlab.cli.text import console, decimal, number, print_json_text, progress_bar, table
from armlab.errors import InvalidInput, UnknownName
from armlab.messages import _, term, tr
from armlab.units import joint_scale

if TYPE_CHECKING:
    from armlab.model.robot import Robot
    from armlab.motion.trajectory import Trajectory
    from armlab.sim.compare import StructureComparison
    from armlab.sim.compare_run import Command, JointStep
    from armlab.sim.compare_settings import DriveSettings

DURATIONS = (0.01, 600.0)
"""s: longer motions show nothing new, and take minutes."""
TIMESTEPS = (0.01, 20.0)
"""ms"""
PERCENT = 100.0


def compare(
    robot: RobotName,
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="[SCENARIO]",
            help=_("A .json file, or a name from `armlab simulate ?`; left out: a smooth motion from home and back."),
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help=_("A figure: .png, .svg, .pdf."), show_default=False),
    ] = None,
    duration: Annotated[
        float, typer.Option("--duration", metavar="S", help=_("Of the motion without a scenario, in seconds."))
    ] = 2.0,
    timestep: Annotated[float, typer.Option("--timestep", metavar="MS", help=_("Of the simulation, ms."))] = 1.0,
    step: Annotated[
        str | None,
        typer.Option(
            "--step",
            metavar="JOINT=BY",
            help=_("Instead of a motion: one joint is told another value at once, e.g. A1=20 (°, mm)."),
            show_default=False,
        ),
    ] = None,
    stiffness: Annotated[float, typer.Option("--stiffness", metavar="X", help=_("Of the drives, times."))] = 1.0,
    damping: Annotated[float, typer.Option("--damping", metavar="X", help=_("Of the drives, times."))] = 1.0,
    force_limit: Annotated[float, typer.Option("--force-limit", metavar="X", help=_("Of the drives, times."))] = 1.0,
    mass: Annotated[float, typer.Option("--mass", metavar="X", help=_("Of all links and the tool, times."))] = 1.0,
    friction: Annotated[
        float, typer.Option("--friction", metavar="%", help=_("Dry friction, in percent of the force limit."))
    ] = 0.0,
    tool: ToolName = "none",
    tcp: TcpOption = "",
    as_json: AsJson = False,
) -> None:
    """Run `armlab compare`."""
    from armlab.sim.compare import compare as run

    check_range("--duration", duration, *DURATIONS, term(_("s")))
    check_range("--timestep", timestep, *TIMESTEPS, term(_("ms")))
    settings = _settings(friction, stiffness=stiffness, damping=damping, force_limit=force_limit, mass=mass)
    arm, path = _commanded(arm_of(robot, tool, tcp), scenario, step, duration)
    if output is not None:
        from armlab.figures.style import check_figure_path

        output = check_figure_path(output)
    with progress_bar(tr("{robot}: three structures", robot=arm.name), as_json=as_json) as progress:
        made = run(
            arm,
            path,
            duration=duration,
            timestep=timestep * 1e-3,
            settings=settings,
            on_progress=lambda share: progress(round(100.0 * share), 100),
        )
    if output is not None:
        from armlab.figures.compare import draw_comparison, save_figure

        save_figure(draw_comparison(made), output)
    if as_json:
        from armlab.reports.comparison import structure_report

        rows = {name: structure_report(one).model_dump(mode="json") for name, one in made.metrics.items()}
        print_json_text(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        _print_table(made, scenario or (tr("joint step {step}", step=step) if step else tr("standard motion")))
        for name, metrics in made.metrics.items():
            for finding in metrics.findings:
                console().print(f"{name}: {finding.message.localized()}", soft_wrap=True, markup=False)
        if output is not None:
            console().print(tr("{file}: written", file=str(output)), soft_wrap=True)


def _settings(friction: float, **factors: float) -> DriveSettings:
    """Return the typed settings, if each is in its range."""
    from armlab.sim.compare_settings import BOUNDS, DriveSettings

    for name, value in factors.items():
        check_range(f"--{name.replace('_', '-')}", value, *BOUNDS[name], term(_("times")))
    check_range("--friction", friction, 0.0, PERCENT, "%")
    return DriveSettings(**factors, friction=friction / PERCENT)


def _commanded(arm: Robot, scenario: str | None, step: str | None, duration: float) -> tuple[Robot, Command | None]:
    """Return the arm where it stands, and what it is told to do; None for the standard motion."""
    if scenario is not None and step is not None:
        raise InvalidInput("step_and_scenario", _("--step: give a step or a scenario, not both"))
    if scenario is not None:
        return _along(scenario, arm)
    return arm, None if step is None else _step(step, arm, duration)


def _step(text: str, arm: Robot, duration: float) -> JointStep:
    """Return the step that was typed: a joint by its name or number, and by how much it jumps."""
    from armlab.cli.arguments import number_of
    from armlab.sim.compare_run import JointStep

    name, sign, by = text.rpartition("=")
    names = [joint.name for joint in arm.joints]
    if not sign:
        raise InvalidInput(
            "step_form", _("--step: expected JOINT=BY, e.g. {joint}=20, got '{text}'"), joint=names[0], text=text
        )
    if name in names:
        joint = names.index(name)
    elif name.isascii() and name.isdigit():
        joint = int(name) - 1
    else:
        raise UnknownName("joint", name, names, owner=arm.name)
    scale = joint_scale(arm.joints[joint].kind) if 0 <= joint < arm.dof else 1.0
    return JointStep.of(arm, joint, number_of(by, term("--step")) * scale, duration=duration)


def _along(scenario: str, arm: Robot) -> tuple[Robot, Trajectory]:
    """Return the arm where the scenario's stands, with its tool unless it has one, and the scenario's whole motion.

    Another arm than the scenario's own goes through the same poses of the tool.
    """
    from dataclasses import replace

    from armlab.kinematics.ik import solve_ik
    from armlab.program.instructions import MoveJ
    from armlab.program.scenario import load_scenario
    from armlab.program.schedule import plan_program

    loaded = load_scenario(scenario)
    own, program = loaded.scene.robot(loaded.robot).robot, loaded.program
    placed = (arm if arm.tool.shapes else arm.with_tool(own.tool)).with_base(own.base)
    if arm.name != own.name:
        steps = (
            replace(step, targets=tuple(own.fk(q) if q.ndim == 1 else q for q in step.targets))
            if isinstance(step, MoveJ)
            else step
            for step in program.instructions
        )
        start = solve_ik(placed, own.fk(program.start), start=placed.home)
        program = replace(program, start=start, instructions=tuple(steps))
    schedule = plan_program(placed, program)
    if not schedule.segments:
        raise InvalidInput("nothing_moves", _("scenario '{scenario}': nothing moves in it"), scenario=loaded.name)
    return placed, schedule.trajectory


def _print_table(made: StructureComparison, motion: str) -> None:
    from armlab.reports.comparison import structure_report

    columns = (
        tr("structure"), tr("tool error mm rms"), tr("joint error ° rms"), tr("joint gap mm"), tr("energy drift J"),
        tr("step µs"), tr("unknowns"),
    )  # fmt: skip
    rows = []
    for name, metrics in made.metrics.items():
        report = structure_report(metrics)
        drift = "–" if report.energy_drift is None else decimal(f"{report.energy_drift:.2g}")
        rows.append(
            (
                name,
                number(report.tracking_rms, 5),
                number(report.joint_rms, 6),
                number(report.gap, 5),
                drift,
                number(report.us_per_step, 2),
                str(report.unknowns),
            )
        )
    seconds, steps = number(made.command.duration), number(made.timestep * 1e3)
    title = tr(
        "{robot}, {motion}, {seconds} s, steps of {steps} ms",
        robot=made.robot.name,
        motion=motion,
        seconds=seconds,
        steps=steps,
    )
    console().print(table(title, columns, rows))
