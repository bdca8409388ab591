"""The recorder: joint values, frames and findings become an MCAP file of ROS 2 messages while they happen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from mcap.records import Channel, Metadata, Schema
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.messages import _, term
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.recording.cdr import CdrWriter, Template
from armlab.recording.definitions import (
    DEFINITIONS,
    DIAGNOSTICS,
    ENCODING,
    JOINT_STATE,
    JOINT_TRAJECTORY,
    NAMED_VALUES,
    TRANSFORMS,
)
from armlab.recording.mcap_write import McapFile
from armlab.recording.recording import (
    COMMAND_Q,
    COMMAND_QD,
    COMMAND_QDD,
    COMMAND_TAU,
    QD,
    QDD,
    QUANTITIES,
    SIGNALS,
    TAU,
    Q,
    checked_names,
    facts_of,
)
from armlab.recording.transforms import transform_blocks
from armlab.version import __version__

WORLD = "world"
JOINT_TOPIC, FRAME_TOPIC, DIAGNOSTIC_TOPIC = "/joint_states", "/tf", "/diagnostics"
COMMAND_TOPIC, SIGNAL_TOPIC = "/joint_commands", "/signals"
ACCELERATION_TOPIC, COMMAND_ACCELERATION_TOPIC = "/joint_accelerations", "/joint_command_accelerations"
"""ROS's joint states have no accelerations: these are trajectories of one point that has nothing else."""
METADATA = "armlab"
LATEST = 2**31
"""Messages have 32 bits for seconds."""
LEVELS = {"note": 0, "warning": 1, "error": 2}
"""Levels of findings as bytes of a DiagnosticStatus: OK, WARN, ERROR."""

_STATE_ROWS, _COMMAND_ROWS = (Q, QD, TAU), (COMMAND_Q, COMMAND_QD, COMMAND_TAU)


