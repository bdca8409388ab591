"""What the searching kernels are given: an arm, a task, and how long to search."""

from __future__ import annotations

from typing import NamedTuple

from armlab.arrays import Floats


class SearchChain(NamedTuple):
    """An arm as the searches take it: the fields of `kernels.chain.Chain` and a length."""

    constants: Floats
    """(n + 1, 13): the fixed frame in front of each joint, and last what follows the last joint."""
    revolute: Floats
    """(n,): 1.0 for a joint that turns, 0.0 for one that slides."""
    lower: Floats
    """(n,): limits in rad or m."""
    upper: Floats
    length: float
    """m that weigh as much as one radian: about the arm's size."""


class SearchTask(NamedTuple):
    """Which rows of the pose error count, and along which axes they are taken."""

    weights: Floats
    """(6,): 1.0 for a row that counts, position first."""
    mode: int
    """WORLD_ROWS or TOOL_AXIS of `lm_step`."""


class SearchBounds(NamedTuple):
    """How long to search, and what counts as found."""

    seed: int
    """of the random restarts: the same seed gives the same answer."""
    searches: int
    """No new search begins after so many of them, …"""
    steps: int
    """… or after so many steps in all."""
    position_tolerance: float
    """m"""
    rotation_tolerance: float
    """rad"""
