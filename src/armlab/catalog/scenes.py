"""Scenes as files: those that come with armlab, and those of the user; read, and written again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import numpy as np

from armlab.arrays import Floats
from armlab.catalog import load, load_tool, not_a_name
from armlab.catalog.files import read_table
from armlab.catalog.scene_schema import ArmTable, BodyTable, PartTable, PushTable, SceneTable
from armlab.catalog.scene_text import scene_text
from armlab.errors import ArmlabError, CatalogError, InvalidInput, NotSupported, UnknownName
from armlab.files import checked_suffix, write_whole
from armlab.formats.decompose import decompose
from armlab.formats.meshes import read_mesh
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia, from_six
from armlab.geometry.shape import Shape
from armlab.messages import _
from armlab.model.joint_units import from_joint_units
from armlab.model.robot import Robot
from armlab.model.scene import FRICTION, Body, PlacedRobot, Push, Scene
from armlab.units import M_PER_MM
from armlab.validation import Problem, summary

SCENES = Path(__file__).parent / "scenes"
DEFAULT_COLOUR = "#8a94a6"
TABLE_TOP, TABLE_LEG = 30.0, 60.0
"""mm: thickness of a table's top, width of its legs, unless its size says otherwise."""
BIN_WALL = 5.0
CONVEYOR_BED = 80.0
"""mm: the thickness of a conveyor's bed, whose upper side is the belt."""

SUFFIXES = (".toml",)


def scene_names() -> tuple[str, ...]:
    """Return the names of all scenes that come with armlab."""
    return tuple(sorted(path.stem for path in SCENES.glob("*.toml")))


def load_scene(scene: str | Path) -> Scene:
    """Return a scene by its name, or from a .toml file.

    Raises:
        UnknownName: if no scene has that name.
        CatalogError: if the file cannot be used; the message names the file, and every key that is wrong.
    """
    if not isinstance(scene, str | Path):
        raise InvalidInput(not_a_name("scene", scene))
    if isinstance(scene, str) and not any(sign in scene for sign in "/\\."):
        if scene not in scene_names():
            raise UnknownName("scene", scene, scene_names())
        return _load_file(SCENES / f"{scene}.toml")
    return _load_file(Path(scene))


def write_scene(scene: Scene, path: Path | str) -> None:
    """Write a scene to a .toml file, whole or not at all; loading it gives the same scene.

    Tables, meshes and the like are written as the convex shapes that they are made of.

    Raises:
        InvalidInput: if the name does not end in .toml, or the scene is too large for a file or has texts that no
            scene file can have.
        NotSupported: if an arm or a tool is neither in the catalog nor in a file beside `path`.
    """
    path = checked_suffix(Path(path), SUFFIXES)
    for placed in scene.robots:
        _check_named(placed, path.parent)
    write_whole(path, scene_text(scene).encode())


def _check_named(placed: PlacedRobot, folder: Path) -> None:
    """Refuse an arm that would not be the same when the file names it."""
    try:
        arm, tool = placed.arm_file or placed.robot.name, placed.tool_file or placed.robot.tool.name
        named = _arm_of(arm, tool, folder)
    except ArmlabError as error:
        raise NotSupported(
            "robot_not_in_catalog",
            _("robot '{robot}': a scene file refers to robots and tools by name: {problem}"),
            robot=placed.name,
            problem=error.message,
        ) from None
    q, robot = placed.robot.home, placed.robot.with_base(named.base)
    same = named.dof == robot.dof and np.allclose(named.frames(q), robot.frames(q), atol=1e-9)
    weighs = [sum(link.inertia.mass for link in r.links) + r.tool.inertia.mass for r in (named, robot)]
    if not (same and math.isclose(*weighs) and np.array_equal(named.lower, robot.lower)):
        raise NotSupported(
            "robot_differs_from_catalog",
            _("robot '{robot}': it differs from the '{arm}' with tool '{tool}' that the scene file would load"),
            robot=placed.name,
            arm=arm,
            tool=tool,
        )


