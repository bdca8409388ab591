"""Questions to a checker: free or not, what touches, how far."""

from __future__ import annotations

import math

import numpy as np
import pytest
from collision.obstacles import box, configurations, obstacles
from refusals import refused

import armlab
from armlab import threads
from armlab.collision import Checker, Held
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot
from armlab.model.scene import Body, PlacedRobot, Scene


@pytest.fixture(scope="module")
def arm() -> Robot:
    return armlab.load("kuka-kr6-r700")


@pytest.fixture(scope="module")
def checker(arm: Robot) -> Checker:
    return Checker(Scene.of(arm, bodies=obstacles()))


def test_free_contacts_and_distances_agree(arm: Robot, checker: Checker) -> None:
    rows = configurations(arm, 400, seed=1)
    free = checker.is_free(rows)
    assert isinstance(free, np.ndarray)
    assert 0.3 < free.mean() < 0.9
    least = checker.min_distance(rows)
    for q, is_free, value in zip(rows, free, np.asarray(least), strict=True):
        assert checker.is_free(q) is bool(is_free)
        contacts = checker.contacts(q)
        assert bool(contacts) != is_free
        assert all(contact.distance <= 0.0 for contact in contacts)
        nearest = checker.distance(q)
        assert nearest.value == pytest.approx(value, abs=1e-12)
        assert (nearest.value > 0.0) == is_free
        if is_free:
            assert np.linalg.norm(nearest.p_second - nearest.p_first) == pytest.approx(nearest.value, abs=1e-6)


def test_a_clearance_is_a_distance_from_bodies(arm: Robot) -> None:
    checker = Checker(Scene.of(arm, bodies=obstacles()), allowed=[(arm.name, arm.name)])
    rows = configurations(arm, 1500, seed=2)
    least = np.asarray(checker.min_distance(rows))
    for clearance in (0.001, 0.02, 0.1):
        sure = np.abs(least - clearance) > 1e-6
        found = np.asarray(checker.is_free(rows, clearance=clearance))
        assert np.array_equal(found[sure], least[sure] > clearance)
        assert sure.mean() > 0.99


def test_parts_of_one_arm_need_no_clearance(arm: Robot) -> None:
    checker = Checker(Scene.of(arm))
    assert checker.distance(arm.home).value < 0.1
    assert checker.is_free(arm.home, clearance=0.1) is True


def test_distances_come_nearest_first_and_start_with_the_distance(arm: Robot, checker: Checker) -> None:
    found = checker.distances(arm.home, within=0.3)
    values = [pair.value for pair in found]
    assert len(found) > 3
    assert values == sorted(values)
    assert values[-1] <= 0.3
    nearest = checker.distance(arm.home)
    assert (found[0].first, found[0].second) == (nearest.first, nearest.second)
    assert values[0] == pytest.approx(nearest.value, abs=1e-7)


def test_a_ball_is_as_far_from_the_arm_as_it_was_put(arm: Robot) -> None:
    probe = Body("probe", (Shape("sphere", (0.02,), np.eye(4)),), pose.from_xyz([0.9, 0.5, 0.9]))
    near = Checker(Scene.of(arm, bodies=[probe])).distances(arm.home, within=2.0)
    to_probe = [pair for pair in near if pair.second == "probe"]
    p = to_probe[0].p_first
    outward = (probe.T_world_body[:3, 3] - p) / np.linalg.norm(probe.T_world_body[:3, 3] - p)
    for away in (0.001, 0.05):
        moved = probe.at(pose.from_xyz(p + (0.02 + away) * outward))
        with_it = Checker(Scene.of(arm, bodies=[moved]))
        found = next(pair for pair in with_it.distances(arm.home, within=0.1) if pair.second == "probe")
        assert found.value == pytest.approx(away, abs=1e-6)
        assert with_it.is_free(arm.home, clearance=0.9 * away) is True
        assert with_it.is_free(arm.home, clearance=1.1 * away) is False


def test_what_stands_still_is_not_checked_against_what_stands_still(arm: Robot) -> None:
    table = box("table", (1.0, 1.0, 0.1), (0.0, 0.0, -0.05))
    checker = Checker(Scene.of(arm, bodies=[table, box("crate", (0.1, 0.1, 0.1), (0.0, 0.0, 0.02))]))
    assert ("base", "table") not in checker.pairs
    assert ("link_1", "table") in checker.pairs
    assert checker.is_free(arm.home, clearance=0.001) is True


