"""What a recognised geometry knows: its branches and how to solve for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.closed_form.answers import propose_into
from armlab.kernels.closed_form.steps import SLACK

DEFAULT_SLACK = 1e-8
"""How far (m, rad) a target may be off in what the arm cannot choose, unless the family is `loosened`."""


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A geometry with a closed form, and the numbers of one arm in it.

    A branch is one way to reach a target; between singularities an arm stays in its branch.
    """

    name: str
    """planar-2r, planar-3r, scara, yaw-and-roll, spherical-wrist, spherical-wrist-slide or three-parallel"""
    branch_names: tuple[str, ...]
    parameters: Floats
    form: int
    """Which closed form it is: see armlab.kernels.closed_form.answers."""
    rule: Callable[[Floats, Floats], tuple[NDArray[np.bool_], ...]]
    """(parameters, q (m, n)) → one truth value (m,) for each binary choice, the most significant first."""

    @property
    def count(self) -> int:
        """How many branches there are."""
        return len(self.branch_names)

    def solve_into(self, T: Floats, q: Floats, valid: Floats) -> None:
        """Write the solutions of targets `T` (m, 4, 4) to `q` (m, k, n), and 1.0 or 0.0 to `valid` (m, k).

        Angles are in (-pi, pi] and in the arm's own signs and zeros; joint limits play no part. Where `valid` is
        0.0, `q` is meaningless. Arrays must be C-contiguous float64.
        """
        propose_into(self.form, self.parameters, T, q, valid)

    def solve(self, T: Floats, dof: int) -> tuple[Floats, NDArray[np.bool_]]:
        """Return `q` (m, k, dof) and `valid` (m, k) for targets `T` (m, 4, 4)."""
        q, valid = np.zeros((len(T), self.count, dof)), np.zeros((len(T), self.count))
        self.solve_into(np.require(T, np.float64, ["C", "W"]), q, valid)
        return q, valid > 0.5

    def loosened(self) -> Family:
        """Return the same family, solving only for the coordinates that the arm can choose, whatever the others are.

        A planar arm then takes any height and tilt, and one of two joints any turn, too.
        """
        parameters = self.parameters.copy()
        parameters[SLACK] = np.inf
        return replace(self, parameters=parameters)

    def branches_of(self, q: Floats) -> NDArray[np.int64]:
        """Return the number of the branch (m,) that each row of `q` (m, n) is in."""
        numbers = np.zeros(len(q), dtype=np.int64)
        for choice in self.rule(self.parameters, q):
            numbers = 2 * numbers + choice
        return numbers

    def branch_of(self, q: Floats) -> int:
        """Return the number of the branch that `q` (n,) is in."""
        return int(self.branches_of(np.asarray(q, dtype=np.float64)[None])[0])


def branch_names(*choices: tuple[str, str, str]) -> tuple[str, ...]:
    """Return the names of all branches, from (what, name of 0, name of 1) for each binary choice."""
    names = [""]
    for what, zero, one in choices:
        names = [f"{name}, {what} {way}" for name in names for way in (zero, one)]
    return tuple(name[2:] for name in names)
