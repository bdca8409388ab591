"""The detector of overload, against rows of errors and efforts whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

import armlab
from armlab.dynamics import OverloadMonitor, payload_finding, with_payload
from armlab.dynamics.overload import FOLLOWING, LASTING, Overload

ARM = armlab.load("ur5e")
STEP = 0.01
LONG, SHORT = round(LASTING / STEP) + 2, round(LASTING / STEP) - 2


def monitor() -> OverloadMonitor[str]:
    return OverloadMonitor[str](ARM)


def rows(count: int, joint: int = 0, *, error: float = 0.0, share: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    errors, efforts = np.zeros((count, ARM.dof)), np.zeros((count, ARM.dof))
    errors[:, joint], efforts[:, joint] = error, share * ARM.effort[joint]
    return errors, efforts


def kinds(overloads: list[tuple[Overload, str]]) -> list[tuple[str, int, str]]:
    return [(one.kind, one.joint, place) for one, place in overloads]


def test_a_drive_that_stays_at_its_limit_is_told_with_joint_time_and_effort() -> None:
    watch = monitor()
    watch.take(1.0, STEP, *rows(10), "before")
    watch.take(1.0 + LONG * STEP, STEP, *rows(LONG, 2, share=-1.0), "there")
    assert kinds(watch.lasted()) == [("drive_saturated", 2, "there")]
    finding = watch.lasted()[0][0].finding(ARM)
    assert (finding.code, finding.severity) == ("drive_saturated", "error")
    assert finding.where["joint"] == "elbow"
    assert finding.where["time"] == pytest.approx(1.0)
    assert finding.where["duration"] == pytest.approx(LONG * STEP)
    assert finding.where["torque"] == pytest.approx(ARM.effort[2])


def test_a_joint_away_from_its_command_is_told_in_radians_and_shown_in_degrees() -> None:
    watch = monitor()
    watch.take(LONG * STEP, STEP, *rows(LONG, 1, error=-0.1), "there")
    finding = watch.lasted()[0][0].finding(ARM)
    assert finding.code == "not_followed"
    assert finding.where["error"] == pytest.approx(0.1)
    assert str(finding.message) == "joint 'shoulder' is 5.73 ° away from its command; 1 ° are allowed"


def test_peaks_and_values_within_the_bounds_are_not_told() -> None:
    watch = monitor()
    for _ in range(5):
        watch.take(1.0, STEP, *rows(SHORT, share=1.0), "peak")
        watch.take(1.0, STEP, *rows(1), "rest")
    watch.take(1.0, STEP, *rows(LONG, share=0.98), "strong")
    watch.take(1.0, STEP, *rows(LONG, error=0.99 * FOLLOWING["revolute"]), "near")
    assert watch.lasted() == []
    assert watch.now(1.0) == []


def test_what_lasts_is_added_up_over_blocks_of_rows_and_belongs_to_its_first_place() -> None:
    whole, split = monitor(), monitor()
    whole.take(LONG * STEP, STEP, *rows(LONG, 3, share=1.0, error=0.2), "all")
    for i in range(LONG):
        split.take((i + 1) * STEP, STEP, *rows(1, 3, share=1.0, error=0.2), f"row {i}")
    for (one, _place), (other, place) in zip(whole.lasted(), split.lasted(), strict=True):
        assert (one.kind, one.joint) == (other.kind, other.joint)
        np.testing.assert_allclose((one.start, one.duration, one.value), (other.start, other.duration, other.value))
        assert place == f"row {round(LASTING / STEP) - 1}"


def test_what_is_now_ends_when_the_joint_follows_again_but_has_lasted() -> None:
    watch = monitor()
    watch.take(LONG * STEP, STEP, *rows(LONG, error=0.2), "there")
    assert [(one.kind, one.joint) for one in watch.now(LONG * STEP)] == [("not_followed", 0)]
    watch.take((LONG + 1) * STEP, STEP, *rows(1), "after")
    assert watch.now((LONG + 1) * STEP) == []
    assert len(watch.lasted()) == 1


def test_half_of_the_effort_is_no_overload() -> None:
    robot = armlab.load("planar2")
    watch = OverloadMonitor[str](robot)
    watch.take(1.0, STEP, np.zeros((LONG, 2)), np.full((LONG, 2), 0.5 * robot.effort.min()), "")
    assert watch.lasted() == []


def test_tool_and_load_together_count_against_the_rating() -> None:
    gripped = armlab.load("ur5e", tool="gripper")
    assert payload_finding(gripped, 4.0) is None
    finding = payload_finding(gripped, 4.2)
    assert finding is not None
    assert (finding.code, finding.severity) == ("payload_exceeded", "error")
    assert finding.where == pytest.approx({"mass": 5.1, "rated": 5.0})
    assert payload_finding(with_payload(ARM, 5.0)) is None
    assert payload_finding(with_payload(ARM, 5.1)) is not None
    assert payload_finding(armlab.load("planar2"), 100.0) is None, "nobody rates it"
