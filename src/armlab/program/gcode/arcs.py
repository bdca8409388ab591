"""Arcs: from centre or radius words to centre and turns, in any plane."""

from __future__ import annotations

import math

from armlab.messages import _
from armlab.program.gcode import compensation
from armlab.program.gcode.codes import name_of
from armlab.program.gcode.machine import PLANE_AXES
from armlab.program.gcode.moves import ends
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.run import Run

CLOCKWISE = 20
CENTER_WORDS = "ijk"
"""The centre's distance along X, Y and Z."""

TOLERANCE_MM = 0.00127
"""How much longer than its diameter the chord of an arc with R may be."""
ROUNDED_MM = 2.0 * 0.01 * math.sqrt(2.0)
"""How much the distances from the centre to the two ends of an arc may differ anyhow: ends and centre are rounded …"""
ROUNDED_INCH = 2.0 * 0.001 * math.sqrt(2.0)
TOLERANCE_SHARE = 0.001
"""… and as a share of the radius, up to a hundred times the first."""
MAX_TURNS = 100_000


def arc(run: Run, words: dict[str, float], code: int) -> None:
    """G2, G3."""
    modes = run.machine.modes
    first, second, across = PLANE_AXES[modes.plane]
    seconds = run.seconds_of_feed(words, code)
    turns = _turns(words)
    if run.is_arc_refused:
        raise BadBlock("arc_after_g40", _("the first motion after G40 must be straight, not an arc"))
    if CENTER_WORDS[across] in words:
        raise BadBlock(
            "center_across",
            _("{letter} lies across the plane {plane}"),
            letter=CENTER_WORDS[across].upper(),
            plane=modes.plane.upper(),
        )
    start, end = run.machine.position, ends(run, words)
    here, there = (start[first], start[second]), (end[first], end[second])
    sign = -1 if code == CLOCKWISE else 1
    if "r" in words:
        if any(letter in words for letter in CENTER_WORDS):
            raise BadBlock("radius_and_center", _("an arc has either R or I J K, not both"))
        center = center_from_radius(here, there, words["r"], sign, run.machine.unit)
    else:
        letters = CENTER_WORDS[first], CENTER_WORDS[second]
        given = words.get(letters[0]), words.get(letters[1])
        center = _center_from_words(run, here, given, code)
        _check_radii(here, there, center, ROUNDED_INCH if modes.is_inch else ROUNDED_MM)
    if seconds:
        run.tell_inverse_time(_travel(start, end, center, sign * turns, (first, second, across)), seconds)
    if run.runs_beside:
        compensation.arc(run, end, center, sign * turns, seconds)
    else:
        run.arc(end, center, sign * turns, seconds)


def _travel(
    start: list[float], end: list[float], center: tuple[float, float], turns: int, axes: tuple[int, int, int]
) -> float:
    """Return the length of an arc or helix; `turns` > 0 is counter-clockwise."""
    first, second, across = axes
    a = math.atan2(start[second] - center[1], start[first] - center[0])
    b = math.atan2(end[second] - center[1], end[first] - center[0])
    sweep = math.copysign(1.0, turns) * (b - a) % math.tau or math.tau
    radius = math.dist((start[first], start[second]), center)
    return math.hypot(radius * (sweep + math.tau * (abs(turns) - 1)), end[across] - start[across])


def _turns(words: dict[str, float]) -> int:
    turns = words.get("p", 1.0)
    if turns != round(turns) or not 1 <= turns <= MAX_TURNS:
        raise BadBlock("turns", _("P must be a whole number of turns from 1 on, got {turns:g}"), turns=turns)
    return round(turns)


def _center_from_words(
    run: Run, here: tuple[float, float], given: tuple[float | None, float | None], code: int
) -> tuple[float, float]:
    a, b = given
    if run.machine.modes.is_arc_absolute:
        if a is None or b is None:
            raise BadBlock("center_missing", _("{code} needs both centre words in G90.1"), code=name_of(code))
        return a, b
    if a is None and b is None:
        raise BadBlock("center_missing", _("{code} needs R, or the centre as I J K"), code=name_of(code))
    return here[0] + (a or 0.0), here[1] + (b or 0.0)


def _check_radii(
    here: tuple[float, float], there: tuple[float, float], center: tuple[float, float], least: float
) -> None:
    """Refuse an arc whose ends are not equally far from its centre."""
    begins, finishes = math.dist(here, center), math.dist(there, center)
    if begins == 0.0 or finishes == 0.0:
        raise BadBlock("radius_zero", _("the arc has no radius"))
    difference = abs(begins - finishes)
    share = difference / max(begins, finishes)
    if difference > 100.0 * least or (share > TOLERANCE_SHARE and difference > least):
        raise BadBlock(
            "radii_differ",
            _("the arc begins {begins:.5g} from its centre and ends {finishes:.5g} from it"),
            begins=begins,
            finishes=finishes,
        )


def center_from_radius(
    here: tuple[float, float], there: tuple[float, float], radius: float, sign: int, unit: float
) -> tuple[float, float]:
    """Return the centre of the arc of `radius` from here to there; a negative radius takes the longer way round.

    The centre lies beside the chord's middle by √(r² − h²), h being half the chord: to the left of the chord for a
    counter-clockwise arc of less than half a turn.
    """
    dx, dy = there[0] - here[0], there[1] - here[1]
    half = math.hypot(dx, dy) / 2.0
    if half == 0.0:
        raise BadBlock("radius_no_chord", _("an arc with R must end elsewhere than it begins"))
    beside = radius * radius - half * half
    if half > abs(radius) + TOLERANCE_MM / unit:
        raise BadBlock(
            "radius_too_small", _("radius {radius:g} cannot span {chord:.5g}"), radius=abs(radius), chord=2.0 * half
        )
    offset = math.sqrt(max(0.0, beside)) / (2.0 * half)
    if (radius > 0) != (sign > 0):
        offset = -offset
    return here[0] + dx / 2.0 - dy * offset, here[1] + dy / 2.0 + dx * offset
