"""Tool and base by touching points, as controllers do it."""

from __future__ import annotations

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.calibration import align, frame_by_three_points, tool_by_four_points, tool_by_reference, tool_by_six_points
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.model.parts import Tool

ROBOT = armlab.load("kuka-kr6-r700")
T_FLANGE_TOOL = pose.from_xyz_abc([0.05, -0.02, 0.15], np.radians([20.0, -30.0, 40.0]))
HELD = ROBOT.with_tool(Tool("probe", "pen", T_FLANGE_TOOL))
POINT = np.array([0.45, 0.1, 0.35])


def touching(turns: Floats) -> Floats:
    """Return joints that put the true tool at POINT, turned in several ways."""
    down = pose.from_xyz_abc(POINT, np.radians([0.0, 90.0, 0.0]))
    targets = [down @ pose.from_xyz_abc([0, 0, 0], turn) for turn in turns]
    return np.array([armlab.solve_ik(HELD, T, start=HELD.home) for T in targets])


TURNS = np.radians([[0, 0, 0], [25, 0, 0], [0, 20, 0], [0, 0, 25], [-15, 10, 10]])


def test_four_points_find_the_tool_point() -> None:
    found = tool_by_four_points(ROBOT, touching(TURNS[:4]))
    np.testing.assert_allclose(found.T_flange_tool[:3, 3], T_FLANGE_TOOL[:3, 3], atol=1e-6)
    np.testing.assert_allclose(found.point, POINT, atol=1e-6)
    assert found.errors.max() < 1e-6


def test_a_missed_point_shows_in_the_errors() -> None:
    q = touching(TURNS)
    q[2, 1] += 0.005
    assert tool_by_four_points(ROBOT, q).errors.max() > 1e-4


def test_a_reference_point_finds_the_tool_with_one_row() -> None:
    found = tool_by_reference(ROBOT, touching(TURNS[:1]), POINT)
    np.testing.assert_allclose(found.T_flange_tool[:3, 3], T_FLANGE_TOOL[:3, 3], atol=1e-6)


def test_six_points_find_the_whole_tool_frame() -> None:
    q = touching(TURNS[[1, 2, 3, 0]])
    T = HELD.fk(q[3])
    along = [T @ pose.from_xyz(step) for step in ([0.05, 0, 0], [0, 0, 0.05])]
    rows = np.array([*q, *(armlab.solve_ik(HELD, goal, start=q[3]) for goal in along)])
    np.testing.assert_allclose(tool_by_six_points(ROBOT, rows).T_flange_tool, T_FLANGE_TOOL, atol=1e-5)


def test_three_points_find_a_frame() -> None:
    T = pose.from_xyz_abc([0.3, -0.2, 0.1], np.radians([30.0, 5.0, -10.0]))
    points = pose.transform(T, np.array([[0, 0, 0], [0.2, 0, 0], [-0.03, 0.1, 0]]))
    np.testing.assert_allclose(frame_by_three_points(points), T, atol=1e-12)


def test_alignment_finds_where_the_arm_stands() -> None:
    T_world_base = pose.from_xyz_abc([2.0, 1.0, -0.5], [1.0, 0.2, 3.0])
    q = np.random.default_rng(1).uniform(ROBOT.lower, ROBOT.upper, (10, 6))
    np.testing.assert_allclose(align(q, ROBOT, ROBOT.with_base(T_world_base).fk(q)[:, :3, 3]), T_world_base, atol=1e-9)


def test_points_that_fix_nothing_are_refused() -> None:
    same = np.repeat(touching(TURNS[:1]), 4, axis=0)
    for call in (
        lambda: tool_by_four_points(ROBOT, same),
        lambda: tool_by_four_points(ROBOT, same[:2]),
        lambda: tool_by_six_points(ROBOT, touching(TURNS)),
        lambda: frame_by_three_points(np.diag([0.1, 0.0, 0.0])),
        lambda: frame_by_three_points(np.array([[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]])),
        lambda: align(np.zeros((2, 6)), ROBOT, np.zeros((2, 3))),
    ):
        with pytest.raises(InvalidInput):
            call()
