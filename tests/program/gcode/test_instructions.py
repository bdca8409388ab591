"""Instructions against the geometry that the words of a program mean."""

from __future__ import annotations

import math

import numpy as np
import pytest
from program.gcode.runs import interpreted

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.program.gcode.instructions import LineRange, instructions_of
from armlab.program.instructions import (
    Instruction,
    Mark,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    Pause,
    Probe,
    ReadInput,
    Report,
    Say,
    SetOutput,
    Stop,
    Wait,
)
from armlab.program.place import Placement, tool_axes

AT = pose.from_xyz_abc((0.3, -0.1, 0.2), (0.5, 0.1, -0.2))


def placement(T_world_part: Floats | None = None) -> Placement:
    return Placement(np.eye(4) if T_world_part is None else T_world_part, tool_axes())


def instructions(text: str, answers: tuple[object, ...] = (), at: Placement | None = None) -> list[Instruction]:
    """Run a program; what it asks is answered in turn."""
    stream, left = instructions_of(interpreted(text), at or placement(), stops_at_errors=False), list(answers)
    out = [next(stream)]
    for _step in range(1000):
        try:
            asks = isinstance(out[-1], Probe | ReadInput)
            out.append(stream.send(left.pop(0)) if asks else next(stream))  # type: ignore[arg-type]
        except StopIteration:
            return out
    raise AssertionError("the program does not end")


def moves(text: str, at: Placement | None = None) -> list[Instruction]:
    return [i for i in instructions(text, at=at) if isinstance(i, MoveJ | MoveL | MoveHelix | MoveSpline)]


def end_of(move: Instruction) -> Floats:
    assert isinstance(move, MoveJ | MoveL | MoveHelix | MoveSpline)
    if isinstance(move, MoveHelix):
        return move.frame
    return move.targets[-1] if isinstance(move, MoveJ) else move.frames[-1]


def test_points_lie_in_the_part_s_frame_in_metres_and_the_tool_points_down() -> None:
    for move in moves("g0 x10 y20 z30\ng1 f600 x-5", placement(AT)):
        T_part_tool = pose.inverse(AT) @ end_of(move)
        np.testing.assert_allclose(T_part_tool[:3, :3], np.diag([1.0, -1.0, -1.0]), atol=1e-12)
    np.testing.assert_allclose(T_part_tool[:3, 3], (-0.005, 0.02, 0.03), atol=1e-12)


def test_words_a_b_c_turn_the_tool_about_the_part_s_axes() -> None:
    for words, direction in (("a90", (0, 1, 0)), ("b90", (-1, 0, 0)), ("a90 c90", (-1, 0, 0))):
        T = end_of(moves(f"g0 {words}")[-1])
        np.testing.assert_allclose(T[:3, 2], direction, atol=1e-12)


def test_feed_becomes_speed_in_every_mode_and_unit() -> None:
    for words, speed in (
        ("g21 g94 f600", 0.01),
        ("g20 g94 f60", 0.0254),
        ("s1000 m3 g95 f0.3", 0.005),
    ):
        move = moves(f"{words}\ng1 x1")[-1]
        assert isinstance(move, MoveL)
        assert move.settings.tool_speed == pytest.approx(speed)
    timed = moves("g93 g1 x1 f30")[-1]
    assert isinstance(timed, MoveL)
    assert timed.settings.seconds == 2.0


def test_a_motion_that_only_turns_feeds_in_degrees() -> None:
    move = moves("g1 f3600 a90")[-1]
    assert isinstance(move, MoveL)
    assert move.settings.tool_speed is None
    assert move.settings.turn_speed == pytest.approx(math.radians(60.0))


def test_traverses_move_straight_at_the_arm_s_own_speed() -> None:
    first, second = moves("g0 x1\ng0 x2")
    assert isinstance(first, MoveJ)
    assert isinstance(second, MoveL)
    assert second.settings.tool_speed is None


