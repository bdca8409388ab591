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

from armlab.version import __version__ as __version__

if TYPE_CHECKING:
    from armlab import dynamics, errors, kinematics, motion
    from armlab.catalog import load, load_tool, robot_names, tool_names
    from armlab.catalog.scenes import load_scene, scene_names, write_scene
    from armlab.collision.checker import Checker
    from armlab.errors import ArmlabError
    from armlab.formats.glb import robot_glb
    from armlab.formats.urdf import read_urdf, urdf_text, write_urdf
    from armlab.geometry import pose
    from armlab.kinematics.all_ik import all_ik, all_ik_batch, branch_names, branch_of
    from armlab.kinematics.answers import IkResult, IkSolution, IkSolutions
    from armlab.kinematics.closed import kuka_status, kuka_turn
    from armlab.kinematics.ik import attempt_ik, solve_ik, track_ik
    from armlab.kinematics.lm_trace import lm_trace
    from armlab.kinematics.reach import reach
    from armlab.kinematics.singularity import condition_number, manipulability, singularity
    from armlab.kinematics.symbolic.check import check_formula
    from armlab.kinematics.symbolic.derive import derive
    from armlab.kinematics.task import default_task
    from armlab.kinematics.velocity import joint_speeds
    from armlab.kinematics.why import why_not
    from armlab.kinematics.workspace import branch_atlas, reach_map
    from armlab.model.dh import DhTable, dh_table, robot_from_dh
    from armlab.model.finding import Finding
    from armlab.model.parts import Tool
    from armlab.model.robot import Robot
    from armlab.model.scene import Body, PlacedRobot, Scene
    from armlab.motion.follow.follow import follow
    from armlab.motion.joint import plan_joint
    from armlab.motion.limits import Limits, ToolLimits, limits_of
    from armlab.motion.timing.timing import jerk_limited, time_optimal
    from armlab.motion.tool_motion import plan_tool
    from armlab.motion.toolpath.toolpath import ToolPath
    from armlab.motion.trajectory import JointState, Trajectory
    from armlab.motion.verify import verify
    from armlab.planning.free_path import FreePath
    from armlab.planning.goals import PoseGoal
    from armlab.planning.improvement import improved
    from armlab.planning.plan import plan_free
    from armlab.planning.roadmap import Roadmap
    from armlab.program.run_scenario import run_scenario
    from armlab.program.scenario import load_scenario, scenario_names
    from armlab.recording.reader import read_recording
    from armlab.recording.recorder import Recorder
    from armlab.sim.simulation import Simulation
    from armlab.threads import set_threads, thread_count


