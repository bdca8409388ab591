"""Stepping and reading a MuJoCo model: what the structures `articulation` and `joints` share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput, SimulationDiverged
from armlab.messages import _
from armlab.sim.engine import engine
from armlab.sim.lifted import lifted_arm
from armlab.sim.loads import gains_with, own_gains
from armlab.sim.maximal import weld_data
from armlab.sim.reading import logged_joints, name_of_speed, poses_of, state_of
from armlab.sim.setpoints import Setpoints
from armlab.sim.state import Mode, SimState
from armlab.sim.step_log import StepLog
from armlab.sim.world import Ints, Wiring, World, set_holder, start_positions

FASTEST = 1e5
"""rad/s or m/s: nothing that is well moves faster."""
LONGEST_BLOCK = 256
"""Steps whose setpoints are computed together."""


class Physics:
    """A world in motion: state in `data`, and a second one, `view`, to look at without a trace in the first."""

    def __init__(self, world: World, timestep: float, *, maximal: bool) -> None:
        mj = engine()
        self.world, self.model, self.timestep, self.maximal = world, world.model, timestep, maximal
        self.data, self.view = mj.MjData(self.model), mj.MjData(self.model)
        self._kind = mj.mjtState.mjSTATE_INTEGRATION
        self._good = np.empty(mj.mj_stateSize(self.model, self._kind))
        bad = mj.mjtWarning
        self._bad = [
            int(kind) for kind in (bad.mjWARN_BADQPOS, bad.mjWARN_BADQVEL, bad.mjWARN_BADQACC, bad.mjWARN_BADCTRL)
        ]
        self._warnings, self._speeds = self.data.warning.number, self.data.qvel  # views of what the engine counts
        self._driven_by = int(self.model.opt.integrator)
        self.is_discrete = self._driven_by == int(mj.mjtIntegrator.mjINT_DISCRETE)
        self._all_motors = np.arange(self.model.nu)
        self.log: StepLog | None = None
        """Where each step is noted, if somebody wants to know."""
        self.modes: list[Mode] = ["q"] * len(world.wirings)
        self.holder = np.full(len(world.bodies), -1, dtype=np.int64)
        self._gains = [own_gains(wiring) for wiring in world.wirings]
        self._held_at: dict[int, Floats] = {}
        """Body → T_last_body in the arm that holds it."""
        self._gravity = np.array(self.model.opt.gravity)
        tied = [(k, w) for k, w in enumerate(world.wirings) if w.mechanism.is_tied(maximal)]
        self._arms = {k: arm for k, w in tied if (arm := lifted_arm(w)) is not None}
        self._lifted: list[int] = []
        """Arms of free links whose weight the drives hold, by the dynamics of the arm as it should be."""
        rows = (zip(w.motors, w.q, w.v, w.mechanism.joints, w.drives, strict=True) for w in world.wirings)
        joints = [row for arm in rows for row in arm]
        joints.sort(key=lambda row: int(row[0]))
        self._sensed, self._turning = (np.array([row[i] for row in joints], dtype=np.int64) for i in (1, 2))
        self.setpoints = Setpoints([row[3] for row in joints], [row[4] for row in joints], timestep)
        self._stiffness, self._damping, self._push = (np.zeros(self.model.nu) for _ in range(3))
        """What a motor gives is `push` minus `stiffness` times its position minus `damping` times its speed."""
        self._told = np.zeros(self.model.nu)
        """The `push` of the last step; setpoints that are not yet followed are no part of the state."""
        self.data.qpos[:] = start_positions(world)
        for k in range(len(world.wirings)):
            self.set_mode(k, "q")
            self.setpoints.put(world.wirings[k].motors, world.wirings[k].mechanism.start, np.zeros(1))
            self._power_the_hand(world.wirings[k])
        self._follow_setpoints()
        self._told[:] = self._push

    def set_mode(self, k: int, mode: Mode) -> None:
        """Let the drives of one arm follow positions, speeds or forces; by force, nothing holds the arm's weight."""
        wiring, n = self.world.wirings[k], self.world.wirings[k].mechanism.arm_dof
        motors, (stiffness, damping) = wiring.motors[:n], self._gains[k]
        if mode == "q" and self.modes[k] != "q":
            self.setpoints.put(motors, self.data.qpos[wiring.q[:n]], self.data.qvel[wiring.v[:n]])
        self.modes[k] = mode
        self._set_gains(motors, stiffness[:n] * (mode == "q"), damping[:n] * (mode != "tau"))
        self._told[motors] = self._wanted_push(self.setpoints.q, self.setpoints.qd)[motors]
        self.model.body_gravcomp[wiring.weighted] = 0.0 if mode == "tau" else 1.0
        self._lifted = [i for i in self._arms if self.modes[i] != "tau"]
        self._choose_integrator()

    def _power_the_hand(self, wiring: Wiring) -> None:
        """Fingers follow positions always."""
        n, (stiffness, damping) = wiring.mechanism.arm_dof, own_gains(wiring)
        self._set_gains(wiring.motors[n:], stiffness[n:], damping[n:])

    def _set_gains(self, motors: Ints, stiffness: Floats, damping: Floats) -> None:
        self._stiffness[motors], self._damping[motors] = stiffness, damping
        bias = self.model.actuator_biasprm
        bias[motors, 1] = 0.0 if self.is_discrete else -stiffness
        bias[motors, 2] = -damping

    def grip(self, k: int, width: float) -> None:
        """Send the fingers of one arm to that distance (m) from each other; what is between them is pressed."""
        wiring = self.world.wirings[k]
        made = wiring.mechanism
        assert made.opening is not None
        goal = min(max((made.opening - width) / 2.0, 0.0), float(made.upper[made.arm_dof]))
        self.setpoints.send(wiring.motors[made.arm_dof :][: made.finger_count], np.full(made.finger_count, goal))
        self._follow_setpoints()

    def command(self, k: int, values: Floats, speeds: Floats | None) -> None:
        """Set what one arm's drives follow, (n,), by its mode; positions with `speeds` exactly, others on a ramp."""
        wiring = self.world.wirings[k]
        motors = wiring.motors[: wiring.mechanism.arm_dof]
        if self.modes[k] == "q":
            if speeds is None:
                self.setpoints.send(motors, values)
            else:
                self.setpoints.put(motors, values, speeds)
            self._follow_setpoints()
        else:
            self.setpoints.leave(motors)
            self._push[motors] = self._damping[motors] * values if self.modes[k] == "qd" else values
            self.data.ctrl[motors] = self._told[motors] = self._push[motors]

    def _follow_setpoints(self) -> None:
        """Let the motors that follow positions be at their setpoints after the next step."""
        wanted = self._wanted_push(self.setpoints.q, self.setpoints.qd)
        self._push = np.where(self._stiffness > 0.0, wanted, self._push)
        self.data.ctrl[:] = self._push

    def _wanted_push(self, q: Floats, qd: Floats) -> Floats:
        """Return what lets motors be at `q`, moving with `qd`, after the next step: (n,) or rows of them."""
        return np.asarray(self._stiffness * (q - self.timestep * qd) + self._damping * qd)

    def step(self, n: int, first: int) -> None:
        """Advance by `n` steps; `first` is the number of the first of them.

        Raises:
            SimulationDiverged: if numbers leave all bounds; the state is then what it was before.
        """
        self._remember()
        if not self._advances(n):
            self._explain(n, first)
        self._told[:] = self._push

    def can_follow(self, arms: Sequence[int]) -> bool:
        """Tell whether these arms follow positions."""
        return all(self.modes[k] == "q" for k in arms)

    def follow(self, arms: Sequence[int], q: Floats, qd: Floats) -> bool:
        """Make a step for each row of positions and speeds (m, n) of these arms; False, with none made, if lost."""
        own = np.concatenate([w.motors[list(w.mechanism.driven)] for w in (self.world.wirings[k] for k in arms)])
        motors = own
        self._remember()
        push = self._stiffness[motors] * (q - self.timestep * qd) + self._damping[motors] * qd
        self.setpoints.put(motors, q[0], qd[0])
        if self.setpoints.moving:  # other motors are on their way: all are told at each step
            others = self._wanted_push(*self.setpoints.advance(len(q)))
            rows = np.tile(self._push, (len(q), 1))
            rows[: len(others)] = np.where(self._stiffness > 0.0, others, rows[: len(others)])
            rows[len(others) :] = rows[len(others) - 1]
            rows[:, motors] = push
            motors, push = self._all_motors, rows
        try:
            self._make_rows(motors, push)
        except engine().FatalError:
            self._forget()
            return False
        if self._is_lost():
            self._forget()
            return False
        self.setpoints.put(own, q[-1], qd[-1])
        self._told[:] = self._push
        return True

    def _make_rows(self, motors: Ints, push: Floats) -> None:
        """Make one step for each row of `push` (m, k), of these motors."""
        step, model, data, ctrl = engine().mj_step, self.model, self.data, self.data.ctrl
        fed_back = self._is_fed_back
        for row in push:
            if fed_back:
                self._push[motors] = row
                self._feed_back(data, self._push)
            else:
                ctrl[motors] = row
            step(model, data)
            if self.log is not None:
                self.log.take()
        self._push[motors] = push[-1]

    def _advances(self, n: int) -> bool:
        """Make steps and tell whether all numbers are within bounds; the engine may also refuse to compute."""
        try:
            self._advance(n)
        except engine().FatalError:
            return False
        return not self._is_lost()

    def _advance(self, n: int) -> None:
        """Make steps: while setpoints are on their way, each with its own."""
        while n > 0 and self.setpoints.moving:
            wanted = self._wanted_push(*self.setpoints.advance(min(n, LONGEST_BLOCK)))
            self._make_rows(self._all_motors, np.where(self._stiffness > 0.0, wanted, self._push))
            n -= len(wanted)
        if n > 0 and (self._is_fed_back or self.log is not None):
            self._make_rows(self._all_motors, np.broadcast_to(self._push, (n, len(self._push))))
        elif n > 0:
            engine().mj_step(self.model, self.data, n)

    @property
    def _is_fed_back(self) -> bool:
        """Whether positions are fed back here, not by the engine: where links are tied.

        The engine's own position loop is implicit with ties: it asks for the effort of the next step's position error
        before that step is made, and so runs into the effort limits.
        """
        return self.is_discrete and (bool(self._lifted) or bool(self._stiffness.any()))

    def _feed_back(self, data: Any, push: Floats) -> None:
        """Set the controls of motors whose positions are fed back here, and what holds the weight of free links."""
        pull = np.take(data.qpos, self._sensed)
        pull *= self._stiffness
        np.subtract(push, pull, out=pull)
        for k in self._lifted:
            pull[self._arms[k].motors] += self._arms[k].weight(data.qpos, self._gravity)
        data.ctrl[:] = pull

    def halt(self) -> None:
        """Take the speed from everything; positions, setpoints and what is held stay."""
        self.data.qvel[:] = self.data.qacc_warmstart[:] = 0.0

    def forget_last_step(self) -> None:
        """Let what is read and solved next begin with the present state, as at the start."""
        self.data.qacc_warmstart[:] = 0.0
        self._told[:] = self._push

    def held_by(self, k: int) -> dict[int, Floats]:
        """Return the bodies that an arm holds, and T_last_body of each."""
        return {b: T for b, T in self._held_at.items() if self.holder[b] == k}

    def numbers(self) -> Floats:
        """Return the whole state as numbers."""
        out = np.empty_like(self._good)
        engine().mj_getState(self.model, self.data, out, self._kind)
        return out

    def set_numbers(self, numbers: Floats) -> None:
        """Put back a state of `numbers`."""
        engine().mj_setState(self.model, self.data, numbers, self._kind)

    def settings(self) -> Any:
        """Return what the model itself has kept: the modes, who holds what and how."""
        pushes = np.stack([self._push, self._told])
        held = self.holder.copy(), self._held_at.copy(), list(self._gains)
        return tuple(self.modes), held, self.model.eq_data.copy(), pushes, self.setpoints.copy_to()

    def set_settings(self, settings: Any) -> None:
        """Put back what `settings` has kept."""
        modes, (holder, held_at, gains), eq_data, (push, told), points = settings
        self._held_at, self._gains = held_at.copy(), list(gains)
        for k, mode in enumerate(modes):
            self.set_mode(k, mode)
        self.model.eq_data[:], self._push[:], self._told[:] = eq_data, push, told
        self.setpoints.copy_from(points)
        for b, k in enumerate(holder):
            self._set_holder(b, int(k))

    def attach(self, k: int, b: int) -> None:
        """Let arm `k` hold body `b` where it is."""
        weld, wiring = self.world.holds[k, b], self.world.wirings[k]
        pair = np.array([wiring.links[wiring.mechanism.last], self.world.body_ids[b]])
        T_world_last, T_world_body = poses_of(self.look(), pair)
        self._held_at[b] = np.linalg.inv(T_world_last) @ T_world_body
        self.model.eq_data[weld] = weld_data(self._held_at[b])
        self.data.eq_active[weld] = True
        self._set_holder(b, k)
        self._tune(k)

    def release(self, b: int) -> None:
        """Let go of body `b`."""
        k = int(self.holder[b])
        self.data.eq_active[self.world.holds[k, b]] = False
        self._set_holder(b, -1)
        self._tune(k)

    def _tune(self, k: int) -> None:
        """Let the drives of one arm know what it holds."""
        held = [(self.world.bodies[b].inertia, T) for b, T in self.held_by(k).items()]
        self._gains[k] = gains_with(self.world.wirings[k], self.timestep, held)
        if self.modes[k] == "q":
            self.set_mode(k, "q")
            self._follow_setpoints()

    def push(self, b: int, wrench: Floats) -> None:
        """Push body `b` at its centre of mass: force and torque in the world, (6,)."""
        if self.world.bodies[b].is_fixed:
            raise InvalidInput(
                "push_fixed_body",
                _("body '{body}': it is fixed; only a body with a mass can be pushed"),
                body=self.world.bodies[b].name,
            )
        self.data.xfrc_applied[self.world.body_ids[b]] = wrench

    def turn_rate(self, b: int) -> float:
        """Return how fast a loose body turns (rad/s)."""
        return float(np.linalg.norm(self.data.qvel[int(self.model.body_dofadr[self.world.body_ids[b]]) :][3:6]))

    def look(self) -> Any:
        """Return a copy of the state in which everything that follows from it is computed.

        Motors pull as they did in the last step: by the position at its start and the speed at its end.
        """
        mj, view = engine(), self.view
        mj.mj_copyState(self.model, self.data, view, self._kind)
        push = self._told + self._stiffness * (self.timestep * view.qvel[self._turning])
        if self.is_discrete:
            self._feed_back(view, push)
        else:
            view.ctrl[:] = push
        mj.mj_forward(self.model, view)
        return view

    def logged(self, k: int, rows: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return q, qd, tau and gap of the driven joints of one arm from the rows of a `StepLog`."""
        wiring = self.world.wirings[k]
        qpos, qvel, lift, ctrl = np.split(rows, np.cumsum([self.model.nq, self.model.nv, self.model.nv]), axis=1)
        q, qd, gap = logged_joints(wiring, self.model, self.view, qpos, qvel)
        motors, v = wiring.motors, qvel[:, wiring.v]
        pull = ctrl[:, motors] - self._damping[motors] * v
        if not self.is_discrete:
            pull += lift[:, wiring.v] - self._stiffness[motors] * (qpos[:, wiring.q] - self.timestep * v)
        limits, own = np.array([drive.effort for drive in wiring.drives]), list(wiring.mechanism.driven)
        return q[:, own], qd[:, own], np.clip(pull, -limits, limits)[:, own], gap

    def log_row(self) -> Floats:
        """Return what a `StepLog` keeps of a step: the state, what holds weights up, and what was told."""
        data = self.data
        return np.concatenate([data.qpos, data.qvel, data.qfrc_gravcomp, data.ctrl])

    def unknowns(self) -> int:
        """Return the number of coordinates and of constraint rows."""
        return int(self.model.nv + self.look().nefc)

    def read(self, k: int, step: int) -> SimState:
        """Return the state of one arm and of the bodies."""
        return state_of(self, k, step)

    def _choose_integrator(self) -> None:
        """Free motion, where no drive is stiff or damped, keeps its energy with Runge and Kutta's method."""
        if self.is_discrete:
            return
        drives = zip(self.modes, self.world.wirings, strict=True)
        free = all(
            all(mode == "tau" or d.is_free for d in w.drives[: w.mechanism.arm_dof]) and w.mechanism.opening is None
            for mode, w in drives
        )
        self.model.opt.integrator = int(engine().mjtIntegrator.mjINT_RK4) if free else self._driven_by

    def _set_holder(self, b: int, k: int) -> None:
        self.holder[b] = k
        set_holder(self.world, b, k)

    def _is_lost(self) -> bool:
        if self._warnings.any() and self._warnings[self._bad].any():
            return True
        speed = self._speeds  # the sum of squares is quick to compute, and bounds the largest
        return not (speed.dot(speed) < FASTEST**2 or np.abs(speed).max(initial=0.0) < FASTEST)

    def _explain(self, n: int, first: int) -> None:
        """Go back, find the step at which the numbers were lost, and tell it; the state stays as it was before."""
        self._forget()
        lost = n - 1
        for i in range(n):
            if not self._advances(1):
                lost = i
                break
        speed = np.where(np.isfinite(self.data.qvel), np.abs(self.data.qvel), np.inf)
        who = name_of_speed(self.world, int(np.argmax(speed)))
        self._forget()
        raise SimulationDiverged(
            "simulation_diverged",
            _("step {step}: {joint} left all bounds; a shorter timestep or softer drives may help"),
            step=first + lost,
            joint=who,
        )

    def _remember(self) -> None:
        engine().mj_getState(self.model, self.data, self._good, self._kind)
        self._good_points = self._push.copy(), self.setpoints.copy_to(), 0 if self.log is None else len(self.log)

    def _forget(self) -> None:
        if self.log is not None:
            self.log.drop_after(self._good_points[2])
        self.set_numbers(self._good)
        self._push[:] = self._good_points[0]
        self.setpoints.copy_from(self._good_points[1])
        for i in self._bad:
            self.data.warning[i].number = 0
