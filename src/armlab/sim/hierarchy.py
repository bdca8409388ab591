"""The structure `hierarchy`: transforms only; joints go where they are told, without masses and forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from armlab.arrays import Floats
from armlab.errors import NotSupported
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.model.scene import Body
from armlab.sim.mechanism import Mechanism
from armlab.sim.state import Mode, SimState
from armlab.sim.step_log import StepLog


class Hierarchy:
    """Arms as trees of transforms: each step a joint moves towards its target, at most as fast as it may."""

    def __init__(self, mechanisms: Sequence[Mechanism], bodies: Sequence[Body], timestep: float) -> None:
        self.mechanisms, self.bodies, self.timestep = tuple(mechanisms), tuple(bodies), timestep
        self.modes: list[Mode] = ["q"] * len(self.mechanisms)
        self.q = [mechanism.start[list(mechanism.driven)] for mechanism in self.mechanisms]
        self.qd = [np.zeros_like(q) for q in self.q]
        self.target = [q.copy() for q in self.q]
        self.holder = np.full(len(self.bodies), -1, dtype=np.int64)
        self.places = np.array([body.T_world_body for body in self.bodies]).reshape(-1, 4, 4)
        """Of free bodies in the world, of held ones in the frame of the tool."""
        self.log: StepLog | None = None

    def set_mode(self, k: int, mode: Mode) -> None:
        """Let one arm follow positions or speeds.

        Raises:
            NotSupported: for forces, of which a hierarchy knows nothing.
        """
        if mode == "tau":
            raise no_forces()
        self.modes[k] = mode

    def command(self, k: int, values: Floats, speeds: Floats | None) -> None:  # noqa: ARG002
        """Set where, or how fast, the joints of one arm go, (n,)."""
        self.target[k] = values[list(self.mechanisms[k].driven)]

    def step(self, n: int, first: int) -> None:  # noqa: ARG002
        """Advance by `n` steps."""
        if self.log is None:
            self._step(n)
            return
        for _step in range(n):
            self._step(1)
            self.log.take()

    def _step(self, n: int) -> None:
        for k, mechanism in enumerate(self.mechanisms):
            robot = _robot(mechanism)
            q, target, reach = self.q[k], self.target[k], robot.velocity * self.timestep
            if self.modes[k] == "q":
                before = _towards(q, target, reach * (n - 1)) if n > 1 else q
                after = _towards(before, target, reach)
            else:
                before = np.clip(q + target * self.timestep * (n - 1), robot.lower, robot.upper)
                after = np.clip(before + target * self.timestep, robot.lower, robot.upper)
            self.q[k], self.qd[k] = after, (after - before) / self.timestep

    def can_follow(self, arms: Sequence[int]) -> bool:
        """Tell whether these arms, and no other, follow positions."""
        return len(arms) == len(self.mechanisms) and all(self.modes[k] == "q" for k in arms)

    def follow(self, arms: Sequence[int], q: Floats, qd: Floats) -> bool:  # noqa: ARG002
        """Make a step for each row of positions (m, n) of all arms; False, with none made, where one is too fast."""
        rows = np.split(q, np.cumsum([len(self.q[k]) for k in arms[:-1]]), axis=1)
        for k, targets in zip(arms, rows, strict=True):
            reach = _robot(self.mechanisms[k]).velocity * self.timestep
            if (np.abs(np.diff(targets, axis=0, prepend=self.q[k][None])) > reach).any():
                return False
        before = [self.q[k] for k in arms]
        for i in range(len(q)) if self.log is not None else [len(q) - 1]:
            for a, k in enumerate(arms):
                last = rows[a][i - 1] if i else before[a]
                self.q[k], self.qd[k] = rows[a][i].copy(), (rows[a][i] - last) / self.timestep
            if self.log is not None:
                self.log.take()
        for a, k in enumerate(arms):
            self.target[k] = rows[a][-1].copy()
        return True

    def log_row(self) -> Floats:
        """Return what a `StepLog` keeps of a step."""
        return np.concatenate([*self.q, *self.qd])

    def logged(self, k: int, rows: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return q, qd, tau and gap of one arm from such rows; nothing pulls and nothing comes apart."""
        sizes = [len(q) for q in self.q]
        q, qd = (np.split(half, np.cumsum(sizes[:-1]), axis=1)[k] for half in np.split(rows, 2, axis=1))
        return q, qd, np.zeros_like(q), np.zeros(len(rows))

    def halt(self) -> None:
        """Take the speed from every joint."""
        self.qd = [np.zeros_like(qd) for qd in self.qd]

    def numbers(self) -> Floats:
        """Return the whole state as numbers."""
        return np.concatenate([*self.q, *self.qd, *self.target, self.places.ravel()])

    def set_numbers(self, numbers: Floats) -> None:
        """Put back a state of `numbers`."""
        at = 0
        for rows in (self.q, self.qd, self.target):
            for k, mechanism in enumerate(self.mechanisms):
                rows[k] = np.array(numbers[at : at + len(mechanism.driven)])
                at += len(mechanism.driven)
        self.places = np.array(numbers[at:]).reshape(-1, 4, 4)

    def settings(self) -> Any:
        """Return the modes and who holds what."""
        return tuple(self.modes), self.holder.copy()

    def set_settings(self, settings: Any) -> None:
        """Put back what `settings` has kept."""
        modes, holder = settings
        self.modes, self.holder = list(modes), holder.copy()

    def unknowns(self) -> int:
        """Return 0: nothing is solved for."""
        return 0

    def attach(self, k: int, b: int) -> None:
        """Let arm `k` carry body `b` along from now on."""
        self.places[b] = pose.inverse(self._tool(k)) @ self.places[b]
        self.holder[b] = k

    def release(self, b: int) -> None:
        """Leave body `b` where it is; nothing falls in a hierarchy."""
        self.places[b] = self._tool(int(self.holder[b])) @ self.places[b]
        self.holder[b] = -1

    def push(self, b: int, wrench: Floats) -> NoReturn:  # noqa: ARG002
        """Raise NotSupported: a hierarchy knows no forces."""
        raise no_forces()

    def read(self, k: int, step: int) -> SimState:
        """Return the state of one arm and of the bodies."""
        robot, none = _robot(self.mechanisms[k]), np.zeros_like(self.q[k])
        tools = {int(arm): self._tool(int(arm)) for arm in set(self.holder) if arm >= 0}
        return SimState(
            time=step * self.timestep,
            step=step,
            q=self.q[k].copy(),
            qd=self.qd[k].copy(),
            qdd=none,
            tau=none.copy(),
            motor_q=self.q[k].copy(),
            frames=robot.frames(self.q[k]),
            joint_gaps=none.copy(),
            closure_gaps=np.zeros(0),
            contacts=(),
            energy=None,
            bodies={
                body.name: tools[int(arm)] @ place if arm >= 0 else place.copy()
                for body, place, arm in zip(self.bodies, self.places, self.holder, strict=True)
            },
            held=tuple(body.name for body, arm in zip(self.bodies, self.holder, strict=True) if arm == k),
        )

    def _tool(self, k: int) -> Floats:
        return _robot(self.mechanisms[k]).fk(self.q[k])


def _towards(q: Floats, target: Floats, reach: Floats) -> Floats:
    """Return where joints are that may move by `reach`: at the target to the bit, or on their way."""
    left = target - q
    return np.where(np.abs(left) <= reach, target, q + np.clip(left, -reach, reach))


def no_forces() -> NotSupported:
    """Return the error about a request for forces."""
    return NotSupported(
        "no_forces", _("the structure 'hierarchy' has no forces; command q or qd, or use another structure")
    )


def _robot(mechanism: Mechanism) -> Robot:
    assert isinstance(mechanism.source, Robot)
    return mechanism.source
