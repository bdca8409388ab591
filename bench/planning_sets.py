"""Seeded problems for planners: an arm before shelves, in front of a box, in a cage, over a table with things on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import armlab
from armlab.collision.checker import Checker
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene

Floats = NDArray[np.float64]
CLEARANCE = 0.002
"""m that starts and goals are away from everything, so that a planner that keeps 1 mm has a chance."""
TRIALS = 400
BOARD = 0.02
"""Thickness of boards and bars, in parts of the arm's reach."""


class Problem(NamedTuple):
    """A scene, and joint values from which and to which its arm is to move."""

    name: str
    scene: Scene
    start: Floats
    goal: Floats


def problems(arm: str, *, count: int = 100, tool: str = "none", families: tuple[str, ...] = ()) -> Iterator[Problem]:
    """Yield `count` problems for an arm, the families in turns; the same every time."""
    robot = armlab.load(arm, tool=tool)
    names = families or tuple(FAMILIES)
    number = 0
    while count > 0:
        family = names[number % len(names)]
        found = problem(robot, family, number)
        number += 1
        if found is not None:
            count -= 1
            yield found


def problem(robot: Robot, family: str, seed: int) -> Problem | None:
    """Return one problem of a family, or None where no two free places were found in its scene."""
    rng = np.random.default_rng([seed, sum(map(ord, robot.name + family))])
    bodies, grasps = FAMILIES[family](rng, float(np.linalg.norm(_reach(robot))))
    scene = Scene.of(robot)
    scene = Scene(f"{family} {seed}", scene.robots, tuple(bodies))
    checker = Checker(scene)
    places: list[Floats] = []
    for T in grasps:
        solutions = [one.q for one in armlab.all_ik(robot, T) if (np.abs(one.q) <= np.pi).all()]
        free = [q for q in solutions if checker.is_free(q, clearance=CLEARANCE)]
        if free:
            places.append(np.array(free[int(rng.integers(len(free)))]))
        if len(places) == 2:
            return Problem(f"{robot.name} {family} {seed}", scene, *places)
    return None


def _reach(robot: Robot) -> Floats:
    """Return a length to scale scenes by: how far the wrist's middle is from the shoulder at most, nearly."""
    rng = np.random.default_rng(0)
    q = rng.uniform(np.maximum(robot.lower, -np.pi), np.minimum(robot.upper, np.pi), (2000, robot.dof))
    points = robot.fk(q)[:, :3, 3]
    far = np.linalg.norm(points[:, :2], axis=1)
    return np.array([float(np.quantile(far, 0.98))])


def _box(name: str, size: tuple[float, float, float], T: Floats) -> Body:
    return Body(name, (Shape("box", size, np.eye(4)),), T)


