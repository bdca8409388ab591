"""Motions that show as much of an arm's dynamics as they can: Fourier series, searched for a small condition number.

Every joint moves along a series of a few harmonics of one period (Swevers, Ganseman, Tükel, De Schutter and Van Brussel
1997) that begins and ends at rest, so that the motion can be repeated and played on a real arm. The search is random,
with a seed, and ends after a stated number of trials.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.calibration.identification.base import BaseParameters, base_parameters, random_states
from armlab.collision.checker import Checker
from armlab.dynamics.forces import GRAVITY, inverse_dynamics
from armlab.dynamics.regressor import torque_regressor
from armlab.errors import PlanningFailed
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.checks import check_seconds
from armlab.motion.limits import Limits, limits_of
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.splines import quintics
from armlab.motion.trajectory import Trajectory
from armlab.threads import one_blas_thread

HARMONICS = 5
PERIOD = 10.0
TRIALS = 600
STARTS = 24
"""Of the trials, how many are drawn independently; the others change the best one."""
SAMPLES = 80
"""States of a period that a trial is judged by."""
KEPT = 0.95
"""Positions, speeds and accelerations stay within this share of their limits; forces too."""
PIECES_PER_HARMONIC = 40
GROW, SHRINK = 1.5, 0.9
"""Factors of the step after a better and a worse trial: equal on the whole where one in five is better."""


@dataclass(frozen=True, slots=True, eq=False)
class FourierMotion:
    """Joint values q(t) = offset + Σ sine_l sin(lωt) + cosine_l cos(lωt), at rest at the start of every period."""

    offset: Floats
    """(n,)."""
    sine: Floats
    """(n, h)."""
    cosine: Floats
    """(n, h)."""
    period: float

    def sample(self, t: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Return positions, speeds and accelerations (m, n) at times `t` (m,)."""
        rates = 2.0 * math.pi / self.period * np.arange(1, self.sine.shape[1] + 1)
        angle = np.asarray(t, dtype=np.float64)[:, None] * rates
        s, c = np.sin(angle), np.cos(angle)
        q = self.offset + s @ self.sine.T + c @ self.cosine.T
        qd = (c * rates) @ self.sine.T - (s * rates) @ self.cosine.T
        qdd = -(s * rates**2) @ self.sine.T - (c * rates**2) @ self.cosine.T
        return q, qd, qdd

    def times(self, step: float) -> Floats:
        """Return times from the start to the end of a period, `step` s apart."""
        return np.arange(round(self.period / step) + 1, dtype=np.float64) * step

    def trajectory(self, periods: int = 1) -> Trajectory:
        """Return the motion as quintic pieces, as many periods as wanted."""
        pieces = PIECES_PER_HARMONIC * self.sine.shape[1] * periods
        t = np.linspace(0.0, self.period * periods, pieces + 1)
        return Trajectory(PiecewisePolynomial(t, quintics(*self.sample(t), np.diff(t)[:, None])))


@dataclass(frozen=True, slots=True, eq=False)
class Excitation:
    """A motion that excites an arm, and how well."""

    motion: FourierMotion
    condition: float
    """Condition number of the regressor of the base parameters along it, each in its usual size."""
    random_condition: float
    """The same of the best of the motions that were drawn independently."""
    trials: int
    base: BaseParameters


@one_blas_thread()
def excite(
    robot: Robot,
    *,
    seed: int = 0,
    period: float = PERIOD,
    trials: int = TRIALS,
    scene: Scene | None = None,
    gravity: tuple[float, float, float] = GRAVITY,
) -> Excitation:
    """Return a motion within all limits, free of collisions, whose regressor has a small condition number.

    Args:
        robot: the arm; forces are kept within its efforts by its own masses.
        seed: of the search.
        period: how long the motion takes (s).
        trials: how many motions are looked at.
        scene: what stands around the arm; without one, only the arm itself is in its way.
        gravity: the acceleration of a falling body in the world (m/s²).

    Raises:
        PlanningFailed: if every motion that was tried collides or asks too much of the drives.
        InvalidInput: if the period is not above zero, or the arm states no speeds.
    """
    check_seconds("period", period)
    search = _Search(robot, period, scene, gravity)
    rng = np.random.default_rng(seed)
    best, least = search.draw(rng), math.inf
    independent = math.inf
    step = 0.3
    for trial in range(max(trials, 1)):
        is_start = trial < STARTS
        candidate = search.draw(rng) if is_start else best + step * rng.normal(size=best.shape) * search.mask(rng)
        value = search.condition(candidate)
        is_better = value < least and search.is_free(candidate)
        if is_better:
            best, least = candidate, value
        if is_start:
            independent = least
        else:
            step = float(np.clip(step * (GROW if is_better else SHRINK), 0.01, 0.6))
    if not math.isfinite(least):
        raise PlanningFailed(
            "no_excitation",
            _("{robot}: none of {trials} motions is free of collisions and within the efforts; try another seed"),
            robot=robot.name,
            trials=trials,
        )
    return Excitation(search.motion(best), least, independent, trials, search.base)


