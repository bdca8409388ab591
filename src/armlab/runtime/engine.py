"""A session without a clock: it takes commands, lets time pass when told to, and says what happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

from armlab.arrays import Floats
from armlab.errors import ArmlabError, InvalidInput
from armlab.program.schedule import Schedule
from armlab.runtime import commands as c
from armlab.runtime.bench import pose_of
from armlab.runtime.clockwork import Clockwork
from armlab.runtime.document import Stale
from armlab.runtime.events import Holding, Notice
from armlab.runtime.planning import make_player
from armlab.runtime.project import Project
from armlab.runtime.rig import Rig, build_rig, build_scene
from armlab.runtime.scrubbing import events_before, moment_at

REACH_TO_PICK = 0.15
"""m: how far a body's nearest point may be from the tool when a person picks; a program must be nearer."""


class Engine(Clockwork):
    """One arm on a bench with bodies: jogged, sent, played and watched."""

    def handle(self, command: c.Command) -> None:  # noqa: C901, PLR0912 - one case per command, each a line
        """Do what a command says.

        Raises:
            ArmlabError: if it cannot be done; the session is then as it was.
        """
        match command:
            case c.Edit():
                self._edit(command)
            case c.Undo():
                self._change(self._history.undo)
            case c.Redo():
                self._change(self._history.redo)
            case c.JogJoints():
                self._jog_joints(command)
            case c.JogTool():
                self._take_the_hand()
                rig = self._rig
                rig.jogger.jog_tool(command, rig.robot.base, rig.robot.fk(rig.mover.state.q))
            case c.MoveJoints():
                self._move_joints(command)
            case c.MoveTool():
                self._move_tool(command)
            case c.Stop():
                self._stop()
            case c.Play():
                self._play(command)
            case c.Pause():
                self._playing().is_paused = True
            case c.Resume():
                self._resume()
            case c.Seek():
                self._seek(command.time)
            case c.StepOn():
                self._playing().step_on()
            case c.SetPace():
                self._playing().pace = command.pace
            case c.SetLoop():
                self._playing().set_loop(on=command.on)
            case c.Pick():
                self._pick(command.body, REACH_TO_PICK)
            case c.Place():
                self._place()
            case c.Record():
                self._tape.record(on=command.on)
            case c.ResetSimulation():
                rig = build_rig(self.project)
                self._drop_player()
                self._set_up(rig)
            case _:
                assert_never(command)

    def _edit(self, command: c.Edit) -> None:
        if command.revision != self._history.revision:
            raise Stale("the project has changed in the meantime; look again", revision=self._history.revision)
        self._change(lambda: self._history.edit(command.project, command.label, joins=command.joins))

    def _change(self, change: Callable[[], None]) -> None:
        """Change the document, and build what it changes; if that fails, nothing has changed."""
        before, kept = self.project, self._history.saved()
        change()
        after = self.project
        if (before.arm, before.structure, before.bodies) != (after.arm, after.structure, after.bodies):
            try:
                rig = self._rebuilt(before, after)
            except ArmlabError:
                self._history.restore(kept)
                raise
            held = self._held()
            if self._is_playing():
                self._tell(Notice(code="player_dropped"))
            self._drop_player()
            self._set_up(rig)
            if held is not None and held in self._places(before, after) and before.arm == after.arm:
                rig.simulation.attach(held)
                self._take_state()
            elif held is not None:
                self._tell(Holding(body=None))
        self._tell(self._document())

    def _rebuilt(self, before: Project, after: Project) -> Rig:
        q = self._rig.mover.state.q if before.arm.name == after.arm.name else None
        return build_rig(after, q, self._places(before, after))

    def _places(self, before: Project, after: Project) -> Mapping[str, Floats]:
        """Return where the bodies are that an edit does not touch."""
        same = {body.name for body in before.bodies if body in after.bodies}
        return {name: T for name, T in self._state.bodies.items() if name in same}

    def _take_the_hand(self) -> None:
        """A person moves the arm: the player ends where it is, and the mover goes on from there."""
        self._drop_player()
        self._rig.dragger.end()

    def _jog_joints(self, command: c.JogJoints) -> None:
        rig = self._rig
        if len(command.shares) != rig.robot.dof:
            given = f"{rig.robot.dof} joints, but {len(command.shares)} shares are given"
            raise InvalidInput(f"{rig.robot.name} has {given}")
        self._take_the_hand()
        speeds = rig.jogger.jog_joints(command)
        if speeds is not None:
            rig.mover.move_joints_at(speeds)

    def _move_joints(self, command: c.MoveJoints) -> None:
        goal = self._rig.joints(command.q)
        self._take_the_hand()
        self._rig.jogger.end()
        self._rig.mover.go_to(goal)

    def _move_tool(self, command: c.MoveTool) -> None:
        rig = self._rig
        q, answer = rig.dragger.drag(pose_of(command.pose), rig.mover.state.q, command.sequence)
        self._drop_player()
        rig.jogger.end()
        if q is not None:
            rig.mover.go_to(q)
        self._tell(answer)

    def _stop(self) -> None:
        self._rig.jogger.end()
        self._take_the_hand()
        self._rig.mover.stop()

    def _play(self, command: c.Play) -> None:
        rows = self._tape.rows() if command.what == "recording" else None
        player = make_player(self.project, self.robot, command.what, rows, loop=command.loop)
        if player.schedule is not None:  # a program finds its bodies where the project has put them
            self._set_up(build_rig(self.project, self._rig.mover.state.q))
        self._rig.jogger.end()
        self._rig.dragger.end()
        self._player = player
        self._approach()
        self._tell(player.report(self.robot))

    def _approach(self) -> None:
        self._rig.mover.go_to(self._playing().state().q)
        self._is_approaching = True

    def _seek(self, time: float) -> None:
        player = self._playing()
        schedule, done = player.schedule, player.events_done
        if schedule is not None and events_before(schedule, time) != done:
            self._put_bodies(schedule, min(time, player.trajectory.duration))
        player.seek(time)
        self._approach()

    def _put_bodies(self, schedule: Schedule, time: float) -> None:
        """Put arm and bodies to where a scenario has them at some time: they come from another part of it."""
        moment = moment_at(build_scene(self.project), schedule, time)
        rig = build_rig(self.project, schedule.trajectory.at(time).q, moment.places)
        self._set_up(rig)
        if moment.held is not None:
            rig.simulation.attach(moment.held)
            self._take_state()
        self._tell(Holding(body=moment.held))

    def _resume(self) -> None:
        player = self._playing()
        if player.is_over:
            self._seek(0.0)
        player.is_paused = False
