"""The industrial arms against their data sheets, and against models that other people made of them.

Three oracles, all apart from armlab's own kinematics: numbers added up by hand from the makers' drawings,
the published closed form for arms with an ortho-parallel base and a spherical wrist (OPW), and, where the
folder of reference data is present, the chains of public URDF files.
"""

from __future__ import annotations

import math
import os
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from armlab.catalog import load
from armlab.model.robot import Robot

Floats = NDArray[np.float64]

DATA = Path(os.environ.get("ARMLAB_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
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
    np.testing.assert_allclose(robot.fk(robot.pose("perch"))[:3, 2], DOWN, atol=1e-12)


@pytest.mark.parametrize("name", ARMS)
def test_the_ready_pose_is_inside_the_limits_and_away_from_singularities(name: str) -> None:
    robot = load(name)
    poses = np.array([robot.home, *robot.poses.values()])
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
    for q in robot.poses.values():
        assert np.all(np.abs(_gravity_torque(robot, q, 0.0)) <= robot.effort)


@pytest.mark.parametrize("name", ARMS)
def test_where_efforts_are_estimated_the_drives_hold_the_payload_in_every_kept_pose(name: str) -> None:
    robot = load(name)
    if "effort" in robot.estimated:
        for q in robot.poses.values():
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


# The closed form: M. Brandstötter, A. Angerer, M. Hofbaur, "An analytical solution of the inverse kinematics
# problem of industrial serial manipulators with an ortho-parallel basis and a spherical wrist", Linz 2014.


@dataclass(frozen=True)
class Opw:
    """Lengths (m) a1 a2 b c1 c2 c3 c4; the formula's angles are sign · q - offset (degrees)."""

    lengths: tuple[float, float, float, float, float, float, float]
    offsets: tuple[float, ...] = ZERO
    signs: tuple[int, ...] = (1, 1, 1, 1, 1, 1)

    def fk(self, q: Floats) -> Floats:
        a1, a2, b, c1, c2, c3, c4 = self.lengths
        t1, t2, t3, t4, t5, t6 = np.array(self.signs) * q - np.radians(self.offsets)
        k, bend = math.hypot(a2, c3), t2 + t3 + math.atan2(a2, c3)
        forward = a1 + c2 * math.sin(t2) + k * math.sin(bend)
        T = np.eye(4)
        T[:3, :3] = _turn("z", t1) @ _turn("y", t2 + t3) @ _turn("z", t4) @ _turn("y", t5) @ _turn("z", t6)
        wrist = (forward, b, c1 + c2 * math.cos(t2) + k * math.cos(bend))
        T[:3, 3] = _turn("z", t1) @ wrist + c4 * T[:3, 2]
        return T


KUKA_OFFSETS, KUKA_SIGNS = (0, -90, 0, 0, 0, 0), (-1, 1, 1, -1, 1, -1)
ELBOW_OFFSETS = (0, 0, -90, 0, 0, 0)
FANUC_OFFSETS, FANUC_SIGNS = (0, 0, -90, 0, 0, 180), (1, 1, -1, -1, -1, -1)
OPW = {
    "kuka-kr3-r540": Opw((0.020, -0.020, 0, 0.345, 0.260, 0.260, 0.075), KUKA_OFFSETS, KUKA_SIGNS),
    "kuka-kr6-r700": Opw((0.025, -0.035, 0, 0.400, 0.315, 0.365, 0.080), KUKA_OFFSETS, KUKA_SIGNS),
    "kuka-kr6-r900": Opw((0.025, -0.035, 0, 0.400, 0.455, 0.420, 0.080), KUKA_OFFSETS, KUKA_SIGNS),
    "kuka-kr16-2": Opw((0.260, 0.035, 0, 0.675, 0.680, 0.670, 0.158), KUKA_OFFSETS, KUKA_SIGNS),
    "kuka-kr210-r2700": Opw((0.350, 0.041, 0, 0.675, 1.150, 1.200, 0.215), KUKA_OFFSETS, KUKA_SIGNS),
    "abb-irb120": Opw((0.0, -0.070, 0, 0.290, 0.270, 0.302, 0.072), ELBOW_OFFSETS),
    "abb-irb2400": Opw((0.100, -0.135, 0, 0.615, 0.705, 0.755, 0.085), ELBOW_OFFSETS),
    "fanuc-lrmate200id": Opw((0.050, -0.035, 0, 0.330, 0.330, 0.335, 0.080), FANUC_OFFSETS, FANUC_SIGNS),
    "motoman-motomini": Opw(
        (0.020, 0.0, 0, 0.103, 0.165, 0.165, 0.040), (0, 0, -90, 0, -90, 180), (1, 1, -1, -1, -1, -1)
    ),
    "staubli-tx60": Opw((0.0, 0.0, 0.020, 0.375, 0.290, 0.310, 0.070)),
}


@pytest.mark.parametrize("name", OPW)
def test_the_arm_agrees_with_the_published_closed_form_of_its_kind(name: str) -> None:
    robot = load(name)
    for q in _random_inside(robot.lower, robot.upper, 200):
        np.testing.assert_allclose(robot.fk(q), OPW[name].fk(q), atol=1e-12)


OPW_FILES = {
    "kuka-kr6-r900": ("kr6r900_2", "conventions"),  # the follow-up model has other lengths
    "kuka-kr210-r2700": ("kr150r3100_2", "conventions"),
    "fanuc-lrmate200id": ("lrmate200ic", "conventions"),
    "staubli-tx60": ("tx2_60", "all"),
}


@pytest.mark.parametrize("name", OPW_FILES)
def test_the_arm_agrees_with_the_parameters_that_others_keep_of_it(name: str) -> None:
    """Zero poses and signs are those of the maker's family; the lengths only where the model is the same."""
    kept, what = OPW_FILES[name]
    file = _opw_file(_reference("opw", f"opw_parameters_{kept}.yaml"))
    lengths = file.lengths if what == "all" else OPW[name].lengths
    robot = load(name)
    for q in _random_inside(robot.lower, robot.upper, 200):
        np.testing.assert_allclose(robot.fk(q), Opw(lengths, file.offsets, file.signs).fk(q), atol=1e-6)


URDF_FILES = {  # the file and the frame in which it has the base; the flange is `tool0` in all of them
    "kuka-kr6-r900": ("kuka_kr6r900sixx/kuka_kr6r900sixx.urdf", "base_link"),
    "kuka-kr16-2": ("kuka_kr16_2/kuka_kr16_2.urdf", "base_link"),
    "abb-irb120": ("abb_irb120_3_58/abb_irb120_3_58.urdf", "base_link"),
    "fanuc-lrmate200id": ("fanuc_lrmate200id/fanuc_lrmate200id.urdf", "base_link"),
    "motoman-motomini": ("motoman_motomini/motoman_motomini.urdf", "base_link"),
    "staubli-tx60": ("staubli_tx60/staubli_tx60.urdf", "base_link"),
    "ur5e": ("ur5e/ur5e.urdf", "base"),  # the controller's; base_link is turned by half a turn
}


@pytest.mark.parametrize("name", URDF_FILES)
def test_the_arm_agrees_with_the_public_urdf_of_it(name: str) -> None:
    file, root = URDF_FILES[name]
    chain = UrdfChain(_reference("urdf", file), root, "tool0")
    robot = load(name)
    assert len(chain.lower) == robot.dof
    lower, upper = np.maximum(robot.lower, chain.lower), np.minimum(robot.upper, chain.upper)
    for q in _random_inside(lower, upper, 200):
        ours, theirs = robot.fk(q), chain.fk(q)
        assert np.linalg.norm(ours[:3, 3] - theirs[:3, 3]) < 1e-6
        assert np.linalg.norm(ours[:3, :3] - theirs[:3, :3]) < 1e-6


@pytest.mark.parametrize("name", URDF_FILES)
def test_the_limits_agree_with_the_public_urdf_of_it(name: str) -> None:
    file, root = URDF_FILES[name]
    chain = UrdfChain(_reference("urdf", file), root, "tool0")
    robot = load(name)
    elbow = robot.joints[2].name == "elbow"  # the URDF halves the UR's elbow range on purpose, for planners
    same = np.arange(robot.dof) != 2 if elbow else np.ones(robot.dof, dtype=bool)
    np.testing.assert_allclose(robot.lower[same], chain.lower[same], atol=2e-4)
    np.testing.assert_allclose(robot.upper[same], chain.upper[same], atol=2e-4)
    np.testing.assert_allclose(robot.velocity, chain.velocity, rtol=1e-4)


class UrdfChain:
    """The joints between two frames of a URDF file, both ways along the tree; read with nothing but XML."""

    def __init__(self, path: Path, root: str, tip: str) -> None:
        joints = {_child(joint): joint for joint in ET.parse(path).getroot().iter("joint")}
        down, up = _ancestry(joints, tip), _ancestry(joints, root)
        while down and up and down[0] is up[0]:
            down, up = down[1:], up[1:]
        self._before = np.eye(4)
        for joint in up:  # from the common ancestor down to the root: fixed joints only
            assert joint.get("type") == "fixed"
            self._before = self._before @ _origin(joint)
        self._joints = down
        limits = [limit for joint in down if (limit := joint.find("limit")) is not None]
        self.lower = np.array([float(limit.attrib["lower"]) for limit in limits])
        self.upper = np.array([float(limit.attrib["upper"]) for limit in limits])
        self.velocity = np.array([float(limit.attrib["velocity"]) for limit in limits])

    def fk(self, q: Floats) -> Floats:
        T: Floats = np.linalg.inv(self._before).astype(np.float64)
        values = iter(q)
        for joint in self._joints:
            T = T @ _origin(joint)
            axis = joint.find("axis")
            if joint.get("type") == "revolute" and axis is not None:
                T = T @ _about(_numbers(axis.attrib["xyz"]), float(next(values)))
        return T


def _child(joint: ET.Element) -> str:
    child = joint.find("child")
    return "" if child is None else child.attrib["link"]


def _ancestry(joints: dict[str, ET.Element], link: str) -> list[ET.Element]:
    """Return the joints from the tree's root to `link`."""
    out: list[ET.Element] = []
    while link in joints:
        out.insert(0, joints[link])
        parent = joints[link].find("parent")
        assert parent is not None
        link = parent.attrib["link"]
    return out


def _origin(joint: ET.Element) -> Floats:
    T = np.eye(4)
    origin = joint.find("origin")
    if origin is not None:
        roll, pitch, yaw = _numbers(origin.get("rpy", "0 0 0"))
        T[:3, :3] = _turn("z", yaw) @ _turn("y", pitch) @ _turn("x", roll)
        T[:3, 3] = _numbers(origin.get("xyz", "0 0 0"))
    return T


def _numbers(text: str) -> Floats:
    return np.array([float(word) for word in text.split()])


def _about(axis: Floats, angle: float) -> Floats:
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    T = np.eye(4)
    T[:3, :3] += math.sin(angle) * K + (1 - math.cos(angle)) * K @ K
    return T


def _turn(axis: str, angle: float) -> Floats:
    unit = {"x": X, "y": Y, "z": Z}[axis]
    return _about(np.array(unit, dtype=np.float64), angle)[:3, :3]


def _opw_file(path: Path) -> Opw:
    text = re.sub(r"deg\(\s*([-+\d.]+)\s*\)", r"\1", path.read_text())

    def listed(key: str) -> list[float]:
        found = re.search(rf"{key}:\s*\[(.*?)\]", text)
        assert found is not None
        return [float(word) for word in found.group(1).split(",")]

    def length(key: str) -> float:
        found = re.search(rf"^\s+{key}:\s*([-+\d.]+)", text, re.MULTILINE)
        assert found is not None
        return float(found.group(1))

    a1, a2, b, c1, c2, c3, c4 = (length(key) for key in ("a1", "a2", "b", "c1", "c2", "c3", "c4"))
    signs = tuple(int(sign) for sign in listed("opw_kinematics_joint_sign_corrections"))
    return Opw((a1, a2, b, c1, c2, c3, c4), tuple(listed("opw_kinematics_joint_offsets")), signs)


def _reference(*parts: str) -> Path:
    path = DATA.joinpath(*parts)
    if not path.is_file():
        pytest.skip(f"the reference data are not here: {'/'.join(parts)}")
    return path


def _random_inside(lower: Floats, upper: Floats, count: int) -> Floats:
    return np.random.default_rng(7).uniform(lower, upper, (count, len(lower)))


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
