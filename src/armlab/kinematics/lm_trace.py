"""The Levenberg–Marquardt method step by step, for teaching and plots.

The textbook's loop on NumPy arrays, each number kept: (JᵀJ + λI) Δθ = Jᵀe; if the error falls, the step is accepted
and λ shrinks, else it is rejected and λ grows. Nothing clever: it depends on its start, it is slow near singularities
and it may stop before the target. `attempt_ik` is what an arm should be driven with.

All rows of e are lengths, so that one λ fits them: a rotation counts as the arc that it makes on the arm's size. They
are measured in `unit`, by default millimetres; so λ has the values of a book that writes lengths in millimetres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kinematics.numeric import length_of
from armlab.kinematics.targets import as_starts, as_targets
from armlab.kinematics.task import Task, TaskLike, task_for
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.units import M_PER_MM

SHRINK, GROW = 0.1, 10.0
LEAST_DAMPING, MOST_DAMPING = 1e-12, 1e12
"""λ stays between these parts of the largest element of JᵀJ, so that the equations can be solved."""

Stop: TypeAlias = Literal["error", "step", "gradient", "steps"]
"""Why it ended: the error, the step or the gradient became small enough, or no more steps were allowed."""


@dataclass(frozen=True, slots=True, eq=False)
class LmStep:
    """One step that was tried from `q`, where ‖e‖ is `error` (m) and ‖Jᵀe‖ is `gradient` (in `unit`² per rad)."""

    q: Floats
    error: float
    gradient: float
    damping: float
    """λ of this step."""
    step: float
    """‖Δθ‖ after the limits have been kept (rad, and m for sliding joints)."""
    accepted: bool


@dataclass(frozen=True, slots=True, eq=False)
class LmTrace:
    """All steps, where they ended, how far from the target (m, rad; the rows that matter), and why there."""

    steps: tuple[LmStep, ...]
    q: Floats
    error: float
    position_error: float
    rotation_error: float
    converged: bool
    stop: Stop


def lm_trace(
    robot: Robot,
    T_world_tool: ArrayLike,
    start: ArrayLike,
    *,
    task: TaskLike | None = None,
    damping: float = 1e-2,
    unit: float = M_PER_MM,
    error_tolerance: float = 1e-6,
    step_tolerance: float = 1e-9,
    gradient_tolerance: float = 1e-9,
    max_steps: int = 100,
    shrink: float = SHRINK,
    grow: float = GROW,
) -> LmTrace:
    """Return every step of the method from `start` (n,) towards one pose (4, 4), joint limits kept by clamping.

    After an accepted step λ is multiplied by `shrink`, after a rejected one by `grow`. It has converged when ‖e‖ ≤
    `error_tolerance` (m). It also ends when ‖Δθ‖ or ‖Jᵀe‖ falls below its tolerance: then it is stuck, at a limit or at
    a place that no small move makes better.

    Raises:
        InvalidInput: if the target, the task or a number cannot be used.
        LimitViolation: if the start is outside the limits; the sentence names the joint.
    """
    settings = LmSettings(
        damping, unit, error_tolerance, step_tolerance, gradient_tolerance, max_steps, shrink, grow
    ).checked()
    problem = LmProblem.of(robot, T_world_tool, task, settings.unit)
    return _descend(problem, as_starts(robot, start, 1)[0], settings)


@dataclass(frozen=True, slots=True)
class LmSettings:
    """The numbers of the method; see `lm_trace`."""

    damping: float = 1e-2
    unit: float = M_PER_MM
    error_tolerance: float = 1e-6
    step_tolerance: float = 1e-9
    gradient_tolerance: float = 1e-9
    max_steps: int = 100
    shrink: float = SHRINK
    grow: float = GROW

    def checked(self) -> LmSettings:
        """Return the same.

        Raises:
            InvalidInput: if a number cannot be used; the sentence names it.
        """
        for name in ("damping", "unit", "error_tolerance", "shrink", "grow"):
            number = getattr(self, name)
            if not (math.isfinite(number) and number > 0.0):
                raise InvalidInput(
                    "not_positive", _("{name}: {number:g} is not a positive number"), name=name, number=number
                )
        if self.shrink > 1.0 or self.grow <= 1.0:
            raise InvalidInput(
                "damping_factors",
                _(
                    "λ must not grow after an accepted step, and must after a rejected one; "
                    "got factors {shrink:g} and {grow:g}"
                ),
                shrink=self.shrink,
                grow=self.grow,
            )
        if self.max_steps < 1:
            raise InvalidInput(
                "steps_outside", _("max_steps: {steps} given; at least 1 is needed"), steps=self.max_steps
            )
        return self


@dataclass(frozen=True, slots=True)
class LmProblem:
    """A target for an arm, and the rows that count, as lengths."""

    robot: Robot
    target: Floats
    task: Task
    unit: float

    @classmethod
    def of(cls, robot: Robot, T_world_tool: ArrayLike, task: TaskLike | None, unit: float) -> LmProblem:
        """Return the problem of one pose (4, 4)."""
        targets, single = as_targets(T_world_tool)
        if not single:
            template = _("target: one pose (4, 4) is traced at a time, got {count}")
            raise InvalidInput("trace_one_pose", template, count=len(targets))
        return cls(robot, targets[0], task_for(robot, task), unit)

    @property
    def weights(self) -> Floats:
        """Per row: what turns metres and radians into lengths in `unit`; zero for a row that does not matter."""
        rows = np.array([1.0, 1.0, 1.0, *[length_of(self.robot)] * 3]) / self.unit
        return np.asarray(rows * np.array(self.task.mask))

    def residual(self, q: Floats) -> Floats:
        """Return [p_target − p; rotation vector from R to R_target] (6,), in m and rad."""
        T = self.robot.fk(q)
        turn = T[:3, :3], self.target[:3, :3]
        rotation = _axis_turn(*turn) if self.task.axis_only else pose.rotation_vector(turn[1] @ turn[0].T)
        return np.concatenate([self.target[:3, 3] - T[:3, 3], rotation])

    def jacobian(self, q: Floats) -> Floats:
        """Return how the rows follow the joints (6, n); for the tool's axis, without the turn about it."""
        J = self.robot.jacobian(q)
        if self.task.axis_only:
            z = self.robot.fk(q)[:3, 2]
            J[3:] -= np.outer(z, z @ J[3:])
        return J


