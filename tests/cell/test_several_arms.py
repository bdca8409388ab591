"""Several arms in one scene: one is selected, and the others stand or go on with what they were told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cell.driven import CUBE, KUKA, READY, TICK, Driven, project, with_parts
from cell.editing import whole
from refusals import refused

from armlab.arrays import Floats
from armlab.cell.arm_runtime import ArmRuntime
from armlab.cell.commands import COMMAND
from armlab.cell.events import Document, Dragged, Failed, Holding, PlayerProgress, PlayerReport, Proximity
from armlab.cell.positions import positions_of
from armlab.cell.project import Project, Structure
from armlab.cell.session import Session
from armlab.cell.wire import HEADER, JOINT_ROWS, OTHER_EXTRAS, Flag
from armlab.errors import ArmlabError, InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.recording import RecordingFolder, read_recording

SCARA = {"name": "right", "arm": {"name": "scara", "base": [0.0, 1500.0, 0.0, 0.0, 0.0, 0.0]}}
PLAN = {"kind": "joint", "points": [[0.0, 0.0, 0.0, 0.0], [60.0, -40.0, -30.0, 50.0]]}
SQUARE = "G21 G90\nG0 X0 Y0 Z0\nG1 X60 F3000\nG1 Y60\nG1 X0\nG1 Y0\nM2\n"


def pair(**parts: Any) -> Driven:
    """Return a KUKA, and a SCARA beside it that is not selected."""
    return Driven(others=[SCARA | parts.pop("right", {})], **parts)


def other_arm(driven: Driven) -> ArmRuntime:
    """Return the arm that is not selected."""
    (other,) = (arm for name, arm in driven.session.arms.items() if name != driven.session.selected)
    return other


def right_q(driven: Driven) -> Floats:
    """Return where the joints of the other arm are, in their units."""
    other = other_arm(driven)
    return np.asarray(other.state.q / other.scales)


def other_blocks(driven: Driven) -> list[Floats]:
    """Return what the state frame says of the arms that are not selected: rows (8, n), then frames, then extras."""
    data = driven.session.state_frame()
    head = HEADER.unpack_from(data)
    floats = np.frombuffer(data[HEADER.size :], "<f4").astype(float)
    at = 8 * head[2] + 7 * (head[2] + 2 + head[3]) + 6
    found = []
    for other in driven.session.document().layout.others:
        n = len(other.joints)
        size = len(JOINT_ROWS) * n + 7 * (n + 2) + len(OTHER_EXTRAS)
        found.append(floats[at : at + size])
        at += size
    assert at == len(floats)
    return found


def test_a_single_arm_is_told_as_ever() -> None:
    data = Driven("planar3").session.state_frame()
    n, b = HEADER.unpack_from(data)[2:4]
    assert len(data) == HEADER.size + 4 * (8 * n + 7 * (n + 2 + b) + 6)


@pytest.mark.parametrize("structure", ["hierarchy", "joints", "articulation"])
def test_both_arms_stand_in_every_structure_and_are_in_the_state(structure: Structure) -> None:
    driven = pair(structure=structure)
    driven.wait(0.3)
    (block,) = other_blocks(driven)
    other = other_arm(driven)
    np.testing.assert_allclose(block[:4], other.robot.home / other.scales, atol=1e-3)
    np.testing.assert_allclose(block[32:35], [0.0, 1.5, 0.0], atol=1e-6)
    assert block[-4] == 0.0, "it does nothing"


@pytest.mark.parametrize("structure", ["hierarchy", "joints", "articulation"])
def test_an_arm_that_was_sent_somewhere_goes_on_after_another_was_selected(structure: Structure) -> None:
    driven = pair(structure=structure)
    driven.ask("select_arm", name="right")
    driven.send(50.0, -30.0, -20.0, 10.0)
    driven.wait(0.1)
    driven.ask("select_arm", name="arm")
    assert int(other_blocks(driven)[0][-4]) & Flag.MOVING
    driven.go(*READY)
    driven.wait(2.0)
    np.testing.assert_allclose(driven.q, READY, atol=0.02)
    np.testing.assert_allclose(right_q(driven), [50.0, -30.0, -20.0, 10.0], atol=0.02)


def test_commands_are_for_the_selected_arm_alone() -> None:
    driven = pair()
    before = right_q(driven).copy()
    for _ in range(20):
        driven.jog(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        driven.wait(TICK)
    assert abs(driven.q[0]) > 1.0
    np.testing.assert_allclose(right_q(driven), before, atol=1e-3)
    driven.ask("select_arm", name="right")
    driven.wait(1.0)
    turned = right_q(driven)[0]
    with refused("joint_count", InvalidInput, expected=4, count=6):
        driven.jog(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for _ in range(20):
        driven.jog(1.0, 0.0, 0.0, 0.0)
        driven.wait(TICK)
    assert abs(driven.q[0] - before[0]) > 1.0
    assert right_q(driven)[0] == pytest.approx(turned, abs=0.01), "the KUKA stands"


def test_a_jog_ends_when_another_arm_is_selected() -> None:
    driven = pair()
    driven.jog(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    driven.wait(0.1)
    driven.ask("select_arm", name="right")
    assert not driven.flags & Flag.JOGGING
    driven.wait(1.0)
    stopped = right_q(driven).copy()
    driven.wait(0.5)
    np.testing.assert_allclose(right_q(driven), stopped, atol=1e-4)


def test_two_arms_play_at_the_same_time_each_its_own() -> None:
    waving = {"kind": "joint", "points": [READY, [30.0, *READY[1:]]]}
    driven = pair(plan=waving, right={"program": {"language": "gcode", "text": SQUARE}})
    driven.ask("play", what="plan", loop=True)
    driven.wait(1.0)
    driven.ask("select_arm", name="right")
    assert driven.of(PlayerReport)[-1].what == "none", "the page is told what the selected arm plays"
    driven.ask("play", what="program")
    seen = []
    for _ in range(60):
        driven.wait(0.05)
        seen.append((right_q(driven).copy(), driven.q.copy()))
    kuka, scara = (np.array(rows) for rows in zip(*seen, strict=True))
    assert np.ptp(kuka, axis=0).max() > 5.0
    assert np.ptp(scara, axis=0).max() > 1.0
    assert int(other_blocks(driven)[0][-4]) & Flag.PLAYING
    assert driven.of(PlayerProgress)[-1].arm == "right"
    for _ in range(600):
        driven.wait(0.1)
        if driven.session.arm().playing().is_over:
            break
    else:
        pytest.fail("the program did not come to its end")
    driven.wait(0.3)
    np.testing.assert_allclose(driven.session.q, driven.session.arm().playing().state().q, atol=1e-3)
    assert driven.session.is_busy, "the other one still plays"
    driven.ask("select_arm", name="arm")
    assert driven.of(PlayerReport)[-1].what == "plan"


def test_a_stop_stops_every_arm() -> None:
    driven = pair(right={"plan": PLAN})
    driven.ask("select_arm", name="right")
    driven.ask("play", what="plan")
    driven.wait(0.3)
    driven.ask("select_arm", name="arm")
    driven.send(*READY)
    driven.wait(0.2)
    driven.ask("stop")
    driven.wait(1.0)
    stopped = right_q(driven).copy(), driven.q.copy()
    driven.wait(0.5)
    np.testing.assert_allclose(right_q(driven), stopped[0], atol=1e-3)
    np.testing.assert_allclose(driven.q, stopped[1], atol=1e-3)
    assert not driven.session.is_busy


def test_letting_go_of_a_jog_stops_that_arm_alone() -> None:
    driven = pair(right={"plan": PLAN})
    driven.ask("select_arm", name="right")
    driven.ask("play", what="plan", loop=True)
    driven.ask("select_arm", name="arm")
    driven.ask("jog_joints", shares=[1.0] + [0.0] * 5, sequence=1, arm="arm")
    driven.wait(0.1)
    driven.ask("stop", arm="arm")
    driven.wait(0.5)
    assert not driven.flags & Flag.MOVING
    assert int(other_blocks(driven)[0][-4]) & Flag.PLAYING
    driven.ask("stop", arm="right")
    assert not driven.session.is_busy


def test_an_arm_is_moved_by_its_name_whichever_is_selected() -> None:
    driven = Driven(others=[{"name": "twin", "arm": {"name": KUKA, "base": [0.0, 2000.0, 0, 0, 0, 0]}}])
    driven.ask("select_arm", name="twin")
    before, other = driven.q.copy(), right_q(driven)[0]
    for k in range(20):
        driven.ask("jog_joints", shares=[1.0, 0, 0, 0, 0, 0], sequence=k, arm="arm")
        driven.wait(TICK)
    assert right_q(driven)[0] > other + 1.0
    driven.wait(1.0)
    driven.ask("move_joints", revision=driven.session.revision, targets=dict(enumerate(READY)), arm="arm")
    driven.wait(4.0)
    np.testing.assert_allclose(right_q(driven), READY, atol=0.05)
    turned = driven.session.arm("arm").robot.fk(driven.session.arm("arm").state.q)
    target = [*(turned[:3, 3] * 1000.0 + [0.0, 0.0, 20.0]), *(pose.as_abc(turned) * 180.0 / np.pi)]
    driven.ask("move_tool", pose=target, sequence=3, arm="arm")
    driven.wait(2.0)
    dragged = driven.of(Dragged)[-1]
    assert (dragged.arm, dragged.reached) == ("arm", True)
    moved = driven.session.arm("arm").robot.fk(driven.session.arm("arm").state.q)
    assert moved[2, 3] == pytest.approx(turned[2, 3] + 0.02, abs=1e-4)
    np.testing.assert_allclose(driven.q, before, atol=0.02)


def test_an_arm_that_is_not_there_is_told_once_and_nothing_moves() -> None:
    driven = pair()
    for command in (
        {"kind": "jog_joints", "shares": [1.0], "sequence": 1},
        {"kind": "play", "what": "plan"},
        {"kind": "pause"},
        {"kind": "pick"},
        {"kind": "take_arm"},
    ):
        with pytest.raises(UnknownName) as refused:
            driven.ask(**command, arm="left")
        assert refused.value.code == "unknown_scene_robot"
        assert all(arm.is_at_rest for arm in driven.session.arms.values())


def test_two_arms_are_jogged_at_the_same_time() -> None:
    driven = pair()
    before = driven.q[0], right_q(driven)[0]
    for k in range(30):
        driven.ask("jog_joints", shares=[1.0] + [0.0] * 5, sequence=k, arm="arm")
        driven.ask("jog_joints", shares=[-1.0] + [0.0] * 3, sequence=k, arm="right")
        driven.wait(TICK)
    assert driven.q[0] > before[0] + 2.0
    assert right_q(driven)[0] < before[1] - 2.0
    driven.ask("stop", arm="arm")
    driven.wait(0.1)
    assert driven.session.arm("right").jogger.is_active, "the other hand still holds its key"


def test_a_stop_of_one_arm_voids_what_is_held_of_that_arm_alone() -> None:
    driven = pair()
    driven.ask("stop", arm="right")
    driven.ask("jog_joints", shares=[1.0] + [0.0] * 5, sequence=1, stops=0, arm="arm")
    with pytest.raises(InvalidInput) as refused:
        driven.ask("jog_joints", shares=[1.0] + [0.0] * 3, sequence=1, stops=0, arm="right")
    assert refused.value.code == "stopped_since"
    driven.ask("jog_joints", shares=[1.0] + [0.0] * 3, sequence=2, stops=1, arm="right")
    driven.ask("stop")
    for arm, axes in (("arm", 6), ("right", 4)):
        with pytest.raises(InvalidInput):
            driven.ask("jog_joints", shares=[1.0] + [0.0] * (axes - 1), sequence=3, stops=1, arm=arm)


def test_an_arm_inside_another_is_refused_and_nothing_changes() -> None:
    for structure in ("hierarchy", "articulation", "joints"):
        driven = Driven(structure=structure)
        before = driven.session.project
        with pytest.raises(ArmlabError, match="overlap"):
            driven.edit(others=[{"name": "second", "arm": {"name": KUKA, "base": [60.0, 0, 0, 0, 0, 0]}}])
        assert driven.session.project is before
        assert len(driven.session.arms) == 1


def test_an_arm_that_moves_to_where_another_is_being_added_keeps_that_out() -> None:
    driven = Driven("scara", base=[0.0, 450.0, 0.0, 0.0, 0.0, 0.0], structure="hierarchy")
    added = with_parts(driven.session.project, "arm", others=[{"name": "second", "arm": {"name": KUKA}}])
    edit = {"type": "edit", "changes": whole(added), "label": "add", "revision": driven.session.revision}
    slow = driven.handler.begin(COMMAND.validate_python(edit))
    assert slow is not None
    built = slow.compute()
    driven.go(-90.0, 0.0, -80.0, 0.0)
    with pytest.raises(InvalidInput, match="overlap"):
        slow.apply(built)
    assert len(driven.session.project.arms) == 1


def test_names_are_not_given_twice() -> None:
    driven = pair()
    with pytest.raises(InvalidInput, match="two robots or bodies are named 'right'"):
        driven.edit(others=[SCARA, SCARA | {"arm": {"name": "scara", "base": [0.0, -1500.0, 0, 0, 0, 0]}}])
    with pytest.raises(InvalidInput, match="two robots or bodies are named 'right'"):
        driven.edit(others=[SCARA, SCARA])
    assert len(driven.session.project.arms) == 2


def test_undo_takes_an_added_arm_away_and_keeps_the_selected_one() -> None:
    driven = Driven()
    driven.go(*READY)
    driven.edit("add", others=[SCARA])
    np.testing.assert_allclose(driven.q, READY, atol=0.05)
    driven.ask("select_arm", name="right")
    assert driven.session.history.undo_label == "add", "selecting is nothing to undo"
    driven.edit("note", notes="n")
    driven.ask("undo")
    assert driven.session.selected == "right"
    driven.ask("undo")
    assert driven.session.selected == "arm"
    assert len(driven.session.arms) == 1
    driven.ask("redo")
    assert driven.session.project.arm_names == ("arm", "right")


def test_edits_of_two_arms_are_two_even_where_each_goes_on() -> None:
    driven = pair()
    for arm in ("arm", "right"):
        driven.ask("select_arm", name=arm)
        for text in ("G0", "G0 X1"):
            changed = with_parts(driven.session.project, arm, program={"language": "gcode", "text": text})
            driven.ask("edit", changes=whole(changed), label="program", revision=driven.session.revision, coalesce=True)
    driven.ask("undo")
    programs = {arm.name: arm.program and arm.program.text for arm in driven.session.project.arms}
    assert programs == {"arm": "G0 X1", "right": None}


def test_arms_that_an_edit_leaves_stay_where_they_are() -> None:
    driven = pair()
    driven.go(*READY)
    driven.ask("select_arm", name="right")
    driven.go(40.0, 20.0, -10.0, 0.0)
    driven.edit(bodies=[CUBE | {"xyz": [1500.0, 1500.0, 30.0], "mass": None}])
    np.testing.assert_allclose(driven.q, [40.0, 20.0, -10.0, 0.0], atol=0.05)
    np.testing.assert_allclose(right_q(driven), READY, atol=0.05)


def test_what_one_arm_touches_of_the_other_is_named() -> None:
    near = {"arm": {"name": "scara", "base": [0.0, 700.0, 0.0, 0.0, 0.0, 0.0]}}
    driven = Driven(others=[SCARA | near], structure="hierarchy")
    driven.ask("select_arm", name="right")
    driven.go(-90.0, 0.0, -50.0, 0.0)
    pairs = [pair for event in driven.of(Proximity) for pair in (*event.contacts, *event.nearest)]
    assert any({"arm", "right"} == {one.first.partition("/")[0], one.second.partition("/")[0]} for one in pairs)


def test_a_plan_into_another_arm_is_refused() -> None:
    near = {"arm": {"name": "scara", "base": [0.0, 450.0, 0.0, 0.0, 0.0, 0.0]}}
    plan = {"kind": "joint", "points": [[0.0, 0.0, 0.0, 0.0], [-90.0, 0.0, -80.0, 0.0]]}
    driven = Driven(others=[SCARA | near | {"plan": plan}])
    driven.ask("select_arm", name="right")
    with pytest.raises(ArmlabError, match=r"not free of contacts.*arm/"):
        driven.ask("play", what="plan")


def test_two_tools_hold_each_its_own_body() -> None:
    driven = pair(structure="hierarchy", bodies=[CUBE | {"xyz": [0.0, 0.0, 3000.0]}])
    driven.go(*READY)
    x, y, z = driven.tool[:3]
    driven.ask("select_arm", name="right")
    a, b, c = driven.tool[:3]
    one, two = CUBE | {"xyz": [x + 60, y, z]}, CUBE | {"name": "other cube", "xyz": [a, b, c - 60.0]}
    driven.edit(bodies=[one, two])
    driven.ask("pick")
    assert driven.of(Holding)[-1].body == "other cube"
    driven.ask("select_arm", name="arm")
    assert driven.of(Holding)[-1].body is None
    driven.ask("pick")
    assert {name: state.held for name, state in driven.session.world.states().items()} == {
        "arm": ("cube",),
        "right": ("other cube",),
    }
    assert other_blocks(driven)[0][-1] == 1.0, "the second body"
    driven.edit(notes="the tools go on holding", structure="articulation")
    assert driven.session.world.states()["right"].held == ("other cube",)
    driven.ask("place")
    assert driven.session.world.states()["right"].held == ("other cube",)


def test_a_project_opens_with_every_arm_where_it_stood() -> None:
    driven = pair()
    driven.go(*READY)
    driven.ask("select_arm", name="right")
    driven.go(40.0, 20.0, -10.0, 0.0)
    session = driven.session
    positions = positions_of(session.scene, session.world.states())
    text = session.project.model_copy(update={"positions": positions}).model_dump_json(by_alias=True)
    again = Session(Project.model_validate_json(text))
    for name, state in session.world.states().items():
        np.testing.assert_allclose(again.world.states()[name].q, state.q, atol=1e-4)


def test_a_program_that_ends_in_a_refused_pick_names_its_arm() -> None:
    scenario = {
        "schema": 1,
        "name": "t",
        "arm": "scara",
        "steps": [{"do": "wait", "seconds": 0.5}, {"do": "pick", "body": "cube"}],
    }
    driven = pair(bodies=[CUBE | {"xyz": [800.0, -800.0, 30.0]}], right={"scenario": scenario})
    driven.ask("select_arm", name="right")
    driven.ask("play", what="scenario")
    driven.ask("select_arm", name="arm")
    driven.wait(2.0)
    (failed,) = driven.of(Failed)
    assert (failed.arm, failed.step) == ("right", 1)


def test_a_simulation_that_is_lost_goes_on_with_both_arms() -> None:
    driven = pair()
    driven.go(*READY)
    driven.session.recover()
    driven.session.recover()
    driven.wait(0.2)
    np.testing.assert_allclose(driven.q, READY, atol=0.1)
    assert list(driven.session.arms) == ["arm", "right"]


def test_every_arm_has_a_recording_of_its_own(tmp_path: Path) -> None:
    session = Session(project(others=[SCARA]), recordings=RecordingFolder(tmp_path))
    session.record(on=True)
    for _ in range(30):
        session.advance(TICK)
    session.record(on=False)
    files = sorted(tmp_path.glob("*.mcap"))
    assert [path.name.split("_", 2)[2] for path in files] == ["kuka-kr6-r700_arm.mcap", "scara_right.mcap"]
    assert [read_recording(path).q.shape for path in files] == [(30, 6), (30, 4)]
    assert sum(event.type == "recording" for event in session.take_events()) == 2, "pages hear of the selected arm's"


def test_time_goes_on_for_a_recording_of_an_arm_that_is_not_selected() -> None:
    driven = Driven()
    driven.ask("record", on=True)
    driven.edit(others=[SCARA])
    driven.ask("select_arm", name="right")
    assert not driven.session.samples.is_recording, "it was added later"
    assert driven.session.is_busy
    driven.ask("record", on=False)
    assert not driven.session.is_busy


def test_pages_are_told_the_layout_of_every_arm() -> None:
    driven = pair()
    driven.ask("select_arm", name="right")
    document = driven.of(Document)[-1]
    assert len(document.layout.joints) == 4
    assert [(other.name, len(other.joints)) for other in document.layout.others] == [("arm", 6)]
    assert document.revision == driven.session.revision > 1
