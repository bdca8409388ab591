"""Commands become smooth motion: whatever the goal, and however often it changes, every limit is kept."""

from __future__ import annotations

import numpy as np
import ruckig

from armlab.arrays import Floats
from armlab.motion.limits import Limits
from armlab.motion.trajectory import JointState

STILL = 1e-6
"""rad/s or m/s: slower than this is at rest."""
FAR_S = 1000.0
"""A motion at wished speeds is planned this far ahead."""
LOOKS = 16
"""How often a way of braking is looked at."""
SHARES = (1.0, 0.5, 0.25, 0.1)
"""Near a limit, wished speeds are tried at these shares, and then not at all."""

_GOAL, _SPEED = ruckig.ControlInterface.Position, ruckig.ControlInterface.Velocity
_TOGETHER, _STRAIGHT, _ALONE = ruckig.Synchronization.Time, ruckig.Synchronization.Phase, ruckig.Synchronization.No


class Mover:
    """Joint values on their way to a goal, or moving at wished speeds, within velocity, acceleration and jerk.

    At any time the arm can stop before the end of every joint: no way is taken from which it could not.
    """

    def __init__(self, limits: Limits, q: Floats) -> None:
        self._limits = limits
        self._solver = ruckig.Ruckig(limits.dof)
        self._request = ruckig.InputParameter(limits.dof)
        self._request.max_acceleration = limits.acceleration.tolist()
        self._request.max_jerk = limits.jerk.tolist()
        self._way = ruckig.Trajectory(limits.dof)
        self.place(q)

    @property
    def is_moving(self) -> bool:
        """Whether the joints are not at rest, or still on their way."""
        return self._is_on_way

    @property
    def state(self) -> JointState:
        """Where the command is now."""
        return JointState(self._q, self._qd, self._qdd)

    def place(self, q: Floats) -> None:
        """Be at rest at `q` (n,) at once."""
        self._q = np.array(q, dtype=np.float64)
        self._qd, self._qdd = np.zeros(len(q)), np.zeros(len(q))
        self._is_on_way = False
        self._elapsed = 0.0

    def take_over(self, state: JointState) -> None:
        """Be where a motion is that somebody else commands; `stop` brakes from there."""
        self._q, self._qd, self._qdd = (np.array(part) for part in state)
        self._is_on_way = False

    def go_to(self, goal: Floats) -> None:
        """Move to `goal` (n,), clipped to the limits; all joints arrive together."""
        goal = np.clip(goal, self._limits.lower, self._limits.upper)
        way = self._plan(self.state, _GOAL, _TOGETHER, goal=goal)
        if way is not None:
            self._take(way)

    def move_joints_at(self, speeds: Floats) -> None:
        """Move each joint at its own wished speed until told otherwise; it stops at its limit."""
        is_still = np.abs(speeds) < STILL
        goal = np.clip(self._q + speeds * FAR_S, self._limits.lower, self._limits.upper)
        caps = np.where(is_still, self._limits.velocity, np.minimum(np.abs(speeds), self._limits.velocity))
        kinds = [_SPEED if still else _GOAL for still in is_still]
        way = self._plan(self.state, kinds, _ALONE, goal=goal, caps=caps)
        if way is not None:
            self._take(way)

    def move_together_at(self, speeds: Floats, seconds: float) -> float:
        """Change to wished speeds (n,) of all joints, which are wished anew after `seconds`; return the share taken.

        The share is below 1 where the arm could otherwise not stop before the end of a joint.
        """
        speeds = np.where(np.abs(speeds) < STILL, 0.0, speeds)
        for share in SHARES:
            way = self._plan(self.state, _SPEED, _STRAIGHT, speeds=speeds * share)
            if way is not None and self._can_stop(_at(way, seconds)):
                self._take(way)
                return share
        self.stop()
        return 0.0

    def stop(self) -> None:
        """Come to rest as fast as the limits allow."""
        way = self._plan(self.state, _SPEED, _STRAIGHT)
        if way is None:
            self.place(self._q)  # nothing sane to brake from: hold
        else:
            self._take(way)

    def advance(self, steps: int, seconds: float) -> JointState:
        """Let time pass in steps of some seconds; return where the command is after each, (steps, n)."""
        if not self._is_on_way:
            still = np.zeros((steps, len(self._q)))
            return JointState(np.tile(self._q, (steps, 1)), still, still)
        times = [self._elapsed + seconds * (i + 1) for i in range(steps)]
        rows = np.array([self._way.at_time(t) for t in times])
        q, qd, qdd = rows[:, 0], rows[:, 1], rows[:, 2]
        np.clip(q, self._limits.lower, self._limits.upper, out=q)
        self._elapsed = times[-1]
        self._q, self._qd, self._qdd = q[-1], qd[-1], qdd[-1]
        if self._elapsed >= self._way.duration and np.abs(self._qd).max() < STILL:
            self._is_on_way, self._qd, self._qdd = False, np.zeros(len(self._q)), np.zeros(len(self._q))
        return JointState(q, qd, qdd)

    def _can_stop(self, state: JointState) -> bool:
        """Tell whether braking from `state` ends, and stays, inside the limits of position."""
        way = self._plan(state, _SPEED, _STRAIGHT)
        if way is None:
            return False
        times = np.linspace(0.0, way.duration, LOOKS)
        q = np.array([way.at_time(t)[0] for t in times.tolist()])
        between = self._limits.acceleration * times[1] ** 2 / 8.0  # what may happen between two looks
        return bool(((q >= self._limits.lower + between) & (q <= self._limits.upper - between)).all())

    def _take(self, way: ruckig.Trajectory) -> None:
        self._way, self._elapsed, self._is_on_way = way, 0.0, True

    def _plan(
        self,
        state: JointState,
        kinds: ruckig.ControlInterface | list[ruckig.ControlInterface],
        together: ruckig.Synchronization,
        *,
        goal: Floats | None = None,
        speeds: Floats | None = None,
        caps: Floats | None = None,
    ) -> ruckig.Trajectory | None:
        """Return the quickest way from `state` to a goal or to speeds (none: zero), or None if there is none."""
        request, n = self._request, len(state.q)
        request.current_position, request.current_velocity = state.q.tolist(), state.qd.tolist()
        most = self._limits.acceleration
        request.current_acceleration = np.clip(state.qdd, -most, most).tolist()
        request.target_position = (state.q if goal is None else goal).tolist()
        request.target_velocity = [0.0] * n if speeds is None else speeds.tolist()
        request.max_velocity = (self._limits.velocity if caps is None else caps).tolist()
        request.per_dof_control_interface = kinds if isinstance(kinds, list) else [kinds] * n
        request.synchronization = together
        way = ruckig.Trajectory(n)
        try:
            result = self._solver.calculate(request, way)
        except (ValueError, RuntimeError):  # the solver's codes for what cannot be planned
            return None
        return way if result in {ruckig.Result.Working, ruckig.Result.Finished} else None


def _at(way: ruckig.Trajectory, seconds: float) -> JointState:
    """Return where a way is; after its end it goes on at its last speeds."""
    return JointState(*(np.array(part) for part in way.at_time(seconds)))
