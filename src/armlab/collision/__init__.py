"""Collisions: distances between convex parts of arms and scenes, and whole motions without a gap between samples."""

from armlab.collision.answers import Contact, Distance, FirstContact, SweepReport
from armlab.collision.checker import Checker
from armlab.collision.collision_objects import Held
from armlab.collision.pairs import AllowedPair, allowed_pairs

__all__ = [
    "AllowedPair",
    "Checker",
    "Contact",
    "Distance",
    "FirstContact",
    "Held",
    "SweepReport",
    "allowed_pairs",
]
