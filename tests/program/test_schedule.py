from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from program.files import ABOVE, ASIDE, CARRY, scenario_in, written
from refusals import refused

import armlab
from armlab.errors import PlanningFailed
from armlab.program.executor.executor import SETTLE
from armlab.program.instructions import MotionSettings, MoveL, Program, Wait
from armlab.program.scenario import read_scenario
from armlab.program.schedule import Schedule, plan_program

Q = [10, -80, -100, -90, 90, 0]


def _planned(tmp_path: Path, *steps: dict[str, Any], **keys: Any) -> Schedule:
    made = scenario_in(tmp_path, *steps, **keys)
    return plan_program(made.scene.robot().robot, made.program)


def test_legs_follow_each_other_without_a_jump_of_position_velocity_or_time(tmp_path: Path) -> None:
    schedule = _planned(tmp_path, *CARRY, {"do": "wait", "seconds": 0.5})
    for before, after in zip(schedule.segments, schedule.segments[1:], strict=False):
        assert after.start == pytest.approx(before.end, abs=1e-12)
        end, start = before.trajectory.at(before.trajectory.duration), after.trajectory.at(0.0)
        np.testing.assert_allclose(start.q, end.q, atol=1e-9)
        np.testing.assert_allclose(start.qd, end.qd, atol=1e-9)
    assert schedule.trajectory.duration == pytest.approx(schedule.duration)
    assert armlab.verify(schedule.trajectory, schedule.robot) == []


def test_events_take_their_time_at_rest(tmp_path: Path) -> None:
    schedule = _planned(tmp_path, {"do": "wait", "seconds": 2}, {"do": "pick"}, {"do": "place"})
    assert [segment.trajectory.duration for segment in schedule.segments] == [2.0, SETTLE, SETTLE]
    assert schedule.duration == pytest.approx(2 + 2 * SETTLE)
    np.testing.assert_array_equal(schedule.trajectory.sample([0.0, 1.0, 2.5]).qd, 0.0)


def test_stop_ends_the_program_and_a_move_to_where_the_arm_is_takes_no_time(tmp_path: Path) -> None:
    steps: list[dict[str, Any]] = [
        {"do": "move", "to": Q},
        {"do": "move", "to": Q},
        {"do": "stop"},
        {"do": "move", "to": "home"},
    ]
    schedule = _planned(tmp_path, *steps)
    assert [segment.index for segment in schedule.segments] == [0]
    again: list[dict[str, Any]] = [{"do": "move", "to_pose": ABOVE}, {"do": "move", "to_pose": ABOVE, "path": "line"}]
    assert [segment.index for segment in _planned(tmp_path, *again).segments] == [0]


def test_a_straight_step_is_straight_and_keeps_its_tool_speed(tmp_path: Path) -> None:
    aside = {"do": "move", "to_pose": ASIDE, "path": "line", "tool_speed": 100}
    steps: list[dict[str, Any]] = [{"do": "move", "to_pose": ABOVE}, aside]
    schedule = _planned(tmp_path, *steps)
    trajectory = schedule.segments[1].trajectory
    state = trajectory.sample(trajectory.times(0.01))
    points = schedule.robot.fk(state.q)[:, :3, 3]
    np.testing.assert_allclose(points[:, [0, 2]], np.tile([0.4, 0.25], (len(points), 1)), atol=1e-6)
    speeds = np.linalg.norm(np.einsum("mij,mj->mi", schedule.robot.jacobian(state.q)[:, :3], state.qd), axis=1)
    assert 0.09 < speeds.max() <= 0.1 * (1 + 1e-6)


def test_a_pose_is_reached_on_the_branch_that_the_arm_is_on(tmp_path: Path) -> None:
    schedule = _planned(tmp_path, {"do": "move", "to_pose": ASIDE})
    before, after = schedule.trajectory.start, schedule.trajectory.end
    assert armlab.branch_of(schedule.robot, before) == armlab.branch_of(schedule.robot, after)


def test_less_speed_takes_longer(tmp_path: Path) -> None:
    fast, slow = (_planned(tmp_path, {"do": "move", "to": Q, "speed": speed}) for speed in (100, 20))
    assert slow.duration > 1.5 * fast.duration
    peak = slow.trajectory.pieces.extremes(1)
    assert (np.maximum(-peak.low, peak.high) <= 0.2 * slow.robot.velocity * (1 + 1e-9)).all()


def test_an_arm_with_few_axes_moves_straight_where_only_the_position_counts(tmp_path: Path) -> None:
    step = {"do": "move", "to_pose": [300, 100, 0, 0, 0, 0], "path": "line", "task": "position"}
    made = read_scenario(written(tmp_path, step, arm="planar2"))
    end = plan_program(made.scene.robot().robot, made.program).trajectory.end
    np.testing.assert_allclose(made.scene.robot().robot.fk(end)[:3, 3], [0.3, 0.1, 0.0], atol=1e-6)


def test_times_that_break_a_limit_are_told_with_the_step(tmp_path: Path) -> None:
    schedule = _planned(tmp_path, {"do": "wait", "seconds": 1}, {"do": "move", "to": Q, "times": [0.05]})
    findings = schedule.segments[1].findings
    assert {f.code for f in findings} == {"velocity_limit", "acceleration_limit"}
    assert all(str(f.message).startswith("step 2: joint") and f.where["step"] == 2 for f in findings)
    assert all(1.0 <= float(f.where["time"]) <= 1.05 for f in findings)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ({"do": "move", "to_pose": [5000, 0, 0, 0, 0, 0]}, "step 2: ur5e cannot reach"),
        ({"do": "move", "to_pose": [5000, 0, 0, 0, 0, 0], "path": "line"}, "step 2: ur5e: can follow the path only to"),
        ({"do": "move", "to": Q, "scheme": "best"}, "step 2: no scheme named 'best'"),
        ({"do": "move", "to": Q, "scheme": "4-3-4"}, "step 2: points: scheme .4-3-4. takes four"),
        ({"do": "move", "to": Q, "times": [1, 2]}, "step 2: times: expected 1, one for each segment, got 2"),
        ({"do": "move", "to": Q, "via": [Q]}, "step 2: points 2 and 3 are the same"),
        ({"do": "move", "through": [ABOVE, ABOVE], "path": "line"}, "step 2: frames: node 2 and node 3 are the same"),
    ],
)
def test_a_step_that_cannot_be_planned_is_told_with_its_number_and_the_reason(
    tmp_path: Path, step: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(PlanningFailed, match=sentence) as caught:
        _planned(tmp_path, {"do": "wait", "seconds": 1}, step)
    assert caught.value.parameters["step"] == 2


def test_instructions_without_a_source_are_called_by_their_place() -> None:
    robot = armlab.load("planar2")
    far = robot.fk(robot.home)
    far[0, 3] = 9.0
    with refused("path_ends_out_of_reach", PlanningFailed, step=2, robot="planar2", where="instruction 2"):
        plan_program(
            robot, Program("p", robot.home, (Wait(1.0), MoveL((far,), settings=MotionSettings(task="position"))))
        )