@pytest.mark.parametrize("plane", ["g17", "g18", "g19"])
@pytest.mark.parametrize("code", ["g2", "g3"])
def test_arcs_turn_from_their_start_to_their_end(plane: str, code: str) -> None:
    first, second, across = tuple({"g17": "xyz", "g18": "zxy", "g19": "yzx"}[plane])
    centre = dict(zip("xyz", "ijk", strict=True))
    program = f"{plane} f600\ng0 {first}10\n{code} {first}0 {second}10 {across}4 {centre[first]}-10 p2"
    *_rest, before, helix = moves(program, placement(AT))
    assert isinstance(helix, MoveHelix)
    share = 0.25 if code == "g3" else -0.75
    assert helix.angle == pytest.approx(math.tau * (share + math.copysign(1.0, share)))
    start = end_of(before)[:3, 3]
    turned = pose.from_xyz_axis_angle((0, 0, 0), helix.axis, helix.angle)[:3, :3] @ (start - helix.center)
    rise = helix.axis * float(helix.axis @ (helix.frame[:3, 3] - start))
    np.testing.assert_allclose(helix.center + turned + rise, helix.frame[:3, 3], atol=1e-12)


def test_an_arc_whose_radii_differ_a_little_ends_where_the_program_says() -> None:
    for end in ("x0 y10.001", "x0.0005 y10", "x10.0005 y0.0001"):
        out = moves(f"f600\ng0 x10 y0\ng3 {end} i-10")
        helix = next(move for move in out if isinstance(move, MoveHelix))
        start, goal = np.array([0.01, 0.0, 0.0]), helix.frame[:3, 3]
        radii = np.linalg.norm(start - helix.center), np.linalg.norm(goal - helix.center)
        assert radii[0] == pytest.approx(radii[1], abs=1e-12)
        x, y = (float(word[1:]) * 1e-3 for word in end.split())
        np.testing.assert_allclose(end_of(out[-1])[:3, 3], (x, y, 0.0), atol=1e-15)


def test_arcs_in_a_turned_work_system_turn_about_the_turned_axis() -> None:
    helix = moves("g10 l2 p1 r90\ng18 f600\ng0 x0 z0\ng2 x10 i5")[-1]
    assert isinstance(helix, MoveHelix)
    np.testing.assert_allclose(helix.axis, (-1.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(helix.frame[:3, 3], (0.0, 0.01, 0.0), atol=1e-12)


def test_splines_pass_through_points_of_their_bezier_curve() -> None:
    spline = moves("g5 f600 x10 y0 i0 j3 p0 q3")[-1]
    assert isinstance(spline, MoveSpline)
    t = (1 - np.cos(np.pi * np.arange(1, 49) / 48)) / 2
    nodes = np.array([(0, 0), (0, 3), (10, 3), (10, 0)]) * 1e-3
    weights = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3], axis=1)
    np.testing.assert_allclose(np.array(spline.frames)[:, :2, 3], weights @ nodes, atol=1e-15)


def test_path_modes_say_how_corners_are_rounded() -> None:
    for words, tolerance in (("g64 p0.2", 2e-4), ("g20 g64 p0.01", 2.54e-4), ("g61", 1e-6)):
        move = moves(f"{words}\nf600\ng1 x1")[-1]
        assert isinstance(move, MoveL)
        assert move.settings.blend is not None
        assert move.settings.blend.tolerance == pytest.approx(tolerance)
    stopping = moves("g61.1\nf600\ng1 x1")[-1]
    assert isinstance(stopping, MoveL)
    assert stopping.settings.blend is None


def test_a_tool_length_moves_the_tip_and_lengthens_the_tool() -> None:
    before, after = moves("f600\ng0 z10\ng1 x1\ng10 l1 p1 z50\ng43 h1\ng1 z0")[-2:]
    assert isinstance(before, MoveL)
    assert isinstance(after, MoveL)
    assert before.settings.T_flange_tool is None
    assert after.settings.T_flange_tool is not None
    np.testing.assert_allclose(after.settings.T_flange_tool[:3, 3], (0.0, 0.0, 0.05), atol=1e-15)
    assert after.frames[-1][2, 3] == pytest.approx(0.0)


