"""Clients of the executor: runs in a simulation, probing, arms with fewer axes, configurations."""

from __future__ import annotations

import numpy as np
import pytest
from program.executor.runs import ARM, BLENDED, T_HOME, at, curve, executed, lines, whole
from refusals import refused

import armlab
from armlab.errors import Unreachable
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.closed.status import kuka_status, kuka_turn
from armlab.model.scene import Body, PlacedRobot, Scene
from armlab.motion.verify import verify
from armlab.program.check import check_program
from armlab.program.executor.configuration import configured
from armlab.program.instructions import (
    Answer,
    Blend,
    Configuration,
    Instruction,
    Instructions,
    MotionSettings,
    MoveJ,
    MoveL,
    Pause,
    Pick,
    Probe,
    Say,
    Wait,
)
from armlab.program.run import run_program
from armlab.program.span import Span

BELOW = 0.1
"""m from the tool point at home down to a plate."""


def cell() -> Scene:
    """Return the arm at home above a thin plate."""
    T = np.eye(4)
    T[:3, 3] = T_HOME[:3, 3] - [0.0, 0.0, BELOW + 0.005]
    plate = Body("plate", (Shape("box", (0.2, 0.2, 0.01), np.eye(4)),), T)
    return Scene("cell", robots=(PlacedRobot("arm", ARM, ARM.home),), bodies=(plate,))


def test_a_run_in_physics_follows_the_pieces_without_a_gap_between_them() -> None:
    pieces = []
    run = run_program(
        Scene.of(ARM),
        [*lines(curve(200)[:60]), Say("done"), Wait(0.1)],
        start=ARM.home,
        lookahead=10,
        on_piece=lambda piece, played, _simulation: pieces.append((piece.start, played.time)),
    )
    assert len(pieces) > 2
    times = np.concatenate([start + t for start, t in pieces])
    np.testing.assert_allclose(np.diff(times), run.timestep, atol=1e-12)
    assert run.steps == len(times) == int(run.duration / run.timestep + 1e-9)
    assert run.motions == 60
    assert [message.text for message in run.messages] == ["done"]
    assert 0.0 < run.tracking_rms <= run.tracking_max < 1e-3
    assert run.findings == []


def test_a_run_and_a_check_take_the_same_time() -> None:
    program = [*lines(curve(200)[:40]), Wait(0.25), MoveJ((ARM.home,))]
    run = run_program(Scene.of(ARM), program, start=ARM.home, structure="hierarchy")
    check = check_program(ARM, program, lookahead=50)
    assert run.duration == pytest.approx(check.cycle_time)
    assert run.motions == check.motions == 41
    assert check.end is not None
    np.testing.assert_allclose(run.q, check.end, atol=1e-6)  # the last step ends before the motion does


def test_an_operator_may_end_a_program_at_a_pause() -> None:
    program = [*lines([at(0.0, 0.02)]), Pause(), *lines([at(0.0, 0.0)])]
    run = run_program(
        Scene.of(ARM), program, start=ARM.home, structure="hierarchy", on_pause=lambda _pause, _state: False
    )
    np.testing.assert_allclose(ARM.fk(run.q), at(0.0, 0.02), atol=1e-6)


def test_a_pick_of_nothing_ends_a_run_with_a_finding() -> None:
    run = run_program(Scene.of(ARM), [Pick(span=Span("a.src", 3)), Wait(1.0)], start=ARM.home, structure="hierarchy")
    (finding,) = run.findings
    assert (finding.code, finding.where["line"]) == ("pick_nothing", 3)
    assert run.duration == 0.0


def test_probing_ends_where_the_tool_touches() -> None:
    answers: list[Answer] = []

    def program() -> Instructions:
        answers.append((yield Probe(at(0.0, 0.0, -0.2), settings=MotionSettings(tool_speed=0.02))))
        answers.append((yield Probe(at(0.0, 0.0, 0.0), away=True, settings=MotionSettings(tool_speed=0.02))))
        answers.append((yield Probe(at(0.0, 0.0, 0.02), settings=MotionSettings(tool_speed=0.02))))

    check = check_program(ARM, program(), scene=cell())
    touched, T = answers[0] if isinstance(answers[0], tuple) else (None, np.eye(4))
    assert touched is True
    lowest = float(T[2, 3] - T_HOME[2, 3])
    assert -BELOW - 1e-3 < lowest < -0.5 * BELOW
    assert [answer[0] for answer in answers if isinstance(answer, tuple)] == [True, True, False]
    assert check.is_good


