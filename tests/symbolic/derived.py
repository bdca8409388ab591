"""Derivations of catalog arms, each derived once for all tests."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np

import armlab
from armlab.arrays import Floats
from armlab.kinematics.symbolic.derivation import Derivation
from armlab.kinematics.symbolic.derive import derive_afresh

Convention = Literal["standard", "modified"]


def derived(name: str, convention: Convention = "standard") -> Derivation:
    return _derived_once(name, convention)


@cache  # it tells `f(a)` from `f(a, "standard")`, so nothing here may be left out
def _derived_once(name: str, convention: Convention) -> Derivation:
    return derive_afresh(armlab.load(name), convention)


def poses(name: str, count: int = 20) -> Floats:
    """Random joint values, beyond the limits too; sliding joints within ±1 m."""
    robot = armlab.load(name)
    span = np.where([joint.kind == "revolute" for joint in robot.joints], np.pi, 1.0)
    return np.random.default_rng(len(name)).uniform(-span, span, (count, robot.dof))


def symbols(derivation: Derivation) -> dict[str, Any]:
    """The derivation's symbols by name."""
    return {symbol.name: symbol for symbol in (*derivation.variables, *derivation.parameters)}
