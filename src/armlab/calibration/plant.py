"""A real arm as a plant: a simulation that is commanded as the nominal arm and moves as the real one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.calibration.arm import RealArm
from armlab.calibration.carrying import holding
from armlab.calibration.servo import Servo
from armlab.calibration.static_pose import loads_on, real_chain, real_joints, real_robot
from armlab.errors import UnknownName
from armlab.geometry import pose
from armlab.model.scene import PlacedRobot, Scene
from armlab.program.simulated import Simulate
from armlab.sim.drive_choice import choose_drives
from armlab.sim.drives import Drive
from armlab.sim.given import Grasp, checked_timestep
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimSnapshot, SimState, Structure


class RealSimulation(Simulation):
    """A simulation in which some arms are real: commands go through their servos, states say where links really are.

    Positions are commanded as the nominal controller counts them; what is read are the joints and frames of the real
    arm. Speeds and forces alone are handed on as they are. Contacts are those of the real geometry without bending.

    Args:
        scene: arms and bodies at the start; the arms as drawn.
        reals: the real arms by their names in the scene.
        structure: as for `Simulation`.
        timestep: s.
        grasp: as for `Simulation`.

    Raises:
        UnknownName: if no arm of the scene has such a name.
    """

    def __init__(
        self,
        scene: Scene,
        reals: Mapping[str, RealArm],
        structure: Structure = "articulation",
        *,
        timestep: float = 0.001,
        grasp: Grasp = "exact",
    ) -> None:
        names = [arm.name for arm in scene.robots]
        for name in reals:
            if name not in names:
                raise UnknownName("scene_robot", name, names, owner=scene.name)
        timestep = checked_timestep(timestep)
        gravity = np.array(scene.gravity)
        self._reals = {name: replace(real, nominal=scene.robot(name).robot) for name, real in reals.items()}
        self._wanted: dict[str, tuple[Floats, Floats]] = {}
        self._carrying = dict(self._reals)
        self._scene_bodies = {body.name: body for body in scene.bodies}
        self._servos, self._gravity = {}, gravity
        arms = tuple(_as_real(arm, self._reals.get(arm.name), gravity) for arm in scene.robots)
        drives: dict[str, tuple[Drive, ...]] = {}
        for name, real in self._reals.items():
            chosen = choose_drives(real_robot(real), timestep)
            drives[name] = tuple(
                replace(drive, friction=joint.friction.coulomb)
                for drive, joint in zip(chosen, real.joints, strict=True)
            )
            stiffness = np.array([drive.stiffness for drive in chosen])
            self._servos[name] = Servo(real, np.array(scene.robot(name).q), timestep, stiffness, gravity)
        physical = None if structure == "hierarchy" else drives
        super().__init__(replace(scene, robots=arms), structure, timestep=timestep, drives=physical, grasp=grasp)

    def command(
        self,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        robot: str | None = None,
    ) -> None:
        """Tell an arm where to be, as the nominal controller counts; see `Simulation.command`."""
        name = self.robots[self._index(robot)]
        if q is None or tau is not None or name not in self._servos:
            self._wanted.pop(name, None)
            super().command(q, qd, tau, robot=robot)
            return
        n = self._reals[name].dof
        speeds = np.zeros(n) if qd is None else as_floats(qd, (n,), f"{name}: qd")
        self._wanted[name] = as_floats(q, (n,), f"{name}: q"), speeds

    def step(self, n: int = 1) -> None:
        """Advance by `n` steps; the servos of real arms take their commands once in each."""
        if not self._wanted:
            super().step(n)
            return
        for _step in range(n):
            for name, (q, qd) in self._wanted.items():
                super().command(*self._servos[name].follow(q, qd), robot=name)
            super().step()

    def follow(self, q: ArrayLike, qd: ArrayLike, *, robot: str | None = None) -> None:
        """Make one step for each row of `q` and `qd` (m, n)."""
        name = self.robots[self._index(robot)]
        if name not in self._servos:
            super().follow(q, qd, robot=robot)
            return
        n = self._reals[name].dof
        rows, speeds = as_floats(q, (None, n), f"{name}: q"), as_floats(qd, (None, n), f"{name}: qd")
        for row, speed in zip(rows, speeds, strict=True):
            self.command(q=row, qd=speed, robot=robot)
            self.step()

    def state(self, robot: str | None = None) -> SimState:
        """Return where an arm really is; its frames also bend and have grown warm."""
        state, name = super().state(robot), self.robots[self._index(robot)]
        real = self._reals.get(name)
        if real is None:
            return state
        q = state.q[None, : real.dof].copy()
        loads = loads_on(self._carrying[name], q, self._gravity)
        poses = real_chain(real, q, loads, time=self._servos[name].state.time)
        return replace(state, frames=np.concatenate([poses.moved[:, 0], poses.tool]))

    def attach(self, body: str, robot: str | None = None) -> None:
        """Let an arm hold a loose body; a real one then sags under its mass, too."""
        super().attach(body, robot)
        name = self.robots[self._index(robot)]
        if name in self._reals:
            state, nominal = super().state(robot), self._reals[name].nominal
            T_flange_body = pose.inverse(state.frames[nominal.dof] @ nominal.flange) @ state.bodies[body]
            self._carry(name, holding(self._carrying[name], self._scene_bodies[body], T_flange_body))

    def release(self, robot: str | None = None) -> tuple[str, ...]:
        """Let an arm go of all that it holds; return the names."""
        name = self.robots[self._index(robot)]
        if name in self._reals:
            self._carry(name, self._reals[name])
        return super().release(robot)

    def _carry(self, name: str, real: RealArm) -> None:
        self._carrying[name] = real
        self._servos[name].carry(real)

    def snapshot(self) -> SimSnapshot:
        """Return all that is needed to go on from here."""
        kept = super().snapshot()
        servos = {name: servo.state for name, servo in self._servos.items()}
        return replace(kept, settings=(kept.settings, servos, dict(self._wanted), dict(self._carrying)))

    def restore(self, snapshot: SimSnapshot) -> None:
        """Go back to a snapshot of this simulation."""
        if not isinstance(snapshot, SimSnapshot) or snapshot.owner is not self._token:
            super().restore(snapshot)  # says what is wrong with it
            return
        plain, servos, wanted, carrying = snapshot.settings
        super().restore(replace(snapshot, settings=plain))
        self._wanted = dict(wanted)
        for name, state in servos.items():
            self._servos[name].state = state
            self._carry(name, carrying[name])


def _as_real(arm: PlacedRobot, real: RealArm | None, gravity: Floats) -> PlacedRobot:
    if real is None:
        return arm
    robot = real_robot(real)
    q = np.clip(real_joints(real, arm.q, gravity=gravity), robot.lower, robot.upper)
    return PlacedRobot(arm.name, robot, q, arm.arm_file, arm.tool_file)


def simulate_as(reals: Mapping[str, RealArm]) -> Simulate:
    """Return what makes simulations in which the arms of these names are real, for `armlab.program.run`."""

    def simulate(scene: Scene, structure: Structure, *, timestep: float, grasp: Grasp) -> Simulation:
        return RealSimulation(scene, reals, structure, timestep=timestep, grasp=grasp)

    return simulate
