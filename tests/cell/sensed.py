"""What the sensors of a session have read."""

from __future__ import annotations

from armlab.arrays import Floats
from armlab.cell.session import Session
from armlab.kernels.sensing import imu
from armlab.sensing.sensor import SensorSamples


def read(session: Session, index: int = 0) -> SensorSamples:
    """Return all samples of a sensor up to now: blocks that are not full are made of what there is."""
    monitor = session.sensors
    monitor.flush(least=0)
    return monitor.samples(index)


def felt(true: Floats) -> tuple[Floats, Floats]:
    """Return angular rates and specific forces (m, 3) of true motions (m, 16)."""
    return true[:, : imu.ACC], true[:, imu.ACC : imu.TURN]