def _load_file(path: Path) -> Scene:
    table = read_table(checked_suffix(path, SUFFIXES), SceneTable)
    problems: list[Problem] = []
    robots, bodies = [], []
    for i, arm in enumerate(table.robot, 1):
        with _collecting(f"robot[{i}]", problems):
            robots.append(_placed_robot(arm, path.parent))
    for i, body in enumerate(table.body, 1):
        with _collecting(f"body[{i}]", problems):
            bodies.append(build_body(body, path.parent))
    if problems:
        raise CatalogError(path, *summary(problems))
    kept = {} if table.gravity is None else {"gravity": np.array(table.gravity)}
    try:
        return Scene(
            table.name,
            tuple(robots),
            tuple(bodies),
            title=table.title or "",
            notes=table.notes or "",
            source=table.source or "",
            **kept,
        )
    except InvalidInput as error:
        raise CatalogError(path, "", error.message) from None


@contextmanager
def _collecting(key: str, problems: list[Problem]) -> Iterator[None]:
    """Note the error of one table and go on with the next."""
    try:
        yield
    except ArmlabError as error:
        problems.append(Problem(key, error.message))


def _file_beside(name: str, folder: Path) -> Path:
    """Return the file that a scene names, which must be in the scene's folder or below it."""
    if Path(name).is_absolute() or "\\" in name or ":" in name or "\0" in name:
        raise InvalidInput(
            "file_not_relative", _("file '{file}': give a path relative to the scene file, with /"), file=name
        )
    whole = (folder / name).resolve()
    if not whole.is_relative_to(folder.resolve()):
        raise InvalidInput("file_outside", _("file '{file}': is outside the scene file's folder"), file=name)
    return whole


def _arm_of(arm: str, tool: str | None, folder: Path) -> Robot:
    """Return the arm that a scene in `folder` names, with its tool."""
    robot = load(_file_beside(arm, folder) if _is_file(arm) else arm)
    if tool is None:
        return robot
    return robot.with_tool(load_tool(_file_beside(tool, folder) if _is_file(tool) else tool))


def _is_file(name: str) -> bool:
    return any(sign in name for sign in "/\\.:")


def _placed_robot(table: ArmTable, folder: Path) -> PlacedRobot:
    robot = _arm_of(table.arm, table.tool, folder)
    if table.xyz is not None or table.rpy is not None:
        robot = robot.with_base(_frame(table.xyz or (0.0, 0.0, 0.0), table.rpy or (0.0, 0.0, 0.0)))
    name = table.name or robot.name
    q = robot.configuration(table.configuration or "home")
    if table.q is not None:
        q = from_joint_units(robot, table.q)
    files = [given if given is not None and _is_file(given) else "" for given in (table.arm, table.tool)]
    return PlacedRobot(name, robot, q, *files)


def build_body(table: BodyTable, folder: Path) -> Body:
    """Return the body that a table describes; a mesh is looked for in `folder`."""
    belt = table.belt
    if table.kind == "conveyor" and belt is None:
        belt = (table.speed or 0.0, 0.0, 0.0)
    return Body(
        table.name,
        _shapes(table, folder),
        _frame(table.xyz, table.rpy),
        table.mass,
        FRICTION if table.friction is None else table.friction,
        table.colour or DEFAULT_COLOUR,
        None if belt is None else np.array(belt) * M_PER_MM,
        _inertia(table),
        tuple(_push(push) for push in table.push),
    )


def _push(table: PushTable) -> Push:
    return Push(
        np.array(table.force),
        np.array(table.torque),
        table.start,
        math.inf if table.end is None else table.end,
        math.inf if table.until_rate is None else math.radians(table.until_rate),
    )


def _inertia(table: BodyTable) -> Inertia | None:
    if table.inertia is None:
        if any(table.com):
            raise InvalidInput("com_needs_inertia", _("com: a centre of mass needs an inertia about it"))
        return None
    assert table.mass is not None  # the schema has seen to it
    return from_six(table.mass, np.array(table.com) * M_PER_MM, table.inertia)


