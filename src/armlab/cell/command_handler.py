"""What each command does with a session; one that cannot be done leaves the session as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, assert_never

from armlab.arrays import Floats
from armlab.cell import commands as c
from armlab.cell.attached_poses import with_resolved_poses
from armlab.cell.body_sensors import without_lost_sensors
from armlab.cell.console import Entered, LiveConsole
from armlab.cell.document import Stale
from armlab.cell.events import ConsoleReply, Dragged, Notice
from armlab.cell.live_inputs import can_switch, switch_input
from armlab.cell.plan_contacts import plan_contacts
from armlab.cell.playback import check_playable, make_player
from armlab.cell.player import Player
from armlab.cell.positions import build_at
from armlab.cell.project import Project, SavedPositions
from armlab.cell.real_arm import check_real
from armlab.cell.scrubbing import acts_before, moment_at
from armlab.cell.sensors import SensorMonitor, build_sensors
from armlab.cell.session import Session
from armlab.cell.setup import Setup, build_scene, build_setup
from armlab.cell.starts import (
    Start,
    check_apart,
    has_same_models,
    holds_after,
    is_same_setup,
    select_arm,
    selected_after,
    start_after,
)
from armlab.cell.stops import Stops
from armlab.cell.user_frames import jog_frame
from armlab.errors import InvalidInput, PlanningFailed
from armlab.geometry import pose
from armlab.messages import Message, _
from armlab.motion.checks import check_joint_count
from armlab.motion.limits import limits_of
from armlab.program.schedule import Schedule

REACH_TO_PICK = 0.15
"""m: how far a body's nearest point may be from the tool when a person picks; a program must be nearer."""


class Slow(NamedTuple):
    """A command that takes long: any thread may `compute` it from frozen values; the session's thread does `apply`."""

    compute: Callable[[], Any]
    apply: Callable[[Any], None]


