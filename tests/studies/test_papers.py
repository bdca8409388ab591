"""The papers, run again: every line holds, and no line holds for an arm or a file that is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from armlab.catalog import load
from armlab.cli.main import run
from armlab.geometry import pose
from armlab.messages import term
from armlab.model.dh import dh_table
from armlab.model.parts import Tool
from armlab.model.robot import Robot
from armlab.motion.schemes import SCHEMES
from armlab.program.run_scenario import run_scenario
from armlab.program.scenario import load_scenario
from armlab.sensing.experiments import carousel
from armlab.sim.compare import compare
from armlab.studies import papers
from armlab.studies.papers import PAPERS, s1, s1_model, s2, s2_cell, s3, s4, s5
from armlab.studies.papers.page import PAGE, page_blocks, write_results
from armlab.studies.papers.study import PaperStudy, PartResult, StudyResult, StudyRow, near, run_study, shown


def longer(robot: Robot, joint: int, by: float = 1e-4) -> Robot:
    """The arm with one joint 0.1 mm farther out."""
    T = robot.joints[joint].T_parent_joint.copy()
    T[0, 3] += by
    joints = list(robot.joints)
    joints[joint] = replace(joints[joint], T_parent_joint=T)
    return replace(robot, joints=tuple(joints), configurations=dict(robot.configurations))


def failing(rows: tuple[StudyRow, ...]) -> list[str]:
    return [str(row.what) for row in rows if not row.holds]


@pytest.fixture(scope="module", params=[*PAPERS])
def result(request: pytest.FixtureRequest) -> StudyResult:
    return run_study(PAPERS[request.param])


def test_every_line_of_every_paper_holds(result: StudyResult) -> None:
    assert result.rows
    assert failing(result.rows) == []
    assert result.holds


def test_every_paper_has_figures_and_all_of_them_are_drawn(result: StudyResult, tmp_path: Path) -> None:
    files = write_results([replace(result, files=())], tmp_path)
    assert len(files) == len(result.figures) + 1
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert page.count("<img") == len(result.figures) >= 1


def test_a_longer_arm_breaks_s1s_formulas() -> None:
    wrong = failing(s1.kinematic_rows(longer(load("planar2"), 1)))
    assert len(wrong) >= 3
    assert wrong[0].startswith("FK")


def test_another_feed_breaks_the_gcode_rows() -> None:
    assert [name[:7] for name in failing(s1.gcode(feed_factor=0.9).rows)] == ["G-code:", "G-code:"]


def test_an_arm_that_differs_from_its_model_leaves_the_line() -> None:
    assert len(failing(s1.straight(real=longer(load("scara"), 1)).rows)) == 1


def test_an_assembly_as_it_was_drawn_does_not_hold(tmp_path: Path) -> None:
    drawn, made = s1_model.repaired(tmp_path)
    assert failing(s1_model.model_rows(drawn, made)) == []
    assert len(failing(s1_model.model_rows(drawn, drawn))) == 4


def test_structures_that_are_exchanged_do_not_hold() -> None:
    made = compare(load("scara"), duration=0.2, timestep=0.002)
    tree, tied, reduced = made.metrics["hierarchy"], made.metrics["joints"], made.metrics["articulation"]
    mixed = replace(made, metrics={"hierarchy": tied, "joints": tree, "articulation": reduced})
    assert len(failing(s1_model.structure_rows(mixed))) >= 3


def test_another_arm_breaks_s2s_accuracy_table() -> None:
    rows = s2.accuracy(load("kuka-kr6-r900")).rows
    assert len(failing(rows)) >= 4


def test_a_plan_that_misses_a_point_is_seen() -> None:
    points = s2.four_points()
    points[1] += 1e-6
    assert len(failing(s2.joint_space(points).rows)) == len(SCHEMES)


def test_s2s_outlook_rows_can_fail() -> None:
    assert len(failing(s2_cell.dynamics(mass=2.9).rows)) == 1
    assert len(failing(s2_cell.console(turn="PTP {A1 31}").rows)) == 1
    assert len(failing(s2_cell.collisions(width=0.6).rows)) >= 1
    assert len(failing(s2_cell.calibration(noise=0.005).rows)) == 1


def test_a_glass_beside_its_opening_is_seen() -> None:
    run = run_scenario(load_scenario("windscreen"), structure="hierarchy", timestep=0.01)
    glass = pose.from_xyz([0.02, 0.0, 0.0]) @ run.bodies["windscreen"]
    moved = replace(run, bodies={**run.bodies, "windscreen": glass})
    assert any("edge of the glass" in what for what in failing(s2_cell.windscreen_rows(moved)))


def test_distances_from_a_line_are_those_of_geometry() -> None:
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    points = np.array([[0.5, 0.2, 0.0], [2.0, 0.5, 0.0], [-3.0, 4.0, 0.0]])
    np.testing.assert_allclose(s2.distances(points, corners), [0.2, 1.0, 5.0])


def test_another_scara_breaks_s3() -> None:
    arm = longer(s3.paper_arm(), 1)
    assert len(failing(s3.matrix_rows(arm, dh_table(arm, "standard")))) >= 1
    turned = s3.paper_arm().with_tool(Tool("aside", "pen", pose.from_xyz([0.0, 0.001, -0.015])))
    assert len(failing(s3.expressions(turned).rows)) == 2


def test_a_film_that_stands_still_has_one_picture(tmp_path: Path) -> None:
    from armlab.figures.animation import save_animation

    arm = s3.paper_arm()
    save_animation(arm, np.tile(arm.home, (3, 1)), tmp_path / "still.gif")
    assert s3.count_pictures(tmp_path / "still.gif") == 1


def test_a_longer_arm_breaks_s4() -> None:
    arm = longer(load("planar3"), 2, 0.001)
    assert len(failing(s4.example_rows(arm, s4.run_example(arm), [4]))) >= 3
    assert len(failing(s4.configurations(arm).rows)) >= 1


def test_the_bend_of_a_path_is_told_in_degrees() -> None:
    saved = np.radians([[0.0, 0.0], [10.0, 0.0]])
    assert s4.bend(np.radians([[5.0, 1.0]]), saved) == pytest.approx(1.0)


def test_a_sensor_as_bad_as_twice_the_papers_does_not_hold() -> None:
    experiment = carousel(rate=50.0)
    worse = [row._replace(our_error=2.0 * row.paper_error) for row in experiment.rows]
    assert len(failing(s5.experiment_rows(replace(experiment, rows=tuple(worse))))) == len(worse)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two studies of one part each: one holds, one does not."""
    rows = (near(term("length"), 1.0, 1.0, 0.1), shown(term("word"), "a", "a", term("equal"), holds=True))
    good = PaperStudy("S1", term("good"), (lambda: PartResult(rows),))
    bad = PaperStudy("S2", term("bad"), (lambda: PartResult((near(term("off"), 1.0, 2.0, 0.1),)),))
    monkeypatch.setattr(papers, "PAPERS", {"S1": good, "S2": bad})


