"""Recording: what a simulation did, as files that other programs open.

A recording is an MCAP file of standard ROS 2 messages: /joint_states, /tf, /imu/NAME and /diagnostics. Foxglove and the
tools of ROS 2 open it as it is.
"""

from armlab.recording.exports import export_csv, export_parquet
from armlab.recording.recorder import ImuReading, Recorder
from armlab.recording.recording import ImuSeries, Recording, read_recording, recover

__all__ = [
    "ImuReading",
    "ImuSeries",
    "Recorder",
    "Recording",
    "export_csv",
    "export_parquet",
    "read_recording",
    "recover",
]
