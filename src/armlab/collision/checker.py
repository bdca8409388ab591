"""The checker: a scene made ready to be asked, again and again, whether arms touch anything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import Floats
from armlab.collision.answers import Contact, Distance, FirstContact, SweepReport
from armlab.collision.motions import joined
from armlab.collision.pairs import rules_of
from armlab.collision.things import Cast, Held, arrays_of, cast_of
from armlab.errors import InvalidInput
from armlab.kernels import collide, collide_distance, collide_sweep
from armlab.kernels.collide import NEVER, Model
from armlab.kernels.trig import LARGEST
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.pieces import Pieces
from armlab.motion.trajectory import Trajectory

Joints: TypeAlias = ArrayLike | Mapping[str, ArrayLike]
"""Joint values (n,) or (m, n) of one arm, or those of several by name."""

TOUCH = 1e-5
"""A motion that comes nearer than this (m) beyond the clearance may count as too near."""
DISTANCE_TOLERANCE = 1e-4
"""How exactly the least distance of a motion is known (m)."""
INTERVALS = 200_000
"""How many intervals the search for it may look at."""
LIMIT_SLACK = 1e-9
"""A joint value this much (rad or m) outside its limits is still within them."""
ORDER_SAMPLES = 128
"""Random poses by which the pairs are put in order, the likely collisions first."""


class Checker:
    """Collisions of the arms of a scene with themselves, with each other and with bodies.

    Shapes are taken as they are: nothing is made thicker or thinner. What does not move (a base and the table under it)
    is not checked against each other. Of an arm, neighbouring links are not checked, nor what else `allowed_pairs`
    finds; a pair that can never meet within the joint limits is checked outside of them only. `allowed` are further
    pairs that may touch; an arm's name stands for all its links and its tool.

    A clearance (m) is kept between an arm and bodies or other arms. Parts of one arm, and what it holds, must only not
    touch each other: many are closer than any useful clearance in every pose.

    A link goes by its name; by "robot/link" where there are several arms, or where a body has the name of a link.
    An arm that is not asked about stands at the `q` of the scene.
    """

    def __init__(self, scene: Scene, *, allowed: Iterable[tuple[str, str]] = (), attached: Iterable[Held] = ()) -> None:
        if not isinstance(scene, Scene):
            raise InvalidInput(f"scene: {scene!r:.60} is no Scene; of an arm alone, Scene.of(robot) is one")
        if not scene.robots:
            raise InvalidInput(f"scene '{scene.name}': there is no arm to check")
        self._scene, self._allowed, self._attached = scene, tuple(allowed), tuple(attached)
        self._cast = cast_of(scene, self._attached)
        self._start = np.concatenate([placed.q for placed in scene.robots])
        self._model = _ordered(arrays_of(self._cast, _pairs(self._cast, self._allowed)))

    @property
    def scene(self) -> Scene:
        """What is checked."""
        return self._scene

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of all pairs that are checked while the joints are within their limits."""
        return tuple(self._names(k) for k in range(len(self._model.pairs)) if self._model.pairs[k, 3] != NEVER)

    def with_held(self, body: str, T_tool_body: ArrayLike, *, robot: str | None = None) -> Checker:
        """Return a checker in which a body moves with the tool of an arm; it may touch that tool and the last link."""
        others = (held for held in self._attached if held.body != body)
        held = (*others, Held(body, T_tool_body, robot))
        return Checker(self._scene, allowed=self._allowed, attached=held)

    def is_free(self, q: Joints, *, clearance: float = 0.0, robot: str | None = None) -> bool | NDArray[np.bool_]:
        """Return whether nothing touches, nor is within `clearance` (m): True or False, or (m,) for rows (m, n)."""
        rows, single = self._rows(q, robot)
        out = np.empty(len(rows))
        if not collide.are_free_into(self._model, rows, _checked(clearance, "clearance"), out):
            self._refuse(rows)
        return bool(out[0]) if single else out > 0.5

    def contacts(self, q: Joints, *, robot: str | None = None) -> list[Contact]:
        """Return every pair that touches or overlaps at one configuration; none where `is_free`."""
        found = self._near(q, 0.0, robot)
        return [Contact(d.first, d.second, d.value, d.p_first, d.p_second) for d in found]

    def distance(self, q: Joints, *, robot: str | None = None) -> Distance:
        """Return the nearest pair at one configuration, be it of an arm with itself."""
        rows = self._row(q, robot)
        out = np.zeros((1, 8))
        if not collide_distance.nearest_into(self._model, rows, out):
            self._refuse(rows)
        return self._distance(out[0, 0], int(out[0, 1]), out[0, 2:])

    def min_distance(self, q: Joints, *, robot: str | None = None) -> float | Floats:
        """Return the least distance over all pairs (m), or (m,) for rows (m, n)."""
        rows, single = self._rows(q, robot)
        out = np.zeros((len(rows), 8))
        if not collide_distance.nearest_into(self._model, rows, out):
            self._refuse(rows)
        return float(out[0, 0]) if single else out[:, 0].copy()

    def distances(self, q: Joints, *, within: float = 0.1, robot: str | None = None) -> list[Distance]:
        """Return all pairs that are no farther than `within` (m) apart at one configuration, the nearest first."""
        return self._near(q, _checked(within, "within"), robot)

    def sweep(
        self,
        trajectory: Trajectory | Mapping[str, Trajectory],
        *,
        clearance: float = 0.0,
        robot: str | None = None,
    ) -> SweepReport:
        """Check a whole motion of one arm, or motions of several by name that start together.

        Intervals of time are halved until each is proved free by how far anything can get in it, so that nothing can
        pass unseen between samples. A motion that comes within `clearance` + 0.01 mm may count as not free.
        """
        room = _checked(clearance, "clearance")
        motions = trajectory if isinstance(trajectory, Mapping) else {self._placed(robot): trajectory}
        if not motions:
            raise InvalidInput("trajectory: no motion was given")
        asked = next(iter(motions))
        columns = {self._index(name): motion for name, motion in motions.items()}
        for arm, motion in columns.items():
            if not isinstance(motion, Trajectory):
                raise InvalidInput(f"sweep: {motion!r:.60} is no Trajectory")
            if motion.dof != self._robots[arm].dof:
                who = self._robots[arm]
                raise InvalidInput(f"{who.name}: a trajectory of {motion.dof} joints does not fit {who.dof}")
        curve = joined(self._start, self._cast.offsets, columns)
        whole = self._model, curve.breaks, curve.coefficients
        when, pair = collide_sweep.first_contact(*whole, self._stays_inside(curve), room, TOUCH)
        first = None if pair < 0 else self._first_contact(when, int(pair), curve, asked)
        points = np.full(6, math.nan)
        least, least_time, least_pair = collide_sweep.least_distance(*whole, DISTANCE_TOLERANCE, INTERVALS, points)
        return SweepReport(first is None, room, first, self._distance(least, least_pair, points), least_time)

    @property
    def _robots(self) -> tuple[Robot, ...]:
        return self._cast.robots

    def _placed(self, name: str | None) -> str:
        return self._scene.robot(name).name

    def _index(self, name: str | None) -> int:
        return self._cast.names.index(self._placed(name))

    def _names(self, pair: int) -> tuple[str, str]:
        e, o = self._model.pairs[pair, :2]
        return self._cast.things[e].name, self._cast.things[o].name

    def _rows(self, q: Joints, robot: str | None) -> tuple[Floats, bool]:
        """Return rows (m, all joints of all arms), and whether a single one was asked about."""
        if not isinstance(q, Mapping):
            arm = self._index(robot)
            rows, single = self._robots[arm]._rows(q)
            if len(self._robots) == 1:
                return rows, single
            given = {arm: rows}
        else:
            checked = {self._index(name): self._robots[self._index(name)]._rows(values) for name, values in q.items()}
            given, single = {arm: rows for arm, (rows, _) in checked.items()}, all(one for _, one in checked.values())
        counts = {len(rows) for rows in given.values() if len(rows) != 1} or {1}
        if len(counts) > 1:
            raise InvalidInput(f"q: the arms have different numbers of rows: {', '.join(map(str, sorted(counts)))}")
        whole = np.tile(self._start, (counts.pop(), 1))
        for arm, rows in given.items():
            whole[:, self._cast.offsets[arm] : self._cast.offsets[arm + 1]] = rows
        return whole, single

    def _row(self, q: Joints, robot: str | None) -> Floats:
        rows, single = self._rows(q, robot)
        if not single:
            raise InvalidInput(f"q: {len(rows)} rows were given; this asks about one configuration")
        return rows

    def _refuse(self, rows: Floats) -> None:
        for arm, robot in enumerate(self._robots):
            part = np.ascontiguousarray(rows[:, self._cast.offsets[arm] : self._cast.offsets[arm + 1]])
            if not (np.abs(part) <= LARGEST).all():
                robot._refuse(part)

    def _near(self, q: Joints, within: float, robot: str | None) -> list[Distance]:
        rows = self._row(q, robot)
        out = np.empty((len(self._model.pairs), 7))
        if not collide_distance.near_into(self._model, rows[0], within, out):
            self._refuse(rows)
        order = np.argsort(out[:, 0], kind="stable")
        return [self._distance(out[k, 0], int(k), out[k, 1:]) for k in order if out[k, 0] < math.inf]

    def _distance(self, value: float, pair: int, points: Floats) -> Distance:
        if pair < 0:
            return Distance(math.inf, "", "", np.full(3, math.nan), np.full(3, math.nan))
        return Distance(float(value), *self._names(pair), points[:3].copy(), points[3:].copy())

    def _stays_inside(self, curve: Pieces) -> bool:
        extremes = curve.extremes()
        above = extremes.low >= self._model.lower - LIMIT_SLACK
        return bool((above & (extremes.high <= self._model.upper + LIMIT_SLACK)).all())

    def _first_contact(self, when: float, pair: int, curve: Pieces, asked: str) -> FirstContact:
        q = np.ascontiguousarray(curve.values([when])[0, 0])
        out = np.empty((len(self._model.pairs), 7))
        collide_distance.near_into(self._model, q, math.inf, out)
        arm = self._index(asked)
        own = q[self._cast.offsets[arm] : self._cast.offsets[arm + 1]].copy()
        found = self._distance(out[pair, 0], pair, out[pair, 1:])
        return FirstContact(float(when), own, found.first, found.second, found.value, found.p_first, found.p_second)