class Recorder:
    """Writes a recording while it happens; use it in a `with` statement.

    What was written stays readable whatever happens: a killed process loses less than the last half second of recorded
    time. Times are those of the simulation, from 0.

    Args:
        path: of the new file, which ends in .mcap; one that exists is kept, unless `overwrite` is true. Or a stream,
            which stays open.
        robot: the arm, or the names of the joints.
        frames: names of the frames that `write` is given; the robot's own if not said.
        source: where it all comes from (seed, structure, program …); kept in the file as text.
        overwrite: whether an existing file is replaced.

    Raises:
        InvalidInput: if there is a file of that name, it cannot be written, or a name or value cannot be used.
    """

    def __init__(
        self,
        path: Path | str | BytesIO,
        robot: Robot | Sequence[str],
        *,
        frames: Sequence[str] | None = None,
        source: Mapping[str, Any] | None = None,
        overwrite: bool = False,
    ) -> None:
        path = Path(path) if isinstance(path, str) else path
        if isinstance(path, Path) and path.suffix != ".mcap":
            template = _("{file}: the file name must end in {suffixes}")
            raise InvalidInput("file_suffix", template, file=path.name, suffixes=[".mcap"])
        facts = facts_of(robot, source or {})
        if isinstance(robot, Robot):
            self.names = tuple(joint.name for joint in robot.joints)
            frames = robot.frame_names if frames is None else frames
        else:
            self.names = tuple(robot)
        self.frame_names = checked_names(frames or (), term(_("frame")))
        self._hardware = facts.get("robot", "")
        self._shape = (len(self.names),)
        self._states: dict[tuple[bool, ...], Template] = {}
        self._points: Template | None = None
        self._frames: Template | None = None
        self._signals = _signal_template()
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
        qdd: ArrayLike | None = None,
        command_q: ArrayLike | None = None,
        command_qd: ArrayLike | None = None,
        command_qdd: ArrayLike | None = None,
        command_tau: ArrayLike | None = None,
        frames: ArrayLike | None = None,
        diagnostics: Iterable[Finding] = (),
    ) -> None:
        """Add one sample.

        Args:
            time: in seconds, not before the last one.
            q: joint positions (n,).
            qd: joint speeds (n,), where they are known.
            tau: joint forces (n,), where they are known.
            qdd: joint accelerations (n,), where they are known.
            command_q: positions that the joints were told to have (n,), where they are known.
            command_qd: speeds, likewise.
            command_qdd: accelerations, likewise.
            command_tau: forces, likewise.
            frames: poses in the world (k, 4, 4), one for each frame's name.
            diagnostics: what a check noticed at this time.

        Raises:
            InvalidInput: if a value has the wrong shape or is not finite, time runs backwards, or the recorder is
                closed. Nothing is added then.
        """
        given = (q, qd, qdd, tau, command_q, command_qd, command_qdd, command_tau)
        blocks = [
            b"" if values is None else as_floats(values, self._shape, who).tobytes()
            for values, who in zip(given, QUANTITIES, strict=True)
        ]
        self._add(time, blocks, frames, list(diagnostics))

    def write_joints(
        self, time: float, joints: Floats, frames: ArrayLike | None = None, signals: Floats | None = None
    ) -> None:
        """Add one sample that is already in the form of a Recording: `QUANTITIES` (8, n), rows of NaN where unknown.

        `signals` are the `SIGNALS` (9,), NaN where unknown.

        It costs about 0.1 ms with the disk: made for a recording that runs along with the ticks of a session.

        Raises:
            InvalidInput: as `write`.
        """
        if joints.shape != (len(QUANTITIES), *self._shape) or joints.dtype != np.float64:
            joints = as_floats(joints, (len(QUANTITIES), *self._shape), "joints")
        blocks: list[bytes] = []
        for row in joints:
            known = math.isfinite(row.dot(row))
            if not known and not np.isnan(row).all():
                as_floats(row, self._shape, QUANTITIES[len(blocks)])
            blocks.append(row.tobytes() if known else b"")
        if not blocks[Q]:
            as_floats(joints[Q], self._shape, "q")
        if signals is not None:
            as_floats(np.nan_to_num(signals, posinf=np.inf, neginf=-np.inf), (len(SIGNALS),), "signals")
        self._add(time, blocks, frames, [], signals)

    def flush(self) -> None:
        """Bring everything that was written to the disk now."""
        self._file.flush()

    def close(self) -> None:
        """Write the rest and the summary; a second call does nothing."""
        self._file.close()

    def _add(
        self,
        time: float,
        blocks: list[bytes],
        frames: ArrayLike | None,
        findings: list[Finding],
        signals: Floats | None = None,
    ) -> None:
        """Add what is known; nothing of it if something cannot be used."""
        now = self._checked_time(time)
        posed = None if frames is None else self._frame_message(now, frames)
        self._time_ns = now
        add = self._file.add_message
        add(self._joint_channel, now, self._joint_message(now, [blocks[row] for row in _STATE_ROWS]))
        if blocks[COMMAND_Q] or blocks[COMMAND_QD] or blocks[COMMAND_TAU]:
            message = self._joint_message(now, [blocks[row] for row in _COMMAND_ROWS])
            add(self._channel(COMMAND_TOPIC, JOINT_STATE), now, message)
        for row, topic in ((QDD, ACCELERATION_TOPIC), (COMMAND_QDD, COMMAND_ACCELERATION_TOPIC)):
            if blocks[row]:
                message = self._acceleration_template().filled(now, [blocks[row]])
                add(self._channel(topic, JOINT_TRAJECTORY), now, message)
        if signals is not None:
            add(self._channel(SIGNAL_TOPIC, NAMED_VALUES), now, self._signals.filled(now, [signals.tobytes()]))
        if posed is not None:
            add(self._channel(FRAME_TOPIC, TRANSFORMS), now, posed)
        if findings:
            message = _diagnostic_message(now, findings, self._hardware)
            add(self._channel(DIAGNOSTIC_TOPIC, DIAGNOSTICS), now, message)

    def _checked_time(self, time: float) -> int:
        if not self._file.is_open:
            raise InvalidInput("recorder_closed", _("recorder: it is closed"))
        if not (isinstance(time, int | float | np.number) and 0.0 <= time < LATEST):
            raise InvalidInput(
                "time_range", _("time: expected 0 to {latest} s, got {time}"), latest=LATEST, time=repr(time)
            )
        now = round(float(time) * 1e9)
        if now < self._time_ns:
            raise InvalidInput(
                "time_backwards",
                _("time: {time:g} s is before {last:g} s, the last one written"),
                time=float(time),
                last=self._time_ns * 1e-9,
            )
        return now

    def _joint_message(self, now: int, blocks: list[bytes]) -> bytes:
        """Return a message of positions, speeds and forces; empty ones are left out."""
        known = tuple(map(bool, blocks))
        template = self._states.get(known)
        if template is None:
            body, n = self._begun(), len(self.names)
            for is_known in known:
                body.count(n if is_known else 0)
                body.block(n if is_known else 0)
            template = self._states[known] = Template(body)
        return template.filled(now, [block for block in blocks if block])

    def _acceleration_template(self) -> Template:
        """Return a trajectory of one point that has accelerations only."""
        if self._points is None:
            body, n = self._begun(), len(self.names)
            body.count(1)
            for count in (0, 0, n, 0):
                body.count(count)
                body.block(count)
            for _half in range(2):  # the time from the start: 0 s, 0 ns
                body.count(0)
            self._points = Template(body)
        return self._points

    def _begun(self) -> CdrWriter:
        """Return a message that begins with the time and the joints' names."""
        body = CdrWriter()
        body.stamp()
        body.text("")
        body.texts(self.names)
        return body

    def _frame_message(self, now: int, frames: ArrayLike) -> bytes:
        blocks = transform_blocks(as_floats(frames, (len(self.frame_names), 4, 4), "frames"))
        if self._frames is None:
            if WORLD in self.frame_names:
                raise InvalidInput(
                    "frame_named_world", _("frames: '{name}' is the frame that all others are given in"), name=WORLD
                )
            self._frames = _frame_template(self.frame_names)
        return self._frames.filled(now, blocks)

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
    body = CdrWriter()
    body.count(len(names))
    for name in names:
        body.stamp()
        body.text(WORLD)
        body.text(name)
        body.block(7)
    return Template(body)


def _signal_template() -> Template:
    body = CdrWriter()
    body.texts(SIGNALS)
    body.count(len(SIGNALS))
    body.block(len(SIGNALS))
    return Template(body)


def _diagnostic_message(now: int, findings: Sequence[Finding], hardware: str) -> bytes:
    body = CdrWriter()
    body.stamp(*divmod(now, 1_000_000_000))
    body.text("")
    body.count(len(findings))
    for finding in findings:
        body.byte(LEVELS[finding.severity])
        for text in (finding.code, str(finding.message), hardware):
            body.text(text)
        body.count(len(finding.where))
        for key, value in finding.where.items():
            body.text(str(key))
            body.text(str(value))
    return bytes(body.data)
