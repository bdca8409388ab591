"""The tool centre point and the payload that a project gives its arm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cell.driven import KUKA, READY, Driven, picker

from armlab.catalog import load, load_tool
from armlab.cell.arm import build_arm
from armlab.cell.events import Holding
from armlab.cell.project import ArmChoice, PayloadChoice
from armlab.dynamics import gravity_torque, inverse_dynamics, mass_matrix
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.inertia import BALL_DENSITY, ball_inertia, ball_radius
from armlab.model.jaws import jaws_of
from armlab.reports.tool import mounted_tool_report

TCP = (10.0, -20.0, 130.0, 30.0, -40.0, 50.0)
G = 9.81


def test_s3s_tool_offset_gives_the_papers_check_value() -> None:
    """L1 = L2 = L3 = 50 mm, θ1 = 45°, θ2 = 90°, d3 = 30 mm, tool z −15 mm: X = 0.0, Y = 70.7, Z = 5.0 mm."""
    driven = Driven("scara-s3")
    driven.go(45.0, 90.0, 30.0)
    driven.edit("tcp", arm={"name": "scara-s3", "tcp": [0, 0, -15, 0, 0, 0]})
    driven.wait(0.5)
    np.testing.assert_allclose(driven.tool[:3], [0.0, 70.7, 5.0], atol=0.05)
    np.testing.assert_allclose(driven.session.robot.fk(np.array([np.pi / 4, np.pi / 2, 0.03]))[2, 3], 0.005, atol=1e-12)
    driven.ask("undo")
    assert driven.tool[2] == pytest.approx(20.0, abs=0.05)


def test_the_tcp_is_the_tool_frame_in_the_flanges_and_leaves_the_shape_at_its_place() -> None:
    own, moved = build_arm(ArmChoice(name=KUKA, tool="torch")), build_arm(ArmChoice(name=KUKA, tool="torch", tcp=TCP))
    bare = build_arm(ArmChoice(name=KUKA))
    q = np.radians(READY)
    np.testing.assert_allclose(moved.fk(q), bare.fk(q) @ pose.from_mm_deg(TCP), atol=1e-12)
    for one, other in zip(moved.tool.shapes, own.tool.shapes, strict=True):
        np.testing.assert_array_equal(one.T_link_shape, other.T_link_shape)
    np.testing.assert_array_equal(moved.tool.inertia.com, own.tool.inertia.com)


def test_a_payload_weighs_as_much_at_the_tool_as_in_the_makers_formula() -> None:
    """The torque that gravity asks is J_vᵀ m g for the point where the load's centre is."""
    choice = ArmChoice(name=KUKA, tool="gripper", tcp=TCP)
    empty = build_arm(choice)
    com = (15.0, 5.0, 40.0)
    loaded = build_arm(choice.model_copy(update={"payload": PayloadChoice(mass=2.5, com=com)}))
    T_tool_com = np.eye(4)
    T_tool_com[:3, 3] = np.array(com) / 1000.0
    at_com = build_arm(choice.model_copy(update={"tcp": _frame(pose.from_mm_deg(TCP) @ T_tool_com)}))
    q = np.radians(READY)
    np.testing.assert_allclose(
        gravity_torque(loaded, q) - gravity_torque(empty, q), at_com.jacobian(q)[2] * 2.5 * G, atol=0.02
    )
    more = mass_matrix(loaded, q) - mass_matrix(empty, q)
    J = at_com.jacobian(q)
    expected = 2.5 * J[:3].T @ J[:3] + ball_inertia(2.5)[0, 0] * J[3:].T @ J[3:]
    np.testing.assert_allclose(more, expected, atol=1e-9)


def test_the_estimated_inertia_is_that_of_a_ball_of_the_loads_mass() -> None:
    r = ball_radius(3.0)
    assert BALL_DENSITY * 4.0 / 3.0 * math.pi * r**3 == pytest.approx(3.0)
    np.testing.assert_allclose(ball_inertia(3.0), 0.4 * 3.0 * r**2 * np.eye(3))


