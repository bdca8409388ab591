"""What each command does with a session; one that cannot be done leaves the session as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from armlab.arrays import Floats
from armlab.cell import commands as c
from armlab.cell.arm_runtime import ArmRuntime
from armlab.cell.body_sensors import without_lost_sensors
from armlab.cell.console import Entered, LiveConsole
from armlab.cell.deferred import Deferred
from armlab.cell.document import Stale, change_between, edited
from armlab.cell.events import ConsoleReply, Dragged, Notice
from armlab.cell.mover import not_planned
from armlab.cell.player_commands import PlayerCommands
from armlab.cell.positions import build_at
from armlab.cell.project import Project, SavedPositions
from armlab.cell.real_arm import check_real
from armlab.cell.sensors import SensorMonitor, build_sensors
from armlab.cell.session import Session
from armlab.cell.starts import Start, check_apart, has_same_models, holds_after, is_same_world, start_after
from armlab.cell.stops import Stops
from armlab.cell.user_frames import jog_frame
from armlab.cell.world import Workcell, build_world
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import Message, _
from armlab.motion.checks import check_joint_count

REACH_TO_PICK = 0.15
"""m: how far a body's nearest point may be from the tool when a person picks; a program must be nearer."""


Sensors: TypeAlias = dict[str, SensorMonitor]


