"""The ROS 2 messages that recordings hold: their fields, as text that readers of MCAP files understand."""

from __future__ import annotations

from types import MappingProxyType

ENCODING = "ros2msg"

_FIELDS = {
    "builtin_interfaces/Time": ("int32 sec", "uint32 nanosec"),
    "std_msgs/Header": ("builtin_interfaces/Time stamp", "string frame_id"),
    "geometry_msgs/Vector3": ("float64 x", "float64 y", "float64 z"),
    "geometry_msgs/Quaternion": ("float64 x 0", "float64 y 0", "float64 z 0", "float64 w 1"),
    "geometry_msgs/Transform": ("geometry_msgs/Vector3 translation", "geometry_msgs/Quaternion rotation"),
    "geometry_msgs/TransformStamped": (
        "std_msgs/Header header",
        "string child_frame_id",
        "geometry_msgs/Transform transform",
    ),
    "diagnostic_msgs/KeyValue": ("string key", "string value"),
    "diagnostic_msgs/DiagnosticStatus": (
        "byte OK=0",
        "byte WARN=1",
        "byte ERROR=2",
        "byte STALE=3",
        "byte level",
        "string name",
        "string message",
        "string hardware_id",
        "diagnostic_msgs/KeyValue[] values",
    ),
    "sensor_msgs/JointState": (
        "std_msgs/Header header",
        "string[] name",
        "float64[] position",
        "float64[] velocity",
        "float64[] effort",
    ),
    "geometry_msgs/Point": ("float64 x", "float64 y", "float64 z"),
    "geometry_msgs/Pose": ("geometry_msgs/Point position", "geometry_msgs/Quaternion orientation"),
    "geometry_msgs/PoseStamped": ("std_msgs/Header header", "geometry_msgs/Pose pose"),
    "sensor_msgs/Imu": (
        "std_msgs/Header header",
        "geometry_msgs/Quaternion orientation",
        "float64[9] orientation_covariance",
        "geometry_msgs/Vector3 angular_velocity",
        "float64[9] angular_velocity_covariance",
        "geometry_msgs/Vector3 linear_acceleration",
        "float64[9] linear_acceleration_covariance",
    ),
    "sensor_msgs/MagneticField": (
        "std_msgs/Header header",
        "geometry_msgs/Vector3 magnetic_field",
        "float64[9] magnetic_field_covariance",
    ),
    "tf2_msgs/TFMessage": ("geometry_msgs/TransformStamped[] transforms",),
    "builtin_interfaces/Duration": ("int32 sec", "uint32 nanosec"),
    "trajectory_msgs/JointTrajectoryPoint": (
        "float64[] positions",
        "float64[] velocities",
        "float64[] accelerations",
        "float64[] effort",
        "builtin_interfaces/Duration time_from_start",
    ),
    "trajectory_msgs/JointTrajectory": (
        "std_msgs/Header header",
        "string[] joint_names",
        "trajectory_msgs/JointTrajectoryPoint[] points",
    ),
    "control_msgs/InterfaceValue": ("string[] interface_names", "float64[] values"),
    "diagnostic_msgs/DiagnosticArray": ("std_msgs/Header header", "diagnostic_msgs/DiagnosticStatus[] status"),
}

JOINT_STATE = "sensor_msgs/msg/JointState"
TRANSFORMS = "tf2_msgs/msg/TFMessage"
JOINT_TRAJECTORY = "trajectory_msgs/msg/JointTrajectory"
DIAGNOSTICS = "diagnostic_msgs/msg/DiagnosticArray"
NAMED_VALUES = "control_msgs/msg/InterfaceValue"
IMU = "sensor_msgs/msg/Imu"
MAGNETIC_FIELD = "sensor_msgs/msg/MagneticField"
POSE = "geometry_msgs/msg/PoseStamped"
_KINDS = (JOINT_STATE, JOINT_TRAJECTORY, TRANSFORMS, DIAGNOSTICS, NAMED_VALUES, IMU, MAGNETIC_FIELD, POSE)


def _whole_text(kind: str) -> str:
    """Return the fields of a message, and after them those of every message that it is made of."""
    order = [kind]
    for name in order:  # grows while it is read
        types = (field.split()[0].split("[")[0] for field in _FIELDS[name])
        order += [t for t in dict.fromkeys(types) if t in _FIELDS and t not in order]
    parts = ["\n".join(_FIELDS[name]) + "\n" for name in order]
    headings = ["", *(f"{'=' * 80}\nMSG: {name}\n" for name in order[1:])]
    return "".join(heading + part for heading, part in zip(headings, parts, strict=True))


DEFINITIONS = MappingProxyType({name: _whole_text(name.replace("/msg/", "/")) for name in _KINDS})
"""The definition of each kind of message, by its full name."""
