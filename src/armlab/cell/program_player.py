"""A program or scenario becomes something that can be played: planned a bounded time ahead of its arm."""

from __future__ import annotations

from functools import partial

from armlab.cell.events import What
from armlab.cell.player import Player, PlayGuard
from armlab.cell.prepared import Source, inputs_of, prepared_program, texts_of
from armlab.cell.preview import Growing, previewed
from armlab.cell.project import ProgramText
from armlab.errors import InvalidInput, LimitViolation, PlanningFailed
from armlab.messages import Message, _, n_
from armlab.model.scene import Scene
from armlab.motion.limits import limits_of
from armlab.program.executor import Executor, ExecutorState
from armlab.program.instructions import Report
from armlab.program.prepare import RunOptions
from armlab.program.probing import contact_in
from armlab.program.scenario_schema import ScenarioFile
from armlab.program.signals import InputChange, Signals

OPTIONS = RunOptions(with_marks=True, passes=None)


def program_player(source: Source, scene: Scene, *, anyway: bool = False) -> Player:
    """Return a player with a program for the first arm of a scene; its inputs may be switched while it runs.

    Raises:
        InvalidInput: if it cannot be read, or does not move the arm.
        PlanningFailed, LimitViolation: if its first motion cannot be done, or must not be played without `anyway`.
    """
    if isinstance(source, ProgramText) and not source.text.strip():
        raise InvalidInput("no_program", _("there is no program yet; write one, or open an example"))
    inputs = inputs_of(source)
    switched: list[InputChange] = []
    contact = contact_in(scene, scene.robots[0].name)

    def again(state: ExecutorState | None) -> Executor:
        ready = prepared_program(source, scene, OPTIONS)
        return Executor(
            ready.cell.robot,
            ready.instructions,
            start=ready.start,
            signals=Signals(dict(inputs), script=tuple(switched), is_live=True),
            contact=contact,
            resume=state,
        )

    robot = scene.robots[0].robot
    what: What = "scenario" if isinstance(source, ScenarioFile) else "program"
    guard = PlayGuard(limits_of(robot), anyway=anyway)
    player = Player(what, again(None), Growing().preview("open"), again=again, guard=guard, inputs=inputs)
    player.switched = switched
    _check_begins(player)
    growing = Growing(texts_of(source))
    for piece in player.pieces:
        growing.take(piece)
    player.preview = growing.preview("open")
    player.look_further = partial(previewed, source, scene)
    return player


def _check_begins(player: Player) -> None:
    """Refuse what cannot begin, or must not."""
    if player.findings:
        first = player.findings[0]
        if first.code == "motion_outside_joint_limits":
            raise LimitViolation(first.message)
        raise too_fast([finding.message for finding in player.findings])
    if player.pieces or not player.is_whole:
        return
    for event in player.advance(0.0):
        if isinstance(event.instruction, Report) and event.instruction.finding.severity == "error":
            if player.what == "scenario":
                raise PlanningFailed(event.instruction.finding.message, step=event.index + 1)
            raise InvalidInput(event.instruction.finding.message)
    if player.what == "scenario":
        raise InvalidInput("scenario_without_motion", _("the scenario has no step that takes time"))
    raise InvalidInput("program_without_motion", _("the program does not move the arm"))


def too_fast(problems: list[Message]) -> LimitViolation:
    """Return the refusal of a motion that exceeds limits: it may be played all the same."""
    text = n_("the motion exceeds a limit: {first}", "the motion exceeds {count} limits, first: {first}")
    return LimitViolation("motion_exceeds_limits", text, count=len(problems), first=problems[0], problems=problems)
