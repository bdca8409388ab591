"""The real arm: what the drawing does not say, how to find it out, and how to make up for it.

`RealArm` is a nominal arm with its errors; `real_fk` says where its tool really is. Joint values `q` are always those
that the nominal controller counts.
"""

from armlab.calibration.arm import FrameError, Friction, RealArm, RealJoint, Thermal
from armlab.calibration.compensate import (
    PathErrors,
    compensate_joints,
    compensated,
    compensated_program,
    path_errors,
    program_errors,
)
from armlab.calibration.fitting import Calibration, ErrorStatistics, FoundParameter, calibrate, choose_model
from armlab.calibration.frames import (
    FoundTool,
    align,
    frame_by_three_points,
    tool_by_four_points,
    tool_by_reference,
    tool_by_six_points,
)
from armlab.calibration.measurement_file import read_measurements
from armlab.calibration.measurements import ClosedLoops, Distances, PlaneTouches, Poses, Positions, SphereTouches
from armlab.calibration.parameters import Model
from armlab.calibration.plant import RealSimulation, simulate_as
from armlab.calibration.pose_choice import PoseChoice, best_poses
from armlab.calibration.real_file import read_real_arm, real_arm_of_text, real_arm_toml, write_real_arm
from armlab.calibration.static_pose import real_fk, real_frames, real_joints, real_robot
from armlab.calibration.tolerances import TOLERANCES, Tolerance, real_arm
from armlab.calibration.validate import ResidualMap, cross_validate, residual_map, simulated_poses

__all__ = [
    "TOLERANCES",
    "Calibration",
    "ClosedLoops",
    "Distances",
    "ErrorStatistics",
    "FoundParameter",
    "FoundTool",
    "FrameError",
    "Friction",
    "Model",
    "PathErrors",
    "PlaneTouches",
    "PoseChoice",
    "Poses",
    "Positions",
    "RealArm",
    "RealJoint",
    "RealSimulation",
    "ResidualMap",
    "SphereTouches",
    "Thermal",
    "Tolerance",
    "align",
    "best_poses",
    "calibrate",
    "choose_model",
    "compensate_joints",
    "compensated",
    "compensated_program",
    "cross_validate",
    "frame_by_three_points",
    "path_errors",
    "program_errors",
    "read_measurements",
    "read_real_arm",
    "real_arm",
    "real_arm_of_text",
    "real_arm_toml",
    "real_fk",
    "real_frames",
    "real_joints",
    "real_robot",
    "residual_map",
    "simulate_as",
    "simulated_poses",
    "tool_by_four_points",
    "tool_by_reference",
    "tool_by_six_points",
    "write_real_arm",
]
