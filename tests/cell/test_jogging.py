"""Hold to move."""

from __future__ import annotations

import numpy as np
import pytest
from cell.driven import READY, TICK, Driven

from armlab.cell.jogging import BEAT_S, JOINT_SHARE, TOOL_SPEED
from armlab.cell.wire import Flag
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.motion.limits import limits_of


@pytest.fixture(scope="module")
def ready() -> Driven:
    driven = Driven()
    driven.go(*READY)
    return driven


def held(driven: Driven, seconds: float, *shares: float, frame: str = "") -> None:
    """Hold a key: a beat every 50 ms."""
    for _ in range(round(seconds / (3 * TICK))):
        if frame:
            driven.jog_tool(*shares, frame=frame)
        else:
            driven.jog(*shares)
        driven.wait(3 * TICK)


def test_a_held_joint_moves_at_its_jog_speed() -> None:
    driven = Driven()
    held(driven, 1.0, 1.0, 0, 0, 0, 0, 0)
    assert driven.flags & Flag.JOGGING
    speed = np.diff(driven.commands()[:, 0])[-10:] / TICK
    np.testing.assert_allclose(speed, JOINT_SHARE * driven.session.robot.velocity[0], rtol=1e-6)


def test_the_arm_stops_after_the_last_beat_and_says_so() -> None:
    driven = Driven()
    held(driven, 0.5, 0.5, 0, 0, 0, 0, 0)
    before = len(driven.commands())
    driven.wait(1.0)
    speed = np.abs(np.diff(driven.commands()[before - 1 :, 0])) / TICK
    braking = round((BEAT_S + 0.2) / TICK)
    assert (speed[: round((BEAT_S - 3 * TICK) / TICK) - 2] > 0.1).all()
    assert not speed[braking:].any()
    assert driven.notices() == ["jog_stopped"]
    assert not driven.flags & (Flag.JOGGING | Flag.MOVING)


def test_limits_hold_in_all_that_jogging_commands() -> None:
    driven = Driven()
    rng = np.random.default_rng(5)
    for _ in range(25):
        shares = rng.uniform(-1.0, 1.0, 6)
        if rng.random() < 0.5:
            driven.jog(*shares)
        else:
            driven.jog_tool(*shares, frame=str(rng.choice(["base", "tool"])))
        driven.wait(float(rng.uniform(0.05, 0.6)))
    q, limits = driven.commands(), limits_of(driven.session.robot)
    qd = np.diff(q, axis=0) / TICK
    assert ((q >= limits.lower - 1e-9) & (q <= limits.upper + 1e-9)).all()
    assert (np.abs(qd) <= limits.velocity * (1 + 1e-6)).all()
    assert (np.abs(np.diff(qd, axis=0)) / TICK <= limits.acceleration * (1 + 1e-6)).all()


@pytest.mark.parametrize("frame", ["base", "tool"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_tool_that_is_jogged_keeps_its_line_and_its_orientation(frame: str, axis: int) -> None:
    driven = Driven()
    driven.go(*READY)
    robot, before = driven.session.robot, len(driven.commands())
    T = robot.fk(driven.commands()[-1])
    shares = [0.0] * 6
    shares[axis] = -0.5
    held(driven, 0.8, *shares, frame=frame)
    driven.wait(0.6)
    poses = robot.fk(driven.commands()[before:].copy())
    way = -(np.eye(3) if frame == "base" else T[:3, :3])[:, axis]
    moved = poses[:, :3, 3] - T[:3, 3]
    along = moved @ way
    assert along[-1] > 0.5 * 0.5 * TOOL_SPEED * 0.8
    assert np.abs(moved - np.outer(along, way)).max() < 1e-3
    turns = pose.rotation_vector(poses[:, :3, :3] @ T[:3, :3].T)
    assert np.abs(turns).max() < 4e-3


def test_a_tool_that_is_turned_stays_at_its_point() -> None:
    driven = Driven()
    driven.go(*READY)
    robot, before = driven.session.robot, len(driven.commands())
    p = robot.fk(driven.commands()[-1])[:3, 3]
    held(driven, 0.8, 0, 0, 0, 0, 0.5, 0, frame="tool")
    driven.wait(0.5)
    poses = robot.fk(driven.commands()[before:].copy())
    assert np.abs(poses[:, :3, 3] - p).max() < 1e-3
    assert np.linalg.norm(pose.rotation_vector(poses[-1, :3, :3] @ poses[0, :3, :3].T)) > 0.1


def test_the_base_frame_is_that_of_the_arm() -> None:
    driven = Driven(base=[0, 0, 0, 90, 0, 0])
    driven.go(*READY)
    before = driven.tool
    held(driven, 0.5, -0.5, 0, 0, 0, 0, 0, frame="base")
    driven.wait(0.5)
    moved = (driven.tool - before)[:3]
    assert moved[1] < -20.0
    assert np.abs(moved[[0, 2]]).max() < 0.5


def test_a_jog_of_the_tool_stops_before_a_joints_limit_and_says_so() -> None:
    driven = Driven("planar3")
    for _ in range(200):
        driven.jog_tool(0, 1.0, 0, 0, 0, 0)
        driven.wait(3 * TICK)
    assert set(driven.notices()) & {"limit_reached", "singular"}
    robot = driven.session.robot
    q = driven.commands()
    assert ((q >= robot.lower - 1e-9) & (q <= robot.upper + 1e-9)).all()


def test_an_arm_with_few_axes_keeps_its_line_rather_than_its_orientation() -> None:
    driven = Driven("braccio")
    robot = driven.session.robot
    p = robot.fk(driven.session.q)[:3, 3]
    held(driven, 0.5, 0, 0.3, 0, 0, 0, 0, frame="base")
    moved = robot.fk(driven.commands()[-1].copy())[:3, 3] - p
    assert moved[1] > 0.01
    assert np.abs(moved[[0, 2]]).max() < 0.2 * moved[1]


def test_a_beat_from_before_is_passed_over() -> None:
    driven = Driven()
    driven.ask("jog_joints", shares=[0.5, 0, 0, 0, 0, 0], sequence=10)
    driven.ask("jog_joints", shares=[-0.5, 0, 0, 0, 0, 0], sequence=9)
    driven.wait(0.15)
    assert driven.session.q[0] > 0.0


def test_after_a_reload_the_page_may_count_from_zero_again() -> None:
    driven = Driven()
    driven.ask("jog_joints", shares=[0.5, 0, 0, 0, 0, 0], sequence=1000)
    driven.wait(1.0)
    driven.ask("jog_joints", shares=[-0.5, 0, 0, 0, 0, 0], sequence=0)
    there = driven.commands()[-1, 0]
    driven.wait(0.2)
    assert driven.commands()[-1, 0] < there


def test_letting_go_stops_at_once() -> None:
    driven = Driven()
    held(driven, 0.3, 1.0, 0, 0, 0, 0, 0)
    driven.session.arm().let_go()
    driven.wait(0.3)
    assert not driven.flags & (Flag.JOGGING | Flag.MOVING)


def test_as_many_shares_as_joints_are_needed(ready: Driven) -> None:
    with pytest.raises(InvalidInput) as caught:
        ready.jog(0.5, 0.5)
    assert (caught.value.code, caught.value.parameters["count"], caught.value.parameters["expected"]) == (
        "joint_count",
        2,
        6,
    )
