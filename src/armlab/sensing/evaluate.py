"""How far an estimate is from the truth, as the authors of the BROAD data set count it: heading, inclination, total."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.navigate import Estimate, about_z, difference
from armlab.sensing.rest import first_rest


class OrientationErrors(NamedTuple):
    """Errors of orientation over time, (m,) rad; NaN where there is no truth."""

    heading: Floats
    inclination: Floats
    total: Floats


class NavigationError(NamedTuple):
    """Root mean squares after the first rest (rad), and the error of position at the end (m) where it is known."""

    heading: float
    inclination: float
    total: float
    position: float | None


def orientation_errors(estimate: Estimate, record: ImuRecord) -> OrientationErrors:
    """Return the errors of an estimate: of the turn e = q ⊗ q_true⁻¹ in the world, its part about z, and the rest.

    A filter without a magnetometer cannot know the heading, and filters count it from different norths: the estimate is
    turned about z so that its heading is right at the end of the first rest.

    Raises:
        InvalidInput: if the record has no true orientation.
    """
    if record.orientation is None:
        raise InvalidInput("imu_without_truth", _("{name}: the record has no true orientation"), name=record.name)
    aligned = about_z(estimate.orientation, _heading_to_truth(estimate, record))
    w, x, y, z = np.abs(difference(aligned, record.orientation)).T
    heading = 2.0 * np.arctan2(z, w)
    inclination = 2.0 * np.arctan2(np.hypot(x, y), np.hypot(w, z))
    total = 2.0 * np.arctan2(np.sqrt(x * x + y * y + z * z), w)
    return OrientationErrors(heading, inclination, total)


def _heading_to_truth(estimate: Estimate, record: ImuRecord) -> float:
    """Return the turn about z (rad) that makes the heading of the estimate right at the end of the first rest."""
    truth = np.asarray(record.orientation)
    known = np.flatnonzero(np.isfinite(truth).all(axis=1))
    if not len(known):
        raise InvalidInput("imu_without_truth", _("{name}: the record has no true orientation"), name=record.name)
    at = int(known[min(int(np.searchsorted(known, max(first_rest(record) - 1, 0))), len(known) - 1)])
    first = difference(estimate.orientation[at : at + 1], truth[at : at + 1])[0]
    return -2.0 * float(np.arctan2(first[3], first[0]))


def evaluate(estimate: Estimate, record: ImuRecord) -> NavigationError:
    """Return the root mean square errors where the record says that it moves (as in BROAD), else after the first rest.

    Of a record that never moves, those of all of it. The path is turned about z as the orientation is.
    """
    errors = orientation_errors(estimate, record)
    rest = first_rest(record)
    part = np.arange(len(record)) >= (rest if rest < len(record) else 0)
    if record.movement is not None and record.movement.any():
        part = record.movement
    position = None
    if estimate.position is not None and record.position is not None:
        x, y, z = estimate.position[-1] - estimate.position[0]
        c, s = math.cos(turn := _heading_to_truth(estimate, record)), math.sin(turn)
        end = estimate.position[0] + [c * x - s * y, s * x + c * y, z]
        position = float(np.linalg.norm(end - record.position[-1]))
    heading, inclination, total = (float(np.sqrt(np.nanmean(e[part] ** 2))) for e in errors)
    return NavigationError(heading, inclination, total, position)
