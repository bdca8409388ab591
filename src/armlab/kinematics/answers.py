"""What inverse kinematics answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats

SEARCHED = "found by search"
"""The branch of a solution where the arm has no named branches."""


@dataclass(slots=True, eq=False)  # frozen would take a tenth of the time of a whole call
class IkResult:
    """The answer to one target, or to a batch of m targets: then every field has a leading axis m.

    `converged` is True only after the gate: finite, inside the limits, and the tool where it was asked to be within
    1e-6 m and 1e-6 rad. Where it is False, `q` is the closest that was found, and `reason` says what is in the way.
    """

    q: Floats
    converged: Any
    """bool, or an array of bool (m,)."""
    position_error: Any
    """m"""
    rotation_error: Any
    """rad"""
    iterations: Any
    restarts: Any
    reason: Any
    """A `Message`, or a list of m."""


@dataclass(frozen=True, slots=True)
class FreeJoint:
    """A joint that the target leaves free, and where a solution lies in the continuum that this makes (rad or m).

    The other joints can follow while this one moves from `lower` to `upper`, all inside their limits.
    """

    joint: str
    value: float
    """Of this joint in the solution."""
    lower: float
    upper: float
    step: float = 0.0
    """0: the ends are exact. Otherwise the continuum was looked at in values so far apart, and the ends are the
    outermost of those that have a solution."""


@dataclass(slots=True, eq=False)  # frozen would take half of the time in which hundreds are listed
class IkSolution:
    """One of all solutions: joint values, the name of their branch, and what is left of an error (m, rad).

    Where the target leaves joints free, the solutions form a continuum, of which some members are listed: `free` has
    one entry per free joint. A seven-axis arm lists one member per branch and interval, the one farthest from all
    limits; otherwise the members are those at evenly spaced values of the free joint, or, where several are free, at
    values spread over their ranges. Without `turns`, `all_ik` lists the one of each branch that is nearest to home.
    """

    q: Floats
    branch: str
    position_error: float
    rotation_error: float
    free: tuple[FreeJoint, ...] = ()


class IkSolutions(Sequence[IkSolution]):
    """All solutions of a target: a sequence of `IkSolution`, and their joint values as one array `q` (m, n).

    An arm whose joints turn twice around has hundreds of solutions; they are kept as arrays, and each becomes an
    object when it is asked for.
    """

    __slots__ = ("_branch", "_errors", "_free", "_names", "q")

    def __init__(
        self,
        q: Floats,
        names: Sequence[str],
        branch: NDArray[np.int64],
        errors: Floats,
        free: Sequence[tuple[FreeJoint, ...]] | None = None,
    ) -> None:
        """Take rows of joint values, the number of each one's branch in `names`, and errors (2, m) in m and rad."""
        self.q = q
        self._names, self._branch, self._errors, self._free = names, branch, errors, free

    @classmethod
    def of(cls, solutions: Iterable[IkSolution], dof: int) -> IkSolutions:
        """Return solutions that are objects already as one sequence."""
        listed = list(solutions)
        q = np.array([s.q for s in listed]).reshape(-1, dof)
        errors = np.array([(s.position_error, s.rotation_error) for s in listed]).reshape(-1, 2).T
        return cls(q, [s.branch for s in listed], np.arange(len(listed)), errors, [s.free for s in listed])

    def __len__(self) -> int:
        return len(self._branch)

    def __iter__(self) -> Iterator[IkSolution]:
        names = map(self._names.__getitem__, self._branch.tolist())
        free: Iterable[tuple[FreeJoint, ...]] = repeat(()) if self._free is None else self._free
        return map(IkSolution, self.q, names, *self._errors.tolist(), free)

    @overload
    def __getitem__(self, index: int) -> IkSolution: ...

    @overload
    def __getitem__(self, index: slice) -> list[IkSolution]: ...

    def __getitem__(self, index: int | slice) -> IkSolution | list[IkSolution]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        branch = self._names[self._branch[index]]
        free = () if self._free is None else self._free[index]
        return IkSolution(self.q[index], branch, float(self._errors[0, index]), float(self._errors[1, index]), free)

    def __repr__(self) -> str:
        return f"IkSolutions({list(self)!r})"
