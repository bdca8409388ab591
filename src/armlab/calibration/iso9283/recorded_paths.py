"""ISO 9283 along recorded paths: a CSV of what was measured while the arm ran a line, two circles and a rectangle."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.iso9283.characteristics import (
    CornerCharacteristics,
    corner_characteristics,
    path_characteristics,
)
from armlab.calibration.iso9283.cube import MeasuringPlane
from armlab.calibration.iso9283.simulated import PathTest, standard_paths
from armlab.calibration.measurement_file import MAX_BYTES, cells_of, numbers_of_line
from armlab.errors import InvalidInput
from armlab.files import read_bounded, write_whole
from armlab.messages import _
from armlab.units import M_PER_MM, MM_PER_M

CORNERS = "corners"
LEAST_CYCLES = 3
SAMPLES = 1500
"""Points at equal lengths that each path is compared at."""
STILL = 1.0 / 400.0
"""Share of a path's length below which the tool has not moved: noise at rest is no path."""
FAR = 0.1
"""Share of the cube's side: a point farther from its path is of another path, frame or unit."""
NEAR = 0.03
"""Share of a path's length within which the tool has been at a point of it."""
WHOLE = 0.9
"""Share of its path that each cycle must cover."""
COLUMNS = ["path", "cycle", "x", "y", "z"]

Cycles = dict[str, list[Floats]]


def recorded_paths(
    plane: MeasuringPlane, path: Path | str
) -> tuple[tuple[PathTest, ...], CornerCharacteristics | None]:
    """Return path and corner characteristics of a recorded arm, whose file `read_paths` reads.

    The commanded paths are those of `commanded_paths(plane)`; what was not recorded is left out.

    Raises:
        InvalidInput: if the file cannot be used, or a cycle is not of its path; the message names it.
    """
    commanded, cycles = commanded_paths(plane), read_paths(path)
    tests = []
    for name in (name for name in commanded if name != CORNERS and name in cycles):
        line = _even(commanded[name], 0.0)
        attained = []
        for number, points in enumerate(cycles[name], 1):
            _check(plane, name, number, commanded[name], points)
            attained.append(_even(points, STILL * _length(commanded[name])))
        result, lines = path_characteristics(line, np.array(attained))
        tests.append(PathTest(name, result, lines[0], lines[1:]))
    if CORNERS not in cycles:
        return tuple(tests), None
    corners = commanded[CORNERS]
    for number, points in enumerate(cycles[CORNERS], 1):
        _check(plane, CORNERS, number, corners, points)
    return tuple(tests), corner_characteristics(corners, [_denser(points) for points in cycles[CORNERS]])


def commanded_paths(plane: MeasuringPlane) -> dict[str, Floats]:
    """Return the paths to run as polylines (k, 3) in the world, m: by name `line`, two circles, and `corners`."""
    found = {}
    for name, path in standard_paths(plane):
        found[name] = path.at(np.linspace(0.0, path.length, SAMPLES))[:, :3, 3]
    found[CORNERS] = plane.T[[1, 2, 3, 4, 1], :3, 3]
    return found


def write_commanded(plane: MeasuringPlane, path: Path) -> None:
    """Write the paths to run as CSV: path, x, y, z in mm; whole or not at all."""
    rows = [
        f"{name},{','.join(f'{value:.4f}' for value in point * MM_PER_M)}"
        for name, points in commanded_paths(plane).items()
        for point in (points if name == CORNERS else points[::15])
    ]
    write_whole(path, ("\n".join(["path,x,y,z", *rows]) + "\n").encode())


def read_paths(path: Path | str) -> Cycles:
    """Return what was measured along paths, by name: for each cycle its points (k, 3) in m, in the order of time.

    The file is CSV with the columns path (line, large circle, small circle, corners), cycle (1, 2, …), x, y, z in mm.

    Raises:
        InvalidInput: if columns, rows or cycles are missing, or a value is not a number; the message names the line.
    """
    try:
        return _read(read_bounded(Path(path), MAX_BYTES).decode("utf-8-sig", errors="replace"))
    except InvalidInput as error:
        raise error.within(str(path)) from None