def _looking(direction: Floats, rng: np.random.Generator, tilt: float) -> Floats:
    """Return a rotation whose z axis is near a direction, turned about it at random."""
    z = direction + tilt * rng.normal(size=3)
    z /= np.linalg.norm(z)
    x = rng.normal(size=3)
    x -= (x @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _poses(points: Callable[[], Floats], direction: Floats, rng: np.random.Generator, tilt: float) -> Iterator[Floats]:
    for _ in range(TRIALS):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = _looking(direction, rng, tilt), points()
        yield T


def _shelf(rng: np.random.Generator, reach: float) -> tuple[list[Body], Iterator[Floats]]:
    """Boards and walls of a shelf before the arm; the tool is to go from one compartment into another."""
    depth, width, cell = 0.3 * reach, rng.uniform(0.9, 1.3) * reach, rng.uniform(0.32, 0.42) * reach
    front, turn = rng.uniform(0.5, 0.62) * reach, rng.uniform(-0.5, 0.5)
    base = np.eye(4)
    base[:3, :3] = _about_z(turn)
    rows, columns, low = 3, 3, rng.uniform(-0.1, 0.1) * reach
    middle = front + 0.5 * depth
    thick = BOARD * reach
    bodies = []
    for r in range(rows + 1):
        bodies.append(_box(f"board {r}", (depth, width, thick), base @ _at(middle, 0.0, low + r * cell)))
    for c in range(columns + 1):
        y = (c / columns - 0.5) * width
        bodies.append(_box(f"wall {c}", (depth, thick, rows * cell), base @ _at(middle, y, low + 0.5 * rows * cell)))
    for k in range(int(rng.integers(2, 6))):
        r, c = int(rng.integers(rows)), int(rng.integers(columns))
        y = ((c + rng.uniform(0.2, 0.8)) / columns - 0.5) * width
        size = rng.uniform(0.04, 0.08) * reach
        height = rng.uniform(0.1, 0.6) * cell
        T = base @ _at(front + rng.uniform(0.5, 0.9) * depth, y, low + r * cell + 0.5 * thick + 0.5 * height)
        bodies.append(_box(f"thing {k}", (size, size, height), T))

    def point() -> Floats:
        r, c = int(rng.integers(rows)), int(rng.integers(columns))
        y = ((c + rng.uniform(0.3, 0.7)) / columns - 0.5) * width
        z = low + (r + rng.uniform(0.3, 0.7)) * cell
        return np.asarray((base @ _at(front + rng.uniform(0.05, 0.5) * depth, y, z))[:3, 3])

    return bodies, _poses(point, base[:3, 0], rng, 0.15)


def _open_box(rng: np.random.Generator, reach: float) -> tuple[list[Body], Iterator[Floats]]:
    """A box that is open above, and a table that it stands on."""
    x, y, height = rng.uniform(0.5, 0.65) * reach, rng.uniform(-0.35, 0.35) * reach, rng.uniform(0.18, 0.3) * reach
    side, thick, floor = rng.uniform(0.35, 0.5) * reach, BOARD * reach, rng.uniform(-0.15, 0.0) * reach
    base = _at(x, y, floor) @ _turn(rng.uniform(-np.pi, np.pi))
    bodies = [_box("table", (1.2 * reach, 1.6 * reach, thick), _at(0.85 * reach, 0.0, floor - thick))]
    for k in range(4):
        wall = base @ _turn(0.5 * np.pi * k) @ _at(0.5 * side, 0.0, 0.5 * height)
        bodies.append(_box(f"wall {k}", (thick, side + thick, height), wall))

    def point() -> Floats:
        if rng.random() < 0.6:
            inside = _at(*(rng.uniform(-0.3, 0.3, 2) * side), rng.uniform(0.15, 0.7) * height)
            return np.asarray((base @ inside)[:3, 3])
        return np.array(
            [rng.uniform(0.3, 0.7) * reach, rng.uniform(-0.6, 0.6) * reach, floor + rng.uniform(0.1, 0.4) * reach]
        )

    return bodies, _poses(point, np.array([0.0, 0.0, -1.0]), rng, 0.2)


def _cage(rng: np.random.Generator, reach: float) -> tuple[list[Body], Iterator[Floats]]:
    """Bars round the arm; the tool is to go from one gap between them into another."""
    bars, radius, thick = int(rng.integers(7, 11)), rng.uniform(0.5, 0.6) * reach, 2.0 * BOARD * reach
    first = rng.uniform(-np.pi, np.pi)
    bodies = []
    for k in range(bars):
        T = _turn(first + 2.0 * np.pi * k / bars) @ _at(radius, 0.0, 0.45 * reach)
        bodies.append(_box(f"bar {k}", (thick, thick, 1.3 * reach), T))
    for k, height in enumerate((rng.uniform(0.15, 0.3), rng.uniform(0.75, 0.95))):
        for b in range(bars):
            a = first + 2.0 * np.pi * (b + 0.5) / bars
            chord = 2.0 * radius * np.sin(np.pi / bars)
            T = _turn(a) @ _at(radius * np.cos(np.pi / bars), 0.0, height * reach)
            bodies.append(_box(f"ring {k}.{b}", (0.6 * thick, chord, 0.6 * thick), T))

    def point() -> Floats:
        a = first + 2.0 * np.pi * (int(rng.integers(bars)) + 0.5) / bars
        return np.asarray(
            (_turn(a) @ _at(rng.uniform(0.95, 1.15) * radius, 0.0, rng.uniform(0.4, 0.65) * reach))[:3, 3]
        )

    def poses() -> Iterator[Floats]:
        for _ in range(TRIALS):
            p = point()
            out = np.array([p[0], p[1], 0.0])
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = _looking(out / np.linalg.norm(out), rng, 0.2), p
            yield T

    return bodies, poses()


def _table(rng: np.random.Generator, reach: float) -> tuple[list[Body], Iterator[Floats]]:
    """A table with many things on it, from above; the tool goes from one gap to another."""
    floor, thick = rng.uniform(-0.1, 0.05) * reach, BOARD * reach
    bodies = [_box("table", (1.2 * reach, 1.8 * reach, thick), _at(0.85 * reach, 0.0, floor - 0.5 * thick))]
    spots = []
    for k in range(int(rng.integers(8, 16))):
        x, y = rng.uniform(0.32, 0.85) * reach, rng.uniform(-0.7, 0.7) * reach
        size, height = rng.uniform(0.03, 0.1) * reach, rng.uniform(0.1, 0.5) * reach
        spots.append((x, y))
        T = _at(x, y, floor + 0.5 * height) @ _turn(rng.uniform(-np.pi, np.pi))
        if rng.random() < 0.5:
            bodies.append(Body(f"can {k}", (Shape("cylinder", (0.5 * size, height), np.eye(4)),), T))
        else:
            bodies.append(_box(f"crate {k}", (size, rng.uniform(0.5, 2.0) * size, height), T))

    def point() -> Floats:
        x, y = rng.uniform(0.35, 0.75) * reach, rng.uniform(-0.6, 0.6) * reach
        return np.array([x, y, floor + rng.uniform(0.03, 0.2) * reach])

    return bodies, _poses(point, np.array([0.0, 0.0, -1.0]), rng, 0.15)


def _at(x: float, y: float, z: float) -> Floats:
    return np.asarray(pose.from_xyz([x, y, z]))


def _about_z(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _turn(angle: float) -> Floats:
    T = np.eye(4)
    T[:3, :3] = _about_z(angle)
    return T


FAMILIES: dict[str, Callable[[np.random.Generator, float], tuple[list[Body], Iterator[Floats]]]] = {
    "shelf": _shelf,
    "box": _open_box,
    "cage": _cage,
    "table": _table,
}
