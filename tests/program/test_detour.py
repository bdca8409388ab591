"""A joint move that touches something is told with the points of a free path."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from planning.scenes import sides, walled

import armlab
from armlab.collision import Checker
from armlab.program.check import check_program
from armlab.program.instructions import MoveJ


def test_points_of_a_detour_make_the_program_free() -> None:
    robot = armlab.load("ur5e")
    scene = walled(robot)
    start, goal = sides(robot)
    check = check_program(scene.robots[0].robot, [MoveJ((goal,))], scene=scene, start=start)
    assert [finding.code for finding in check.findings] == ["contact", "free_path"]
    note = check.findings[1]
    assert note.severity == "note"
    assert note.where["step"] == check.findings[0].where["step"]
    via = [np.radians([float(value) for value in text.split()]) for text in note.message.parameters["via"]]
    points = [start, *via, goal]
    assert all(Checker(scene).is_motion_free(a, b) for a, b in pairwise(points))
    moves = [MoveJ((q,), scheme="linear") for q in points[1:]]
    assert check_program(scene.robots[0].robot, moves, scene=scene, start=start).findings == []
