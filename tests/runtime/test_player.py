"""Playing plans, poses and scenarios."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from runtime.benches import CUBE, KUKA, READY, TABLE, TICK, Bench

from armlab.catalog import load
from armlab.errors import ArmlabError, InvalidInput
from armlab.motion.limits import limits_of
from armlab.runtime.events import Failed, Holding, PlayerReport
from armlab.runtime.wire import EXTRAS, Flag
from armlab.server.library import scenario_content

A, B, C = [60.0, 0.0, 0.0], [100.0, -30.0, 20.0], [40.0, 50.0, 10.0]


def poses(*rows: list[float]) -> list[dict[str, Any]]:
    return [{"id": f"p{i}", "name": f"pose {i}", "q": row} for i, row in enumerate(rows)]


def player_time(bench: Bench) -> float:
    return float(np.frombuffer(bench.engine.state_frame()[-4 * EXTRAS :], "<f4")[3])


def play_on(bench: Bench, seconds: float = 30.0) -> None:
    """Let time pass until the player has ended."""
    for _ in range(round(seconds / TICK)):
        bench.wait(TICK)
        if "player_ended" in bench.notices():
            return


@pytest.fixture
def bench() -> Bench:
    return Bench("planar3", poses=poses(A, B, C), plan={"kind": "joint", "points": [A, B, C, A], "scheme": "smooth"})


def test_kept_poses_are_played_one_after_the_other(bench: Bench) -> None:
    bench.ask("play", what="poses")
    report = bench.of(PlayerReport)[-1]
    assert (report.what, report.q[0], report.q[-1]) == ("poses", tuple(A), tuple(C))
    assert len(report.t) == len(report.q) == len(report.path)
    assert bench.flags & Flag.PLAYING
    play_on(bench)
    bench.wait(0.3)
    np.testing.assert_allclose(bench.q, C, atol=0.1)
    passed = np.degrees(bench.commands())
    assert np.abs(passed - B).max(axis=1).min() < 1.0
    assert bench.flags & Flag.PAUSED


def test_a_player_goes_to_its_start_first(bench: Bench) -> None:
    bench.go(120.0, 10.0, 10.0)
    bench.ask("play", what="plan")
    bench.wait(0.1)
    assert player_time(bench) == 0.0
    play_on(bench)
    np.testing.assert_allclose(bench.q, A, atol=0.1)


def test_pause_holds_softly_on_the_way_and_resume_goes_on(bench: Bench) -> None:
    bench.ask("play", what="plan")
    bench.wait(0.8)
    bench.ask("pause")
    bench.wait(0.6)
    held = player_time(bench)
    bench.wait(0.5)
    assert player_time(bench) == held
    assert bench.flags & Flag.PAUSED
    limits = limits_of(bench.engine.robot)
    qd = np.diff(bench.commands(), axis=0) / TICK
    assert (np.abs(np.diff(qd, axis=0)) / TICK <= 2.0 * limits.acceleration).all()
    bench.ask("resume")
    play_on(bench)
    np.testing.assert_allclose(bench.q, A, atol=0.1)


def test_resume_at_the_end_plays_again(bench: Bench) -> None:
    bench.ask("play", what="plan")
    play_on(bench)
    bench.told.clear()
    bench.ask("resume")
    bench.wait(0.5)
    assert 0.0 < player_time(bench) < 0.6


def test_seek_moves_the_arm_to_that_time_and_holds(bench: Bench) -> None:
    bench.ask("play", what="plan")
    report = bench.of(PlayerReport)[-1]
    bench.ask("seek", time=report.duration / 2)
    bench.wait(2.0)
    assert player_time(bench) == pytest.approx(report.duration / 2, abs=1e-3)
    middle = np.array([np.interp(report.duration / 2, report.t, column) for column in np.array(report.q).T])
    np.testing.assert_allclose(bench.q, middle, atol=0.2)


def test_a_seek_beyond_the_end_is_the_end(bench: Bench) -> None:
    bench.ask("play", what="plan")
    bench.ask("seek", time=1e5)
    bench.wait(1.0)
    assert player_time(bench) == pytest.approx(bench.of(PlayerReport)[-1].duration, abs=1e-3)


def test_pace_makes_it_slower(bench: Bench) -> None:
    bench.ask("play", what="plan")
    bench.ask("set_pace", pace=0.25)
    bench.wait(2.0)
    before = player_time(bench)
    bench.wait(2.0)
    assert player_time(bench) - before == pytest.approx(0.5, abs=0.01)


def test_a_loop_comes_back_to_its_start_without_a_jump() -> None:
    bench = Bench("planar3", poses=poses(A, B))
    bench.ask("play", what="poses", loop=True)
    duration = bench.of(PlayerReport)[-1].duration
    bench.wait(2.5 * duration)
    assert bench.flags & Flag.PLAYING
    qd = np.abs(np.diff(bench.commands(), axis=0)) / TICK
    assert (qd <= limits_of(bench.engine.robot).velocity * (1 + 1e-6)).all()


def test_a_hand_on_the_arm_ends_the_player_smoothly(bench: Bench) -> None:
    bench.ask("play", what="plan")
    bench.wait(0.8)
    bench.jog(0.2, 0.0, 0.0)
    assert bench.of(PlayerReport)[-1].what == "none"
    bench.wait(0.5)
    limits = limits_of(bench.engine.robot)
    qd = np.diff(bench.commands(), axis=0) / TICK
    assert (np.abs(np.diff(qd, axis=0)) / TICK <= limits.acceleration * (1 + 1e-3)).all()
    assert not bench.flags & (Flag.PLAYING | Flag.PAUSED)


@pytest.mark.parametrize("scheme", ["jerk", "smooth", "quintic", "natural"])
def test_every_scheme_can_be_played(scheme: str) -> None:
    bench = Bench("planar3", plan={"kind": "joint", "points": [A, B, C, A], "scheme": scheme})
    bench.ask("play", what="plan")
    assert [f for f in bench.of(PlayerReport)[-1].findings if f.level == "error"] == []


def test_a_tool_path_through_frames_is_played_straight() -> None:
    frames = [[450.0, y, 500.0, 0.0, 120.0, 0.0] for y in (-60.0, 60.0)]
    bench = Bench(plan={"kind": "tool", "frames": frames, "path": "linear", "tool_speed": 200.0})
    bench.ask("play", what="plan")
    way = np.array(bench.of(PlayerReport)[-1].path)
    np.testing.assert_allclose(way[[0, -1], 1], [-60.0, 60.0], atol=0.01)
    assert np.abs(way[:, [0, 2]] - [450.0, 500.0]).max() < 0.05
    play_on(bench)
    np.testing.assert_allclose(bench.tool[:3], frames[1][:3], atol=0.5)


BAD_PLANS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "joint", "points": [A, B], "scheme": "magic"}, "no .*scheme.* named 'magic'"),
    ({"kind": "joint", "points": [A, [0.0]]}, "has 3 joints, but a point has 1 values"),
    ({"kind": "joint", "points": [A, A]}, "are the same"),
    ({"kind": "joint", "points": [A, [900.0, 0.0, 0.0]]}, "is outside"),
    ({"kind": "joint", "points": [A, B], "scheme": "quintic", "times": [1.0, 2.0]}, "times: 2 given; 1"),
]


@pytest.mark.parametrize(("plan", "sentence"), BAD_PLANS)
def test_a_plan_that_cannot_be_made_is_refused_and_nothing_moves(plan: dict[str, Any], sentence: str) -> None:
    bench = Bench("planar3", plan=plan)
    with pytest.raises(ArmlabError, match=sentence):
        bench.ask("play", what="plan")
    assert bench.of(PlayerReport) == []
    assert not bench.flags & Flag.PLAYING


# -- scenarios ---------------------------------------------------------------------------------------------------------

OVER, LEFT = READY, [40.0, *READY[1:]]


def carrying(**more: Any) -> Bench:
    """Return a session with a scenario that takes a cube somewhere else."""
    robot = load(KUKA)
    x, y, z = robot.fk(np.radians(OVER))[:3, 3] * 1000.0
    steps = [
        {"do": "pick", "body": "cube", "note": "take it"},
        {"do": "move", "to": LEFT},
        {"do": "place"},
        {"do": "move", "to": OVER},
    ]
    return Bench(
        structure="hierarchy",
        bodies=[CUBE | {"xyz": [x + 40.0, y, z]}],
        scenario={"schema": 1, "name": "carry", "arm": KUKA, "start": OVER, "steps": steps},
        **more,
    )


def cube(bench: Bench) -> Any:
    return np.array(bench.engine._state.bodies["cube"][:3, 3])


def test_a_scenario_does_its_picks_and_places() -> None:
    bench = carrying()
    bench.ask("play", what="scenario")
    report = bench.of(PlayerReport)[-1]
    assert [leg.text for leg in report.legs] == ["take it", "move", "place", "move"]
    before = cube(bench)
    play_on(bench)
    assert [event.body for event in bench.of(Holding)] == ["cube", None]
    turned = np.array([[np.cos(-0.698), -np.sin(-0.698)], [np.sin(-0.698), np.cos(-0.698)]])
    ways = [turned @ before[:2], turned.T @ before[:2]]
    assert min(np.linalg.norm(cube(bench)[:2] - way) for way in ways) < 0.005
    np.testing.assert_allclose(bench.q, OVER, atol=0.1)


def test_a_scenario_that_is_played_again_finds_its_bodies_at_their_start() -> None:
    bench = carrying()
    before = cube(bench)
    for _ in range(2):
        bench.told.clear()
        bench.ask("play", what="scenario")
        np.testing.assert_allclose(cube(bench), before, atol=1e-9)
        play_on(bench)
        assert bench.of(Failed) == []


def test_a_loop_that_is_switched_off_ends_with_its_round() -> None:
    bench = Bench("planar3", poses=poses(A, B))
    bench.ask("play", what="poses", loop=True)
    duration = bench.of(PlayerReport)[-1].duration
    bench.wait(0.5)
    assert bench.flags & Flag.LOOPING
    bench.ask("set_loop", on=False)
    assert not bench.flags & Flag.LOOPING
    bench.wait(2.0 * duration + 1.0)
    assert "player_ended" in bench.notices()
    assert bench.flags & Flag.PAUSED
    with pytest.raises(InvalidInput, match="nothing is being played"):
        Bench("planar3").ask("set_loop", on=True)


def test_a_scenario_in_a_loop_carries_on() -> None:
    bench = carrying()
    bench.ask("play", what="scenario", loop=True)
    bench.wait(2.4 * bench.of(PlayerReport)[-1].duration)
    assert bench.of(Failed) == []
    assert [event.body for event in bench.of(Holding)].count("cube") >= 2


def test_a_scenario_can_be_stepped() -> None:
    bench = carrying()
    bench.ask("play", what="scenario")
    bench.wait(2.0)
    bench.ask("seek", time=0.0)
    bench.wait(2.0)
    legs = bench.of(PlayerReport)[-1].legs
    for leg in legs[:2]:
        bench.ask("step_on")
        bench.wait(leg.end - leg.start + 1.0)
        assert player_time(bench) == pytest.approx(leg.end, abs=1e-3)
        assert bench.flags & Flag.PAUSED


def test_a_pick_that_fails_pauses_the_scenario_and_says_why() -> None:
    bench = carrying()
    bodies = [CUBE | {"xyz": [0.0, 800.0, 40.0]}]
    bench.edit(bodies=bodies)
    bench.ask("play", what="scenario")
    bench.wait(4.0)
    failed = bench.of(Failed)[-1]
    assert failed.command == "play"
    assert "'cube' is" in failed.message
    assert failed.step is not None
    assert bench.engine.project.scenario is not None
    assert bench.engine.project.scenario.steps[failed.step].do == "pick"
    assert bench.flags & Flag.PAUSED


def test_a_shipped_scenario_carries_its_bodies_without_a_warning() -> None:
    made = scenario_content("pick-and-place").project
    bench = Bench()
    bench.ask("edit", project=made.model_dump(by_alias=True), label="open", revision=1)
    bench.ask("play", what="scenario")
    play_on(bench)
    held = [event.body for event in bench.of(Holding) if event.body is not None]
    assert held == ["cube-red", "cube-green", "cube-blue"]
    assert "contact" not in bench.notices(), "a cube that is lifted leaves the table that it lay on"


def test_a_change_of_the_bench_ends_the_player_and_says_so(bench: Bench) -> None:
    bench.ask("play", what="plan")
    bench.wait(0.5)
    bench.edit(title="another title")
    assert bench.flags & Flag.PLAYING
    bench.edit(bodies=[CUBE | {"xyz": [0.0, -900.0, 30.0]}])
    assert "player_dropped" in bench.notices()
    assert bench.of(PlayerReport)[-1].what == "none"


def test_a_scenario_for_another_arm_is_refused() -> None:
    bench = carrying()
    bench.edit(arm={"name": "planar3"}, bodies=[])
    with pytest.raises(ArmlabError, match=r"joints|values"):
        bench.ask("play", what="scenario")


def test_a_scenario_without_motion_is_refused() -> None:
    bench = Bench(bodies=[TABLE], scenario={"schema": 1, "name": "none", "arm": KUKA, "steps": [{"do": "stop"}]})
    with pytest.raises(InvalidInput, match="no step that takes time"):
        bench.ask("play", what="scenario")


def test_what_was_recorded_is_played_again_as_it_was(bench: Bench) -> None:
    bench.go(*A)
    bench.ask("record", on=True)
    bench.go(*B)
    bench.go(*C)
    bench.ask("record", on=False)
    recorded = bench.engine.tape.rows()
    bench.ask("play", what="recording")
    report = bench.of(PlayerReport)[-1]
    assert report.what == "recording"
    assert report.duration == pytest.approx(recorded.t[-1] - recorded.t[0], abs=1e-6)
    np.testing.assert_allclose(report.q[0], A, atol=0.1)
    play_on(bench)
    np.testing.assert_allclose(bench.q, C, atol=0.1)
    assert len(bench.engine.tape.rows().t) == len(recorded.t), "a replay does not change the recording"


def test_nothing_recorded_is_nothing_to_play(bench: Bench) -> None:
    with pytest.raises(InvalidInput, match="nothing has been recorded yet"):
        bench.ask("play", what="recording")
