"""The inertial sensors of a project, read with every state: what they read, and where the arm is by those on it."""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.cell.body_sensors import carrying, check_carriers
from armlab.cell.project import Project, ProjectArm
from armlab.geometry import pose
from armlab.kernels.sensing import imu
from armlab.model.robot import Robot
from armlab.model.scene import GRAVITY
from armlab.motion.trajectory import JointState
from armlab.sensing.arm_estimator import STIFF, ArmFilter
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.kinds import motion_row
from armlab.sensing.mount import Mount, on_chain
from armlab.sensing.noise import ImuStream
from armlab.sensing.presets import preset
from armlab.sensing.truth import NORTH, turned_back
from armlab.sim.probe import SimProbe
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimState

RATE_HZ = 60.0
"""One sample with every state; a session that falls behind has fewer."""
BLOCK = 6
"""Samples whose errors are made together: a tick has not the time for each alone."""
EACH = 3
"""The arm is estimated from every third sample."""
LONGEST = 5 * 60 * int(RATE_HZ)
"""Samples that are kept."""
READ = 9
"""Numbers of one reading: rate, force and magnetic field."""


class SensorRows(NamedTuple):
    """What k sensors of an arm with n joints read, m samples; SI units."""

    t: Floats
    """(m,) s of the session."""
    motion: Floats
    """(m, k, 16), the truth as in armlab.kernels.sensing.imu."""
    read: Floats
    """(m, k, 9): rate, force and magnetic field with the errors of the sensor."""
    q: Floats
    """(m, n), where the joints were."""
    commanded: Floats
    """(m, n)."""
    estimated: Floats
    """(m, n), by the sensors on links; NaN where nothing is estimated."""


class _Sample(NamedTuple):
    time: float
    motion: Floats
    q: Floats
    commanded: Floats
    """(3, n)."""


