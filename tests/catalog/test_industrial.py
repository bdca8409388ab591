"""The industrial arms against their data sheets.

The oracle is apart from armlab's own kinematics: numbers added up by hand from the makers' drawings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from armlab.catalog import load
from armlab.model.robot import Robot
from armlab.reports.robots import robot_sheet

Floats = NDArray[np.float64]

GRAVITY = 9.81
TO_FLANGE = ("staubli-tx60",)

ARMS = (
    "kuka-kr3-r540",
    "kuka-kr6-r700",
    "kuka-kr6-r900",
    "kuka-kr16-2",
    "kuka-kr210-r2700",
    "kuka-iiwa14",
    "abb-irb120",
    "abb-irb2400",
    "fanuc-lrmate200id",
    "motoman-motomini",
    "staubli-tx60",
    "ur3e",
    "ur5e",
    "ur10e",
    "xarm6",
)

REACH = {  # mm, as on the data sheets
    "kuka-kr3-r540": 541.0,
    "kuka-kr6-r700": 706.7,
    "kuka-kr6-r900": 901.5,
    "kuka-kr16-2": 1611.0,
    "kuka-kr210-r2700": 2696.0,
    "abb-irb120": 580.0,
    "abb-irb2400": 1550.0,
    "fanuc-lrmate200id": 717.0,
    "motoman-motomini": 350.0,
    "staubli-tx60": 670.0,
}


@pytest.mark.parametrize("name", REACH)
def test_the_arm_reaches_as_far_from_its_first_axis_as_its_data_sheet_says(name: str) -> None:
    """Makers measure level, from axis 1 to the wrist centre (axis 5); Stäubli to the flange. Within 1 mm."""
    robot = load(name)
    frame = -1 if name in TO_FLANGE else 5  # links[5] turns about axis 5; its origin is the wrist centre
    assert _farthest(robot, frame) * 1e3 == pytest.approx(REACH[name], abs=1.0)


@pytest.mark.parametrize("name", [name for name in REACH if name not in TO_FLANGE])
def test_the_sheet_shows_the_reach_that_the_maker_states_beside_that_of_the_flange(name: str) -> None:
    sheet = robot_sheet(load(name))
    assert sheet.wrist_reach == pytest.approx(REACH[name], abs=1.0)
    assert sheet.reach > REACH[name] + 20.0


@pytest.mark.parametrize("name", ["ur5e", "kuka-iiwa14", "scara", "planar3"])
def test_an_arm_without_a_wrist_centre_has_no_reach_of_it(name: str) -> None:
    assert robot_sheet(load(name)).wrist_reach is None


def test_the_iiwa_has_its_820_mm_between_the_shoulder_and_the_wrist() -> None:
    frames = load("kuka-iiwa14").frames(np.zeros(7))
    assert np.linalg.norm(frames[6, :3, 3] - frames[2, :3, 3]) * 1e3 == pytest.approx(820.0, abs=1e-9)


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
DOWN, BACK_Y = (0, 0, -1), (0, -1, 0)


@dataclass(frozen=True)
class Known:
    """The flange's place (mm) at joint values (degrees), with the directions of its x and z axes."""

    q: tuple[float, ...]
    xyz: tuple[float, float, float]
    x: tuple[int, int, int]
    z: tuple[int, int, int]


