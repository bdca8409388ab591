"""Units at the border: inside armlab everything is metres, radians, seconds and kilograms.

People read and type millimetres and degrees; these factors turn one into the other, and nothing else does.
"""

from __future__ import annotations

import math

M_PER_MM = 1e-3
MM_PER_M = 1e3
RAD_PER_DEG = math.pi / 180.0
DEG_PER_RAD = 180.0 / math.pi


def joint_scale(kind: str) -> float:
    """Return the factor from what a person types for a joint (degrees or millimetres) to SI."""
    return RAD_PER_DEG if kind == "revolute" else M_PER_MM


def joint_unit(kind: str) -> str:
    """Return the unit that a person sees for a joint: `°` or `mm`."""
    return "°" if kind == "revolute" else "mm"