_HOMES = {
    "ArmlabError": "errors",
    "Body": "model.scene",
    "Checker": "collision.checker",
    "DhTable": "model.dh",
    "Finding": "model.finding",
    "FreePath": "planning.free_path",
    "IkResult": "kinematics.answers",
    "IkSolution": "kinematics.answers",
    "IkSolutions": "kinematics.answers",
    "JointState": "motion.trajectory",
    "Limits": "motion.limits",
    "PlacedRobot": "model.scene",
    "PoseGoal": "planning.goals",
    "Recorder": "recording.recorder",
    "Roadmap": "planning.roadmap",
    "Robot": "model.robot",
    "Scene": "model.scene",
    "Simulation": "sim.simulation",
    "Tool": "model.parts",
    "ToolLimits": "motion.limits",
    "ToolPath": "motion.toolpath.toolpath",
    "Trajectory": "motion.trajectory",
    "all_ik": "kinematics.all_ik",
    "all_ik_batch": "kinematics.all_ik",
    "attempt_ik": "kinematics.ik",
    "branch_atlas": "kinematics.workspace",
    "branch_names": "kinematics.all_ik",
    "branch_of": "kinematics.all_ik",
    "check_formula": "kinematics.symbolic.check",
    "condition_number": "kinematics.singularity",
    "default_task": "kinematics.task",
    "derive": "kinematics.symbolic.derive",
    "dh_table": "model.dh",
    "dynamics": "dynamics",
    "errors": "errors",
    "follow": "motion.follow.follow",
    "improved": "planning.improvement",
    "jerk_limited": "motion.timing.timing",
    "joint_speeds": "kinematics.velocity",
    "kinematics": "kinematics",
    "kuka_status": "kinematics.closed",
    "kuka_turn": "kinematics.closed",
    "limits_of": "motion.limits",
    "lm_trace": "kinematics.lm_trace",
    "load": "catalog",
    "load_scenario": "program.scenario",
    "load_scene": "catalog.scenes",
    "load_tool": "catalog",
    "manipulability": "kinematics.singularity",
    "motion": "motion",
    "plan_free": "planning.plan",
    "plan_joint": "motion.joint",
    "plan_tool": "motion.tool_motion",
    "pose": "geometry.pose",
    "reach": "kinematics.reach",
    "reach_map": "kinematics.workspace",
    "read_recording": "recording.reader",
    "read_urdf": "formats.urdf",
    "robot_from_dh": "model.dh",
    "robot_glb": "formats.glb",
    "robot_names": "catalog",
    "run_scenario": "program.run_scenario",
    "scenario_names": "program.scenario",
    "scene_names": "catalog.scenes",
    "set_threads": "threads",
    "singularity": "kinematics.singularity",
    "solve_ik": "kinematics.ik",
    "thread_count": "threads",
    "time_optimal": "motion.timing.timing",
    "tool_names": "catalog",
    "track_ik": "kinematics.ik",
    "urdf_text": "formats.urdf",
    "verify": "motion.verify",
    "why_not": "kinematics.why",
    "write_scene": "catalog.scenes",
    "write_urdf": "formats.urdf",
}

__all__ = [
    "ArmlabError",
    "Body",
    "Checker",
    "DhTable",
    "Finding",
    "FreePath",
    "IkResult",
    "IkSolution",
    "IkSolutions",
    "JointState",
    "Limits",
    "PlacedRobot",
    "PoseGoal",
    "Recorder",
    "Roadmap",
    "Robot",
    "Scene",
    "Simulation",
    "Tool",
    "ToolLimits",
    "ToolPath",
    "Trajectory",
    "all_ik",
    "all_ik_batch",
    "attempt_ik",
    "branch_atlas",
    "branch_names",
    "branch_of",
    "check_formula",
    "condition_number",
    "default_task",
    "derive",
    "dh_table",
    "dynamics",
    "errors",
    "follow",
    "improved",
    "jerk_limited",
    "joint_speeds",
    "kinematics",
    "kuka_status",
    "kuka_turn",
    "limits_of",
    "lm_trace",
    "load",
    "load_scenario",
    "load_scene",
    "load_tool",
    "manipulability",
    "motion",
    "plan_free",
    "plan_joint",
    "plan_tool",
    "pose",
    "reach",
    "reach_map",
    "read_recording",
    "read_urdf",
    "robot_from_dh",
    "robot_glb",
    "robot_names",
    "run_scenario",
    "scenario_names",
    "scene_names",
    "set_threads",
    "singularity",
    "solve_ik",
    "thread_count",
    "time_optimal",
    "tool_names",
    "track_ik",
    "urdf_text",
    "verify",
    "why_not",
    "write_scene",
    "write_urdf",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'armlab' has no attribute '{name}'")
    module = import_module(f"armlab.{_HOMES[name]}")
    value = getattr(module, name, module)
    globals()[name] = value
    return value


def load_ipython_extension(shell: Any) -> None:
    """Let robots, motions, simulations and figures show themselves in a notebook: `%load_ext armlab`."""
    import_module("armlab.figures.notebook").register(shell)
    import_module("armlab.server.notebook").register_viewer(shell)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