def test_everything_else_becomes_its_instruction() -> None:
    program = (
        "m62 p3\nm65 p4\nm67 e1 q0.5\ng4 p1.5\nm3 s500\nm8\nt2 m6\n(msg,hello)\nm0\nm1\no1 if [1]\no1 endif\nm2\nm0"
    )
    found = [type(i).__name__ for i in instructions(program) if not isinstance(i, Mark)]
    assert found == [
        "SetOutput", "SetOutput", "SetOutput", "Wait", "SetOutput", "SetOutput", "SetOutput", "SetOutput", "Say",
        "Pause", "Pause", "SetOutput", "Stop",
    ]  # fmt: skip
    outputs = [(i.name, i.value, i.with_motion) for i in instructions(program) if isinstance(i, SetOutput)]
    assert outputs[:5] == [
        ("3", True, True), ("4", False, False), ("analog 1", 0.5, True), ("spindle", 500.0, False),
        ("flood", True, True),
    ]  # fmt: skip
    kinds = [i for i in instructions(program) if isinstance(i, Wait | Say | Pause | Stop)]
    assert kinds[0] == Wait(1.5, kinds[0].span)
    assert [i.optional for i in kinds if isinstance(i, Pause)] == [False, True]


def test_inputs_decide_what_runs_next() -> None:
    program = "m66 p2 l3 q5\no1 if [#5399 gt 0]\ng0 x1\no1 else\ng0 x2\no1 endif"
    for answer, x in ((True, 0.001), (None, 0.002)):
        out = instructions(program, (answer,))
        asked = next(i for i in out if isinstance(i, ReadInput))
        assert (asked.name, asked.mode, asked.timeout) == ("2", "high", 5.0)
        ends = [end_of(i)[0, 3] for i in out if isinstance(i, MoveJ)]
        assert ends == [pytest.approx(x)]


def test_a_probe_s_answer_is_where_the_program_goes_on() -> None:
    at = placement(AT)
    T_touched = AT @ pose.from_xyz((0.0, 0.0, -0.004))
    out = instructions("f60\ng10 l2 p1 z-1\ng38.2 z-10\ng91 g1 x1\n(debug,#5063 #5070)", ((True, T_touched),), at)
    probe = next(i for i in out if isinstance(i, Probe))
    assert (pose.inverse(AT) @ probe.frame)[2, 3] == pytest.approx(-0.011)
    last = next(i for i in reversed(out) if isinstance(i, MoveL))
    np.testing.assert_allclose((pose.inverse(AT) @ last.frames[-1])[:3, 3], (0.001, 0.0, -0.004), atol=1e-12)
    (text,) = [i.text for i in out if isinstance(i, Say)]
    assert [float(value) for value in text.split()] == pytest.approx([-3.0, 1.0])


def test_lines_outside_of_a_range_are_read_but_not_run() -> None:
    program = "f600\ng0 x1\no1 sub\ng1 x2\ng1 x3\no1 endsub\ng1 y1\no1 call\ng1 y2\ng1 y3"
    stream = instructions_of(interpreted(program), placement(), lines=LineRange(8, 9))
    ends = [end_of(i)[:2, 3] * 1e3 for i in stream if isinstance(i, MoveJ | MoveL)]
    np.testing.assert_allclose(ends, [(1, 1), (2, 1), (3, 1), (3, 2)])


def test_the_first_mistake_ends_a_run_and_none_ends_a_check() -> None:
    program = "g1 x1\ng0 x1\ng2 x5"
    stopped = list(instructions_of(interpreted(program), placement()))
    assert [type(i).__name__ for i in stopped] == ["Report", "Stop"]
    reports = [i for i in instructions(program) if isinstance(i, Report)]
    assert [(i.finding.code, i.span and i.span.line) for i in reports] == [
        ("gcode_feed_zero", 1),
        ("gcode_feed_zero", 3),
    ]


def test_spans_tell_line_and_columns() -> None:
    _first, second = moves("g0 x1\n  f60 g1 x2 (comment)")
    assert second.span is not None
    assert (second.span.line, second.span.column, second.span.file) == (2, 3, "test.ngc")
