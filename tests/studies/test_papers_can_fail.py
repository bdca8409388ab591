"""No line of `armlab reproduce` holds whatever comes: each fails on some wrong result, and the status says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from armlab.catalog import load
from armlab.cli.main import run
from armlab.geometry import pose
from armlab.messages import term
from armlab.model.dh import dh_table
from armlab.model.robot import Robot
from armlab.motion.toolpath.through import through
from armlab.program.prepare import cell_of
from armlab.program.run_scenario import run_scenario
from armlab.program.scenario import load_scenario
from armlab.sensing.constructions import ConstructionError
from armlab.sensing.experiments import carousel, pushed_cube, rig_at_rest, run_ups
from armlab.sim.compare import Metrics, compare
from armlab.sim.state import Structure
from armlab.studies import papers
from armlab.studies.papers import PAPERS, s1, s1_model, s2, s2_cell, s3, s4, s5
from armlab.studies.papers.study import PaperStudy, PartResult, StudyRow, run_study

Rows = tuple[StudyRow, ...]


def longer(robot: Robot, joint: int, by: float) -> Robot:
    """The arm with one joint farther out."""
    T = robot.joints[joint].T_parent_joint.copy()
    T[0, 3] += by
    joints = [replace(one, T_parent_joint=T) if k == joint else one for k, one in enumerate(robot.joints)]
    return replace(robot, joints=tuple(joints), configurations=dict(robot.configurations))


def drawn_as_is() -> Rows:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as name:
        drawn, _made = s1_model.repaired(Path(name))
    return s1_model.model_rows(drawn, drawn)


def structures_without_forces() -> Rows:
    """The hierarchy has the articulation's forces and error, the others none; every structure costs the same."""
    made = compare(load("scara"), duration=0.2, timestep=0.002)
    metrics = made.metrics
    run = metrics["articulation"].run
    idle = replace(run, recording=replace(run.recording, joints=np.zeros_like(run.recording.joints)))
    wrong: dict[Structure, Metrics] = {
        "hierarchy": replace(metrics["hierarchy"], run=run, tool_rms=1e-3, unknowns=9),
        "joints": replace(metrics["joints"], run=idle, unknowns=9, energy_drift=0.0),
        "articulation": replace(metrics["articulation"], run=idle, unknowns=9, energy_drift=1.0),
    }
    return s1_model.structure_rows(replace(made, metrics=wrong))


def gaps_that_shrink() -> Rows:
    shrinking = [4e-6, 3e-6, 2e-6, 1e-6]
    return s1_model.stability_rows(shrinking, shrinking, [0.0, 0.0, 0.0, 1e-9])


def open_pin() -> Rows:
    return (s1_model.closed_chain_row(np.array([0.0, 1e-4, 0.0])),)


def arm_of_another_length() -> Rows:
    return s1.kinematic_rows(longer(load("planar2"), 1, 1e-4))


def arm_off_its_line() -> Rows:
    return s1.straight(real=longer(load("scara"), 1, 1e-4)).rows


def another_rectangle() -> Rows:
    cell = cell_of("scara", None)
    text = s1.GCODE.replace("X60", "X61").replace("F1200", "F1000").replace("F600", "F500")
    return s1.gcode_rows(cell, s1.executed(cell, text))[0]


def points_passed_by() -> Rows:
    return s2.joint_space(s2.four_points() + 1e-6).rows


def nodes_passed_by() -> Rows:
    frames = s2.node_frames(load(s2.ARM))
    path = through(frames, "linear").sampled(0.002)[:, :3, 3]
    beside = path + np.array([0.0, 0.0, 1e-4])
    return tuple(row for kind in ("linear", "quadratic") for row in s2.node_rows(term(kind), frames, beside, path))


def another_kuka() -> Rows:
    return (*s2.accuracy(load("kuka-kr6-r900")).rows, s2.other_solution_row(7.0))


def ik_on_another_branch() -> Rows:
    """Starts whose wrist is flipped: the pose is reached, but with other joint values."""
    flipped = s2.four_points() * [1, 1, 1, 1, -1, 1] + np.radians([0, 0, 0, 180, 0, 180])
    flipped[:, 3] = np.where(flipped[:, 3] > np.pi, flipped[:, 3] - 2.0 * np.pi, flipped[:, 3])
    return s2.accuracy(starts=flipped).rows


def glass_beside_its_opening() -> Rows:
    done = run_scenario(load_scenario("windscreen"), structure="hierarchy", timestep=0.01)
    beside = pose.from_xyz_abc([0.02, 0.0, 0.0], [0.1, 0.0, 0.0])
    segments = tuple(replace(one, error=one.error + 0.1, held=None) for one in done.segments)
    glass = done.bodies["windscreen"] @ beside
    return s2_cell.windscreen_rows(replace(done, bodies={**done.bodies, "windscreen": glass}, segments=segments))


def a_tool_that_is_not_there() -> Rows:
    return s2_cell.dynamics(mass=0.0).rows


def a_poor_tracker() -> Rows:
    return s2_cell.calibration(noise=0.005).rows


def posts_elsewhere() -> Rows:
    """The way around is taken for the direct one, and the other way round."""
    from armlab.collision.checker import Checker
    from armlab.geometry.shape import Shape
    from armlab.model.scene import Body, Scene
    from armlab.motion.joint import plan_joint

    robot = load(s2.ARM)
    turn = np.radians([90, 0, 0, 0, 0, 0])
    motion = plan_joint(robot, [robot.home - turn, robot.home + turn])
    place = pose.from_xyz([0.4, 0.4, 0.5])
    post = Body("post", (Shape("box", (0.4, 0.4, 1.0), np.eye(4)),), place)
    free, blocked = Scene.of(robot), Scene.of(robot, bodies=(post,))
    return s2_cell.collision_rows(Checker(free).sweep(motion), Checker(blocked).sweep(motion))


