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
    from armlab import errors, kinematics
    from armlab.catalog import load, load_tool, robot_names, tool_names
    from armlab.errors import ArmlabError
    from armlab.importing.glb import robot_glb
    from armlab.importing.urdf import read_urdf, urdf_text, write_urdf
    from armlab.kinematics.all_ik import all_ik, all_ik_batch, branch_names, branch_of
    from armlab.kinematics.answers import IkResult, IkSolution
    from armlab.kinematics.closed import kuka_status, kuka_turn
    from armlab.kinematics.ik import attempt_ik, solve_ik
    from armlab.kinematics.lm_trace import lm_trace
    from armlab.kinematics.reach import reach
    from armlab.kinematics.singularity import condition_number, manipulability, singularity
    from armlab.kinematics.symbolic.check import check_formula
    from armlab.kinematics.symbolic.derive import derive
    from armlab.kinematics.velocity import joint_speeds
    from armlab.kinematics.why import why_not
    from armlab.kinematics.workspace import branch_atlas, reach_map
    from armlab.model import pose
    from armlab.model.dh import DhTable, dh_table, robot_from_dh
    from armlab.model.parts import Tool
    from armlab.model.robot import Robot

__version__ = "0.1.0"

_HOMES = {
    "ArmlabError": "errors",
    "DhTable": "model.dh",
    "IkResult": "kinematics.answers",
    "IkSolution": "kinematics.answers",
    "Robot": "model.robot",
    "Tool": "model.parts",
    "all_ik": "kinematics.all_ik",
    "all_ik_batch": "kinematics.all_ik",
    "attempt_ik": "kinematics.ik",
    "branch_atlas": "kinematics.workspace",
    "branch_names": "kinematics.all_ik",
    "branch_of": "kinematics.all_ik",
    "check_formula": "kinematics.symbolic.check",
    "condition_number": "kinematics.singularity",
    "derive": "kinematics.symbolic.derive",
    "dh_table": "model.dh",
    "errors": "errors",
    "kinematics": "kinematics",
    "joint_speeds": "kinematics.velocity",
    "kuka_status": "kinematics.closed",
    "kuka_turn": "kinematics.closed",
    "lm_trace": "kinematics.lm_trace",
    "load": "catalog",
    "load_tool": "catalog",
    "manipulability": "kinematics.singularity",
    "pose": "model.pose",
    "reach": "kinematics.reach",
    "reach_map": "kinematics.workspace",
    "read_urdf": "importing.urdf",
    "robot_from_dh": "model.dh",
    "robot_glb": "importing.glb",
    "robot_names": "catalog",
    "singularity": "kinematics.singularity",
    "solve_ik": "kinematics.ik",
    "tool_names": "catalog",
    "urdf_text": "importing.urdf",
    "why_not": "kinematics.why",
    "write_urdf": "importing.urdf",
}

__all__ = [
    "ArmlabError",
    "DhTable",
    "IkResult",
    "IkSolution",
    "Robot",
    "Tool",
    "all_ik",
    "all_ik_batch",
    "attempt_ik",
    "branch_atlas",
    "branch_names",
    "branch_of",
    "check_formula",
    "condition_number",
    "derive",
    "dh_table",
    "errors",
    "joint_speeds",
    "kinematics",
    "kuka_status",
    "kuka_turn",
    "lm_trace",
    "load",
    "load_tool",
    "manipulability",
    "pose",
    "reach",
    "reach_map",
    "read_urdf",
    "robot_from_dh",
    "robot_glb",
    "robot_names",
    "singularity",
    "solve_ik",
    "tool_names",
    "urdf_text",
    "why_not",
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
