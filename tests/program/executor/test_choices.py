"""What a move leaves open is chosen by one rule: the nearest, and corners as the move says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from program.executor.runs import ARM, BLENDED, at

from armlab.kinematics.all_ik import all_ik, branch_of
from armlab.kinematics.closed.status import kuka_turn, status_function
from armlab.kinematics.ik import solve_ik
from armlab.program.executor.configuration import configured
from armlab.program.executor.pieces import Numbered
from armlab.program.executor.single import joints_of
from armlab.program.executor.tool_segments import segments_of
from armlab.program.instructions import Blend, Configuration, MoveJ, MoveL


def test_of_all_solutions_with_a_status_or_a_turn_the_nearest_is_taken() -> None:
    status_of = status_function(ARM)
    assert status_of is not None
    rng = np.random.default_rng(6)
    several = 0
    for _ in range(30):
        target, q = rng.uniform(ARM.lower, ARM.upper, (2, ARM.dof))
        every = [one.q for one in all_ik(ARM, ARM.fk(target), turns=True)]
        for wanted in (
            Configuration(int(status_of(target[None])[0]), None),
            Configuration(None, kuka_turn(target)),
            Configuration(None, None),
        ):
            fitting = [
                one
                for one in every
                if wanted.turn in {None, kuka_turn(one)} and wanted.status in {None, int(status_of(one[None])[0])}
            ]
            several += len(fitting) > 1
            found = configured(ARM, ARM.fk(target), q, wanted, "pose")
            assert np.abs(found - q).max() == pytest.approx(min(np.abs(one - q).max() for one in fitting), abs=1e-9)
    assert several > 30


def test_a_joint_move_to_a_pose_stays_on_the_branch_of_the_arm_by_the_shortest_turn() -> None:
    rng = np.random.default_rng(7)
    kept = 0
    for _ in range(120):
        q, target = rng.uniform(ARM.lower, ARM.upper, (2, ARM.dof))
        T, branch = ARM.fk(target), branch_of(ARM, q)
        (found,) = joints_of(ARM, q, MoveJ((T,), settings=BLENDED))
        np.testing.assert_allclose(ARM.fk(found), T, atol=1e-6)
        same = [np.abs(one.q - q).max() for one in all_ik(ARM, T, turns=True) if one.branch == branch]
        if same:
            assert branch_of(ARM, found) == branch
            if branch_of(ARM, solve_ik(ARM, T, start=q)) != branch:  # the search went elsewhere: all are looked at
                kept += 1
                assert np.abs(found - q).max() == pytest.approx(min(same), abs=1e-9)
    assert kept >= 3


@pytest.mark.parametrize("corners", [None, Blend(radius=0.02)])
def test_corners_between_the_frames_of_a_move_are_its_own(corners: Blend | None) -> None:
    settings = replace(BLENDED, blend=Blend(radius=0.005))
    frames = (at(0.4, 0.1), at(0.4, 0.2), at(0.5, 0.2))
    move = MoveL(frames, corners=corners, settings=settings)
    found = list(segments_of(Numbered(0, move), at(0.4, 0.0)))
    inner = settings.blend if corners is None else corners
    assert [segment.blend for segment in found] == [inner, inner, settings.blend]
