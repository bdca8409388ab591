"""The inverse problem, step by step, for the arms whose closed form can be followed with pencil and paper.

The target T_world_tool is x, y, z and, where the arm can turn the tool, its rotation r11 … r33. Where an arm has a
choice the equations have a sign: sigma_1, sigma_2, … are each +1 or -1, and each combination is one branch. Among the
left sides are the arm's own joint variables, with its zeros and signs, up to whole turns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import sympy

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.kinematics.closed import Family, recognise
from armlab.kinematics.symbolic.derivation import Derivation, InverseStep, SignChoice
from armlab.kinematics.symbolic.inverse_parts import Steps, SymbolicChain, chain_of
from armlab.kinematics.symbolic.inverse_planar import planar_steps
from armlab.kinematics.symbolic.inverse_wrist import spherical_wrist_steps, three_parallel_steps, yaw_and_roll_steps
from armlab.messages import Message, _
from armlab.model.robot import Robot

_METHODS: dict[str, Callable[[SymbolicChain], Steps | None]] = {
    "planar-2r": planar_steps,
    "planar-3r": planar_steps,
    "scara": planar_steps,
    "spherical-wrist": spherical_wrist_steps,
    "three-parallel": three_parallel_steps,
    "yaw-and-roll": yaw_and_roll_steps,
}
_TRIES = 50


def inverse_steps(robot: Robot, derivation: Derivation) -> tuple[InverseStep, ...]:
    """Return the inverse problem of `robot` step by step; nothing for arms without such a closed form.

    Planar arms, SCARAs, spherical wrists, Universal Robots' arms and the Braccio have one. The last step has no
    equations: it lists which signs are which branch.
    """
    family = recognise(robot)
    if family is None or family.name not in _METHODS:
        return ()
    found = _METHODS[family.name](chain_of(derivation))
    if found is None:
        return ()
    steps = found.as_tuple()
    return (*steps, *_branches(robot, derivation, family, steps))


def target_values(T_world_tool: Floats) -> dict[str, float]:
    """Return a target (4, 4) by the names that the steps use: x, y, z and r11 … r33."""
    values = {name: float(T_world_tool[i, 3]) for i, name in enumerate("xyz")}
    return values | {f"r{i + 1}{j + 1}": float(T_world_tool[i, j]) for i in range(3) for j in range(3)}


def signs_of(steps: Sequence[InverseStep]) -> tuple[tuple[int, ...], ...]:
    """Return every combination of the signs that the steps leave open."""
    names = {symbol.name for step in steps for _, right in step.equations for symbol in right.free_symbols}
    return tuple(product((1, -1), repeat=sum(name.startswith("sigma_") for name in names)))


def evaluate_steps(steps: Sequence[InverseStep], values: Mapping[str, float], signs: Sequence[int]) -> dict[str, float]:
    """Return every left side by its name, after all equations in order.

    `values` has the target (see `target_values`) and the derivation's parameters, by name; `signs` are sigma_1, …
    Where the target is out of reach the result is nan.

    Raises:
        InvalidInput: if a number is missing.
    """
    known = dict(values) | {f"sigma_{k}": float(sign) for k, sign in enumerate(signs, start=1)}
    found: dict[str, float] = {}
    for step in steps:
        for left, right in step.equations:
            names, compiled = _compiled(right)
            missing = [name for name in names if name not in known]
            if missing:
                raise InvalidInput(
                    "numbers_missing",
                    _("inverse problem: '{left}' needs numbers that are not given: {missing}"),
                    left=str(left),
                    missing=missing,
                )
            with np.errstate(invalid="ignore", divide="ignore"):
                known[left.name] = found[left.name] = float(compiled(*(np.float64(known[name]) for name in names)))
    return found


def joint_values(derivation: Derivation, found: Mapping[str, float]) -> Floats:
    """Return the joint values (n,) among what `evaluate_steps` found."""
    return np.array([found[variable.name] for variable in derivation.variables])


@lru_cache(maxsize=2048)
def _compiled(expression: sympy.Expr) -> tuple[tuple[str, ...], Callable[..., Any]]:
    symbols = sorted(expression.free_symbols, key=lambda symbol: symbol.name)
    return tuple(symbol.name for symbol in symbols), sympy.lambdify(symbols, expression, modules="numpy")


def _branches(
    robot: Robot, derivation: Derivation, family: Family, steps: tuple[InverseStep, ...]
) -> tuple[InverseStep, ...]:
    """Return one step without equations that names the branches, found out at a pose where all of them exist."""
    numbers = {symbol.name: value for symbol, value in derivation.parameters.items()}
    rng, choices = np.random.default_rng(1), signs_of(steps)
    for _try in range(_TRIES):
        values = numbers | target_values(robot.fk(rng.uniform(-1.0, 1.0, robot.dof) * _spread(robot)))
        rows = np.array([joint_values(derivation, evaluate_steps(steps, values, signs)) for signs in choices])
        if np.isfinite(rows).all():
            names = [family.branch_names[k] for k in family.branches_of(rows)]
            named = tuple(SignChoice(signs, name) for signs, name in zip(choices, names, strict=True))
            title = Message("branches", _("Branches"))
            text = Message("branches", _("Each choice of signs is one branch."))
            return (InverseStep(title, text, (), named),)
    return ()


def _spread(robot: Robot) -> Floats:
    """Return how far (rad, m) to try joint values from zero."""
    return np.array([1.5 if joint.kind == "revolute" else 0.1 for joint in robot.joints])
