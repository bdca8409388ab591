"""The state of a session as bytes: a header of 24 bytes and 32-bit floats, little-endian, in a fixed order.

header   kind (u8: 1), version (u8), axes n (u8), bodies b (u8), sequence (u32), time (f64, s), flags (u32),
         revision (u32)
floats   q n · qd n · qdd n · tau n · command n      joints' units: ° or mm, per s and s²; N·m or N
         frames 7 (n + 2)                            x y z (m), quaternion w x y z: every link, and last the tool
         bodies 7 b                                  the same for each body
         joint gap (mm), kinetic energy (J), potential energy (J), player time (s), pace, lag (s)
"""

from __future__ import annotations

import struct
from enum import IntFlag

import numpy as np

from armlab.arrays import Floats

VERSION = 1
KIND_STATE = 1
SUBPROTOCOL = f"armlab.{VERSION}"
"""The WebSocket subprotocol: a page of another version is told to reload."""
HEADER = struct.Struct("<BBBBIdII")
EXTRAS = 6
assert HEADER.size == 24


class Flag(IntFlag):
    """What the session is doing."""

    MOVING = 1
    JOGGING = 2
    PLAYING = 4
    PAUSED = 8
    HOLDING = 16
    TOUCHING = 32
    RECORDING = 64
    DIVERGED = 128


def pack_state(
    *,
    sequence: int,
    time: float,
    flags: int,
    revision: int,
    joints: Floats,
    frames: Floats,
    bodies: Floats,
    extras: Floats,
) -> bytes:
    """Return a state frame; joints (5, n), frames (n + 2, 7), bodies (b, 7), extras (6,)."""
    header = HEADER.pack(
        KIND_STATE,
        VERSION,
        joints.shape[1],
        len(bodies),
        sequence & 0xFFFFFFFF,
        time,
        flags,
        revision & 0xFFFFFFFF,
    )
    parts = (joints.ravel(), frames.ravel(), bodies.ravel(), extras)
    return header + np.concatenate(parts).astype("<f4").tobytes()
