"""What can be measured anywhere in a simulated world: motion, wrenches and distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.forces import GRAVITY
from armlab.errors import UnknownName
from armlab.geometry import pose
from armlab.kernels.sensing import imu
from armlab.kinematics.carried import frame_on_chain
from armlab.model.robot import Robot
from armlab.sim.engine import engine
from armlab.sim.hierarchy import Hierarchy, no_forces
from armlab.sim.physics import Physics
from armlab.sim.reading import poses_of
from armlab.sim.state import SimState

if TYPE_CHECKING:
    from armlab.sim.simulation import Simulation


class FrameMotion(NamedTuple):
    """How a frame that is fixed on a link or body moves at one time."""

    T_world: Floats
    """(4, 4)."""
    velocity: Floats
    """Of its origin in the world, (3,) m/s."""
    angular_rate: Floats
    """In the frame itself, (3,) rad/s."""
    specific_force: Floats
    """What an accelerometer there reads: Rᵀ (a − g), (3,) m/s² in the frame itself."""


class SimProbe:
    """Measures in one state of a simulation; all that the engine has to compute for it is computed once."""

    def __init__(self, simulation: Simulation, core: Hierarchy | Physics) -> None:
        self.simulation, self._core, self._look = simulation, core, None
        self._states: dict[str | None, SimState] = {}

    @property
    def time(self) -> float:
        """The simulation's (s)."""
        return self.simulation.time

    def state(self, robot: str | None = None) -> SimState:
        """Return the state of an arm."""
        if robot not in self._states:
            self._states[robot] = self.simulation.state(robot)
        return self._states[robot]

    def motion(self, where: str, T_where_frame: Floats, robot: str | None = None) -> FrameMotion:
        """Return how a frame moves that is fixed on a link of an arm, on its "tool", or on a body of the scene.

        The engine's accelerations start with −g at the world, so that they are specific forces. In a hierarchy,
        which has no forces, a link moves as the joints' speeds say, and these do not change.

        Raises:
            UnknownName: if there is no such link or body.
            NotSupported: if the structure has no accelerations of it.
        """
        if isinstance(self._core, Hierarchy):
            return self._carried(where, T_where_frame, robot)
        self._measured()
        return self._motion(*self._place(where, T_where_frame, robot))

    def body_motion(self, body: str, T_body_frame: Floats) -> FrameMotion:
        """Return the same of a frame on a body of the scene, also where a link has the body's name.

        Raises:
            UnknownName: if there is no such body.
            NotSupported: if the structure has no accelerations.
        """
        physics, _look = self._measured()
        names = [one.name for one in physics.world.bodies]
        if body not in names:
            raise UnknownName("simulated_body", body, names)
        return self._motion(int(physics.world.body_ids[names.index(body)]), T_body_frame)

    def _carried(self, link: str, T_link_frame: Floats, robot: str | None) -> FrameMotion:
        """Return how a frame on a link moves by the motion of the joints alone."""
        assert isinstance(self._core, Hierarchy)
        k, now, row = self._index(robot), self.state(robot), np.empty((1, imu.WIDTH))
        source = self._core.mechanisms[k].source
        if not isinstance(source, Robot) or link not in source.frame_names:
            raise no_forces()
        moved_by, frame = frame_on_chain(source, link, T_link_frame)
        q, rates, chain = now.q[None].copy(), np.array([now.qd, now.qdd]), source.uncoupled.chain
        if (law := source.coupling) is not None:
            q, rates = law.expand(q), law.expand_rates(rates)
        imu.motion_into(
            chain.constants, chain.revolute, frame, moved_by, np.array(GRAVITY), q, rates[:1], rates[1:], row
        )
        turn, place, velocity = row[0, imu.TURN : imu.PLACE], row[0, imu.PLACE : imu.SPEED], row[0, imu.SPEED :]
        T = pose.from_xyz_quaternion(place, turn)
        return FrameMotion(T, velocity, row[0, imu.GYRO : imu.ACC], row[0, imu.ACC : imu.TURN])

    def _motion(self, body: int, T_body_frame: Floats) -> FrameMotion:
        physics, look = self._measured()
        velocity, acceleration = np.empty(6), np.empty(6)
        kind = engine().mjtObj.mjOBJ_XBODY
        engine().mj_objectVelocity(physics.model, look, kind, body, velocity, 0)
        if (physics.holder[physics.world.body_ids == body] >= 0).any():
            acceleration = _last_acceleration(physics, look, body)
        else:
            engine().mj_objectAcceleration(physics.model, look, kind, body, acceleration, 0)
        T = _pose(look, body) @ T_body_frame
        r, w, al = T[:3, 3] - look.xpos[body], velocity[:3], acceleration[:3]
        turning = _cross(w, r)
        f = acceleration[3:] + _cross(al, r) + _cross(w, turning)
        R = T[:3, :3]
        return FrameMotion(T, velocity[3:] + turning, R.T @ w, R.T @ f)

    def touching(self, where: str, robot: str | None = None) -> str:
        """Return how contacts name a link of an arm, the one with its "tool", or a body.

        Raises:
            UnknownName: if there is no such link or body.
            NotSupported: if the structure has no forces.
        """
        physics, _look = self._measured()
        return physics.world.owners[self._place(where, np.eye(4), robot)[0]][1]

    def flange_wrench(self, robot: str | None = None) -> Floats:
        """Return the wrench (6,), force (N) then torque (N m), that the last joint puts on the last link.

        In the frame of the flange, about its origin. At rest it is the opposite of the weight of all behind that joint.
        """
        physics, look = self._measured()
        wiring = physics.world.wirings[self._index(robot)]
        body = int(wiring.links[wiring.mechanism.last])
        source = wiring.mechanism.source
        T = _pose(look, body) @ (source.flange if isinstance(source, Robot) else np.eye(4))
        about = look.subtree_com[int(physics.model.body_rootid[body])]  # where the engine takes its spatial forces
        torque, force = look.cfrc_int[body][:3], look.cfrc_int[body][3:]
        R = T[:3, :3]
        return np.concatenate([R.T @ force, R.T @ (torque + np.cross(about - T[:3, 3], force))])

    def distance(self, where: str, T_where_frame: Floats, directions: Floats, robot: str | None = None) -> Floats:
        """Return how far (m) the first surface is along `directions` (k, 3) of a frame; inf where there is none.

        The link or body that the frame is fixed on is not seen.
        """
        physics, look = self._measured()
        body, T_body_frame = self._place(where, T_where_frame, robot)
        T = _pose(look, body) @ T_body_frame
        origin, hit = np.ascontiguousarray(T[:3, 3]), np.full(1, -1, dtype=np.int32)
        out = np.empty(len(directions))
        for i, direction in enumerate(directions @ T[:3, :3].T):
            at = engine().mj_ray(
                physics.model, look, origin, direction / np.linalg.norm(direction), None, True, body, hit
            )
            out[i] = at if at >= 0.0 else np.inf
        return out

    def _measured(self) -> tuple[Physics, Any]:
        if not isinstance(self._core, Physics):
            raise no_forces()
        if self._look is None:
            self._look = self._core.look()
            engine().mj_rnePostConstraint(self._core.model, self._look)
        return self._core, self._look

    def _place(self, where: str, T_where_frame: Floats, robot: str | None) -> tuple[int, Floats]:
        """Return the body of the model that a frame is fixed on, and the frame in it."""
        assert isinstance(self._core, Physics)
        world = self._core.world
        wiring = world.wirings[self._index(robot)]
        made = wiring.mechanism
        links, bodies = [part.name for part in made.parts], [body.name for body in world.bodies]
        if where in links:
            return int(wiring.links[links.index(where)]), T_where_frame
        if where == "tool":
            return int(wiring.links[made.last]), made.tool_frame(np.eye(4)) @ T_where_frame
        if where in bodies:
            return int(world.body_ids[bodies.index(where)]), T_where_frame
        raise UnknownName("link", where, (*links, "tool", *bodies), owner=made.name)

    def _index(self, robot: str | None) -> int:
        return 0 if robot is None else self.simulation.robots.index(robot)


def _pose(look: Any, body: int) -> Floats:
    return np.asarray(poses_of(look, [body])[0])


def _last_acceleration(physics: Physics, look: Any, body: int) -> Floats:
    """Return angular acceleration and specific force (6,) in the world of a loose body that is held, in the last step.

    The weld also pulls back what the arm's drives, which the engine takes as implicit, have moved away from the body
    in that step: with the accelerations of the present state, this would be counted twice.
    """
    first = int(physics.model.body_dofadr[body])
    qacc = physics.data.qacc_warmstart[first : first + 6]
    return np.concatenate([_pose(look, body)[:3, :3] @ qacc[3:], qacc[:3] - physics.model.opt.gravity])


def _cross(a: Floats, b: Floats) -> Floats:
    """Return a × b, (3,) each; numpy's, which is made for arrays of vectors, takes ten times as long for two."""
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])
