"""ISO 9283, manipulating industrial robots: performance criteria and test methods, on simulated or recorded arms."""

from armlab.calibration.iso9283.characteristics import (
    CornerCharacteristics,
    DistanceCharacteristics,
    PathCharacteristics,
    PoseCharacteristics,
    corner_characteristics,
    distance_characteristics,
    path_characteristics,
    pose_characteristics,
)
from armlab.calibration.iso9283.cube import MeasuringPlane, measuring_plane
from armlab.calibration.iso9283.recorded import read_attained, recorded_iso9283
from armlab.calibration.iso9283.recorded_paths import commanded_paths, read_paths, recorded_paths, write_commanded
from armlab.calibration.iso9283.simulated import IsoTest, PathTest, compliance, pose_cycle, simulate_iso9283

__all__ = [
    "CornerCharacteristics",
    "DistanceCharacteristics",
    "IsoTest",
    "MeasuringPlane",
    "PathCharacteristics",
    "PathTest",
    "PoseCharacteristics",
    "commanded_paths",
    "compliance",
    "corner_characteristics",
    "distance_characteristics",
    "measuring_plane",
    "path_characteristics",
    "pose_characteristics",
    "pose_cycle",
    "read_attained",
    "read_paths",
    "recorded_iso9283",
    "recorded_paths",
    "simulate_iso9283",
    "write_commanded",
]
