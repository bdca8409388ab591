"""Commands become smooth motion: whatever the goal, and however often it changes, every limit is kept."""

from __future__ import annotations

import logging
from typing import Protocol

import numpy as np

from armlab.arrays import Floats
from armlab.cell.brake import brake
from armlab.errors import PlanningFailed
from armlab.messages import _
from armlab.model.joint_limits import outside_limits
from armlab.motion.jerk_motion import FOUND, JerkMotion, Synchronization, attempt_motion
from armlab.motion.limits import Limits
from armlab.motion.trajectory import JointState

AT_REST = 1e-6
"""rad/s or m/s: slower than this is at rest."""
FAR_S = 1000.0
"""A motion at given speeds is planned this far ahead."""
SHARES = (1.0, 0.5, 0.25, 0.1)
"""Near a limit, the target speeds are tried at these shares, and then not at all."""
SLACK = 1e-9
"""rad or m: a joint this far outside a limit is at the limit."""
LONGEST_STOP = 10.0
"""A stop with limited jerk that takes this many times as long as the brake alone is not taken."""

_log = logging.getLogger(__name__)


def not_planned() -> PlanningFailed:
    """Return why an arm does not go to its goal."""
    return PlanningFailed("motion_not_planned", _("no motion to the target was found; the arm stops"))


class Path(Protocol):
    """Where the joints will be: a planned motion, or a brake."""

    @property
    def duration(self) -> float:
        """How long it takes (s)."""
        ...

    def sample(self, times: Floats, /) -> JointState:
        """Return the joints at growing `times` (k,): three arrays (k, n)."""
        ...