def _checked(value: float, who: str) -> float:
    if not (isinstance(value, int | float | np.floating | np.integer) and value >= 0.0 and math.isfinite(value)):
        raise InvalidInput(f"{who}: {value} m is not zero or more")
    return float(value)


def _pairs(cast: Cast, allowed: Iterable[tuple[str, str]]) -> list[tuple[int, int, bool]]:
    """Return the pairs of things that are to be checked, and whether they never meet within the limits."""
    free: set[tuple[int, int]] = set()
    for names in allowed:
        if isinstance(names, str) or len(names) != 2:
            raise InvalidInput(f"allowed: {names!r} is not a pair of names")
        free |= {(max(i, j), min(i, j)) for i in cast.indices(names[0]) for j in cast.indices(names[1])}
    pairs = []
    for i, one in enumerate(cast.things):
        for j, other in enumerate(cast.things[:i]):
            if one.frame == other.frame or (i, j) in free:
                continue
            reason = None
            if one.arm == other.arm and one.link >= 0 and other.link >= 0:
                reason = rules_of(cast.robots[one.arm]).get((other.link, one.link))
            if reason in {None, "never meet"}:
                pairs.append((i, j, reason is not None))
    return pairs


def _ordered(model: Model) -> Model:
    """Return the model with the pairs that meet most often in random poses first: a collision is then found soon."""
    lower, upper = np.maximum(model.lower, -math.pi), np.minimum(model.upper, math.pi)
    lower, upper = np.minimum(lower, model.upper), np.maximum(upper, model.lower)
    rows = np.random.default_rng(0).uniform(lower, upper, (ORDER_SAMPLES, len(lower)))
    met = np.empty(len(model.pairs))
    collide_sweep.meetings_into(model, rows, met)
    return model._replace(pairs=np.ascontiguousarray(model.pairs[np.argsort(-met, kind="stable")]))
