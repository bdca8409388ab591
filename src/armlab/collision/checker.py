"""The checker: a scene made ready to be asked, again and again, whether arms touch anything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import Floats
from armlab.collision.answers import Contact, Distance, FirstContact, SweepReport
from armlab.collision.checked_pairs import rule_of, sorted_pairs, with_proofs
from armlab.collision.collision_objects import Held, collision_objects_of
from armlab.collision.motions import expanded, joined
from armlab.collision.object_arrays import arrays_of, packed
from armlab.collision.overlap import frames_at, placed_parts, way_out
from armlab.collision.pair_order import ordered
from armlab.collision.pairs import AllowedPair, rules_of
from armlab.collision.straight import StraightMotions
from armlab.errors import InvalidInput
from armlab.kernels.collision import check as collide
from armlab.kernels.collision import distance as collide_distance
from armlab.kernels.collision import edge as collide_edge
from armlab.kernels.collision import sweep as collide_sweep
from armlab.kernels.collision.check import NEVER, CollisionModel, Packed
from armlab.kernels.jit import DirectCall
from armlab.kernels.trig import LARGEST
from armlab.messages import _
from armlab.model.coupling import chain_values
from armlab.model.joint_limits import outside_limits
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.trajectory import Trajectory
from armlab.threads import map_slices

Joints: TypeAlias = ArrayLike | Mapping[str, ArrayLike]
"""Joint values (n,) or (m, n) of one arm, or those of several by name."""

TOUCH = 1e-5
"""A motion that comes nearer than this (m) beyond the clearance may count as too near."""
DISTANCE_TOLERANCE = 1e-4
"""How exactly the least distance of a motion is known (m)."""
INTERVALS = 200_000
"""How many intervals the search for it may look at."""
THREADED_ROWS = 1000
"""From so many rows on, a batch runs on all cores."""
THREADED_MOTIONS = 50
"""From so many motions on, a batch of them does."""
ROWS_WORTH_PROOFS = 2000
"""From so many rows on, it pays to prove of more pairs that they never meet."""

_is_free = DirectCall(collide.is_free, collide.Packed(np.zeros(0), np.zeros(5, np.int64)), np.zeros(0), 0.0)


class Checker:
    """Collisions of the arms of a scene with themselves, with each other and with bodies.

    Shapes are taken as they are: nothing is made thicker or thinner. What does not move (a base and the table under it)
    is not checked against each other. Of an arm, adjacent links are not checked, nor what its `pair_rules` exclude; a
    pair that is proved never to meet within the joint limits is checked outside of them only. `allowed` are further
    pairs that may touch, `compared` are pairs that are checked though a rule or `allowed` excludes them; an arm's name
    stands for all its links and its tool. `left_out` lists what is not checked, and why.

    A clearance (m) is kept between an arm and bodies or other arms. Parts of one arm, and what it holds, must only not
    touch each other: many are closer than any useful clearance in every pose.

    A link goes by its name; by "robot/link" where there are several arms, or where a body has the name of a link.
    An arm that is not asked about stands at the `q` of the scene.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        allowed: Iterable[tuple[str, str]] = (),
        compared: Iterable[tuple[str, str]] = (),
        attached: Iterable[Held] = (),
    ) -> None:
        if not isinstance(scene, Scene):
            raise InvalidInput(
                "not_a_scene",
                _("scene: expected a Scene, got {given}; Scene.of(robot) makes one"),
                given=f"{scene!r:.60}",
            )
        if not scene.robots:
            raise InvalidInput("scene_without_robot", _("scene '{scene}': it has no robot"), scene=scene.name)
        self._scene, self._allowed, self._compared = scene, tuple(allowed), tuple(compared)
        self._attached = tuple(attached)
        self._objects = collision_objects_of(scene, self._attached)
        self._start = np.concatenate([chain_values(placed.robot.coupling, placed.q) for placed in scene.robots])
        self._pairs = sorted_pairs(self._objects, self._allowed, self._compared)
        self._model = ordered(arrays_of(self._objects, self._pairs.checked), self._objects)
        robots = self._objects.robots
        self._packed: Packed | None = None
        self._only = robots[0] if len(robots) == 1 and robots[0].coupling is None else None
        self._proved: CollisionModel | None = None
        self._rows_checked = 0

    @property
    def scene(self) -> Scene:
        """What is checked."""
        return self._scene

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of all pairs that are checked while the joints are within their limits."""
        return tuple(self._names(k) for k in range(len(self._model.pairs)) if self._model.pairs[k, 3] != NEVER)

    @property
    def left_out(self) -> tuple[AllowedPair, ...]:
        """All pairs of moving parts that are not checked while the joints are within their limits, and why."""
        objects, items = self._objects, self._objects.items
        proved = []
        for i, j, _never in self._pairs.checked:
            rule = rule_of(objects, i, j, rules_of)
            if rule is not None and rule.reason == "never meet":
                proved.append(rule._replace(first=items[j].name, second=items[i].name))
        return (*self._pairs.left_out, *proved)

    @property
    def held(self) -> tuple[str, ...]:
        """The names of bodies that move with an arm."""
        return tuple(held.body for held in self._attached)

    def depth(self, q: Joints, first: str, second: str, *, robot: str | None = None) -> float:
        """Return how far (m) one object must be moved at least to come out of another, to about 1 %; 0.0 if apart."""
        rows, objects = self._row(q, robot), self._objects
        frames = frames_at(self._model, rows[0])
        one, other = ([objects.items[i] for i in objects.indices(name)] for name in (first, second))
        return float(np.linalg.norm(way_out(placed_parts(one, frames), placed_parts(other, frames))))

    def with_held(self, body: str, T_tool_body: ArrayLike, *, robot: str | None = None) -> Checker:
        """Return a checker in which a body moves with the tool of an arm; it may touch that tool and the last link."""
        others = (held for held in self._attached if held.body != body)
        held = (*others, Held(body, T_tool_body, robot))
        return Checker(self._scene, allowed=self._allowed, compared=self._compared, attached=held)

    def with_bodies(self, bodies: Iterable[Body]) -> Checker:
        """Return a checker of the same arms among other bodies; what is known of the arms is not computed again."""
        scene = replace(self._scene, bodies=tuple(bodies))
        return Checker(scene, allowed=self._allowed, compared=self._compared, attached=self._attached)

    def is_free(self, q: Joints, *, clearance: float = 0.0, robot: str | None = None) -> bool | NDArray[np.bool_]:
        """Return whether nothing touches, nor is within `clearance` (m): True or False, or (m,) for rows (m, n)."""
        only = self._only if robot is None and type(clearance) is float else None
        if only is not None and only.is_plain_row(q):
            status: int = _is_free.call(self._packed or self._pack(), q if q.flags.carray else q.copy(), clearance)
            if status >= 0 and 0.0 <= clearance < math.inf:
                return status > 0
        rows, single = self._rows(q, robot)
        room, model = _checked(clearance, "clearance"), self._model_for(len(rows))
        out = np.empty(len(rows))
        usable = map_slices(
            lambda part: collide.are_free_into(model, rows[part], room, out[part]), len(rows), minimum=THREADED_ROWS
        )
        if not all(usable):
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
        usable = map_slices(
            lambda part: collide_distance.nearest_into(self._model, rows[part], out[part]),
            len(rows),
            minimum=THREADED_ROWS,
        )
        if not all(usable):
            self._refuse(rows)
        return float(out[0, 0]) if single else out[:, 0].copy()

    def distances(self, q: Joints, *, within: float = 0.1, robot: str | None = None) -> list[Distance]:
        """Return all pairs that are no farther than `within` (m) apart at one configuration, the nearest first."""
        return self._near(q, _checked(within, "within"), robot)

    def is_motion_free(
        self, a: Joints, b: Joints, *, clearance: float = 0.0, robot: str | None = None
    ) -> bool | NDArray[np.bool_]:
        """Return whether the straight motion of the joints from `a` to `b` is proved free: one, or (m,) for rows.

        It ends with the first contact that it finds, in a fraction of a `sweep`'s time. A motion that comes within
        `clearance` + 1 mm of something may count as not free, and so does one that leaves the joint limits.
        """
        rows, single = self._rows(a, robot)
        others, is_one = self._rows(b, robot)
        if len(rows) != len(others):
            rows, others = np.broadcast_arrays(rows, others)
            rows, others = np.ascontiguousarray(rows), np.ascontiguousarray(others)
        room, model = _checked(clearance, "clearance"), self._model_for(ROWS_WORTH_PROOFS)
        if not (np.abs(rows).max() <= LARGEST and np.abs(others).max() <= LARGEST):
            self._refuse(rows)
            self._refuse(others)
        out = np.empty(len(rows))
        map_slices(
            lambda part: collide_edge.edges_into(model, rows[part], others[part], room, out[part]),
            len(rows),
            minimum=THREADED_MOTIONS,
        )
        return bool(out[0]) if single and is_one else out > 0.5

    def motions(self, robot: str | None = None) -> StraightMotions:
        """Return workspace for a search among the straight motions of an arm."""
        arm = self._index(robot)
        first, last = self._objects.offsets[arm : arm + 2]
        model = self._model_for(ROWS_WORTH_PROOFS)
        return StraightMotions(model, self._start, first, last, self._robots[arm])

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
        curve, asked = self._curve(trajectory, robot)
        whole = self._model_for(ROWS_WORTH_PROOFS), curve.breaks, curve.coefficients
        when, pair = collide_sweep.first_contact(*whole, self._stays_inside(curve), room, TOUCH)
        first = None if pair < 0 else self._first_contact(when, int(pair), curve, asked)
        points = np.full(6, math.nan)
        least, least_time, least_pair = collide_sweep.least_distance(*whole, DISTANCE_TOLERANCE, INTERVALS, points)
        return SweepReport(first is None, room, first, self._distance(least, least_pair, points), least_time)

    def first_contact(
        self, trajectory: Trajectory | Mapping[str, Trajectory], *, clearance: float = 0.0, robot: str | None = None
    ) -> FirstContact | None:
        """Return when a motion first comes too near to something, as `sweep` does; None where it never does."""
        curve, asked = self._curve(trajectory, robot)
        whole = self._model_for(ROWS_WORTH_PROOFS), curve.breaks, curve.coefficients
        room = _checked(clearance, "clearance")
        when, pair = collide_sweep.first_contact(*whole, self._stays_inside(curve), room, TOUCH)
        return None if pair < 0 else self._first_contact(when, int(pair), curve, asked)

    def _curve(
        self, trajectory: Trajectory | Mapping[str, Trajectory], robot: str | None
    ) -> tuple[PiecewisePolynomial, str]:
        """Return the motion of all joints of the scene, and the arm that is asked about first."""
        motions = trajectory if isinstance(trajectory, Mapping) else {self._placed(robot): trajectory}
        if not motions:
            raise InvalidInput("no_trajectory", _("sweep: no trajectory given"))
        asked = next(iter(motions))
        columns = {self._index(name): motion for name, motion in motions.items()}
        for arm, motion in columns.items():
            if not isinstance(motion, Trajectory):
                given = f"{motion!r:.60}"
                raise InvalidInput("not_a_trajectory", _("sweep: expected a Trajectory, got {given}"), given=given)
            if motion.dof != self._robots[arm].dof:
                raise InvalidInput(
                    "joint_count_differs",
                    _("{robot}: the trajectory has {given} joints, the robot {needed}"),
                    robot=self._robots[arm].name,
                    given=motion.dof,
                    needed=self._robots[arm].dof,
                )
        motions_of_all = {arm: expanded(motion, self._robots[arm].coupling) for arm, motion in columns.items()}
        return joined(self._start, self._objects.offsets, motions_of_all), asked

    def _pack(self) -> Packed:
        self._packed = packed(self._model)
        return self._packed

    def _model_for(self, rows: int) -> CollisionModel:
        """Return the model in which more pairs are proved never to meet, once enough is asked for that to pay.

        The answer is the same: such pairs are only not looked at.
        """
        self._rows_checked += rows
        if self._proved is None:
            if self._rows_checked < ROWS_WORTH_PROOFS:
                return self._model
            self._proved = with_proofs(self._model, self._objects)
        return self._proved

    @property
    def _robots(self) -> tuple[Robot, ...]:
        return self._objects.robots

    def _placed(self, name: str | None) -> str:
        return self._scene.robot(name).name

    def _index(self, name: str | None) -> int:
        return self._objects.names.index(self._placed(name))

    def _names(self, pair: int) -> tuple[str, str]:
        e, o = self._model.pairs[pair, :2]
        return self._objects.items[e].name, self._objects.items[o].name

    def _rows(self, q: Joints, robot: str | None) -> tuple[Floats, bool]:
        """Return rows (m, all joints of all arms), and whether a single one was asked about."""
        if not isinstance(q, Mapping):
            arm = self._index(robot)
            rows, single = self._rows_of(arm, q)
            if len(self._robots) == 1:
                return rows, single
            given = {arm: rows}
        else:
            checked = {self._index(name): self._rows_of(self._index(name), values) for name, values in q.items()}
            given, single = (
                {arm: rows for arm, (rows, _one) in checked.items()},
                all(one for _rows, one in checked.values()),
            )
        counts = {len(rows) for rows in given.values() if len(rows) != 1} or {1}
        if len(counts) > 1:
            raise InvalidInput(
                "row_counts_differ",
                _("the numbers of rows differ: {counts}"),
                counts=[str(n) for n in sorted(counts)],
            ).within("q")
        whole = np.tile(self._start, (counts.pop(), 1))
        for arm, rows in given.items():
            whole[:, self._objects.offsets[arm] : self._objects.offsets[arm + 1]] = rows
        return whole, single

    def _rows_of(self, arm: int, q: ArrayLike) -> tuple[Floats, bool]:
        """Return the values of all joints of one arm's chain, and whether a single row was given."""
        rows, single = self._robots[arm]._rows(q)
        return chain_values(self._robots[arm].coupling, rows), single

    def _row(self, q: Joints, robot: str | None) -> Floats:
        rows, single = self._rows(q, robot)
        if not single:
            raise InvalidInput(
                "one_configuration_needed", _("q: expected one configuration, got {count} rows"), count=len(rows)
            )
        return rows

    def _refuse(self, rows: Floats) -> None:
        for arm, robot in enumerate(self._robots):
            part = np.ascontiguousarray(rows[:, self._objects.offsets[arm] : self._objects.offsets[arm + 1]])
            if not (np.abs(part) <= LARGEST).all():
                robot.uncoupled.fk(part)  # which says what is wrong with them

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

    def _stays_inside(self, curve: PiecewisePolynomial) -> bool:
        extremes = curve.extremes()
        ends = np.stack([extremes.low, extremes.high])
        return not outside_limits(self._model, ends).any()

    def _first_contact(self, when: float, pair: int, curve: PiecewisePolynomial, asked: str) -> FirstContact:
        q = np.ascontiguousarray(curve.values([when])[0, 0])
        out = np.empty((len(self._model.pairs), 7))
        collide_distance.near_into(self._model, q, math.inf, out)
        arm = self._index(asked)
        own = q[self._objects.offsets[arm] : self._objects.offsets[arm + 1]].copy()
        coupling = self._robots[arm].coupling
        own = own if coupling is None else own[list(coupling.own)]
        found = self._distance(out[pair, 0], pair, out[pair, 1:])
        return FirstContact(float(when), own, found.first, found.second, found.value, found.p_first, found.p_second)


def _checked(value: float, who: str) -> float:
    if not (isinstance(value, int | float | np.floating | np.integer) and value >= 0.0 and math.isfinite(value)):
        raise InvalidInput(
            "negative_distance", _("{what}: expected a length ≥ 0 m, got {value}"), what=who, value=repr(value)
        )
    return float(value)
