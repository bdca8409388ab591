"""Reading a MuJoCo state: joint values, efforts, gaps and contacts of one mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armlab.arrays import Floats
from armlab.messages import Message, _, term
from armlab.model.linkage import Linkage
from armlab.sim.engine import TIE, engine
from armlab.sim.state import Energy, SimContact, SimState
from armlab.sim.world import Wiring, World

if TYPE_CHECKING:
    from armlab.sim.physics import Physics


def state_of(core: Physics, k: int, step: int) -> SimState:
    """Return the state of one arm and of the bodies."""
    mj, look, world = engine(), core.look(), core.world
    wiring = world.wirings[k]
    n, own = wiring.mechanism.arm_dof, wiring.mechanism.shown
    q, qd, qdd, motor_q = joint_values(wiring, look)
    if core.is_discrete and core.modes[k] != "tau":  # where dampers are solved for, that of the last step
        qdd = joint_values(wiring, look, look.qacc_warmstart)[2]
    frames = poses_of(look, wiring.links[: n + 1])
    if not isinstance(wiring.mechanism.source, Linkage):
        frames = np.concatenate([frames, wiring.mechanism.tool_frame(frames[-1])[None]])
    mj.mj_energyPos(core.model, look)
    mj.mj_energyVel(core.model, look)
    names = [body.name for body in world.bodies]
    return SimState(
        time=step * core.timestep,
        step=step,
        q=q[own],
        qd=qd[own],
        qdd=qdd[own],
        tau=np.array(look.qfrc_actuator[wiring.v[own]]),
        motor_q=motor_q[own],
        frames=frames,
        joint_gaps=joint_gaps(wiring, look)[own],
        closure_gaps=closure_gaps(wiring, look),
        contacts=contacts(world, look),
        energy=Energy(float(look.energy[1]), float(look.energy[0])),
        bodies=dict(zip(names, poses_of(look, world.body_ids), strict=True)) if names else {},
        held=tuple(name for b, name in enumerate(names) if core.holder[b] == k),
        width=wiring.mechanism.width(q),
    )


def joint_values(wiring: Wiring, look: Any, qacc: Any = None) -> tuple[Floats, Floats, Floats, Floats]:
    """Return q, qd, qdd of the links of one arm, and q of its motors, (n,) each; `qacc` if it is not that of `look`."""
    qacc = look.qacc if qacc is None else qacc
    q, qd, qdd = np.array(look.qpos[wiring.q]), np.array(look.qvel[wiring.v]), np.array(qacc[wiring.v])
    motor_q = q.copy()
    for i, at, v in wiring.play:
        q[i] += look.qpos[at]
        qd[i] += look.qvel[v]
        qdd[i] += qacc[v]
    if len(wiring.free_q):
        q += _slips(wiring, look)
    return q, qd, qdd, motor_q


def logged_joints(wiring: Wiring, model: Any, view: Any, qpos: Floats, qvel: Floats) -> tuple[Floats, Floats, Floats]:
    """Return q and qd of the links of one arm, (m, n) each, and its largest gap (m,), from rows of the whole state.

    `view` is a state to compute in: where links are free or chains closed, every row's poses are needed.
    """
    if len(wiring.free_q) or len(wiring.pins):
        q, qd, gap = np.empty((len(qpos), len(wiring.q))), np.empty((len(qpos), len(wiring.v))), np.empty(len(qpos))
        for i in range(len(qpos)):
            view.qpos[:], view.qvel[:] = qpos[i], qvel[i]
            engine().mj_kinematics(model, view)
            q[i], qd[i], _qdd, _motor_q = joint_values(wiring, view)
            gap[i] = max(gaps.max(initial=0.0) for gaps in (joint_gaps(wiring, view), closure_gaps(wiring, view)))
        return q, qd, gap
    q, qd = qpos[:, wiring.q], qvel[:, wiring.v]
    for i, at, v in wiring.play:
        q[:, i] += qpos[:, at]
        qd[:, i] += qvel[:, v]
    return q, qd, np.zeros(len(qpos))


def joint_gaps(wiring: Wiring, look: Any) -> Floats:
    """Return how far each joint has come apart (m): the worse of two points on its axis, 5 cm from its origin.

    What the joint itself may do, a turn about its axis or a shift along it, is no gap.
    """
    if not len(wiring.free_q):
        return np.zeros(len(wiring.shafts))
    shafts, links, made = wiring.shafts, wiring.links[1:], wiring.mechanism
    offset = look.xpos[shafts] - look.xpos[links]
    axes = np.einsum("kij,kj->ki", look.xmat[shafts].reshape(-1, 3, 3), made.axes)
    along = np.where(made.revolute, 0.0, np.einsum("ki,ki->k", axes, offset))
    offset -= along[:, None] * axes
    tilt = TIE * (axes - np.einsum("kij,kj->ki", look.xmat[links].reshape(-1, 3, 3), made.axes))
    return np.asarray(np.maximum(*(np.linalg.norm(offset + side * tilt, axis=1) for side in (-1.0, 1.0))))


def closure_gaps(wiring: Wiring, look: Any) -> Floats:
    """Return how far the two ends of each closing pin are apart (m)."""
    if not len(wiring.pins):
        return np.zeros(0)
    pins = look.site_xpos[wiring.pins].reshape(-1, 2, 2, 3)
    return np.asarray(np.linalg.norm(pins[:, :, 0] - pins[:, :, 1], axis=-1).max(axis=1, initial=0.0))


def contacts(world: World, look: Any) -> tuple[SimContact, ...]:
    """Return all that touches."""
    mj, out, wrench = engine(), [], np.zeros(6)
    for c in range(look.ncon):
        contact = look.contact[c]
        mj.mj_contactForce(world.model, look, c, wrench)
        first, second = (world.owners[int(world.model.geom_bodyid[g])][1] for g in contact.geom)
        point, normal = np.array(contact.pos), np.array(contact.frame[:3])
        out.append(SimContact(first, second, point, normal, -float(contact.dist), float(wrench[0])))
    return tuple(out)


def _slips(wiring: Wiring, look: Any) -> Floats:
    """Return how much further along its joint each link is than the shaft that it is tied to, (n,)."""
    shafts, links, made = wiring.shafts, wiring.links[1:], wiring.mechanism
    R_shaft, R_link = look.xmat[shafts].reshape(-1, 3, 3), look.xmat[links].reshape(-1, 3, 3)
    R = np.einsum("kji,kjl->kil", R_shaft, R_link)
    turn = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    shift = np.einsum("kji,kj->ki", R_shaft, look.xpos[links] - look.xpos[shafts])
    moved = np.where(made.revolute[:, None], turn, shift)
    return np.asarray(np.einsum("ki,ki->k", made.axes, moved))


def poses_of(look: Any, bodies: Any) -> Floats:
    """Return T_world_body of bodies of the model, (m, 4, 4)."""
    T = np.zeros((len(bodies), 4, 4))
    T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = look.xmat[bodies].reshape(-1, 3, 3), look.xpos[bodies], 1.0
    return T


def name_of_speed(world: World, v: int) -> Message:
    """Return whose the speed with the index `v` is: a joint's or a body's."""
    body = int(world.model.dof_bodyid[v])
    for wiring in world.wirings:
        for i, joint in enumerate(wiring.mechanism.joints):
            if body in {int(wiring.shafts[i]), int(wiring.links[i + 1])}:
                return term(_("{robot}: joint '{joint}'"), robot=wiring.mechanism.name, joint=joint.name)
    return term(_("body '{body}'"), body=world.owners[body][1])