def test_the_commanded_torques_of_a_session_carry_the_payload() -> None:
    driven = Driven(payload={"mass": 4.0})
    driven.go(*READY)
    q, still = driven.session.arm().mover.state.q, np.zeros(6)
    expected = inverse_dynamics(build_arm(ArmChoice(name=KUKA, payload=PayloadChoice(mass=4.0))), q, still, still)
    rows = driven.session.arm().joints  # what the page is told
    np.testing.assert_allclose(rows[7], expected, atol=1e-6)
    assert np.abs(expected - inverse_dynamics(load(KUKA), q, still, still)).max() > 5.0


def test_what_is_held_stays_held_when_tcp_and_payload_change() -> None:
    driven = picker()
    driven.ask("pick", body="cube")
    arm = driven.session.project.arms[0].arm.model_dump()
    driven.edit("tcp", arm={**arm, "tcp": list(TCP), "payload": {"mass": 1.0}})
    assert driven.session.arm().held == "cube"
    driven.edit("tool", arm={**arm, "tool": "pen"})
    assert driven.session.arm().held is None


@pytest.mark.parametrize(
    "part",
    [
        {"tcp": [0, 0, 1e9, 0, 0, 0]},
        {"tcp": [0, 0, float("nan"), 0, 0, 0]},
        {"tcp": [0, 0, 1]},
        {"tcp": [0, 0, 0, 400, 0, 0]},
        {"payload": {"mass": -1.0}},
        {"payload": {"mass": 1e9}},
        {"payload": {"mass": 1.0, "com": [0, 0, 1e9]}},
    ],
)
def test_a_tcp_or_payload_that_no_tool_has_is_refused(part: dict[str, Any]) -> None:
    driven = Driven("scara-s3")
    before = driven.session.project
    with pytest.raises(InvalidInput):
        driven.edit("wrong", arm={"name": "scara-s3", **part})
    assert driven.session.project == before


def test_the_report_says_what_is_on_the_flange() -> None:
    own = load_tool("gripper")
    arm = build_arm(ArmChoice(name=KUKA, tool="gripper", tcp=TCP, payload=PayloadChoice(mass=2.0)))
    report = mounted_tool_report(arm, own, (2.0, (0.0, 0.0, 0.0)))
    np.testing.assert_allclose(report.tcp, TCP, atol=1e-9)
    assert report.own_tcp == (0.0, 0.0, 150.0, 0.0, 0.0, 0.0)
    assert report.mass == own.inertia.mass
    assert report.carried == pytest.approx(own.inertia.mass + 2.0)
    assert report.rated == load(KUKA).payload
    assert report.payload is not None
    assert report.payload.inertia == pytest.approx(ball_inertia(2.0)[0, 0], abs=1e-9)
    assert mounted_tool_report(build_arm(ArmChoice(name=KUKA)), load_tool("none"), None).payload is None


def _frame(T: Any) -> tuple[float, float, float, float, float, float]:
    x, y, z = T[:3, 3] * 1000.0
    a, b, c = np.degrees(pose.as_abc(T))
    return float(x), float(y), float(z), float(a), float(b), float(c)


def test_jaws_close_on_what_is_picked_by_its_width_and_open_when_it_is_released() -> None:
    robot = build_arm(ArmChoice(name=KUKA, tool="gripper"))
    x, y, z = (robot.fk(np.radians(READY))[:3, 3] * 1000.0).tolist()
    a, b, c = np.degrees(pose.as_abc(robot.fk(np.radians(READY)))).tolist()
    rod = {"name": "rod", "kind": "box", "size": [30.0, 20.0, 20.0], "mass": 0.1, "xyz": [x, y, z], "rpy": [c, b, a]}
    driven = Driven(tool="gripper", bodies=[rod], structure="hierarchy")
    driven.go(*READY)
    driven.ask("pick", body="rod")
    jaws = jaws_of(robot.tool)
    assert jaws is not None
    told = driven.of(Holding)[-1]
    assert told.jaw == pytest.approx(1000.0 * (jaws.opening - 0.03) / 2.0, abs=0.1)
    assert [event for event in driven.session.introduction() if isinstance(event, Holding)] == [told]
    driven.ask("place")
    assert driven.of(Holding)[-1] == Holding(arm="arm", body=None)


def test_a_tool_without_jaws_closes_none() -> None:
    driven = picker()
    driven.ask("pick", body="cube")
    assert driven.of(Holding)[-1] == Holding(arm="arm", body="cube")
