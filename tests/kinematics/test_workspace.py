from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused

import armlab
from armlab.errors import InvalidInput, NotSupported
from armlab.geometry import pose
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.cells import AXES, Grid, PlaneName
from armlab.kinematics.singularity import manipulability
from armlab.kinematics.workspace import BranchAtlas, ReachMap, branch_atlas, reach_map, usual_plane
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot


def _quick(robot: Robot, plane: PlaneName | None = None, seed: int = 0) -> ReachMap:
    return reach_map(robot, plane=plane, cells=60, samples=60_000, seed=seed)


def _two_links(first: float, second: float, bend: float = math.pi) -> Robot:
    z = np.array([0.0, 0.0, 1.0])
    joints = (
        Joint("a", "revolute", np.eye(4), z, -math.pi, math.pi),
        Joint("b", "revolute", pose.from_xyz([first, 0, 0]), z, -bend, bend),
    )
    links = tuple(Link(f"link_{i}") for i in range(3))
    flange = pose.from_xyz([second, 0, 0])
    return Robot(name="two", joints=joints, links=links, home=np.zeros(2), source="made up", flange=flange)


def test_two_links_without_tight_limits_cover_a_ring() -> None:
    ring = reach_map(_two_links(0.3, 0.2), cells=150, samples=200_000)
    assert ring.grid.plane == "xy"
    assert ring.area == pytest.approx(math.pi * (0.5**2 - 0.1**2), rel=0.003)
    radius = np.linalg.norm(ring.grid.centres(), axis=-1)
    slack = ring.grid.cell
    assert not ring.reached[(radius > 0.5 + slack) | (radius < 0.1 - slack)].any()
    assert ring.reached[(radius < 0.5 - slack) & (radius > 0.1 + slack)].all()


def test_the_elbow_limit_makes_the_hole_that_the_law_of_cosines_tells() -> None:
    inner = math.sqrt(0.3**2 + 0.2**2 - 2 * 0.3 * 0.2 * math.cos(math.pi - 2.0))
    ring = reach_map(_two_links(0.3, 0.2, bend=2.0), cells=150, samples=200_000)
    assert ring.area == pytest.approx(math.pi * (0.5**2 - inner**2), rel=0.003)


def test_the_best_manipulability_of_two_links_is_where_the_elbow_is_square() -> None:
    robot = _two_links(0.3, 0.2)
    ring = reach_map(robot, cells=100, samples=200_000)
    radius = np.linalg.norm(ring.grid.centres(), axis=-1)
    square = np.abs(radius - math.hypot(0.3, 0.2)) < ring.grid.cell
    best = float(manipulability(robot, [0.0, math.pi / 2]))
    assert np.nanmax(ring.best) == pytest.approx(best, rel=1e-4)
    assert ring.best[square].min() > 0.98 * best
    assert (np.nan_to_num(ring.best) <= best * (1 + 1e-12)).all()


def test_a_scara_map_is_symmetrical() -> None:
    robot = armlab.load("scara")
    made = reach_map(robot, cells=100)
    assert made.grid.bottom == pytest.approx(-made.grid.extent[3], abs=made.grid.cell)
    y = made.grid.centres()[:, 0, 1]
    mirror = np.abs(y[:, None] + y[None]).argmin(axis=1)  # the row that shows the mirrored points
    differing = made.reached != made.reached[mirror]
    assert differing.mean() < 0.02


@pytest.mark.parametrize("name", armlab.robot_names())
def test_random_poses_fall_into_cells_that_are_reached(name: str) -> None:
    robot = armlab.load(name)
    made = reach_map(robot, plane="xy", cells=60, samples=50_000)
    q = robot.lower + (robot.upper - robot.lower) * np.random.default_rng(9).random((500, robot.dof))
    across, up, _ = AXES["xy"]
    number = made.grid.numbers(robot.fk(q)[:, [across, up], 3])
    assert (number >= 0).all()
    assert made.reached.ravel()[number].mean() > 0.995


