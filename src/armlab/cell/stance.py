"""Where arm and bodies stand: what a project's file holds besides the project, so that it opens as it was saved."""

from __future__ import annotations

from armlab.cell.companion import Companion
from armlab.cell.project import ArmStance, Project, Stance
from armlab.cell.setup import Setup, build_setup
from armlab.geometry import pose
from armlab.model.joint_units import from_joint_units, joint_scales
from armlab.model.robot import Robot
from armlab.sim.state import SimState
from armlab.units import DEG_PER_RAD, MM_PER_M

DIGITS = 6


def stance_of(robot: Robot, state: SimState, movable: frozenset[str], others: tuple[Companion, ...] = ()) -> Stance:
    """Return where the arms and the `movable` bodies stand, in mm and degrees."""
    frames = {}
    for name, T in state.bodies.items():
        if name in movable:
            x, y, z = (T[:3, 3] * MM_PER_M).round(DIGITS).tolist()
            a, b, c = (pose.as_abc(T) * DEG_PER_RAD).round(DIGITS).tolist()
            frames[name] = (x, y, z, a, b, c)
    arms = {other.name: ArmStance(q=_q(other.robot, other.state), held=_held(other.state)) for other in others}
    return Stance(q=_q(robot, state), bodies=frames, held=_held(state), others=arms)


def build_at(project: Project, stance: Stance) -> Setup:
    """Return a setup as it stood; joint values of another arm and bodies that are not there count for nothing.

    Raises:
        ArmlabError: if it cannot be built.
    """
    setup = build_setup(project)
    robots = {setup.name: setup.robot} | {other.name: other.robot for other in setup.others}
    stood: dict[str, ArmStance] = {**stance.others, setup.name: stance}
    fitting = {name: arm for name, arm in stood.items() if name in robots and len(arm.q) == robots[name].dof}
    joints = {name: from_joint_units(robots[name], arm.q) for name, arm in fitting.items()}
    names = {body.name for body in setup.scene.bodies if not body.is_fixed}
    places = {name: pose.from_mm_deg(frame) for name, frame in stance.bodies.items() if name in names}
    setup = build_setup(project, joints.get(setup.name), places, joints)
    for name, arm in fitting.items():
        if arm.held in places:
            setup.simulation.attach(arm.held, name)
    return setup


def _q(robot: Robot, state: SimState) -> tuple[float, ...]:
    return tuple((state.q / joint_scales(robot.joints)).round(DIGITS).tolist())


def _held(state: SimState) -> str | None:
    return state.held[0] if state.held else None
