"""The teaching arms, the research classics and the tools, against numbers from outside armlab."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from armlab.arrays import Floats
from armlab.catalog import load, load_tool
from armlab.geometry import pose
from armlab.model.parts import Tool
from armlab.model.robot import Robot

ARMS = (
    "scara",
    "scara-s3",
    "planar2",
    "planar3",
    "braccio",
    "franka-panda",
    "puma560",
    "stanford",
    "epson-ls3",
    "s5-rig",
)
TOOLS = ("gripper", "suction", "pen", "torch")
MM = 1e-3
DEG = np.pi / 180

Row = tuple[float, float, float, float]


def some_q(robot: Robot, count: int = 200, seed: int = 7) -> Floats:
    return np.random.default_rng(seed).uniform(robot.lower, robot.upper, (count, robot.dof))


def step(axis: str, angle: float = 0.0, shift: float = 0.0) -> Floats:
    """A turn about, and a shift along, one axis."""
    c, s, k = np.cos(angle), np.sin(angle), "xyz".index(axis)
    i, j = (k + 1) % 3, (k + 2) % 3
    T = np.eye(4)
    T[i, i] = T[j, j] = c
    T[i, j], T[j, i] = -s, s
    T[k, 3] = shift
    return T


def standard(rows: list[Row], prismatic: tuple[int, ...], q: Floats) -> Floats:
    """The product of Rz(theta) Tz(d) Tx(a) Rx(alpha), rows in mm and degrees."""
    T = np.eye(4)
    for i, (theta, d, a, alpha) in enumerate(rows):
        turn, slide = (0.0, q[i]) if i in prismatic else (q[i], 0.0)
        T = T @ step("z", theta * DEG + turn, d * MM + slide) @ step("x", alpha * DEG, a * MM)
    return T


def modified(rows: list[Row], q: Floats) -> Floats:
    """The product of Rx(alpha) Tx(a) Rz(theta) Tz(d), rows in mm and degrees."""
    T = np.eye(4)
    for i, (theta, d, a, alpha) in enumerate(rows):
        T = T @ step("x", alpha * DEG, a * MM) @ step("z", theta * DEG + q[i], d * MM)
    return T


def moved_tool(xyz_mm: list[float]) -> Tool:
    return Tool("offset", "pen", pose.from_xyz(np.array(xyz_mm) * MM))


def holding_torques(robot: Robot, q: Floats) -> Floats:
    """The torques against gravity: the slope of the potential energy of all links."""

    def energy(at: Floats) -> float:
        frames = robot.frames(at)
        heights = [
            pose.transform(T, link.inertia.com)[2] * link.inertia.mass
            for T, link in zip(frames, robot.links, strict=False)
        ]
        return 9.81 * float(sum(heights))

    h = 1e-6
    return np.array([(energy(q + h * e) - energy(q - h * e)) / (2 * h) for e in np.eye(robot.dof)])


@pytest.mark.parametrize("name", ARMS)
def test_every_teaching_arm_loads_and_can_be_planned_for(name: str) -> None:
    robot = load(name)
    assert robot.name == name
    assert 2 <= len(robot.configurations) <= 4
    for q in (robot.home, *robot.configurations.values()):
        assert np.all(robot.lower <= q)
        assert np.all(q <= robot.upper)
    for limit in (robot.velocity, robot.acceleration, robot.effort):
        assert np.all(np.isfinite(limit))
    assert all(link.inertia.mass > 0 for link in robot.links[1:])
    assert all(link.shapes for link in robot.links)


def test_scara_follows_the_formulas_of_s1() -> None:
    robot, L1, L2 = load("scara"), 250 * MM, 250 * MM
    q = some_q(robot)
    q1, q12 = q[:, 0], q[:, 0] + q[:, 1]
    T = robot.fk(q)
    np.testing.assert_allclose(T[:, 0, 3], L1 * np.cos(q1) + L2 * np.cos(q12), atol=1e-14)
    np.testing.assert_allclose(T[:, 1, 3], L1 * np.sin(q1) + L2 * np.sin(q12), atol=1e-14)
    np.testing.assert_allclose(T[:, 2, 3], 350 * MM + q[:, 2], atol=1e-14)


def test_scara_tools_hang_down_and_turn_with_all_three_angles() -> None:
    robot = load("scara")
    q = some_q(robot)
    T, angle = robot.fk(q), q[:, 0] + q[:, 1] + q[:, 3]
    np.testing.assert_allclose(T[:, :3, 2], np.broadcast_to([0, 0, -1], (len(q), 3)), atol=1e-14)
    np.testing.assert_allclose(T[:, 0, 0], np.cos(angle), atol=1e-13)
    np.testing.assert_allclose(T[:, 1, 0], np.sin(angle), atol=1e-13)


def test_s3_check_value_is_met() -> None:
    robot = load("scara-s3").with_tool(moved_tool([0, 0, -15]))
    T = robot.fk(np.array([45 * DEG, 90 * DEG, 30 * MM]))
    np.testing.assert_allclose(T[:3, 3] / MM, [0.0, 70.7, 5.0], atol=0.05)
    np.testing.assert_allclose(T[:3, 3] / MM, [0.0, 50 * np.sqrt(2), 5.0], atol=1e-12)


@pytest.mark.parametrize(("x_t", "z_t"), [(0.0, 0.0), (0.0, -15.0), (12.0, 0.0), (-7.5, 21.0)])
def test_scara_s3_follows_the_formulas_of_s3_with_tool_offsets(x_t: float, z_t: float) -> None:
    robot = load("scara-s3").with_tool(moved_tool([x_t, 0, z_t]))
    q = some_q(robot)
    q1, q12, L = q[:, 0], q[:, 0] + q[:, 1], 50 * MM
    T = robot.fk(q)
    np.testing.assert_allclose(T[:, 0, 3], L * np.cos(q1) + (L + x_t * MM) * np.cos(q12), atol=1e-14)
    np.testing.assert_allclose(T[:, 1, 3], L * np.sin(q1) + (L + x_t * MM) * np.sin(q12), atol=1e-14)
    np.testing.assert_allclose(T[:, 2, 3], L - q[:, 2] + z_t * MM, atol=1e-14)


@pytest.mark.parametrize(("name", "lengths"), [("planar2", [300, 200]), ("planar3", [20, 20, 20])])
def test_planar_arms_follow_the_closed_form(name: str, lengths: list[float]) -> None:
    robot = load(name)
    q = some_q(robot)
    phi = np.cumsum(q, axis=1)
    T, L = robot.fk(q), np.array(lengths) * MM
    np.testing.assert_allclose(T[:, 0, 3], np.cos(phi) @ L, atol=1e-14)
    np.testing.assert_allclose(T[:, 1, 3], np.sin(phi) @ L, atol=1e-14)
    np.testing.assert_allclose(T[:, 2, 3], 0, atol=1e-15)
    np.testing.assert_allclose(T[:, 1, 0], np.sin(phi[:, -1]), atol=1e-13)


def test_planar3_has_the_closed_form_jacobian_of_s4() -> None:
    robot = load("planar3")
    q = some_q(robot, 1)[0]
    x, y = 20 * MM * np.cos(np.cumsum(q)), 20 * MM * np.sin(np.cumsum(q))
    J = [[-y[k:].sum() for k in range(3)], [x[k:].sum() for k in range(3)]]
    np.testing.assert_allclose(robot.jacobian(q)[:2], J, atol=1e-14)


def test_planar3_starts_where_s4_starts_and_ends_near_its_target() -> None:
    robot = load("planar3")
    np.testing.assert_allclose(robot.fk(robot.home)[:2, 3] / MM, [30.79, 47.02], atol=0.005)
    np.testing.assert_allclose(robot.fk(robot.configuration("paper-end"))[:2, 3] / MM, [-10, 35], atol=0.1)
    np.testing.assert_allclose(robot.lower / DEG, [20, -100, -100])
    np.testing.assert_allclose(robot.upper / DEG, [160, 100, 100])


PANDA: list[Row] = [
    (0, 333, 0, 0),
    (0, 0, 0, -90),
    (0, 316, 0, 90),
    (0, 0, 82.5, 90),
    (0, 384, -82.5, -90),
    (0, 0, 0, 90),
    (0, 0, 88, 90),
]


def test_panda_follows_the_published_modified_dh_table() -> None:
    robot = load("franka-panda")
    for q in some_q(robot):
        np.testing.assert_allclose(robot.fk(q), modified(PANDA, q) @ step("z", 0, 107 * MM), atol=1e-12)


def test_panda_limits_are_the_published_ones_in_radians() -> None:
    robot = load("franka-panda")
    np.testing.assert_allclose(robot.lower, [-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973], atol=1e-4)
    np.testing.assert_allclose(robot.upper, [2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973], atol=1e-4)
    np.testing.assert_allclose(robot.velocity, [2.175] * 4 + [2.61] * 3, atol=1e-4)
    np.testing.assert_allclose(robot.acceleration, [15, 7.5, 10, 12.5, 15, 20, 20], atol=1e-3)
    np.testing.assert_allclose(robot.effort, [87] * 4 + [12] * 3)


PUMA: list[Row] = [
    (0, 671.83, 0, 90),
    (0, 0, 431.8, 0),
    (0, 150.05, 20.3, -90),
    (0, 431.8, 0, 90),
    (0, 0, 0, -90),
    (0, 0, 0, 0),
]


def test_puma_follows_the_published_standard_dh_table() -> None:
    robot = load("puma560")
    for q in some_q(robot):
        expected = standard(PUMA, (), q) @ step("z", 0, 56.25 * MM)
        np.testing.assert_allclose(robot.fk(q), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "wrist", "approach"),
    [
        ("zero", [431.8 + 20.3, -150.05, 671.83 + 431.8], [0, 0, 1]),
        ("ready", [20.3, -150.05, 671.83 + 431.8 + 431.8], [0, 0, 1]),
        ("stretched", [431.8 + 431.8, -150.05, 671.83 - 20.3], [1, 0, 0]),
        ("nominal", [(2 * 431.8 - 20.3) / np.sqrt(2), -150.05, 671.83 - 20.3 / np.sqrt(2)], [1, 0, 0]),
    ],
)
def test_puma_poses_of_the_literature_are_where_the_dimensions_put_them(
    name: str, wrist: list[float], approach: list[float]
) -> None:
    robot = load("puma560")
    T = robot.fk(robot.configuration(name))
    np.testing.assert_allclose(T[:3, 2], approach, atol=1e-12)
    np.testing.assert_allclose(T[:3, 3] / MM, np.array(wrist) + 56.25 * np.array(approach), atol=1e-9)


@pytest.mark.parametrize(
    ("name", "torques"),
    [
        ("nominal", [0, 31.6399, 6.0351, 0, 0.0283, 0]),
    ],
)
def test_puma_needs_the_holding_torques_of_the_literature(name: str, torques: list[float]) -> None:
    """The gravity load of the same model, in N·m, that Corke's Robotics Toolbox for Python expects in its tests."""
    robot = load("puma560")
    np.testing.assert_allclose(holding_torques(robot, robot.configuration(name)), torques, atol=2e-4)