def _shapes(table: BodyTable, folder: Path) -> tuple[Shape, ...]:
    if table.shape is not None:
        return tuple(_part(part) for part in table.shape)
    if table.kind == "mesh":
        assert table.file is not None
        path = _file_beside(table.file, folder)
        return _mesh_parts(path, _stamp(path), (table.scale or 1.0) * M_PER_MM, table.most_parts)
    if table.kind in _BUILT:
        assert table.size is not None
        return _BUILT[table.kind](table.size)
    return (_part(PartTable.model_validate({"kind": table.kind, "size": table.size, "points": table.points})),)


def _part(table: PartTable) -> Shape:
    size = tuple(value * M_PER_MM for value in table.size or ())
    points = None if table.points is None else np.array(table.points) * M_PER_MM
    return Shape(table.kind, size, _frame(table.xyz, table.rpy), points=points)


def _table(size: Sequence[float]) -> tuple[Shape, ...]:
    """Return a top and four legs; the origin is on the floor, under the middle."""
    x, y, height, top, leg = (*size, *(TABLE_TOP, TABLE_LEG)[len(size) - 3 :])
    if top >= height or 2.0 * leg > min(x, y):
        raise InvalidInput(
            "table_size", _("size: a top of {top:g} mm and legs of {leg:g} mm do not fit this table"), top=top, leg=leg
        )
    legs = _legs(x, y, height - top, leg)
    return (_box(x, y, top, (0.0, 0.0, height - top / 2.0)), *legs)


def _conveyor(size: Sequence[float]) -> tuple[Shape, ...]:
    """Return a bed, whose upper side is the belt, and legs; the origin is on the floor, under the middle."""
    x, y, height = size
    bed = min(CONVEYOR_BED, height)
    slab = _box(x, y, bed, (0.0, 0.0, height - bed / 2.0))
    leg = min(TABLE_LEG, x / 4.0, y / 4.0)
    return (slab, *(_legs(x, y, height - bed, leg) if height - bed > 1.0 else ()))


def _bin(size: Sequence[float]) -> tuple[Shape, ...]:
    """Return a bottom and four walls; the origin is under the middle of the bottom."""
    x, y, height, wall = (*size, BIN_WALL)[:4]
    if wall <= 0.0 or 2.0 * wall >= min(x, y) or wall >= height:
        raise InvalidInput(
            "bin_size",
            _("size: walls of {wall:g} mm do not fit a bin of {x:g} × {y:g} × {height:g} mm"),
            wall=wall,
            x=x,
            y=y,
            height=height,
        )
    middle, high = (height + wall) / 2.0, height - wall
    return (
        _box(x, y, wall, (0.0, 0.0, wall / 2.0)),
        *(_box(x, wall, high, (0.0, side * (y - wall) / 2.0, middle)) for side in (-1, 1)),
        *(_box(wall, y - 2.0 * wall, high, (side * (x - wall) / 2.0, 0.0, middle)) for side in (-1, 1)),
    )


def _legs(x: float, y: float, height: float, width: float) -> tuple[Shape, ...]:
    places = [(i * (x - width) / 2.0, j * (y - width) / 2.0, height / 2.0) for i in (-1, 1) for j in (-1, 1)]
    return tuple(_box(width, width, height, place) for place in places)


def _box(x: float, y: float, z: float, centre: tuple[float, float, float]) -> Shape:
    return Shape("box", (x * M_PER_MM, y * M_PER_MM, z * M_PER_MM), _frame(centre, (0.0, 0.0, 0.0)))


_BUILT: dict[str, Callable[[Sequence[float]], tuple[Shape, ...]]] = {
    "table": _table,
    "conveyor": _conveyor,
    "bin": _bin,
}


@lru_cache(maxsize=32)
def _mesh_parts(path: Path, _stamp: tuple[int, int], scale: float, parts: int) -> tuple[Shape, ...]:
    mesh = read_mesh(path, scale=scale)
    return decompose(mesh.vertices, mesh.faces, parts=parts)


def _stamp(path: Path) -> tuple[int, int]:
    """Return what changes when a file is written again; a file that is not there is told of when it is read."""
    try:
        facts = path.stat()
    except (OSError, ValueError):
        return 0, 0
    return facts.st_mtime_ns, facts.st_size


def _frame(xyz: Sequence[float], rpy: Sequence[float]) -> Floats:
    return pose.from_xyz_rpy_mm_deg(xyz, rpy)
