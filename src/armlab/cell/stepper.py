"""Steps of a session: every arm gets its own command, and all are simulated together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.cell.companion import Companion, is_at_rest, is_moved_by_hand
from armlab.cell.events import Failed, Notice
from armlab.cell.mover import Mover
from armlab.cell.player import Player
from armlab.errors import ArmlabError
from armlab.messages import Message, _
from armlab.motion.trajectory import JointState
from armlab.program.instructions import Pick, Place

if TYPE_CHECKING:
    from armlab.cell.session import Session


class _Arm(NamedTuple):
    name: str
    of: Session | Companion
    mover: Mover


class Stepper:
    """Lets the arms of a session follow what they are told, whether a hand or a player tells it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rows: dict[str, list[tuple[Floats, Floats]]] = {}
        """What the arms are told and the simulation has not followed yet, by the arms' names."""
        self._is_resting = False

    def forget(self) -> None:
        """Another setup is installed, or the simulation was lost: the next step tells it everything again."""
        self._rows, self._is_resting = {}, False

    def step(self, steps: int) -> None:
        """Make steps of the simulation, each with its own command; at rest, all of them with one."""
        if not steps:
            return
        session, setup = self._session, self._session.setup
        if self.is_at_rest():
            self._rest(steps)
            return
        self._is_resting = False
        if not setup.others and is_moved_by_hand(session, setup.mover):
            commanded = setup.mover.advance(steps, setup.simulation.timestep)
            setup.simulation.follow(commanded.q, commanded.qd)
            return
        for _step in range(steps):
            self._command(self._session.setup.simulation.timestep)
        self._catch_up()

    def is_at_rest(self) -> bool:
        """Tell whether every arm stands."""
        session, setup = self._session, self._session.setup
        return is_at_rest(session, setup.mover) and all(is_at_rest(other, other.mover) for other in setup.others)

    def end_players(self) -> None:
        """Let players hold that have come to their end."""
        if self._session.player is None and not self._session.setup.others:
            return
        for name, arm, mover in self._arms():
            player = arm.player
            if player is None or player.is_paused or not player.is_over:
                continue
            player.hold()
            mover.place(player.trajectory.end)
            if arm is self._session:
                message = Message("player_ended", _("the motion has ended"))
            else:
                message = Message("other_player_ended", _("{arm}: the motion has ended"), arm=name)
            self._session.tell(Notice(message=message))

    def _arms(self) -> list[_Arm]:
        setup = self._session.setup
        first = _Arm(setup.name, self._session, setup.mover)
        return [first, *(_Arm(other.name, other, other.mover) for other in setup.others)]

    def _rest(self, steps: int) -> None:
        simulation = self._session.setup.simulation
        if not self._is_resting:
            for name, _arm, mover in self._arms():
                q = mover.state.q
                simulation.command(q=q, qd=np.zeros(len(q)), robot=name)
            self._is_resting = True
        simulation.step(steps)

    def _command(self, seconds: float) -> None:
        """Find what every arm is told for one step; picks and places are done before it."""
        rows: dict[str, tuple[Floats, Floats]] = {}
        played: list[tuple[str, Player]] = []
        for name, arm, mover in self._arms():
            if is_at_rest(arm, mover):
                rows[name] = mover.state.q, np.zeros(len(mover.state.q))
            elif is_moved_by_hand(arm, mover):
                state = mover.advance(1, seconds)
                rows[name] = state.q[0], state.qd[0]
            elif arm.player is not None:
                player, rounds = arm.player, arm.player.rounds
                for event in player.advance(seconds):
                    self._do_event(name, player, event)
                if player.rounds > rounds and player.schedule is not None:
                    self._begin_again(name, player)
                played.append((name, player))
        for name, player in played:
            state = player.state()
            self._take_over(name, state)
            rows[name] = state.q, state.qd
        for name, row in rows.items():
            self._rows.setdefault(name, []).append(row)

    def _take_over(self, name: str, state: JointState) -> None:
        next(arm for arm in self._arms() if arm.name == name).mover.take_over(state)

    def _catch_up(self) -> None:
        """Let the simulation follow what the arms were told so far."""
        waiting, self._rows = self._rows, {}
        if waiting:
            rows = {
                name: (np.array([q for q, _ in made]), np.array([v for _, v in made])) for name, made in waiting.items()
            }
            self._session.setup.simulation.follow_together(rows)

    def _do_event(self, name: str, player: Player, event: Pick | Place) -> None:
        self._catch_up()
        session = self._session
        try:
            if isinstance(event, Pick):
                session.pick(event.body, arm=name)
            else:
                session.place(arm=name)
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
        message = error.message
        if name != self._session.setup.name:
            message, step = Message("other_arm_failed", _("{arm}: {reason}"), arm=name, reason=message), None
        self._session.tell(Failed(command="play", message=message, step=step))
