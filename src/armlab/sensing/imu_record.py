"""The record of an inertial sensor: angular rate and specific force over time, and the truth where it is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import _

LONGEST = 20_000_000
"""Samples of one record: they are kept in memory."""
LARGEST = 1e9
"""Of any value in its unit: larger ones are damage, and their squares would not be numbers."""
LATEST = 1e12
"""s"""
SHORTEST_STEP = 1e-9
"""s: stamps of ROS count in nanoseconds."""


@dataclass(frozen=True, slots=True, eq=False)
class ImuRecord:
    """What an inertial sensor read, in its own frame; SI units.

    An accelerometer measures specific force: at rest it reads g upwards, in free fall 0. The truth (orientation,
    position, velocity) is that of the sensor's frame in the world; NaN where it is not known.
    """

    t: Floats
    """(m,) s, strictly growing."""
    gyro: Floats
    """(m, 3) rad/s."""
    acc: Floats
    """(m, 3) m/s²."""
    mag: Floats | None = None
    """(m, 3), in any unit; None without a magnetometer."""
    orientation: Floats | None = None
    """(m, 4): the true quaternion wxyz of R_world_sensor."""
    position: Floats | None = None
    """(m, 3) m, true."""
    velocity: Floats | None = None
    """(m, 3) m/s, true."""
    name: str = "imu"
    notes: Mapping[str, str] = field(default_factory=dict)
    """Where it comes from: link, preset, seed …"""
    movement: NDArray[np.bool_] | None = None
    """(m,): where errors count, as the makers of a recording marked it; None: after the first rest."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "t", as_floats(self.t, (None,), "t"))
        self._check_size("t", self.t, LATEST)
        m = len(self.t)
        if m < 2:
            raise InvalidInput(
                "imu_too_short", _("{name}: {count} samples; at least 2 are needed"), name=self.name, count=m
            )
        for what in ("gyro", "acc", "mag"):
            value = getattr(self, what)
            if value is not None:
                put(self, what, as_floats(value, (m, 3), what))
                self._check_size(what, getattr(self, what), LARGEST)
        for what, width in (("orientation", 4), ("position", 3), ("velocity", 3)):
            value = getattr(self, what)
            if value is not None:
                self._check_size(what, as_floats(np.nan_to_num(value), (m, width), what), LARGEST)
                put(self, what, np.require(value, np.float64, ["C", "W"]))
        if self.movement is not None:
            marked = as_floats(np.asarray(self.movement, dtype=np.float64), (m,), "movement")
            put(self, "movement", marked > 0.5)
        back = np.flatnonzero(np.diff(self.t) < SHORTEST_STEP)
        if len(back):
            row = int(back[0]) + 1
            raise InvalidInput(
                "imu_time_backwards",
                _("{name}: row {row}: time {time:g} s is not after {last:g} s"),
                name=self.name,
                row=row + 1,
                time=float(self.t[row]),
                last=float(self.t[row - 1]),
            )

    def _check_size(self, what: str, values: Floats, most: float) -> None:
        far = np.flatnonzero(~(np.abs(values.reshape(len(values), -1)).max(axis=1, initial=0.0) <= most))
        if len(far):
            raise InvalidInput(
                "imu_value_too_large",
                _("{name}: row {row}: {what} has a value beyond ±{most:g}; the file is damaged, or of another kind"),
                name=self.name,
                row=int(far[0]) + 1,
                what=what,
                most=most,
            )

    def __len__(self) -> int:
        return len(self.t)

    @property
    def rate(self) -> float:
        """Samples per second, by the median of the time steps (Hz)."""
        return float(1.0 / np.median(np.diff(self.t)))

    @property
    def duration(self) -> float:
        """From the first sample to the last (s)."""
        return float(self.t[-1] - self.t[0])

    @property
    def R_world_sensor(self) -> Floats:
        """The true rotations (m, 3, 3).

        Raises:
            InvalidInput: if the record has no true orientation.
        """
        if self.orientation is None:
            raise InvalidInput("imu_without_truth", _("{name}: the record has no true orientation"), name=self.name)
        return np.ascontiguousarray(pose.from_xyz_quaternion(np.zeros((len(self), 3)), self.orientation)[:, :3, :3])
