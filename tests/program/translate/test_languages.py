"""What translations look like in each language."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from program.translate.drive import file_of, inputs, prepared
from refusals import refused

import armlab
from armlab.errors import NotSupported, UnknownName
from armlab.geometry import pose
from armlab.model.finding import Finding
from armlab.program.instructions import WaitUntil
from armlab.program.translate.conditions import condition_of
from armlab.program.translate.krl_text import krl_name
from armlab.program.translate.translation import TARGETS, Translation, translate_program

KUKA = armlab.load("kuka-kr6-r700")
SUBROUTINES = """DEF job()
  INT i
  PTP {A1 0, A2 -90, A3 90, A4 0, A5 90, A6 0}
  FOR i = 1 TO 3
    stroke()
  ENDFOR
END
DEF stroke()
  LIN_REL {Z -20}
  LIN_REL {Z 20}
END
"""


def texts(translation: Translation) -> dict[str, str]:
    return {file.name: file.text for file in translation.files}


def coded(findings: tuple[Finding, ...], code: str) -> list[Finding]:
    return [finding for finding in findings if finding.code == code]


def test_motions_of_krl_are_inline_forms_whose_data_is_in_the_data_list() -> None:
    files = texts(translate_program(prepared("weld"), "krl"))
    source, data = files["weld.src"], files["weld.dat"]
    forms = re.findall(r";FOLD (PTP|LIN|CIRC) .*Tool\[\d+\] Base\[\d+\];%\{PE\}%R .*,%CMOVE,%V\1,%P 1:\1", source)
    assert forms.count("LIN") == 5
    assert forms.count("CIRC") == 1
    assert source.count(";FOLD") == source.count(";ENDFOLD")
    assert ";FOLD INI" in source
    for name in re.findall(r"(?:PDAT_ACT|LDAT_ACT|FDAT_ACT) = (\w+)|(?:PTP|LIN) (X\w+)", source):
        assert f" {name[0] or name[1]}=" in data or (name[0] or name[1]) in {"PDEFAULT", "FHOME", "XHOME"}
    assert re.search(r"DECL E6POS XP\d+=\{X .*,S \d+,T \d+,E1 0.0", data)
    assert "TRIGGER WHEN DISTANCE = 0 DELAY = 50 DO $OUT[5] = TRUE" in source


@pytest.mark.parametrize("language", TARGETS)
def test_every_language_gets_a_program(language: str) -> None:
    done = translate_program(prepared("drawing"), language, robot=KUKA)
    assert done.is_good
    assert all(file.data for file in done.files)
    assert len(done.files) == (2 if language == "krl" else 1)


def test_routines_and_loops_are_kept(tmp_path: Path) -> None:
    job = file_of(tmp_path, "job.src", SUBROUTINES)
    found = {}
    for language in ("krl", "python", "rapid", "urscript"):
        (first, *_rest) = texts(translate_program(prepared(job), language, robot=KUKA)).values()
        found[language] = first
    assert re.search(r"FOR loop1 = 1 TO 3\n\s*STROKE \( \)\nENDFOR", found["krl"])
    assert re.search(r"for _ in range\(3\):\n\s*yield from stroke\(\)", found["python"])
    assert re.search(r"FOR i1 FROM 1 TO 3 DO\n\s*STROKE;\n\s*ENDFOR", found["rapid"])
    assert re.search(r"while loop_1 < 3:\n\s*stroke\(\)\n", found["urscript"])


def test_a_translation_with_routines_still_does_the_same(tmp_path: Path) -> None:
    done = translate_program(prepared(file_of(tmp_path, "job.src", SUBROUTINES)), "krl")
    assert done.difference is not None
    assert done.difference.path_mm < 0.001


def test_what_was_flattened_is_one_finding_that_says_where() -> None:
    done = translate_program(prepared("touch"), "python", signals=inputs())
    (finding,) = coded(done.findings, "translation_flattened")
    assert "touch.src:31" in str(finding.message)


def test_targets_of_rapid_lie_where_the_program_goes() -> None:
    source = prepared("drawing", "abb-irb120")
    (text,) = texts(translate_program(source, "rapid")).values()
    number = r"(-?[\d.]+)"
    wobj = re.search(rf"PERS wobjdata wobj_1:=\[FALSE,TRUE,\"\",\[\[{number},{number},{number}\]", text)
    points = re.findall(rf"CONST robtarget p\d+:=\[\[{number},{number},{number}\]", text)
    assert wobj is not None
    corners = {tuple(map(float, point)) for point in points}
    assert {(80.0, 0.0, 0.0), (80.0, 60.0, 0.0), (40.0, 95.0, 0.0), (0.0, 60.0, 0.0)} <= corners
    assert text.count("PROC ") == text.count("ENDPROC")
    assert "MoveC " in text


def test_poses_of_urscript_are_rotation_vectors_in_the_base() -> None:
    source = prepared("drawing", "ur5e")
    (text,) = texts(translate_program(source, "urscript")).values()
    values = [list(map(float, found.split(","))) for found in re.findall(r"p_\d+ = p\[([^]]*)\]", text)]
    down = [pose.from_xyz_axis_angle(v[:3], v[3:], float(np.linalg.norm(v[3:])))[:3, 2] for v in values]
    np.testing.assert_allclose(down, np.tile([0.0, 0.0, -1.0], (len(down), 1)), atol=1e-6)
    opened = len(re.findall(r"^\s*(?:def|while|if) .*:$", text, re.MULTILINE))
    assert opened == len(re.findall(r"^\s*end$", text, re.MULTILINE))


def test_a_condition_is_understood_by_trying_its_inputs() -> None:
    both = condition_of(WaitUntil(lambda s: bool(s.read("1")) and not s.read("2")))
    assert both is not None
    assert both.terms == ((("1", True), ("2", False)),)
    assert both.text(lambda name: f"$IN[{name}]", ("NOT", "AND", "OR")) == "$IN[1] AND NOT $IN[2]"
    assert condition_of(WaitUntil(lambda s: s.time > 3.0)) is None
    nothing = condition_of(WaitUntil(lambda _s: True))
    assert nothing is not None
    assert nothing.terms is None


def test_names_are_legal_in_krl() -> None:
    assert krl_name("2 parts, große Teile.ngc")[0].isalpha()
    assert len(krl_name("x" * 80)) <= 24
    assert krl_name("loop") != "loop"


def test_an_arm_with_seven_axes_has_no_krl() -> None:
    seven = prepared("drawing", "kuka-iiwa14")
    with refused("krl_too_many_axes", NotSupported, count=7):
        translate_program(seven, "krl")


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UnknownName):
        translate_program(prepared("drawing"), "cobol")


def test_a_program_with_errors_gives_no_files(tmp_path: Path) -> None:
    done = translate_program(prepared(file_of(tmp_path, "a.src", "DEF a()\nLIN {X 9000}\nEND\n")), "krl")
    assert not done.is_good
    assert done.files == ()


def test_a_wait_that_nothing_ends_is_told_once_and_the_translation_is_not_compared() -> None:
    done = translate_program(prepared("sorting"), "gcode")
    codes = [finding.code for finding in done.findings]
    assert codes.count("wait_never_ends") == 1
    assert "translation_not_compared" in codes
    assert "translation_differs" not in codes
    assert done.difference is None
