"""The structure `joints`: every link is a free body with six coordinates, tied to its parent by constraints.

A joint is a shaft that turns (or slides) in the parent and that six constraint rows hold on the child. The shaft
carries half of the child's mass: the whole is the same link, and the solver sees no light body between two heavy
ones. The shaft has the motor, the friction, the limits and the counter of turns; what the constraints cannot hold
shows as a gap between shaft and link.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armlab.sim.articulation import add_base, add_joint, add_motor, set_inertia
from armlab.sim.drives import Drive
from armlab.sim.engine import HARD, SHARE, engine, tie_reference
from armlab.sim.mechanism import Mechanism, origin


def add_free_links(spec: Any, key: str, mechanism: Mechanism, drives: Sequence[Drive]) -> None:
    """Add a mechanism to a specification: links `key.l1` … with free joints `key.f1` …, shafts `key.s1` …."""
    mj = engine()
    bodies = [add_base(spec, key, mechanism)]
    frames = mechanism.frames(np.zeros(mechanism.dof))
    for i, part in enumerate(mechanism.parts[1:]):
        shaft = bodies[part.parent].add_body(name=f"{key}.s{i + 1}")
        set_inertia(shaft, part.inertia, SHARE)
        add_joint(shaft, f"{key}.j{i}", f"{key}.p{i}", part, drives[i], spec.option.timestep)
        place, turn = origin(frames[i + 1])
        link = spec.worldbody.add_body(name=f"{key}.l{i + 1}", pos=place, quat=turn)
        link.add_freejoint(name=f"{key}.f{i + 1}")
        set_inertia(link, part.inertia, 1.0 - SHARE)
        tie(spec, mj.mjtEq.mjEQ_WELD, mj.mjtObj.mjOBJ_BODY, f"{key}.s{i + 1}", f"{key}.l{i + 1}")
        add_motor(spec, f"{key}.a{i}", f"{key}.j{i}", drives[i])
        bodies.append(link)


def add_closures(spec: Any, key: str, mechanism: Mechanism, reach: float) -> None:
    """Close the chain: each pin is two points on its axis, `reach` (m) to either side, held on each other."""
    mj = engine()
    for c, closure in enumerate(mechanism.closures):
        for side, along in ((0, -reach), (1, reach)):
            names = []
            for end, link, point in (("a", closure.link_a, closure.p_a), ("b", closure.link_b, closure.p_b)):
                names.append(f"{key}.c{c}{end}{side}")
                body = spec.body(f"{key}.l{link}")
                body.add_site(name=names[-1], pos=point if closure.axis is None else point + along * closure.axis)
            if closure.axis is None and side == 1:
                continue  # one point holds a ball
            tie(spec, mj.mjtEq.mjEQ_CONNECT, mj.mjtObj.mjOBJ_SITE, *names)


def add_gear(spec: Any, first: str, second: str, *, multiplier: float = 1.0, offset: float = 0.0) -> None:
    """Let the first joint always have `multiplier` times the value of the second, plus `offset`."""
    mj = engine()
    gear = spec.add_equality(type=mj.mjtEq.mjEQ_JOINT, objtype=mj.mjtObj.mjOBJ_JOINT, name1=first, name2=second)
    gear.solimp, gear.solref = HARD, tie_reference(spec.option.timestep)
    gear.data = np.array([offset, multiplier, *np.zeros(10)])


def tie(spec: Any, kind: Any, what: Any, first: str, second: str) -> Any:
    """Add an almost rigid constraint between two bodies, at the same pose, or two sites, at the same place."""
    mj = engine()
    rope = spec.add_equality(type=kind, objtype=what, name1=first, name2=second, solimp=HARD)
    rope.solref = tie_reference(spec.option.timestep)
    if kind == mj.mjtEq.mjEQ_WELD:
        rope.data = weld_data(np.eye(4))
    return rope


def weld_data(T_first_second: Any) -> Any:
    """Return the engine's numbers for a weld that holds the second body at that pose in the first one's frame."""
    data = np.zeros(12)
    data[3:6], data[6:10] = origin(T_first_second)
    data[10] = 1.0
    return data
