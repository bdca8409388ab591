"""A pinhole camera: its depths are those of a laser, its picture shows what is in front."""

from __future__ import annotations

import math

import numpy as np
import pytest

import armlab
from armlab.errors import InvalidInput
from armlab.figures.camera import PinholeCamera, SceneCamera, photograph
from armlab.geometry import pose
from armlab.sensing.mount import Mount
from armlab.sensing.sensor import Sensor, SensorSpec

CAMERA = PinholeCamera(60, 40, math.radians(70.0))
SQUARE = np.array([[[-1.0, -1, 2], [1, -1, 2], [1, 1, 2]], [[-1, -1, 2], [1, 1, 2], [-1, 1, 2]]])


def test_a_square_in_front_has_its_depth_and_its_size() -> None:
    camera = PinholeCamera(200, 200, math.radians(90.0))
    image = photograph(camera, np.eye(4), SQUARE, np.tile([1.0, 0.0, 0.0], (2, 1)))
    inside = np.isfinite(image.depth)
    np.testing.assert_allclose(image.depth[inside], 2.0, atol=1e-12)
    assert inside.sum() == 100 * 100  # a square of 2 m at 2 m fills half the width of 90°
    assert (image.colours[inside][:, 1] == 0).all()


def test_the_nearer_of_two_squares_is_seen_and_what_is_behind_is_not() -> None:
    near = SQUARE * 0.5
    corners = np.concatenate([SQUARE, near, -SQUARE])
    image = photograph(CAMERA, np.eye(4), corners, np.tile([0.5, 0.5, 0.5], (6, 1)))
    assert image.depth[20, 30] == pytest.approx(1.0)
    nothing = photograph(CAMERA, np.eye(4), -SQUARE, np.ones((2, 3)))
    assert np.isinf(nothing.depth).all()


def test_a_tilted_plane_has_the_depths_of_its_rays() -> None:
    T = pose.from_xyz_rpy([0.3, -0.2, 1.5], [math.pi + 0.3, 0.2, 0.1])
    floor = 20.0 * np.array([[[-1.0, -1, 0], [1, -1, 0], [1, 1, 0]], [[-1, -1, 0], [1, 1, 0], [-1, 1, 0]]])
    image = photograph(CAMERA, T, floor, np.ones((2, 3)))
    row, column = 11, 47
    ray = np.array([(column + 0.5 - 30) / CAMERA.focal_length, (row + 0.5 - 20) / CAMERA.focal_length, 1.0])
    assert image.depth[row, column] == pytest.approx(-1.5 / (T[:3, :3] @ ray)[2], rel=1e-9)


def test_a_camera_in_a_simulation_measures_what_a_laser_does() -> None:
    scene = armlab.load_scene("s5-rig")
    simulation = armlab.Simulation(scene)
    T = pose.from_xyz_rpy([0.5, 0.1, -0.05], [math.pi, 0, 0])
    camera = SceneCamera(scene, Mount("bar", T), PinholeCamera(61, 41))
    sensor = Sensor(SensorSpec("camera", camera, rate_hz=50.0))
    sensor.attach(simulation)
    simulation.step(20)
    depth = next(sensor.readings()).value
    laser = simulation.measure().distance("bar", T, np.array([[0.0, 0.0, 1.0]]))
    assert depth[20, 30] == pytest.approx(laser[0], abs=1e-6)
    image = camera.photograph(simulation.measure())
    assert image.colours.shape == (41, 61, 3)


def test_impossible_cameras_are_refused() -> None:
    with pytest.raises(InvalidInput):
        PinholeCamera(0, 10)
    with pytest.raises(InvalidInput):
        PinholeCamera(field_of_view=4.0)
