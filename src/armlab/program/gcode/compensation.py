"""Cutter radius compensation: the tool's centre runs beside the programmed contour, at the distance of its radius.

Each line and arc of the contour is shifted sideways by the radius r: to the left of the direction of travel for r > 0.
At an outer corner the shifted pieces leave a gap, which an arc about the corner closes; at an inner one they cross, and
the piece before is cut short where they do. A motion is therefore told only when the next one is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from armlab.messages import _
from armlab.program.gcode.machine import PLANE_AXES
from armlab.program.gcode.problems import BadBlock

if TYPE_CHECKING:
    from armlab.program.gcode.run import Run

Flat: TypeAlias = tuple[float, float]

STRAIGHT = 0.05
"""rad: a contour that turns by less has no corner, as LinuxCNC has it."""
SAME_POINT = 1e-12
CONTROL_POINTS = {1: (1, -1), 2: (-1, -1), 3: (-1, 1), 4: (1, 1), 5: (1, 0), 6: (0, -1), 7: (-1, 0), 8: (0, 1)}
"""Where the control point of a lathe tool is from the middle of its tip: Z and X, in radii, by its orientation."""


class ContourPiece(NamedTuple):
    """A shifted piece of the contour in the plane: a line, or an arc where it has a centre."""

    start: Flat
    end: Flat
    center: Flat | None = None
    turning: float = 0.0
    """1 counter-clockwise, -1 clockwise, 0 for a line."""


@dataclass(slots=True)
class Compensation:
    """Where the contour is, and the last piece beside it."""

    radius: float
    """Program units; positive: the tool is left of the contour."""
    contour: Flat
    heading: Flat = (1.0, 0.0)
    """Unit vector along the contour where the last motion ended."""
    last: ContourPiece | None = None
    """None until the motion that leads to the contour was made."""
    to_control: Flat = (0.0, 0.0)
    """From the middle of the tool's tip to the point that a program moves, along the plane's axes."""


def begin(run: Run, radius: float, orientation: int = 0) -> None:
    """G41, G42: the next motion leads to the side of the contour.

    A lathe tool, which runs in the ZX plane, is moved by a point beside the middle of its tip, as its orientation says.
    """
    first, second, _across = PLANE_AXES[run.machine.modes.plane]
    run.compensation = Compensation(radius, (run.machine.position[first], run.machine.position[second]))
    if run.machine.modes.plane == "zx":
        z, x = CONTROL_POINTS.get(orientation, (0, 0))
        run.compensation.to_control = z * abs(radius), x * abs(radius)


def finish(run: Run) -> None:
    """G40: the next motion leaves the contour; it must be a straight one."""
    run.is_arc_refused = run.runs_beside and _state(run).last is not None
    run.flush()
    run.compensation, run.radius_code = None, 400


def straight(run: Run, end: list[float], *, is_feed: bool, seconds: float) -> None:
    """Go straight to `end` of the contour."""
    state = _state(run)
    there = _flat(run, end)
    along = _difference(there, state.contour)
    length = math.hypot(*along)
    if length <= SAME_POINT:
        _across_the_plane(run, end, is_feed=is_feed, seconds=seconds)
        return
    heading = (along[0] / length, along[1] / length)
    side = _left(heading, state.radius)
    if state.last is None and length <= abs(state.radius):
        raise BadBlock(
            "entry_too_short",
            _("the motion onto the contour must be longer than the tool's radius {radius:.4g}, got {length:.4g}"),
            length=length,
            radius=abs(state.radius),
        )
    piece = ContourPiece(_sum(state.contour, side), _sum(there, side))
    if state.last is not None:
        piece = _join(run, state, piece, heading)
    _add(run, piece, end, 0, is_feed=is_feed, seconds=seconds)
    state.contour, state.heading = there, heading


def arc(run: Run, end: list[float], center: Flat, turns: int, seconds: float) -> None:
    """Go on an arc about `center` to `end` of the contour."""
    state = _state(run)
    here, there = state.contour, _flat(run, end)
    turning = 1.0 if turns > 0 else -1.0
    shifted = math.dist(here, center) - turning * state.radius
    if shifted <= 0.0:
        raise BadBlock(
            "arc_too_tight",
            _("the arc's radius {arc:.4g} is not larger than the tool's radius {radius:.4g}"),
            arc=math.dist(here, center),
            radius=abs(state.radius),
        )
    begins, finishes = _tangent(here, center, turning), _tangent(there, center, turning)
    target = _sum(there, _left(finishes, state.radius))
    if state.last is None:
        piece = ContourPiece(here, target, _entry_center(here, target, center), turning)
    else:
        piece = ContourPiece(_sum(here, _left(begins, state.radius)), target, center, turning)
        piece = _join(run, state, piece, begins)
    _add(run, piece, end, turns, is_feed=True, seconds=seconds)
    state.contour, state.heading = there, finishes


def _state(run: Run) -> Compensation:
    assert run.compensation is not None
    return run.compensation


def _across_the_plane(run: Run, end: list[float], *, is_feed: bool, seconds: float) -> None:
    """Move what is not in the plane; the tool stays beside the same point of the contour."""
    state = _state(run)
    place = state.contour if state.last is None else state.last.end
    run.wait(_with_flat(run, end, place), end, is_feed=is_feed, seconds=seconds)


def _add(run: Run, piece: ContourPiece, end: list[float], turns: int, *, is_feed: bool, seconds: float) -> None:
    """Let a piece wait for the next one; what came before it can no longer change."""
    state = _state(run)
    run.flush()
    target = _with_flat(run, end, piece.end)
    run.wait(target, end, is_feed=is_feed, seconds=seconds, center=piece.center, turns=turns)
    state.last = piece


def _join(run: Run, state: Compensation, piece: ContourPiece, heading: Flat) -> ContourPiece:
    """Join a piece to the last one: by an arc at an outer corner, by cutting both at an inner one.

    Where the contour turns straight back, the corner is an inner one if the tool is outside of an arc there.
    """
    last = state.last
    assert last is not None
    turn = _angle(state.heading, heading)
    if abs(turn) < STRAIGHT:
        return piece
    is_back = abs(turn) > math.pi - STRAIGHT
    is_outside = (piece.turning or last.turning) * state.radius < 0.0
    if (is_back and not is_outside) or (turn * state.radius < 0.0 and not is_back):
        run.flush()
        around = _with_flat(run, run.machine.position, piece.start)
        run.wait(around, run.machine.position, center=state.contour, turns=-1 if state.radius > 0.0 else 1)
        return piece
    crossing = _crossing(last, piece, state.contour)
    if crossing is None:
        raise BadBlock("gouging", _("the tool does not fit into the corner; it would cut the contour"))
    run.move_waiting_to(crossing)
    return piece._replace(start=crossing)


# -- plane geometry --------------------------------------------------------------------------------------------------


def _crossing(before: ContourPiece, after: ContourPiece, corner: Flat) -> Flat | None:
    """Return where two pieces cross, inside the one before and nearest to the corner; None if they do not."""
    found = [point for point in _meetings(before, after) if _is_on(point, before) and _is_on(point, after)]
    swept = [point for point in found if _is_swept(point, before) and _is_swept(point, after)]
    return min(swept or found, key=lambda point: math.dist(point, corner), default=None)


def _is_swept(point: Flat, piece: ContourPiece) -> bool:
    """Tell whether a point of a piece's circle lies on the arc from its start to its end."""
    if piece.center is None:
        return True
    start, end, place = (_difference(spot, piece.center) for spot in (piece.start, piece.end, point))
    full = _angle(start, end) * piece.turning % (2.0 * math.pi) or 2.0 * math.pi
    swept = _angle(start, place) * piece.turning % (2.0 * math.pi)
    return swept <= full + 1e-9 or swept >= 2.0 * math.pi - 1e-9


