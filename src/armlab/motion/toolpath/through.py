"""Tool paths through node frames: straight, by parabolas, by splines."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.messages import _
from armlab.motion.toolpath import turns
from armlab.motion.toolpath.curves import Curve, basis_spline, blended_parabolas, natural_spline
from armlab.motion.toolpath.elements import (
    TURN_LENGTH,
    Elements,
    Indices,
    even_rows,
    joined_elements,
    narrowed,
)
from armlab.motion.toolpath.length import measured
from armlab.motion.toolpath.toolpath import SAME_PLACE, ToolPath

PathKind = Literal["linear", "quadratic", "bspline", "spline"]
MOST_NODES = 100_000
STRAIGHT_BACK = 1e-5
"""A path turns straight back where the cosine between two steps is within this of -1."""
ON_THE_SPOT = 0.05
"""A step turns on the spot where the point's travel is less than this share of the turn, as a length."""
LOOKS = np.linspace(0.0, 1.0, 9)
"""Where on each element travel and turn are compared."""

CURVES = {"quadratic": blended_parabolas, "bspline": basis_spline, "spline": natural_spline}


class _Steps(NamedTuple):
    """From each node to the next: shift and turn (k, 3), and the larger of the two as a length (k,)."""

    shift: Floats
    turn: Floats
    size: Floats


def through(frames: ArrayLike, kind: PathKind = "linear", *, step: float | None = None) -> ToolPath:
    """Return a path of the tool through node frames.

    - linear: straight from node to node, turning evenly; the tool stops at the nodes.
    - quadratic: through all nodes. Each node and its two neighbours have a parabola; between two nodes the one passes
      over into the other with weight 3v² - 2v³. Position and orientation have continuous second derivatives.
    - spline: the cubic spline through all nodes, straight at both ends, with continuous second derivatives.
    - bspline: the cubic B-spline with the nodes as control points: only the first and last are met, inner ones pull.

    On curves the orientation meets that of every node, as in "quadratic" whatever the kind; on a B-spline it
    does so where the node pulls most. Where the path turns straight back, and where the tool begins or ends to turn on
    the spot, one curve ends and another begins: a stop.

    Args:
        frames: (m, 4, 4), two at least
        kind: how the nodes are joined
        step: replace the curve by straight lines between points at most `step` metres apart

    Raises:
        InvalidInput: if frames are not poses, too few or too many, two neighbours are the same, or a curve has a
            cusp: a place where it comes to a stand and goes on in another direction.
        UnknownName: if there is no such kind.
    """
    if kind not in get_args(PathKind):
        raise UnknownName("interpolation", kind, get_args(PathKind))
    nodes = _checked(frames)
    steps = _steps(nodes)
    path = _linear(nodes, steps) if kind == "linear" else _curved(nodes, steps, kind)
    return path if step is None else through(path.sampled(step))


def _checked(frames: ArrayLike) -> Floats:
    nodes = as_floats(frames, (None, 4, 4), "frames")
    if len(nodes) < 2:
        raise InvalidInput("too_few_frames", _("frames: at least two are needed, got {count}"), count=len(nodes))
    if len(nodes) > MOST_NODES:
        raise InvalidInput(
            "too_many_frames", _("frames: at most {most} are allowed, got {count}"), most=MOST_NODES, count=len(nodes)
        )
    return pose.as_pose(nodes, "frames")


def _steps(nodes: Floats) -> _Steps:
    shift = np.diff(nodes[:, :3, 3], axis=0)
    R = nodes[:, :3, :3]
    turn = turns.between(R[:-1], R[1:]) if (R[1:] != R[:-1]).any() else np.zeros_like(shift)
    travel, angle = np.linalg.norm(shift, axis=1), np.linalg.norm(turn, axis=1)
    same = (travel < SAME_PLACE) & (angle < SAME_PLACE)
    if same.any():
        i = int(np.argmax(same)) + 1
        raise InvalidInput(
            "same_frames",
            _("frames: node {first} and node {second} are the same frame; leave one out"),
            first=i,
            second=i + 1,
        )
    return _Steps(shift, turn, np.maximum(travel, TURN_LENGTH * angle))


def _linear(nodes: Floats, steps: _Steps) -> ToolPath:
    coefficients = np.zeros((len(steps.size), 2, 6))
    coefficients[:, 0, :3], coefficients[:, 1, :3] = nodes[:-1, :3, 3], steps.shift
    coefficients[:, 1, 3:] = steps.turn
    rows = even_rows(steps.size)
    return ToolPath(Elements.polynomial(coefficients, nodes[:-1, :3, :3]), rows, rows.breaks)


