"""The state of a session as bytes: a header of 24 bytes and 32-bit floats, little-endian, in a fixed order.

header   kind (u8: 1), version (u8), axes n (u8), bodies b (u8), sequence (u32), time (f64, s), flags (u16),
         frames f (u16), revision (u32)
floats   q n · qd n · qdd n · tau n                  as they are: ° or mm, per s and s²; N·m or N
         q n · qd n · qdd n · tau n                  as they are commanded; tau: what that motion asks of the arm alone
         frames 7 f                                  x y z (m), quaternion w x y z: every link, and last the tool
         bodies 7 b                                  the same for each body
         joint gap (mm), kinetic energy (J), potential energy (J), player time (s), rate, lag (s)
others   for each arm that is not selected, in the layout's order, n being its own axes:
         q … tau 8 n and the frames of its links as above; flags, joint gap (mm), player time (s), which body
         its tool holds, from 0 (-1: none)

A second kind of frame has what sensors read since the last one; none is left out but for a page that does not read.

header   kind (u8: 2), version (u8), sensors (u16), frames f (u16), nothing (u16), sequence (u32), record (u32: another
         one when the samples were restarted), estimated and commanded error (f32, f32: root mean square over the
         joints, ° or mm; NaN: not known)
sensors  each: id (16 bytes of ASCII, zeros behind), numbers of a sample w (u16), nothing (u16), samples m (u32);
         time m (f64, s of the session, when it was taken); what was there m w (f32), what was read m w (f32):
         inertial units rate x y z (°/s) and specific force x y z (m/s²), encoders ° or mm, torques N·m or N,
         wrench N and N·m, distances mm (inf: nothing), contact N
frames   7 f (f32)                                  of the arm as its inertial units see it
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntFlag
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.cell.pack_state import ROWS, SEVEN, state_into
from armlab.geometry.pose import quaternion_of

VERSION = 4
KIND_STATE = 1
KIND_SENSORS = 2
SUBPROTOCOL = f"armlab.{VERSION}"
"""The WebSocket subprotocol: a page of another version is told to reload."""
HEADER = struct.Struct("<BBBBIdHHI")
HEADER_FIELDS = ("kind", "version", "axes", "bodies", "sequence", "time", "flags", "frames", "revision")
SENSORS_HEADER = struct.Struct("<BBHHHIIff")
SENSORS_FIELDS = (
    "kind", "version", "sensors", "frames", "nothing", "sequence", "record", "estimated_error", "commanded_error",
)  # fmt: skip
SENSOR_HEADER = struct.Struct("<16sHHI")
SENSOR_ID_BYTES = 16
JOINT_ROWS = ("q", "qd", "qdd", "tau", "command", "command_qd", "command_qdd", "command_tau")
EXTRAS = ("gap", "kinetic", "potential", "player_time", "rate", "lag")
OTHER_EXTRAS = ("flags", "gap", "player_time", "held")
NO_BODIES = np.zeros((0, 4, 4))
assert HEADER.size == SENSORS_HEADER.size == SENSOR_HEADER.size == 24
assert len(JOINT_ROWS) == ROWS


class Flag(IntFlag):
    """What the session is doing."""

    MOVING = 1
    JOGGING = 2
    PLAYING = 4
    PAUSED = 8
    HOLDING = 16
    TOUCHING = 32
    RECORDING = 64
    LOOPING = 128


def pack_state(
    *,
    sequence: int,
    time: float,
    flags: int,
    revision: int,
    joints: Floats,
    scales: Floats,
    frames: Floats,
    bodies: Floats,
    extras: Floats,
) -> bytes:
    """Return a state frame.

    Args:
        sequence: counts the states.
        time: s.
        flags: bits of `Flag`.
        revision: of the document.
        joints: (8, n) in SI: positions, speeds, accelerations and efforts as they are, and as they are commanded.
        scales: (n,) from the joints' units to SI.
        frames: (f, 4, 4).
        bodies: (b, 4, 4).
        extras: (6,).
    """
    n, b = joints.shape[1], len(bodies)
    counts = sequence & 0xFFFFFFFF, revision & 0xFFFFFFFF
    head = HEADER.pack(KIND_STATE, VERSION, n, b, counts[0], time, flags, len(frames), counts[1])
    out = np.empty(ROWS * n + SEVEN * (len(frames) + b) + len(extras), "<f4")
    state_into(joints, scales, frames, bodies, extras, out)
    return head + out.tobytes()


def pack_other(*, joints: Floats, scales: Floats, frames: Floats, extras: Floats) -> bytes:
    """Return what a state frame holds of an arm that is not selected; arguments as above, extras (4,)."""
    out = np.empty(ROWS * joints.shape[1] + SEVEN * len(frames) + len(extras), "<f4")
    state_into(joints, scales, frames, NO_BODIES, extras, out)
    return out.tobytes()


class SensorRows(NamedTuple):
    """What one sensor read, as a page is told: `id`, times (m,) s, and numbers (m, w) that were there and were read."""

    id: str
    t: Floats
    true: Floats
    read: Floats


def pack_sensors(
    sequence: int,
    record: int,
    sensors: Sequence[SensorRows],
    frames: Floats,
    estimated_error: float,
    commanded_error: float,
) -> bytes:
    """Return a frame of what sensors read; `frames` (f, 4, 4) are those of the estimated arm."""
    counts = len(sensors), len(frames), 0, sequence & 0xFFFFFFFF, record & 0xFFFFFFFF
    parts = [SENSORS_HEADER.pack(KIND_SENSORS, VERSION, *counts, estimated_error, commanded_error)]
    for one in sensors:
        parts.append(SENSOR_HEADER.pack(one.id.encode("ascii"), one.read.shape[1], 0, len(one.t)))
        parts.append(one.t.astype("<f8").tobytes())
        parts += [values.astype("<f4").tobytes() for values in (one.true, one.read)]
    sevens = np.array([(*T[:3, 3], *quaternion_of(T)) for T in frames], dtype="<f4")
    return b"".join([*parts, sevens.tobytes()])