CANNON = (0, -90, 90, 0, 0, 0)
ZERO = (0, 0, 0, 0, 0, 0)
KNOWN = {  # the numbers of the sums are those of the dimension drawings
    "kuka-kr3-r540": Known(CANNON, (20 + 260 + 75, 0, 345 + 260 + 20), x=DOWN, z=X),
    "kuka-kr6-r700": Known(CANNON, (25 + 365 + 80, 0, 400 + 315 + 35), x=DOWN, z=X),
    "kuka-kr6-r900": Known(CANNON, (25 + 420 + 80, 0, 400 + 455 + 35), x=DOWN, z=X),
    "kuka-kr16-2": Known(CANNON, (260 + 670 + 158, 0, 675 + 680 - 35), x=DOWN, z=X),
    "kuka-kr210-r2700": Known(CANNON, (350 + 1200 + 215, 0, 675 + 1150 - 41), x=DOWN, z=X),
    "kuka-iiwa14": Known((0, *ZERO), (0, 0, 360 + 420 + 400 + 126), x=X, z=Z),
    "abb-irb120": Known(ZERO, (302 + 72, 0, 290 + 270 + 70), x=DOWN, z=X),
    "abb-irb2400": Known(ZERO, (100 + 755 + 85, 0, 615 + 705 + 135), x=DOWN, z=X),
    "fanuc-lrmate200id": Known(ZERO, (50 + 335 + 80, 0, 330 + 330 + 35), x=Z, z=X),
    "motoman-motomini": Known(ZERO, (20 + 165, 0, 103 + 165 - 40), x=X, z=DOWN),
    "staubli-tx60": Known(ZERO, (0, 20, 375 + 290 + 310 + 70), x=X, z=Z),
    "ur3e": Known(ZERO, (-243.55 - 213.2, -131.05 - 92.1, 151.85 - 85.35), x=X, z=BACK_Y),
    "ur5e": Known(ZERO, (-425 - 392.2, -133.3 - 99.6, 162.5 - 99.7), x=X, z=BACK_Y),
    "ur10e": Known(ZERO, (-612.7 - 571.55, -174.15 - 116.55, 180.7 - 119.85), x=X, z=BACK_Y),
    "xarm6": Known(ZERO, (207, 0, 112), x=X, z=DOWN),  # as UFACTORY's own controller shows it, roll 180
}


@pytest.mark.parametrize("name", ARMS)
def test_the_flange_is_where_the_drawing_has_it(name: str) -> None:
    known = KNOWN[name]
    T = load(name).fk(np.radians(known.q))
    np.testing.assert_allclose(T[:3, 3] * 1e3, known.xyz, atol=1e-9)
    np.testing.assert_allclose(T[:3, 0], known.x, atol=1e-12)
    np.testing.assert_allclose(T[:3, 2], known.z, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in ARMS if name.startswith("kuka-kr")])
def test_a_kuka_arm_turns_clockwise_seen_from_above_when_a1_grows(name: str) -> None:
    T = load(name).fk(np.radians((90, -90, 90, 0, 0, 0)))
    assert T[1, 3] < 0
    assert abs(T[0, 3]) < 1e-12


def test_fanuc_perches_with_its_flange_down_at_j5_minus_90() -> None:
    robot = load("fanuc-lrmate200id")
    np.testing.assert_allclose(robot.fk(robot.configuration("perch"))[:3, 2], DOWN, atol=1e-12)


@pytest.mark.parametrize("name", ARMS)
def test_the_ready_pose_is_inside_the_limits_and_away_from_singularities(name: str) -> None:
    robot = load(name)
    poses = np.array([robot.home, *robot.configurations.values()])
    assert len(poses) >= 3
    assert np.all(poses >= robot.lower)
    assert np.all(poses <= robot.upper)
    assert np.linalg.svd(robot.jacobian(robot.home), compute_uv=False)[5] > 0.01


@pytest.mark.parametrize("name", ARMS)
def test_the_ready_pose_holds_the_flange_down_in_front_of_the_arm(name: str) -> None:
    robot = load(name)
    T = robot.fk(robot.home)
    np.testing.assert_allclose(T[:3, 2], DOWN, atol=1e-9)
    assert np.hypot(*T[:2, 3]) > 0.15
    assert T[2, 3] > 0.05


@pytest.mark.parametrize("name", ARMS)
def test_every_number_of_the_drives_is_given_and_no_source_is_missing(name: str) -> None:
    robot = load(name)
    for limit in (robot.velocity, robot.acceleration, robot.effort):
        assert np.all(np.isfinite(limit))
    seconds = robot.velocity / robot.acceleration
    assert np.all((seconds > 0.1) & (seconds < 0.45))
    assert robot.payload is not None
    assert robot.maker.split()[0] in robot.source


@pytest.mark.parametrize("name", ARMS)
def test_the_drives_hold_the_arm_in_every_kept_pose_and_its_payload_in_the_ready_pose(name: str) -> None:
    robot = load(name)
    assert np.all(np.abs(_gravity_torque(robot, robot.home, robot.payload or 0.0)) <= robot.effort)
    for q in robot.configurations.values():
        assert np.all(np.abs(_gravity_torque(robot, q, 0.0)) <= robot.effort)