class CommandHandler:
    """Does what commands say with a session: edits, jogs, moves, plays."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._console = LiveConsole()
        self.stops = Stops()

    def handle(self, command: c.Command) -> None:
        """Do what a command says, however long it takes; one that raises leaves the session as it was."""
        slow = self.begin(command)
        if slow is not None:
            slow.apply(slow.compute())

    def begin(self, command: c.Command) -> Slow | None:  # noqa: C901, PLR0911 - one case per command, each a line
        """Do what a command says, and return None; or return what is left to do, if that may take long.

        No other command but a stop may be done in between.

        Raises:
            ArmlabError: if it cannot be done; the session is then as it was.
        """
        history = self._session.history
        if c.is_for_another(command, self._session.setup.name):
            return None  # it comes from before another arm was selected
        self.stops.check(command)
        match command:
            case c.Edit():
                return self._edit(command)
            case c.Undo():
                return self._begin_change(history.undo, history.undo_project)
            case c.Redo():
                return self._begin_change(history.redo, history.redo_project)
            case c.MoveTool():
                return self._move_tool(command)
            case c.Play():
                return self._play(command)
            case c.ConsoleLine():
                return self._console_line(command)
            case c.SelectArm(name=name):
                return Slow(*select_arm(self._session, name))
            case c.SwitchInput():
                return Slow(*switch_input(self._session, command)) if can_switch(self._session) else None
            case c.ResetSimulation():
                project, selected = self._session.project, self._session.selected
                return Slow(lambda: build_setup(project, selected), self._reset)
            case _:
                self._do(command)
                return None

    def _do(self, command: c.QuickCommand) -> None:  # noqa: C901, PLR0912 - one case per command, each a line
        match command:
            case c.JogJoints():
                self._jog_joints(command)
            case c.JogTool():
                setup = self._session.setup
                T_world_axes = jog_frame(self._session.project, setup.robot, command)
                self._take_control()
                setup.jogger.jog_tool(command, T_world_axes, setup.robot.fk(setup.mover.state.q))
            case c.MoveJoints():
                self._move_joints(command)
            case c.StopMotion():
                self._stop(command)
            case c.PausePlayer():
                self._session.playing().is_paused = True
            case c.ResumePlayer():
                self._resume()
            case c.Seek():
                self._seek(command.time)
            case c.SingleStep(how=how):
                self._session.playing().single_step(how)
            case c.SetBreakpoints(lines=lines):
                self._set_breakpoints(lines)
            case c.RunToLine(line=line):
                self._session.playing().run_to(line)
            case c.SetRate():
                self._session.playing().rate = command.rate
            case c.SetLoop():
                self._session.playing().set_loop(on=command.on)
            case c.PickObject():
                self._session.pick(command.body, REACH_TO_PICK)
            case c.ReleaseObject():
                self._session.place()
            case c.Record():
                self._session.record(on=command.on)
            case c.SetLanguage() | c.Watch():
                pass  # the page's own affair: see the server's socket
            case _:
                assert_never(command)

    def _reset(self, setup: Setup) -> None:
        self._session.drop_player()
        self._session.install_anew(setup)
        self._session.begin_samples()
        self._session.sensors.restart()

    def _edit(self, command: c.Edit) -> Slow | None:
        history = self._session.history
        if command.revision != history.revision:
            raise Stale(revision=history.revision)
        positions = command.project.positions
        after, lost = without_lost_sensors(history.project, command.project.without_positions())

        def change() -> None:
            history.edit(after, command.label, coalesce=command.coalesce)
            self._session.events += lost

        return self._begin_change(change, after) if positions is None else self._open(change, after, positions)

    def _open(self, change: Callable[[], None], after: Project, positions: SavedPositions) -> Slow:
        """Change the document to `after`, with arm and bodies where they stood when it was saved."""
        session = self._session

        def compute() -> tuple[Setup, SensorMonitor]:
            check_real(after)
            setup = build_at(after, selected_after(session.selected, session.project, after), positions)
            return setup, build_sensors(after, setup.name, setup.robot)

        def apply(built: tuple[Setup, SensorMonitor]) -> None:
            setup, sensors = built
            self._change(change, setup, sensors, is_opened=True)
            self._session.tell(self._session.setup.holding())

        return Slow(compute, apply)

    def _begin_change(self, change: Callable[[], None], after: Project | None) -> Slow | None:
        """Change the document to `after`; where something has to be built for it, that is left to do."""
        session = self._session
        before, robot = session.project, session.robot
        if after is None or (is_same_setup(before, after) and has_same_models(before, after)):
            self._change(change, None)
            return None
        start = None if is_same_setup(before, after) else start_after(session, before, after)
        selected = selected_after(session.selected, session.project, after)

        def build(at: Start) -> Setup:
            setup = build_setup(after, selected, *at)
            check_apart(before, after, setup.scene)
            return setup

        def compute() -> tuple[Setup | None, SensorMonitor]:
            check_real(after)
            setup = None if start is None else build(start)
            return setup, build_sensors(after, selected, robot if setup is None else setup.robot)

        def apply(built: tuple[Setup | None, SensorMonitor]) -> None:
            setup, sensors = built
            now = start_after(session, before, after)
            if start is not None and not start.is_near(now):
                setup = build(now)
            self._change(change, setup, sensors)

        return Slow(compute, apply)

    def _change(
        self,
        change: Callable[[], None],
        setup: Setup | None,
        sensors: SensorMonitor | None = None,
        *,
        is_opened: bool = False,
    ) -> None:
        """Change the document, and install what was built for it; whatever is raised, nothing has changed then."""
        before, history = self._session.project, self._session.history.saved()
        kept = dict(vars(self._session))
        events = list(self._session.events)
        try:
            change()
            after = self._session.project
            if setup is not None:
                self._put_in_place(setup, before, after, is_opened=is_opened)
        except BaseException:
            vars(self._session).update(kept)
            self._session.history.restore(history)
            self._session.events = events
            raise
        if sensors is not None and not sensors.is_like(self._session.sensors):
            self._session.sensors.restart()
            self._session.sensors = sensors
        self._session.begin_samples()
        self._session.tell(self._session.document())

    def _put_in_place(self, setup: Setup, before: Project, after: Project, *, is_opened: bool) -> None:
        """Install what was built for an edit in the place of what was there."""
        session = self._session
        held, kept = session.held(), [] if is_opened else holds_after(session, before, after)
        if session.is_any_playing():
            session.tell(Notice(message=Message("player_dropped", _("the player stopped: the project has changed"))))
        session.drop_player()
        session.selected = setup.name
        session.install(setup)
        for arm, body in kept:
            setup.simulation.attach(body, arm)
        if kept:
            session.read_state()
        if held is not None and session.held() != held:
            session.tell(setup.holding())

    def _take_control(self) -> None:
        """End the player where it is: a person moves the arm, and the mover continues from there."""
        self._session.drop_player()
        self._session.setup.dragger.end()

    def _jog_joints(self, command: c.JogJoints) -> None:
        setup = self._session.setup
        check_joint_count(setup.robot.name, len(command.shares), setup.robot.dof)
        self._take_control()
        speeds = setup.jogger.jog_joints(command)
        if speeds is not None:
            setup.mover.move_joints_at(speeds)

    def _move_joints(self, command: c.MoveJoints) -> None:
        setup = self._session.setup
        if command.revision != self._session.history.revision:
            raise Stale(revision=self._session.history.revision)
        if (last := max(command.targets)) >= setup.robot.dof:
            raise InvalidInput(
                "no_such_joint",
                _("{robot} has {dof} joints; there is no joint {number}"),
                robot=setup.robot.name,
                dof=setup.robot.dof,
                number=last + 1,
            )
        goal = setup.mover.goal.copy()
        for index, value in command.targets.items():
            goal[index] = value * setup.scales[index]
        self._take_control()
        setup.jogger.end()
        self._send(goal)

    def _move_tool(self, command: c.MoveTool) -> Slow:
        setup = self._session.setup
        T_world_tool, start = pose.from_mm_deg(command.pose), setup.mover.state.q
        setup.dragger.begin(start)

        def apply(found: tuple[Floats | None, Dragged]) -> None:
            q, answer = found
            self._session.drop_player()
            setup.jogger.end()
            if q is not None:
                self._send(q)
            self._session.tell(answer)

        return Slow(lambda: setup.dragger.drag(T_world_tool, start, command.sequence), apply)

    def _send(self, goal: Floats) -> None:
        """Move to `goal` (n,); where that cannot be planned, the arm brakes."""
        if not self._session.setup.mover.go_to(goal):
            raise PlanningFailed("motion_not_planned", _("no motion to the target was found; the arm stops"))

    def _stop(self, command: c.StopMotion) -> None:
        setup, arm = self._session.setup, command.arm
        if arm in {None, setup.name}:
            self.stops.count += not command.release
            setup.jogger.end()
            self._take_control()
            setup.mover.stop()
        for other in setup.others:
            if arm in {None, other.name}:
                other.stop()

    def _play(self, command: c.Play) -> Slow:
        own, robot = self._session.project.arm(self._session.selected), self._session.robot
        scene, state = self._session.scene_now(), self._session.state
        rows = self._session.samples.rows() if command.what == "recording" else None

        def compute() -> Player:
            made = with_resolved_poses(own, robot, state.bodies) if command.what == "poses" else own
            player = make_player(made, robot, command.what, rows, loop=command.loop, scene=scene)
            if command.what in {"plan", "poses"}:
                player.findings += plan_contacts(scene, state, player.trajectory)
            check_playable(player, limits_of(robot), anyway=command.anyway)
            return player

        return Slow(compute, self._start_player)

    def _console_line(self, command: c.ConsoleLine) -> Slow:
        scene, q = self._session.scene, self._session.setup.mover.state.q

        def apply(entered: Entered) -> None:
            self._session.tell(ConsoleReply(report=entered.report))
            if entered.player is not None:
                self._start_player(entered.player)
            for grip in entered.grips:
                self._do(grip)

        return Slow(lambda: self._console.enter(command, scene, q), apply)

    def _start_player(self, player: Player) -> None:
        if player.schedule is not None and player.what != "console":  # it finds bodies where the project has them
            self._session.put_bodies_back(self._session.setup.name, self._session.setup.mover.state.q)
        self._session.setup.jogger.end()
        self._session.setup.dragger.end()
        player.breakpoints = self._session.breakpoints
        self._session.player = player
        self._approach()
        self._session.tell(player.report(self._session.robot))

    def _set_breakpoints(self, lines: frozenset[int]) -> None:
        self._session.breakpoints = lines
        if self._session.player is not None:
            self._session.player.breakpoints = lines

    def _approach(self) -> None:
        """Move to where the player is; if no motion there is found, there is nothing to play."""
        self._session.is_approaching = True
        try:
            self._send(self._session.playing().state().q)
        except PlanningFailed:
            self._session.drop_player()
            raise

    def _seek(self, time: float) -> None:
        player = self._session.playing()
        schedule, done = player.schedule, player.events_done
        if schedule is not None and acts_before(schedule, time) != done:
            self._put_bodies(schedule, min(time, player.trajectory.duration))
        player.seek(time)
        self._approach()

    def _put_bodies(self, schedule: Schedule, time: float) -> None:
        """Put arm and bodies to where a scenario has them at some time: they come from another part of it."""
        if not self._session.are_others_idle(self._session.setup.name):
            text = _("another arm moves or holds something: stop it first, then choose the time")
            raise InvalidInput("other_arm_busy", text)
        moment = moment_at(build_scene(self._session.project, self._session.selected), schedule, time)
        at = {other.name: other.mover.state.q for other in self._session.setup.others}
        setup = build_setup(
            self._session.project, self._session.selected, schedule.trajectory.at(time).q, moment.places, at
        )
        setup.go_on_from(self._session.setup)
        self._session.install(setup)
        if moment.held is not None:
            setup.simulation.attach(moment.held, setup.name)
            self._session.read_state()
        self._session.tell(setup.holding())

    def _resume(self) -> None:
        player = self._session.playing()
        if player.is_over:
            self._seek(0.0)
        player.is_paused, player.hold_at = False, None