@pytest.mark.usefixtures("small")
def test_the_status_says_whether_all_lines_hold(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["reproduce", "s1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told[0]["paper"] == "S1"
    numbers = {"paper": 1.0, "ours": 1.0, "difference": 0.0}
    assert told[0]["rows"][0] == {"what": "length", **numbers, "requires": "within 0.1 of the paper's", "holds": True}
    assert told[0]["rows"][1]["difference"] is None
    assert run(["reproduce", "all", "-o", str(tmp_path / "new" / "folder")]) == 1
    assert "2 of 3" in capsys.readouterr().out
    page = (tmp_path / "new" / "folder" / PAGE).read_text(encoding="utf-8")
    for where in ("paper=s1-gcode", "panel=jog&amp;mode=sliders", "panel=jog&amp;mode=joints", "paper=s2-windscreen"):
        assert f'href="http://127.0.0.1:8090/#{where}"' in page
    assert run(["reproduce", "S7"]) == 2
    assert "S7" in capsys.readouterr().err


@pytest.mark.usefixtures("small")
def test_a_folder_that_is_a_file_is_refused_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    assert run(["reproduce", "S1", "-o", str(tmp_path / "taken")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_page_has_a_line_for_each_row_in_the_readers_language() -> None:
    result = StudyResult("S1", term("title"), (near(term("one"), 1.0, 1.5, 1.0), near(term("two"), 1.0, 9.0, 1.0)))
    blocks = page_blocks([result], {}, {})
    assert len([block for block in blocks if type(block).__name__ == "Table"]) == 1