STANFORD: list[Row] = [
    (0, 412, 0, -90),
    (0, 154, 0, 90),
    (-90, 0, 0, 0),
    (0, 0, 0, -90),
    (0, 0, 0, 90),
    (0, 263, 0, 0),
]


def test_stanford_follows_its_dh_table_and_the_closed_form_position() -> None:
    robot = load("stanford")
    for q in some_q(robot):
        T = robot.fk(q)
        np.testing.assert_allclose(T, standard(STANFORD, (2,), q), atol=1e-12)
        (c1, c2), (s1, s2), d3 = np.cos(q[:2]), np.sin(q[:2]), q[2]
        wrist = [c1 * s2 * d3 - s1 * 0.154, s1 * s2 * d3 + c1 * 0.154, 0.412 + c2 * d3]
        turn = q[3] - np.pi / 2
        v = [np.cos(turn) * np.sin(q[4]), np.sin(turn) * np.sin(q[4]), np.cos(q[4])]
        approach = step("z", q[0])[:3, :3] @ step("y", q[1])[:3, :3] @ v
        np.testing.assert_allclose(T[:3, 3], wrist + 0.263 * approach, atol=1e-12)


def test_stanford_has_pauls_masses_about_the_link_frames() -> None:
    robot = load("stanford")
    boom = robot.links[3].inertia
    assert sum(link.inertia.mass for link in robot.links[1:]) == pytest.approx(20.77)
    about_the_frame = np.linalg.eigvalsh(boom.matrix)[2] + boom.mass * 0.6447**2
    assert about_the_frame == pytest.approx(2.51, abs=1e-4)


