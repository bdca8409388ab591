"""A scene as a MuJoCo model, built from armlab's own values only, and where everything is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.collision.pairs import excluded_pairs, touching_at_home
from armlab.errors import InvalidInput
from armlab.messages import _, term
from armlab.model.robot import Robot
from armlab.model.scene import FRICTION, Body
from armlab.sim.articulation import add_tree, new_spec, set_inertia
from armlab.sim.bounds import check_mass
from armlab.sim.drives import Drive
from armlab.sim.engine import compile_model, engine, reason_of
from armlab.sim.geoms import EVERYTHING, GeomMaker, Owner, Surface, held_masks, robot_surface
from armlab.sim.maximal import add_closures, add_free_links, add_gear, tie
from armlab.sim.mechanism import Mechanism, origin
from armlab.units import MM_PER_M

Ints = NDArray[np.int64]
Contacts = Literal["all", "none"]

PENETRATION = 1e-4
"""m: things may be this far inside each other at the start."""
STICK = 50.0
"""How much harder friction holds than contacts press: what is gripped does not creep."""
SWITCHED_OFF = -1e3
"""m: the margin of contacts that do not count."""
REACH = 0.02
"""m: the two points of a closing pin are this far from its middle."""


@dataclass(frozen=True, slots=True, eq=False)
class Wiring:
    """Where one mechanism is in the model: indices of bodies, coordinates, speeds and motors."""

    mechanism: Mechanism
    drives: tuple[Drive, ...]
    links: Ints
    """Bodies of all parts."""
    shafts: Ints
    """Bodies that the joints move: the links themselves, or the shafts."""
    q: Ints
    v: Ints
    play: tuple[tuple[int, int, int], ...]
    """Joint, coordinate and speed of each gear's play."""
    motors: Ints
    free_q: Ints
    """First coordinates of free links, (n,) or empty."""
    pins: Ints
    """The sites (k, 4) of each closure: a and b on one side, a and b on the other."""
    weighted: Ints
    """Bodies whose weight the engine lets the drives hold."""


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """A compiled model with its wiring."""

    model: Any
    wirings: tuple[Wiring, ...]
    bodies: tuple[Body, ...]
    body_ids: Ints
    body_q: Ints
    """First coordinates of loose bodies, -1 for fixed ones."""
    holds: dict[tuple[int, int], int]
    """(arm, body) → the weld by which the arm can hold the body."""
    frictions: dict[tuple[int, int], Ints]
    """(arm, body) → their contacts that are written out for their friction; -1 where no arm is in them."""
    owners: dict[int, tuple[int, str]]
    """Body of the model → (arm, or -1, and the name that people know)."""


def build_world(
    mechanisms: Sequence[Mechanism],
    drives: Sequence[tuple[Drive, ...]],
    bodies: Sequence[Body],
    gravity: Floats,
    *,
    maximal: bool,
    timestep: float,
    contacts: Contacts,
) -> World:
    """Return the scene as a model; with contacts, except between links that may touch.

    Raises:
        InvalidInput: if things are inside each other at the start.
    """
    spec = new_spec(timestep)
    spec.option.gravity = gravity
    for k, (mechanism, own) in enumerate(zip(mechanisms, drives, strict=True)):
        (add_free_links if maximal else add_tree)(spec, f"m{k}", mechanism, own)
        add_closures(spec, f"m{k}", mechanism, REACH)
        for _joint, place, leader, multiplier, offset in mechanism.followers:
            ends = f"m{k}.j{place}", f"m{k}.j{mechanism.driven[leader]}"
            add_gear(spec, *ends, multiplier=multiplier, offset=offset)
        for finger in mechanism.fingers[1:]:
            add_gear(spec, f"m{k}.j{mechanism.arm_dof}", f"m{k}.j{finger - 1}")
    _add_bodies(spec, bodies)
    _add_holds(spec, mechanisms, bodies)
    frictions = _add_geoms(spec, mechanisms, bodies, timestep) if contacts == "all" else {}
    _choose_integrator(spec, maximal=maximal)
    model = compile_model(spec)
    written = {key: _ints([model.pair(name).id for name in names]) for key, names in frictions.items()}
    world = _wired(model, mechanisms, drives, bodies, written, maximal=maximal)
    data = engine().MjData(model)
    data.qpos[:] = start_positions(world)
    check_overlaps(world, data)
    return world


def set_holder(world: World, b: int, arm: int) -> None:
    """Let a body touch everything but the arm that holds it; -1 where none does."""
    kind, meets = (EVERYTHING, EVERYTHING) if arm < 0 else held_masks(arm)
    own = world.model.geom_bodyid == world.body_ids[b]
    world.model.geom_contype[own], world.model.geom_conaffinity[own] = kind, meets
    for (other, body), contacts in world.frictions.items():
        if body == b and other >= 0:
            world.model.pair_margin[contacts] = SWITCHED_OFF if other == arm else 0.0


