"""Edits of the project in a session: undone and redone, refused as a whole, and built into the arm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cell.driven import CUBE, KUKA, READY, TABLE, TICK, Driven, picker, project
from cell.editing import whole
from refusals import refused

from armlab.catalog import load
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import Edit, MoveJoints
from armlab.cell.document import MAX_UNDO_BYTES, Stale
from armlab.cell.events import Changed
from armlab.cell.positions import positions_of
from armlab.cell.project import ArmChoice, ArmPosition, Project, SavedPositions
from armlab.cell.session import Session
from armlab.errors import ArmlabError, InvalidInput
from armlab.geometry import pose
from armlab.sim.simulation import Simulation


def test_an_edit_can_be_undone_and_done_again() -> None:
    driven = Driven("planar3")
    first = driven.session.project
    driven.edit("another arm", arm={"name": "scara"})
    second = driven.session.project
    assert driven.session.robot.name == "scara"
    driven.ask("undo")
    assert driven.session.project == first
    assert driven.session.robot.name == "planar3"
    assert driven.of(Changed)[-1].redo == "another arm"
    driven.ask("redo")
    assert driven.session.project == second
    assert [d.revision for d in driven.of(Changed)] == [2, 3, 4]


@pytest.mark.parametrize(("kind", "sentence"), [("undo", "nothing to undo"), ("redo", "nothing to redo")])
def test_without_edits_there_is_nothing_to_take_back(kind: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Driven("planar3").ask(kind)


def test_edits_that_join_are_undone_at_once() -> None:
    driven = Driven("planar3")
    for title in ("a", "ab", "abc"):
        changed = driven.session.project.model_dump(by_alias=True) | {"title": title}
        driven.ask("edit", changes=whole(changed), label="title", revision=driven.session.revision, coalesce=True)
    assert driven.session.project.title == "abc"
    assert driven.of(Changed)[-1].undo == "title"
    driven.ask("undo")
    assert driven.session.project.title == Driven("planar3").session.project.title
    assert driven.of(Changed)[-1].undo is None


def test_edits_that_join_and_end_where_they_began_leave_nothing_to_undo() -> None:
    driven = Driven("planar3")
    first = driven.session.project
    for title in ("a", first.title):
        changed = driven.session.project.model_dump(by_alias=True) | {"title": title}
        driven.ask("edit", changes=whole(changed), label="title", revision=driven.session.revision, coalesce=True)
    assert driven.session.project == first
    assert driven.of(Changed)[-1].undo is None


def test_an_edit_joins_only_one_of_its_own_label_and_none_that_was_undone() -> None:
    driven = Driven("planar3")
    driven.edit("first", title="one")
    for label, title in (("second", "two"), ("third", "three")):
        changed = driven.session.project.model_dump(by_alias=True) | {"title": title}
        driven.ask("edit", changes=whole(changed), label=label, revision=driven.session.revision, coalesce=True)
    driven.ask("undo")
    assert driven.session.project.title == "two"
    changed = driven.session.project.model_dump(by_alias=True) | {"title": "four"}
    driven.ask("edit", changes=whole(changed), label="second", revision=driven.session.revision, coalesce=True)
    driven.ask("undo")
    assert driven.session.project.title == "two"


def standing(made: Project, *q: float) -> Session:
    """Return a session that begins where an arm stood."""
    positions = SavedPositions(arms={"arm": ArmPosition(q=q)})
    return Session(made.model_copy(update={"positions": positions}))


def test_a_session_can_begin_where_the_arm_stood() -> None:
    made = project("planar3")
    np.testing.assert_allclose(np.degrees(standing(made, 50.0, 20.0, -30.0).q), [50.0, 20.0, -30.0], atol=1e-9)
    home = Session(made).q
    np.testing.assert_array_equal(standing(made, 10.0, 20.0).q, home)
    far = standing(made, 1e6, 0.0, 0.0)
    assert far.q[0] == far.robot.upper[0]


def test_a_session_begins_at_home_where_a_body_is_now_in_the_way() -> None:
    x, y, z = (float(v) for v in load("planar3").fk(np.radians([140.0, 0.0, 0.0]))[:3, 3] * 1000.0)
    box = {"name": "box", "kind": "box", "size": [60.0, 60.0, 60.0], "xyz": [x, y, z]}
    made = project("planar3", bodies=[box])
    np.testing.assert_array_equal(standing(made, 140.0, 0.0, 0.0).q, Session(made).q)


def test_an_edit_forgets_what_was_undone() -> None:
    driven = Driven("planar3")
    driven.edit("one", title="one")
    driven.ask("undo")
    driven.edit("two", title="two")
    with refused("nothing_to_redo", InvalidInput):
        driven.ask("redo")


def test_an_edit_of_an_older_document_is_refused_as_stale() -> None:
    driven = Driven("planar3")
    driven.edit("mine", title="mine")
    yours = driven.session.project.model_dump(by_alias=True) | {"title": "yours"}
    with pytest.raises(Stale, match="the project has changed") as caught:
        driven.ask("edit", changes=whole(yours), label="yours", revision=1)
    assert caught.value.code == "stale"
    assert driven.session.project.title == "mine"


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"arm": {"name": "no-such-arm"}}, "no robot named 'no-such-arm'"),
    ({"arm": {"name": KUKA, "tool": "no-tool"}}, "no tool named 'no-tool'"),
    ({"arm": {"name": KUKA, "dh": [{}]}}, "has 6 joints, got 1 DH rows"),
    ({"arm": {"name": KUKA, "limits": [{"lower": -1, "upper": 1}]}}, "has 6 joints, got limits of 1"),
    ({"bodies": [{"name": "m", "kind": "mesh", "file": "a.stl"}]}, "a project cannot name files"),
    ({"bodies": [CUBE, CUBE]}, "two robots or bodies are named 'cube'"),
    ({"bodies": [CUBE | {"name": "arm"}]}, "two robots or bodies are named 'arm'"),
    ({"bodies": [CUBE | {"xyz": [0.0, 0.0, 200.0]}]}, "overlap by"),
]


@pytest.mark.parametrize(("parts", "sentence"), BROKEN)
def test_an_edit_that_cannot_be_built_leaves_everything_as_it_was(parts: dict[str, Any], sentence: str) -> None:
    driven = Driven(bodies=[TABLE])
    driven.send(*READY)
    driven.wait(0.2)
    before = driven.session.project, driven.session.revision, driven.session.robot, driven.session.scene
    with pytest.raises(ArmlabError, match=sentence):
        driven.edit(**parts)
    assert (driven.session.project, driven.session.revision, driven.session.robot, driven.session.scene) == before
    driven.wait(2.5)
    np.testing.assert_allclose(driven.q, READY, atol=0.05)


@pytest.mark.parametrize("raising", ["__init__", "state", "attach"])
def test_an_edit_is_all_or_nothing_whatever_is_raised(raising: str, monkeypatch: pytest.MonkeyPatch) -> None:
    driven = picker()
    driven.ask("pick")
    session = driven.session
    before = session.project, session.revision, session.robot, session.scene, session.introduction()

    def explode(*_args: object, **_more: object) -> None:
        raise ValueError("not an error of ours")

    monkeypatch.setattr(Simulation, raising, explode)
    with pytest.raises(ValueError, match="not an error of ours"):
        driven.edit(bodies=[*session.project.model_dump(by_alias=True)["bodies"], TABLE | {"xyz": [0.0, 900.0, 10.0]}])
    monkeypatch.undo()
    after = session.project, session.revision, session.robot, session.scene, session.introduction()
    assert after == before
    assert session.take_events() == []
    driven.edit(title="still there")
    driven.ask("reset_simulation")
    driven.wait(TICK)


def test_the_history_is_bounded_by_its_size() -> None:
    driven = Driven("planar3")
    poses = [{"id": f"p{i}", "name": "x" * 60, "q": [0.0] * 60} for i in range(400)]
    for i in range(60):
        driven.edit(f"edit {i}", title=f"title {i}", poses=poses)
    for _step in range(60):
        try:
            driven.ask("undo")
        except InvalidInput:
            break
    undone = 60 - int(driven.session.project.title.rpartition(" ")[2]) - 1
    size = len(driven.session.project.model_dump_json())
    assert undone > 5
    assert undone * size <= MAX_UNDO_BYTES


def test_an_edit_of_notes_does_not_touch_the_arm() -> None:
    driven = Driven()
    driven.send(*READY)
    driven.wait(0.3)
    robot = driven.session.robot
    driven.edit(notes="measured on Monday")
    assert driven.session.robot is robot
    driven.wait(2.5)
    np.testing.assert_allclose(driven.q, READY, atol=0.05)


def test_a_change_of_structure_keeps_the_pose() -> None:
    driven = Driven()
    driven.go(*READY)
    driven.edit(structure="joints")
    np.testing.assert_allclose(driven.q, READY, atol=0.05)


def test_other_lengths_make_another_arm_of_the_same_name() -> None:
    from cell.dh_rows import dh_values

    driven = Driven("planar2")
    rows = [row.model_dump() for row in dh_values(driven.session.robot)]
    reach = driven.session.robot.fk(np.zeros(2))[0, 3]
    rows[0]["a"] += 100.0
    driven.edit(arm={"name": "planar2", "dh": rows})
    assert driven.session.robot.fk(np.zeros(2))[0, 3] == pytest.approx(reach + 0.1)
    driven.wait(0.2)


def test_other_limits_hold_from_now_on() -> None:
    driven = Driven("planar2")
    driven.go(60.0, 30.0)
    driven.edit(arm={"name": "planar2", "limits": [{"lower": -10, "upper": 20}, {"lower": -90, "upper": 90}]})
    assert driven.q[0] == pytest.approx(20.0, abs=0.01)
    driven.go(90.0, 0.0)
    assert driven.q[0] == pytest.approx(20.0, abs=0.05)


def test_a_project_opens_with_arm_and_bodies_where_they_stood_when_it_was_saved() -> None:
    cube = {"name": "cube", "kind": "box", "size": [50, 50, 50], "xyz": [400, 0, 25], "mass": 0.2}
    made = Project.model_validate({"arm": {"name": "scara"}, "bodies": [cube]})
    q = (20.0, -30.0, -50.0, 10.0)
    bodies: dict[str, tuple[float, float, float, float, float, float]]
    bodies = {"cube": (300.0, 200.0, 25.0, 45.0, 0.0, 0.0), "gone": (0.0,) * 6}
    there = SavedPositions(arms={"arm": ArmPosition(q=q), "gone": ArmPosition(q=q)}, bodies=bodies)
    session = Session(Project.of_arm(ArmChoice(name="ur5e")))
    saved = made.model_copy(update={"positions": there})
    edit = Edit(type="edit", changes=whole(saved), label="open", revision=session.revision)
    for _twice in range(2):  # opened once more, it stands there again
        CommandHandler(session).handle(edit.model_copy(update={"revision": session.revision}))
        assert session.project == made  # the document has no positions
        np.testing.assert_allclose(session.q / session.arm().scales, q, atol=1e-9)
        np.testing.assert_allclose(session.state.bodies["cube"], pose.from_mm_deg(there.bodies["cube"]), atol=1e-6)
        move = MoveJoints(type="move_joints", revision=session.revision, targets={0: 0.0})
        CommandHandler(session).handle(move)
        for _ in range(60):
            session.advance(1 / 60)
    told = positions_of(session.scene, session.world.states())
    again = Session(made.model_copy(update={"positions": told}))
    np.testing.assert_allclose(again.q, session.q, atol=1e-7)
    np.testing.assert_allclose(again.state.bodies["cube"], session.state.bodies["cube"], atol=1e-6)


def test_a_project_opens_with_what_the_tool_held() -> None:
    cube = {"name": "cube", "kind": "box", "size": [40, 40, 40], "xyz": [400, 0, 20], "mass": 0.2}
    made = Project.model_validate({"arm": {"name": "ur5e", "tool": "gripper"}, "bodies": [cube]})
    session = Session(made)
    session.world.simulation.attach("cube")
    session.world.read()
    told = positions_of(session.scene, session.world.states())
    assert told.arms["arm"].held == "cube"
    assert Session(made.model_copy(update={"positions": told})).arm().held == "cube"
    arms = {"arm": told.arms["arm"].model_copy(update={"held": None})}
    bare = made.model_copy(update={"positions": told.model_copy(update={"arms": arms})})
    CommandHandler(session).handle(Edit(type="edit", changes=whole(bare), label="open", revision=session.revision))
    assert session.arm().held is None