@pytest.mark.parametrize("name", ["kuka-kr6-r900", "ur5e", "braccio", "stanford", "puma560"])
@pytest.mark.parametrize("plane", ["xz", "yz"])
def test_a_cut_shows_points_that_the_arm_reaches_in_that_plane(name: str, plane: PlaneName) -> None:
    robot = armlab.load(name)
    made = _quick(robot, plane)
    assert made.is_section
    across, up, square = AXES[plane]
    q = robot.lower + (robot.upper - robot.lower) * np.random.default_rng(5).random((400_000, robot.dof))
    points = robot.fk(q)[:, :3, 3]
    in_plane = points[np.abs(points[:, square]) < 0.002 * armlab.reach(robot)]
    number = made.grid.numbers(in_plane[:, [across, up]])
    assert len(number) > 300
    assert (number >= 0).all()
    assert made.reached.ravel()[number].mean() > 0.99
    hit = np.zeros(made.reached.size, dtype=bool)
    hit[number] = True
    assert (made.reached.ravel() & ~hit).sum() < 0.75 * made.reached.sum()


def test_an_arm_that_hangs_or_slides_first_is_seen_square_to_the_plane() -> None:
    upright = armlab.load("kuka-kr6-r900")
    lying = upright.with_base(pose.from_xyz_rpy([0, 0, 0], [math.pi / 2, 0, 0]))
    hanging = upright.with_base(pose.from_xyz_rpy([0, 0, 1], [math.pi, 0, 0]))
    assert _quick(upright, "xz").is_section
    assert _quick(hanging, "xz").is_section
    assert not _quick(lying, "xz").is_section
    assert not _quick(upright, "xy").is_section
    assert _quick(hanging, "xz").area == pytest.approx(_quick(upright, "xz").area, rel=0.03)


def test_a_map_is_the_same_for_the_same_seed_and_nearly_for_another() -> None:
    robot = armlab.load("ur3e")
    first, same, other = (_quick(robot, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.best, same.best)
    np.testing.assert_array_equal(first.samples, same.samples)
    assert first.area == pytest.approx(other.area, rel=0.02)


def test_progress_goes_from_nothing_to_all() -> None:
    for make in (
        lambda report: reach_map(armlab.load("scara"), cells=20, samples=120_000, progress=report),
        lambda report: branch_atlas(armlab.load("scara"), cells=40, progress=report),
    ):
        seen: list[tuple[int, int]] = []
        make(lambda done, total, seen=seen: seen.append((done, total)))
        assert seen[0][0] == 0
        assert seen[-1][0] == seen[-1][1]
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)
        assert len({total for _, total in seen}) == 1


def test_the_usual_plane_shows_most_of_the_arm() -> None:
    usual = {name: usual_plane(armlab.load(name)) for name in armlab.robot_names()}
    level = {"planar2", "planar3", "scara", "scara-s3", "epson-ls3", "s5-rig"}
    assert {name for name, plane in usual.items() if plane == "xy"} == level


def test_cells_are_numbered_row_by_row_from_below() -> None:
    grid = Grid("xy", -1.0, 2.0, 0.5, rows=3, columns=4)
    assert grid.extent == (-1.0, 1.0, 2.0, 3.5)
    np.testing.assert_array_equal(grid.numbers(grid.centres().reshape(-1, 2)), np.arange(12))
    assert grid.numbers(np.array([[-1.01, 2.1], [1.01, 2.1], [0.0, 1.99], [0.0, 3.51]])).tolist() == [-1] * 4


