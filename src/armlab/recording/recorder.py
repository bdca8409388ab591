"""The recorder: joint states, frames, inertial readings and findings become an MCAP file of ROS 2 messages."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from mcap.records import Channel, Metadata, Schema
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.recording.cdr import Body, Template
from armlab.recording.definitions import DEFINITIONS, DIAGNOSTICS, ENCODING, IMU, JOINT_STATE, TRANSFORMS
from armlab.recording.mcap_write import McapFile
from armlab.recording.transforms import transform_blocks
from armlab.version import __version__

WORLD = "world"
JOINT_TOPIC, FRAME_TOPIC, DIAGNOSTIC_TOPIC, IMU_TOPIC = "/joint_states", "/tf", "/diagnostics", "/imu/"
COMMAND_TOPIC = "/joint_commands"
METADATA = "armlab"
JOINTS = "joints"
UNITS = "units"
"""Keys of the metadata: lists as JSON."""
LATEST = 2**31
"""Messages have 32 bits for seconds."""
LEVELS = {"note": 0, "warning": 1, "error": 2}
"""Levels of findings as bytes of a DiagnosticStatus: OK, WARN, ERROR."""

_FLOAT64 = np.dtype(np.float64)
_TOPIC_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*")


class ImuReading(NamedTuple):
    """What an inertial sensor says in its own axes: rad/s, m/s² (9.81 upwards at rest), and w x y z if it knows it."""

    angular_velocity: ArrayLike
    acceleration: ArrayLike
    orientation: ArrayLike | None = None


class Recorder:
    """Writes a recording while it happens; use it in a `with` statement.

    What was written stays readable whatever happens: a killed process loses less than the last half second of recorded
    time. Times are those of the simulation, from 0.

    Args:
        path: of the new file, which ends in .mcap; one that exists is kept, unless `overwrite` is true.
        robot: the arm, or the names of the joints.
        frames: names of the frames that `write` is given; the robot's own if not said.
        source: where it all comes from (seed, structure, program …); kept in the file as text.
        overwrite: whether an existing file is replaced.

    Raises:
        InvalidInput: if there is a file of that name, it cannot be written, or a name or value cannot be used.
    """

    def __init__(
        self,
        path: Path | str,
        robot: Robot | Sequence[str],
        *,
        frames: Sequence[str] | None = None,
        source: Mapping[str, Any] | None = None,
        overwrite: bool = False,
    ) -> None:
        path = Path(path)
        if path.suffix != ".mcap":
            raise InvalidInput(f"{path.name}: the name of a recording ends in .mcap")
        facts = {"version": __version__}
        if isinstance(robot, Robot):
            self.names = tuple(joint.name for joint in robot.joints)
            frames = robot.frame_names if frames is None else frames
            units = ["rad" if joint.kind == "revolute" else "m" for joint in robot.joints]
            facts |= {"robot": robot.name, "tool": robot.tool.name, UNITS: json.dumps(units)}
        else:
            self.names = _checked_names(robot, "joint")
        self.frame_names = _checked_names(frames or (), "frame")
        facts |= {JOINTS: json.dumps(self.names)} | _texts(source or {})
        self._hardware = facts.get("robot", "")
        self._shape = (len(self.names),)
        self._states: dict[tuple[bool, bool], Template] = {}
        self._frames: Template | None = None
        self._imus: dict[str, Template] = {}
        self._channels: dict[str, int] = {}
        self._schemas: dict[str, int] = {}
        self._time_ns = 0
        self._file = McapFile(path, f"armlab {__version__}", overwrite=overwrite)
        self._file.add(Metadata(METADATA, facts))
        self._joint_channel = self._channel(JOINT_TOPIC, JOINT_STATE)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(
        self,
        time: float,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        command: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
        frames: ArrayLike | None = None,
        imu: Mapping[str, ImuReading] | None = None,
        diagnostics: Iterable[Finding] = (),
    ) -> None:
        """Add one moment.

        Args:
            time: in seconds, not before the last one.
            q: joint positions (n,).
            qd: joint speeds (n,), where they are known.
            tau: joint forces (n,), where they are known.
            command: positions, speeds and forces that the joints were told to have (n,) each; a topic of its own.
            frames: poses in the world (k, 4, 4), one for each frame's name.
            imu: readings of inertial sensors by name.
            diagnostics: what a check noticed at this time.

        Raises:
            InvalidInput: if a value has the wrong shape or is not finite, time runs backwards, or the recorder is
                closed. Nothing is added then.
        """
        now = self._checked_time(time)
        blocks = [self._row(q, "q")]
        if qd is not None:
            blocks.append(self._row(qd, "qd"))
        if tau is not None:
            blocks.append(self._row(tau, "tau"))
        more = list(self._more(now, frames, imu or {}, diagnostics))
        if command is not None:
            wanted = [self._row(row, f"command {who}") for row, who in zip(command, ("q", "qd", "tau"), strict=True)]
            more.append((COMMAND_TOPIC, JOINT_STATE, self._template((True, True)).filled(now, wanted)))
        kind = (qd is not None, tau is not None)
        state = self._template(kind).filled(now, blocks)
        self._time_ns = now
        self._file.add_message(self._joint_channel, now, state)
        for topic, schema, data in more:
            self._file.add_message(self._channel(topic, schema), now, data)

    def flush(self) -> None:
        """Bring everything that was written to the disk now."""
        self._file.flush()

    def close(self) -> None:
        """Write the rest and the summary; a second call does nothing."""
        self._file.close()

    def _checked_time(self, time: float) -> int:
        if not self._file.is_open:
            raise InvalidInput("recorder: it is closed")
        if not (isinstance(time, int | float | np.number) and 0.0 <= time < LATEST):
            raise InvalidInput(f"time: {time!r} s is not a number from 0 to {LATEST} s")
        now = round(float(time) * 1e9)
        if now < self._time_ns:
            raise InvalidInput(f"time: {time:g} s is before {self._time_ns * 1e-9:g} s, which is written already")
        return now

    def _row(self, values: ArrayLike, who: str) -> bytes:
        if (
            type(values) is np.ndarray
            and values.shape == self._shape
            and values.dtype is _FLOAT64
            and math.isfinite(values.dot(values))
        ):
            return values.tobytes()
        return as_floats(values, self._shape, who).tobytes()

    def _more(
        self, now: int, frames: ArrayLike | None, imu: Mapping[str, ImuReading], diagnostics: Iterable[Finding]
    ) -> Iterable[tuple[str, str, bytes]]:
        """Return topic, kind and bytes of the messages beside the joint state."""
        if frames is not None:
            yield FRAME_TOPIC, TRANSFORMS, self._frame_message(now, frames)
        for name, reading in imu.items():
            yield IMU_TOPIC + name, IMU, self._imu_message(now, name, reading)
        findings = list(diagnostics)
        if findings:
            yield DIAGNOSTIC_TOPIC, DIAGNOSTICS, _diagnostic_message(now, findings, self._hardware)

    def _template(self, kind: tuple[bool, bool]) -> Template:
        """Return the message of joint states with or without speeds and forces."""
        if kind in self._states:
            return self._states[kind]
        body, n = Body(), len(self.names)
        body.stamp()
        body.text("")
        body.texts(self.names)
        for is_there in (True, *kind):
            body.count(n if is_there else 0)
            body.block(n if is_there else 0)
        template = self._states[kind] = Template(body)
        return template

    def _frame_message(self, now: int, frames: ArrayLike) -> bytes:
        blocks = transform_blocks(as_floats(frames, (len(self.frame_names), 4, 4), "frames"))
        if self._frames is None:
            if WORLD in self.frame_names:
                raise InvalidInput(f"frames: the name '{WORLD}' is that of the frame which they are all given in")
            self._frames = _frame_template(self.frame_names)
        return self._frames.filled(now, blocks)

    def _imu_message(self, now: int, name: str, reading: ImuReading) -> bytes:
        if name not in self._imus:
            if not _TOPIC_NAME.fullmatch(name):
                raise InvalidInput(f"imu: '{name}' is no name for a topic; letters, digits and _ are allowed")
            body = Body()
            body.stamp()
            body.text(name)
            body.block(37)
            self._imus[name] = Template(body)
        numbers = np.zeros(37)  # orientation x y z w, 9 covariances, angular velocity, 9, acceleration, 9
        numbers[13:16] = as_floats(reading.angular_velocity, (3,), f"imu '{name}': angular_velocity")
        numbers[25:28] = as_floats(reading.acceleration, (3,), f"imu '{name}': acceleration")
        if reading.orientation is None:
            numbers[3], numbers[4] = 1.0, -1.0  # ROS's way to say that the orientation is not known
        else:
            numbers[:4] = _unit(reading.orientation, name)[[1, 2, 3, 0]]
        return self._imus[name].filled(now, [numbers.tobytes()])

    def _channel(self, topic: str, schema: str) -> int:
        if topic not in self._channels:
            if schema not in self._schemas:
                self._schemas[schema] = len(self._schemas) + 1
                definition = DEFINITIONS[schema].encode()
                self._file.add(Schema(id=self._schemas[schema], name=schema, encoding=ENCODING, data=definition))
            self._channels[topic] = len(self._channels) + 1
            self._file.add(
                Channel(
                    id=self._channels[topic],
                    topic=topic,
                    message_encoding="cdr",
                    metadata={},
                    schema_id=self._schemas[schema],
                )
            )
        return self._channels[topic]


def _frame_template(names: Sequence[str]) -> Template:
    body = Body()
    body.count(len(names))
    for name in names:
        body.stamp()
        body.text(WORLD)
        body.text(name)
        body.block(7)
    return Template(body)


def _diagnostic_message(now: int, findings: Sequence[Finding], hardware: str) -> bytes:
    body = Body()
    body.stamp(*divmod(now, 1_000_000_000))
    body.text("")
    body.count(len(findings))
    for finding in findings:
        body.byte(LEVELS[finding.level])
        for text in (finding.code, finding.message, hardware):
            body.text(text)
        body.count(len(finding.where))
        for key, value in finding.where.items():
            body.text(str(key))
            body.text(str(value))
    return bytes(body.data)


def _unit(orientation: ArrayLike, name: str) -> Floats:
    wxyz = as_floats(orientation, (4,), f"imu '{name}': orientation")
    norm = float(np.linalg.norm(wxyz))
    if norm < 1e-12:
        raise InvalidInput(f"imu '{name}': the quaternion [0, 0, 0, 0] describes no rotation")
    return np.asarray(wxyz / norm)


def _checked_names(names: Sequence[str], what: str) -> tuple[str, ...]:
    if isinstance(names, str) or (what == "joint" and not names):
        raise InvalidInput(f"{what}: {names!r} is no list of names")
    for name in names:
        if not (isinstance(name, str) and name and name.isprintable()):
            raise InvalidInput(f"{what}: {name!r} is no name")
        if list(names).count(name) > 1:
            raise InvalidInput(f"{what}: two are named '{name}'")
    return tuple(names)


def _texts(source: Mapping[str, Any]) -> dict[str, str]:
    """Return the values as text: strings as they are, the rest as JSON."""
    for key in source:
        if not (isinstance(key, str) and key):
            raise InvalidInput(f"source: the key {key!r} is no text")
    try:
        texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in source.items()}
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"source: a value cannot be written as JSON ({error})") from None
    return {key: text.encode(errors="replace").decode() for key, text in texts.items()}
