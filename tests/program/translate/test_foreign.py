"""RAPID and URScript, read back by readers of their own: the same points, joints, speeds, corners, configurations."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from program.translate.drive import file_of, inputs, prepared
from program.translate.readers import MM, Motion, rapid_motions, urscript_motions

import armlab
from armlab.arrays import Floats
from armlab.errors import NotSupported
from armlab.program.instructions import MoveHelix, MoveJ, MoveL, MoveSpline
from armlab.program.translate.fitting import TranslationJob
from armlab.program.translate.rapid import RapidWriter
from armlab.program.translate.record import ProgramRecord, record_program
from armlab.program.translate.translation import translate_program

READERS = {"rapid": rapid_motions, "urscript": urscript_motions}
ON_ABB = {"drawing", "flower", "palletising", "handling"}
"""Programs whose places an ABB IRB 120 reaches; the others go to a KUKA, which is named."""
CASES = [
    (program, language, "ur5e" if language == "urscript" else "abb-irb120" if program in ON_ABB else "kuka-kr6-r700")
    for program in ("drawing", "flower", "palletising", "handling", "star", "sorting")
    for language in READERS
]


class Goal(NamedTuple):
    """Where a move of a program leads (mm), its speed (mm/s) and its corner (mm), where the program gives them."""

    point: Floats
    is_joint: bool
    speed: float | None
    radius: float | None


def goals(record: ProgramRecord) -> list[Goal]:
    """Return where the moves of a record lead, one after the other."""
    found = []
    for step in record.steps:
        move = step.instruction
        if not isinstance(move, MoveJ | MoveL | MoveSpline | MoveHelix) or not step.parts:
            continue
        settings = move.settings
        if isinstance(move, MoveJ):
            T = record.robot_of(settings).fk(move.targets[-1])
        else:
            T = move.frame if isinstance(move, MoveHelix) else move.frames[-1]
        speed = None if settings.tool_speed is None or isinstance(move, MoveJ) else settings.tool_speed * MM
        stops = settings.blend is None
        radius = 0.0 if stops else settings.blend.radius * MM or None  # type: ignore[union-attr]
        found.append(Goal(T[:3, 3] * MM, isinstance(move, MoveJ), speed, radius))
    return found


def fits(goal: Goal, motion: Motion) -> bool:
    """Tell whether a motion is what a program's move says."""
    if np.linalg.norm(motion.point - goal.point) > 0.1 or goal.is_joint != (motion.q is not None):
        return False
    if goal.speed is not None and abs(motion.speed - goal.speed) > 0.001 * goal.speed + 1e-3:
        return False
    return goal.radius is None or abs(motion.radius - goal.radius) < 1e-3 or 0.0 < motion.radius < goal.radius


@pytest.mark.parametrize(("program", "language", "arm"), CASES)
def test_a_controller_goes_where_the_program_went_as_fast_and_around_the_same_corners(
    program: str, language: str, arm: str
) -> None:
    record = record_program(prepared(program), inputs())
    robot = armlab.load(arm)
    done = translate_program(prepared(program), language, signals=inputs(), robot=robot)
    met = READERS[language](done.files[0].text, robot.with_tool(record.robot.tool))
    rest = iter(met)
    for goal in goals(record):
        assert any(fits(goal, motion) for motion in rest), goal
    assert met[0].q is not None
    for motion in met:
        assert motion.q is None or ((robot.lower <= motion.q) & (motion.q <= robot.upper)).all()
        assert math.isnan(motion.acceleration) or motion.acceleration <= (2.5 if motion.q is None else 5.0)


def scenario(folder: Path, arm: str) -> str:
    """Write a scenario with three lines whose corners are rounded by 20 mm, and a slow joint motion."""
    corners = [[300, -200, 400, 0, 0, 180], [300, -300, 400, 0, 0, 180], [400, -300, 400, 0, 0, 180]]
    lines = {"do": "move", "through": corners, "path": "line", "blend": 20, "tool_speed": 120}
    steps = [lines, {"do": "move", "to": "home", "speed": 30}]
    data = {"schema": 1, "name": "corners", "title": "corners", "arm": arm, "start": "home", "steps": steps}
    return file_of(folder, "corners.json", json.dumps(data))


def test_corners_of_a_scenario_are_the_radius_of_movel_and_the_zone_of_move_l(tmp_path: Path) -> None:
    path = scenario(tmp_path, "kuka-kr6-r700")
    for language, arm in (("urscript", "ur5e"), ("rapid", "abb-irb120")):
        robot = armlab.load(arm)
        (file,) = translate_program(prepared(path), language, robot=robot).files
        lines = [motion for motion in READERS[language](file.text, robot) if motion.q is None]
        assert [motion.radius for motion in lines] == [20.0, 20.0, 0.0]
        assert [motion.speed for motion in lines] == [120.0, 120.0, 120.0]
    assert "v_1, z20, " in file.text  # 120 mm/s is not one of the controller's own speeds, 20 mm one of its zones


