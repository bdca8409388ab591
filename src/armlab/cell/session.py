"""A session: arms among bodies, their document and players; time drives all of them, and what happens is told.

Nothing in here waits or knows the time of day, so that the same commands at the same times give the same session.
"""

from __future__ import annotations

import contextlib
import math

from armlab.arrays import Floats
from armlab.cell.arm_recorders import ArmRecorders
from armlab.cell.arm_runtime import ArmRuntime
from armlab.cell.document import History
from armlab.cell.events import Document, Event, Holding, Notice, PlayerProgress, PlayerReport, RecordingReport
from armlab.cell.frames import state_frame
from armlab.cell.jogging import tool_speeds
from armlab.cell.positions import build_at
from armlab.cell.project import Project
from armlab.cell.sample_buffer import SampleBuffer
from armlab.cell.sensors import SensorMonitor, build_sensors
from armlab.cell.stepper import Stepper
from armlab.cell.world import Workcell, build_world, rebuild_world
from armlab.errors import InvalidInput, SimulationDiverged, UnknownName
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.recording.folder import RecordingFolder
from armlab.sim.state import SimState

SOON_S = 1.0
"""A session that fails again within this time has not recovered."""


class Session:
    """Arms by name among bodies, and their document; `advance` lets time pass, CommandHandler takes commands.

    Its parts: History (the document), Workcell (scene, simulation, an ArmRuntime for each arm, ProximityMonitor,
    OverloadWatch), Stepper, ArmRecorders, and a SensorMonitor for each arm. Only its thread and command handler touch
    them; frozen values are for all.
    """

    def __init__(self, project: Project, recordings: RecordingFolder | None = None) -> None:
        """Set up the arms where the project's file says that they stood, clipped to the limits, else at home.

        Recordings are written to the folder `recordings`; without one they are in memory only.
        """
        self.history = History(project.without_positions())
        self.selected = project.arms[0].name
        """The arm that the pages show."""
        self.events: list[Event] = []
        self.stepper = Stepper(self)
        self.recorders = ArmRecorders(recordings, self.tell)
        self.time = self._spare = self.lag = 0.0
        self._failed_at, self._failures = -math.inf, 0
        self._sequence = 0
        self.world: Workcell
        self.install(build_world(project))
        if project.positions is not None:
            with contextlib.suppress(InvalidInput):  # there is something in the way now
                self.install(build_at(project, project.positions))
        self.begin_samples()
        self.monitors: dict[str, SensorMonitor] = build_sensors(project, self.world.scene)

    # -- what others ask -------------------------------------------------------------------------------------------

    @property
    def arms(self) -> dict[str, ArmRuntime]:
        """The arms by name, in the order of the project."""
        return self.world.arms

    def arm(self, name: str | None = None) -> ArmRuntime:
        """Return the arm of that name; without one, the one that the pages show.

        Raises:
            UnknownName: if there is none.
        """
        name = self.selected if name is None else name
        if name not in self.arms:
            raise UnknownName("scene_robot", name, self.arms, owner=self.project.title)
        return self.arms[name]

    @property
    def robot(self) -> Robot:
        """The selected arm; a frozen value that any thread may use."""
        return self.arm().robot

    @property
    def scene(self) -> Scene:
        """All arms, the selected one first, and the bodies; a frozen value that any thread may use."""
        return self.world.scene_of(self.selected)

    def scene_now(self) -> Scene:
        """Return the same with the other arms where they stand now."""
        return self.world.scene_now(self.selected)

    @property
    def q(self) -> Floats:
        """Where the joints of the selected arm are; a value that nobody changes."""
        return self.state.q

    @property
    def state(self) -> SimState:
        """The newest state of the selected arm."""
        return self.arm().state

    @property
    def samples(self) -> SampleBuffer:
        """Of the selected arm."""
        return self.recorders.of(self.selected).samples

    @property
    def sensors(self) -> SensorMonitor:
        """Of the selected arm."""
        return self.monitors[self.selected]

    @property
    def project(self) -> Project:
        """The document; a frozen value that any thread may use."""
        return self.history.project

    @property
    def revision(self) -> int:
        """The number of the document's last change."""
        return self.history.revision

    @property
    def is_busy(self) -> bool:
        """Whether time must go on even if nobody looks."""
        return self.is_any_playing() or self.recorders.is_recording

    def introduction(self) -> list[Event]:
        """Return what a page must know that has just come."""
        return [self.document(), *self.arm_events(), *self.world.proximity.last, *self.world.overload.last]

    def arm_events(self) -> list[Event]:
        """Return what there is to tell about the selected arm besides its state."""
        arm = self.arm()
        progress = [] if arm.player is None else [arm.progress]
        return [arm.report, *progress, arm.holding(self.world.scene), self.recorders.of(arm.name).report]

    def reworded(self) -> list[Event]:
        """Return what was told with texts in it: a page that reads another language now needs it again."""
        return [self.arm().report, *self.world.overload.last]

    def take_events(self) -> list[Event]:
        """Return what happened since the last time."""
        events, self.events = self.events, []
        return events

    def state_frame(self) -> bytes:
        """Return the newest state as bytes for the page."""
        self._sequence += 1
        return state_frame(
            self.world,
            self.selected,
            sequence=self._sequence,
            time=self.time,
            revision=self.history.revision,
            lag=self.lag,
            is_recording=self.recorders.is_recording,
        )

    # -- what time does --------------------------------------------------------------------------------------------

    def advance(self, seconds: float) -> None:
        """Let time pass: the commands move, the simulation follows."""
        self.prepare(seconds)
        self.run(seconds)

    def prepare(self, seconds: float) -> None:
        """Find the commands for the next `seconds`; only this can take long, and others need not wait for it."""
        self.recorders.flush()
        for monitor in self.monitors.values():
            monitor.flush()
        for arm in self.arms.values():
            if arm.jogger.expire(seconds):
                arm.mover.stop()
                text = _("the jog stopped: the page sent no more signals")
                self.tell(Notice(arm=arm.name, message=Message("jog_stopped", text)))
            self._steer(arm, seconds)
        self.stepper.look_ahead()

    def run(self, seconds: float) -> None:
        """Let the simulation follow the commands for `seconds`."""
        self._spare += seconds
        timestep = self.world.simulation.timestep
        steps = int(self._spare / timestep + 1e-9)
        self._spare -= steps * timestep
        for monitor in self.monitors.values():
            monitor.follow(self.world.simulation, self.time)
        try:
            self.stepper.step(steps)
        except SimulationDiverged as error:
            self.stepper.forget()
            text = _("the simulation diverged and was restarted: {reason}")
            self.tell(Notice(message=Message("diverged", text, reason=error.message)))
            self.recover()
        self.time += steps * timestep
        self.world.read()
        for name, arm in self.arms.items():
            self.recorders.of(name).take(self.time, arm.joints, arm.state)
            if name in self.monitors:
                self.monitors[name].take(self.time, arm.state, arm.mover.state)
        self.stepper.end_players()
        self.events += self.world.look_around(steps * timestep)

    def _steer(self, arm: ArmRuntime, seconds: float) -> None:
        """Turn a jog of a tool into joint speeds for the time until this is asked again."""
        if arm.jogger.tool_jog is None or arm.player is not None:
            return
        target = tool_speeds(arm.robot, arm.mover.state.q, arm.jogger.tool_jog)
        share = arm.mover.move_together_at(target.qd, seconds + self.world.simulation.timestep)
        if target.is_singular:
            self._tell_of_jog(arm, Message("singular", _("near a singular configuration: the jog is slower")))
        if share < 1.0:
            self._tell_of_jog(arm, Message("limit_reached", _("a joint is near its limit: the jog is slower")))

    def _tell_of_jog(self, arm: ArmRuntime, message: Message) -> None:
        if message.code not in arm.jogger.told:
            arm.jogger.told.add(message.code)
            self.tell(Notice(arm=arm.name, message=message))

    def is_any_playing(self) -> bool:
        """Tell whether any arm plays something."""
        return any(arm.is_playing for arm in self.arms.values())

    def note_lag(self, seconds: float) -> None:
        """Remember that real time was missed."""
        self.lag += seconds

    def recover(self) -> None:
        """Go on from rest where the simulation last was good, bodies and what is held included.

        Where that fails again at once, the world is built again, each time with less of what was there.
        """
        self.drop_players()
        world = self.world
        self._failures = self._failures + 1 if self.time - self._failed_at < SOON_S else 0
        self._failed_at = self.time
        if self._failures > 0:
            world = rebuild_world(self.project, world.states(), self._failures - 1)
        else:
            world.halt()
        self.install_anew(world)

    def close(self) -> None:
        """Give back what the session holds; a running recording is finished."""
        self.recorders.close()

    def record(self, *, on: bool) -> None:
        """Start a recording of every arm, or end it."""
        self.recorders.record(self.arms, self.time, on=on)

    def begin_samples(self) -> None:
        """Forget the samples of other arms: their recordings end here, and their files stay."""
        self.recorders.begin(self.arms)

    # -- what commands and time both need -------------------------------------------------------------------

    def install(self, world: Workcell) -> None:
        """Put another world in the place of this one."""
        self.world = world
        self.world.read()
        self.stepper.forget()

    def install_anew(self, world: Workcell) -> None:
        """Do the same, and tell what tools hold where that has changed."""
        before = {name: arm.held for name, arm in self.arms.items()}
        self.install(world)
        for name, arm in self.arms.items():
            if arm.held != before.get(name):
                self.tell(arm.holding(world.scene))

    def put_bodies_back(self, name: str, q: Floats) -> None:
        """Put the bodies to where the project has them, and an arm to `q` (n,), unless another arm is busy."""
        before = self.world
        if not before.are_idle(besides=name):
            return
        world = build_world(self.project, before.commands() | {name: q})
        self.go_on_in(world, name)
        self.install_anew(world)

    def go_on_in(self, world: Workcell, name: str) -> None:
        """Let the arms go on in another world with what they do; the arm called `name` is at rest where that has it."""
        for arm in world.arms.values():
            q = arm.mover.state.q
            arm.go_on_from(self.arms[arm.name])
            if arm.name == name:
                arm.mover.place(q)

    def document(self) -> Document:
        """Return the project as pages are told it."""
        history = self.history
        return Document(
            project=history.project,
            revision=history.revision,
            layout=self.world.layout(self.selected),
            selected=self.selected,
            undo=history.undo_label,
            redo=history.redo_label,
        )

    def drop_players(self) -> None:
        """End what is played; the arms stay where they are."""
        for arm in self.arms.values():
            self.drop_player(arm)

    def drop_player(self, arm: ArmRuntime) -> None:
        """End what one arm plays; it stays where it is."""
        arm.is_approaching = False
        if arm.player is not None:
            arm.player = None
            self.tell(arm.report)

    def take_control(self, arm: ArmRuntime) -> None:
        """End the player where it is: a person moves the arm, and its mover continues from there."""
        self.drop_player(arm)
        arm.dragger.end()

    def pick(self, arm: ArmRuntime, body: str | None, reach: float | None = None) -> None:
        """Take hold of a body, or of the nearest, within `reach` (m).

        Raises:
            ArmlabError: if there is nothing to take, or something is held.
        """
        state = self.world.simulation.state(arm.name)
        if state.held:
            raise InvalidInput("already_holding", _("the tool already holds '{body}'"), body=state.held[0])
        self.world.simulation.attach(self.world.proximity.body_to_pick(state, body, reach), arm.name)
        self._tell_of_hold(arm)

    def place(self, arm: ArmRuntime) -> None:
        """Let go of what is held.

        Raises:
            InvalidInput: if nothing is held.
        """
        if not self.world.simulation.release(arm.name):
            raise InvalidInput("nothing_held", _("the tool holds nothing"))
        self._tell_of_hold(arm)

    def _tell_of_hold(self, arm: ArmRuntime) -> None:
        self.world.read()
        self.tell(arm.holding(self.world.scene))

    def select(self, name: str) -> None:
        """Let another arm be the one that the pages show; what the arms do goes on.

        Raises:
            UnknownName: if there is none of that name.
        """
        if self.arm(name).name != self.selected:
            self.selected = name
            self.history.revision += 1  # states from before are another arm's
            self.events += [self.document(), *self.arm_events()]

    def select_after(self, before: Project) -> None:
        """After an edit, select the arm of the same name, or the one at the same place in the list."""
        names = self.project.arm_names
        if self.selected not in names:
            at = before.arm_names.index(self.selected)
            self.selected = names[min(at, len(names) - 1)]

    def tell(self, event: Event) -> None:
        """Add an event to what pages are told next; they show what one arm plays, holds and records."""
        of_one = PlayerReport | PlayerProgress | Holding | RecordingReport
        if isinstance(event, of_one) and event.arm != self.selected:
            return
        self.events.append(event)
