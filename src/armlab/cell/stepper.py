"""Steps of a session: every arm gets its own command, and all are simulated together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.cell.arm_runtime import ArmRuntime
from armlab.cell.events import Failed, Notice, PlayerProgress
from armlab.cell.mover import AT_REST, not_planned
from armlab.cell.player import Player
from armlab.errors import ArmlabError
from armlab.messages import Message, _
from armlab.program.executor import Event
from armlab.program.instructions import Pick, Place, Report

if TYPE_CHECKING:
    from armlab.cell.session import Session

TOLD_EVERY = 3
"""How many ticks pass before a page is told again how far a player is."""


class Stepper:
    """Lets the arms of a session follow what they are told, whether a hand or a player tells it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rows: dict[str, list[tuple[Floats, Floats]]] = {}
        """What the arms are told and the simulation has not followed yet, by the arms' names."""
        self._is_resting = False
        self._told: PlayerProgress | None = None
        self._told_of: Player | None = None
        self._untold = 0

    def forget(self) -> None:
        """Another world is installed, or the simulation was lost: the next step tells it everything again."""
        self._rows, self._is_resting = {}, False

    def step(self, steps: int) -> None:
        """Make steps of the simulation, each with its own commands; at rest, all of them with one."""
        if not steps:
            return
        arms, simulation = self._session.arms.values(), self._session.world.simulation
        if all(arm.is_at_rest for arm in arms):
            self._rest(steps)
            return
        self._is_resting = False
        if all(arm.is_at_rest or arm.is_moved_by_hand() for arm in arms):
            made = [(arm.name, self._moved_by_hand(arm, steps)) for arm in arms]
            simulation.follow_together(dict(made))
            return
        for _step in range(steps):
            self._command(self._session.world.simulation.timestep)
        self._catch_up()

    def look_ahead(self) -> None:
        """Let players plan what comes next: what takes long is done here, and not while the simulation steps."""
        for name, arm in self._session.arms.items():
            player = arm.player
            if player is not None and not player.is_still:
                try:
                    player.look_ahead(is_there=not arm.is_approaching)
                except ArmlabError as error:
                    self._fail(name, player, error.message)

    def end_players(self) -> None:
        """Let players hold that have come to their end, or begin again; tell how far the selected arm's is."""
        for arm in tuple(self._session.arms.values()):  # a round that begins again puts others in the place of these
            if arm.player is not None and arm.player.is_over and not arm.player.is_paused:
                self._end(self._session.arms[arm.name], arm.player)
        self._tell_progress(self._session.arm())

    def _end(self, arm: ArmRuntime, player: Player) -> None:
        at_end = player.state()
        player.hold()
        if np.abs(at_end.qd).max() > AT_REST:  # the next piece was refused while the arm moves
            arm.mover.take_over(at_end)
            arm.mover.stop()
        else:
            arm.mover.place(at_end.q)
        if player.findings:
            finding = player.findings[0]
            self._fail(arm.name, player, finding.message, line=finding.where.get("line"))
        elif player.loop:
            self._begin_again(arm.name, player)
        else:
            text = _("{arm}: the motion has ended")
            self._session.tell(Notice(arm=arm.name, message=Message("player_ended", text, arm=arm.name)))

    def _tell_progress(self, arm: ArmRuntime) -> None:
        """Tell how far a player is, where that has changed: not more often than somebody can read."""
        if arm.player is None:
            return
        self._untold += 1
        is_another = arm.player is not self._told_of
        if not is_another and self._untold < TOLD_EVERY:
            return
        self._told_of, self._untold = arm.player, 0
        progress = arm.progress
        if is_another or progress != self._told:
            self._told = progress
            self._session.tell(progress)

    def _rest(self, steps: int) -> None:
        simulation = self._session.world.simulation
        if not self._is_resting:
            for name, q in self._session.world.commands().items():
                simulation.command(q=q, qd=np.zeros(len(q)), robot=name)
            self._is_resting = True
        simulation.step(steps)

    def _moved_by_hand(self, arm: ArmRuntime, steps: int) -> tuple[Floats, Floats]:
        """Return what an arm's mover tells it in so many steps, (m, n) each."""
        if arm.is_at_rest:
            q = np.tile(arm.mover.state.q, (steps, 1))
            return q, np.zeros_like(q)
        rows = arm.mover.advance(steps, self._session.world.simulation.timestep)
        return rows.q, rows.qd

    def _command(self, seconds: float) -> None:
        """Find what every arm is told for one step; picks and places are done before it."""
        rows: dict[str, tuple[Floats, Floats]] = {}
        played: list[tuple[str, Player]] = []
        for name, arm in self._session.arms.items():
            if arm.is_at_rest or arm.is_moved_by_hand():
                q, qd = self._moved_by_hand(arm, 1)
                rows[name] = q[0], qd[0]
            elif arm.player is not None:
                self._advance(name, arm.player, seconds)
                played.append((name, arm.player))
        for name, player in played:
            state = player.state()
            self._session.arms[name].mover.take_over(state)
            rows[name] = state.q, state.qd
        for name, row in rows.items():
            self._rows.setdefault(name, []).append(row)

    def _catch_up(self) -> None:
        """Let the simulation follow what the arms were told so far."""
        waiting, self._rows = self._rows, {}
        if waiting:
            rows = {
                name: (np.array([q for q, _ in made]), np.array([v for _, v in made])) for name, made in waiting.items()
            }
            self._session.world.simulation.follow_together(rows)

    def _advance(self, name: str, player: Player, seconds: float) -> None:
        """Let time pass for a player, and do what is due."""
        try:
            due = player.advance(seconds)
        except ArmlabError as error:
            self._fail(name, player, error.message)
            return
        for event in due:
            match event.instruction:
                case Pick() | Place():
                    self._do_event(name, player, event)
                case Report(finding=finding) if finding.severity == "error":
                    self._fail(name, player, finding.message, event=event)
                case _:
                    pass

    def _do_event(self, name: str, player: Player, event: Event) -> None:
        self._catch_up()
        arm = self._session.arms[name]
        try:
            if isinstance(event.instruction, Pick):
                self._session.pick(arm, event.instruction.body)
            else:
                self._session.place(arm)
        except ArmlabError as error:
            self._fail(name, player, error.message, event=event)

    def _begin_again(self, name: str, player: Player) -> None:
        """Put the bodies back for the next round, and go to the start; where that cannot be, the player holds."""
        session = self._session
        try:
            if player.has_own_bodies:
                session.put_bodies_back(name, session.arms[name].mover.state.q)
            player.seek(0.0)
            player.resume()
            arm = session.arms[name]
            arm.is_approaching = True
            if not arm.mover.go_to(player.state().q):
                raise not_planned()
        except ArmlabError as error:
            player.hold()
            self._fail(name, player, error.message)

    def _fail(
        self, name: str, player: Player, message: Message, *, event: Event | None = None, line: object = None
    ) -> None:
        player.is_paused = True
        step = event.index if event is not None and player.what == "scenario" else None
        if event is not None and event.instruction.span is not None:
            line = event.instruction.span.line
        at = line if isinstance(line, int) else None
        self._session.tell(Failed(command="play", arm=name, message=message, step=step, line=at))
