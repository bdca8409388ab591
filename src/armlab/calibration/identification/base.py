"""Base parameters: the combinations of masses, inertias and friction that joint forces can tell at all.

Many columns of the regressor depend on others, whatever the motion: a mass above a vertical first axis is never felt.
Which ones do is found numerically, from random states: columns are taken in an order that leaves readable combinations,
and each that the ones before it already span is added to them (Gautier 1991, with the columns in a fixed order).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import Floats
from armlab.dynamics.forces import GRAVITY
from armlab.dynamics.regressor import BODY_PARAMETERS, parameter_names, torque_regressor
from armlab.model.robot import Robot

ORDER = ("Izz", "Ixx", "Ixy", "Ixz", "Iyz", "mx", "my", "Iyy", "mz", "m")
"""Of each body the first of these stay; the last are the ones that usually join others."""
STATES_PER_COLUMN = 3
SPEED = 3.0
"""Standard deviation of random speeds and accelerations (rad/s, rad/s² …): as large in the forces as gravity."""
DEPENDENT = 1e-8
"""A column of length one that is nearer than this to the span of those before it depends on them."""
ZERO = 1e-7
"""A coefficient below this is a rounding error."""
WIDEST = np.pi
"""Joint values are drawn at most this far (rad or m) from the middle of their range."""
KEPT_ROBOTS = 32


@dataclass(frozen=True, slots=True, eq=False)
class BaseParameters:
    """Combinations of parameters that joint forces depend on: base = combination @ parameters."""

    names: tuple[str, ...]
    """One for each: that of the parameter that leads it, with R at the end where others have joined it."""
    leading: NDArray[np.int64]
    """(b,): the columns of the regressor that are independent; τ = Y[:, leading] base."""
    combination: Floats
    """(b, 13 n)."""
    parameters: tuple[str, ...]
    """The names of all parameters, 13 n."""

    def __len__(self) -> int:
        return len(self.names)

    def of(self, parameters: ArrayLike) -> Floats:
        """Return the values (b,) of the combinations for all parameters (13 n,)."""
        return np.asarray(self.combination @ np.asarray(parameters))

    def formula(self, index: int) -> str:
        """Return what is combined: `Izz1 + Iyy2 + 0.1866 m3`."""
        text = ""
        for column in np.argsort(self._distance(index), kind="stable"):
            factor = float(self.combination[index, column])
            if factor != 0.0:
                sign = ("-" if factor < 0.0 else "") if not text else (" - " if factor < 0.0 else " + ")
                size = "" if abs(abs(factor) - 1.0) < ZERO else f"{abs(factor):.4g} "
                text += f"{sign}{size}{self.parameters[column]}"
        return text

    def _distance(self, index: int) -> Floats:
        """Return how far each column is from the leading one, which comes first."""
        order = np.arange(len(self.parameters), dtype=np.float64)
        order[self.leading[index]] = -1.0
        return order


@lru_cache(maxsize=KEPT_ROBOTS)
def base_parameters(robot: Robot, gravity: tuple[float, float, float] = GRAVITY) -> BaseParameters:
    """Return which combinations of masses, inertias, friction and rotors' inertias the joint forces of an arm show."""
    names = parameter_names(robot)
    R = _compressed(robot, gravity)
    order = _order(robot.dof)
    lengths = np.linalg.norm(R, axis=0)
    felt = lengths > DEPENDENT * lengths.max()
    units = R / np.where(felt, lengths, 1.0)
    leading: list[int] = []
    basis = np.zeros((len(R), 0))
    for column in order:
        if not felt[column]:
            continue
        rest = units[:, column]
        for _twice in range(2):  # once more, against rounding
            rest = rest - basis @ (basis.T @ rest)
        length = float(np.linalg.norm(rest))
        if length > DEPENDENT:
            basis = np.column_stack([basis, rest / length])
            leading.append(column)
    chosen = np.array(sorted(leading))
    combination = np.linalg.lstsq(units[:, chosen], R, rcond=None)[0] / lengths[chosen, None]
    combination[:, ~felt] = 0.0
    combination[np.abs(combination) < ZERO * np.maximum(1.0, np.abs(combination).max(axis=1, keepdims=True))] = 0.0
    joined = (combination != 0.0).sum(axis=1) > 1
    titles = tuple(f"{names[c]}{'R' if more else ''}" for c, more in zip(chosen, joined, strict=True))
    return BaseParameters(titles, chosen, combination, names)


def random_states(robot: Robot, count: int, seed: int) -> tuple[Floats, Floats, Floats]:
    """Return joint values inside the limits, speeds and accelerations, (count, n) each."""
    rng = np.random.default_rng(seed)
    middle, half = (robot.upper + robot.lower) / 2.0, np.minimum((robot.upper - robot.lower) / 2.0, WIDEST)
    q = rng.uniform(middle - half, middle + half, (count, robot.dof))
    return q, *rng.normal(scale=SPEED, size=(2, count, robot.dof))


def _compressed(robot: Robot, gravity: tuple[float, float, float]) -> Floats:
    """Return R of the regressor at random states: the columns depend on each other as those of the regressor do."""
    count = STATES_PER_COLUMN * len(parameter_names(robot)) // robot.dof + 1
    W = torque_regressor(robot, *random_states(robot, count, 0), gravity=gravity)
    return np.asarray(np.linalg.qr(W.reshape(-1, W.shape[-1]), mode="r"))


def _order(joints: int) -> list[int]:
    width = len(BODY_PARAMETERS)
    places = [BODY_PARAMETERS.index(name) for name in ORDER]
    bodies = [width * body + place for body in range(joints) for place in places]
    return [*bodies, *range(width * joints, 13 * joints)]