def _read(text: str) -> Cycles:
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    names = [name.strip().lower() for name in cells_of(lines[0][1], lines[0][0])] if lines and "\0" not in text else []
    if names != COLUMNS:
        template = _("the first line must name the columns {expected}; got {given}")
        raise InvalidInput("iso_path_columns", template, expected=COLUMNS, given=names[:12])
    known = ("line", "large circle", "small circle", CORNERS)
    found: dict[tuple[str, int], list[list[float]]] = {}
    for number, line in lines[1:]:
        cells = cells_of(line, number)
        path = cells[0].strip().lower() if cells else ""
        values = numbers_of_line(["0", *cells[1:]], number, names)
        if path not in known or values[1] < 1.0 or values[1] != int(values[1]):
            template = _(
                "line {line}: path must be one of {known} and cycle a whole number from 1, got '{path}', {cycle}"
            )
            raise InvalidInput(
                "iso_path", template, line=number, known=list(known), path=path[:40], cycle=cells[1][:20]
            )
        found.setdefault((path, int(values[1])), []).append(values[2:])
    cycles: Cycles = {}
    for (path, _cycle), points in sorted(found.items()):
        cycles.setdefault(path, []).append(np.array(points) * M_PER_MM)
    few = {path: len(each) for path, each in cycles.items() if len(each) < LEAST_CYCLES}
    if few or not cycles:
        template = _("cycles of each path: {counts}; at least {least} are needed, better 10")
        counts = [f"{path} {count}" for path, count in few.items()] or ["0"]
        raise InvalidInput("iso_path_cycles", template, counts=counts, least=LEAST_CYCLES)
    return cycles


def _check(plane: MeasuringPlane, name: str, cycle: int, commanded: Floats, points: Floats) -> None:
    """Check that a cycle is one of its path: near it all along, and from its start to its end."""
    line, length = _even(commanded, 0.0), _length(commanded)
    away = np.linalg.norm(_even(points, STILL * length)[::5, None] - line[None, ::5], axis=2)
    far = float(away.min(axis=1).max())
    facts = {"path": name, "cycle": cycle}
    if far > FAR * plane.side:
        template = _(
            "{path}, cycle {cycle}: {away:.0f} mm off the commanded path; are these mm in the frame of the arm's base?"
        )
        raise InvalidInput("iso_path_away", template, **facts, away=far * MM_PER_M)
    share = float((away.min(axis=0) < NEAR * length).mean())
    if share < WHOLE:
        template = _("{path}, cycle {cycle}: only {share:.0f} % of the path were recorded")
        raise InvalidInput("iso_path_part", template, **facts, share=100.0 * share)


def _moving(points: Floats, step: float) -> Floats:
    """Return a path without its rest at both ends, where noise alone would be its length."""
    left = np.linalg.norm(points - points[0], axis=1) > step
    back = np.linalg.norm(points - points[-1], axis=1) > step
    if not left.any() or not back.any():
        return points
    first, last = int(np.argmax(left)), len(points) - int(np.argmax(back[::-1]))
    return points[max(first - 1, 0) : last + 1] if first < last else points


def _even(points: Floats, step: float) -> Floats:
    """Return a path at equal lengths (SAMPLES, 3): recordings are sampled in time, and each in its own."""
    kept = _moving(points, step)
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(kept, axis=0), axis=1))])
    grid = np.linspace(0.0, along[-1], SAMPLES)
    return np.column_stack([np.interp(grid, along, kept[:, k]) for k in range(3)])


def _denser(points: Floats) -> Floats:
    """Return a path with its own points and others at equal lengths between them: no corner of it is lost."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    grid = np.union1d(along, np.linspace(0.0, along[-1], SAMPLES))
    return np.column_stack([np.interp(grid, along, points[:, k]) for k in range(3)])


def _length(points: Floats) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