def _curved(nodes: Floats, steps: _Steps, kind: str) -> ToolPath:
    edges = [0, *_breaking(nodes, steps), len(nodes) - 1]
    parts: list[Elements] = []
    places: list[Indices] = [np.zeros(1, dtype=np.intp)]
    flags: list[NDArray[np.bool_]] = []
    count = 0
    for first, last in pairwise(edges):
        inside = slice(first, last)
        run = _Steps(*(values[inside] for values in steps))
        elements, ends = _run(nodes[first : last + 1], run, kind)
        parts.append(elements)
        places.append(count + ends[1:])
        flags.append(np.full(elements.count, _turn_leads(elements)))
        count += elements.count
    elements, place = joined_elements(parts), np.concatenate(places)
    rows, lengths, failed = measured(elements, np.concatenate(flags), np.full(count, np.nan))
    if len(failed):
        i = int(np.searchsorted(place, failed[0], side="right"))
        raise InvalidInput(
            "path_cusp",
            _("frames: curve '{kind}' has a cusp between node {first} and node {second}; move one, or use 'linear'"),
            kind=kind,
            first=i,
            second=i + 1,
        )
    return ToolPath(elements, rows, np.concatenate([[0.0], np.cumsum(lengths)])[place])


def _breaking(nodes: Floats, steps: _Steps) -> list[int]:
    """Return the inner nodes where the next step undoes the direction of the last, or one of them turns on the spot."""
    world = np.einsum("nij,nj->ni", nodes[:-1, :3, :3], steps.turn)
    whole = np.concatenate([steps.shift, TURN_LENGTH * world], axis=1)
    whole /= np.linalg.norm(whole, axis=1)[:, None]
    cosine = np.einsum("ni,ni->n", whole[:-1], whole[1:])
    on_the_spot = np.linalg.norm(steps.shift, axis=1) < ON_THE_SPOT * steps.size
    broken = (cosine < -1.0 + STRAIGHT_BACK) | (on_the_spot[1:] != on_the_spot[:-1])
    return [int(i) + 1 for i in np.flatnonzero(broken)]


def _run(nodes: Floats, steps: _Steps, kind: str) -> tuple[Elements, Indices]:
    """Return the elements of one smooth curve, and for each node the element that starts there."""
    R = nodes[:, :3, :3]
    curve: Curve = CURVES[kind](nodes[:, :3, 3], steps.size)
    widths = np.diff(curve.nodes)
    turn = np.zeros((len(widths), 6, 3))
    if steps.turn.any():
        omega, alpha = turns.parabolas(steps.turn, widths, R)
        turn = turns.joining(R[:-1], steps.turn, (omega[:-1], alpha[:-1]), (omega[1:], alpha[1:]), widths)
    breaks = np.union1d(curve.breaks, curve.nodes)
    position = _on(breaks, curve.breaks, curve.coefficients)[0]
    phi, owner = _on(breaks, curve.nodes, turn)
    coefficients = np.zeros((len(breaks) - 1, 6, 6))
    coefficients[:, : position.shape[1], :3], coefficients[:, :, 3:] = position, phi
    return Elements.polynomial(coefficients, R[owner]), np.searchsorted(breaks, curve.nodes)


def _on(breaks: Floats, own: Floats, coefficients: Floats) -> tuple[Floats, Indices]:
    """Return pieces between `own` breaks on finer ones, and which piece each comes from."""
    owner = np.searchsorted(own, breaks[:-1], side="right") - 1
    if len(own) == len(breaks):
        return coefficients, owner
    width = own[owner + 1] - own[owner]
    return narrowed(coefficients[owner], (breaks[:-1] - own[owner]) / width, np.diff(breaks) / width), owner


def _turn_leads(elements: Elements) -> bool:
    """Return whether the tool turns faster than its point moves, anywhere: see ToolPath."""
    if not elements.has_turns:
        return False
    which = np.repeat(np.arange(elements.count), len(LOOKS))
    rates = elements.rates(which, np.tile(LOOKS, elements.count))
    travel, turn = np.linalg.norm(rates[:, 0], axis=1), TURN_LENGTH * np.linalg.norm(rates[:, 2], axis=1)
    return bool((turn > travel).any())
