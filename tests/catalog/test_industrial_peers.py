"""The industrial arms against models that other people made of them.

Two oracles, both apart from armlab's own kinematics: the published closed form for arms with an ortho-parallel base
and a spherical wrist (OPW), and, where the folder of reference data is present, the chains of public URDF files.
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

Floats = NDArray[np.float64]

DATA = Path(os.environ.get("ARMLAB_REAL_ARMS", Path(__file__).parents[2].parent / "shared" / "data"))
ZERO = (0, 0, 0, 0, 0, 0)

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
    return _about(np.eye(3)["xyz".index(axis)], angle)[:3, :3]


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