class _Search:
    """Turns vectors of numbers into motions that keep the limits, and judges them.

    A vector has for each joint the shape of its series (2 (h - 1)), how much of its room the joint uses, and where.
    """

    def __init__(self, robot: Robot, period: float, scene: Scene | None, gravity: tuple[float, float, float]) -> None:
        self._robot, self._period, self._gravity = robot, period, gravity
        self._limits: Limits = limits_of(robot)
        self.base = base_parameters(robot, gravity)
        self._checker = Checker(Scene.of(robot) if scene is None else scene)
        orders = np.arange(1.0, HARMONICS + 1.0)
        # with s_l = x_l / l and c_l = y_l / l, so that speeds of all harmonics are alike:
        self._sine = _kernel_of(np.ones(HARMONICS))  # Σ l s_l = Σ x_l = 0, no speed at the start,
        self._cosine = _kernel_of(orders)  # Σ l² c_l = Σ l y_l = 0, no acceleration
        self._t = np.arange(SAMPLES) * (period / SAMPLES)
        W = torque_regressor(robot, *random_states(robot, 200, 1), gravity=gravity)[..., self.base.leading]
        self._row_scale = np.sqrt((W**2).mean(axis=(0, 2)))
        self._row_scale[self._row_scale == 0.0] = 1.0
        self._column_scale = np.sqrt(((W / self._row_scale[:, None]) ** 2).mean(axis=(0, 1)))

    @property
    def _width(self) -> int:
        return 2 * (HARMONICS - 1) + 2

    def draw(self, rng: np.random.Generator) -> Floats:
        return rng.normal(size=(self._robot.dof, self._width))

    def mask(self, rng: np.random.Generator) -> Floats:
        """Return which joints a step changes: about two of them."""
        chosen = rng.random(self._robot.dof) < 2.0 / self._robot.dof
        chosen[rng.integers(self._robot.dof)] = True
        return chosen[:, None].astype(np.float64)

    def motion(self, vector: Floats) -> FourierMotion:
        """Return the motion of a vector: its shape, made as large as the limits and the vector's own share allow."""
        n, free = self._robot.dof, HARMONICS - 1
        orders = np.arange(1, HARMONICS + 1)
        sine = vector[:, :free] @ self._sine.T / orders
        cosine = vector[:, free : 2 * free] @ self._cosine.T / orders
        shape = FourierMotion(np.zeros(n), sine, cosine, self._period)
        q, qd, qdd = shape.sample(np.linspace(0.0, self._period, 4 * SAMPLES))
        low, high = q.min(axis=0), q.max(axis=0)
        room = KEPT * np.minimum(self._limits.upper - self._limits.lower, 2.0 * np.pi)
        middle = (self._limits.upper + self._limits.lower) / 2.0
        size = np.minimum.reduce(
            [
                room / (high - low),
                KEPT * self._limits.velocity / np.abs(qd).max(axis=0),
                KEPT * self._limits.acceleration / np.abs(qdd).max(axis=0),
            ]
        )
        size *= 0.3 + 0.7 / (1.0 + np.exp(-2.0 * vector[:, -2]))
        place = 1.0 / (1.0 + np.exp(-2.0 * vector[:, -1]))
        slack = room - size * (high - low)
        offset = middle - room / 2.0 + place * slack - size * low
        return FourierMotion(offset, size[:, None] * sine, size[:, None] * cosine, self._period)

    def is_free(self, vector: Floats) -> bool:
        """Whether the whole motion is free of collisions, between the samples too."""
        return self._checker.sweep(self.motion(vector).trajectory()).is_free

    def condition(self, vector: Floats) -> float:
        """Return the condition number of a motion; infinite where it needs too large forces."""
        states = self.motion(vector).sample(self._t)
        tau = np.abs(inverse_dynamics(self._robot, *states, gravity=self._gravity)).max(axis=0)
        if (tau > KEPT * self._limits.effort).any():
            return math.inf
        W = torque_regressor(self._robot, *states, gravity=self._gravity)[..., self.base.leading]
        W = (W / self._row_scale[:, None] / self._column_scale).reshape(-1, len(self.base))
        moments = np.linalg.eigvalsh(W.T @ W)
        return math.inf if moments[0] <= 0.0 else float(math.sqrt(moments[-1] / moments[0]))


def _kernel_of(row: Floats) -> Floats:
    """Return an orthonormal basis (h, h - 1) of the vectors whose product with `row` is zero."""
    return np.linalg.svd(np.asarray(row, dtype=np.float64)[None])[2][1:].T.copy()