def test_contacts_are_found_with_their_line_and_pair() -> None:
    program = [
        MoveL((at(0.0, 0.0, -z),), settings=BLENDED, span=Span("a.ngc", k)) for k, z in enumerate((0.02, 0.05, 0.2))
    ]
    check = check_program(ARM, program, scene=cell())
    (finding,) = [one for one in check.findings if one.code == "contact"]
    assert finding.where["line"] == 2
    assert "plate" in {finding.where["first"], finding.where["second"]}


@pytest.mark.parametrize(
    ("name", "task", "size"),
    [
        ("braccio", "position", 0.01),
        ("epson-ls3", "scara", 0.01),
        ("planar3", "planar-pose", 0.001),
        ("planar3", "planar", 0.001),
    ],
)
def test_arms_with_fewer_axes_join_moves_too(name: str, task: str, size: float) -> None:
    arm = armlab.load(name)
    q = arm.home.copy()
    q[:2] += [0.3, 0.4]
    T = arm.fk(q)
    settings = MotionSettings(tool_speed=2.0 * size, blend=Blend(tolerance=0.01 * size), task=task)
    program: list[Instruction] = []
    for a in np.linspace(0.0, 2.0 * np.pi, 41)[1:]:
        frame = T.copy()
        frame[:3, 3] += [size * (np.cos(a) - 1.0), size * np.sin(a), 0.0]
        program.append(MoveL((frame,), settings=settings))
    pieces, events = executed(program, robot=arm, start=q)
    assert not events
    motion = whole(pieces)
    assert verify(motion, arm) == []
    assert motion.duration == pytest.approx(np.pi, rel=0.05)


def test_status_and_turn_choose_among_all_solutions() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        q = rng.uniform(np.maximum(ARM.lower, -3.0), np.minimum(ARM.upper, 3.0))
        T = ARM.fk(q)
        meant = Configuration(status=kuka_status(ARM, q), turn=kuka_turn(q))
        found = configured(ARM, T, ARM.home, meant, "pose")
        assert (kuka_status(ARM, found), kuka_turn(found)) == (meant.status, meant.turn)
        np.testing.assert_allclose(ARM.fk(found), T, atol=1e-6)
    every = [one.q for one in all_ik(ARM, T_HOME, turns=True)]
    present = {(kuka_status(ARM, one), kuka_turn(one)) for one in every}
    absent = next((s, t) for s in range(8) for t in range(64) if (s, t) not in present)
    with refused("configuration_unreachable", Unreachable):
        configured(ARM, T_HOME, ARM.home, Configuration(*absent), "pose")


def test_the_branches_of_an_arm_have_different_status_bits() -> None:
    """The eight solutions of a pose differ in shoulder, elbow and wrist: one status each."""
    q = np.radians([20.0, -80.0, 60.0, 30.0, 40.0, 10.0])
    wide = [one for one in all_ik(ARM, ARM.fk(q), turns=True) if np.abs(one.q).max() < np.pi]
    status = {one.branch: kuka_status(ARM, one.q) for one in wide}
    assert len(set(status.values())) == len(status)
    assert kuka_status(ARM, q) == 0b010  # in front of axis 1, elbow bent forward, A5 above zero


def test_a_part_placed_elsewhere_runs_the_same() -> None:
    shift = pose.from_xyz_rpy([0.01, 0.02, 0.0], [0.0, 0.0, 0.0])
    frames = [at(0.0, 0.02), at(0.02, 0.02)]
    here, _ = executed(lines(frames))
    there, _ = executed([*lines([at(0.01, 0.02)]), Wait(0.1), *lines([shift @ T for T in frames])])
    assert there[-1].trajectory.duration == pytest.approx(here[0].trajectory.duration, rel=0.02)
