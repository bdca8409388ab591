"""RAPID and URScript, read back by small readers of their own: the same positions, speeds and configurations."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from program.translate.drive import inputs, prepared

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.program.instructions import MoveHelix, MoveJ, MoveL, MoveSpline
from armlab.program.translate.fitting import TranslationJob
from armlab.program.translate.rapid import RapidWriter
from armlab.program.translate.record import ProgramRecord, record_program
from armlab.program.translate.translation import translate_program

PROGRAMS = ["drawing", "flower", "palletising", "handling", "star", "sorting"]
MM = 1000.0


class Met:
    """What a program told its arm: end points (mm), and speeds (mm/s) along straight lines."""

    def __init__(self) -> None:
        self.points: list[Floats] = []
        self.speeds: list[float] = []


def rapid_run(text: str, robot: armlab.Robot) -> Met:
    """Run a module: its statements are turned into Python, line by line, by their indentation."""
    met = Met()
    out = []
    for line in text.splitlines():
        space = re.match(r"\s*", line)[0]  # type: ignore[index]
        word = line.strip()
        word = re.sub(r"^(CONST|PERS|VAR) \w+ (\w+)(\{[\d,]+\})?:=(.*);$", r"\2 = \4", word)
        word = re.sub(r"^VAR bool \w+;$", "pass", word)
        word = re.sub(r"\bTRUE\b", "True", word)
        word = re.sub(r"\bFALSE\b", "False", word)
        word = re.sub(r"^PROC (\w+)\((.*)\)$", lambda m: f"def {m[1]}({_names(m[2])}):", word)
        word = re.sub(r"^FOR (\w+) FROM 1 TO (.*) DO$", r"for \1 in range(1, 1 + int(\2)):", word)
        word = re.sub(r"^IF (.*) THEN$", lambda m: f"if {_condition(m[1])}:", word)
        word = re.sub(r"^WHILE (.*) DO$", r"while \1:", word)
        word = {"ELSE": "else:"}.get(word, word)
        if re.match(r"^(MODULE|ENDMODULE|ENDPROC|ENDFOR|ENDIF|ENDWHILE)", word):
            continue
        word = re.sub(r"^(\w+) := di_\w+ = 1;$", r"\1 = False", word)
        word = re.sub(r"^(WaitUntil|WaitTime|SetDO|SetAO|PulseDO|TPWrite|Stop).*$", "pass", word)
        word = re.sub(r"^(Move\w+) (.*);$", lambda m: f"{m[1]}({m[2].split(chr(92))[0]})", word)
        word = re.sub(r"(\w+)\{([^}]*)\}", lambda m: f"at({m[1]}, {m[2]})", word)
        word = re.sub(r"^(\w+)( [^=]*)?;$", r"\1(\2)", word)
        out.append(space.replace("  ", " ") + word)
    wobj = re.search(r"PERS wobjdata wobj_1:=\[FALSE,TRUE,\"\",(\[\[.*?\]\]),", text)
    T_base_wobj = _pose(eval(wobj[1])) if wobj else np.eye(4)
    T = robot.base @ T_base_wobj
    z = [0.0] * 7

    def straight(target: Any, speed: Any, *_rest: Any) -> None:
        met.points.append((T @ _pose(target))[:3, 3] * MM)
        met.speeds.append(speed[0])

    def joints(target: Any, _speed: Any, _zone: Any, tool: Any) -> None:
        met.points.append((robot.fk(np.radians(target[0])) @ _pose(tool[1]))[:3, 3] * MM)
        met.speeds.append(math.nan)

    def arc(_via: Any, target: Any, speed: Any, *rest: Any) -> None:
        straight(target, speed, *rest)

    body = "if True:\n" + "\n".join(" " + line for line in out)
    names = {"MoveL": straight, "MoveAbsJ": joints, "MoveC": arc, "at": _at, "fine": z, "z1": z, "z10": z}
    exec(body + "\n  main()", {**names, "True": True})
    return met


def _condition(text: str) -> str:
    for rapid, python in (("NOT", "not"), ("AND", "and"), ("MOD", "%"), (" = ", " == ")):
        text = text.replace(rapid, python)
    return text


def _names(parameters: str) -> str:
    return ", ".join(one.split()[-1] for one in parameters.split(",") if one.strip())


def _at(table: Any, *indices: int) -> Any:
    for index in indices:
        table = table[int(index) - 1]
    return table


def _pose(target: Any) -> Floats:
    (x, y, z), quaternion = target[0], target[1]
    return pose.from_xyz_quaternion(np.array([x, y, z]) / MM, np.array(quaternion))


def urscript_run(text: str, robot: armlab.Robot) -> Met:
    """Run a script: but for `end` and poses it is Python by its indentation."""
    met = Met()
    lines = [line for line in text.splitlines() if line.strip() != "end"]
    lines = [re.sub(r"\bp\[", "P([", line) for line in lines]
    lines = [re.sub(r"(P\(\[[^]]*\])", r"\1)", line) for line in lines]
    lines = [re.sub(r"while not \(get_digital_in.*", "if False:", line) for line in lines]

    tcp: list[Floats] = []

    def movel(target: Any, a: float, v: float, r: float = 0.0) -> None:
        del a, r
        met.points.append((robot.base @ target)[:3, 3] * MM)
        met.speeds.append(v * MM)

    def movec(_via: Any, target: Any, a: float, v: float, r: float = 0.0, mode: int = 0) -> None:
        del mode
        movel(target, a, v, r)

    def movej(q: Any, **_rest: Any) -> None:
        met.points.append((robot.fk(np.array(q)) @ tcp[-1])[:3, 3] * MM)
        met.speeds.append(math.nan)

    names = {
        "P": _ur_pose,
        "set_tcp": tcp.append,
        "movel": movel,
        "movec": movec,
        "movej": movej,
        "get_digital_in": lambda _number: False,
    }
    quiet = ("set_digital_out", "set_analog_out", "sleep", "textmsg", "popup", "sync")
    main = re.match(r"def (\w+)\(", text)
    assert main is not None
    exec("\n".join(lines) + f"\n{main[1]}()", {**names, **{name: lambda *_a: None for name in quiet}})
    return met


def _ur_pose(v: list[float]) -> Floats:
    turn = np.array(v[3:])
    angle = float(np.linalg.norm(turn))
    return pose.from_xyz_axis_angle(v[:3], turn, angle) if angle else pose.from_xyz(v[:3])


def ends(record: ProgramRecord) -> list[tuple[Floats, float | None]]:
    """Return where each move of a record leads (mm), and the speed (mm/s) that its program gave it."""
    found: list[tuple[Floats, float | None]] = []
    for step in record.steps:
        move = step.instruction
        if isinstance(move, MoveJ):
            T = record.robot_of(move.settings).fk(move.targets[-1])
        elif isinstance(move, MoveL | MoveSpline):
            T = move.frames[-1]
        elif isinstance(move, MoveHelix):
            T = move.frame
        else:
            continue
        speed = None if move.settings.tool_speed is None else move.settings.tool_speed * MM
        found.append((T[:3, 3] * MM, speed))
    return found


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("language", "arm", "run"), [("rapid", "kuka-kr6-r700", rapid_run), ("urscript", "kuka-kr6-r700", urscript_run)]
)
def test_what_is_read_back_goes_where_the_program_went(program: str, language: str, arm: str, run: Any) -> None:
    record = record_program(prepared(program, arm), inputs())
    done = translate_program(prepared(program, arm), language, signals=inputs())
    met = run(done.files[0].text, record.robot)
    for end, speed in ends(record):
        gaps = [float(np.linalg.norm(point - end)) for point in met.points]
        assert min(gaps) < 0.1
        if speed is not None:
            near = [s for gap, s in zip(gaps, met.speeds, strict=True) if gap < 0.1]
            assert any(math.isnan(s) or abs(s - speed) < 0.01 * speed for s in near)
    assert len(met.points) >= len(ends(record)) - 1


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