def test_allowed_pairs_may_touch(arm: Robot) -> None:
    there = arm.fk(arm.home)[:3, 3]
    bodies = [box("wall", (0.1, 0.1, 0.1), (there[0], there[1], there[2]))]
    scene = Scene.of(arm, bodies=bodies)
    touching = Checker(scene).contacts(arm.home)
    assert {contact.second for contact in touching} == {"wall"}
    pairs = [(contact.first, "wall") for contact in touching]
    assert Checker(scene, allowed=pairs).is_free(arm.home) is True
    assert Checker(scene, allowed=[("wall", arm.name)]).is_free(arm.home) is True
    assert Checker(scene, allowed=pairs[1:]).is_free(arm.home) is (len(pairs) == 0)


def test_a_held_body_moves_with_the_tool(arm: Robot) -> None:
    stick = box("stick", (0.02, 0.02, 0.3), (2.0, 0.0, 0.0))
    post = box("post", (0.05, 0.05, 0.4), (0.0, 0.0, 0.0))
    T_tool_stick = pose.from_xyz([0.0, 0.0, 0.16])
    middle = (arm.fk(arm.home) @ T_tool_stick)[:3, 3]
    scene = Scene.of(arm, bodies=[stick, post.at(pose.from_xyz(middle))])
    lying = Checker(scene, allowed=[("post", arm.name)])
    holding = lying.with_held("stick", T_tool_stick)
    assert lying.is_free(arm.home) is True
    assert [(c.first, c.second) for c in holding.contacts(arm.home)] == [("stick", "post")]
    assert ("link_6", "stick") not in holding.pairs
    assert ("stick", "link_6") not in holding.pairs
    assert ("stick", "link_3") in holding.pairs
    same = Checker(scene, allowed=[("post", arm.name)], attached=[Held("stick", T_tool_stick)])
    assert same.pairs == holding.pairs


def test_two_arms_collide_and_have_longer_names(arm: Robot) -> None:
    far, near = pose.from_xyz([1.2, 0.0, 0.0]), pose.from_xyz_rpy([0.7, 0.0, 0.0], [0.0, 0.0, np.pi])
    left = PlacedRobot("left", arm, arm.home)
    apart = Checker(Scene("cell", (left, PlacedRobot("right", arm.with_base(far), arm.home))))
    meeting = Checker(Scene("cell", (left, PlacedRobot("right", arm.with_base(near), arm.home))))
    assert apart.is_free(arm.home) is True
    contacts = meeting.contacts(arm.home)
    assert {contact.first.split("/")[0] for contact in contacts} | {
        contact.second.split("/")[0] for contact in contacts
    } == {"left", "right"}
    back = arm.home.copy()
    back[0] += 1.5
    assert meeting.is_free({"left": arm.home, "right": back}) is True
    assert meeting.is_free(back, robot="right") is True
    many = meeting.is_free({"left": np.array([arm.home, back]), "right": arm.home})
    assert np.array_equal(many, [False, True])
    with refused("row_counts_differ", InvalidInput):
        meeting.is_free({"left": np.zeros((2, 6)), "right": np.zeros((3, 6))})


def test_a_body_named_like_a_link_makes_names_longer(arm: Robot) -> None:
    checker = Checker(Scene.of(arm, bodies=[box("base", (0.1, 0.1, 0.1), (1.0, 0.0, 0.0))]))
    assert (f"{arm.name}/link_6", "base") in checker.pairs


def test_without_anything_to_meet_the_distance_is_infinite(robot: Robot) -> None:
    found = Checker(Scene.of(robot)).distance(robot.home)
    assert math.isinf(found.value)
    assert (found.first, found.second) == ("", "")


