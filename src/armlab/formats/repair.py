"""Sense made of numbers that no arm has: inertias of no body, limits that are missing, reversed or endless."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.description import STROKE, WHOLE_TURN, DescribedKind, Repairs
from armlab.geometry.inertia import Inertia
from armlab.messages import _
from armlab.model.finding import Severity

MOST_TURN, MOST_STROKE = 1000.0, 1000.0
"""rad and m: a limit beyond this means that there is none."""


class GivenLimits(NamedTuple):
    """GivenLimits of a joint as a file gives them, rad or m; NaN where it does not say."""

    lower: float
    upper: float
    velocity: float
    effort: float


def repaired_inertia(
    mass: float, com: Floats, matrix: Floats, link: str, line: int | None, repairs: Repairs
) -> Inertia:
    """Return the inertia, or the nearest that a body can have: principal moments ≥ 0, none above the others' sum."""
    if mass < 0.0:
        repairs.add(
            "warning",
            line,
            "mass_negative",
            _("link '{link}': a mass of {mass:g} kg cannot be; it weighs nothing"),
            link=link,
            mass=mass,
        )
        return Inertia()
    matrix = (matrix + matrix.T) / 2.0
    try:
        return Inertia(mass, com, matrix)
    except InvalidInput as error:
        if error.code != "inertia_impossible":
            raise
    given, axes = np.linalg.eigh(matrix)
    kept = np.maximum(given, 0.0)
    excess = kept[2] - kept[0] - kept[1]
    if excess > 0.0:  # the nearest point of the plane I1 + I2 = I3
        kept += excess / 3.0 * np.array([1.0, 1.0, -1.0])
    repairs.add(
        "warning",
        line,
        "inertia_repaired",
        _("link '{link}': no body has the principal moments {given:.3g} kg m²; {kept:.3g} kg m² are used"),
        link=link,
        given=given.tolist(),
        kept=kept.tolist(),
    )
    return Inertia(mass, com, (axes * kept) @ axes.T)


def repaired_limits(
    given: GivenLimits | None, kind: DescribedKind, joint: str, line: int | None, repairs: Repairs
) -> GivenLimits:
    """Return limits that a joint can have: the given ones, or what is usual where they are missing or cannot be."""
    lower, upper, velocity, effort = given or GivenLimits(math.nan, math.nan, 0.0, 0.0)
    if velocity < 0.0 or effort < 0.0:
        repairs.add(
            "warning",
            line,
            "limit_negative",
            _("joint '{joint}': velocity {velocity:g} and effort {effort:g}: the negative one counts as unknown"),
            joint=joint,
            velocity=velocity,
            effort=effort,
        )
    velocity, effort = max(velocity, 0.0) or math.inf, max(effort, 0.0) or math.inf
    if kind == "continuous":
        return GivenLimits(-WHOLE_TURN, WHOLE_TURN, velocity, effort)
    fault, lower, upper = _range(lower, upper, kind)
    unit = "m" if kind == "prismatic" else "rad"
    if fault is not None:
        severity, code, template = fault
        repairs.add(severity, line, code, template, joint=joint, lower=lower, upper=upper, unit=unit)
    if not lower <= 0.0 <= upper:
        repairs.add(
            "note",
            line,
            "limits_without_zero",
            _("joint '{joint}': zero is outside {lower:.4g} … {upper:.4g} {unit}; the arm starts at the nearest limit"),
            joint=joint,
            lower=lower,
            upper=upper,
            unit=unit,
        )
    return GivenLimits(lower, upper, velocity, effort)


def _range(lower: float, upper: float, kind: DescribedKind) -> tuple[tuple[Severity, str, str] | None, float, float]:
    """Return what is wrong with a range, if anything, as severity, code and template; and the range to use."""
    whole, most = (STROKE, MOST_STROKE) if kind == "prismatic" else (WHOLE_TURN, MOST_TURN)
    if math.isnan(lower):
        template = _("joint '{joint}': no limits are given; {lower:.4g} … {upper:.4g} {unit} are assumed")
        return ("warning", "limits_missing", template), -whole, whole
    if max(abs(lower), abs(upper)) > most:
        is_lower_kept = abs(lower) <= most
        lower, upper = lower if is_lower_kept else -whole, upper if abs(upper) <= most else whole
        if not lower < upper:
            lower, upper = (lower, lower + 2.0 * whole) if is_lower_kept else (upper - 2.0 * whole, upper)
        template = _("joint '{joint}': limits too large for an arm; {lower:.4g} … {upper:.4g} {unit} are assumed")
        return ("note", "limits_endless", template), lower, upper
    if lower == upper:
        template = _("joint '{joint}': both limits are equal; {lower:.4g} … {upper:.4g} {unit} are assumed")
        return ("warning", "limits_equal", template), lower - whole, upper + whole
    if lower > upper:
        template = _("joint '{joint}': limits reversed in the file; {lower:.4g} … {upper:.4g} {unit} are used")
        return ("warning", "limits_reversed", template), upper, lower
    return None, lower, upper