class Mover:
    """Joint values that move to a goal, or at given speeds, within velocity, acceleration and jerk.

    At any time the arm can stop before the end of every joint: no path is taken from which it could not. Where
    planning fails, the joints brake: no command leaves the arm moving to an older goal.
    """

    def __init__(self, limits: Limits, q: Floats) -> None:
        self._limits = limits
        self._path: Path | None = None
        self._goal: Floats | None = None
        self.place(q)

    @property
    def is_moving(self) -> bool:
        """Whether the joints are not at rest, or not at their goal yet."""
        return self._path is not None

    @property
    def goal(self) -> Floats:
        """Where the joints will be at rest, (n,): their goal; without one, where the brake would bring them."""
        return brake(self._limits, self._q, self._qd).q_stop if self._goal is None else self._goal

    @property
    def state(self) -> JointState:
        """Where the command is now."""
        return JointState(self._q, self._qd, self._qdd)

    def place(self, q: Floats) -> None:
        """Be at rest at `q` (n,) at once."""
        self._q = np.array(q, dtype=np.float64)
        self._rest()

    def take_over(self, state: JointState) -> None:
        """Be where a motion is that somebody else commands; `stop` brakes from there."""
        if all(np.isfinite(part).all() for part in state):
            self._q, self._qd, self._qdd = (np.array(part) for part in state)
        self._path = self._goal = None

    def go_to(self, goal: Floats) -> bool:
        """Move to `goal` (n,), clipped to the limits; all joints arrive together. False: the joints brake instead."""
        goal = np.clip(goal, self._limits.lower, self._limits.upper)
        is_planned = self._take_or_brake(self._plan(self.state, "time", goal=goal))
        self._goal = goal if is_planned else None
        return is_planned

    def move_joints_at(self, speeds: Floats) -> bool:
        """Move each joint at its own speed until told otherwise; it stops at its limit. False: they brake instead."""
        is_still = np.abs(speeds) < AT_REST
        goal = np.clip(self._q + speeds * FAR_S, self._limits.lower, self._limits.upper)
        caps = np.where(is_still, self._limits.velocity, np.minimum(np.abs(speeds), self._limits.velocity))
        return self._take_or_brake(
            self._plan(self.state, "none", goal=goal, by_velocity=[bool(still) for still in is_still], caps=caps)
        )

    def move_together_at(self, speeds: Floats, seconds: float) -> float:
        """Change to target speeds (n,) of all joints, which are given again after `seconds`; return the share taken.

        The share is below 1 where the arm could otherwise not stop before the end of a joint.
        """
        speeds = np.where(np.abs(speeds) < AT_REST, 0.0, speeds)
        for share in SHARES:
            path = self._plan(self.state, "phase", speeds=speeds * share, by_velocity=True)
            if path is not None and self._can_stop_after(path, seconds):
                self._take(path)
                return share
        self.stop()
        return 0.0

    def stop(self) -> None:
        """Come to rest: with limited jerk where that is planned and ends inside the limits, else by the brake alone."""
        path = self._plan(self.state, "phase", by_velocity=True)
        if path is None or not self._stays_inside(path):
            self.brake()
        else:
            self._take(path)

    def brake(self) -> None:
        """Come to rest by constant deceleration at the limit; nothing is planned, so nothing can refuse."""
        self._take(brake(self._limits, self._q, self._qd))

    def advance(self, steps: int, seconds: float) -> JointState:
        """Let time pass in steps of some seconds; return where the command is after each, (steps, n)."""
        if self._path is None:
            still = np.zeros((steps, len(self._q)))
            return JointState(np.tile(self._q, (steps, 1)), still, still)
        times: Floats = self._elapsed + seconds * np.arange(1.0, steps + 1.0)
        rows = self._path.sample(times)
        if not all(np.isfinite(part).all() for part in rows):
            _log.error("a planned motion has values that are not finite; braking")
            self.brake()
            rows = self._path.sample(seconds * np.arange(1.0, steps + 1.0))
        q, qd, qdd = rows
        np.clip(q, self._limits.lower, self._limits.upper, out=q)
        self._elapsed += seconds * steps
        self._q, self._qd, self._qdd = q[-1], qd[-1], qdd[-1]
        if self._elapsed >= self._path.duration and np.abs(self._qd).max() < AT_REST:
            self._rest()
        return JointState(q, qd, qdd)

    def _rest(self) -> None:
        self._qd, self._qdd = np.zeros(len(self._q)), np.zeros(len(self._q))
        self._path = self._goal = None
        self._elapsed = 0.0

    def _can_stop_after(self, motion: JerkMotion, seconds: float) -> bool:
        """Tell whether braking after `seconds` of a motion ends, and stays, inside the limits of position."""
        rows = motion.sample(np.array([seconds]))
        braking = self._plan(JointState(*(part[0] for part in rows)), "phase", by_velocity=True)
        return braking is not None and self._stays_inside(braking)

    def _stays_inside(self, braking: JerkMotion) -> bool:
        """Tell whether a braking motion ends soon enough, and inside the limits of position all the time."""
        limits = self._limits
        longest = ((limits.velocity + np.abs(self._qd)) / limits.acceleration + limits.acceleration / limits.jerk).max()
        if not braking.duration <= LONGEST_STOP * longest:
            return False
        return not outside_limits(limits, np.stack(braking.position_range())).any()

    def _take_or_brake(self, path: Path | None) -> bool:
        if path is None:
            self.stop()
            return False
        self._take(path)
        return True

    def _take(self, path: Path) -> None:
        self._path, self._elapsed, self._goal = path, 0.0, None

    def _plan(
        self,
        state: JointState,
        synchronization: Synchronization,
        *,
        goal: Floats | None = None,
        speeds: Floats | None = None,
        by_velocity: bool | list[bool] = False,
        caps: Floats | None = None,
    ) -> JerkMotion | None:
        """Return the quickest motion from `state` to a goal or to speeds (none: zero), or None if there is none."""
        limits = self._limits
        rest = np.zeros(limits.dof)
        start = JointState(state.q, state.qd, np.clip(state.qdd, -limits.acceleration, limits.acceleration))
        target = JointState(state.q if goal is None else goal, rest if speeds is None else speeds, rest)
        motion = attempt_motion(
            limits, start, target, by_velocity=by_velocity, synchronization=synchronization, velocity=caps
        )
        return motion if motion.status == FOUND else None
