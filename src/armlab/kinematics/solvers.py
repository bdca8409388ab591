"""Which kind of inverse kinematics an arm has, found once from its geometry and kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from armlab.arrays import Floats
from armlab.kinematics.closed import Family, recognise
from armlab.kinematics.general_six import GeneralSix, recognise_general_six
from armlab.kinematics.numeric import SEARCHES, SECOND_OPINIONS
from armlab.kinematics.seven import SevenArm, recognise_seven
from armlab.kinematics.task import Task, default_task
from armlab.model.coupling import not_for_coupled
from armlab.model.robot import Robot

KEPT_ROBOTS = 256
SLOWEST = 1e-6  # rad/s or m/s


@dataclass(frozen=True, slots=True, eq=False)
class ArmSolver:
    """An arm in the form that kernels take, and its closed form where it has one; at most one of the three is set."""

    arrays: tuple[Floats, Floats, Floats, Floats] | None
    """constants, revolute, lower, upper: see armlab.kernels.chain; None for an arm with coupled joints."""
    limits: tuple[Floats, Floats]
    """Lower and upper, as kernels take them."""
    origin: Floats
    """The first joint's, (3,)."""
    weights: Floats
    """How much a joint's travel counts when solutions are compared: one over its top speed."""
    rows: Floats
    """Limits, weights, home and kinds of the joints: see armlab.kernels.closed_form.answers."""
    task: Task
    """The arm's default task."""
    length: float
    """No point of the arm is farther than this (m) from the first joint's origin."""
    family: Family | None
    six: GeneralSix | None
    seven: SevenArm | None
    closed: tuple[int, Floats, Floats, Floats] | None
    """The closed form as kernels.closed_form.answers takes it: form, parameters, constants, rows; None without one."""
    branches: int
    """How many branches the closed form has."""
    dof: int

    @property
    def chain(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The same arrays, for kernels that walk along the chain.

        Raises:
            NotSupported: for an arm with coupled joints, which such kernels do not know.
        """
        if self.arrays is None:
            raise not_for_coupled()
        return self.arrays

    def is_too_far(self, T: Floats) -> bool:
        """Whether the point of `T` (4, 4) is farther from the first joint than the whole arm is long."""
        x, y, z = self.origin
        dx, dy, dz = T[0, 3] - x, T[1, 3] - y, T[2, 3] - z
        return bool(dx * dx + dy * dy + dz * dz > self.length * self.length)

    @property
    def branch_names(self) -> tuple[str, ...]:
        """The names of the arm's branches; empty where it has no named ones."""
        kind = self.family or self.seven or self.six
        return () if kind is None else kind.branch_names

    def branch_number(self, q: Floats) -> int:
        """Return the number of the branch that `q` (n,) is on; 0 where the arm has no named branches."""
        kind = self.family or self.seven or self.six
        return 0 if kind is None or kind is self.six else kind.branch_of(q)

    def searches(self, task: Task) -> int:
        """Return how many searches a target is worth: few where a closed form has already said that it has none."""
        return SECOND_OPINIONS if self.family is not None and task.is_whole_pose else SEARCHES

    def branch_of(self, q: Floats) -> str:
        """Return the name of the branch that `q` (n,) is on, or an empty text where the arm has no named branches."""
        kind = self.family or self.seven or self.six
        return "" if kind is None else kind.branch_names[kind.branch_of(q)]

    def proposals(self, T: Floats) -> tuple[Floats, Floats]:
        """Return the closed form's q (m, k, n) and valid (m, k) for targets (m, 4, 4), before the gate."""
        assert self.family is not None
        q = np.empty((len(T), self.family.count, len(self.weights)))
        valid = np.empty((len(T), self.family.count))
        self.family.solve_into(T, q, valid)
        return q, valid


@lru_cache(maxsize=KEPT_ROBOTS)
def solver_of(robot: Robot) -> ArmSolver:
    """Return the arm's solver; the geometry decides, not the name."""
    coupled = robot.coupling is not None
    family = None if coupled else recognise(robot)
    six = recognise_general_six(robot) if family is None and robot.dof == 6 and not coupled else None
    seven = recognise_seven(robot) if robot.dof == 7 and not coupled else None
    speeds = robot.velocity
    weights = 1.0 / np.maximum(speeds, SLOWEST) if np.isfinite(speeds).all() else np.ones(robot.dof)
    weights = weights / weights.max()
    rows = np.array([robot.lower, robot.upper, weights, robot.home, robot.chain.revolute])
    return ArmSolver(
        arrays=None if coupled else robot.chain[:4],
        limits=(robot.chain.lower, robot.chain.upper),
        origin=robot.uncoupled.chain.constants[0, 9:12],
        weights=weights,
        rows=rows,
        task=default_task(robot),
        length=robot.chain.reach + 1e-6,
        family=family,
        six=six,
        seven=seven,
        closed=None if family is None else (family.form, family.parameters, robot.chain.constants, rows),
        branches=0 if family is None else family.count,
        dof=robot.dof,
    )
