from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from program.krl.drive import ARM, drive, library, program

import armlab
from armlab.errors import InvalidInput
from armlab.program.krl import library as library_module
from armlab.program.krl.instructions import check_text
from armlab.program.krl.library import open_library

MAIN = "DEF main()\nINT k\nk = twice(4)\nhelp(k)\n$ANOUT[1] = k\n$ANOUT[2] = shared\nEND\n"
TOOLS = "DEF tools()\nEND\nGLOBAL DEFFCT INT twice(n:IN)\nINT n\nRETURN 2 * n\nENDFCT\nDEF hidden()\nEND\n"
HELP = "DEF help(n:OUT)\nINT n\nn = n + offset\nEND\n"
HELP_DATA = "DEFDAT help PUBLIC\nDECL INT offset = 100\nDECL GLOBAL INT shared = 7\nENDDAT\n"
FILES = {"main.src": MAIN, "TOOLS.SRC": TOOLS, "help.src": HELP, "Help.dat": HELP_DATA}


def folder(path: Path) -> Path:
    for name, text in FILES.items():
        (path / name).write_bytes(text.replace("\n", "\r\n").encode("cp1252"))
    return path


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def outputs(path: Path) -> list[tuple[str, bool | float]]:
    done = drive(open_library(path))
    assert done.codes == []
    return done.outputs


def test_modules_call_each_other_from_a_file_a_folder_and_a_zip(tmp_path: Path) -> None:
    expected = [("analog 1", 108.0), ("analog 2", 7.0)]
    place = folder(tmp_path)
    assert outputs(place / "main.src") == expected
    assert outputs(place) == expected
    backup = {f"KRC/R1/Program/{name}": text.encode() for name, text in FILES.items()}
    assert outputs(zipped(tmp_path / "backup.zip", backup)) == expected


def test_routines_of_another_module_that_are_not_global_are_hidden() -> None:
    done = drive(library(t_src="DEF t()\nhidden()\nEND\n", tools_src=TOOLS))
    assert done.codes == ["unknown_routine"]


def test_a_copy_of_a_controller_has_its_configuration_and_machine_data(tmp_path: Path) -> None:
    root = tmp_path / "KRC" / "R1"
    for name, text in {
        "Program/job.src": "DEF job()\nBAS(#TOOL, 3)\n$ANOUT[1] = $TOOL.Z\nEND\n",
        "System/$config.dat": "DEFDAT $CONFIG PUBLIC\nDECL FRAME TOOL_DATA[16]\nTOOL_DATA[3]={X 0,Y 0,Z 55}\nENDDAT\n",
        "Mada/$machine.dat": "DEFDAT $MACHINE PUBLIC\n$SOFTP_END[3]=100.0\nENDDAT\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    done = drive(open_library(root / "Program" / "job.src"))
    assert done.outputs == [("analog 1", 55.0)]
    assert done.codes == ["machine_limit"]


def test_findings_of_every_module_of_a_folder_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.src").write_text("DEF a()\nINT i\ni = TRUE\nEND\n")
    (tmp_path / "b.src").write_text("DEF b()\nwrong(\nEND\n")
    (tmp_path / "main.src").write_text("DEF main()\nEND\n")
    found = check_text(tmp_path, armlab.load(ARM)).findings
    assert {Path(str(f.where["file"])).name for f in found} == {"a.src", "b.src"}


def test_a_file_is_checked_with_what_it_calls_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "a.src").write_text("DEF a()\nb()\nPTP {A1 1}\nEND\nDEF unused()\nINT i\ni = TRUE\nEND\n")
    (tmp_path / "b.src").write_text("DEF b()\nINT i\ni = TRUE\nPTP {A1 2}\nEND\n")
    (tmp_path / "c.src").write_text("DEF c()\nwrong(\nEND\n")
    checked = check_text(tmp_path / "a.src", armlab.load(ARM))
    assert sorted((Path(str(f.where["file"])).name, f.where["line"]) for f in checked.findings) == [
        ("a.src", 7),
        ("b.src", 3),
    ]
    assert checked.motions == 2


def test_a_binary_file_and_a_missing_data_list_are_one_finding_each() -> None:
    assert drive(library(t_src="DEF t()\n\0\0\nEND\n")).codes == ["binary"]
    assert drive(library(t_src="DEF t()\nPTP XP1\nPTP XP1\nEND\n")).codes == ["data_missing"]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"readme.txt": b"x"}, "krl_no_modules"),
        ({"a.src": b"DEF a()\nEND\n", "b.src": b"DEF b()\nEND\n"}, "krl_which_module"),
    ],
)
def test_what_is_not_a_program_is_refused(tmp_path: Path, files: dict[str, bytes], code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        open_library(zipped(tmp_path / "x.zip", files))
    assert caught.value.code == code


def test_zip_bombs_and_broken_zips_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "MOST_BYTES", 100_000)
    bomb = zipped(tmp_path / "bomb.zip", {"a.src": b" " * 1_000_000})
    assert bomb.stat().st_size < 10_000
    with pytest.raises(InvalidInput) as caught:
        open_library(bomb)
    assert caught.value.code == "krl_too_large"
    for data in (b"PK not a zip", b"", bomb.read_bytes()[:400]):
        (tmp_path / "broken.zip").write_bytes(data)
        with pytest.raises(InvalidInput) as caught:
            open_library(tmp_path / "broken.zip")
        assert caught.value.code in {"krl_bad_zip", "krl_no_modules"}
    with pytest.raises(InvalidInput) as caught:
        open_library(tmp_path / "nowhere.zip")
    assert caught.value.code == "file_missing"


