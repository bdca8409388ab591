"""A session: one arm among bodies, its document and its player; time drives it, and what happens is told.

Nothing in here waits or knows the time of day, so that the same commands at the same times give the same session.
"""

from __future__ import annotations

import contextlib
import math

import numpy as np

from armlab.arrays import Floats
from armlab.errors import ArmlabError, InvalidInput, SimulationDiverged
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.trajectory import JointState
from armlab.program import instructions
from armlab.recording.folder import RecordingFolder
from armlab.runtime.document import History
from armlab.runtime.events import Document, Event, Failed, Holding, Layout, Notice, PlayerReport
from armlab.runtime.frames import Snapshot, joint_rows, state_frame
from armlab.runtime.jogging import tool_speeds
from armlab.runtime.player import NO_PLAYER, Player
from armlab.runtime.project import Project, Stance
from armlab.runtime.sample_buffer import SampleBuffer
from armlab.runtime.sensors import build_sensors
from armlab.runtime.session_recorder import SessionRecorder
from armlab.runtime.setup import Setup, build_setup, rebuild_setup
from armlab.runtime.stance import build_at
from armlab.sim.state import SimState

SOON_S = 1.0
"""A session that fails again within this time has not recovered."""


class Session:
    """One arm among bodies, its document, and its player; `advance` lets time pass, CommandHandler takes commands.

    Its parts: History (the document), Setup (simulation, Mover, Jogger, Dragger, ProximityMonitor), Player,
    SampleBuffer, recorder, SensorMonitor. Only its thread and command handler touch them; frozen values are for all.
    """

    def __init__(
        self, project: Project, q: tuple[float, ...] | None = None, recordings: RecordingFolder | None = None
    ) -> None:
        """Set up the arm at `q` (joints' units, clipped to the limits), or at home where that is not this arm's.

        Recordings are written to the folder `recordings`; without one they are in memory only.
        """
        self.history = History(project.without_stance())
        self.events: list[Event] = []
        self.player: Player | None = None
        self.breakpoints: frozenset[int] = frozenset()
        self.is_approaching = self._is_resting = False
        self._commanded: list[JointState] = []
        self.samples = SampleBuffer()
        self.recorder = SessionRecorder(self.samples, recordings, self.tell)
        self._time = self._spare = self._lag = 0.0
        self._failed_at, self._failures = -math.inf, 0
        self._sequence = 0
        self.state: SimState
        self._joints: Floats
        self.install(build_setup(project))
        if (stance := project.stance if q is None else Stance.model_construct(q=q)) is not None:
            with contextlib.suppress(InvalidInput):  # there is something in the way now
                self.install(build_at(project, stance))
        self.samples.begin(self.robot)
        self.sensors = build_sensors(project, self.robot)

    # -- what others ask -------------------------------------------------------------------------------------------

    @property
    def robot(self) -> Robot:
        """The arm; a frozen value that any thread may use."""
        return self.setup.robot

    @property
    def scene(self) -> Scene:
        """The arm and the bodies; a frozen value that any thread may use."""
        return self.setup.scene

    @property
    def project(self) -> Project:
        """The document; a frozen value that any thread may use."""
        return self.history.project

    @property
    def revision(self) -> int:
        """The number of the document's last change."""
        return self.history.revision

    @property
    def q(self) -> Floats:
        """Where the joints are; a value that nobody changes."""
        return self.state.q

    @property
    def is_busy(self) -> bool:
        """Whether time must go on even if nobody looks."""
        return self.is_playing() or self.samples.is_recording

    def introduction(self) -> list[Event]:
        """Return what a page must know that has just come."""
        holding, recording = Holding(body=self.held()), self.recorder.report
        return [self.document(), self.player_report(), holding, recording, *self.setup.proximity.last]

    def player_report(self) -> PlayerReport:
        """Return what the player holds."""
        return NO_PLAYER if self.player is None else self.player.report(self.robot)

    def take_events(self) -> list[Event]:
        """Return what happened since the last time."""
        events, self.events = self.events, []
        return events

    def state_frame(self) -> bytes:
        """Return the newest state as bytes for the page."""
        self._sequence += 1
        setup = self.setup
        return state_frame(
            Snapshot(
                scales=setup.scales,
                joints=self._joints,
                state=self.state,
                bodies=setup.scene.bodies,
                sequence=self._sequence,
                time=self._time,
                revision=self.history.revision,
                player=self.player,
                is_jogging=setup.jogger.is_active,
                is_moving=setup.mover.is_moving or self.is_playing(),
                is_touching=setup.proximity.is_touching,
                is_recording=self.samples.is_recording,
                lag=self._lag,
            )
        )

    # -- what time does --------------------------------------------------------------------------------------------

    def advance(self, seconds: float) -> None:
        """Let time pass: the command moves, the simulation follows."""
        self.prepare(seconds)
        self.run(seconds)

    def prepare(self, seconds: float) -> None:
        """Find the command for the next `seconds`; only this can take long, and others need not wait for it."""
        self.recorder.flush()
        self.sensors.flush()
        setup = self.setup
        if setup.jogger.expire(seconds):
            setup.mover.stop()
            self.tell(Notice(message=Message("jog_stopped", _("the jog stopped: the page sent no more signals"))))
        self._steer(seconds)

    def run(self, seconds: float) -> None:
        """Let the simulation follow the command for `seconds`."""
        self._spare += seconds
        timestep = self.setup.simulation.timestep
        steps = int(self._spare / timestep + 1e-9)
        self._spare -= steps * timestep
        try:
            self._step(steps)
        except SimulationDiverged as error:
            self._commanded = []
            text = _("the simulation diverged and was restarted: {reason}")
            self.tell(Notice(message=Message("diverged", text, reason=error.message)))
            self.recover()
        setup = self.setup
        self._time += steps * timestep
        self.read_state()
        self.recorder.take(self._time, self._joints, self.state)
        self.sensors.take(self._time, self.state, setup.mover.state)
        self._end_player_at_its_end()
        was_touching = setup.proximity.is_touching
        for event in setup.proximity.look(self.state.q, self.held(), self.state.bodies, seconds):
            self.tell(event)
        touch = setup.proximity.first_contact
        if setup.proximity.is_touching and not was_touching and touch is not None:
            text = _("contact: '{first}' and '{second}'")
            self.tell(Notice(message=Message("contact", text, first=touch.first, second=touch.second)))

    def _steer(self, seconds: float) -> None:
        """Turn a jog of the tool into joint speeds for the time until this is asked again."""
        setup, tool_jog = self.setup, self.setup.jogger.tool_jog
        if tool_jog is None or self.player is not None:
            return
        target = tool_speeds(setup.robot, setup.mover.state.q, tool_jog)
        share = setup.mover.move_together_at(target.qd, seconds + setup.simulation.timestep)
        if target.is_singular:
            self._tell_of_jog(Message("singular", _("near a singular configuration: the jog is slower")))
        if share < 1.0:
            self._tell_of_jog(Message("limit_reached", _("a joint is near its limit: the jog is slower")))

    def _tell_of_jog(self, message: Message) -> None:
        if message.code not in self.setup.jogger.told:
            self.setup.jogger.told.add(message.code)
            self.tell(Notice(message=message))

    def _step(self, steps: int) -> None:
        """Make steps of the simulation, each with its own command; at rest, all of them with one."""
        if steps and self._is_at_rest():
            self._rest(steps)
            return
        self._is_resting = False
        if self._is_moved_by_hand():
            if steps:
                commanded = self.setup.mover.advance(steps, self.setup.simulation.timestep)
                self.setup.simulation.follow(commanded.q, commanded.qd)
            return
        for _step in range(steps):
            self._commanded.append(self._played(self.setup.simulation.timestep))
        self._catch_up()

    def _catch_up(self) -> None:
        """Let the simulation follow what the player wants of it so far."""
        rows, self._commanded = self._commanded, []
        if rows:
            self.setup.simulation.follow(np.array([row.q for row in rows]), np.array([row.qd for row in rows]))

    def _rest(self, steps: int) -> None:
        setup = self.setup
        if not self._is_resting:
            setup.simulation.command(q=setup.mover.state.q, qd=np.zeros(setup.robot.dof))
            self._is_resting = True
        setup.simulation.step(steps)

    def _is_at_rest(self) -> bool:
        return not self.setup.mover.is_moving and (self.player is None or self.player.is_still)

    def _is_moved_by_hand(self) -> bool:
        """Whether the mover moves the arm: nothing is played, or the arm is still on its way to where that starts."""
        if self.player is None:
            return True
        self.is_approaching = self.is_approaching and self.setup.mover.is_moving
        return self.is_approaching

    def _played(self, seconds: float) -> JointState:
        """Return where the player wants the joints to be after the next step."""
        player = self.playing()
        rounds = player.rounds
        for event in player.advance(seconds):
            self._do_event(event)
        if player.rounds > rounds and player.schedule is not None:
            self._catch_up()
            self.install(build_setup(self.project, player.trajectory.start))
        state = player.state()
        self.setup.mover.take_over(state)
        return state

    def _do_event(self, event: instructions.Pick | instructions.Place) -> None:
        self._catch_up()
        try:
            if isinstance(event, instructions.Pick):
                self.pick(event.body)
            else:
                self.place()
        except ArmlabError as error:
            assert self.player is not None
            self.player.is_paused = True
            step = self.player.step_of(event)
            self.tell(Failed(command="play", message=error.message, step=step))

    def _end_player_at_its_end(self) -> None:
        player = self.player
        if player is None or player.is_paused or not player.is_over:
            return
        player.hold()
        self.setup.mover.place(player.trajectory.end)
        self.tell(Notice(message=Message("player_ended", _("the motion has ended"))))

    def is_playing(self) -> bool:
        """Tell whether a motion is being played and not paused."""
        return self.player is not None and not self.player.is_still

    def note_lag(self, seconds: float) -> None:
        """Remember that real time was missed."""
        self._lag += seconds

    def let_go(self) -> None:
        """Stop what a page held down: it is gone."""
        if self.setup.jogger.is_active:
            self.setup.jogger.end()
            self.setup.mover.stop()

    def recover(self) -> None:
        """Go on from rest where the simulation last was good, bodies and what is held included.

        Where that fails again at once, the setup is built again, each time with less of what was there.
        """
        self.drop_player()
        held, setup = self.held(), self.setup
        self._failures = self._failures + 1 if self._time - self._failed_at < SOON_S else 0
        self._failed_at = self._time
        if self._failures > 0:
            setup = rebuild_setup(self.project, self.state, self._failures - 1)
        else:
            setup.halt()
        self.install(setup)
        if self.held() != held:
            self.tell(Holding(body=self.held()))

    def close(self) -> None:
        """Give back what the session holds; a running recording is finished."""
        self.recorder.close()
        self.samples.clear()

    def record(self, *, on: bool) -> None:
        """Start a recording, or end it."""
        if on:
            self.recorder.start(self.robot, self._time)
        else:
            self.recorder.stop()

    def begin_samples(self) -> None:
        """Forget the samples of another arm: its recording ends here, and its file stays."""
        if not self.samples.is_of(self.robot):
            self.recorder.stop()
            self.samples.begin(self.robot)

    # -- what commands and time both need -------------------------------------------------------------------

    def install(self, setup: Setup) -> None:
        """Put another setup in the place of this one."""
        self.setup = setup
        self.read_state()
        self._is_resting = False

    def read_state(self) -> None:
        """Look at the simulation: everything that is told comes from this look."""
        setup = self.setup
        self.state = setup.simulation.state()
        self._joints = joint_rows(setup.robot, self.state, setup.mover.state)

    def document(self) -> Document:
        """Return the project as pages are told it."""
        history = self.history
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

    def drop_player(self) -> None:
        """End what is played; the arm stays where it is."""
        if self.player is not None:
            self.player = None
            self.tell(NO_PLAYER)
        self.is_approaching = False

    def playing(self) -> Player:
        """Return the player.

        Raises:
            InvalidInput: if nothing is being played.
        """
        if self.player is None:
            raise InvalidInput("nothing_played", _("nothing is being played"))
        return self.player

    def held(self) -> str | None:
        """Return the name of the body that the tool holds, or None."""
        return self.state.held[0] if self.state.held else None

    def pick(self, body: str | None, reach: float | None = None) -> None:
        """Take hold of a body, or of the nearest, within `reach` (m).

        Raises:
            ArmlabError: if there is nothing to take, or something is held.
        """
        state = self.setup.simulation.state()
        if state.held:
            raise InvalidInput("already_holding", _("the tool already holds '{body}'"), body=state.held[0])
        name = self.setup.proximity.body_to_pick(state, body, reach)
        self.setup.simulation.attach(name)
        self.read_state()
        self.tell(Holding(body=name))

    def place(self) -> None:
        """Let go of what is held.

        Raises:
            InvalidInput: if nothing is held.
        """
        if not self.setup.simulation.release():
            raise InvalidInput("nothing_held", _("the tool holds nothing"))
        self.read_state()
        self.tell(Holding(body=None))

    def tell(self, event: Event) -> None:
        """Add an event to what pages are told next."""
        self.events.append(event)
