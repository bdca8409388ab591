"""Robots and tools as files: those that come with armlab, and those of the user."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from armlab.catalog.build import build_robot, build_tool
from armlab.catalog.files import read_table
from armlab.catalog.schema import RobotTable, ToolTable
from armlab.errors import CatalogError, InvalidInput, UnknownName
from armlab.importing.urdf import read_urdf
from armlab.model.parts import NO_TOOL, Tool
from armlab.model.robot import Robot

ARMS = Path(__file__).parent / "arms"
TOOLS = Path(__file__).parent / "tools"
FILE_KINDS = (".toml", ".urdf", ".xml")


def robot_names() -> tuple[str, ...]:
    """Return the names of all robots that come with armlab."""
    return tuple(sorted(path.stem for path in ARMS.glob("*.toml")))


def tool_names() -> tuple[str, ...]:
    """Return the names of all tools that come with armlab; `none` is the bare flange."""
    return ("none", *sorted(path.stem for path in TOOLS.glob("*.toml")))


def load(robot: str | Path, *, tool: str | Path | None = None) -> Robot:
    """Return a robot by its catalog name, or from a .toml or .urdf file, with a tool where one is named.

    Raises:
        UnknownName: if no robot, or no tool, has that name.
        InvalidInput: if the file cannot be used; the sentence says where and why.
    """
    if not isinstance(robot, str | Path):
        raise InvalidInput(f"robot: {robot!r} is neither a name nor a path")
    loaded = _load_file(Path(robot)) if _is_path(robot) else _load_named(str(robot))
    return loaded if tool is None else loaded.with_tool(load_tool(tool))


def load_tool(tool: str | Path) -> Tool:
    """Return a tool by its catalog name (`none` for the bare flange) or from a .toml file."""
    if not isinstance(tool, str | Path):
        raise InvalidInput(f"tool: {tool!r} is neither a name nor a path")
    if tool == "none":
        return NO_TOOL
    if _is_path(tool):
        return _build_tool_file(Path(tool))
    if tool not in tool_names():
        raise UnknownName("tool", str(tool), tool_names())
    return _build_tool_file(TOOLS / f"{tool}.toml")


@lru_cache(maxsize=64)
def _load_named(name: str) -> Robot:
    if name not in robot_names():
        raise UnknownName("robot", name, robot_names())
    return _load_file(ARMS / f"{name}.toml")


def _load_file(path: Path) -> Robot:
    if path.suffix.lower() in {".urdf", ".xml"}:
        return read_urdf(path)
    if path.suffix.lower() != ".toml":
        raise InvalidInput(f"{path}: is no robot file; known kinds: {', '.join(FILE_KINDS)}")
    table = read_table(path, RobotTable)
    try:
        return build_robot(table)
    except CatalogError:
        raise
    except InvalidInput as error:
        raise CatalogError(path, "", error.message) from None


def _build_tool_file(path: Path) -> Tool:
    table = read_table(path, ToolTable)
    try:
        return build_tool(table)
    except InvalidInput as error:
        raise CatalogError(path, "", error.message) from None


def _is_path(name: str | Path) -> bool:
    """A name has letters, digits and hyphens only; anything with a dot or a slash is meant as a file."""
    return isinstance(name, Path) or "/" in name or "\\" in name or "." in name