def start_positions(world: World) -> Floats:
    """Return the coordinates of the whole model at the start."""
    qpos = np.array(world.model.qpos0)
    for wiring in world.wirings:
        q = wiring.mechanism.start
        qpos[wiring.q] = q
        if len(wiring.free_q):
            for at, T in zip(wiring.free_q, wiring.mechanism.frames(q)[1:], strict=True):
                qpos[at : at + 3], qpos[at + 3 : at + 7] = origin(T)
    return qpos


def _add_bodies(spec: Any, bodies: Sequence[Body]) -> None:
    for b, body in enumerate(bodies):
        place, turn = origin(body.T_world_body)
        made = spec.worldbody.add_body(name=f"b{b}", pos=place, quat=turn)
        if not body.is_fixed:
            check_mass(body.inertia.mass, term(_("body '{body}'"), body=body.name))
            made.add_freejoint(name=f"b{b}.f")
            set_inertia(made, body.inertia)


def _add_holds(spec: Any, mechanisms: Sequence[Mechanism], bodies: Sequence[Body]) -> None:
    mj = engine()
    for k, mechanism in enumerate(mechanisms):
        for b, body in enumerate(bodies):
            if not body.is_fixed:
                weld = tie(spec, mj.mjtEq.mjEQ_WELD, mj.mjtObj.mjOBJ_BODY, f"m{k}.l{mechanism.last}", f"b{b}")
                weld.name, weld.active = f"w{k}.{b}", False


def _add_geoms(
    spec: Any, mechanisms: Sequence[Mechanism], bodies: Sequence[Body], timestep: float
) -> dict[tuple[int, int], list[str]]:
    maker = GeomMaker(spec, timestep)
    for k, mechanism in enumerate(mechanisms):
        carriers = _carriers(spec, f"m{k}", mechanism)
        for (i, name), carrier in carriers.items():
            part = mechanism.parts[i]
            who = term(_("{robot}: link '{link}'"), robot=mechanism.name, link=part.name)
            own = tuple(shape for shape in part.shapes if shape.part == name)
            maker.add(spec.body(carrier), own, robot_surface(k, FRICTION), Owner(k, -1, is_fixed=i == 0), who)
        for one, other in _parts_that_may_touch(mechanism, carriers):
            spec.add_exclude(bodyname1=one, bodyname2=other)
    for b, body in enumerate(bodies):
        who = term(_("body '{body}'"), body=body.name)
        owner = Owner(-1, b, is_fixed=body.is_fixed)
        maker.add(spec.body(f"b{b}"), body.shapes, Surface(body.friction, belt=body.belt), owner, who)
    return maker.add_frictions()


def _carriers(spec: Any, key: str, mechanism: Mechanism) -> dict[tuple[int, str], str]:
    """Return the body for the shapes of each part of each link: what is fixed to a link has one of its own.

    The engine leaves out contacts by pairs of bodies; a hand may touch what its link may not, and the other way round.
    """
    found = {}
    for i, part in enumerate(mechanism.parts):
        found[i, ""] = f"{key}.l{i}"
        for n, name in enumerate(dict.fromkeys(shape.part for shape in part.shapes if shape.part)):
            found[i, name] = spec.body(f"{key}.l{i}").add_body(name=f"{key}.l{i}.{n}").name
    return found


def _parts_that_may_touch(mechanism: Mechanism, carriers: dict[tuple[int, str], str]) -> set[tuple[str, str]]:
    """Return pairs of bodies: what is excluded or touches at home; fingers are the tool's, and touch its palm."""
    robot = mechanism.source
    assert isinstance(robot, Robot)  # nothing touches in a closed chain
    fingers = [carriers[finger, ""] for finger in mechanism.fingers]
    links = {link.name: i for i, link in enumerate(robot.links)}
    bodies = {name: [carriers[i, ""]] for name, i in links.items()}
    bodies |= {name: [carrier] for (_i, name), carrier in carriers.items() if name}
    bodies["tool"] = [*bodies.get("tool", ()), *fingers]
    palm = [carrier for (i, _name), carrier in carriers.items() if i == mechanism.last]
    pairs = {(one, finger) for one in palm for finger in fingers}
    for first, second in (*excluded_pairs(robot), *touching_at_home(robot)):
        pairs |= {(one, other) for one in bodies[first] for other in bodies[second]}
    return pairs


