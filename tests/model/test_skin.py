"""Skins: every chain gets one, it moves with the joints, and links that are not neighbours stay apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from armlab.appearance.skin import LinkSkin, make_skin
from armlab.arrays import Floats
from armlab.geometry import pose, solid
from armlab.geometry.shape import Shape
from armlab.model.dh import DhRow, joint_frames
from armlab.model.parts import Joint, JointKind, Link
from armlab.model.robot import Robot
from strategies import robots

QUARTER = math.pi / 2
Row = tuple[JointKind, float, float, float, float]


def arm(rows: Sequence[Row], home: Sequence[float], stroke: tuple[float, float] = (0.0, 0.2), **wishes: float) -> Robot:
    """Return a dressed arm of standard DH rows (kind, theta, d, a, alpha); `wishes` go to every moving link."""
    table = [DhRow(f"j{i}", *row) for i, row in enumerate(rows)]
    frames = joint_frames("standard", table)
    joints = [
        Joint(row.joint, row.kind, T, np.array([0, 0, 1.0]), *(stroke if row.kind == "prismatic" else (-3.0, 3.0)))
        for row, T in zip(table, frames.T_parent_joint, strict=True)
    ]
    skins = [LinkSkin(), *(LinkSkin(**wishes) for _ in joints)]  # type: ignore[arg-type]
    skin = make_skin(joints, frames.T_link_end, skins)
    links = tuple(Link(f"link_{i}", shapes=shapes) for i, shapes in enumerate(skin))
    return Robot(
        name="dressed",
        joints=tuple(joints),
        links=links,
        home=np.array(home),
        source="made up for tests",
        flange=frames.T_link_end,
    )


ELBOW: list[Row] = [
    ("revolute", 0.0, 0.4, 0.025, -QUARTER),
    ("revolute", 0.0, 0.0, 0.315, 0.0),
    ("revolute", 0.0, 0.0, 0.035, -QUARTER),
    ("revolute", 0.0, 0.365, 0.0, QUARTER),
    ("revolute", 0.0, 0.0, 0.0, -QUARTER),
    ("revolute", 0.0, 0.08, 0.0, 0.0),
]
OFFSETS: list[Row] = [
    ("revolute", 0.0, 0.1625, 0.0, QUARTER),
    ("revolute", 0.0, 0.0, -0.425, 0.0),
    ("revolute", 0.0, 0.0, -0.3922, 0.0),
    ("revolute", 0.0, 0.1333, 0.0, QUARTER),
    ("revolute", 0.0, 0.0997, 0.0, -QUARTER),
    ("revolute", 0.0, 0.0996, 0.0, 0.0),
]
SEVEN: list[Row] = [
    ("revolute", 0.0, 0.333, 0.0, -QUARTER),
    ("revolute", 0.0, 0.0, 0.0, QUARTER),
    ("revolute", 0.0, 0.316, 0.0825, QUARTER),
    ("revolute", 0.0, 0.0, -0.0825, -QUARTER),
    ("revolute", 0.0, 0.384, 0.0, QUARTER),
    ("revolute", 0.0, 0.0, 0.088, QUARTER),
    ("revolute", 0.0, 0.107, 0.0, 0.0),
]
SCARA: list[Row] = [
    ("revolute", 0.0, 0.35, 0.25, 0.0),
    ("revolute", 0.0, 0.0, 0.2, math.pi),
    ("prismatic", 0.0, 0.0, 0.0, 0.0),
    ("revolute", 0.0, 0.05, 0.0, 0.0),
]
PLANAR: list[Row] = [("revolute", 0.0, 0.0, a, 0.0) for a in (0.3, 0.25, 0.15)]
GANTRY: list[Row] = [
    ("prismatic", QUARTER, 0.3, 0.0, QUARTER),
    ("prismatic", QUARTER, 0.2, 0.0, QUARTER),
    ("prismatic", 0.0, 0.1, 0.0, 0.0),
]
BOOM: list[Row] = [
    ("revolute", 0.0, 0.412, 0.0, -QUARTER),
    ("revolute", 0.0, 0.154, 0.0, QUARTER),
    ("prismatic", 0.0, 0.0, 0.0, 0.0),
    ("revolute", 0.0, 0.0, 0.0, -QUARTER),
    ("revolute", 0.0, 0.0, 0.0, QUARTER),
    ("revolute", 0.0, 0.263, 0.0, 0.0),
]
SMALL: list[Row] = [(kind, theta, d / 4, a / 4, alpha) for kind, theta, d, a, alpha in ELBOW]
LARGE: list[Row] = [(kind, theta, d * 3, a * 6, alpha) for kind, theta, d, a, alpha in ELBOW]

ARMS = {
    "elbow": arm(ELBOW, [0, -1.4, 0.2, 0, 1.2, 0]),
    "offsets": arm(OFFSETS, [0, -1.6, -1.6, -1.6, 1.6, 0]),
    "seven": arm(SEVEN, [0, -0.8, 0, -2.3, 0, 1.6, 0.8]),
    "scara": arm(SCARA, [0.3, 0.8, 0.1, 0]),
    "planar": arm(PLANAR, [0.3, 0.5, 0.4]),
    "gantry": arm(GANTRY, [0.1, 0.1, 0.1], stroke=(0.0, 0.4)),
    "boom": arm(BOOM, [0, 1.2, 0.7, 0, 0.8, 0], stroke=(0.3, 1.27)),
    "small": arm(SMALL, [0, -1.4, 0.2, 0, 1.2, 0]),
    "large": arm(LARGE, [0, -1.4, 0.2, 0, 1.2, 0]),
}


def overlap(one: Floats, other: Floats) -> bool:
    """Return whether the hulls of two sets of points meet: no plane has them on different sides."""
    if (one.min(axis=0) > other.max(axis=0)).any() or (other.min(axis=0) > one.max(axis=0)).any():
        return False
    sides = np.concatenate(
        [
            np.column_stack([one, -np.ones(len(one)), np.ones(len(one))]),
            np.column_stack([-other, np.ones(len(other)), np.ones(len(other))]),
        ]
    )
    bounds = [(-1, 1)] * 3 + [(None, None)] * 2
    answer = linprog([0, 0, 0, 0, -1], A_ub=sides, b_ub=np.zeros(len(sides)), bounds=bounds)
    return bool(-answer.fun < 1e-9)


def test_the_overlap_of_hulls_is_seen() -> None:
    cube = solid.hull_points(Shape("box", (1.0, 1.0, 1.0), np.eye(4)))
    assert overlap(cube, cube + 0.9)
    assert not overlap(cube, cube + np.array([1.1, 0.0, 0.0]))
    ball = solid.hull_points(Shape("sphere", (0.5,), np.eye(4)))
    assert not overlap(cube, ball + 0.9)


@pytest.mark.parametrize("name", sorted(ARMS.keys() - {"gantry"}))  # whose rod goes through the rail that carries it
def test_links_that_are_not_neighbours_do_not_touch_at_home(name: str) -> None:
    robot = ARMS[name]
    frames = robot.frames(robot.home)
    hulls = [
        [pose.transform(T, solid.hull_points(shape)) for shape in link.shapes]
        for link, T in zip(robot.links, frames, strict=False)
    ]
    for i in range(len(hulls)):
        for j in range(i + 2, len(hulls)):
            assert not any(overlap(a, b) for a in hulls[i] for b in hulls[j]), (i, j)


@pytest.mark.parametrize("name", ARMS)
def test_the_parts_of_a_link_and_its_neighbour_hang_together(name: str) -> None:
    robot = ARMS[name]
    frames = robot.frames(robot.home)
    hulls = [
        [pose.transform(T, solid.hull_points(shape)) for shape in link.shapes]
        for link, T in zip(robot.links, frames, strict=False)
    ]
    for own in hulls:
        assert len(_reached(own)) == len(own)
    for own, other in pairwise(hulls):
        assert any(overlap(a, b) for a in own for b in other)


def _reached(parts: list[Floats]) -> set[int]:
    """Return which of the parts hang together with the first."""
    reached, waiting = {0}, [0]
    while waiting:
        i = waiting.pop()
        more = [j for j in range(len(parts)) if j not in reached and overlap(parts[i], parts[j])]
        reached.update(more)
        waiting += more
    return reached


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_has_few_triangles(name: str) -> None:
    assert sum(len(solid.mesh(shape).faces) for link in ARMS[name].links for shape in link.shapes) < 15_000


def test_an_arm_of_twice_the_size_looks_the_same() -> None:
    double = arm([(k, t, 2 * d, 2 * a, al) for k, t, d, a, al in ELBOW], ARMS["elbow"].home.tolist())
    for one, two in zip(ARMS["elbow"].links, double.links, strict=True):
        for small, large in zip(one.shapes, two.shapes, strict=True):
            np.testing.assert_allclose(2.0 * np.array(small.size), large.size, atol=1e-5)


def test_a_rod_stays_in_its_sleeve_over_the_whole_stroke() -> None:
    robot = ARMS["scara"]
    for stroke in (0.0, 0.2):
        frames = robot.frames([0.0, 0.0, stroke, 0.0])
        sleeve = [pose.transform(frames[2], solid.hull_points(shape)) for shape in robot.links[2].shapes]
        rod = pose.transform(frames[3], solid.hull_points(robot.links[3].shapes[0]))
        assert any(overlap(part, rod) for part in sleeve)


def test_housings_get_thinner_towards_the_flange() -> None:
    widest = [max(shape.size[0] for shape in link.shapes) for link in ARMS["elbow"].links]
    assert widest == sorted(widest, reverse=True)


def test_a_skin_is_the_same_wherever_on_its_axis_a_joint_has_its_origin() -> None:
    at, x = pose.from_xyz, np.array([1.0, 0.0, 0.0])
    y, z = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])

    def chain(origin: float) -> list[Joint]:
        return [
            Joint("a", "revolute", at([0, 0, 0]), z, -1, 1),
            Joint("b", "revolute", at([0, 0.0, 0.3]), y, -1, 1),
            Joint("c", "revolute", at([origin, 0, 0.4]), x, -1, 1),
            Joint("d", "revolute", at([0.4 - origin, 0, 0]), y, -1, 1),
        ]

    flange, skins = at([0.1, 0, 0]), [LinkSkin() for _ in range(5)]
    before, after = make_skin(chain(-0.01), flange, skins), make_skin(chain(-0.02), flange, skins)
    for one, two in zip(before[:3], after[:3], strict=True):
        for a, b in zip(one, two, strict=True):
            np.testing.assert_allclose(a.size, b.size, atol=1e-12)
            np.testing.assert_allclose(a.T_link_shape, b.T_link_shape, atol=1e-12)


def test_wishes_are_granted() -> None:
    plain, fixed = ARMS["elbow"], arm(ELBOW, ARMS["elbow"].home.tolist(), radius=0.03)
    assert any(shape.size[0] == pytest.approx(0.03) for shape in fixed.links[2].shapes)
    assert not any(shape.size[0] == pytest.approx(0.03) for shape in plain.links[2].shapes)
    long = arm(ELBOW, ARMS["elbow"].home.tolist(), length=0.222)
    assert any(shape.kind == "cylinder" and shape.size[1] == pytest.approx(0.222) for shape in long.links[2].shapes)
    narrow = arm(ELBOW, ARMS["elbow"].home.tolist(), width=0.05, depth=0.04)
    limb = next(shape for shape in narrow.links[2].shapes if shape.kind == "loft")
    assert limb.size[:4] == pytest.approx((0.025, 0.02, 0.025, 0.02))


def test_a_shift_moves_the_limb_along_the_axis_and_no_body_leaves_it_out() -> None:
    joints = [
        Joint("a", "revolute", pose.from_xyz([0, 0, 0.3]), np.array([0, 1.0, 0]), -1, 1),
        Joint("b", "revolute", pose.from_xyz([0.5, 0, 0]), np.array([0, 1.0, 0]), -1, 1),
    ]
    flange = pose.from_xyz([0.4, 0, 0])

    def limbs(skin: LinkSkin) -> list[Shape]:
        return [s for s in make_skin(joints, flange, [LinkSkin(), skin, LinkSkin()])[1] if s.kind == "loft"]

    assert limbs(LinkSkin())[0].T_link_shape[1, 3] == pytest.approx(0.0)
    assert limbs(LinkSkin(shift=0.2))[0].T_link_shape[1, 3] == pytest.approx(0.2)
    assert limbs(LinkSkin(body="box"))[0].size[5] < limbs(LinkSkin(body="tapered"))[0].size[5]
    assert limbs(LinkSkin(body="none")) == []


@given(robot=robots())
def test_every_chain_gets_a_skin_of_finite_solids(robot: Robot) -> None:
    skin = make_skin(robot.joints, robot.flange, [LinkSkin() for _ in robot.links])
    _check(skin)


lengths = st.sampled_from((0.0, 0.0, 0.05, 0.3, -0.2, 1.0))
quarters = st.sampled_from((0.0, QUARTER, -QUARTER, math.pi, 0.3))


@given(
    rows=st.lists(
        st.tuples(st.sampled_from(("revolute", "prismatic")), quarters, lengths, lengths, quarters),
        min_size=1,
        max_size=8,
    ),
    long=st.booleans(),
)
def test_every_table_gets_a_skin_even_without_any_length(rows: list[Row], long: bool) -> None:
    stroke = (-50.0, 50.0) if long else (0.0, 0.2)
    robot = arm(rows, np.zeros(len(rows)).tolist(), stroke)
    _check([link.shapes for link in robot.links])


def _check(skin: Sequence[Sequence[Shape]]) -> None:
    for shapes in skin:
        assert shapes
        for shape in shapes:
            assert np.isfinite(shape.size).all()
            assert np.isfinite(shape.T_link_shape).all()
            np.testing.assert_allclose(shape.T_link_shape[:3, :3] @ shape.T_link_shape[:3, :3].T, np.eye(3), atol=1e-9)
            assert np.linalg.det(shape.T_link_shape[:3, :3]) > 0
            assert solid.volume(shape) > 0