def test_epson_reaches_400_mm_as_its_name_says() -> None:
    robot = load("epson-ls3")
    q = some_q(robot, 2000)
    radius = np.linalg.norm(robot.fk(q)[:, :2, 3], axis=1) / MM
    assert radius.max() <= 400 + 1e-9
    np.testing.assert_allclose(robot.fk(np.zeros(4))[:2, 3] / MM, [400, 0], atol=1e-9)
    np.testing.assert_allclose(radius, np.sqrt(225**2 + 175**2 + 2 * 225 * 175 * np.cos(q[:, 1])), atol=1e-9)


def test_epson_shows_z_and_speed_as_its_data_sheet() -> None:
    robot = load("epson-ls3")
    low = robot.fk(np.array([0, 0, -0.150, 0]))[2, 3]
    assert robot.fk(np.zeros(4))[2, 3] - low == pytest.approx(0.150)
    assert robot.velocity[:2] @ [0.400, 0.175] == pytest.approx(6.0, abs=0.01)
    np.testing.assert_allclose(robot.upper, [132 * DEG, 141 * DEG, 0, 360 * DEG])


def test_braccio_with_all_servos_at_90_stands_straight_up() -> None:
    robot = load("braccio")
    frames = robot.frames(np.full(5, 90 * DEG))
    heights = [0, 40, 72, 72 + 125, 72 + 250, 72 + 250 + 60, 72 + 250 + 60 + 132]
    np.testing.assert_allclose(frames[:, 2, 3] / MM, heights, atol=1e-9)
    np.testing.assert_allclose(frames[:, :2, 3], 0, atol=1e-12)
    np.testing.assert_allclose(frames[-1, :3, 2], [0, 0, 1], atol=1e-12)
    assert frames[-1, 2, 3] == pytest.approx(0.52, abs=0.01)  # the height that the maker states