def _meetings(a: ContourPiece, b: ContourPiece) -> list[Flat]:
    if a.center is None and b.center is None:
        return _line_line(a, b)
    if a.center is None:
        return _line_circle(a, b)
    if b.center is None:
        return _line_circle(b, a)
    return _circle_circle(a, b)


def _line_line(a: ContourPiece, b: ContourPiece) -> list[Flat]:
    u, v = _difference(a.end, a.start), _difference(b.end, b.start)
    across = u[0] * v[1] - u[1] * v[0]
    if abs(across) <= SAME_POINT * math.hypot(*u) * math.hypot(*v):
        return []
    w = _difference(b.start, a.start)
    t = (w[0] * v[1] - w[1] * v[0]) / across
    return [(a.start[0] + t * u[0], a.start[1] + t * u[1])]


def _line_circle(line: ContourPiece, circle: ContourPiece) -> list[Flat]:
    """Foot of the centre on the line, and half the chord to either side of it."""
    assert circle.center is not None
    d = _difference(line.end, line.start)
    length = math.hypot(*d)
    if length <= SAME_POINT:
        return []
    d = (d[0] / length, d[1] / length)
    w = _difference(circle.center, line.start)
    foot = w[0] * d[0] + w[1] * d[1]
    distance = w[0] * d[1] - w[1] * d[0]
    beside = math.dist(circle.end, circle.center) ** 2 - distance**2
    if beside < 0.0:
        return []
    half = math.sqrt(beside)
    return [(line.start[0] + t * d[0], line.start[1] + t * d[1]) for t in (foot - half, foot + half)]


