"""A session: arms among bodies, their document and players; time drives it, and what happens is told.

Nothing in here waits or knows the time of day, so that the same commands at the same times give the same session.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace

import numpy as np

from armlab.arrays import Floats
from armlab.cell.arm_recorders import ArmRecorders
from armlab.cell.companion import Companion, is_at_rest
from armlab.cell.document import History
from armlab.cell.events import Document, Event, Notice, PlayerReport
from armlab.cell.frames import Snapshot, joint_rows, state_frame
from armlab.cell.jogging import tool_speeds
from armlab.cell.player import NO_PLAYER, Player
from armlab.cell.positions import build_at
from armlab.cell.project import Project
from armlab.cell.sample_buffer import SampleBuffer
from armlab.cell.sensors import build_sensors
from armlab.cell.session_recorder import SessionRecorder
from armlab.cell.setup import Setup, build_setup, rebuild_setup, selected_setup
from armlab.cell.stepper import Stepper
from armlab.errors import InvalidInput, SimulationDiverged
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.recording.folder import RecordingFolder
from armlab.sim.state import SimState

SOON_S = 1.0
"""A session that fails again within this time has not recovered."""


class Session:
    """Arms among bodies, their document, and players; `advance` lets time pass, CommandHandler takes commands.

    One arm is selected, and commands are for it; the others stand or go on. Its parts: History (the document), Setup
    (simulation, Mover, Jogger, Dragger, ProximityMonitor, the other arms), Player, Stepper, recorders, SensorMonitor.
    Only its thread and command handler touch them; frozen values are for all.
    """

    def __init__(self, project: Project, recordings: RecordingFolder | None = None) -> None:
        """Set up the arms where the project's file says that they stood, clipped to the limits, else at home.

        Recordings are written to the folder `recordings`; without one they are in memory only.
        """
        self.history = History(project.without_positions())
        self.selected = project.arms[0].name
        self.events: list[Event] = []
        self.player: Player | None = None
        self.breakpoints: frozenset[int] = frozenset()
        self.is_approaching = False
        self.stepper = Stepper(self)
        self.recorders = ArmRecorders(recordings, self.tell, self.selected)
        self._time = self._spare = self._lag = 0.0
        self._failed_at, self._failures = -math.inf, 0
        self._sequence = 0
        self.state: SimState
        self._joints: Floats
        self.install(build_setup(project, self.selected))
        if project.positions is not None:
            with contextlib.suppress(InvalidInput):  # there is something in the way now
                self.install(build_at(project, self.selected, project.positions))
        self.begin_samples()
        self.sensors = build_sensors(project, self.selected, self.robot)

    # -- what others ask -------------------------------------------------------------------------------------------

    @property
    def robot(self) -> Robot:
        """The arm; a frozen value that any thread may use."""
        return self.setup.robot

    @property
    def scene(self) -> Scene:
        """The arm and the bodies; a frozen value that any thread may use."""
        return self.setup.scene

    def scene_now(self) -> Scene:
        """Return the scene with the other arms where they stand now; a frozen value that any thread may use."""
        setup = self.setup
        if not setup.others:
            return setup.scene
        now = {other.name: np.clip(other.state.q, other.robot.lower, other.robot.upper) for other in setup.others}
        robots = tuple(replace(one, q=now.get(one.name, one.q)) for one in setup.scene.robots)
        return replace(setup.scene, robots=robots)

    @property
    def recorder(self) -> SessionRecorder:
        """Of the selected arm."""
        return self.recorders.of(self.setup.name)

    @property
    def samples(self) -> SampleBuffer:
        """Of the selected arm."""
        return self.recorder.samples

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
        return self.is_any_playing() or self.recorders.is_recording

    def introduction(self) -> list[Event]:
        """Return what a page must know that has just come."""
        return [self.document(), *self.arm_events(), *self.setup.proximity.last, *self.setup.overload.last]

    def reworded(self) -> list[Event]:
        """Return what was told with texts in it: a page that reads another language now needs it again."""
        return [self.player_report(), *self.setup.overload.last]

    def arm_events(self) -> list[Event]:
        """Return what there is to tell about the selected arm besides its state."""
        return [self.player_report(), self.setup.holding(), self.recorder.report]

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
                others=setup.others,
            )
        )

    # -- what time does --------------------------------------------------------------------------------------------

    def advance(self, seconds: float) -> None:
        """Let time pass: the command moves, the simulation follows."""
        self.prepare(seconds)
        self.run(seconds)

    def prepare(self, seconds: float) -> None:
        """Find the command for the next `seconds`; only this can take long, and others need not wait for it."""
        self.recorders.flush()
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
        self.sensors.follow(self.setup.simulation, self._time)
        try:
            self.stepper.step(steps)
        except SimulationDiverged as error:
            self.stepper.forget()
            text = _("the simulation diverged and was restarted: {reason}")
            self.tell(Notice(message=Message("diverged", text, reason=error.message)))
            self.recover()
        setup = self.setup
        self._time += steps * timestep
        self.read_state()
        self.recorder.take(self._time, self._joints, self.state)
        for other in setup.others:
            self.recorders.of(other.name).take(self._time, other.joints, other.state)
        self.sensors.take(self._time, self.state, setup.mover.state)
        self.stepper.end_players()
        for event in setup.look_around(self.states(), steps * timestep):
            self.tell(event)

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

    def is_playing(self) -> bool:
        """Tell whether a motion is being played and not paused."""
        return self.player is not None and not self.player.is_still

    def is_any_playing(self) -> bool:
        """Tell whether any arm plays something."""
        others = (other.player for other in self.setup.others)
        return self.is_playing() or any(player is not None and not player.is_still for player in others)

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
        setup = self.setup
        others = {other.name: other.state for other in setup.others}
        self._failures = self._failures + 1 if self._time - self._failed_at < SOON_S else 0
        self._failed_at = self._time
        if self._failures > 0:
            setup = rebuild_setup(self.project, self.selected, self.state, self._failures - 1, others)
        else:
            setup.halt()
        self.install_anew(setup)

    def close(self) -> None:
        """Give back what the session holds; a running recording is finished."""
        self.recorders.close()

    def record(self, *, on: bool) -> None:
        """Start a recording of every arm, or end it."""
        self.recorders.record(self._robots(), self._time, on=on)

    def begin_samples(self) -> None:
        """Forget the samples of other arms: their recordings end here, and their files stay."""
        self.recorders.begin(self._robots())

    # -- what commands and time both need -------------------------------------------------------------------

    def install(self, setup: Setup) -> None:
        """Put another setup in the place of this one."""
        self.setup = setup
        self.recorders.selected = setup.name
        self.read_state()
        self.stepper.forget()

    def install_anew(self, setup: Setup) -> None:
        """Do the same, and tell what the tool holds where that has changed."""
        held = self.held()
        self.install(setup)
        if self.held() != held:
            self.tell(setup.holding())

    def put_bodies_back(self, arm: str, q: Floats) -> None:
        """Put the bodies to where the project has them, and an arm to `q` (n,), unless another arm is busy."""
        before = self.setup
        if not self.are_others_idle(arm):
            return
        at = {other.name: other.mover.state.q for other in before.others} | {before.name: before.mover.state.q, arm: q}
        setup = build_setup(self.project, self.selected, at[before.name], others=at)
        setup.go_on_from(before)
        self.install_anew(setup)

    def are_others_idle(self, arm: str) -> bool:
        """Tell whether all arms but `arm` stand, play nothing and hold nothing."""
        idle = [other.is_idle for other in self.setup.others if other.name != arm]
        if arm != self.setup.name:
            idle.append(is_at_rest(self, self.setup.mover) and not self.state.held)
        return all(idle)

    def read_state(self) -> None:
        """Look at the simulation: everything that is told comes from this look."""
        setup = self.setup
        self.state = setup.simulation.state(setup.name)
        self._joints = joint_rows(setup.robot, self.state, setup.mover.state)
        for other in setup.others:
            other.look(setup.simulation)

    def document(self) -> Document:
        """Return the project as pages are told it."""
        history = self.history
        return Document(
            project=history.project,
            revision=history.revision,
            layout=self.setup.layout(),
            selected=self.selected,
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

    def pick(self, body: str | None, reach: float | None = None, *, arm: str | None = None) -> None:
        """Take hold of a body, or of the nearest, within `reach` (m); by default with the selected arm.

        Raises:
            ArmlabError: if there is nothing to take, or something is held.
        """
        name = arm or self.setup.name
        state = self.setup.simulation.state(name)
        if state.held:
            raise InvalidInput("already_holding", _("the tool already holds '{body}'"), body=state.held[0])
        taken = self.setup.proximity.body_to_pick(state, body, reach)
        self.setup.simulation.attach(taken, name)
        self._tell_of_hold(name)

    def place(self, *, arm: str | None = None) -> None:
        """Let go of what is held; by default with the selected arm.

        Raises:
            InvalidInput: if nothing is held.
        """
        name = arm or self.setup.name
        if not self.setup.simulation.release(name):
            raise InvalidInput("nothing_held", _("the tool holds nothing"))
        self._tell_of_hold(name)

    def _tell_of_hold(self, arm: str) -> None:
        self.read_state()
        if arm == self.setup.name:
            self.tell(self.setup.holding())

    def swap(self, name: str) -> None:
        """Let another arm be the selected one: each goes on with what it does, but for a jog, which ends."""
        self.let_go()
        setup, state, joints = self.setup, self.state, self._joints
        before = Companion(setup.name, setup.robot, setup.limits, setup.scales, setup.mover, state, joints)
        before.player, before.is_approaching, before.breakpoints = self.player, self.is_approaching, self.breakpoints
        now = next(other for other in setup.others if other.name == name)
        self.player, self.is_approaching, self.breakpoints = now.player, now.is_approaching, now.breakpoints
        known = {other.name: other for other in (*setup.others, before)}
        self.selected = name
        others = tuple(known[arm.name] for arm in self.project.arms if arm.name != name)
        self.install(selected_setup(setup, now, others))

    def states(self) -> dict[str, SimState]:
        """Return the newest state of every arm, by name."""
        return {self.setup.name: self.state} | {other.name: other.state for other in self.setup.others}

    def _robots(self) -> list[tuple[str, Robot]]:
        return [(self.setup.name, self.robot), *((other.name, other.robot) for other in self.setup.others)]

    def tell(self, event: Event) -> None:
        """Add an event to what pages are told next."""
        self.events.append(event)
