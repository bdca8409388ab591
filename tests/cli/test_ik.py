from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import armlab
from armlab.cli.main import run

Captured = pytest.CaptureFixture[str]


def _json(capsys: Captured, *arguments: str, status: int = 0) -> dict[str, Any]:
    assert run([*arguments, "--json"]) == status
    report = json.loads(capsys.readouterr().out)
    assert isinstance(report, dict)
    return report


def test_ik_gives_the_joints_that_fk_took(capsys: Captured) -> None:
    report = _json(capsys, "ik", "kuka-kr6-r900", "525", "0", "890", "0", "90", "0", "--start", "0,-90,90,0,10,0")
    assert report["converged"] is True
    (solution,) = report["solutions"]
    assert set(solution) == {"q", "branch", "position_error", "rotation_error"}
    assert run(["fk", "kuka-kr6-r900", *(str(v) for v in solution["q"]), "--json"]) == 0
    np.testing.assert_allclose(json.loads(capsys.readouterr().out)["xyz"], [525, 0, 890], atol=1e-4)


def test_ik_all_lists_every_solution_with_its_branch(capsys: Captured) -> None:
    robot = armlab.load("scara")
    x, y, z = robot.fk(robot.home)[:3, 3] * 1e3
    a, b, c = np.degrees(armlab.pose.as_abc(robot.fk(robot.home)))
    report = _json(capsys, "ik", "scara", *(repr(float(v)) for v in (x, y, z, a, b, c)), "--all")
    branches = {s["branch"] for s in report["solutions"]}
    assert branches == set(armlab.branch_names(robot))
    assert run(["ik", "scara", *(repr(float(v)) for v in (x, y, z, a, b, c)), "--all"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in branches)


def test_without_an_orientation_only_the_position_counts(capsys: Captured) -> None:
    report = _json(capsys, "ik", "planar3", "-10", "35", "0", "--start", "30,30,20")
    (solution,) = report["solutions"]
    T = armlab.load("planar3").fk(np.radians(solution["q"]))
    np.testing.assert_allclose(T[:2, 3] * 1e3, [-10, 35], atol=1e-3)


def test_a_redundant_arm_tells_how_far_its_joint_is_free(capsys: Captured) -> None:
    report = _json(capsys, "ik", "franka-panda", "400", "0", "500", "0", "0", "180", "--all")
    assert all(f["lower"] <= f["value"] <= f["upper"] for s in report["solutions"] for f in s["free"])


def test_an_unreachable_pose_ends_with_status_1_and_the_reason(capsys: Captured) -> None:
    report = _json(capsys, "ik", "planar2", "700", "0", "0", status=1)
    assert (report["converged"], report["solutions"]) == (False, [])
    assert (report["code"], report["reason"]) == ("out_of_reach", "the point is 200.0 mm out of reach")
    assert report["parameters"]["gap"] == pytest.approx(200.0)
    assert run(["ik", "planar2", "700", "0", "0"]) == 1
    assert "200.0 mm out of reach" in capsys.readouterr().out


def test_why_says_what_kills_each_branch_and_what_is_nearest(capsys: Captured) -> None:
    robot = armlab.load("kuka-kr6-r900")
    T = robot.fk(np.radians([0, -90, 90, 0, 125, 0]))
    target = [repr(float(v)) for v in (*(T[:3, 3] * 1e3), *np.degrees(armlab.pose.as_abc(T)))]
    report = _json(capsys, "why", robot.name, *target)
    assert report["reachable"] is False
    assert any(b["joint"] == "A5" and abs(b["excess"] - 5.0) < 1e-6 for b in report["branches"])
    for said, text in ((report, "summary"), *((branch, "sentence") for branch in report["branches"])):
        assert said["code"]
        assert said[text]
        shown = [value for value in said["parameters"].values() if isinstance(value, str)]
        assert all(value in said[text] for value in shown), "the text is made of the parameters"
    assert run(["why", robot.name, *target]) == 0
    text = capsys.readouterr().out
    assert "joint 'A5' would be" in text
    assert "nearest pose:" in text
    assert run(["why", "planar2", "300", "100", "0"]) == 0
    assert "can be reached" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ik", "planar2", "1", "2"), "a target is X Y Z or X Y Z A B C"),
        (("ik", "planar2", "1", "2", "x"), "target value: 'x' is not a number"),
        (("ik", "planar2", "1", "2", "inf"), "target value: inf is not a finite number"),
        (("ik", "planar2", "1", "2", "3", "--start", "1"), "planar2: joint values needed: 2"),
        (("ik", "planar3", "1", "2", "3", "--start", "0,0,0"), "start: joint 'theta1': 0.0° is outside 20.0° … 160.0°"),
        (("ik", "planar2", "1", "2", "3", "--task", "upside"), "'upside' is not one of pose, position"),
        (("why", "ur55", "1", "2", "3"), "no robot named 'ur55'"),
    ],
)
def test_wrong_input_gets_one_sentence_and_status_2(
    capsys: Captured, arguments: tuple[str, ...], sentence: str
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err
    assert captured.err.count("\n") == 1


def test_ik_all_prints_one_row_per_branch_and_turns_the_rest(capsys: Captured) -> None:
    target = ("ur5e", "400", "100", "300", "0", "0", "180")
    branches = armlab.branch_names(armlab.load("ur5e"))
    one = _json(capsys, "ik", *target, "--all")
    every = _json(capsys, "ik", *target, "--all", "--turns")
    assert sorted(s["branch"] for s in one["solutions"]) == sorted(branches)
    assert len(every["solutions"]) == 512
    assert set(one) == set(every)
    listed = [(s["branch"], s["q"]) for s in every["solutions"]]
    assert all((s["branch"], s["q"]) in listed for s in one["solutions"])
    assert _json(capsys, "ik", *target, "--turns") == every


def test_errors_of_a_solution_are_in_millimetres_and_degrees(capsys: Captured) -> None:
    """A point above the plane of two links and a tilt, both below what the gate lets through, are left over."""
    robot = armlab.load("planar2")
    T = robot.fk([0.5, 0.8]) @ armlab.pose.from_xyz_rpy([0, 0, 4e-7], [6e-7, 0, 0])
    a, b, c = np.degrees(armlab.pose.as_abc(T))
    target = (*(repr(float(v)) for v in (*(T[:3, 3] * 1e3), a, b, c)), "--task", "pose")
    for option in ((), ("--all",)):
        for solution in _json(capsys, "ik", robot.name, *target, *option)["solutions"]:
            away = robot.fk(np.radians(solution["q"])) - T
            turn = np.linalg.norm(away[:3, :3]) / np.sqrt(2.0)
            assert solution["position_error"] == pytest.approx(np.linalg.norm(away[:3, 3]) * 1e3, rel=1e-2)
            assert solution["rotation_error"] == pytest.approx(np.degrees(turn), rel=1e-2)
            assert solution["rotation_error"] == pytest.approx(np.degrees(6e-7), rel=0.1)