def test_corners_without_a_radius_are_stops(tmp_path: Path) -> None:
    path = Path(scenario(tmp_path, "ur5e"))
    path.write_text(path.read_text().replace('"blend": 20, ', "").replace("[300, -", "[-300, -"))
    (file,) = translate_program(prepared(str(path)), "urscript").files
    assert [motion.radius for motion in urscript_motions(file.text, armlab.load("ur5e"))] == [0.0] * 5


@pytest.mark.parametrize(("language", "arm"), [("urscript", "ur5e"), ("rapid", "abb-irb120")])
def test_joint_motions_of_another_makers_arm_are_refused_unless_the_arm_is_named(language: str, arm: str) -> None:
    with pytest.raises(NotSupported) as refused:
        translate_program(prepared("drawing"), language)
    assert refused.value.code == "translate_other_maker"
    assert refused.value.parameters["maker"] == "KUKA"
    robot = armlab.load(arm)
    done = translate_program(prepared("drawing"), language, robot=robot)
    assert "translation_maker" not in {finding.code for finding in done.findings}
    speeds = [motion.speed for motion in READERS[language](done.files[0].text, robot) if motion.q is not None]
    if language == "urscript":
        assert max(speeds) <= robot.velocity.max() + 1e-3


def test_an_arm_that_does_not_run_the_language_is_told_where_it_is_named() -> None:
    done = translate_program(prepared("drawing"), "rapid", robot=armlab.load("kuka-kr6-r700"))
    assert "translation_maker" in {finding.code for finding in done.findings}


def test_what_the_named_arm_cannot_reach_is_an_error() -> None:
    done = translate_program(prepared("star"), "rapid", robot=armlab.load("abb-irb120"))
    assert not done.is_good
    assert done.files == ()


@pytest.mark.parametrize("language", ["krl", "gcode", "python", "scenario"])
def test_a_scenario_whose_pose_is_out_of_reach_is_refused_with_the_reason(language: str, tmp_path: Path) -> None:
    steps = [{"do": "move", "to_pose": [3000, 0, 400, 0, 0, 180]}, {"do": "move", "to": "home"}]
    data = {"schema": 1, "name": "far", "title": "far", "arm": "kuka-kr6-r700", "start": "home", "steps": steps}
    done = translate_program(prepared(file_of(tmp_path, "far.json", json.dumps(data))), language)
    assert done.files == ()
    assert {finding.code for finding in done.findings if finding.severity == "error"} == {"unreachable"}


IRB = armlab.load("abb-irb120")


RECORD = ProgramRecord(IRB, np.asarray(IRB.home))
WRITER = RapidWriter(TranslationJob(prepared("drawing", "abb-irb120"), RECORD, "x"))


def configuration(q: Floats) -> list[int]:
    """Return confdata as the writer has it."""
    return [int(value) for value in WRITER._configuration(q).strip("[]").split(",")]


def expected(q: Floats) -> list[int]:
    """Return the definition, from where the frames of the links are: quadrants, and three sides of planes."""
    frames = IRB.frames(q)
    p2, p3, wrist = frames[2][:3, 3], frames[3][:3, 3], frames[5][:3, 3]
    forward = frames[1][:3, :3] @ (IRB.frames(np.zeros(6))[1][:3, :3].T @ np.array([1.0, 0.0, 0.0]))
    side = np.cross([0.0, 0.0, 1.0], forward)
    is_behind = float(wrist @ forward) < 0.0
    is_behind_arm = float(np.cross(p3 - p2, wrist - p3) @ side) < 0.0
    quarters = [math.floor(q[i] / (math.pi / 2.0)) for i in (0, 3, 5)]
    return [*quarters, int(q[4] < 0.0) + 2 * int(is_behind_arm) + 4 * int(is_behind)]


def test_configurations_change_where_quadrants_and_sides_do() -> None:
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(400):
        q = rng.uniform(IRB.lower, IRB.upper)
        assert configuration(q) == expected(q)
        seen.add(configuration(q)[3])
    assert len(seen) >= 6


def test_all_solutions_of_a_pose_have_configurations_of_their_own() -> None:
    q = np.radians([20.0, 15.0, -20.0, 30.0, 50.0, 10.0])
    found = [tuple(configuration(one.q)) for one in armlab.all_ik(IRB, IRB.fk(q), turns=True)]
    assert len(found) >= 4
    assert len(set(found)) == len(found)
