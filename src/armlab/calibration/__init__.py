"""The real arm: what the drawing does not say, how to find it out, and how to make up for it.

`RealArm` is a nominal arm with its errors; `real_fk` says where its tool really is. Joint values `q` are always those
that the nominal controller counts.
"""

from armlab.calibration.arm import FrameError, Friction, RealArm, RealJoint, Thermal
from armlab.calibration.plant import RealSimulation, simulate_as
from armlab.calibration.real_file import read_real_arm, real_arm_toml, write_real_arm
from armlab.calibration.static_pose import real_fk, real_joints, real_robot
from armlab.calibration.tolerances import TOLERANCES, Tolerance, real_arm

__all__ = [
    "TOLERANCES",
    "FrameError",
    "Friction",
    "RealArm",
    "RealJoint",
    "RealSimulation",
    "Thermal",
    "Tolerance",
    "read_real_arm",
    "real_arm",
    "real_arm_toml",
    "real_fk",
    "real_joints",
    "real_robot",
    "simulate_as",
    "write_real_arm",
]
