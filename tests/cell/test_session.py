"""A session without a clock: every command, every refusal, and the laws between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cell.driven import CUBE, KUKA, READY, TABLE, TICK, Driven, picker, project
from pydantic import ValidationError
from refusals import refused

from armlab.catalog import load
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import COMMAND, MoveJoints
from armlab.cell.document import Stale
from armlab.cell.events import Document, Holding, Notice
from armlab.cell.project import ArmChoice, Project
from armlab.cell.session import Session
from armlab.cell.wire import HEADER, Flag
from armlab.errors import ArmlabError, InvalidInput, SimulationDiverged, UnknownName
from armlab.sim.simulation import Simulation


def test_the_same_commands_at_the_same_times_give_the_same_session() -> None:
    def session() -> tuple[list[str], bytes]:
        driven = Driven(bodies=[TABLE, CUBE | {"xyz": [450.0, 0.0, 50.1]}])
        driven.send(*READY)
        driven.wait(0.5)
        driven.jog_tool(0, 0, -0.5, 0, 0, 0)
        driven.wait(0.5)
        return [event.model_dump_json() for event in driven.told], driven.session.state_frame()

    assert session() == session()


def test_a_newcomer_is_told_document_player_and_what_is_held() -> None:
    told = Driven().session.introduction()
    assert [event.type for event in told][:3] == ["document", "player", "holding"]
    assert isinstance(told[0], Document)
    assert told[0].layout.joints == tuple(joint.name for joint in load(KUKA).joints)
    assert told[0].layout.links[-1] == "tool"


@pytest.mark.parametrize("structure", ["hierarchy", "joints", "articulation"])
def test_the_arm_goes_where_it_is_sent_in_every_structure(structure: str) -> None:
    driven = Driven(structure=structure)
    driven.go(*READY)
    np.testing.assert_allclose(driven.q, READY, atol=0.05)
    assert not driven.flags & Flag.MOVING


def test_joint_values_outside_the_limits_end_at_the_limits() -> None:
    driven = Driven()
    driven.go(9999.0, *READY[1:])
    np.testing.assert_allclose(driven.q[0], np.degrees(driven.session.robot.upper[0]), atol=0.05)


def test_a_nudge_commands_one_joint_and_leaves_the_others_their_targets() -> None:
    driven = Driven()
    driven.go(*READY)
    driven.send(40.0, *READY[1:])
    driven.wait(0.2)
    driven.ask("move_joints", revision=driven.session.revision, targets={4: 50.0})
    driven.wait(3.0)
    np.testing.assert_allclose(driven.q, [40.0, *READY[1:4], 50.0, 0.0], atol=0.05)


def test_targets_for_an_older_project_are_refused_as_stale() -> None:
    driven = Driven()
    revision = driven.session.revision
    driven.edit(arm={"name": "ur5e"})
    before = driven.q
    with pytest.raises(Stale) as caught:
        driven.ask("move_joints", revision=revision, targets={0: 30.0})
    assert (caught.value.code, caught.value.parameters["revision"]) == ("stale", driven.session.revision)
    driven.wait(0.5)
    np.testing.assert_allclose(driven.q, before, atol=0.05)


def test_stop_stops() -> None:
    driven = Driven()
    driven.send(*READY)
    driven.wait(0.2)
    assert driven.flags & Flag.MOVING
    driven.ask("stop")
    driven.wait(0.6)
    assert not driven.flags & Flag.MOVING
    assert np.abs(np.diff(driven.commands()[-5:], axis=0)).max() == 0.0


def test_time_in_the_state_is_the_time_that_passed() -> None:
    driven = Driven("planar3")
    driven.wait(1.0)
    driven.edit(structure="hierarchy")
    driven.wait(1.0)
    assert HEADER.unpack_from(driven.session.state_frame())[5] == pytest.approx(2.0, abs=0.01)


# -- picking and placing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [None, "cube"])
def test_a_picked_body_moves_with_the_tool_and_stays_where_it_is_placed(name: str | None) -> None:
    driven = picker()
    driven.ask("pick", body=name)
    assert driven.of(Holding)[-1].body == "cube"
    assert driven.flags & Flag.HOLDING
    before = np.array(driven.session.state.bodies["cube"])
    driven.go(40.0, *READY[1:])
    after = np.array(driven.session.state.bodies["cube"])
    assert np.linalg.norm(after[:3, 3] - before[:3, 3]) > 0.2
    driven.ask("place")
    assert driven.of(Holding)[-1].body is None
    driven.go(*READY)
    np.testing.assert_allclose(driven.session.state.bodies["cube"], after, atol=1e-9)


def test_picking_says_what_is_wrong() -> None:
    driven = picker()
    with refused("unknown_scene_body", UnknownName, name="ball", owner="cell"):
        driven.ask("pick", body="ball")
    with refused("nothing_held", InvalidInput):
        driven.ask("place")
    driven.ask("pick")
    with refused("already_holding", InvalidInput, body="cube"):
        driven.ask("pick")
    driven.ask("place")
    driven.go(120.0, *READY[1:])
    with refused("pick_too_far", InvalidInput, body="cube"):
        driven.ask("pick")


def test_an_edit_elsewhere_leaves_bodies_and_what_is_held_where_they_are() -> None:
    driven = picker()
    driven.ask("pick")
    driven.go(40.0, *READY[1:])
    before = np.array(driven.session.state.bodies["cube"])
    bodies = [*driven.session.project.model_dump(by_alias=True)["bodies"], TABLE | {"xyz": [0.0, 900.0, 10.0]}]
    driven.edit(bodies=bodies)
    np.testing.assert_allclose(driven.session.state.bodies["cube"], before, atol=1e-6)
    assert driven.flags & Flag.HOLDING


def test_a_body_falls_on_the_table_and_reset_puts_it_back() -> None:
    driven = Driven(bodies=[TABLE, CUBE | {"xyz": [500.0, 200.0, 150.0]}])
    driven.wait(1.0)
    assert driven.session.state.bodies["cube"][2, 3] == pytest.approx(0.05, abs=0.002)
    driven.ask("reset_simulation")
    assert driven.session.state.bodies["cube"][2, 3] == pytest.approx(0.15)


# -- what goes wrong ---------------------------------------------------------------------------------------------------


def test_a_simulation_that_diverges_restarts_where_it_was_good(monkeypatch: pytest.MonkeyPatch) -> None:
    driven = Driven()
    driven.go(*READY)

    def explode(*_: object) -> None:
        raise SimulationDiverged(
            "simulation_diverged", "step {step}: joint '{joint}' left all bounds", step=7, joint="A1"
        )

    monkeypatch.setattr(Simulation, "follow_together", explode)
    driven.send(20.0, *READY[1:])
    driven.wait(TICK)
    monkeypatch.undo()
    notice = driven.of(Notice)[-1]
    assert (notice.code, notice.parameters["reason"]["code"]) == ("diverged", "simulation_diverged")
    np.testing.assert_allclose(driven.q, READY, atol=0.1)
    driven.go(20.0, *READY[1:])
    np.testing.assert_allclose(driven.q[0], 20.0, atol=0.05)


def test_bodies_stay_where_they_are_when_a_session_recovers() -> None:
    driven = picker()
    driven.ask("pick")
    driven.go(40.0, *READY[1:])
    driven.ask("place")
    before = np.array(driven.session.state.bodies["cube"])
    driven.session.recover()
    np.testing.assert_allclose(driven.session.state.bodies["cube"], before, atol=1e-9)
    driven.ask("pick")
    driven.session.recover()
    assert driven.flags & Flag.HOLDING
    np.testing.assert_allclose(driven.session.state.bodies["cube"], before, atol=1e-9)


def test_bodies_stay_where_they_are_when_a_session_recovers_with_the_arm_pressed_on_one() -> None:
    cubes = [CUBE | {"xyz": [520.0, 0.0, 55.0]}, CUBE | {"name": "other", "xyz": [500.0, 220.0, 150.0]}]
    driven = Driven(bodies=[TABLE, *cubes])
    driven.go(*READY)
    for z in (72.0, 68.0):
        driven.ask("move_tool", pose=[520.0, 0.0, z, 0.0, 90.0, 0.0], sequence=1)
        driven.wait(2.0)
    assert driven.flags & Flag.TOUCHING
    before, q = driven.session.state.bodies, driven.q
    driven.session.recover()
    for name, T in driven.session.state.bodies.items():
        np.testing.assert_allclose(T, before[name], atol=1e-9)
    np.testing.assert_allclose(driven.q, q, atol=1e-6)
    assert not driven.session.state.qd.any()
    assert not driven.flags & Flag.MOVING


def test_a_session_that_fails_again_and_again_gives_up_place_by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    driven = Driven(bodies=[TABLE, CUBE | {"xyz": [500.0, 200.0, 150.0]}])
    home = driven.q
    driven.go(*READY)

    def explode(*_: object) -> None:
        raise SimulationDiverged(
            "simulation_diverged", "step {step}: joint '{joint}' left all bounds", step=7, joint="A1"
        )

    monkeypatch.setattr(Simulation, "step", explode)
    heights, joints = [], []
    for _tick in range(5):
        driven.wait(TICK)
        heights.append(float(driven.session.state.bodies["cube"][2, 3]))
        joints.append(driven.q)
    np.testing.assert_allclose(joints[:2], [READY, READY], atol=0.1)
    np.testing.assert_allclose(joints[2:], [home] * 3, atol=1e-6)
    np.testing.assert_allclose(heights, [0.05, 0.05, 0.05, 0.15, 0.15], atol=0.002)


NAN, INF = float("nan"), float("inf")
NONSENSE: list[dict[str, Any]] = [
    {},
    {"type": "explode"},
    {"type": "stop", "now": True},
    {"type": "move_joints"},
    {"type": "move_joints", "revision": 1, "targets": {}},
    {"type": "move_joints", "revision": 1, "targets": {0: NAN}},
    {"type": "move_joints", "revision": 1, "targets": {0: "a"}},
    {"type": "move_joints", "revision": 1, "targets": {"A1": 0.0}},
    {"type": "move_joints", "revision": 1, "targets": {-1: 0.0}},
    {"type": "move_joints", "revision": 1, "targets": {0: 1e300}},
    {"type": "move_joints", "targets": {0: 1.0}},
    {"type": "move_tool", "pose": [0, 0, 0], "sequence": 1},
    {"type": "move_tool", "pose": [INF, 0, 0, 0, 0, 0], "sequence": 1},
    {"type": "move_tool", "pose": [0, 0, 0, 0, 0, 0], "sequence": -1},
    {"type": "jog_joints", "shares": [2.0], "sequence": 1},
    {"type": "jog_joints", "shares": [NAN], "sequence": 1},
    {"type": "jog_tool", "shares": [0] * 6, "frame": "moon", "sequence": 1},
    {"type": "jog_tool", "shares": [0] * 5, "frame": "base", "sequence": 1},
    {"type": "seek", "time": -1.0},
    {"type": "seek", "time": NAN},
    {"type": "set_rate", "rate": 0.0},
    {"type": "set_rate", "rate": INF},
    {"type": "play", "what": "chess"},
    {"type": "pick", "body": "x" * 100},
    {"type": "record", "on": "perhaps"},
    {"type": "edit", "changes": {}, "label": "x", "revision": 1},
    {"type": "edit", "changes": [{"path": ["title"]}], "label": "x", "revision": 1},
    {
        "type": "edit",
        "changes": [{"path": ["notes"], "at": -1, "remove": 0, "insert": ""}],
        "label": "x",
        "revision": 1,
    },
    {"type": "edit", "changes": [{"path": ["a"] * 20, "value": 1}], "label": "x", "revision": 1},
    {"type": "edit", "changes": [], "label": "", "revision": 1},
]


@pytest.mark.parametrize("command", NONSENSE, ids=lambda c: str(c)[:60])
def test_nonsense_is_not_a_command(command: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        COMMAND.validate_python(command)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("move_joints", {"revision": 1, "targets": {3: 1.0}}, "no_such_joint"),
    ("jog_joints", {"shares": [1.0], "sequence": 1}, "joint_count"),
    ("play", {"what": "plan"}, "no_plan"),
    ("play", {"what": "poses"}, "too_few_poses"),
    ("play", {"what": "scenario"}, "no_scenario"),
    ("pause", {}, "nothing_played"),
    ("resume", {}, "nothing_played"),
    ("seek", {"time": 1.0}, "nothing_played"),
    ("single_step", {}, "nothing_played"),
    ("set_rate", {"rate": 2.0}, "nothing_played"),
    ("pick", {}, ""),
    ("place", {}, "nothing_held"),
]


@pytest.mark.parametrize(("kind", "values", "code"), REFUSED)
def test_what_cannot_be_done_now_is_refused_with_a_code(kind: str, values: dict[str, Any], code: str) -> None:
    driven = Driven("planar3")
    with pytest.raises(ArmlabError) as caught:
        driven.ask(kind, **values)
    assert code in {"", caught.value.code}
    driven.wait(TICK)


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


@pytest.mark.parametrize("name", ["scara", "epson-ls3", "staubli-tx60", "kuka-kr6-r900", "ur3e"])
def test_no_joint_of_tied_links_opens_by_more_than_20_micrometres_at_full_speed(name: str) -> None:
    session = Session(Project.of_arm(ArmChoice(name=name), structure="joints"))
    robot, rng = session.robot, np.random.default_rng(7)
    lower, upper = np.maximum(robot.lower, -3.0), np.minimum(robot.upper, 3.0)
    gaps = []
    for _ in range(2):
        q = (lower + (upper - lower) * rng.random(robot.dof)) / session.arm().scales
        targets = {i: float(value) for i, value in enumerate(q)}
        CommandHandler(session).handle(MoveJoints(type="move_joints", revision=session.revision, targets=targets))
        while session.arm().mover.is_moving:
            session.advance(1 / 60)
            gaps.append(session.state.gap)
    assert 0.0 < max(gaps) <= 20e-6
