"""Robots and tools as files: those that come with armlab, and those of the user."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from armlab.catalog.build import build_tool
from armlab.catalog.files import read_table
from armlab.catalog.robot_file import load_robot_file, load_robot_text
from armlab.catalog.schema import ToolTable
from armlab.errors import CatalogError, InvalidInput, UnknownName
from armlab.formats.glb_read import LinkMeshes
from armlab.messages import Message, _
from armlab.model.parts import NO_TOOL, Tool
from armlab.model.robot import Robot
from armlab.validation import shown

ARMS = Path(__file__).parent / "arms"
TOOLS = Path(__file__).parent / "tools"


def robot_names() -> tuple[str, ...]:
    """Return the names of all robots that come with armlab."""
    return tuple(sorted(path.stem for path in ARMS.glob("*.toml")))


def tool_names() -> tuple[str, ...]:
    """Return the names of all tools that come with armlab; `none` is the bare flange."""
    return ("none", *sorted(path.stem for path in TOOLS.glob("*.toml")))


def load(robot: str | Path, *, tool: str | Path | None = None) -> Robot:
    """Return a robot by its catalog name, or from a file, folder or zip, with a tool where one is named.

    Raises:
        UnknownName: if no robot, or no tool, has that name.
        InvalidInput: if the file cannot be used; the message says where and why.
    """
    if not isinstance(robot, str | Path):
        raise InvalidInput(not_a_name("robot", robot))
    loaded = _load_file(Path(robot)) if _is_path(robot) else _load_named(str(robot))
    return loaded if tool is None else loaded.with_tool(load_tool(tool))


def load_tool(tool: str | Path) -> Tool:
    """Return a tool by its catalog name (`none` for the bare flange) or from a .toml file."""
    if not isinstance(tool, str | Path):
        raise InvalidInput(not_a_name("tool", tool))
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
    if path.is_dir() or path.suffix.lower() != ".toml":
        from armlab.catalog.importing import import_arm  # readers of foreign formats: a fifth of a short command's time

        return import_arm(path).robot
    return load_robot_file(path)


def load_text(text: str, name: str = "arm", meshes: Callable[[str], LinkMeshes] | None = None) -> Robot:
    """Return the robot of the text of a robot file; `name` is what messages call it, `meshes` reads what it names.

    Raises:
        CatalogError: if it is not the text of a robot file; the message says where and why.
    """
    return load_robot_text(text, name, meshes)


def _build_tool_file(path: Path) -> Tool:
    table = read_table(path, ToolTable)
    try:
        return build_tool(table)
    except InvalidInput as error:
        raise CatalogError(path, "", error.message) from None


def not_a_name(what: str, given: object) -> Message:
    """Return what is wrong with something that should name a robot, tool, scene or scenario."""
    return Message("not_a_name", _("{what}: {given} is neither a name nor a path"), what=what, given=shown(given))


def _is_path(name: str | Path) -> bool:
    """A name has letters, digits and hyphens only; anything with a dot or a slash is meant as a file."""
    return isinstance(name, Path) or "/" in name or "\\" in name or "." in name