def test_wrong_questions_get_a_sentence(arm: Robot, checker: Checker) -> None:
    with refused("wrong_width", InvalidInput, expected=6, got="(5,)"):
        checker.is_free(np.zeros(5))
    with refused("not_finite", InvalidInput):
        checker.is_free([0, 0, math.nan, 0, 0, 0])
    with refused("not_finite", InvalidInput):
        checker.distance(np.full(6, math.nan))
    with refused("joint_value_too_large", InvalidInput):
        checker.contacts(np.full(6, 1e6))
    for clearance in (-0.01, math.nan, math.inf):
        with refused("negative_distance", InvalidInput, what="clearance"):
            checker.is_free(arm.home, clearance=clearance)
    with refused("negative_distance", InvalidInput, what="within", value="-1.0"):
        checker.distances(arm.home, within=-1.0)
    with refused("one_configuration_needed", InvalidInput, count=2):
        checker.contacts(np.zeros((2, 6)))
    with refused("unknown_scene_robot", UnknownName):
        checker.is_free(arm.home, robot="other")


def test_wrong_scenes_get_a_sentence(arm: Robot) -> None:
    with refused("scene_without_robot", InvalidInput, scene="empty"):
        Checker(Scene("empty"))
    with refused("not_a_scene", InvalidInput):
        Checker(arm)  # type: ignore[arg-type]
    with refused("unknown_collision_object", UnknownName, name="tabel"):
        Checker(Scene.of(arm), allowed=[("tabel", "link_1")])
    with refused("not_a_pair", InvalidInput, what="allowed", given="'link_1'"):
        Checker(Scene.of(arm), allowed=["link_1"])  # type: ignore[list-item]
    with refused("unknown_scene_body", UnknownName, name="cup"):
        Checker(Scene.of(arm)).with_held("cup", np.eye(4))


def test_no_rows_are_no_answers(arm: Robot, checker: Checker) -> None:
    assert np.asarray(checker.is_free(np.zeros((0, arm.dof)))).shape == (0,)


def test_one_call_a_batch_and_a_batch_after_more_proofs_say_the_same(arm: Robot) -> None:
    post = Body("post", (Shape("box", (0.1, 0.1, 0.8), np.eye(4)),), pose.from_xyz([0.4, 0.2, 0.4]))
    checker = Checker(Scene.of(arm, bodies=[post]))
    rows = np.random.default_rng(6).uniform(arm.lower, arm.upper, (400, arm.dof))
    few = np.asarray(checker.is_free(rows))
    many = np.asarray(checker.is_free(np.tile(rows, (6, 1))))
    assert 0 < few.sum() < len(rows)
    np.testing.assert_array_equal(many.reshape(6, -1), np.tile(few, (6, 1)))
    assert [checker.is_free(row) for row in rows] == few.tolist()
    assert [checker.is_free(row, clearance=0.02) for row in rows] == np.asarray(
        checker.is_free(rows, clearance=0.02)
    ).tolist()


def test_the_answers_do_not_depend_on_the_number_of_threads(arm: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(7).uniform(arm.lower, arm.upper, (5000, arm.dof))
    answers = []
    for count in (1, 2, 3):
        monkeypatch.setattr(threads, "_chosen", count)
        checker = Checker(Scene.of(arm))
        answers.append((np.asarray(checker.is_free(rows)), np.asarray(checker.min_distance(rows[:2500]))))
    for free, least in answers[1:]:
        np.testing.assert_array_equal(free, answers[0][0])
        np.testing.assert_array_equal(least, answers[0][1])


def test_a_checker_with_other_bodies_answers_as_one_made_for_them() -> None:
    robot = armlab.load("ur5e", tool="gripper")
    q = configurations(robot, 300, seed=3)
    first = Checker(Scene.of(robot, bodies=obstacles()[:3]))
    for bodies in (obstacles()[3:], [box("link_3", (0.4, 0.4, 0.4), (0.5, 0.0, 0.5))], []):
        moved, fresh = first.with_bodies(bodies), Checker(Scene.of(robot, bodies=bodies))
        assert np.array_equal(moved.is_free(q), fresh.is_free(q))
        assert set(moved.pairs) == set(fresh.pairs)
        assert np.allclose(moved.min_distance(q), fresh.min_distance(q), atol=1e-6)
    held = first.with_held("obstacle_0", pose.from_xyz([0.0, 0.0, 0.2]))
    other = held.with_bodies([*obstacles()[:1], *obstacles()[5:]])
    fresh = Checker(other.scene).with_held("obstacle_0", pose.from_xyz([0.0, 0.0, 0.2]))
    assert np.array_equal(other.is_free(q), fresh.is_free(q))
