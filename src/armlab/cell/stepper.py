"""Steps of a session: every arm gets its own command, and all are simulated together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.cell.arm_runtime import ArmRuntime
from armlab.cell.events import Failed, Notice
from armlab.cell.player import Player
from armlab.errors import ArmlabError
from armlab.messages import Message, _
from armlab.program.instructions import Pick, Place

if TYPE_CHECKING:
    from armlab.cell.session import Session


class Stepper:
    """Lets the arms of a session follow what they are told, whether a hand or a player tells it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rows: dict[str, list[tuple[Floats, Floats]]] = {}
        """What the arms are told and the simulation has not followed yet, by the arms' names."""
        self._is_resting = False

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

    def end_players(self) -> None:
        """Let players hold that have come to their end."""
        for arm in self._session.arms.values():
            player = arm.player
            if player is None or player.is_paused or not player.is_over:
                continue
            player.hold()
            arm.mover.place(player.trajectory.end)
            text = _("{arm}: the motion has ended")
            self._session.tell(Notice(arm=arm.name, message=Message("player_ended", text, arm=arm.name)))

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
        for name, arm in tuple(self._session.arms.items()):
            if arm.is_at_rest or arm.is_moved_by_hand():
                q, qd = self._moved_by_hand(arm, 1)
                rows[name] = q[0], qd[0]
            elif arm.player is not None:
                player, rounds = arm.player, arm.player.rounds
                for event in player.advance(seconds):
                    self._do_event(name, player, event)
                if player.rounds > rounds and player.schedule is not None:
                    self._begin_again(name, player)
                played.append((name, player))
        for name, player in played:  # a round that begins again puts other runtimes in the place of these
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

    def _do_event(self, name: str, player: Player, event: Pick | Place) -> None:
        self._catch_up()
        arm = self._session.arms[name]
        try:
            if isinstance(event, Pick):
                self._session.pick(arm, event.body)
            else:
                self._session.place(arm)
        except ArmlabError as error:
            self._fail(name, player, error, player.step_of(event))

    def _begin_again(self, name: str, player: Player) -> None:
        """Put the bodies back for the next round; where they have no place, the player holds."""
        self._catch_up()
        try:
            self._session.put_bodies_back(name, player.trajectory.start)
        except ArmlabError as error:
            player.hold()
            self._fail(name, player, error)

    def _fail(self, name: str, player: Player, error: ArmlabError, step: int | None = None) -> None:
        player.is_paused = True
        self._session.tell(Failed(command="play", arm=name, message=error.message, step=step))
