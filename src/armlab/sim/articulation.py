"""The structure `articulation`: reduced coordinates, one number per joint; no joint can come apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.geometry.inertia import Inertia
from armlab.sim.drives import FREE, Drive
from armlab.sim.engine import HARD, compile_model, engine
from armlab.sim.mechanism import Mechanism, MechanismLink, origin, thickened


def add_tree(spec: Any, key: str, mechanism: Mechanism, drives: Sequence[Drive]) -> None:
    """Add a mechanism to a specification: bodies `key.l0`, `key.l1` …, joints `key.j0` …, motors `key.a0` …."""
    bodies = [add_base(spec, key, mechanism)]
    lifts = not mechanism.followers
    for i, part in enumerate(mechanism.parts[1:]):
        held = float(lifts and drives[i].gravity_compensation)
        body = bodies[part.parent].add_body(name=f"{key}.l{i + 1}", gravcomp=held)
        set_inertia(body, part.inertia)
        add_joint(body, f"{key}.j{i}", f"{key}.p{i}", part, drives[i], spec.option.timestep)
        add_motor(spec, f"{key}.a{i}", f"{key}.j{i}", drives[i])
        bodies.append(body)


def add_base(spec: Any, key: str, mechanism: Mechanism) -> Any:
    """Add the first part, which stands in the world, and return its body."""
    place, turn = origin(mechanism.source.base)
    return spec.worldbody.add_body(name=f"{key}.l0", pos=place, quat=turn)


def add_joint(body: Any, name: str, play: str, part: MechanismLink, drive: Drive, timestep: float) -> None:
    """Put a joint, and its gear's play where there is one, into a body that is then where the joint is at zero."""
    mj = engine()
    joint = part.joint
    assert joint is not None
    body.pos, body.quat = origin(joint.T_parent_joint)
    kind = mj.mjtJoint.mjJNT_HINGE if joint.kind == "revolute" else mj.mjtJoint.mjJNT_SLIDE
    hard = {"solref_limit": (2.0 * timestep, 1.0), "solimp_limit": HARD}
    made = body.add_joint(name=name, type=kind, axis=joint.axis, armature=drive.armature, **hard)
    made.limited, made.range = mj.mjtLimited.mjLIMITED_TRUE, (joint.lower, joint.upper)
    made.frictionloss = drive.friction
    made.actgravcomp = drive.gravity_compensation
    if np.isfinite(drive.effort):
        made.actfrclimited, made.actfrcrange = mj.mjtLimited.mjLIMITED_TRUE, (-drive.effort, drive.effort)
    if drive.backlash > 0.0:
        gear = body.add_joint(name=play, type=kind, axis=joint.axis, **hard)
        gear.limited, gear.range = mj.mjtLimited.mjLIMITED_TRUE, (-drive.backlash / 2.0, drive.backlash / 2.0)


def add_motor(spec: Any, name: str, joint: str, drive: Drive) -> None:
    """Add a motor whose force is its control value minus stiffness times position minus damping times speed."""
    mj = engine()
    motor = spec.add_actuator(name=name, target=joint, trntype=mj.mjtTrn.mjTRN_JOINT)
    motor.gaintype, motor.biastype = mj.mjtGain.mjGAIN_FIXED, mj.mjtBias.mjBIAS_AFFINE
    motor.gainprm[0] = 1.0
    motor.biasprm[:3] = (0.0, -drive.stiffness, -drive.damping)


def set_inertia(body: Any, inertia: Inertia, share: float = 1.0) -> None:
    """Give a body that share of a mass and its inertia."""
    matrix = thickened(inertia) * share
    body.mass, body.ipos, body.explicitinertial = inertia.mass * share, inertia.com, True
    body.fullinertia = (*matrix.diagonal(), matrix[0, 1], matrix[0, 2], matrix[1, 2])


def tree_mass_matrix(mechanism: Mechanism) -> Floats:
    """Return the mass matrix (n, n) of the tree of a mechanism at its start, closures left open."""
    mj = engine()
    spec = new_spec(0.001)
    add_tree(spec, "m", mechanism, [FREE] * mechanism.dof)
    model = compile_model(spec)
    data = mj.MjData(model)
    data.qpos[:] = mechanism.start
    mj.mj_kinematics(model, data)
    mj.mj_comPos(model, data)
    mj.mj_crb(model, data)
    out = np.empty((mechanism.dof, mechanism.dof))
    mj.mj_fullM(model, data, out)
    return out


def new_spec(timestep: float) -> Any:
    """Return an empty specification with the solver that holds."""
    mj = engine()
    spec = mj.MjSpec()
    spec.compiler.balanceinertia, spec.compiler.degree = True, False
    spec.option.timestep = timestep
    spec.option.solver = mj.mjtSolver.mjSOL_NEWTON
    spec.option.iterations, spec.option.tolerance = 100, 1e-10
    return spec