class CommandHandler:
    """Does what commands say with a session: edits, jogs, moves, plays."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.player = PlayerCommands(session)
        self._consoles: dict[str, LiveConsole] = {}
        self.stops = Stops()

    def handle(self, command: c.Command) -> None:
        """Do what a command says, however long it takes; one that raises leaves the session as it was."""
        slow = self.begin(command)
        if slow is not None:
            slow.apply(slow.compute())
        if (ahead := self.player.take_ahead()) is not None:
            ahead.hear(ahead.work())

    def begin(self, command: c.Command) -> Deferred | None:  # noqa: PLR0911 - one case per command, each a line
        """Do what a command says, and return None; or return what is left to do, if that may take long.

        No other command but a stop may be done in between.

        What cannot be done is raised, and the session is then as it was.
        """
        history = self._session.history
        if isinstance(command, c.ForArm):
            command = command.model_copy(update={"arm": self._session.arm(command.arm).name})
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
            case c.ConsoleLine():
                return self._console_line(command)
            case c.SelectArm(name=name):
                self._session.select(name)
                return None
            case c.ForPlayer():
                return self.player.begin(command)
            case c.ResetSimulation():
                project = self._session.project
                return Deferred(lambda: build_world(project), self._reset)
            case _:
                self._do(command)
                return None

    def _do(self, command: c.QuickCommand) -> None:
        match command:
            case c.StopMotion():
                self._stop(command)
            case c.Record():
                self._session.record(on=command.on)
            case c.SetLanguage() | c.ShowDocument() | c.Watch() | c.TakeArm():
                pass  # the page's own affair: see the worker and the server's socket
            case _:
                self._do_with(self._session.arm(command.arm), command)

    def _do_with(self, arm: ArmRuntime, command: c.QuickArmCommand) -> None:
        match command:
            case c.JogJoints():
                self._jog_joints(arm, command)
            case c.JogTool():
                T_world_axes = jog_frame(self._session.project, arm.robot, command)
                self._session.take_control(arm)
                arm.jogger.jog_tool(command, T_world_axes, arm.robot.fk(arm.mover.state.q))
            case c.MoveJoints():
                self._move_joints(arm, command)
            case c.PickObject():
                self._session.pick(arm, command.body, REACH_TO_PICK)
            case c.ReleaseObject():
                self._session.place(arm)
            case _:
                assert_never(command)

    def _reset(self, world: Workcell) -> None:
        session = self._session
        session.drop_players()
        session.install_anew(world)
        session.begin_samples()
        for monitor in session.monitors.values():
            monitor.restart()

    def _edit(self, command: c.Edit) -> Deferred | None:
        history = self._session.history
        if command.revision != history.revision:
            raise Stale(revision=history.revision)
        made = edited(history.project, command.changes)
        positions = made.positions
        after, lost = without_lost_sensors(history.project, made.without_positions())

        def change() -> None:
            history.edit(after, command.label, coalesce=command.coalesce)
            self._session.events += lost

        return self._begin_change(change, after) if positions is None else self._open(change, after, positions)

    def _open(self, change: Callable[[], None], after: Project, positions: SavedPositions) -> Deferred:
        """Change the document to `after`, with arms and bodies where they stood when it was saved."""

        def compute() -> tuple[Workcell, Sensors]:
            check_real(after)
            world = build_at(after, positions)
            return world, build_sensors(after, world.scene)

        def apply(built: tuple[Workcell, Sensors]) -> None:
            world, sensors = built
            self._change(change, world, sensors, is_opened=True)
            for arm in world.arms.values():
                self._session.tell(arm.holding(world.scene))

        return Deferred(compute, apply)

    def _begin_change(self, change: Callable[[], None], after: Project | None) -> Deferred | None:
        """Change the document to `after`; where something has to be built for it, that is left to do."""
        session, scene = self._session, self._session.world.scene
        before = session.project
        if after is None or (is_same_world(before, after) and has_same_models(before, after)):
            self._change(change, None)
            return None
        start = None if is_same_world(before, after) else start_after(session, before, after)

        def build(at: Start) -> Workcell:
            world = build_world(after, *at)
            check_apart(before, after, world.scene)
            return world

        def compute() -> tuple[Workcell | None, Sensors]:
            check_real(after)
            world = None if start is None else build(start)
            return world, build_sensors(after, scene if world is None else world.scene)

        def apply(built: tuple[Workcell | None, Sensors]) -> None:
            world, sensors = built
            now = start_after(session, before, after)
            if start is not None and not start.is_near(now):
                world = build(now)
            self._change(change, world, sensors)

        return Deferred(compute, apply)

    def _change(
        self,
        change: Callable[[], None],
        world: Workcell | None,
        sensors: Sensors | None = None,
        *,
        is_opened: bool = False,
    ) -> None:
        """Change the document, and install what was built for it; whatever is raised, nothing has changed then."""
        session = self._session
        before, history, told = session.project, session.history.saved(), session.document()
        kept, events = dict(vars(session)), list(session.events)
        try:
            change()
            session.select_after(before)
            if world is not None:
                self._put_in_place(world, before, session.project, is_opened=is_opened)
        except BaseException:
            vars(session).update(kept)
            session.history.restore(history)
            session.events = events
            raise
        if sensors is not None:
            old = session.monitors
            session.monitors = {
                name: old[name] if name in old and made.is_like(old[name]) else made for name, made in sensors.items()
            }
            for name, monitor in old.items():
                if session.monitors.get(name) is not monitor:
                    monitor.restart()
        session.begin_samples()
        session.tell(change_between(told, session.document()))
        if session.selected != kept["selected"]:
            session.events += session.arm_events()

    def _put_in_place(self, world: Workcell, before: Project, after: Project, *, is_opened: bool) -> None:
        """Install what was built for an edit in the place of what was there."""
        session = self._session
        held = {name: arm.held for name, arm in session.arms.items()}
        kept = [] if is_opened else holds_after(session, before, after)
        if session.is_any_playing():
            session.tell(Notice(message=Message("player_dropped", _("the player stopped: the project has changed"))))
        played = [name for name, arm in session.arms.items() if arm.player is not None]
        session.install(world)
        for arm, body in kept:
            world.simulation.attach(body, arm)
        if kept:
            world.read()
        for name, one in world.arms.items():
            if name in played:
                session.tell(one.report)
            if held.get(name) not in {None, one.held}:
                session.tell(one.holding(world.scene))

    def _jog_joints(self, arm: ArmRuntime, command: c.JogJoints) -> None:
        check_joint_count(arm.robot.name, len(command.shares), arm.robot.dof)
        self._session.take_control(arm)
        speeds = arm.jogger.jog_joints(command)
        if speeds is not None:
            arm.mover.move_joints_at(speeds)

    def _move_joints(self, arm: ArmRuntime, command: c.MoveJoints) -> None:
        if command.revision != self._session.history.revision:
            raise Stale(revision=self._session.history.revision)
        if (last := max(command.targets)) >= arm.robot.dof:
            raise InvalidInput(
                "no_such_joint",
                _("{robot} has {dof} joints; there is no joint {number}"),
                robot=arm.robot.name,
                dof=arm.robot.dof,
                number=last + 1,
            )
        goal = arm.mover.goal.copy()
        for index, value in command.targets.items():
            goal[index] = value * arm.scales[index]
        self._session.take_control(arm)
        arm.jogger.end()
        self._send(arm, goal)

    def _move_tool(self, command: c.MoveTool) -> Deferred:
        arm = self._session.arm(command.arm)
        T_world_tool, start = pose.from_mm_deg(command.pose), arm.mover.state.q
        arm.dragger.begin(start)

        def compute() -> tuple[Floats | None, Dragged]:
            q, answer = arm.dragger.drag(T_world_tool, start, command.sequence)
            return q, answer.model_copy(update={"arm": arm.name})

        def apply(found: tuple[Floats | None, Dragged]) -> None:
            q, answer = found
            now = self._session.arm(command.arm)  # another one may have been built for it meanwhile
            self._session.drop_player(now)
            now.jogger.end()
            if q is not None:
                self._send(now, q)
            self._session.tell(answer)

        return Deferred(compute, apply)

    def _send(self, arm: ArmRuntime, goal: Floats) -> None:
        """Move to `goal` (n,); where that cannot be planned, the arm brakes."""
        if not arm.mover.go_to(goal):
            raise not_planned()

    def _stop(self, command: c.StopMotion) -> None:
        if not command.release:
            self.stops.hear(command.arm)
        for arm in self._session.arms.values():
            if command.arm in {None, arm.name}:
                arm.jogger.end()
                self._session.take_control(arm)
                arm.mover.stop()

    def _console_line(self, command: c.ConsoleLine) -> Deferred:
        arm = self._session.arm(command.arm)
        scene, q = self._session.world.scene_of(arm.name), arm.mover.state.q
        console = self._consoles.setdefault(arm.name, LiveConsole())

        def apply(entered: Entered) -> None:
            self._session.tell(ConsoleReply(arm=arm.name, report=entered.report))
            if entered.player is not None:
                self.player.start(arm.name, entered.player)
            for grip in entered.grips:
                self._do(grip)

        return Deferred(lambda: console.enter(command, scene, q), apply)
