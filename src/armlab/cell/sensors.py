"""The sensors of a project in the running simulation: what they read, and where the arm is by those on its links."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.cell.body_sensors import carrying, check_carriers
from armlab.cell.project import Project, ProjectArm, SensorChoice
from armlab.cell.wire import SensorRows, pack_sensors
from armlab.cell.world import timestep_of
from armlab.geometry import pose
from armlab.model.joint_units import joint_scales
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.trajectory import JointState
from armlab.sensing.arm_estimator import STIFF, ArmFilter
from armlab.sensing.kinds import deviation_of, sensor_of
from armlab.sensing.mount import Mount, on_chain
from armlab.sensing.presets import preset
from armlab.sensing.sensor import Sensor, SensorSamples, SensorSpec, attach_all
from armlab.sim.hooks import steps_per_period
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimState
from armlab.units import DEG_PER_RAD, MM_PER_M

BLOCK = 6
"""Ticks after which the readings are made of what was taken: one alone has not the time for it."""
EACH = 3
"""The arm is estimated at every third tick."""
LONGEST = 18_000
"""Samples of each sensor that are kept."""
RECENT = 12
"""Blocks of samples in which the estimate looks for the newest ones."""
ESTIMATES = 600
"""Estimates that are kept: half a minute."""
UNSENT = 20
"""Blocks that wait for a page; older ones are dropped."""
MS_PER_S = 1000.0
SHOWN = 6
"""Numbers of an inertial unit that a page is told: angular rate and specific force."""

_records = itertools.count(1)


class JointsEstimate(NamedTuple):
    """Where the arm is by its sensors at one time, rad or m."""

    t: float
    """s of the session."""
    q: Floats
    """(n,), where it is."""
    commanded: Floats
    estimated: Floats
    """NaN where the sensors do not tell."""


class _Tick(NamedTuple):
    time: float
    q: Floats
    commanded: Floats
    """(3, n)."""


class SensorMonitor:
    """The sensors of one arm; a change of the arm, of its sensors or of a body with one makes another.

    They are switched on in a simulation by `follow` and read in its steps, each at its own rate; in another simulation
    they are switched on again, and read what they would read in a program or command. `take` is quick; `flush`, which
    makes readings and the estimate, is called outside the turn. `samples` and `estimates` may be called by any thread.

    Raises:
        ArmlabError: if one of the sensors cannot be.
    """

    def __init__(self, robot: Robot, project: Project, arm: ProjectArm) -> None:
        self.sensors = arm.sensors
        self._key = arm.name, arm.arm, self.sensors, carrying(project, arm)
        self.robot = robot
        self.specs = tuple(_spec(one, i, robot, arm.name) for i, one in enumerate(self.sensors))
        for one, spec in zip(self.sensors, self.specs, strict=True):
            steps_per_period(spec.rate_hz, timestep_of(project.structure))
            if one.has_place and one.on == "link":
                on_chain(robot, _mount(one))
        self._on_links = [i for i, one in enumerate(self.sensors) if one.kind == "imu" and one.on == "link"]
        self.link_mounts = tuple(_mount(self.sensors[i]) for i in self._on_links)
        self.is_estimated = bool(self.link_mounts) and not robot.followers
        """Whether sensors tell where the arm is: those on bodies do not, and coupled joints are not estimated."""
        self._scales = [_scale(spec, robot) for spec in self.specs]
        self._lock = threading.Lock()
        self._end: Callable[[], None] = lambda: None
        self._sequence = 0
        self.restart()

    def is_like(self, other: SensorMonitor) -> bool:
        """Tell whether both are of the same arm and sensors."""
        return self._key == other._key

    def restart(self) -> None:
        """Switch all off and forget all samples; the next simulation that is followed switches them on again."""
        self._end()
        self._end = lambda: None
        with self._lock:
            self._simulation: Simulation | None = None
            self._live = [Sensor(spec) for spec in self.specs]
            self._kept: list[deque[SensorSamples]] = [deque() for _spec in self.specs]
            self._ticks: list[_Tick] = []
            self._now: _Tick | None = None
            self._since = 0
            self._ahead = self._estimated_at = 0.0
            self._estimates: deque[JointsEstimate] = deque(maxlen=ESTIMATES)
            self._filter = ArmFilter(self.robot, self.link_mounts, servos=STIFF) if self.is_estimated else None
            self._unsent: deque[list[SensorSamples]] = deque(maxlen=UNSENT)
            self.record = next(_records)
            """The number of this record: another one when the samples were restarted."""

    def follow(self, simulation: Simulation, time: float) -> None:
        """Read in this simulation from now on; `time` is the session's (s)."""
        if not self.specs or simulation is self._simulation:
            return
        self.restart()
        self._simulation, self._ahead, self._estimated_at = simulation, time - simulation.time, time
        self._end = attach_all(self._live, simulation)

    def take(self, time: float, state: SimState, wanted: JointState) -> None:
        """Note where the arm is at a session's time (s), and where it is told to be."""
        self._since += 1
        self._now = _Tick(time, state.q, np.array(wanted))
        if self.is_estimated:
            self._ticks.append(self._now)

    def flush(self, *, least: int = BLOCK) -> None:
        """Make the readings and the estimates of what was taken in so many ticks, if there were as many."""
        if self._simulation is None or self._since < least:
            return
        self._since, now = 0, self._simulation.time
        new = [_later(sensor.samples(now), self._ahead) for sensor in self._live]
        with self._lock:
            for kept, samples in zip(self._kept, new, strict=True):
                _keep(kept, samples)
            self._unsent.append(new)
        if self._filter is not None:
            self._estimate(self._filter, now + self._ahead)

    def _estimate(self, by: ArmFilter, now: float) -> None:
        """Estimate the arm at every third tick of which all readings have arrived."""
        arrived = now - max(self.specs[i].delay_s for i in self._on_links)
        recent = [_joined(list(self._kept[i])[-RECENT:]) for i in self._on_links]
        begin = max((samples.t[0] if len(samples.t) else np.inf) for samples in recent)
        whole = self._ticks[EACH - 1 :: EACH]
        ready = [tick for tick in whole if tick.time <= arrived + 1e-9]
        self._ticks = self._ticks[EACH * len(ready) :]
        ready = [tick for tick in ready if tick.time >= begin - 1e-9]
        if not ready:
            return
        t = np.array([tick.time for tick in ready])
        read = np.empty((len(t), len(recent), SHOWN))
        for k, samples in enumerate(recent):
            newest = np.searchsorted(samples.t, t + 1e-9) - 1
            read[:, k] = samples.read[newest, :SHOWN]
        before, self._estimated_at = self._estimated_at, float(t[-1])
        commanded = np.array([tick.commanded for tick in ready])
        found, _speed, _deviation = by.take(float(t[-1] - before) / len(t), commanded, read)
        with self._lock:
            for tick, q in zip(ready, found, strict=True):
                self._estimates.append(JointsEstimate(tick.time, tick.q, tick.commanded[0], q))

    def samples(self, index: int) -> SensorSamples:
        """Return what one sensor has read, at times of the session."""
        with self._lock:
            kept = list(self._kept[index])
        return _joined(kept)

    def estimates(self) -> list[JointsEstimate]:
        """Return the newest estimates of the arm, the last one last."""
        with self._lock:
            return list(self._estimates)

    def frames(self) -> list[bytes]:
        """Return once, for the pages, what was read since the last call, as `armlab.cell.wire` has it."""
        frames = []
        while self._unsent:
            new = self._unsent.popleft()
            rows = [
                SensorRows(one.id, samples.t, *(_shown(values, scale) for values in (samples.true, samples.read)))
                for one, samples, scale in zip(self.sensors, new, self._scales, strict=True)
            ]
            self._sequence += 1
            frames.append(pack_sensors(self._sequence, self.record, rows, *self._estimated()))
        return frames

    def _estimated(self) -> tuple[Floats, float, float]:
        """Return the frames of the estimated arm, and how far it and the commanded one are off (° and mm, RMS)."""
        scales = joint_scales(self.robot.joints)
        if self._estimates:
            last = self._estimates[-1]
            off, told = (_rms((q - last.q) / scales) for q in (last.estimated, last.commanded))
            return self.robot.frames(last.estimated), off, told
        now = None if self.is_estimated else self._now
        return np.zeros((0, 4, 4)), np.nan, np.nan if now is None else _rms((now.commanded[0] - now.q) / scales)


