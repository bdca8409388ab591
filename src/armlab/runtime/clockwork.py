"""The half of a session that time drives: the command moves, the simulation follows, and what happens is told.

Nothing in here waits or knows the time of day, so that the same commands at the same times give the same session.
"""

from __future__ import annotations

import contextlib

import numpy as np

from armlab.arrays import Floats
from armlab.errors import ArmlabError, InvalidInput, SimulationDiverged
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.trajectory import JointState
from armlab.program import instructions
from armlab.runtime.document import History
from armlab.runtime.events import Document, Event, Failed, Holding, Layout, Notice
from armlab.runtime.frames import Snapshot, joint_rows, state_frame
from armlab.runtime.jogging import tool_speeds
from armlab.runtime.player import NO_PLAYER, Player
from armlab.runtime.project import Project
from armlab.runtime.rig import TIMESTEP, Rig, build_rig
from armlab.runtime.tape import Tape
from armlab.sim.state import SimState


class Clockwork:
    """One arm on a bench with bodies, its document, and its player; `advance` lets time pass."""

    def __init__(self, project: Project, q: tuple[float, ...] | None = None) -> None:
        """Set up the arm at `q` (joints' units, clipped to the limits), or at home where that is not this arm's."""
        self._history = History(project)
        self._events: list[Event] = []
        self._player: Player | None = None
        self._is_approaching = False
        self._is_resting = False
        self._wanted: list[JointState] = []
        self._tape = Tape()
        self._time = self._spare = self._lag = 0.0
        self._sequence = 0
        self._state: SimState
        self._joints: Floats
        self._set_up(build_rig(project))
        if q is not None and len(q) == self.robot.dof:
            with contextlib.suppress(InvalidInput):  # there is something in the way now
                self._set_up(build_rig(project, self._rig.joints(q)))

    # -- what others ask -------------------------------------------------------------------------------------------

    @property
    def robot(self) -> Robot:
        """The arm; a frozen value that any thread may use."""
        return self._rig.robot

    @property
    def scene(self) -> Scene:
        """The arm and the bodies; a frozen value that any thread may use."""
        return self._rig.scene

    @property
    def project(self) -> Project:
        """The document; a frozen value that any thread may use."""
        return self._history.project

    @property
    def revision(self) -> int:
        """The number of the document's last change."""
        return self._history.revision

    @property
    def q(self) -> Floats:
        """Where the joints are; a value that nobody changes."""
        return self._state.q

    @property
    def tape(self) -> Tape:
        """What was recorded."""
        return self._tape

    @property
    def is_busy(self) -> bool:
        """Whether time must go on even if nobody looks."""
        return self._is_playing() or self._tape.is_recording

    def introduction(self) -> list[Event]:
        """Return what a page must know that has just come."""
        player = NO_PLAYER if self._player is None else self._player.report(self.robot)
        return [self._document(), player, Holding(body=self._held()), *self._rig.toucher.last]

    def take_events(self) -> list[Event]:
        """Return what happened since the last time."""
        events, self._events = self._events, []
        return events

    def state_frame(self) -> bytes:
        """Return the newest state as bytes for the page."""
        self._sequence += 1
        rig = self._rig
        return state_frame(
            Snapshot(
                scales=rig.scales,
                joints=self._joints,
                state=self._state,
                bodies=rig.scene.bodies,
                sequence=self._sequence,
                time=self._time,
                revision=self._history.revision,
                player=self._player,
                is_jogging=rig.jogger.is_active,
                is_moving=rig.mover.is_moving or self._is_playing(),
                is_touching=rig.toucher.is_touching,
                is_recording=self._tape.is_recording,
                lag=self._lag,
            )
        )

    # -- what time does --------------------------------------------------------------------------------------------

    def advance(self, seconds: float) -> None:
        """Let time pass: the command moves, the simulation follows."""
        self._spare += seconds
        steps = int(self._spare / TIMESTEP + 1e-9)
        self._spare -= steps * TIMESTEP
        rig = self._rig
        if rig.jogger.expire(seconds):
            rig.mover.stop()
            self._tell(Notice(code="jog_stopped"))
        self._steer(seconds)
        try:
            self._step(steps)
        except SimulationDiverged as error:
            self._wanted = []
            self._tell(Notice(code="diverged", facts={"message": error.message}))
            self.recover()
        rig = self._rig
        self._time += steps * TIMESTEP
        self._take_state()
        self._tape.write(self._time, self._joints)
        self._end_player_at_its_end()
        was_touching = rig.toucher.is_touching
        for event in rig.toucher.look(self._state.q, self._held(), self._state.bodies, seconds):
            self._tell(event)
        touch = rig.toucher.first_contact
        if rig.toucher.is_touching and not was_touching and touch is not None:
            self._tell(Notice(code="contact", facts={"first": touch.first, "second": touch.second}))

    def _steer(self, seconds: float) -> None:
        """Turn a jog of the tool into joint speeds for the time until this is asked again."""
        rig, heading = self._rig, self._rig.jogger.heading
        if heading is None or self._player is not None:
            return
        wished = tool_speeds(rig.robot, rig.mover.state.q, heading)
        share = rig.mover.move_together_at(wished.qd, seconds + TIMESTEP)
        if wished.is_singular:
            self._tell_of_jog("singular")
        if share < 1.0:
            self._tell_of_jog("limit_reached")

    def _tell_of_jog(self, code: str) -> None:
        if code not in self._rig.jogger.told:
            self._rig.jogger.told.add(code)
            self._tell(Notice(code=code))

    def _step(self, steps: int) -> None:
        """Make steps of the simulation, each with its own command; at rest, all of them with one."""
        if steps and self._is_at_rest():
            self._rest(steps)
            return
        self._is_resting = False
        if self._is_moved_by_hand():
            if steps:
                wanted = self._rig.mover.advance(steps, TIMESTEP)
                self._rig.simulation.follow(wanted.q, wanted.qd)
            return
        for _ in range(steps):
            self._wanted.append(self._played(TIMESTEP))
        self._catch_up()

    def _catch_up(self) -> None:
        """Let the simulation follow what the player wants of it so far."""
        rows, self._wanted = self._wanted, []
        if rows:
            self._rig.simulation.follow(np.array([row.q for row in rows]), np.array([row.qd for row in rows]))

    def _rest(self, steps: int) -> None:
        rig = self._rig
        if not self._is_resting:
            rig.simulation.command(q=rig.mover.state.q, qd=np.zeros(rig.robot.dof))
            self._is_resting = True
        rig.simulation.step(steps)

    def _is_at_rest(self) -> bool:
        return not self._rig.mover.is_moving and (self._player is None or self._player.is_still)

    def _is_moved_by_hand(self) -> bool:
        """Whether the mover moves the arm: nothing is played, or the arm is still on its way to where that starts."""
        if self._player is None:
            return True
        self._is_approaching = self._is_approaching and self._rig.mover.is_moving
        return self._is_approaching

    def _played(self, seconds: float) -> JointState:
        """Return where the player wants the joints to be after the next step."""
        player = self._playing()
        rounds = player.rounds
        for event in player.advance(seconds):
            self._do_event(event)
        if player.rounds > rounds and player.schedule is not None:
            self._catch_up()
            self._set_up(build_rig(self.project, player.trajectory.start))
        state = player.state()
        self._rig.mover.take_over(state)
        return state

    def _do_event(self, event: instructions.Pick | instructions.Place) -> None:
        self._catch_up()
        try:
            if isinstance(event, instructions.Pick):
                self._pick(event.body)
            else:
                self._place()
        except ArmlabError as error:
            assert self._player is not None
            self._player.is_paused = True
            step = self._player.step_of(event)
            self._tell(Failed(command="play", code=error.code, message=error.message, step=step))

    def _end_player_at_its_end(self) -> None:
        player = self._player
        if player is None or player.is_paused or not player.is_over:
            return
        player.hold()
        self._rig.mover.place(player.trajectory.end)
        self._tell(Notice(code="player_ended"))

    def _is_playing(self) -> bool:
        return self._player is not None and not self._player.is_still

    def note_lag(self, seconds: float) -> None:
        """Remember that real time was missed."""
        self._lag += seconds

    def let_go(self) -> None:
        """Stop what a page held down: it is gone."""
        if self._rig.jogger.is_active:
            self._rig.jogger.end()
            self._rig.mover.stop()

    def recover(self) -> None:
        """Start the simulation anew where it last was good, or else where the project says."""
        self._drop_player()
        q = self._state.q
        for start in (q if np.isfinite(q).all() else None, None):
            try:
                self._set_up(build_rig(self.project, start))
            except ArmlabError:
                continue
            return

    def close(self) -> None:
        """Give back what the session holds."""
        self._tape.clear()

    # -- what both halves do ---------------------------------------------------------------------------------------

    def _set_up(self, rig: Rig) -> None:
        self._rig = rig
        self._take_state()
        self._is_resting = False
        self._tape.begin(rig.robot)

    def _take_state(self) -> None:
        """Look at the simulation: everything that is told comes from this look."""
        rig = self._rig
        self._state = rig.simulation.state()
        self._joints = joint_rows(rig.robot, self._state, rig.mover.state)

    def _document(self) -> Document:
        history = self._history
        layout = Layout(
            joints=tuple(joint.name for joint in self.robot.joints),
            links=self.robot.frame_names,
            bodies=tuple(body.name for body in self.scene.bodies),
        )
        return Document(
            project=history.project,
            revision=history.revision,
            layout=layout,
            undo=history.undo_label,
            redo=history.redo_label,
        )

    def _drop_player(self) -> None:
        if self._player is not None:
            self._player = None
            self._tell(NO_PLAYER)
        self._is_approaching = False

    def _playing(self) -> Player:
        if self._player is None:
            raise InvalidInput("nothing is being played")
        return self._player

    def _held(self) -> str | None:
        return self._state.held[0] if self._state.held else None

    def _pick(self, body: str | None, reach: float | None = None) -> None:
        state = self._rig.simulation.state()
        if state.held:
            raise InvalidInput(f"the tool holds '{state.held[0]}' already")
        name = self._rig.toucher.body_to_pick(state, body, reach)
        self._rig.simulation.attach(name)
        self._take_state()
        self._tell(Holding(body=name))

    def _place(self) -> None:
        if not self._rig.simulation.release():
            raise InvalidInput("the tool holds nothing")
        self._take_state()
        self._tell(Holding(body=None))

    def _tell(self, event: Event) -> None:
        self._events.append(event)