def _circle_circle(a: ContourPiece, b: ContourPiece) -> list[Flat]:
    """Points on the radical line: at distance x from the first centre along the line of centres, and ± h beside it."""
    assert a.center is not None
    assert b.center is not None
    ra, rb = math.dist(a.end, a.center), math.dist(b.end, b.center)
    d = _difference(b.center, a.center)
    length = math.hypot(*d)
    if length <= SAME_POINT:
        return []
    x = (length**2 + ra**2 - rb**2) / (2.0 * length)
    beside = ra**2 - x**2
    if beside < 0.0:
        return []
    h, u = math.sqrt(beside), (d[0] / length, d[1] / length)
    return [(a.center[0] + x * u[0] - s * u[1], a.center[1] + x * u[1] + s * u[0]) for s in (-h, h)]


def _is_on(point: Flat, piece: ContourPiece) -> bool:
    """Tell whether a point of a piece's line lies between its ends; of a piece's circle, any point will do."""
    if piece.center is not None:
        return True
    d = _difference(piece.end, piece.start)
    t = ((point[0] - piece.start[0]) * d[0] + (point[1] - piece.start[1]) * d[1]) / (d[0] ** 2 + d[1] ** 2)
    return -1e-9 <= t <= 1.0 + 1e-9


def _entry_center(here: Flat, target: Flat, center: Flat) -> Flat:
    """Return the centre of the arc from `here` that ends at `target` in the same direction as one about `center`."""
    along = _difference(center, target)
    length = math.hypot(*along)
    chord = _difference(target, here)
    if length <= SAME_POINT:
        raise BadBlock("entry_arc", _("the arc onto the contour has no radius left beside the tool"))
    u = (along[0] / length, along[1] / length)
    slope = u[0] * chord[0] + u[1] * chord[1]
    if abs(slope) <= SAME_POINT:
        raise BadBlock("entry_arc", _("the arc onto the contour has no radius left beside the tool"))
    t = -(chord[0] ** 2 + chord[1] ** 2) / (2.0 * slope)
    return target[0] + t * u[0], target[1] + t * u[1]


def _tangent(point: Flat, center: Flat, turning: float) -> Flat:
    x, y = _difference(point, center)
    length = math.hypot(x, y)
    return -turning * y / length, turning * x / length


def _left(heading: Flat, distance: float) -> Flat:
    return -heading[1] * distance, heading[0] * distance


def _angle(a: Flat, b: Flat) -> float:
    return math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])


def _sum(a: Flat, b: Flat) -> Flat:
    return a[0] + b[0], a[1] + b[1]


def _difference(a: Flat, b: Flat) -> Flat:
    return a[0] - b[0], a[1] - b[1]


def _flat(run: Run, point: list[float]) -> Flat:
    first, second, _across = PLANE_AXES[run.machine.modes.plane]
    return point[first], point[second]


def _with_flat(run: Run, point: list[float], flat: Flat) -> list[float]:
    first, second, _across = PLANE_AXES[run.machine.modes.plane]
    out = list(point)
    out[first], out[second] = flat
    return out
