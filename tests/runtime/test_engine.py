"""A session without a clock: every command, every refusal, and the laws between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from runtime.benches import CUBE, KUKA, READY, TABLE, TICK, Bench, project

from armlab.catalog import load
from armlab.errors import ArmlabError, InvalidInput, SimulationDiverged, UnknownName
from armlab.runtime.commands import COMMAND
from armlab.runtime.document import Stale
from armlab.runtime.engine import Engine
from armlab.runtime.events import Document, Holding, Notice
from armlab.runtime.wire import HEADER, Flag
from armlab.sim.simulation import Simulation
from armlab.units import joint_scale


def test_the_same_commands_at_the_same_times_give_the_same_session() -> None:
    def session() -> tuple[list[str], bytes]:
        bench = Bench(bodies=[TABLE, CUBE | {"xyz": [450.0, 0.0, 50.1]}])
        bench.ask("move_joints", q=READY)
        bench.wait(0.5)
        bench.jog_tool(0, 0, -0.5, 0, 0, 0)
        bench.wait(0.5)
        return [event.model_dump_json() for event in bench.told], bench.engine.state_frame()

    assert session() == session()


def test_a_newcomer_is_told_document_player_and_what_is_held() -> None:
    told = Bench().engine.introduction()
    assert [event.type for event in told][:3] == ["document", "player", "holding"]
    assert isinstance(told[0], Document)
    assert told[0].layout.joints == tuple(joint.name for joint in load(KUKA).joints)
    assert told[0].layout.links[-1] == "tool"


@pytest.mark.parametrize("structure", ["hierarchy", "joints", "articulation"])
def test_the_arm_goes_where_it_is_sent_in_every_structure(structure: str) -> None:
    bench = Bench(structure=structure)
    bench.go(*READY)
    np.testing.assert_allclose(bench.q, READY, atol=0.05)
    assert not bench.flags & Flag.MOVING


def test_joint_values_outside_the_limits_end_at_the_limits() -> None:
    bench = Bench()
    bench.go(9999.0, *READY[1:])
    np.testing.assert_allclose(bench.q[0], np.degrees(bench.engine.robot.upper[0]), atol=0.05)


def test_stop_stops() -> None:
    bench = Bench()
    bench.ask("move_joints", q=READY)
    bench.wait(0.2)
    assert bench.flags & Flag.MOVING
    bench.ask("stop")
    bench.wait(0.6)
    assert not bench.flags & Flag.MOVING
    assert np.abs(np.diff(bench.commands()[-5:], axis=0)).max() == 0.0


def test_time_in_the_state_is_the_time_that_passed() -> None:
    bench = Bench("planar3")
    bench.wait(1.0)
    bench.edit(structure="hierarchy")
    bench.wait(1.0)
    assert HEADER.unpack_from(bench.engine.state_frame())[5] == pytest.approx(2.0, abs=0.01)


# -- the document ------------------------------------------------------------------------------------------------------


def test_an_edit_can_be_undone_and_done_again() -> None:
    bench = Bench("planar3")
    first = bench.engine.project
    bench.edit("another arm", arm={"name": "scara"})
    second = bench.engine.project
    assert bench.engine.robot.name == "scara"
    bench.ask("undo")
    assert bench.engine.project == first
    assert bench.engine.robot.name == "planar3"
    assert bench.of(Document)[-1].redo == "another arm"
    bench.ask("redo")
    assert bench.engine.project == second
    assert [d.revision for d in bench.of(Document)] == [2, 3, 4]


@pytest.mark.parametrize(("kind", "sentence"), [("undo", "nothing to undo"), ("redo", "nothing to do again")])
def test_without_edits_there_is_nothing_to_take_back(kind: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Bench("planar3").ask(kind)


def test_edits_that_join_are_undone_at_once() -> None:
    bench = Bench("planar3")
    for title in ("a", "ab", "abc"):
        changed = bench.engine.project.model_dump(by_alias=True) | {"title": title}
        bench.ask("edit", project=changed, label="title", revision=bench.engine.revision, joins=True)
    assert bench.engine.project.title == "abc"
    assert bench.of(Document)[-1].undo == "title"
    bench.ask("undo")
    assert bench.engine.project.title == Bench("planar3").engine.project.title
    assert bench.of(Document)[-1].undo is None


def test_edits_that_join_and_end_where_they_began_leave_nothing_to_undo() -> None:
    bench = Bench("planar3")
    first = bench.engine.project
    for title in ("a", first.title):
        changed = bench.engine.project.model_dump(by_alias=True) | {"title": title}
        bench.ask("edit", project=changed, label="title", revision=bench.engine.revision, joins=True)
    assert bench.engine.project == first
    assert bench.of(Document)[-1].undo is None


def test_an_edit_joins_only_one_of_its_own_label_and_none_that_was_undone() -> None:
    bench = Bench("planar3")
    bench.edit("first", title="one")
    for label, title in (("second", "two"), ("third", "three")):
        changed = bench.engine.project.model_dump(by_alias=True) | {"title": title}
        bench.ask("edit", project=changed, label=label, revision=bench.engine.revision, joins=True)
    bench.ask("undo")
    assert bench.engine.project.title == "two"
    changed = bench.engine.project.model_dump(by_alias=True) | {"title": "four"}
    bench.ask("edit", project=changed, label="second", revision=bench.engine.revision, joins=True)
    bench.ask("undo")
    assert bench.engine.project.title == "two"


def test_a_session_can_begin_where_the_arm_stood() -> None:
    made = project("planar3")
    np.testing.assert_allclose(np.degrees(Engine(made, (50.0, 20.0, -30.0)).q), [50.0, 20.0, -30.0], atol=1e-9)
    home = Engine(made).q
    np.testing.assert_array_equal(Engine(made, (10.0, 20.0)).q, home)
    far = Engine(made, (1e9, 0.0, 0.0))
    assert far.q[0] == far.robot.upper[0]


def test_a_session_begins_at_home_where_a_body_is_now_in_the_way() -> None:
    x, y, z = (float(v) for v in load("planar3").fk(np.radians([140.0, 0.0, 0.0]))[:3, 3] * 1000.0)
    box = {"name": "box", "kind": "box", "size": [60.0, 60.0, 60.0], "xyz": [x, y, z]}
    made = project("planar3", bodies=[box])
    np.testing.assert_array_equal(Engine(made, (140.0, 0.0, 0.0)).q, Engine(made).q)


def test_an_edit_forgets_what_was_undone() -> None:
    bench = Bench("planar3")
    bench.edit("one", title="one")
    bench.ask("undo")
    bench.edit("two", title="two")
    with pytest.raises(InvalidInput, match="nothing to do again"):
        bench.ask("redo")


def test_an_edit_of_an_older_document_is_refused_as_stale() -> None:
    bench = Bench("planar3")
    bench.edit("mine", title="mine")
    yours = bench.engine.project.model_dump(by_alias=True) | {"title": "yours"}
    with pytest.raises(Stale, match="has changed in the meantime") as caught:
        bench.ask("edit", project=yours, label="yours", revision=1)
    assert caught.value.code == "stale"
    assert bench.engine.project.title == "mine"


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"arm": {"name": "no-such-arm"}}, "no robot named 'no-such-arm'"),
    ({"arm": {"name": KUKA, "tool": "no-tool"}}, "no tool named 'no-tool'"),
    ({"arm": {"name": KUKA, "dh": [{}]}}, "has 6 joints, but 1 rows are given"),
    ({"arm": {"name": KUKA, "limits": [{"lower": -1, "upper": 1}]}}, "has 6 joints, but 1 ranges are given"),
    ({"bodies": [{"name": "m", "kind": "mesh", "file": "a.stl"}]}, "a project names no files"),
    ({"bodies": [CUBE, CUBE]}, "two things are named 'cube'"),
    ({"bodies": [CUBE | {"name": "arm"}]}, "two things are named 'arm'"),
    ({"bodies": [CUBE | {"xyz": [0.0, 0.0, 200.0]}]}, "inside each other"),
]


@pytest.mark.parametrize(("parts", "sentence"), BROKEN)
def test_an_edit_that_cannot_be_built_leaves_everything_as_it_was(parts: dict[str, Any], sentence: str) -> None:
    bench = Bench(bodies=[TABLE])
    bench.ask("move_joints", q=READY)
    bench.wait(0.2)
    before = bench.engine.project, bench.engine.revision, bench.engine.robot, bench.engine.scene
    with pytest.raises(ArmlabError, match=sentence):
        bench.edit(**parts)
    assert (bench.engine.project, bench.engine.revision, bench.engine.robot, bench.engine.scene) == before
    bench.wait(2.5)
    np.testing.assert_allclose(bench.q, READY, atol=0.05)


def test_an_edit_of_notes_does_not_touch_the_arm() -> None:
    bench = Bench()
    bench.ask("move_joints", q=READY)
    bench.wait(0.3)
    robot = bench.engine.robot
    bench.edit(notes="measured on Monday")
    assert bench.engine.robot is robot
    bench.wait(2.5)
    np.testing.assert_allclose(bench.q, READY, atol=0.05)


def test_a_change_of_structure_keeps_the_pose() -> None:
    bench = Bench()
    bench.go(*READY)
    bench.edit(structure="joints")
    np.testing.assert_allclose(bench.q, READY, atol=0.05)


def test_other_lengths_make_another_arm_of_the_same_name() -> None:
    from armlab.runtime.arm import dh_values

    bench = Bench("planar2")
    rows = [row.model_dump() for row in dh_values(bench.engine.robot)]
    reach = bench.engine.robot.fk(np.zeros(2))[0, 3]
    rows[0]["a"] += 100.0
    bench.edit(arm={"name": "planar2", "dh": rows})
    assert bench.engine.robot.fk(np.zeros(2))[0, 3] == pytest.approx(reach + 0.1)
    bench.wait(0.2)


def test_other_limits_hold_from_now_on() -> None:
    bench = Bench("planar2")
    bench.go(60.0, 30.0)
    bench.edit(arm={"name": "planar2", "limits": [{"lower": -10, "upper": 20}, {"lower": -90, "upper": 90}]})
    assert bench.q[0] == pytest.approx(20.0, abs=0.01)
    bench.go(90.0, 0.0)
    assert bench.q[0] == pytest.approx(20.0, abs=0.05)


# -- picking and placing -----------------------------------------------------------------------------------------------


def picker(**more: Any) -> Bench:
    """Return a KUKA with a cube right at its tool, in the air: nothing falls in a hierarchy."""
    robot = load(KUKA)
    q = np.array([v * joint_scale(j.kind) for v, j in zip(READY, robot.joints, strict=True)])
    x, y, z = robot.fk(q)[:3, 3] * 1000.0
    cube = CUBE | {"xyz": [x + 60.0, y, z]}
    bench = Bench(bodies=[cube], **{"structure": "hierarchy", **more})
    bench.go(*READY)
    return bench


@pytest.mark.parametrize("name", [None, "cube"])
def test_a_picked_body_moves_with_the_tool_and_stays_where_it_is_placed(name: str | None) -> None:
    bench = picker()
    bench.ask("pick", body=name)
    assert bench.of(Holding)[-1].body == "cube"
    assert bench.flags & Flag.HOLDING
    before = np.array(bench.engine._state.bodies["cube"])
    bench.go(40.0, *READY[1:])
    after = np.array(bench.engine._state.bodies["cube"])
    assert np.linalg.norm(after[:3, 3] - before[:3, 3]) > 0.2
    bench.ask("place")
    assert bench.of(Holding)[-1].body is None
    bench.go(*READY)
    np.testing.assert_allclose(bench.engine._state.bodies["cube"], after, atol=1e-9)


def test_picking_says_what_is_wrong() -> None:
    bench = picker()
    with pytest.raises(UnknownName, match="no body in scene 'bench' named 'ball'"):
        bench.ask("pick", body="ball")
    with pytest.raises(InvalidInput, match="the tool holds nothing"):
        bench.ask("place")
    bench.ask("pick")
    with pytest.raises(InvalidInput, match="the tool holds 'cube' already"):
        bench.ask("pick")
    bench.ask("place")
    bench.go(120.0, *READY[1:])
    with pytest.raises(InvalidInput, match=r"'cube' is .* mm away from the tool"):
        bench.ask("pick")


def test_an_edit_elsewhere_leaves_bodies_and_what_is_held_where_they_are() -> None:
    bench = picker()
    bench.ask("pick")
    bench.go(40.0, *READY[1:])
    before = np.array(bench.engine._state.bodies["cube"])
    bodies = [*bench.engine.project.model_dump(by_alias=True)["bodies"], TABLE | {"xyz": [0.0, 900.0, 10.0]}]
    bench.edit(bodies=bodies)
    np.testing.assert_allclose(bench.engine._state.bodies["cube"], before, atol=1e-6)
    assert bench.flags & Flag.HOLDING


def test_a_body_falls_on_the_table_and_reset_puts_it_back() -> None:
    bench = Bench(bodies=[TABLE, CUBE | {"xyz": [500.0, 200.0, 150.0]}])
    bench.wait(1.0)
    assert bench.engine._state.bodies["cube"][2, 3] == pytest.approx(0.05, abs=0.002)
    bench.ask("reset_simulation")
    assert bench.engine._state.bodies["cube"][2, 3] == pytest.approx(0.15)


# -- what goes wrong ---------------------------------------------------------------------------------------------------


def test_a_simulation_that_diverges_starts_anew_where_it_was_good(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    bench.go(*READY)

    def explode(*_: object) -> None:
        raise SimulationDiverged("step 7: joint 'A1' left all bounds")

    monkeypatch.setattr(Simulation, "follow", explode)
    bench.ask("move_joints", q=[20.0, *READY[1:]])
    bench.wait(TICK)
    monkeypatch.undo()
    notice = bench.of(Notice)[-1]
    assert (notice.code, notice.facts["message"]) == ("diverged", "step 7: joint 'A1' left all bounds")
    np.testing.assert_allclose(bench.q, READY, atol=0.1)
    bench.go(20.0, *READY[1:])
    np.testing.assert_allclose(bench.q[0], 20.0, atol=0.05)


NAN, INF = float("nan"), float("inf")
NONSENSE: list[dict[str, Any]] = [
    {},
    {"type": "explode"},
    {"type": "stop", "now": True},
    {"type": "move_joints"},
    {"type": "move_joints", "q": [NAN] * 6},
    {"type": "move_joints", "q": ["a"]},
    {"type": "move_joints", "q": [1e300] * 6},
    {"type": "move_tool", "pose": [0, 0, 0], "sequence": 1},
    {"type": "move_tool", "pose": [INF, 0, 0, 0, 0, 0], "sequence": 1},
    {"type": "move_tool", "pose": [0, 0, 0, 0, 0, 0], "sequence": -1},
    {"type": "jog_joints", "shares": [2.0], "sequence": 1},
    {"type": "jog_joints", "shares": [NAN], "sequence": 1},
    {"type": "jog_tool", "shares": [0] * 6, "frame": "moon", "sequence": 1},
    {"type": "jog_tool", "shares": [0] * 5, "frame": "base", "sequence": 1},
    {"type": "seek", "time": -1.0},
    {"type": "seek", "time": NAN},
    {"type": "set_pace", "pace": 0.0},
    {"type": "set_pace", "pace": INF},
    {"type": "play", "what": "chess"},
    {"type": "pick", "body": "x" * 100},
    {"type": "record", "on": "perhaps"},
    {"type": "edit", "project": {}, "label": "x", "revision": 1},
    {"type": "edit", "project": {"arm": {"name": "../etc/passwd"}}, "label": "x", "revision": 1},
    {"type": "edit", "project": {"arm": {"name": KUKA}}, "label": "", "revision": 1},
]


@pytest.mark.parametrize("command", NONSENSE, ids=lambda c: str(c)[:60])
def test_nonsense_is_no_command(command: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        COMMAND.validate_python(command)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("move_joints", {"q": [1.0]}, "has 3 joints, but 1 values are given"),
    ("jog_joints", {"shares": [1.0], "sequence": 1}, "has 3 joints, but 1 shares are given"),
    ("play", {"what": "plan"}, "there is no plan yet"),
    ("play", {"what": "poses"}, "keep at least two poses"),
    ("play", {"what": "scenario"}, "there is no scenario yet"),
    ("pause", {}, "nothing is being played"),
    ("resume", {}, "nothing is being played"),
    ("seek", {"time": 1.0}, "nothing is being played"),
    ("step_on", {}, "nothing is being played"),
    ("set_pace", {"pace": 2.0}, "nothing is being played"),
    ("pick", {}, "there is no loose body"),
    ("place", {}, "the tool holds nothing"),
]


@pytest.mark.parametrize(("kind", "values", "sentence"), REFUSED)
def test_what_cannot_be_done_now_is_refused_in_a_sentence(kind: str, values: dict[str, Any], sentence: str) -> None:
    bench = Bench("planar3")
    with pytest.raises(ArmlabError, match=sentence):
        bench.ask(kind, **values)
    bench.wait(TICK)


def test_a_project_comes_back_from_its_file_as_it_was() -> None:
    made = project(
        tool="suction",
        base=[100.0, 0.0, 50.0, 30.0, 0.0, 0.0],
        structure="joints",
        bodies=[TABLE, CUBE],
        poses=[{"id": "a1", "name": "Über dem Tisch", "q": READY}],
        plan={"kind": "joint", "points": [READY, [0.0] * 6], "scheme": "quintic"},
        scenario={"schema": 1, "name": "s", "arm": KUKA, "steps": [{"do": "wait", "seconds": 1.0}]},
    )
    assert type(made).model_validate_json(made.model_dump_json(by_alias=True)) == made