def _law_of_cosines(robot: Robot, atlas: BranchAtlas) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return the number of solutions of a SCARA with the tool turned by `rotation`, from its limits alone."""
    T = robot.frames(np.zeros(robot.dof))
    first, second = T[2][0, 3] - T[1][0, 3], T[3][0, 3] - T[2][0, 3]
    points = atlas.grid.centres()
    radius, angle = np.linalg.norm(points, axis=-1), np.arctan2(points[..., 1], points[..., 0])
    cosine = (radius**2 - first**2 - second**2) / (2 * first * second)
    count = np.zeros(radius.shape, dtype=np.int64)
    for sign in (1.0, -1.0):
        elbow = sign * np.arccos(np.clip(cosine, -1.0, 1.0))
        shoulder = angle - np.arctan2(second * np.sin(elbow), first + second * np.cos(elbow))
        shoulder = np.remainder(shoulder + math.pi, 2 * math.pi) - math.pi
        inside = (np.abs(cosine) <= 1.0) & (np.abs(elbow) <= robot.upper[1]) & (np.abs(shoulder) <= robot.upper[0])
        count += inside
    return count


def test_a_scara_has_no_one_or_two_solutions_as_the_law_of_cosines_says() -> None:
    robot = armlab.load("scara")
    atlas = branch_atlas(robot, cells=80)
    assert set(np.unique(atlas.solutions)) == {0, 1, 2}
    np.testing.assert_array_equal(atlas.solutions, _law_of_cosines(robot, atlas))
    assert atlas.most == 2


@pytest.mark.parametrize("name", ["kuka-kr6-r900", "ur5e", "planar3", "braccio", "puma560"])
def test_the_atlas_counts_what_all_ik_finds_turns_apart(name: str) -> None:
    robot = armlab.load(name)
    atlas = branch_atlas(robot, cells=24)
    across, up, square = AXES[atlas.grid.plane]
    centres = atlas.grid.centres()
    assert atlas.most >= 1
    for row, column in np.random.default_rng(0).integers((0, 0), atlas.solutions.shape, (25, 2)):
        T = np.eye(4)
        T[:3, :3] = atlas.rotation
        T[[across, up], 3], T[square, 3] = centres[row, column], atlas.at
        turned = {tuple(np.round(np.exp(1j * s.q), 5)) for s in all_ik(robot, T, task="pose")}
        assert atlas.solutions[row, column] == len(turned)


def test_a_redundant_arm_counts_branches_and_not_samples() -> None:
    atlas = branch_atlas(armlab.load("kuka-iiwa14"), cells=16)
    assert 1 <= atlas.most <= 8


def test_what_has_solutions_lies_inside_what_is_reached() -> None:
    robot = armlab.load("kuka-kr6-r900")
    reached, atlas = reach_map(robot, cells=60), branch_atlas(robot, cells=60)
    assert reached.grid == atlas.grid
    assert (atlas.reached & ~reached.reached).mean() < 0.005
    assert 0.0 < atlas.area < reached.area


def test_the_orientation_may_be_a_rotation_or_a_pose_and_the_level_is_kept() -> None:
    robot = armlab.load("kuka-kr6-r900")
    down = pose.from_xyz_abc([0, 0, 0], [0, math.pi, 0])
    first = branch_atlas(robot, down, plane="xy", at=0.4, cells=16)
    second = branch_atlas(robot, down[:3, :3], plane="xy", at=0.4, cells=16)
    np.testing.assert_array_equal(first.solutions, second.solutions)
    assert first.at == 0.4
    np.testing.assert_allclose(first.rotation, down[:3, :3])


def test_wrong_input_gets_a_sentence() -> None:
    robot = armlab.load("scara")
    with refused("cells_outside", InvalidInput, cells=7, fewest=8, most=1000):
        reach_map(robot, cells=7)
    with refused("cells_outside", InvalidInput, cells=1001):
        branch_atlas(robot, cells=1001)
    with refused("unknown_plane", InvalidInput, plane="zz"):
        reach_map(robot, plane="zz")  # type: ignore[arg-type]
    with refused("samples_outside", InvalidInput, samples=0):
        reach_map(robot, samples=0)
    with refused("not_a_rotation", InvalidInput, who="orientation"):
        branch_atlas(robot, np.ones((3, 3)))
    with refused("level_not_finite", InvalidInput):
        branch_atlas(robot, at=math.nan)
    with refused("orientation_not_free", NotSupported, robot="planar2", axes=2):
        branch_atlas(armlab.load("planar2"))
