"""KRL as an operator of a KUKA controller wants it, judged by the reader of KRL, which knows nothing of the writer."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from program.translate.drive import file_of, prepared

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.program.instructions import MoveJ, Pause, Say, WhereIs
from armlab.program.krl.instructions import instructions_of
from armlab.program.krl.library import Library
from armlab.program.languages import program_source
from armlab.program.prepare import PartPlace, RunOptions, cell_of, prepare
from armlab.program.translate.fitting import FrameNumbers
from armlab.program.translate.record import record_program
from armlab.program.translate.translation import Translation, translate_program

KUKA = armlab.load("kuka-kr6-r700")
NUMBER = r"(-?[\d.]+)"
POINT = re.compile(
    rf"DECL E6POS (XP\d+)={{X {NUMBER},Y {NUMBER},Z {NUMBER},A {NUMBER},B {NUMBER},C {NUMBER},S (\d+),T (\d+)"
)
LINES = """DEF lines()
$TOOL = {X 60.0,Y 0.0,Z 150.0,A 0.0,B 45.0,C 0.0}
$BASE = {X 400.0,Y -100.0,Z 120.0,A 0.0,B 0.0,C 0.0}
PTP {A1 0,A2 -90,A3 90,A4 0,A5 45,A6 0}
$VEL.CP = 0.2
$ACC.CP = 2.0
LIN {X 0,Y 0,Z 50,A 180,B -45,C 180} C_DIS
LIN {X 0,Y 80,Z 50,A 180,B -45,C 180}
$ACC.CP = 5.0
LIN {X 0,Y 0,Z 50,A 180,B -45,C 180}
END
"""


def texts(done: Translation) -> tuple[str, str]:
    """Return the module and its data list."""
    source, data = done.files
    return source.text, data.text


def points(data: str) -> dict[str, tuple[Floats, int, int]]:
    """Return the frames of a data list with S and T."""
    found = {}
    for name, *values, status, turn in POINT.findall(data):
        found[name] = pose.from_mm_deg([float(value) for value in values]), int(status), int(turn)
    return found


def test_each_point_of_a_spline_has_the_turn_with_which_the_arm_passes_it(tmp_path: Path) -> None:
    angles = np.linspace(0.3, 5.8, 17)
    ring = [(430 + 30 * np.cos(t), 120 * np.cos(t), 450 + 60 * np.sin(t), 170 + 15 * np.sin(t)) for t in angles]
    turns = "\n".join(f"SPL {{X {x:.3f},Y {y:.3f},Z {z:.3f},A 0,B {b:.3f},C 0}}" for x, y, z, b in ring)
    text = f"DEF curve()\nPTP {{X 450,Y 100,Z 450,A 0,B 170,C 0}}\nSPLINE\n{turns}\nENDSPLINE\nEND\n"
    path = file_of(tmp_path, "curve.src", text)
    done = translate_program(prepared(path), "krl")
    source, data = texts(done)
    known, record = points(data), record_program(prepared(path))
    (step,) = [one for one in record.steps if "Spline" in type(one.instruction).__name__]
    q = step.sampled(4000)[1]
    passed = KUKA.fk(q)[:, :3, 3]
    seen, last = [], 0
    for name in re.findall(r"^\s*SPL (XP\d+)", source, re.MULTILINE):
        T, _status, turn = known[name]
        gaps = np.linalg.norm(passed - T[:3, 3], axis=1)
        last += int(np.flatnonzero(gaps[last:] < gaps[last:].min() + 1e-5)[0])
        here = q[last]
        sure = np.abs(here) > 1e-3
        bits = np.array([turn >> i & 1 for i in range(6)], dtype=bool)
        assert (bits == (here < 0.0))[sure].all(), name
        seen.append(turn)
    assert len(seen) == 17
    assert len(set(seen)) > 1, "the turn changes on the way"


def test_programmed_speeds_and_accelerations_are_written_as_they_are(tmp_path: Path) -> None:
    done = translate_program(prepared(file_of(tmp_path, "lines.src", LINES)), "krl")
    source, data = texts(done)
    assert re.findall(r"^;FOLD LIN .*Vel=(\S+) m/s", source, re.MULTILINE) == ["0.2", "0.2"]
    assert "$ACC.CP = 5.0" in source, "an acceleration above the controller's default has no place in an inline form"
    assert f"ACC {100 * 2.0 / 2.3:.4f}" in data
    assert done.difference is not None
    assert abs(done.difference.time_share) < 1e-6
    assert done.difference.path_mm < 1e-3


def test_nothing_of_the_controllers_own_data_is_changed_but_empty_entries(tmp_path: Path) -> None:
    for program in (file_of(tmp_path, "lines.src", LINES), "drawing", "palletise"):
        source, _data = texts(translate_program(prepared(program), "krl"))
        assert not re.findall(r"^\s*(DEF_\w+|\$TOOL|\$BASE|\$LOAD)\s*=", source, re.MULTILINE)
        for kind, k in re.findall(r"^\s*(TOOL|BASE)_DATA\[(\d+)\] =", source, re.MULTILINE):
            before = f"IF frame_is ({kind}_DATA[{k}], $NULLFRAME) THEN\n"
            assert re.search(re.escape(before) + rf"\s*{kind}_DATA\[{k}\] = ", source)


def ran(done: Translation, config: str) -> list[object]:
    """Run a translation on a controller with data of its own, and return what the arm is told."""
    library = Library(main="LINES")
    for file in done.files:
        library.add(file.name, file.data)
    library.add("$config.dat", f"DEFDAT $CONFIG PUBLIC\n{config}\nENDDAT\n".encode())
    out: list[object] = []
    stream = instructions_of(library, KUKA)
    try:
        answer = None
        while True:
            one = stream.send(answer)
            answer = np.array(KUKA.home) if isinstance(one, WhereIs) else None
            out.append(one)
    except StopIteration:
        return out


def test_another_tool_in_its_entry_stops_the_program(tmp_path: Path) -> None:
    done = translate_program(prepared(file_of(tmp_path, "lines.src", LINES)), "krl")
    table = "DECL FRAME TOOL_DATA[16]\nTOOL_DATA[1]={{X {},Y 0.0,Z 150.0,A 0.0,B 45.0,C 0.0}}"
    same, other = ran(done, table.format("60.04")), ran(done, table.format("75.0"))
    assert not [one for one in same if isinstance(one, Pause)]
    first = next(i for i, one in enumerate(other) if isinstance(one, MoveJ))
    assert [one for one in other[:first] if isinstance(one, Pause)]
    assert [one for one in other[:first] if isinstance(one, Say) and "TOOL_DATA[1]" in one.text]


def test_entries_of_tools_and_bases_begin_where_they_are_told(tmp_path: Path) -> None:
    numbers = FrameNumbers(tool=7, base=4)
    source, data = texts(translate_program(prepared(file_of(tmp_path, "lines.src", LINES)), "krl", numbers=numbers))
    assert "Tool[7] Base[4]" in source
    assert "{TOOL_NO 7,BASE_NO 4," in data
    assert "TOOL_DATA[1]" not in source


def test_the_load_of_the_tool_is_written_where_it_has_a_mass() -> None:
    tool = armlab.load_tool("gripper")
    assert tool.inertia.mass > 0.0
    heavy = replace(tool, inertia=Inertia(1.5, np.array([0.0, 0.01, 0.06]), np.diag([0.002, 0.003, 0.004])))
    options = RunOptions(stops_at_errors=False, with_marks=True)
    ready = prepare(program_source("drawing"), cell_of("kuka-kr6-r700", None, heavy), PartPlace(), options)
    source, data = texts(translate_program(ready, "krl"))
    load = "{M 1.5,CM {X 0.0,Y 10.0,Z 60.0,A 0.0,B 0.0,C 0.0},J {X 0.002,Y 0.003,Z 0.004}}"
    assert f"DECL LOAD LOAD1_HERE={load}" in data
    assert "LOAD_DATA[1] = LOAD1_HERE" in source
    for arm, language, told in (
        ("ur5e", "urscript", "set_payload(1.5, [0, 0.01, 0.06])"),
        ("abb-irb120", "rapid", ",[1.5,[0,10,60],[1,0,0,0],0,0,0]]"),
    ):
        made = translate_program(
            prepare(program_source("drawing"), cell_of(arm, None, heavy), PartPlace(), options), language
        )
        assert told in made.files[0].text


@pytest.mark.parametrize("program", ["drawing", "weld"])
def test_a_program_begins_with_home_and_goes_slowly_to_where_it_starts(program: str) -> None:
    source, data = texts(translate_program(prepared(program), "krl"))
    forms = re.findall(r"^;FOLD (PTP|LIN|CIRC) (\S+) .*?Vel=(\S+) %", source, re.MULTILINE)
    assert forms[0] == ("PTP", "HOME", "20")
    assert forms[1] == ("PTP", "START", "20")
    assert "$H_POS = XHOME\nPTP XHOME\n" in source
    for text in (source, data):
        assert text.startswith(
            "&ACCESS RVP\n&REL 1\n&PARAM EDITMASK = *\n&PARAM TEMPLATE = C:\\KRC\\Roboter\\Template\\vorgabe\n"
        )
    assert source.index(";FOLD INI") < source.index(";FOLD USER INI") < source.index(";FOLD PTP HOME")
    assert ";FOLD EXTERNAL DECLARATIONS" in data
    assert source.count(";FOLD") == source.count(";ENDFOLD")
