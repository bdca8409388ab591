"""A scene as a MuJoCo model, built from armlab's own values only, and where everything is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.model.scene import FRICTION, Body
from armlab.model.wrist import wrist_pairs
from armlab.sim.articulation import add_tree, new_spec, set_inertia
from armlab.sim.drives import Drive
from armlab.sim.engine import engine
from armlab.sim.geoms import GeomMaker, Surface, robot_surface
from armlab.sim.maximal import add_closures, add_free_links, add_gear, tie
from armlab.sim.mechanism import Mechanism, check_mass, origin
from armlab.units import MM_PER_M

Ints = NDArray[np.int64]
Contacts = Literal["all", "none"]

PENETRATION = 1e-4
"""m: things may be this far inside each other at the start."""
STICK = 50.0
"""How much harder friction holds than contacts press: what is gripped does not creep."""
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
    """Return the scene as a model; with contacts, links of an arm that touch at home may always touch.

    Raises:
        InvalidInput: if things are inside each other at the start.
    """
    spec = new_spec(timestep)
    spec.option.gravity = gravity
    for k, (mechanism, own) in enumerate(zip(mechanisms, drives, strict=True)):
        (add_free_links if maximal else add_tree)(spec, f"m{k}", mechanism, own)
        add_closures(spec, f"m{k}", mechanism, REACH)
        if mechanism.opening is not None:
            add_gear(spec, f"m{k}.j{mechanism.arm_dof}", f"m{k}.j{mechanism.arm_dof + 1}")
    _add_bodies(spec, bodies)
    _add_holds(spec, mechanisms, bodies)
    if contacts == "all":
        _add_geoms(spec, mechanisms, bodies, timestep)
    _choose_integrator(spec, maximal=maximal)
    world = _wired(spec.compile(), mechanisms, drives, bodies, maximal=maximal)
    touching = _touching_at_home(world)
    if touching:
        for first, second in touching:
            spec.add_exclude(bodyname1=first, bodyname2=second)
        world = _wired(spec.compile(), mechanisms, drives, bodies, maximal=maximal)
    _check_start(world)
    return world


def start_positions(world: World, *, at_home: bool = False) -> Floats:
    """Return the coordinates of the whole model at the start, or with the arms at home."""
    qpos = np.array(world.model.qpos0)
    for wiring in world.wirings:
        q = wiring.mechanism.home if at_home else wiring.mechanism.start
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
            check_mass(body.inertia.mass, f"body '{body.name}'")
            made.add_freejoint(name=f"b{b}.f")
            set_inertia(made, body.inertia)


def _add_holds(spec: Any, mechanisms: Sequence[Mechanism], bodies: Sequence[Body]) -> None:
    mj = engine()
    for k, mechanism in enumerate(mechanisms):
        for b, body in enumerate(bodies):
            if not body.is_fixed:
                weld = tie(spec, mj.mjtEq.mjEQ_WELD, mj.mjtObj.mjOBJ_BODY, f"m{k}.l{mechanism.last}", f"b{b}")
                weld.name, weld.active = f"w{k}.{b}", False


def _add_geoms(spec: Any, mechanisms: Sequence[Mechanism], bodies: Sequence[Body], timestep: float) -> None:
    maker = GeomMaker(spec, timestep)
    for k, mechanism in enumerate(mechanisms):
        for i, part in enumerate(mechanism.parts):
            maker.add(spec.body(f"m{k}.l{i}"), part.shapes, robot_surface(k, FRICTION))
            if part.parent >= 0:
                spec.add_exclude(bodyname1=f"m{k}.l{part.parent}", bodyname2=f"m{k}.l{i}")
        for i, j in wrist_pairs(mechanism.source) if isinstance(mechanism.source, Robot) else ():
            spec.add_exclude(bodyname1=f"m{k}.l{i}", bodyname2=f"m{k}.l{j}")
        for c in mechanism.closures:
            spec.add_exclude(bodyname1=f"m{k}.l{c.link_a}", bodyname2=f"m{k}.l{c.link_b}")
    for b, body in enumerate(bodies):
        maker.add(spec.body(f"b{b}"), body.shapes, Surface(body.friction, belt=body.belt))


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
    loose = [b for b, body in enumerate(bodies) if not body.is_fixed]
    body_q = np.full(len(bodies), -1, dtype=np.int64)
    body_q[loose] = [model.joint(f"b{b}.f").qposadr[0] for b in loose]
    holds = {(k, b): int(model.equality(f"w{k}.{b}").id) for k in range(len(mechanisms)) for b in loose}
    return World(model, tuple(wirings), tuple(bodies), _ints(ids), body_q, holds, owners)


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
        weighted=_ints(links[1:] if drives[0].gravity_compensation and not maximal else []),
    )


def _touching_at_home(world: World) -> list[tuple[str, str]]:
    """Return the pairs of links of one arm that touch at home."""
    touching = set()
    for _, _, first, second in _overlaps(world, at_home=True, deeper_than=0.0):
        (arm, _), (other, _) = world.owners[first], world.owners[second]
        if arm == other >= 0:
            touching.add((world.model.body(first).name, world.model.body(second).name))
    return sorted(touching)


def _check_start(world: World) -> None:
    deepest = max(_overlaps(world, at_home=False, deeper_than=PENETRATION), default=None)
    if deepest is not None:
        depth, _, first, second = deepest
        raise InvalidInput(
            f"'{world.owners[first][1]}' and '{world.owners[second][1]}' are {depth * MM_PER_M:.3g} mm inside each "
            f"other at the start; {PENETRATION * MM_PER_M:g} mm are allowed"
        )


def _overlaps(world: World, *, at_home: bool, deeper_than: float) -> list[tuple[float, int, int, int]]:
    """Return (depth, contact, body, body) of what is inside each other."""
    mj, model = engine(), world.model
    data = mj.MjData(model)
    data.qpos[:] = start_positions(world, at_home=at_home)
    mj.mj_kinematics(model, data)
    mj.mj_comPos(model, data)
    mj.mj_collision(model, data)
    found = []
    for c in range(data.ncon):
        depth = -float(data.contact.dist[c])
        if depth > deeper_than:
            first, second = (int(model.geom_bodyid[g]) for g in data.contact.geom[c])
            found.append((depth, c, first, second))
    return found


def _ints(values: object) -> Ints:
    return np.array(values, dtype=np.int64)
