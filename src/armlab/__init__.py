"""armlab: a laboratory for robot arms.

    import armlab
    robot = armlab.load("kuka-kr6-r900")
    T = robot.fk(robot.home)

Lengths are metres, angles radians, poses 4×4 float64 arrays; docs/conventions.md has the rest. Names are imported when
they are first used, so that `import armlab` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armlab import errors
    from armlab.catalog import load, load_tool, robot_names, tool_names
    from armlab.errors import ArmlabError
    from armlab.importing.glb import robot_glb
    from armlab.importing.urdf import read_urdf, urdf_text, write_urdf
    from armlab.kinematics.reach import reach
    from armlab.model import pose
    from armlab.model.dh import DhTable, dh_table, robot_from_dh
    from armlab.model.parts import Tool
    from armlab.model.robot import Robot

__version__ = "0.1.0"

_HOMES = {
    "ArmlabError": "errors",
    "DhTable": "model.dh",
    "Robot": "model.robot",
    "Tool": "model.parts",
    "dh_table": "model.dh",
    "errors": "errors",
    "load": "catalog",
    "load_tool": "catalog",
    "pose": "model.pose",
    "reach": "kinematics.reach",
    "read_urdf": "importing.urdf",
    "robot_from_dh": "model.dh",
    "robot_glb": "importing.glb",
    "robot_names": "catalog",
    "tool_names": "catalog",
    "urdf_text": "importing.urdf",
    "write_urdf": "importing.urdf",
}

__all__ = [
    "ArmlabError",
    "DhTable",
    "Robot",
    "Tool",
    "dh_table",
    "errors",
    "load",
    "load_tool",
    "pose",
    "reach",
    "read_urdf",
    "robot_from_dh",
    "robot_glb",
    "robot_names",
    "tool_names",
    "urdf_text",
    "write_urdf",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'armlab' has no attribute '{name}'")
    module = import_module(f"armlab.{_HOMES[name]}")
    value = getattr(module, name, module)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