def _choose_integrator(spec: Any, *, maximal: bool) -> None:
    """Ties need the integrator that solves them together with the motors; without ties the faster one will do."""
    mj = engine()
    tied = maximal or len(spec.equalities) > 0
    spec.option.integrator = mj.mjtIntegrator.mjINT_DISCRETE if tied else mj.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mj.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = STICK
    spec.option.disableflags |= int(mj.mjtDisableBit.mjDSBL_AUTORESET)


def _wired(
    model: Any,
    mechanisms: Sequence[Mechanism],
    drives: Sequence[tuple[Drive, ...]],
    bodies: Sequence[Body],
    frictions: dict[tuple[int, int], Ints],
    *,
    maximal: bool,
) -> World:
    owners: dict[int, tuple[int, str]] = {}
    wirings = []
    for k, (mechanism, own) in enumerate(zip(mechanisms, drives, strict=True)):
        wiring = _wire(model, f"m{k}", mechanism, own, maximal=maximal)
        for body, part in zip(wiring.links, mechanism.parts, strict=True):
            owners[int(body)] = (k, f"{mechanism.name}: {part.name}")
        wirings.append(wiring)
    ids = [model.body(f"b{b}").id for b in range(len(bodies))]
    for at, body in zip(ids, bodies, strict=True):
        owners[int(at)] = (-1, body.name)
    for body in range(model.nbody):  # what is fixed to a link belongs to it
        parent = int(model.body_parentid[body])
        if body not in owners and parent in owners:
            owners[body] = owners[parent]
    loose = [b for b, body in enumerate(bodies) if not body.is_fixed]
    body_q = np.full(len(bodies), -1, dtype=np.int64)
    body_q[loose] = [model.joint(f"b{b}.f").qposadr[0] for b in loose]
    holds = {(k, b): int(model.equality(f"w{k}.{b}").id) for k in range(len(mechanisms)) for b in loose}
    return World(model, tuple(wirings), tuple(bodies), _ints(ids), body_q, holds, frictions, owners)


def _wire(model: Any, key: str, mechanism: Mechanism, drives: tuple[Drive, ...], *, maximal: bool) -> Wiring:
    n = mechanism.dof
    joints = [model.joint(f"{key}.j{i}") for i in range(n)]
    links = [model.body(f"{key}.l{i}").id for i in range(n + 1)]
    shafts = [model.body(f"{key}.s{i + 1}").id for i in range(n)] if maximal else links[1:]
    gears = [(i, model.joint(f"{key}.p{i}")) for i in range(n) if drives[i].backlash > 0.0]
    free = [model.joint(f"{key}.f{i + 1}").qposadr[0] for i in range(n)] if maximal else []
    pins = [
        [model.site(f"{key}.c{c}{end}{side}").id for side in (0, 1) for end in "ab"]
        for c in range(len(mechanism.closures))
    ]
    return Wiring(
        mechanism,
        drives,
        links=_ints(links),
        shafts=_ints(shafts),
        q=_ints([joint.qposadr[0] for joint in joints]),
        v=_ints([joint.dofadr[0] for joint in joints]),
        play=tuple((i, int(gear.qposadr[0]), int(gear.dofadr[0])) for i, gear in gears),
        motors=_ints([model.actuator(f"{key}.a{i}").id for i in range(n)]),
        free_q=_ints(free),
        pins=_ints(pins).reshape(-1, 4),
        weighted=_ints(links[1:] if drives[0].gravity_compensation and not mechanism.is_tied(maximal) else []),
    )


def check_overlaps(world: World, data: Any, moved: frozenset[int] | None = None) -> None:
    """Raise InvalidInput if two things are inside each other in `data`: any, or with `moved` one of those bodies."""
    mj, model = engine(), world.model
    try:
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_collision(model, data)
    except mj.FatalError as error:
        raise InvalidInput(
            "not_simulable", _("this scene cannot be simulated; MuJoCo says: {reason}"), reason=reason_of(error)
        ) from None
    found = []
    for c in range(data.ncon):
        depth = -float(data.contact.dist[c])
        first, second = (int(model.geom_bodyid[g]) for g in data.contact.geom[c])
        if depth > PENETRATION and (moved is None or first in moved or second in moved):
            found.append((depth, c, first, second))
    if found:
        depth, _contact, first, second = max(found)
        raise InvalidInput(
            "overlap_at_start",
            _("'{first}' and '{second}' overlap by {depth:.3g} mm at the start; {allowed:g} mm are allowed"),
            first=world.owners[first][1],
            second=world.owners[second][1],
            depth=depth * MM_PER_M,
            allowed=PENETRATION * MM_PER_M,
        )


def _ints(values: object) -> Ints:
    return np.array(values, dtype=np.int64)
