"""Walk through a schedule without physics: who holds what, where everything is, and what touches what first."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.collision.answers import SweepReport
from armlab.errors import InvalidInput, UnknownName
from armlab.model import pose, solid
from armlab.model.finding import Finding, Level
from armlab.model.scene import Body, Scene
from armlab.program.instructions import Instruction, Pick, Place, Wait
from armlab.program.schedule import Leg, Schedule, source_of
from armlab.units import MM_PER_M

REACH = 0.03
"""m: a body farther than this from the tool point cannot be picked."""
TOUCH = 0.002
"""m: a held body this close to something stands on it, and may scrape along it while it is lifted or set down."""


@dataclass(frozen=True, slots=True, eq=False)
class WalkedLeg:
    """A leg, what the tool held during it, and how near it came to anything."""

    leg: Leg
    held: str | None
    sweep: SweepReport | None
    """None where nothing moves."""


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """A whole schedule walked through: legs, findings in their order, and the scene as it is at the end."""

    legs: tuple[WalkedLeg, ...]
    findings: tuple[Finding, ...]
    scene: Scene


def walk(scene: Scene, schedule: Schedule, *, robot: str | None = None, clearance: float = 0.0) -> Walk:
    """Walk an arm of the scene through its schedule; bodies that are held move with the tool.

    Contacts are findings of level `error`, with the step, the two parts and the time. The tool may touch what it has
    just let go or is about to take, and a held body what it stands on when it is lifted or set down.
    """
    walker = _Walker(scene, schedule, robot, clearance)
    for i in range(len(schedule.legs)):
        walker.go(i)
    return Walk(tuple(walker.walked), tuple(walker.findings), walker.scene)


def body_at_tool(scene: Scene, name: str | None, T_world_tool: Floats, reach: float = REACH) -> Body:
    """Return the loose body that a pick takes: the one named, or the nearest to the tool point.

    Raises:
        InvalidInput: if there is none, it is fixed, or it is farther than `reach` (m) away; the sentence says how far.
    """
    loose = [body for body in scene.bodies if not body.is_fixed]
    if name is not None:
        body = scene.body(name)
        if body.is_fixed:
            raise InvalidInput(f"pick: '{name}' is fixed; only a body with a mass can be picked")
        loose = [body]
    if not loose:
        raise InvalidInput("pick: there is no loose body in the scene")
    gaps = [distance_to(body, T_world_tool[:3, 3]) for body in loose]
    k = int(np.argmin(gaps))
    if gaps[k] > reach:
        shown = f"{gaps[k] * MM_PER_M:.0f} mm"
        allowed = f"{reach * MM_PER_M:.0f} mm"
        raise InvalidInput(f"pick: '{loose[k].name}' is {shown} away from the tool; at most {allowed} are allowed")
    return loose[k]


def distance_to(body: Body, point_world: Floats) -> float:
    """Return how far a point is from a body's surface (m), at most its triangles' size too long; 0 inside."""
    p = pose.transform(pose.inverse(body.T_world_body), point_world[None])
    nearest = np.inf
    for shape in body.shapes:
        if bool(solid.contains(shape, p)[0]):
            return 0.0
        mesh = solid.mesh(shape)
        nearest = min(nearest, float(_to_triangles(mesh.vertices[mesh.faces], p[0])))
    return nearest


class _Walker:
    def __init__(self, scene: Scene, schedule: Schedule, robot: str | None, clearance: float) -> None:
        self.scene = scene
        self.walked: list[WalkedLeg] = []
        self.findings: list[Finding] = []
        self._schedule, self._clearance = schedule, clearance
        self._robot = scene.robot(robot)
        self._held: tuple[str, Floats] | None = None
        self._let_go: str | None = None

    def go(self, i: int) -> None:
        leg = self._schedule.legs[i]
        self.findings.extend(leg.findings)
        if isinstance(leg.instruction, Pick):
            self._pick(leg, leg.instruction)
        elif isinstance(leg.instruction, Place):
            self._place(leg)
        sweep = None if isinstance(leg.instruction, Pick | Place | Wait) else self._sweep(i, leg)
        self.walked.append(WalkedLeg(leg, None if self._held is None else self._held[0], sweep))

    def _tool(self, leg: Leg) -> Floats:
        return self._robot.robot.fk(leg.trajectory.start)

    def _pick(self, leg: Leg, pick: Pick) -> None:
        T_world_tool = self._tool(leg)
        try:
            if self._held is not None:
                raise InvalidInput(f"pick: the tool holds '{self._held[0]}' already")  # noqa: TRY301
            body = body_at_tool(self.scene, pick.body, T_world_tool)
        except (InvalidInput, UnknownName) as error:
            self._tell(leg, "error", "pick", error.message)
            return
        self._held = body.name, pose.inverse(T_world_tool) @ body.T_world_body

    def _place(self, leg: Leg) -> None:
        if self._held is None:
            self._tell(leg, "warning", "place", "place: the tool holds nothing")
            return
        name, T_tool_body = self._held
        self.scene = self.scene.with_body(self.scene.body(name).at(self._tool(leg) @ T_tool_body))
        self._held, self._let_go = None, name

    def _sweep(self, i: int, leg: Leg) -> SweepReport:
        scene = replace(
            self.scene,
            robots=tuple(
                replace(placed, q=leg.trajectory.start) if placed.name == self._robot.name else placed
                for placed in self.scene.robots
            ),
        )
        checker = self._checker(scene, ())
        allowed = [*self._tool_and_body(i, checker), *self._supports(i, checker)]
        if allowed:
            checker = self._checker(scene, allowed)
        report = checker.sweep(leg.trajectory, clearance=self._clearance, robot=self._robot.name)
        first = report.first_contact
        if first is not None:
            when = leg.start + first.time
            parts = f"'{first.first}' and '{first.second}'"
            touching = first.distance <= 0.0 or self._clearance == 0.0
            what = "touch" if touching else f"come within {first.distance * MM_PER_M:.2f} mm"
            where: dict[str, float | int | str] = {
                "time": when,
                "first": first.first,
                "second": first.second,
                "distance": first.distance,
            }
            self._tell(leg, "error", "contact", f"{parts} {what} after {when:.3f} s", where)
        return report

    def _checker(self, scene: Scene, allowed: Iterable[tuple[str, str]]) -> Checker:
        checker = Checker(scene, allowed=allowed)
        if self._held is None:
            return checker
        return checker.with_held(self._held[0], self._held[1], robot=self._robot.name)

    def _tool_and_body(self, i: int, checker: Checker) -> list[tuple[str, str]]:
        """Return the tool with the body that it is about to take, and the one just let go: they may touch."""
        near = []
        after = self._event(i, 1)
        if isinstance(after, Pick):
            T_world_tool = self._robot.robot.fk(self._schedule.legs[i].trajectory.end)
            with suppress(InvalidInput, UnknownName):
                near.append(body_at_tool(self.scene, after.body, T_world_tool).name)
        if isinstance(self._event(i, -1), Place) and self._let_go is not None:
            near.append(self._let_go)
        parts = {"tool", self._robot.robot.links[-1].name}
        parts |= {f"{self._robot.name}/{part}" for part in parts}
        return [pair for pair in checker.pairs if parts & set(pair) and set(near) & set(pair)]

    def _event(self, i: int, way: int) -> Instruction | None:
        """Return what happens before (-1) or after (1) a leg, waiting left out."""
        legs = self._schedule.legs
        k = i + way
        while 0 <= k < len(legs) and isinstance(legs[k].instruction, Wait):
            k += way
        return legs[k].instruction if 0 <= k < len(legs) else None

    def _supports(self, i: int, checker: Checker) -> list[tuple[str, str]]:
        """Return the held body with what it stands on at the start of a lift, or at the end of setting it down."""
        if self._held is None:
            return []
        is_lift, is_set_down = isinstance(self._event(i, -1), Pick), isinstance(self._event(i, 1), Place)
        trajectory, name = self._schedule.legs[i].trajectory, self._held[0]
        ends = [trajectory.start] * is_lift + [trajectory.end] * is_set_down
        near = [pair for q in ends for pair in checker.distances(q, within=TOUCH, robot=self._robot.name)]
        return [(pair.first, pair.second) for pair in near if name in {pair.first, pair.second}]

    def _tell(
        self, leg: Leg, level: Level, code: str, message: str, where: dict[str, float | int | str] | None = None
    ) -> None:
        place: dict[str, float | int | str] = {"step": leg.index + 1, **(where or {})}
        self.findings.append(Finding(level, code, f"{source_of(leg.instruction, leg.index)}: {message}", place))


def _to_triangles(triangles: Floats, p: Floats) -> float:
    """Return the distance from a point to the nearest of triangles (m, 3, 3): to their planes inside, else edges."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    best = min(float(_to_segments(x, y, p).min()) for x, y in ((a, b), (b, c), (c, a)))
    normal = np.cross(b - a, c - a)
    size = np.einsum("ij,ij->i", normal, normal)
    keep = size > 0.0
    a, b, c, normal, size = a[keep], b[keep], c[keep], normal[keep], size[keep]
    height = np.einsum("ij,ij->i", p - a, normal) / size
    foot = p - normal * height[:, None]
    inside = np.ones(len(a), dtype=bool)
    for x, y in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(y - x, foot - x), normal) >= 0.0
    flat = np.abs(height) * np.sqrt(size)
    return min(best, float(flat[inside].min())) if inside.any() else best


def _to_segments(a: Floats, b: Floats, p: Floats) -> Floats:
    d = b - a
    t = np.clip(np.einsum("ij,ij->i", p - a, d) / np.maximum(np.einsum("ij,ij->i", d, d), 1e-30), 0.0, 1.0)
    return np.asarray(np.linalg.norm(p - a - d * t[:, None], axis=1))
