from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from program.files import ABOVE, ASIDE, CARRY, FETCH, SCENE, WALL, scenario_in
from refusals import refused

from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.model.scene import Body, Scene
from armlab.program.check_contacts import ContactCheck, check_contacts
from armlab.program.reach import body_at_tool, distance_to
from armlab.program.schedule import plan_program


def _checked(tmp_path: Path, *steps: dict[str, Any], scene: str = SCENE, clearance: float = 0.0) -> ContactCheck:
    made = scenario_in(tmp_path, *steps, scene=scene)
    return check_contacts(made.scene, plan_program(made.scene.robot().robot, made.program), clearance=clearance)


def test_a_held_body_moves_with_the_tool_and_stays_where_it_is_put(tmp_path: Path) -> None:
    checked = _checked(tmp_path, *CARRY)
    assert checked.findings == ()
    assert [segment.held for segment in checked.segments] == [None, None, *["cube"] * 4, None, None]
    np.testing.assert_allclose(checked.scene.body("cube").T_world_body[:3, 3], [0.4, 0.1, 0.0755], atol=1e-6)


def test_the_first_contact_is_told_with_step_time_and_both_parts(tmp_path: Path) -> None:
    checked = _checked(tmp_path, *CARRY, scene=SCENE + WALL)
    first = checked.findings[0]
    assert (first.severity, first.code) == ("error", "contact")
    assert first.where["step"] == 5
    assert first.where["second"] == "wall"
    segment = checked.segments[4].segment
    assert segment.start < float(first.where["time"]) < segment.end
    assert str(first.message) == f"step 5: '{first.where['first']}' and 'wall' touch after {first.where['time']:.3f} s"


def test_a_held_body_is_checked_too(tmp_path: Path) -> None:
    beam = '[[body]]\nname = "beam"\nkind = "box"\nsize = [200, 20, 20]\nxyz = [400, 100, 180]\n'
    assert _checked(tmp_path, *CARRY[:2], CARRY[3], CARRY[4], scene=SCENE + beam).findings == ()
    found = _checked(tmp_path, *CARRY[:5], scene=SCENE + beam.replace("180", "215")).findings
    assert {str(finding.where["first"]) for finding in found} | {str(f.where["second"]) for f in found} >= {"beam"}


def test_a_clearance_counts_as_a_contact(tmp_path: Path) -> None:
    found = _checked(tmp_path, {"do": "move", "to_pose": ABOVE}, clearance=0.2).findings
    assert [finding.code for finding in found] == ["clearance"]
    assert "come within" in str(found[0].message)
    assert 0.0 < float(found[0].where["distance"]) <= 0.2 + 1e-5


def test_a_body_that_stands_on_something_may_be_lifted_and_set_down_also_after_a_pause(tmp_path: Path) -> None:
    pause = {"do": "wait", "seconds": 0.1}
    low = {"do": "move", "to_pose": [400, 0, 79.6, -90, 0, 180], "path": "line"}
    steps = [CARRY[0], CARRY[1], pause, *CARRY[2:4], low, pause, {"do": "place"}, pause, CARRY[3]]
    assert _checked(tmp_path, *steps).findings == ()


def test_what_is_held_may_not_hit_the_plate_where_it_is_not_set_down(tmp_path: Path) -> None:
    through = {"do": "move", "to_pose": [400, 0, 60, -90, 0, 180], "path": "line"}
    found = _checked(tmp_path, *FETCH, through, {"do": "wait", "seconds": 0.1}).findings
    first = found[0].where
    assert (first["step"], {first["first"], first["second"]}) == (5, {"cube", "plate"})


@pytest.mark.parametrize(
    ("steps", "level", "sentence"),
    [
        ([{"do": "pick", "body": "cube"}], "error", "step 1: body 'cube' is"),
        ([{"do": "pick"}], "error", "step 1: body 'cube' is"),
        ([{"do": "place"}], "warning", "step 1: place: the tool holds nothing"),
        ([*FETCH[:3], {"do": "pick"}], "error", "step 4: pick: the tool holds 'cube' already"),
    ],
)
def test_a_pick_or_place_of_nothing_is_told(
    tmp_path: Path, steps: list[dict[str, Any]], level: str, sentence: str
) -> None:
    (found,) = _checked(tmp_path, *steps).findings
    assert found.severity == level
    assert str(found.message).startswith(sentence)


def test_the_distance_to_a_body_is_that_to_its_surface() -> None:
    T = pose.from_xyz_abc([1.0, 0.0, 0.0], [0.3, 0.0, 0.0])
    box = Body("box", (Shape("box", (0.2, 0.4, 0.6), np.eye(4)),), T)
    for p_body, expected in (([0, 0, 0], 0.0), ([0.3, 0, 0], 0.2), ([0.4, 0.6, 0], 0.5), ([0.1, 0.2, 0.7], 0.4)):
        assert distance_to(box, pose.transform(T, np.array(p_body))) == pytest.approx(expected, abs=1e-9)


def test_the_nearest_loose_body_is_picked(tmp_path: Path) -> None:
    scene = scenario_in(tmp_path, {"do": "wait", "seconds": 1}).scene
    cube = scene.body("cube")
    assert body_at_tool(scene, None, cube.T_world_body).name == "cube"
    with refused("pick_fixed", InvalidInput, body="plate"):
        body_at_tool(scene, "plate", cube.T_world_body)
    with refused("pick_nothing", InvalidInput):
        body_at_tool(Scene("empty"), None, np.eye(4))


def test_resting_legs_are_not_swept(tmp_path: Path) -> None:
    checked = _checked(tmp_path, {"do": "move", "to_pose": ABOVE}, {"do": "wait", "seconds": 1})
    assert [segment.sweep is None for segment in checked.segments] == [False, True]
    assert checked.segments[0].sweep is not None
    assert checked.segments[0].sweep.is_free


def test_the_tool_may_touch_what_it_lets_go_but_not_other_bodies(tmp_path: Path) -> None:
    other = '[[body]]\nname = "post"\nkind = "box"\nsize = [20, 20, 150]\nxyz = [400, 62, 126]\n'
    steps = [*FETCH[:3], {"do": "place"}, {"do": "move", "to_pose": [400, 60, 80, -90, 0, 180], "path": "line"}]
    names = {str(f.where["second"]) for f in _checked(tmp_path, *steps, scene=SCENE + other).findings}
    assert "cube" not in names
    assert names


def test_poses_of_the_cell_are_where_the_steps_say(tmp_path: Path) -> None:
    made = scenario_in(tmp_path, {"do": "move", "to_pose": ASIDE})
    schedule = plan_program(made.scene.robot().robot, made.program)
    np.testing.assert_allclose(schedule.robot.fk(schedule.trajectory.end)[:3, 3], [0.4, 0.1, 0.25], atol=1e-6)