def build_sensors(project: Project, scene: Scene) -> dict[str, SensorMonitor]:
    """Return the sensors of every arm of a project, by the arms' names, on links and on bodies.

    Raises:
        UnknownName: if an arm has no such link, or there is no such preset.
        InvalidInput: if there is no such body, or the steps of the simulation do not allow a rate.
        NotSupported: if the structure has no forces where a sensor needs them.
    """
    check_carriers(project)
    return {arm.name: SensorMonitor(scene.robot(arm.name).robot, project, arm) for arm in project.arms}


def _mount(choice: SensorChoice) -> Mount:
    return Mount(choice.link, pose.from_mm_deg(choice.pose), is_body=choice.on == "body")


def _spec(choice: SensorChoice, index: int, robot: Robot, arm: str) -> SensorSpec:
    return sensor_of(
        choice.kind,
        _mount(choice),
        choice.rate,
        robot=arm,
        model=preset(choice.preset),
        delay=None if choice.latency is None else choice.latency / MS_PER_S,
        deviation=deviation_of(choice.kind, choice.noise, robot),
        seed=index if choice.seed is None else choice.seed,
    )


def _scale(spec: SensorSpec, robot: Robot) -> Floats:
    """Return the factors from SI to what a page shows, one for each number of a reading: °/s, °, mm."""
    match spec.kind:
        case "imu":
            return np.array([DEG_PER_RAD] * 3 + [1.0] * 3)
        case "encoders":
            return 1.0 / joint_scales(robot.joints)
        case "laser" | "proximity":
            return np.array([MM_PER_M])
        case _:
            return np.ones(1)


def _shown(values: Floats, scale: Floats) -> Floats:
    if not len(values):
        return np.zeros((0, 0))
    return values[:, :SHOWN] * scale if len(scale) == SHOWN and values.shape[1] > SHOWN else values * scale


def _later(samples: SensorSamples, ahead: float) -> SensorSamples:
    return samples._replace(t=samples.t + ahead) if ahead else samples


def _keep(kept: deque[SensorSamples], new: SensorSamples) -> None:
    """Add samples, and forget the oldest ones that are too many."""
    if len(new.t):
        kept.append(new)
    count = sum(len(block.t) for block in kept)
    while kept and count - len(kept[0].t) >= LONGEST:
        count -= len(kept.popleft().t)


def _joined(blocks: list[SensorSamples]) -> SensorSamples:
    if not blocks:
        return SensorSamples(np.empty(0), np.empty((0, 0)), np.empty((0, 0)))
    return SensorSamples(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))
