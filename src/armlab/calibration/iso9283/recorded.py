"""ISO 9283 on a recorded arm: a CSV of what was measured at P1 to P5."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.iso9283.characteristics import distance_characteristics, pose_characteristics
from armlab.calibration.iso9283.cube import measuring_plane
from armlab.calibration.iso9283.recorded_paths import recorded_paths
from armlab.calibration.iso9283.simulated import IsoTest
from armlab.calibration.measurement_file import MAX_BYTES, cells_of, numbers_of_line
from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.units import M_PER_MM, RAD_PER_DEG

LEAST_CYCLES = 3


def recorded_iso9283(robot: Robot, path: Path | str | None, paths: Path | str | None = None) -> IsoTest:
    """Return what ISO 9283 says about a recorded arm; what was not recorded is empty.

    Args:
        robot: the nominal arm; what was commanded are the poses and paths of `measuring_plane(robot)`.
        path: what was measured at P1 to P5, as `read_attained` reads it.
        paths: what was measured along paths, as `read_paths` reads it.
    """
    plane = measuring_plane(robot)
    along, corners = ((), None) if paths is None else recorded_paths(plane, paths)
    if path is None:
        return IsoTest(robot.name, plane, (), None, np.zeros((5, 0, 4, 4)), paths=along, corners=corners)
    attained, turned = read_attained(path)
    if not turned:
        attained[:, :, :3, :3] = plane.T[:, None, :3, :3]
    poses = tuple(pose_characteristics(plane.T[k], attained[k]) for k in range(5))
    ends = plane.T[[1, 3], :3, 3]
    distance = distance_characteristics((ends[0], ends[1]), (attained[1, :, :3, 3], attained[3, :, :3, 3]))
    return IsoTest(robot.name, plane, poses, distance, attained, turned, along, corners)


def read_attained(path: Path | str) -> tuple[Floats, bool]:
    """Return what was measured, T (5, cycles, 4, 4), and whether orientations were.

    The file is CSV with the columns point (1 to 5), x, y, z in mm and, where orientations were measured, a, b, c in °;
    rows are in the order of time, and every point has the same number of them.

    Raises:
        InvalidInput: if columns or rows are missing, or a value is not a number; the message names the line.
    """
    try:
        return _read(read_bounded(Path(path), MAX_BYTES).decode("utf-8-sig", errors="replace"))
    except InvalidInput as error:
        raise error.within(str(path)) from None


def _read(text: str) -> tuple[Floats, bool]:
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    names = [name.strip().lower() for name in cells_of(lines[0][1], lines[0][0])] if lines else []
    if names not in (["point", "x", "y", "z"], ["point", "x", "y", "z", "a", "b", "c"]):
        raise InvalidInput(
            "iso_columns",
            _("the first line must name the columns point, x, y, z and, for orientations, a, b, c; got {given}"),
            given=names[:12],
        )
    points: list[list[list[float]]] = [[] for _point in range(5)]
    for number, line in lines[1:]:
        values = numbers_of_line(cells_of(line, number), number, names)
        if values[0] not in {1.0, 2.0, 3.0, 4.0, 5.0}:
            template = _("line {line}: point must be 1 to 5, got {given:g}")
            raise InvalidInput("iso_point", template, line=number, given=values[0])
        points[int(values[0]) - 1].append(values[1:])
    counts = [len(rows) for rows in points]
    if min(counts) < LEAST_CYCLES or len(set(counts)) > 1:
        raise InvalidInput(
            "iso_cycles",
            _("points 1 to 5 have {counts} rows; all need the same number, at least {least}, better 30"),
            counts=counts,
            least=LEAST_CYCLES,
        )
    rows = np.array(points)
    xyz = rows[:, :, :3] * M_PER_MM
    turned = rows.shape[2] == 6
    return (pose.from_xyz_abc(xyz, rows[:, :, 3:] * RAD_PER_DEG) if turned else pose.from_xyz(xyz)), turned