def test_braccio_leans_forward_below_90_and_turns_clockwise() -> None:
    robot = load("braccio")
    forward = np.array([90, 15, 90, 90, 90]) * DEG
    tip = robot.fk(forward)[:3, 3]
    assert tip[0] > 0.4
    assert abs(tip[1]) < 1e-9
    assert robot.fk(forward + np.array([30 * DEG, 0, 0, 0, 0]))[1, 3] < -0.2


def urdf_chain(path: Path, joints: tuple[str, ...], q: Floats) -> list[Floats]:
    """The frames after each of the named joints: a URDF walked by hand."""
    root = ET.parse(path).getroot()
    found = {joint.get("name"): joint for joint in root.iter("joint")}
    T, out = np.eye(4), []
    for name, value in zip(joints, q, strict=True):
        parts = {part.tag: part for part in found[name]}
        x, y, z = (float(v) for v in parts["origin"].attrib["xyz"].split())
        roll, pitch, yaw = (float(v) for v in parts["origin"].attrib["rpy"].split())
        ax = np.array([float(v) for v in parts["axis"].attrib["xyz"].split()])
        T = T @ step("x", 0, x) @ step("y", 0, y) @ step("z", yaw, z) @ step("y", pitch) @ step("x", roll)
        k = int(np.abs(ax).argmax())
        T = T @ step("xyz"[k], float(ax[k] * value))
        out.append(T)
    return out


