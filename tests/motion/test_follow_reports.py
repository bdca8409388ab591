"""A path that cannot be followed: where, why, and what helps; never a silent jump."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.errors import PlanningFailed
from armlab.geometry import pose
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.follow.follow import FollowResult, ToolPathLike, attempt_follow, follow
from armlab.motion.follow.remedies import MovedPath
from armlab.motion.segments import line
from armlab.motion.toolpath.through import through

rad = np.radians


def shifted(T: Floats, x: float, y: float, z: float) -> Floats:
    """The pose moved in the world."""
    return np.asarray(pose.from_xyz([x, y, z]) @ T)


def the_error(followed: FollowResult) -> Finding:
    """The one error of a path that is not whole."""
    assert not followed.whole
    assert followed.path is None
    (finding,) = followed.findings
    assert finding.severity == "error"
    return finding


def through_the_wrist(miss: float) -> tuple[Robot, ToolPathLike, Floats]:
    """A sideways line that misses A5 = 0 by `miss` (m), and a start on an elbow-up branch."""
    robot = armlab.load("kuka-kr6-r900")
    T = shifted(robot.fk(rad([0, -90, 90, 0, 0, 0])), 0, 0, miss)
    path = line(shifted(T, 0, -0.15, 0), shifted(T, 0, 0.15, 0))
    start = next(
        s.q for s in armlab.all_ik(robot, path.at([0.0])[0]) if s.branch == "shoulder front, elbow up, wrist no-flip"
    )
    return robot, path, start


def test_the_end_of_the_reach_is_told_within_a_millimetre() -> None:
    robot = armlab.load("scara")
    inside = robot.fk([0.5, -1.0, -0.05, 0.5])
    path = line(inside, shifted(inside, 0.3, 0.1, 0))
    finding = the_error(attempt_follow(robot, path))
    s = np.linspace(0.0, path.length, 200_001)
    radius = np.linalg.norm(path.at(s)[:, :2, 3], axis=1)
    border = float(s[int(np.argmax(radius > 0.5))])
    assert finding.code == "path_ends_out_of_reach"
    assert abs(float(finding.where["path"]) - border) < 1e-3
    assert abs(float(finding.where["share"]) - border / path.length) < 1e-2
    assert f"{border * 1e3:.0f}" in str(finding.message)
    assert "between nodes 1 and 2" in str(finding.message)
    assert "out of reach" in str(finding.message)


def test_an_orientation_that_the_arm_cannot_have_is_told() -> None:
    robot = armlab.load("scara")
    T = robot.fk([0.5, -1.0, -0.05, 0.5])
    tilted = shifted(T, 0.1, 0, 0) @ pose.from_xyz_axis_angle([0, 0, 0], [1, 0, 0], 0.3)
    finding = the_error(attempt_follow(robot, line(T, tilted)))
    assert finding.code == "path_ends_out_of_reach"
    assert "4 axes cannot give the tool this orientation" in str(finding.message)
    assert float(finding.where["path"]) < 1e-3


def test_a_start_out_of_reach_is_told() -> None:
    robot = armlab.load("kuka-kr6-r900")
    T = pose.from_xyz([3.0, 0.0, 0.5])
    followed = attempt_follow(robot, line(T, shifted(T, 0, 0.1, 0)))
    assert the_error(followed).code == "path_start_unreachable"
    assert followed.reached == 0.0
    assert "cannot reach the start of the path" in str(the_error(followed).message)


def test_a_joint_that_would_leave_its_limit_is_named_at_its_place() -> None:
    robot = armlab.load("scara")
    q = np.array([2.2, 0.6, -0.05, 0.0])
    T = robot.fk(q)
    ends = pose.from_xyz_axis_angle([0, 0, 0], [0, 0, 1], 0.5) @ T
    path = line(T, ends)
    followed = attempt_follow(robot, path, start=q)
    finding = the_error(followed)
    assert finding.code == "path_ends_at_limit"
    assert finding.where["joint"] == "Q1"
    assert "upper limit 135.0°" in str(finding.message)
    at_limit = robot.fk(armlab.solve_ik(robot, path.at([followed.reached])[0], start=q))
    np.testing.assert_allclose(at_limit, path.at([followed.reached])[0], atol=1e-6)
    solution = armlab.solve_ik(robot, path.at([followed.reached])[0], start=np.array([2.35, 0.6, -0.05, 0.0]))
    assert abs(solution[0] - robot.upper[0]) < 1e-4


def test_a_line_exactly_through_a_straight_wrist_goes_on_smoothly_and_says_so() -> None:
    robot, path, start = through_the_wrist(0.0)
    followed = follow(robot, path, start=start)
    assert followed.path is not None
    (change,) = [f for f in followed.findings if f.code == "path_changes_branch"]
    assert change.severity == "warning"
    assert abs(float(change.where["path"]) - 0.15) < 1e-3
    assert followed.branch == "shoulder front, elbow up, wrist no-flip → shoulder front, elbow up, wrist flip"
    s = np.linspace(0.0, path.length, 3001)
    values = followed.path.values(s, 2)
    assert np.abs(robot.fk(np.ascontiguousarray(values[:, 0])) - path.at(s)).max() < 1e-6
    assert np.abs(np.diff(values[:, 0], axis=0)).max() < 1e-3
    assert np.abs(values[:, 1]).max() < 10.0


@pytest.mark.parametrize("miss", [1e-8, 1e-7, 1e-6, 1e-5])
def test_a_line_that_just_misses_a_straight_wrist_is_reported_and_not_jumped(miss: float) -> None:
    robot, path, start = through_the_wrist(miss)
    finding = the_error(attempt_follow(robot, path, start=start))
    assert finding.code == "path_ends_in_flip"
    assert finding.where["joint"] in {"A4", "A6"}
    assert abs(float(finding.where["path"]) - 0.15) < 1e-3
    assert finding.where["branch"] == "shoulder front, elbow up, wrist no-flip"
    assert "would have to move by" in str(finding.message)


@pytest.mark.parametrize("miss", [1e-3, 1e-2])
def test_a_line_near_a_straight_wrist_is_followed_with_a_warning(miss: float) -> None:
    robot, path, start = through_the_wrist(miss)
    followed = follow(robot, path, start=start)
    assert followed.path is not None
    (warning,) = [f for f in followed.findings if f.severity == "warning"]
    assert warning.code == "path_near_singularity"
    assert abs(float(warning.where["path"]) - 0.15) < 5e-3
    s = np.linspace(0.0, path.length, 30_001)
    fastest = np.abs(followed.path.values(s, 2)[:, 1]).max()
    assert float(warning.where["ratio"]) == pytest.approx(fastest, rel=0.05)
    assert warning.where["joint"] in {"A4", "A6"}
    rates = np.abs(followed.path.values(s, 2)[:, 1])
    allowed = (robot.velocity / rates[np.argmax(rates.max(axis=1))]).min()
    assert float(warning.where["remedy_speed"]) == pytest.approx(allowed, rel=0.05)
    assert "there the tool must slow down to" in str(warning.message)
    assert np.abs(robot.fk(np.ascontiguousarray(followed.path.values(s)[:, 0])) - path.at(s)).max() < 1e-6


def test_a_start_that_cannot_leave_a_singular_pose_is_reported() -> None:
    robot = armlab.load("kuka-kr6-r900")
    home = rad([0, -90, 90, 0, 0, 0])
    T = robot.fk(home)
    followed = attempt_follow(robot, line(T, shifted(T, 0, 0.15, 0)), start=home)
    assert the_error(followed).code in {"path_ends_in_flip", "path_ends_singular"}
    assert followed.reached < 1e-4


def test_every_place_is_told_by_its_pose() -> None:
    robot, path, start = through_the_wrist(1e-6)
    where = the_error(attempt_follow(robot, path, start=start)).where
    xyz = [float(where[axis]) for axis in "xyz"]
    np.testing.assert_allclose(xyz, path.at([float(where["path"])])[0][:3, 3], atol=1e-12)
    assert str(where["pose"]).startswith(f"{xyz[0] * 1e3:.3f} ")


def test_nodes_are_counted_where_the_path_ends() -> None:
    robot = armlab.load("scara")
    T = robot.fk([0.5, -1.0, -0.05, 0.5])
    path = through(np.stack([T, shifted(T, -0.05, 0, 0), shifted(T, -0.05, 0.05, 0), shifted(T, 0.3, 0.05, 0)]))
    assert "between nodes 3 and 4" in str(the_error(attempt_follow(robot, path)).message)


def applied(path: ToolPathLike, where: dict[str, float | int | str]) -> dict[str, ToolPathLike]:
    """The path with each of the remedies that a finding names."""
    remedies: dict[str, ToolPathLike] = {}
    if "remedy_shift" in where:
        shift = np.array([float(where[f"remedy_{axis}"]) for axis in "xyz"])
        assert np.linalg.norm(shift) == pytest.approx(float(where["remedy_shift"]))
        remedies["shift"] = MovedPath(path, shift, 0.0)
    if "remedy_turn" in where:
        remedies["turn"] = MovedPath(path, np.zeros(3), float(where["remedy_turn"]))
    return remedies


def test_remedies_that_are_named_really_work() -> None:
    robot, rng, tried = armlab.load("kuka-kr6-r900"), np.random.default_rng(0), set()
    for _ in range(40):
        a, b = (robot.lower + (robot.upper - robot.lower) * rng.random(6) for _ in range(2))
        path = line(robot.fk(a), robot.fk(0.6 * a + 0.4 * b))
        followed = attempt_follow(robot, path)
        if followed.whole:
            continue
        for kind, changed in applied(path, dict(the_error(followed).where)).items():
            tried.add(kind)
            again = follow(robot, changed)
            assert again.path is not None
            s = np.linspace(0.0, path.length, 200)
            assert np.abs(robot.fk(np.ascontiguousarray(again.path.values(s)[:, 0])) - changed.at(s)).max() < 1e-6
        if len(tried) == 2:
            break
    assert "shift" in tried


def test_another_branch_to_start_on_is_named_and_works() -> None:
    robot, path, start = through_the_wrist(1e-6)
    finding = the_error(attempt_follow(robot, path, start=start))
    better = [float(v) for v in str(finding.where["remedy_start"]).split()]
    followed = follow(robot, path, start=better)
    assert followed.branch == finding.where["remedy_branch"]
    assert f"a start on branch '{followed.branch}'" in str(finding.message)


def test_remedies_do_not_depend_on_the_time_that_a_search_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    robot, path, start = through_the_wrist(1e-6)
    finding = the_error(attempt_follow(robot, path, start=start))
    clock = itertools.count(0.0, 100.0)
    for name in ("time", "perf_counter", "monotonic", "process_time"):
        monkeypatch.setattr(time, name, lambda: next(clock))
    slow = the_error(attempt_follow(robot, path, start=start))
    assert slow == finding


def test_a_moved_path_is_the_path_moved() -> None:
    robot, path, _ = through_the_wrist(0.01)
    moved = MovedPath(path, np.array([0.1, 0.2, 0.3]), 0.4)
    s = np.linspace(0.0, path.length, 7)
    turn = pose.from_xyz_axis_angle([0, 0, 0], [0, 0, 1], 0.4)
    expected = pose.from_xyz([0.1, 0.2, 0.3]) @ path.at(s) @ turn
    np.testing.assert_allclose(moved.at(s), expected, atol=1e-12)
    assert moved.length == path.length
    np.testing.assert_array_equal(moved.derivatives(s), path.derivatives(s))
    assert robot.dof == 6


def test_a_joint_near_its_limit_gets_a_note() -> None:
    robot = armlab.load("scara")
    q = np.array([robot.upper[0] - 0.02, 0.6, -0.05, 0.0])
    T = robot.fk(q)
    inwards = pose.from_xyz_axis_angle([0, 0, 0], [0, 0, 1], -0.3) @ T
    followed = follow(robot, line(T, inwards), start=q)
    notes = [f for f in followed.findings if f.severity == "note"]
    assert [f.where["joint"] for f in notes if f.code == "path_near_limit"] == ["Q1"]
    assert "joint 'Q1' comes within 1.15° of its limit at 0.0 mm" in str(notes[0].message)


def test_follow_raises_what_attempt_follow_reports() -> None:
    robot = armlab.load("scara")
    T = robot.fk([0.5, -1.0, -0.05, 0.5])
    path = line(T, shifted(T, 0.3, 0, 0))
    finding = the_error(attempt_follow(robot, path))
    with pytest.raises(PlanningFailed, match="scara: can follow the path only to") as caught:
        follow(robot, path)
    assert caught.value.parameters["finding"] == "path_ends_out_of_reach"
    assert caught.value.parameters["path"] == pytest.approx(float(finding.where["path"]))


def test_a_searched_arm_without_a_solution_at_the_start_says_so() -> None:
    robot = armlab.load("xarm6")
    T = pose.from_xyz([2.0, 0.0, 0.3])
    followed = attempt_follow(robot, line(T, shifted(T, 0, 0.1, 0)))
    assert the_error(followed).code == "path_start_unreachable"
    assert math.isinf(followed.max_error)
