"""Fixtures that every test may use."""

from __future__ import annotations

import atexit
import os
import tempfile

import numpy as np
import pytest
from hypothesis import settings

from armlab.geometry import pose
from armlab.jobs import preload
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot

settings.register_profile("armlab", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("armlab")
os.environ.setdefault("NO_COLOR", "1")
_DATA = tempfile.TemporaryDirectory()  # recordings of servers that tests start
atexit.register(_DATA.cleanup)
os.environ["ARMLAB_DATA"] = _DATA.name
preload(["armlab.server.job_process"])  # before any test starts the process that jobs are forked from
os.environ["ARMLAB_LANG"] = "en"  # whatever the locale of who runs the tests


@pytest.fixture
def robot() -> Robot:
    """A made-up arm with a turning, a sliding and a turning joint."""
    at = pose.from_xyz
    joints = (
        Joint("turn", "revolute", at([0, 0, 0.3]), np.array([0, 0, 1.0]), -2.5, 2.5, velocity=3.0),
        Joint("slide", "prismatic", at([0.2, 0, 0]), np.array([1.0, 0, 0]), 0.0, 0.4, velocity=0.5),
        Joint("bend", "revolute", at([0.1, 0, 0]), np.array([0, -1.0, 0]), -2.0, 2.0),
    )
    return Robot(
        name="made-up",
        joints=joints,
        links=tuple(Link(f"link_{i}") for i in range(4)),
        home=np.array([0.1, 0.2, 0.3]),
        source="made up for tests",
        flange=at([0.15, 0, 0]),
        configurations={"out": np.array([0.0, 0.4, 0.0])},
    )