def test_braccio_agrees_with_a_public_urdf_as_far_as_their_measurements_do() -> None:
    """Same directions at the same servo angles; twice the URDF has 120.5 mm where armlab has 125 mm."""
    beside = Path(__file__).parents[3] / "shared" / "data"
    path = Path(os.environ.get("ARMLAB_REAL_ARMS", beside)) / "urdf/braccio_jonabalzer/urdf/braccio.urdf"
    if not path.is_file():
        pytest.skip("the public URDF files are not here; ARMLAB_REAL_ARMS says where they are")
    robot = load("braccio")
    for q in some_q(robot):
        theirs = urdf_chain(path, ("base", "shoulder", "elbow", "wrist_pitch", "wrist_roll"), q)
        ours = robot.frames(q)
        for k in range(5):
            np.testing.assert_allclose(ours[k + 1, :3, :3], theirs[k][:3, :3], atol=1e-12)
        ours_from_shoulder = ours[5, :3, 3] - ours[2, :3, 3]
        theirs_from_shoulder = theirs[4][:3, 3] - theirs[1][:3, 3]
        assert np.linalg.norm(ours_from_shoulder - theirs_from_shoulder) <= (2 * 4.5 + 1e-6) * MM


def test_rig_turns_its_sensors_750_mm_from_the_first_axis() -> None:
    robot = load("s5-rig")
    for q in some_q(robot):
        T = robot.fk(q)
        np.testing.assert_allclose(T[:3, 3], [0.75 * np.cos(q[0]), 0.75 * np.sin(q[0]), 0.5], atol=1e-11)
    rate = np.array([np.pi / 4, 0.0])
    velocity = robot.jacobian(np.zeros(2)) @ rate
    assert velocity[5] == pytest.approx(np.pi / 4)
    assert np.linalg.norm(velocity[:3]) ** 2 / 0.75 == pytest.approx(0.463, abs=5e-4)


def test_rig_splits_gravity_over_two_axes_at_45_degrees() -> None:
    robot = load("s5-rig")
    up = robot.fk(robot.configuration("tilt-45"))[:3, :3].T @ np.array([0, 0, 1.0])
    np.testing.assert_allclose(up, [0, np.sqrt(0.5), np.sqrt(0.5)], atol=1e-12)


def test_rig_has_the_moment_of_inertia_of_s5_about_its_first_axis() -> None:
    _, bar, cross = (link.inertia for link in load("s5-rig").links)
    radius = 0.75 + cross.com[0]
    total = bar.matrix[2, 2] + cross.matrix[2, 2] + cross.mass * radius**2
    assert total == pytest.approx(0.265 * bar.mass, rel=1e-4)
    assert bar.matrix[2, 2] == pytest.approx(bar.mass * (1.5**2 + 0.05**2) / 12)
    for M, omega, expected in ((5, 45, 0.417), (15, 45, 0.138)):
        assert total * omega * DEG / M == pytest.approx(expected, abs=1e-3)


def test_epson_tip_hangs_below_the_arm_with_a_catalog_tool() -> None:
    robot = load("epson-ls3", tool="pen")
    assert robot.fk(np.zeros(4))[2, 3] == pytest.approx((165 - 125) * MM)


@pytest.mark.parametrize(
    ("name", "tip"),
    [
        ("gripper", [0, 0, 150]),
        ("suction", [0, 0, 95]),
        ("pen", [0, 0, 125]),
        ("torch", [155 * np.sin(35 * DEG), 0, 180 + 155 * np.cos(35 * DEG)]),
    ],
)
def test_every_tool_loads_with_its_tip_where_the_file_says(name: str, tip: list[float]) -> None:
    tool = load_tool(name)
    assert tool.kind == name
    np.testing.assert_allclose(tool.T_flange_tool[:3, 3] / MM, tip, atol=1e-4)
    assert tool.inertia.mass > 0
    assert tool.shapes
    ends = [shape.T_link_shape[:3, 3] @ tool.T_flange_tool[:3, 2] for shape in tool.shapes]
    assert max(ends) < tool.T_flange_tool[:3, 3] @ tool.T_flange_tool[:3, 2]


def test_torch_neck_is_bent_by_35_degrees_and_its_axis_meets_the_bend() -> None:
    T = load_tool("torch").T_flange_tool
    assert np.arccos(T[2, 2]) == pytest.approx(35 * DEG)
    np.testing.assert_allclose((T[:3, 3] - 0.155 * T[:3, 2]) / MM, [0, 0, 180], atol=1e-3)
    assert T[0, 2] > 0
