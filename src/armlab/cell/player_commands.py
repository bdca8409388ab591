"""What is told of what an arm plays: begin it, hold it, go to another time, step, switch an input."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from armlab.cell import commands as c
from armlab.cell.arm_runtime import ArmRuntime
from armlab.cell.deferred import Ahead, Deferred
from armlab.cell.mover import not_planned
from armlab.cell.playback import Bench, make_player
from armlab.cell.player import Player
from armlab.cell.preview import Preview
from armlab.cell.scrubbing import moment_after
from armlab.cell.session import Session
from armlab.cell.world import build_scene, build_world
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.program.execution.statements import Place


class PlayerCommands:
    """Does what commands say with the players of a session's arms."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._ahead: Ahead | None = None

    def take_ahead(self) -> Ahead | None:
        """Return what is to be run ahead now, once."""
        ahead, self._ahead = self._ahead, None
        return ahead

    def begin(self, command: c.PlayerCommand) -> Deferred | None:  # noqa: C901, PLR0912 - one case each
        """Do what a command says, and return None; or return what is left to do, if that may take long.

        Raises:
            ArmlabError: if it cannot be done; the session is then as it was.
        """
        arm = self._session.arm(command.arm)
        match command:
            case c.Play():
                return self._play(arm, command)
            case c.Seek(time=time):
                return self._seek(arm, time)
            case c.ResumePlayer():
                return self._resume(arm)
            case c.PausePlayer():
                arm.playing().is_paused = True
            case c.SingleStep(how=how):
                if how == "back":
                    return self._seek(arm, arm.playing().start_of_last())
                arm.playing().step(how)
            case c.RunToLine(line=line):
                arm.playing().run_to(line)
            case c.SetBreakpoints(lines=lines):
                arm.breakpoints = lines
                if arm.player is not None:
                    arm.player.set_breakpoints(_places(lines))
            case c.SetRate(rate=rate):
                arm.playing().rate = rate
            case c.SetLoop(on=is_on):
                arm.playing().loop = is_on
            case c.SwitchInput(name=name, value=value):
                if arm.player is not None:
                    arm.player.switch(name, value)
            case _:
                assert_never(command)
        return None

    def start(self, name: str, player: Player) -> None:
        """Let an arm play something, from its start."""
        session = self._session
        if player.has_own_bodies:
            session.put_bodies_back(name, session.arm(name).mover.state.q)
        arm = session.arm(name)
        arm.jogger.end()
        arm.dragger.end()
        player.set_breakpoints(_places(arm.breakpoints))
        arm.player = player
        self._approach(arm)
        session.tell(arm.report)
        if player.look_further is not None:
            self._ahead = Ahead(name, player.look_further, lambda found: self._hear_ahead(name, player, found))

    def _play(self, arm: ArmRuntime, command: c.Play) -> Deferred:
        session, name = self._session, arm.name
        rows = session.recorders.of(name).samples.rows() if command.what == "recording" else None
        bench = Bench(session.project.arm(name), session.world.scene_now(name), arm.state, rows)
        return Deferred(
            lambda: make_player(bench, command.what, loop=command.loop, anyway=command.anyway),
            lambda player: self.start(name, player),
        )

    def _hear_ahead(self, name: str, player: Player, found: Preview) -> None:
        player.preview = found
        arm = self._session.arms.get(name)
        if arm is not None and arm.player is player:
            self._session.tell(arm.report)

    def _approach(self, arm: ArmRuntime) -> None:
        """Move to where the player is; if no motion there is found, there is nothing to play."""
        arm.is_approaching = True
        if not arm.mover.go_to(arm.playing().state().q):
            self._session.drop_player(arm)
            raise not_planned()

    def _seek(self, arm: ArmRuntime, time: float, then: Callable[[], None] = lambda: None) -> Deferred | None:
        """Put the player at a time; where that is not planned, or forgotten, that is left to do."""
        session, player = self._session, arm.playing()
        time, done = min(time, player.duration), player.acts_done

        def arrive(_sought: None) -> None:
            now = session.arms.get(arm.name)  # another one may have been built for it meanwhile
            if now is None or now.player is not player:
                return
            if player.acts_done != done:
                now = self._put_bodies(now, player)
            self._approach(now)
            session.tell(now.progress)
            then()

        if player.is_planned(time):
            player.seek(time)
            arrive(None)
            return None
        player.hold()  # until it is there, nobody else touches it
        arm.mover.stop()
        arm.is_approaching = True
        return Deferred(lambda: player.seek(time), arrive)

    def _put_bodies(self, arm: ArmRuntime, player: Player) -> ArmRuntime:
        """Put an arm and the bodies to where a program has them at its time: they come from another part of it."""
        session, name = self._session, arm.name
        if not session.world.are_idle(besides=name):
            text = _("another arm moves or holds something: stop it first, then choose the time")
            raise InvalidInput("other_arm_busy", text)
        q, acts = player.state().q, player.acts_before(player.time)
        moment = moment_after(build_scene(session.project), arm.robot, acts, q)
        world = build_world(session.project, session.world.commands() | {name: q}, moment.places)
        if moment.held is not None:
            world.simulation.attach(moment.held, name)
        session.go_on_in(world, name)
        session.install(world)
        session.tell(world.arms[name].holding(world.scene))
        return world.arms[name]

    def _resume(self, arm: ArmRuntime) -> Deferred | None:
        player = arm.playing()
        if player.is_over:
            return self._seek(arm, 0.0, player.resume)
        player.resume()
        return None


def _places(lines: frozenset[int]) -> frozenset[Place]:
    """Return where to hold: lines of whatever file."""
    return frozenset((None, line) for line in lines)