def _descend(problem: LmProblem, q: Floats, settings: LmSettings) -> LmTrace:
    robot, weights, damping = problem.robot, problem.weights, float(settings.damping)
    error_tolerance = settings.error_tolerance / settings.unit
    steps: list[LmStep] = []
    e = weights * problem.residual(q)
    stop: Stop = "error"
    while np.linalg.norm(e) > error_tolerance:
        J = weights[:, None] * problem.jacobian(q)
        gradient = J.T @ e
        if np.linalg.norm(gradient) <= settings.gradient_tolerance:
            stop = "gradient"
            break
        if len(steps) == settings.max_steps:
            stop = "steps"
            break
        A = J.T @ J
        damping = float(np.clip(damping, LEAST_DAMPING * A.max(), MOST_DAMPING * A.max()))
        step = np.linalg.solve(A + damping * np.eye(robot.dof), gradient)
        tried = np.clip(q + step, robot.lower, robot.upper)
        e_tried = weights * problem.residual(tried)
        size = float(np.linalg.norm(tried - q))
        accepted = bool(np.linalg.norm(e_tried) < np.linalg.norm(e))
        length = float(np.linalg.norm(e)) * problem.unit
        steps.append(LmStep(q, length, float(np.linalg.norm(gradient)), damping, size, accepted))
        damping *= settings.shrink if accepted else settings.grow
        if accepted:
            q, e = tried, e_tried
        if size <= settings.step_tolerance and np.linalg.norm(e) > error_tolerance:
            stop = "step"
            break
    asked = problem.residual(q) * np.array(problem.task.mask)
    return LmTrace(
        steps=tuple(steps),
        q=q,
        error=float(np.linalg.norm(e)) * problem.unit,
        position_error=float(np.linalg.norm(asked[:3])),
        rotation_error=float(np.linalg.norm(asked[3:])),
        converged=stop == "error",
        stop=stop,
    )


def _axis_turn(R: Floats, R_target: Floats) -> Floats:
    """Return the smallest turn (3,) that takes the z axis of `R` to that of `R_target`; opposite: about the x axis."""
    z, z_target = R[:, 2], R_target[:, 2]
    across = np.cross(z, z_target)
    sine, cosine = float(np.linalg.norm(across)), float(z @ z_target)
    if sine > 1e-12:
        return np.asarray(across * (math.atan2(sine, cosine) / sine))
    return np.asarray(R[:, 0] * math.pi) if cosine < 0.0 else np.zeros(3)
