"""Stepping and reading a MuJoCo model: what the structures `articulation` and `joints` share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput, SimulationDiverged
from armlab.messages import _
from armlab.model.linkage import Linkage
from armlab.sim.engine import engine
from armlab.sim.lifted import lifted_arm
from armlab.sim.loads import gains_with, own_gains
from armlab.sim.maximal import weld_data
from armlab.sim.reading import closure_gaps, contacts, joint_gaps, joint_values, largest_gap, name_of_speed, poses_of
from armlab.sim.setpoints import Setpoints
from armlab.sim.state import ArmRow, Energy, Mode, SimState
from armlab.sim.world import Ints, Wiring, World, set_holder, start_positions

FASTEST = 1e5
"""rad/s or m/s: nothing that is well moves faster."""


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
        self._is_discrete = self._driven_by == int(mj.mjtIntegrator.mjINT_DISCRETE)
        self._names = tuple(body.name for body in world.bodies)
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
        self._told[motors] = self._wanted_push()[motors]
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
        bias[motors, 1] = 0.0 if self._is_discrete else -stiffness
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
            self.setpoints.on_the_way[motors] = False
            self._push[motors] = self._damping[motors] * values if self.modes[k] == "qd" else values
            self.data.ctrl[motors] = self._told[motors] = self._push[motors]

    def _follow_setpoints(self) -> None:
        """Let the motors that follow positions be at their setpoints after the next step."""
        self._push = np.where(self._stiffness > 0.0, self._wanted_push(), self._push)
        self.data.ctrl[:] = self._push

    def _wanted_push(self) -> Floats:
        points = self.setpoints
        return np.asarray(self._stiffness * (points.q - self.timestep * points.qd) + self._damping * points.qd)

    def step(self, n: int, first: int) -> None:
        """Advance by `n` steps; `first` is the number of the first of them.

        Raises:
            SimulationDiverged: if numbers leave all bounds; the state is then what it was before.
        """
        mj = engine()
        mj.mj_getState(self.model, self.data, self._good, self._kind)
        self._good_points = self._push.copy(), self.setpoints.copy_to()
        if not self._advances(n):
            self._explain(n, first)
        self._told[:] = self._push

    def can_follow(self, arms: Sequence[int]) -> bool:
        """Tell whether these arms follow positions, and no other motor is on its way somewhere."""
        return all(self.modes[k] == "q" for k in arms) and not self.setpoints.moving

    def follow(self, arms: Sequence[int], q: Floats, qd: Floats) -> bool:
        """Make a step for each row of positions and speeds (m, n) of these arms; False, with none made, if lost."""
        mj, own = engine(), [w.motors[: w.mechanism.arm_dof] for w in (self.world.wirings[k] for k in arms)]
        motors = own[0] if len(own) == 1 else np.concatenate(own)
        mj.mj_getState(self.model, self.data, self._good, self._kind)
        self._good_points = self._push.copy(), self.setpoints.copy_to()
        push = self._stiffness[motors] * (q - self.timestep * qd) + self._damping[motors] * qd
        try:
            self._make_rows(motors, push)
        except mj.FatalError:
            self._forget()
            return False
        self._push[motors] = push[-1]
        if self._is_lost():
            self._forget()
            return False
        self.setpoints.put(motors, q[-1], qd[-1])
        self._told[:] = self._push
        return True

    def _make_rows(self, motors: Ints, push: Floats) -> None:
        """Make one step for each row of `push` (m, n)."""
        mj, fed_back, ctrl = engine(), self._is_discrete, self.data.ctrl
        for row in push:
            ctrl[motors] = row
            if fed_back:
                self._push[motors] = row
                self._make_steps(1)
            else:
                mj.mj_step(self.model, self.data)

    def _advances(self, n: int) -> bool:
        """Make steps and tell whether all numbers are within bounds; the engine may also refuse to compute."""
        try:
            self._advance(n)
        except engine().FatalError:
            return False
        return not self._is_lost()

    def _advance(self, n: int) -> None:
        """Make steps, one by one while setpoints are on their way."""
        while n > 0 and self.setpoints.moving:
            self.setpoints.advance()
            self._follow_setpoints()
            self._make_steps(1)
            n -= 1
        if n > 0:
            self._make_steps(n)

    def _make_steps(self, n: int) -> None:
        """Make steps with the same setpoints; where links are tied, positions are fed back here, not by the engine.

        The engine's own position loop is implicit with ties: it asks for the effort of the next step's position error
        before that step is made, and so runs into the effort limits.
        """
        mj, model, data = engine(), self.model, self.data
        if not self._is_discrete or not (self._lifted or self._stiffness.any()):
            mj.mj_step(model, data, n)
            return
        for _step in range(n):
            self._feed_back(data, self._push)
            mj.mj_step(model, data)

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
        held = [(self.world.bodies[b].inertia, T) for b, T in self._held_at.items() if self.holder[b] == k]
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
        if self._is_discrete:
            self._feed_back(view, push)
        else:
            view.ctrl[:] = push
        mj.mj_forward(self.model, view)
        return view

    def efforts(self, k: int) -> Floats:
        """Return what the motors of an arm, all of its joints', gave in the last step (n,)."""
        wiring, data = self.world.wirings[k], self.data
        motors, v, q = wiring.motors, data.qvel[wiring.v], data.qpos[wiring.q]
        pull = data.ctrl[motors] - self._damping[motors] * v
        if not self._is_discrete:
            pull += data.qfrc_gravcomp[wiring.v] - self._stiffness[motors] * (q - self.timestep * v)
        limits = np.array([drive.effort for drive in wiring.drives])
        return np.asarray(np.clip(pull, -limits, limits))

    def row(self, k: int) -> ArmRow:
        """Return what the driven joints of one arm do now."""
        mj, wiring = engine(), self.world.wirings[k]
        mj.mj_kinematics(self.model, self.data)
        q, qd, _qdd, _motor_q = joint_values(wiring, self.data)
        own = list(wiring.mechanism.driven)
        return ArmRow(q[own], qd[own], self.efforts(k)[own], largest_gap(wiring, self.data))

    def unknowns(self) -> int:
        """Return the number of coordinates and of constraint rows."""
        return int(self.model.nv + self.look().nefc)

    def read(self, k: int, step: int) -> SimState:
        """Return the state of one arm and of the bodies."""
        mj, look, wiring = engine(), self.look(), self.world.wirings[k]
        n, own = wiring.mechanism.arm_dof, wiring.mechanism.shown
        q, qd, qdd, motor_q = joint_values(wiring, look)
        if self._is_discrete and self.modes[k] != "tau":  # where dampers are solved for, that of the last step
            qdd = joint_values(wiring, look, look.qacc_warmstart)[2]
        frames = poses_of(look, wiring.links[: n + 1])
        if not isinstance(wiring.mechanism.source, Linkage):
            frames = np.concatenate([frames, wiring.mechanism.tool_frame(frames[-1])[None]])
        mj.mj_energyPos(self.model, look)
        mj.mj_energyVel(self.model, look)
        return SimState(
            time=step * self.timestep,
            step=step,
            q=q[own],
            qd=qd[own],
            qdd=qdd[own],
            tau=np.array(look.qfrc_actuator[wiring.v[own]]),
            motor_q=motor_q[own],
            frames=frames,
            joint_gaps=joint_gaps(wiring, look)[own],
            closure_gaps=closure_gaps(wiring, look),
            contacts=contacts(self.world, look),
            energy=Energy(float(look.energy[1]), float(look.energy[0])),
            bodies=dict(zip(self._names, poses_of(look, self.world.body_ids), strict=True)) if self._names else {},
            held=tuple(body.name for b, body in enumerate(self.world.bodies) if self.holder[b] == k),
            width=wiring.mechanism.width(q),
        )

    def _choose_integrator(self) -> None:
        """Free motion, where no drive is stiff or damped, keeps its energy with Runge and Kutta's method."""
        if self._is_discrete:
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
            "diverged",
            _("step {step}: {joint} left all bounds; a shorter timestep or softer drives may help"),
            step=first + lost,
            joint=who,
        )

    def _forget(self) -> None:
        self.set_numbers(self._good)
        self._push[:] = self._good_points[0]
        self.setpoints.copy_from(self._good_points[1])
        for i in self._bad:
            self.data.warning[i].number = 0
