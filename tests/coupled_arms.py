"""Arms whose chains have joints that follow others, written by hand, and the laws that their files state."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from armlab.arrays import Floats
from armlab.formats.urdf import read_urdf
from armlab.model.robot import Robot

Laws = Mapping[str, tuple[str, float, float]]
"""Follower → the joint that it follows, multiplier, offset."""


def body(name: str, mass: float, com: str, box: str) -> str:
    return (
        f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>'
        f'<inertia ixx="{0.02 * mass}" iyy="{0.025 * mass}" izz="{0.03 * mass}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f'<collision><origin xyz="{com}"/><geometry><box size="{box}"/></geometry></collision></link>'
    )


def moving(name: str, parent: str, child: str, xyz: str, axis: str, limit: str, more: str = "", kind: str = "") -> str:
    lower, upper, velocity = limit.split()
    return (
        f'<joint name="{name}" type="{kind or "revolute"}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/>'
        f'<limit lower="{lower}" upper="{upper}" velocity="{velocity}" effort="400"/>{more}</joint>'
    )


def mimic(joint: str, multiplier: float = 1.0, offset: float = 0.0) -> str:
    return f'<mimic joint="{joint}" multiplier="{multiplier}" offset="{offset}"/>'


PALLETISER = "".join(
    (
        '<robot name="palletiser">',
        body("base", 20.0, "0 0 0.1", "0.3 0.3 0.2"),
        body("column", 10.0, "0 0 0.08", "0.2 0.2 0.12"),
        body("upper", 8.0, "0.02 0 0.25", "0.08 0.08 0.3"),
        body("knuckle", 0.5, "0.01 0 0.01", "0.03 0.03 0.03"),
        body("fore", 5.0, "0.25 0.01 0", "0.3 0.06 0.06"),
        body("wrist", 2.0, "0.05 0 -0.02", "0.06 0.04 0.04"),
        body("hand", 1.0, "0.01 0 -0.06", "0.05 0.05 0.06"),
        '<link name="tool0"/>',
        moving("turn", "base", "column", "0 0 0.2", "0 0 1", "-2.8 2.8 2"),
        moving("shoulder", "column", "upper", "0.1 0 0.2", "0 1 0", "-0.9 1.2 2"),
        moving("upright", "upper", "knuckle", "0 0 0.5", "0 1 0", "-1.5 1.5 2", mimic("shoulder", -1.0)),
        moving("lift", "knuckle", "fore", "0 0 0", "0 1 0", "-1 1.2 2"),
        moving("level", "fore", "wrist", "0.5 0 0", "0 1 0", "-1.1 1.3 3", mimic("lift", -1.0)),
        moving("spin", "wrist", "hand", "0.1 0 0", "0 0 1", "-3 3 4"),
        '<joint name="end" type="fixed"><parent link="hand"/><child link="tool0"/>'
        '<origin xyz="0 0 -0.1" rpy="3.141592653589793 0 0"/></joint></robot>',
    )
)
"""Parallelograms hold its forearm's knuckle upright and its wrist level."""
PALLETISER_LAWS: Laws = {"upright": ("shoulder", -1.0, 0.0), "level": ("lift", -1.0, 0.0)}

TELESCOPE = "".join(
    (
        '<robot name="telescope">',
        body("base", 5.0, "0 0 0.1", "0.2 0.2 0.1"),
        body("yoke", 3.0, "0 0 0.05", "0.1 0.1 0.05"),
        body("tube", 2.0, "0.2 0 0", "0.3 0.05 0.05"),
        body("inner", 1.0, "0.2 0 0", "0.2 0.03 0.03"),
        body("cam", 0.5, "0.02 0 0", "0.03 0.03 0.03"),
        moving("turn", "base", "yoke", "0 0 0.2", "0 0 1", "-3 3 2"),
        moving("stage", "yoke", "tube", "0.1 0 0.1", "1 0 0", "0 0.4 0.5", mimic("tilt", 0.1, 0.2), "prismatic"),
        moving("second", "tube", "inner", "0.3 0 0", "1 0 0", "0 0.4 0.5", mimic("stage", 0.5, 0.05), "prismatic"),
        moving("tilt", "inner", "cam", "0.3 0.02 0", "0 1 0.2", "-1.5 1.5 2"),
        "</robot>",
    )
)
"""Two stages, the second following the first, which is driven by a joint that comes after both."""
TELESCOPE_LAWS: Laws = {"stage": ("tilt", 0.1, 0.2), "second": ("tilt", 0.05, 0.15)}

ARMS: dict[str, tuple[str, Laws]] = {
    "palletiser": (PALLETISER, PALLETISER_LAWS),
    "telescope": (TELESCOPE, TELESCOPE_LAWS),
}


@cache
def coupled_arm(name: str) -> Robot:
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.urdf"
        file.write_text(ARMS[name][0], encoding="utf-8")
        return read_urdf(file)


def random_rows(robot: Robot, count: int = 30) -> Floats:
    return np.random.default_rng(3).uniform(robot.lower, robot.upper, (count, robot.dof))


def all_values(name: str, robot: Robot, q: Floats, names: list[str], *, rates: bool = False) -> Floats:
    """Return the values of joints by their names, for those of the arm's own, by the laws that the file states."""
    own = {joint.name: q[..., i] for i, joint in enumerate(robot.joints)}
    laws = ARMS[name][1]
    values = [
        own[each] if each in own else laws[each][1] * own[laws[each][0]] + (0.0 if rates else laws[each][2])
        for each in names
    ]
    return np.stack(values, axis=-1)
