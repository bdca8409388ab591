"""Putting arms and bodies of a simulation somewhere else, at once: states that no motion has led to."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.joint_limits import check_joint_limits
from armlab.model.robot import Robot
from armlab.sim.hierarchy import Hierarchy
from armlab.sim.mechanism import Mechanism, origin
from armlab.sim.physics import Physics
from armlab.sim.world import check_overlaps

STEP = 1e-6
"""s: how far two states of a loop are apart from which its speeds are taken."""

ArmStates = Mapping[str, tuple[ArrayLike, ArrayLike | None]]
"""Positions and, where they are not at rest, speeds (n,) of the driven joints of arms."""


def _checked_state(made: Mechanism, q: ArrayLike, qd: ArrayLike | None) -> tuple[Floats, Floats]:
    """Return positions and speeds that the driven joints of an arm can have.

    Raises:
        InvalidInput: if they cannot be used.
        NotSupported: for a closed chain, whose other joints nothing tells.
    """
    if not isinstance(made.source, Robot):
        text = _("{robot}: a closed chain cannot be put into another state; start it there")
        raise NotSupported("closed_chain_not_placed", text, robot=made.name)
    n = len(made.driven)
    values = as_floats(q, (n,), f"{made.name}: q")
    check_joint_limits(made.source, values, made.name)
    return values, np.zeros(n) if qd is None else as_floats(qd, (n,), f"{made.name}: qd")


def _checked_places(core: Hierarchy | Physics, bodies: Mapping[str, ArrayLike]) -> dict[int, Floats]:
    """Return where loose bodies are put, T_world_body by index.

    Raises:
        UnknownName: if there is no such body.
        InvalidInput: if a pose cannot be used, or the body is fixed or held.
    """
    known = core.bodies if isinstance(core, Hierarchy) else core.world.bodies
    names = [body.name for body in known]
    out = {}
    for name, T in bodies.items():
        if name not in names:
            raise UnknownName("simulated_body", name, names)
        b = names.index(name)
        if known[b].is_fixed:
            raise InvalidInput("fixed_body_not_placed", _("body '{body}': it is fixed, and stays there"), body=name)
        if core.holder[b] >= 0:
            raise InvalidInput("held_body_not_placed", _("body '{body}': an arm holds it; release it first"), body=name)
        out[b] = pose.as_one_pose(T, f"body '{name}'")
    return out


def place(
    core: Hierarchy | Physics,
    mechanisms: tuple[Mechanism, ...],
    arms: Mapping[int, tuple[ArrayLike, ArrayLike | None]],
    bodies: Mapping[str, ArrayLike],
) -> None:
    """Put arms and bodies into another state; what an arm holds goes with it, and bodies are at rest.

    Arms that follow positions are told to stay where they are put.

    Raises:
        InvalidInput, UnknownName, NotSupported: if they cannot be there; the state may then be half changed.
    """
    states = {k: _checked_state(mechanisms[k], *state) for k, state in arms.items()}
    places = _checked_places(core, bodies)
    if states or places:
        _place(core, mechanisms, states, places)


def _place(
    core: Hierarchy | Physics,
    mechanisms: tuple[Mechanism, ...],
    arms: Mapping[int, tuple[Floats, Floats]],
    bodies: Mapping[int, Floats],
) -> None:
    if isinstance(core, Hierarchy):
        for k, (q, qd) in arms.items():
            core.q[k], core.qd[k] = q.copy(), qd.copy()
            if core.modes[k] == "q":
                core.target[k] = q.copy()
        for b, T in bodies.items():
            core.places[b] = T
        return
    for k, (q, qd) in arms.items():
        _place_arm(core, k, mechanisms[k], q, qd)
    for b, T in bodies.items():
        _place_body(core, b, T)
    core.forget_last_step()
    moved = {b for b in range(len(core.holder)) if core.holder[b] in arms} | set(bodies)
    ids = {int(core.world.body_ids[b]) for b in moved}
    ids |= {body for body, (k, _name) in core.world.owners.items() if k in arms}
    core.view.qpos[:] = core.data.qpos
    check_overlaps(core.world, core.view, frozenset(ids))


def _place_arm(core: Physics, k: int, made: Mechanism, q: Floats, qd: Floats) -> None:
    wiring, data = core.world.wirings[k], core.data
    values = _joints_at(made, q, data.qpos[wiring.q])
    # a loop's speeds follow from the arm's: dq_loop/dt, by a central difference along the motion
    ahead, behind = (_joints_at(made, q + side * STEP * qd, values) for side in (1.0, -1.0))
    speeds = (ahead - behind) / (2.0 * STEP)
    law = made.coupling
    speeds[: made.arm_dof] = qd if law is None else law.expand_rates(qd)
    speeds[made.arm_dof : made.arm_dof + made.finger_count] = 0.0
    data.qpos[wiring.q], data.qvel[wiring.v] = values, speeds
    for _joint, at, v in wiring.play:
        data.qpos[at] = data.qvel[v] = 0.0
    frames = made.frames(values)
    if len(wiring.free_q):
        twists = _twists(made, frames, speeds)
        for i, at in enumerate(wiring.free_q):
            v, T = int(core.model.body_dofadr[wiring.links[i + 1]]), frames[i + 1]
            data.qpos[at : at + 3], data.qpos[at + 3 : at + 7] = origin(T)
            data.qvel[v : v + 3], data.qvel[v + 3 : v + 6] = twists[i + 1, 3:], T[:3, :3].T @ twists[i + 1, :3]
    for b, T_last_body in core.held_by(k).items():
        _place_body(core, b, frames[made.last] @ T_last_body)
    if core.modes[k] == "q":
        core.command(k, values[: made.arm_dof], np.zeros(made.arm_dof))


def _place_body(core: Physics, b: int, T: Floats) -> None:
    at, v = int(core.world.body_q[b]), int(core.model.body_dofadr[core.world.body_ids[b]])
    core.data.qpos[at : at + 3], core.data.qpos[at + 3 : at + 7] = origin(T)
    core.data.qvel[v : v + 6] = 0.0


def _joints_at(made: Mechanism, q: Floats, now: Floats) -> Floats:
    """Return all joint values of a mechanism whose driven joints are at `q`; its fingers stay as they are."""
    robot, law = made.source, made.coupling
    assert isinstance(robot, Robot)
    out = np.array(now)
    out[: made.arm_dof] = q if law is None else law.expand(q)
    if robot.loops is not None and made.closures:
        links = robot.frames(q)[: made.arm_dof + 1]
        out[made.arm_dof + made.finger_count :] = robot.loops.closed(links, made.name)
    return out


def _twists(made: Mechanism, frames: Floats, speeds: Floats) -> Floats:
    """Return angular and linear velocity (parts, 6) in the world of every part's frame.

    ω = ω_parent + a·q̇ of a revolute joint; v = v_parent + ω_parent × (p − p_parent) + a·q̇ of a prismatic one.
    """
    out = np.zeros((len(frames), 6))
    for i, part in enumerate(made.parts[1:], start=1):
        up, axis = part.parent, frames[i, :3, :3] @ made.axes[i - 1]
        out[i, :3] = out[up, :3]
        out[i, 3:] = out[up, 3:] + np.cross(out[up, :3], frames[i, :3, 3] - frames[up, :3, 3])
        half = slice(0, 3) if made.revolute[i - 1] else slice(3, 6)
        out[i, half] += axis * speeds[i - 1]
    return out
