"""Playing plans, poses and scenarios."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cell.driven import CUBE, KUKA, READY, TABLE, TICK, Driven
from cell.editing import whole
from refusals import refused

from armlab.catalog import load
from armlab.cell.events import Failed, Holding, PlayerReport
from armlab.cell.project import MAX_POSES
from armlab.cell.wire import EXTRAS, Flag
from armlab.errors import ArmlabError, InvalidInput, LimitViolation, PlanningFailed
from armlab.motion.limits import limits_of
from armlab.server.builtin_content import scenario_content

A, B, C = [60.0, 0.0, 0.0], [100.0, -30.0, 20.0], [40.0, 50.0, 10.0]


def poses(*rows: list[float]) -> list[dict[str, Any]]:
    return [{"id": f"p{i}", "name": f"pose {i}", "q": row} for i, row in enumerate(rows)]


def player_time(driven: Driven) -> float:
    return float(np.frombuffer(driven.session.state_frame()[-4 * len(EXTRAS) :], "<f4")[3])


def play_on(driven: Driven, seconds: float = 30.0) -> None:
    """Let time pass until the player has ended."""
    for _ in range(round(seconds / TICK)):
        driven.wait(TICK)
        if "player_ended" in driven.notices():
            return


@pytest.fixture
def driven() -> Driven:
    return Driven("planar3", poses=poses(A, B, C), plan={"kind": "joint", "points": [A, B, C, A], "scheme": "smooth"})


def test_saved_poses_are_played_one_after_the_other(driven: Driven) -> None:
    driven.ask("play", what="poses")
    report = driven.of(PlayerReport)[-1]
    assert (report.what, report.q[0], report.q[-1]) == ("poses", tuple(A), tuple(C))
    assert len(report.t) == len(report.q) == len(report.path)
    assert driven.flags & Flag.PLAYING
    play_on(driven)
    driven.wait(0.3)
    np.testing.assert_allclose(driven.q, C, atol=0.1)
    passed = np.degrees(driven.commands())
    assert np.abs(passed - B).max(axis=1).min() < 1.0
    assert driven.flags & Flag.PAUSED


def test_a_player_goes_to_its_start_first(driven: Driven) -> None:
    driven.go(120.0, 10.0, 10.0)
    driven.ask("play", what="plan")
    driven.wait(0.1)
    assert player_time(driven) == 0.0
    play_on(driven)
    np.testing.assert_allclose(driven.q, A, atol=0.1)


def test_pause_holds_softly_on_the_way_and_resume_goes_on(driven: Driven) -> None:
    driven.ask("play", what="plan")
    driven.wait(0.8)
    driven.ask("pause")
    driven.wait(0.6)
    held = player_time(driven)
    driven.wait(0.5)
    assert player_time(driven) == held
    assert driven.flags & Flag.PAUSED
    limits = limits_of(driven.session.robot)
    qd = np.diff(driven.commands(), axis=0) / TICK
    assert (np.abs(np.diff(qd, axis=0)) / TICK <= 2.0 * limits.acceleration).all()
    driven.ask("resume")
    play_on(driven)
    np.testing.assert_allclose(driven.q, A, atol=0.1)


def test_resume_at_the_end_plays_again(driven: Driven) -> None:
    driven.ask("play", what="plan")
    play_on(driven)
    driven.told.clear()
    driven.ask("resume")
    driven.wait(0.5)
    assert 0.0 < player_time(driven) < 0.6


def test_seek_moves_the_arm_to_that_time_and_holds(driven: Driven) -> None:
    driven.ask("play", what="plan")
    report = driven.of(PlayerReport)[-1]
    driven.ask("seek", time=report.duration / 2)
    driven.wait(2.0)
    assert player_time(driven) == pytest.approx(report.duration / 2, abs=1e-3)
    middle = np.array([np.interp(report.duration / 2, report.t, column) for column in np.array(report.q).T])
    np.testing.assert_allclose(driven.q, middle, atol=0.2)


def test_a_seek_beyond_the_end_is_the_end(driven: Driven) -> None:
    driven.ask("play", what="plan")
    driven.ask("seek", time=1e5)
    driven.wait(1.0)
    assert player_time(driven) == pytest.approx(driven.of(PlayerReport)[-1].duration, abs=1e-3)


def test_a_lower_rate_makes_it_slower(driven: Driven) -> None:
    driven.ask("play", what="plan")
    driven.ask("set_rate", rate=0.25)
    driven.wait(2.0)
    before = player_time(driven)
    driven.wait(2.0)
    assert player_time(driven) - before == pytest.approx(0.5, abs=0.01)


def test_a_loop_comes_back_to_its_start_without_a_jump() -> None:
    driven = Driven("planar3", poses=poses(A, B))
    driven.ask("play", what="poses", loop=True)
    duration = driven.of(PlayerReport)[-1].duration
    driven.wait(2.5 * duration)
    assert driven.flags & Flag.PLAYING
    qd = np.abs(np.diff(driven.commands(), axis=0)) / TICK
    assert (qd <= limits_of(driven.session.robot).velocity * (1 + 1e-6)).all()


def test_a_hand_on_the_arm_ends_the_player_smoothly(driven: Driven) -> None:
    driven.ask("play", what="plan")
    driven.wait(0.8)
    driven.jog(0.2, 0.0, 0.0)
    assert driven.of(PlayerReport)[-1].what == "none"
    driven.wait(0.5)
    limits = limits_of(driven.session.robot)
    qd = np.diff(driven.commands(), axis=0) / TICK
    assert (np.abs(np.diff(qd, axis=0)) / TICK <= limits.acceleration * (1 + 1e-3)).all()
    assert not driven.flags & (Flag.PLAYING | Flag.PAUSED)


@pytest.mark.parametrize("scheme", ["jerk", "smooth", "quintic", "natural"])
def test_every_scheme_can_be_played(scheme: str) -> None:
    driven = Driven("planar3", plan={"kind": "joint", "points": [A, B, C, A], "scheme": scheme})
    driven.ask("play", what="plan")
    assert [f for f in driven.of(PlayerReport)[-1].findings if f.severity == "error"] == []


def test_a_tool_path_through_frames_is_played_straight() -> None:
    frames = [[450.0, y, 500.0, 0.0, 120.0, 0.0] for y in (-60.0, 60.0)]
    driven = Driven(plan={"kind": "tool", "frames": frames, "path": "linear", "tool_speed": 200.0})
    driven.ask("play", what="plan")
    way = np.array(driven.of(PlayerReport)[-1].path)
    np.testing.assert_allclose(way[[0, -1], 1], [-60.0, 60.0], atol=0.01)
    assert np.abs(way[:, [0, 2]] - [450.0, 500.0]).max() < 0.05
    play_on(driven)
    np.testing.assert_allclose(driven.tool[:3], frames[1][:3], atol=0.5)


BAD_PLANS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "joint", "points": [A, B], "scheme": "magic"}, "no .*scheme.* named 'magic'"),
    ({"kind": "joint", "points": [A, [0.0]]}, "joint values needed: 3; given: 1"),
    ({"kind": "joint", "points": [A, A]}, "are the same"),
    ({"kind": "joint", "points": [A, [900.0, 0.0, 0.0]]}, "is outside"),
    ({"kind": "joint", "points": [A, B], "scheme": "quintic", "times": [1.0, 2.0]}, "times: expected 1"),
]


@pytest.mark.parametrize(("plan", "sentence"), BAD_PLANS)
def test_a_plan_that_cannot_be_made_is_refused_and_nothing_moves(plan: dict[str, Any], sentence: str) -> None:
    driven = Driven("planar3", plan=plan)
    with pytest.raises(ArmlabError, match=sentence):
        driven.ask("play", what="plan")
    assert driven.of(PlayerReport) == []
    assert not driven.flags & Flag.PLAYING


# -- scenarios ---------------------------------------------------------------------------------------------------------

OVER, LEFT = READY, [40.0, *READY[1:]]


def carrying(**more: Any) -> Driven:
    """Return a session with a scenario that takes a cube somewhere else."""
    robot = load(KUKA)
    x, y, z = robot.fk(np.radians(OVER))[:3, 3] * 1000.0
    steps = [
        {"do": "pick", "body": "cube", "note": "take it"},
        {"do": "move", "to": LEFT},
        {"do": "place"},
        {"do": "move", "to": OVER},
    ]
    return Driven(
        structure="hierarchy",
        bodies=[CUBE | {"xyz": [x + 40.0, y, z]}],
        scenario={"schema": 1, "name": "carry", "arm": KUKA, "start": OVER, "steps": steps},
        **more,
    )


def cube(driven: Driven) -> Any:
    return np.array(driven.session.state.bodies["cube"][:3, 3])


def test_a_scenario_does_its_picks_and_places() -> None:
    driven = carrying()
    driven.ask("play", what="scenario")
    report = driven.of(PlayerReport)[-1]
    assert [segment.text for segment in report.segments] == ["take it", "move", "place", "move"]
    before = cube(driven)
    play_on(driven)
    assert [event.body for event in driven.of(Holding)] == ["cube", None]
    turned = np.array([[np.cos(-0.698), -np.sin(-0.698)], [np.sin(-0.698), np.cos(-0.698)]])
    ways = [turned @ before[:2], turned.T @ before[:2]]
    assert min(np.linalg.norm(cube(driven)[:2] - way) for way in ways) < 0.005
    np.testing.assert_allclose(driven.q, OVER, atol=0.1)


def test_a_scenario_that_is_played_again_finds_its_bodies_at_their_start() -> None:
    driven = carrying()
    before = cube(driven)
    for _ in range(2):
        driven.told.clear()
        driven.ask("play", what="scenario")
        np.testing.assert_allclose(cube(driven), before, atol=1e-9)
        play_on(driven)
        assert driven.of(Failed) == []


@pytest.mark.parametrize("command", [{"kind": "play", "what": "scenario"}, {"kind": "reset_simulation"}])
def test_what_is_held_when_the_bodies_are_put_back_is_let_go_and_told(command: dict[str, str]) -> None:
    driven = carrying()
    driven.go(*OVER)
    driven.ask("pick")
    driven.ask(**command)
    assert [event.body for event in driven.of(Holding)] == ["cube", None]


def test_a_loop_whose_bodies_cannot_be_put_back_holds_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_arm: str, _q: object) -> None:
        raise InvalidInput("inside", "something stands there")

    driven = carrying()
    driven.ask("play", what="scenario", loop=True)
    monkeypatch.setattr(driven.session, "put_bodies_back", refuse)
    driven.wait(2.0 * driven.of(PlayerReport)[-1].duration)
    assert [failed.code for failed in driven.of(Failed)] == ["inside"]
    assert driven.flags & Flag.PAUSED


def test_a_seek_leaves_what_another_arm_has_paused() -> None:
    right = {"name": "right", "arm": {"name": "scara", "base": [0.0, 1500.0, 0.0, 0.0, 0.0, 0.0]}}
    plan = {"kind": "joint", "points": [[0.0, 0.0, 0.0, 0.0], [60.0, -40.0, -30.0, 50.0]]}
    driven = carrying(others=[right | {"plan": plan}])
    driven.ask("select_arm", name="right")
    driven.ask("play", what="plan")
    driven.wait(0.5)
    driven.ask("pause")
    driven.wait(1.0)
    driven.ask("select_arm", name="arm")
    driven.ask("play", what="scenario")
    play_on(driven)
    driven.ask("seek", time=0.0)
    driven.ask("select_arm", name="right")
    assert driven.of(PlayerReport)[-1].what == "plan"
    driven.ask("resume")
    driven.wait(5.0)
    np.testing.assert_allclose(driven.q, [60.0, -40.0, -30.0, 50.0], atol=0.05)


def test_a_loop_that_is_switched_off_ends_with_its_round() -> None:
    driven = Driven("planar3", poses=poses(A, B))
    driven.ask("play", what="poses", loop=True)
    duration = driven.of(PlayerReport)[-1].duration
    driven.wait(0.5)
    assert driven.flags & Flag.LOOPING
    driven.ask("set_loop", on=False)
    assert not driven.flags & Flag.LOOPING
    driven.wait(2.0 * duration + 1.0)
    assert "player_ended" in driven.notices()
    assert driven.flags & Flag.PAUSED
    with refused("nothing_played", InvalidInput):
        Driven("planar3").ask("set_loop", on=True)


def test_a_scenario_in_a_loop_carries_on() -> None:
    driven = carrying()
    driven.ask("play", what="scenario", loop=True)
    driven.wait(2.4 * driven.of(PlayerReport)[-1].duration)
    assert driven.of(Failed) == []
    assert [event.body for event in driven.of(Holding)].count("cube") >= 2


def test_a_scenario_can_be_stepped() -> None:
    driven = carrying()
    driven.ask("play", what="scenario")
    driven.wait(2.0)
    driven.ask("seek", time=0.0)
    driven.wait(2.0)
    segments = driven.of(PlayerReport)[-1].segments
    for segment in segments[:2]:
        driven.ask("single_step")
        driven.wait(segment.end - segment.start + 1.0)
        assert player_time(driven) == pytest.approx(segment.end, abs=1e-3)
        assert driven.flags & Flag.PAUSED


def test_a_pick_that_fails_pauses_the_scenario_and_says_why() -> None:
    driven = carrying()
    bodies = [CUBE | {"xyz": [0.0, 800.0, 40.0]}]
    driven.edit(bodies=bodies)
    driven.ask("play", what="scenario")
    driven.wait(4.0)
    failed = driven.of(Failed)[-1]
    assert failed.command == "play"
    assert "'cube'" in str(failed.message)
    assert failed.step is not None
    assert driven.session.project.arms[0].scenario is not None
    assert driven.session.project.arms[0].scenario.steps[failed.step].do == "pick"
    assert driven.flags & Flag.PAUSED


def test_a_shipped_scenario_carries_its_bodies_without_a_warning() -> None:
    made = scenario_content("pick-and-place").project
    driven = Driven()
    driven.ask("edit", changes=whole(made), label="open", revision=1)
    driven.ask("play", what="scenario")
    play_on(driven)
    held = [event.body for event in driven.of(Holding) if event.body is not None]
    assert held == ["cube-red", "cube-green", "cube-blue"]
    assert "touching" not in driven.notices(), "a cube that is lifted leaves the table that it lay on"


def test_a_change_of_the_setup_ends_the_player_and_says_so(driven: Driven) -> None:
    driven.ask("play", what="plan")
    driven.wait(0.5)
    driven.edit(title="another title")
    assert driven.flags & Flag.PLAYING
    driven.edit(bodies=[CUBE | {"xyz": [0.0, -900.0, 30.0]}])
    assert "player_dropped" in driven.notices()
    assert driven.of(PlayerReport)[-1].what == "none"


def test_a_scenario_for_another_arm_is_refused() -> None:
    driven = carrying()
    driven.edit(arm={"name": "planar3"}, bodies=[])
    with refused("joint_count"):
        driven.ask("play", what="scenario")


def test_a_scenario_without_motion_is_refused() -> None:
    driven = Driven(bodies=[TABLE], scenario={"schema": 1, "name": "none", "arm": KUKA, "steps": [{"do": "stop"}]})
    with refused("scenario_without_motion", InvalidInput):
        driven.ask("play", what="scenario")


def test_what_was_recorded_is_played_again_as_it_was(driven: Driven) -> None:
    driven.go(*A)
    driven.ask("record", on=True)
    driven.go(*B)
    driven.go(*C)
    driven.ask("record", on=False)
    recorded = driven.session.samples.rows()
    driven.ask("play", what="recording")
    report = driven.of(PlayerReport)[-1]
    assert report.what == "recording"
    assert report.duration == pytest.approx(recorded.t[-1] - recorded.t[0], abs=1e-6)
    np.testing.assert_allclose(report.q[0], A, atol=0.1)
    play_on(driven)
    np.testing.assert_allclose(driven.q, C, atol=0.1)
    assert len(driven.session.samples.rows().t) == len(recorded.t), "a replay does not change the recording"


def test_nothing_recorded_is_nothing_to_play(driven: Driven) -> None:
    with refused("nothing_recorded", InvalidInput):
        driven.ask("play", what="recording")


def joint_plan(*points: list[float], **more: Any) -> dict[str, Any]:
    return {"kind": "joint", "points": [list(point) for point in points], **more}


def test_a_plan_outside_the_position_limits_is_never_played() -> None:
    driven = Driven(plan=joint_plan(READY, [266.0, *READY[1:]]))
    for anyway in (False, True):
        with pytest.raises(ArmlabError) as caught:
            driven.ask("play", what="plan", anyway=anyway)
    assert not driven.flags & Flag.PLAYING
    assert isinstance(caught.value, LimitViolation | PlanningFailed | InvalidInput)


def test_a_plan_that_is_too_fast_is_played_only_anyway() -> None:
    driven = Driven(plan=joint_plan(READY, [90.0, *READY[1:]], times=[0.1], scheme="quintic"))
    with pytest.raises(LimitViolation) as caught:
        driven.ask("play", what="plan")
    assert caught.value.code == "motion_exceeds_limits"
    assert not driven.flags & Flag.PLAYING
    driven.ask("play", what="plan", anyway=True)
    assert driven.flags & Flag.PLAYING


def test_as_many_poses_as_can_be_saved_can_be_played() -> None:
    rows = [[60.0 + float(i % 40), 0.0, 0.0] for i in range(MAX_POSES)]
    driven = Driven("planar3", poses=poses(*rows))
    driven.ask("play", what="poses")
    assert driven.flags & Flag.PLAYING