@pytest.mark.parametrize("name", ARMS)
def test_where_efforts_are_estimated_the_drives_hold_the_payload_in_every_kept_pose(name: str) -> None:
    robot = load(name)
    if "effort" in robot.estimated:
        for q in robot.configurations.values():
            assert np.all(np.abs(_gravity_torque(robot, q, robot.payload or 0.0)) <= robot.effort)


WEIGHT = {  # kg, from the data sheets
    "kuka-kr3-r540": 26.5,
    "kuka-kr6-r700": 50.0,
    "kuka-kr6-r900": 52.0,
    "kuka-kr16-2": 235.0,
    "kuka-kr210-r2700": 1068.0,
    "kuka-iiwa14": 29.9,
    "abb-irb120": 25.0,
    "abb-irb2400": 380.0,
    "fanuc-lrmate200id": 25.0,
    "motoman-motomini": 7.0,
    "staubli-tx60": 51.4,
    "ur3e": 11.2,
    "ur5e": 20.6,
    "ur10e": 33.5,
    "xarm6": 12.2,
}


@pytest.mark.parametrize("name", ARMS)
def test_the_links_together_weigh_what_the_data_sheet_says(name: str) -> None:
    assert sum(link.inertia.mass for link in load(name).links) == pytest.approx(WEIGHT[name], rel=1e-9)


def test_the_centre_of_the_ur5e_is_where_the_published_masses_put_it() -> None:
    """UR gives centres in the frames of its DH rows; at zero these are easy to see in the base frame."""
    robot = load("ur5e")
    frames = robot.frames(np.zeros(6))
    upper_arm = frames[2] @ np.append(robot.links[2].inertia.com, 1.0)
    np.testing.assert_allclose(upper_arm[:3], (-0.425 + 0.2125, -0.11336, 0.1625), atol=1e-12)
    wrist_3 = frames[6] @ np.append(robot.links[6].inertia.com, 1.0)
    np.testing.assert_allclose(wrist_3[:3], (-0.8172, -0.2329 + 0.001159, 0.0628), atol=1e-12)


def test_the_centre_of_the_xarms_upper_arm_is_where_its_maker_says() -> None:
    """UFACTORY: [40.84, -240.3, 32.4] mm seen from J2 with x forward and y down at zero."""
    robot = load("xarm6")
    centre = robot.frames(np.zeros(6))[2] @ np.append(robot.links[2].inertia.com, 1.0)
    np.testing.assert_allclose(centre[:3] * 1e3, (40.84, 32.4, 267 + 240.3), atol=2e-3)


def _farthest(robot: Robot, frame: int) -> float:
    """Return how far frame `frame` comes from axis 1 (m), by a search over joints 2 and 3 that closes in."""
    low, high = robot.lower[1:3], robot.upper[1:3]
    best, centre, half = 0.0, (low + high) / 2, (high - low) / 2
    while half.max() > 1e-7:
        start, end = np.maximum(centre - half, low), np.minimum(centre + half, high)
        sides = np.linspace(start, end, 41).T
        q = np.zeros((41 * 41, robot.dof))
        q[:, 1:3] = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
        distances = np.hypot(*robot.frames(q)[:, frame, :2, 3].T)
        best, centre, half = float(distances.max()), q[distances.argmax(), 1:3], half / 4
    return best


def _gravity_torque(robot: Robot, q: Floats, payload: float) -> Floats:
    """Return what each joint must hold (N·m): moments of all that hangs behind it, payload at the flange."""
    frames = robot.frames(q)
    masses = np.array([*(link.inertia.mass for link in robot.links), payload])
    coms = np.array([*(link.inertia.com for link in robot.links), np.zeros(3)])
    centres = frames[:, :3, 3] + np.einsum("kij,kj->ki", frames[:, :3, :3], coms)
    weights = np.outer(masses, (0.0, 0.0, -GRAVITY))
    out = np.empty(robot.dof)
    for i, joint in enumerate(robot.joints):
        T = frames[i + 1]
        moments = np.cross(centres[i + 1 :] - T[:3, 3], weights[i + 1 :])
        out[i] = T[:3, :3] @ joint.axis @ moments.sum(axis=0)
    return out