def other_words_in_krl() -> Rows:
    return s2_cell.console(turn="PTP {A1 31}", shift="LIN_REL {Z -21}", refused="PTP {A1 0}").rows


def another_scara() -> Rows:
    arm = s3.paper_arm()
    turned = replace(arm, base=pose.from_xyz([0.001, 0.001, 0.001]) @ arm.base, configurations=dict(arm.configurations))
    table = dh_table(arm, "standard")
    shifted = replace(table, rows=tuple(replace(row, d=row.d + 1e-6) for row in table.rows))
    return s3.matrix_rows(turned, shifted)


def other_expressions() -> Rows:
    return s3.expression_rows(s3.paper_arm(), {"x": "L1 c1", "y": "L1 s1 + L2 s2", "z": "L3 + d3 + z_t"})


def misprints_that_are_none() -> Rows:
    right = {quantity: (text,) for quantity, text in s3.FIRST_ROW.items()}
    wrong = {quantity: texts[0] for quantity, texts in s3.MISPRINTS.items()}
    return s3.misprint_rows(wrong, right)


def a_film_with_a_picture_twice() -> Rows:
    return (s3.picture_row(s3.PICTURES - 1),)


def another_planar_arm() -> Rows:
    arm = longer(load("planar3"), 1, 0.002)
    trace = s4.run_example(arm)
    return s4.example_rows(arm, replace(trace, error=2e-4, q=trace.q + 0.01), [4, 4, 7])


def flat_maps() -> Rows:
    """As fast near the edge as elsewhere, one end for all starts, and a method that always arrives."""
    counts, ends = np.full(s4.SEEDS, 5.0), np.zeros((s4.CELLS, s4.CELLS, 3))
    return (s4.singular_row(1.1 * counts, counts), *s4.map_rows(ends, (1.0, 1.0)))


def a_player_that_bends() -> Rows:
    arm = load("planar3")
    saved = np.array([arm.home, arm.home + 0.1])
    return s4.configuration_rows(arm, arm.upper[None] + 0.1, np.array([[0.0, 1.0, 0.0]]), saved)


def another_braccio() -> Rows:
    return s4.braccio(longer(load("braccio"), 2, 1e-3)).rows


def sensors_as_bad_as_twice_the_papers() -> Rows:
    rows: list[StudyRow] = []
    for experiment in (rig_at_rest(), pushed_cube(), carousel(rate=50.0), run_ups()):
        worse = tuple(row._replace(our_error=2.0 * row.paper_error) for row in experiment.rows)
        rows += s5.experiment_rows(replace(experiment, rows=worse))
    return tuple(rows)


def constructions_that_are_exchanged() -> Rows:
    """The central difference and the exact sensor are taken for the paper's two."""
    good = ConstructionError("forward", s5.STEP, 1e-8, 1e-8, 1e-5, 1e-5)
    return s5.construction_rows([good, good._replace(construction="test_mass", acc_max=1e-7)])


WRONG: tuple[Callable[[], Rows], ...] = (
    drawn_as_is, structures_without_forces, gaps_that_shrink, open_pin, arm_of_another_length, arm_off_its_line,
    another_rectangle, points_passed_by, nodes_passed_by, another_kuka, ik_on_another_branch, glass_beside_its_opening,
    a_tool_that_is_not_there, a_poor_tracker, posts_elsewhere, other_words_in_krl, another_scara, other_expressions,
    misprints_that_are_none, a_film_with_a_picture_twice, another_planar_arm, flat_maps, a_player_that_bends,
    another_braccio, sensors_as_bad_as_twice_the_papers, constructions_that_are_exchanged,
)  # fmt: skip


NAMES = {"name", "what", "scheme", "kind", "number", "quantity"}
"""Parameters that say which line it is; the others are measured."""


@pytest.fixture(scope="module")
def wrong_rows() -> dict[str, Rows]:
    return {make.__name__: make() for make in WRONG}


def line(row: StudyRow) -> tuple[str, ...]:
    """Which line it is, whatever was measured: its words, and those that stand in them, such as a scheme or a point."""
    parameters = row.what.parameters
    names = [f"{name}={parameters[name]}" for name in sorted(parameters) if name in NAMES]
    return str(row.what.template), *names


def test_every_line_of_every_paper_fails_on_some_wrong_result(wrong_rows: dict[str, Rows]) -> None:
    failed = {line(row) for rows in wrong_rows.values() for row in rows if not row.holds}
    every = [line(row) for study in PAPERS.values() for row in run_study(study).rows]
    assert len(every) == len(set(every)), "each line can be told from the others"
    assert every
    assert set(every) - failed == set()


def test_every_line_says_what_would_make_it_fail(wrong_rows: dict[str, Rows]) -> None:
    for rows in wrong_rows.values():
        assert all(str(row.requires) for row in rows)


def test_the_accuracy_of_the_table_fails_where_another_branch_is_taken() -> None:
    rows = ik_on_another_branch()[:4]
    assert not any(row.holds for row in rows)


def test_a_line_that_fails_gives_the_status_1(
    wrong_rows: dict[str, Rows], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, rows in wrong_rows.items():
        for row in rows:
            study = PaperStudy("S1", term("wrong"), (lambda row=row: PartResult((row,)),))  # type: ignore[misc]
            monkeypatch.setattr(papers, "PAPERS", {"S1": study})
            assert run(["reproduce", "S1", "--json"]) == (0 if row.holds else 1), (name, str(row.what))
    capsys.readouterr()