class SensorMonitor:
    """Reads the sensors of one arm; a change of the arm, of its sensors or of a body with one makes another.

    `take` is quick; `flush`, which makes the errors and the estimate of what waits, is called outside the turn. `rows`
    may be called by any thread.

    Raises:
        UnknownName: if the arm has no such link, or there is no such preset.
    """

    def __init__(self, robot: Robot, project: Project, arm: ProjectArm) -> None:
        self.sensors = sensors = arm.sensors
        self._key = arm.name, arm.arm, sensors, carrying(project, arm)
        self.robot = robot
        self.mounts = tuple(Mount(sensor.link, pose.from_mm_deg(sensor.pose)) for sensor in sensors)
        self._on_links = [i for i, sensor in enumerate(sensors) if sensor.on == "link"]
        self.link_mounts = tuple(self.mounts[i] for i in self._on_links)
        self._placed = [on_chain(robot, mount) for mount in self.link_mounts]
        self.is_estimated = bool(self.link_mounts) and not robot.followers
        """Whether sensors tell where the arm is: those on bodies do not, and coupled joints are not estimated."""
        self._simulation: Simulation | None = None
        self._models = tuple(preset(sensor.preset) for sensor in sensors)
        self._lock = threading.Lock()
        self.record = 0
        """Counts the records: it grows when the samples are restarted."""
        self.restart()
        if sensors:  # kernels that are not compiled yet are waited for here
            still = np.zeros(robot.dof)
            self._take(0.0, np.array([robot.home, still, still]), np.array([robot.home, still, still]))
            self._work_off()
            self.restart()

    def is_like(self, other: SensorMonitor) -> bool:
        """Tell whether both are of the same arm and sensors."""
        return self._key == other._key

    def restart(self) -> None:
        """Forget all samples: the next are those of sensors that have just been switched on."""
        with self._lock:
            self._waiting: list[_Sample] = []
            self._blocks: list[SensorRows] = []
            self._streams = [ImuStream(model, RATE_HZ, seed) for seed, model in enumerate(self._models)]
            self._filter = ArmFilter(self.robot, self.link_mounts, servos=STIFF) if self.is_estimated else None
            self.record += 1

    def take(self, time: float, state: SimState, wanted: JointState, simulation: Simulation) -> None:
        """Read all sensors at a session's time (s); in another simulation, those on bodies are switched on again."""
        if not self.mounts:
            return
        has_bodies = len(self._on_links) < len(self.mounts)
        if has_bodies and simulation is not self._simulation:  # bodies may have been put elsewhere
            if self._simulation is not None:
                self.restart()
            self._simulation = simulation
        joints = np.array([state.q, state.qd, state.qdd])
        self._take(time, joints, np.array(wanted), simulation.measure() if has_bodies else None)

    def _take(self, time: float, joints: Floats, commanded: Floats, probe: SimProbe | None = None) -> None:
        chain, law = self.robot.uncoupled.chain, self.robot.coupling
        out, g = np.zeros((len(self.mounts), imu.WIDTH)), np.array([0.0, 0.0, -GRAVITY])
        out[:, imu.TURN] = 1.0
        q, rates = joints[:1], joints[1:]
        if law is not None:
            q, rates = law.expand(q), law.expand_rates(rates)
        if probe is not None:
            for i, sensor in enumerate(self.sensors):
                if sensor.on == "body":
                    out[i] = motion_row(probe.body_motion(sensor.link, self.mounts[i].T))
        for i, (moved_by, frame) in zip(self._on_links, self._placed, strict=True):
            imu.motion_into(
                chain.constants, chain.revolute, frame, moved_by, g, q, rates[:1], rates[1:], out[i : i + 1]
            )
        self._waiting.append(_Sample(time, out, joints[0], commanded))

    def flush(self) -> None:
        """Make the errors and the estimate of the samples that wait, if there are enough."""
        if len(self._waiting) >= BLOCK:
            self._work_off()

    def _work_off(self) -> None:
        waiting, self._waiting = self._waiting, []
        t = np.array([sample.time for sample in waiting])
        motion = np.array([sample.motion for sample in waiting])
        commanded = np.array([sample.commanded for sample in waiting])
        read = np.empty((len(t), len(self.mounts), READ))
        for i, stream in enumerate(self._streams):
            rows = np.ascontiguousarray(motion[:, i])
            has_field = stream.model.magnetometer is not None
            field = turned_back(rows[:, imu.TURN : imu.PLACE], np.array(NORTH)) if has_field else None
            values = stream.read(rows[:, : imu.ACC].copy(), rows[:, imu.ACC : imu.TURN].copy(), field)
            read[:, i, :3], read[:, i, 3:6] = values[0], values[1]
            read[:, i, 6:] = np.nan if values[2] is None else values[2]
        estimated = self._estimated(t, commanded, read)
        q = np.array([sample.q for sample in waiting])
        with self._lock:
            self._blocks.append(SensorRows(t, motion, read, q, commanded[:, 0].copy(), estimated))
            if len(self._blocks) > LONGEST // BLOCK:
                del self._blocks[: len(self._blocks) // 10]

    def _estimated(self, t: Floats, commanded: Floats, read: Floats) -> Floats:
        """Return the joints (m, n) by the sensors; of every `EACH` samples, the filter gets the last."""
        if self._filter is None:
            return np.full(commanded[:, 0].shape, np.nan)
        part = slice(min(EACH, len(t)) - 1, None, EACH)
        dt = (t[-1] - t[0]) / (len(t) - 1) if len(t) > 1 else 1.0 / RATE_HZ
        given = np.ascontiguousarray(commanded[part]), np.ascontiguousarray(read[part][:, self._on_links, :6])
        found, _speed, _deviation = self._filter.take(float(dt) * EACH, *given)
        behind = found - commanded[part, 0]  # between two of them the command leads
        return commanded[:, 0] + behind[np.minimum(np.arange(len(t)) // EACH, len(behind) - 1)]

    def rows(self, after: float = -np.inf) -> SensorRows:
        """Return the samples after a session's time (s)."""
        with self._lock:
            blocks = list(self._blocks)
        first = len(blocks)
        while first > 0 and blocks[first - 1].t[-1] > after:
            first -= 1
        if first == len(blocks):
            k, n = len(self.mounts), self.robot.dof
            shapes = ((0,), (0, k, imu.WIDTH), (0, k, READ), (0, n), (0, n), (0, n))
            return SensorRows(*(np.zeros(shape) for shape in shapes))
        whole = SensorRows(*(np.concatenate(parts) for parts in zip(*blocks[first:], strict=True)))
        new = whole.t > after
        return SensorRows(*(part[new] for part in whole))

    def imu_record(self, index: int) -> ImuRecord:
        """Return what one sensor read, with the truth; its time begins at 0.

        Raises:
            InvalidInput: if there are not two samples yet.
        """
        rows, sensor = self.rows(), self.sensors[index]
        read, motion = rows.read[:, index], rows.motion[:, index]
        mag = read[:, 6:] if len(read) and np.isfinite(read).all() else None
        turn, place, speed = (motion[:, a:b] for a, b in ((6, 10), (10, 13), (13, 16)))
        notes = {"link": sensor.link, "preset": sensor.preset, "seed": str(index)}
        t = rows.t - rows.t[0] if len(rows.t) else rows.t
        return ImuRecord(t, read[:, :3], read[:, 3:6], mag, turn, place, speed, sensor.link, notes)


def build_sensors(project: Project, name: str, robot: Robot) -> SensorMonitor:
    """Return the sensors of an arm of a project, on its links and on bodies.

    Raises:
        UnknownName: if the arm has no such link, or there is no such preset.
        InvalidInput: if there is no such body.
        NotSupported: if the structure gives bodies no accelerations.
    """
    check_carriers(project)
    return SensorMonitor(robot, project, project.arm(name))