def test_nothing_of_a_zip_is_written_to_disk(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("../../evil.src", "DEF evil()\n$ANOUT[1] = 1\nEND\n")
    (tmp_path / "slip.zip").write_bytes(stream.getvalue())
    assert outputs(tmp_path / "slip.zip") == [("analog 1", 1.0)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["slip.zip"]


def test_two_hundred_modules_are_indexed_without_being_parsed() -> None:
    made = library(t_src="DEF t()\nm150()\nEND\n")
    for number in range(200):
        made.add(f"m{number}.src", f"DEF m{number}()\n$ANOUT[1] = {number}\nEND\nnot KRL at all\n".encode())
    done = drive(made)
    assert done.codes == ["outside"]  # of the one module that is used
    assert len(made.modules) == 201


CONTROLLER = """DEFDAT $CONFIG
REAL DEF_VEL_CP=1.5
ENUM OUT_MODE_T CONT_,STOP_
STRUC SCREW INT COUNT,CHAR NAME[8],SOME_OPTION_TYPE MORE
STRUC ALL_SCREWS SCREW LEFT,SCREW RIGHT
DECL ALL_SCREWS SCREWS={LEFT {COUNT 3,NAME[] "M5"},RIGHT {COUNT 4,NAME[] " "}}
DECL OTHER_OPTION OTHER={A 1,B {C #X}}
DECL CHAR TOOL_NAME[16,24]
TOOL_NAME[2,]="pen"
DECL LOAD LOAD_DATA[16]
LOAD_DATA[1]={M 2.5,CM {X 0,Y 0,Z 25,A 0,B 0,C 0},J {X 0,Y 0,Z 0}}
DECL FRAME TOOL_DATA[16]
TOOL_DATA[1]={X 0,Y 0,Z 225,A 0,B 0,C 0}
INT COUNTER=7
ENDDAT
"""


def test_a_configuration_has_nested_structures_rows_of_texts_and_types_of_options() -> None:
    body = (
        "BAS(#INITMOV,0)\n$ANOUT[1] = $TOOL.Z\n$ANOUT[1] = $VEL.CP\n$ANOUT[1] = SCREWS.LEFT.COUNT\n"
        "$ANOUT[1] = StrLen(TOOL_NAME[2,])\n$ANOUT[1] = COUNTER\n$ANOUT[1] = LOAD_DATA[1].CM.Z"
    )
    done = drive(program(body, config_dat=CONTROLLER))
    assert done.codes == []
    assert [value for _name, value in done.outputs] == [225.0, 1.5, 3.0, 3.0, 7.0, 25.0]


def test_options_that_a_controller_lacks_are_left_out_of_its_ini_fold() -> None:
    ini = (
        ";FOLD INI;%{PE}\n;FOLD BASISTECH INI\nBAS(#INITMOV,0)\n;ENDFOLD\n;FOLD A20 INI;%{E}\nIF ARC20==TRUE THEN\n"
        "A20 (ARC_INI)\nINTERRUPT DECL 6 WHEN $CYCFLAG[3]==FALSE DO A20(TECH_STOP)\nENDIF\n;ENDFOLD\n"
        ";FOLD USER INI\n{user}\n;ENDFOLD\n;ENDFOLD (INI)\nPTP XHOME"
    )
    done = drive(ini.replace("{user}", ""))
    assert {finding.severity for finding in done.findings} == {"note"}
    assert set(done.codes) == {"option"}
    assert len(done.moves) == 1
    assert "unknown_routine" in drive(ini.replace("{user}", "mine()")).codes


def test_a_module_of_a_zip_is_named_behind_it(tmp_path: Path) -> None:
    backup = zipped(tmp_path / "backup.zip", {f"KRC/R1/{name}": text.encode() for name, text in FILES.items()})
    expected = [("analog 1", 108.0), ("analog 2", 7.0)]
    assert outputs(backup / "main.src") == expected
    assert outputs(backup / "KRC" / "R1" / "main.src") == expected
    assert [finding.code for finding in check_text(backup / "tools.src", armlab.load(ARM)).findings] == []
    with pytest.raises(InvalidInput) as caught:
        open_library(backup / "nobody.src")
    assert caught.value.code == "krl_unknown_module"


@pytest.mark.parametrize("title", ["USER INI", "ANWENDER INI"])
def test_a_name_that_is_unknown_in_the_users_part_of_the_ini_fold_is_an_error(title: str) -> None:
    ini = f";FOLD INI\n;FOLD BASISTECH INI\nOPTION_A()\n;ENDFOLD\n;FOLD {title}\nmine()\n;ENDFOLD\n;ENDFOLD (INI)"
    findings = [(finding.severity, finding.where["line"]) for finding in drive(program(ini)).findings]
    assert findings == [("note", 4), ("error", 7)]
