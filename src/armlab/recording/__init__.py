"""Recording: what an arm did and was told to do, as one type, and as files that other programs open.

A recording on the disk is an MCAP file of standard ROS 2 messages; Foxglove and the tools of ROS 2 open it as it is.
CSV and Parquet files hold the same columns.
"""

from armlab.recording.exports import export_csv, export_mcap, export_parquet, export_recording
from armlab.recording.folder import RecordingFolder
from armlab.recording.reader import read_recording, recover
from armlab.recording.recorder import Recorder
from armlab.recording.recording import QUANTITIES, SIGNALS, Recording

__all__ = [
    "QUANTITIES",
    "SIGNALS",
    "Recorder",
    "Recording",
    "RecordingFolder",
    "export_csv",
    "export_mcap",
    "export_parquet",
    "export_recording",
    "read_recording",
    "recover",
]
