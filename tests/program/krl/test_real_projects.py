"""KRL as people write it: what projects in public have is read, and findings do not follow from one another."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.krl.drive import ARM, drive, library, program

import armlab
from armlab.program.instructions import Say
from armlab.program.krl.instructions import check_text
from armlab.program.krl.library import open_library

START = "PTP {A1 0, A2 -90, A3 90, A4 0, A5 45, A6 0}"


def codes(body: str, **files: str) -> list[str]:
    return [one.code.removeprefix("krl_") for one in drive(program(body, **files)).findings]


# -- what was missed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("$VEL_AXIS[1] = 150", "out_of_range"),
        ("$VEL_AXIS[6] = 0", "out_of_range"),
        ("$VEL.CP = 5", "out_of_range"),
        ("$VEL.CP = 3.001", "out_of_range"),
        ("$VEL = {CP 5.0, ORI1 200, ORI2 200}", "out_of_range"),
        ("SLIN {X 400} WITH $VEL.CP = 5", "out_of_range"),
        ("INTERRUPT DECL 40 WHEN $IN[1] DO HALT", "priority"),
        ("INTERRUPT DECL 80 WHEN $IN[1] DO HALT", "priority"),
        ("INTERRUPT DECL 129 WHEN $IN[1] DO HALT", "priority"),
        ("INTERRUPT ON 0", "priority"),
        ("SWITCH 1\nCASE 1.5\nENDSWITCH", "case_type"),
        ("SWITCH 1.5\nCASE 1\nENDSWITCH", "switch_type"),
        ("SWITCH $IN[1]\nCASE TRUE\nENDSWITCH", "switch_type"),
        ("SWITCH $MODE_OP\nCASE #AUTO\nENDSWITCH", "enum_value"),
    ],
)
def test_what_no_controller_takes_is_told_before_the_program_runs(line: str, code: str) -> None:
    done = drive(program(f"{START}\n{line}"))
    assert (done.codes, done.moves) == ([code], [])


@pytest.mark.parametrize(
    "line",
    [
        "$VEL_AXIS[1] = 100",
        "$VEL_AXIS[1] = 100.4",  # rounded, as INT is
        "$VEL.CP = 3",
        "INTERRUPT DECL 3 WHEN $STOPMESS DO HALT",
        "INTERRUPT DECL 39 WHEN $IN[1] DO HALT",
        "INTERRUPT DECL 81 WHEN $IN[1] DO HALT",
        "SWITCH $MODE_OP\nCASE #T1, #AUT\nENDSWITCH",
        'SWITCH StrLen("ab")\nCASE 2\nENDSWITCH',
    ],
)
def test_what_a_controller_takes_is_taken(line: str) -> None:
    assert codes(line) == []


def test_values_that_are_computed_are_checked_when_they_are_assigned() -> None:
    assert codes("INT n\nn = 150\n$VEL_AXIS[2] = n") == ["out_of_range"]
    assert codes("REAL v\nv = 5\n$VEL.CP = v") == ["out_of_range"]
    assert codes("INT n\nn = 41\nINTERRUPT DECL n WHEN $IN[1] DO HALT") == ["priority"]


def test_the_machine_data_say_how_fast_the_tool_may_be() -> None:
    source, robot = "DEF t()\n$VEL.CP = 2.5\nEND\n", armlab.load(ARM)
    found = library(t_src=source)
    found.add("$machine.dat", b"DEFDAT $MACHINE PUBLIC\n$VEL_MA={CP 2.0,ORI1 400.0,ORI2 400.0}\nENDDAT\n")
    assert [one.code for one in check_text(found, robot).findings] == ["krl_out_of_range"]
    assert check_text(library(t_src=source), robot).findings == ()


def test_names_have_at_most_24_characters() -> None:
    name = "A234567890123456789012345"
    assert codes(f"INT {name}\n{name} = 1") == ["name_too_long"]
    assert codes(f"INT {name[:24]}\n{name[:24]} = 1") == []
    assert codes(f"ENUM COL {name}\nSIGNAL {name}x $IN[1]") == ["name_too_long", "name_too_long"]
    assert codes(f"{name}()\nEND\nDEF {name}()") == ["name_too_long"]


@pytest.mark.parametrize("given", ["150", "100"])
def test_bas_sets_axes_to_their_full_speed_at_most(given: str) -> None:
    full = drive(program(f"BAS(#VEL_PTP, {given})\n$OUT[1] = $VEL_AXIS[1] == 100\n{START}"))
    assert full.outputs == [("1", True)]
    assert full.moves[0].settings.speed == 1.0


@pytest.mark.parametrize("percent", [1, 37, 100, 101, 150, 400])
@pytest.mark.parametrize("command", ["BAS(#VEL_PTP, {})", "BAS(#PTP_PARAMS, {})"])
def test_axes_never_go_faster_than_their_limits(command: str, percent: int) -> None:
    done = drive(program(f"{command.format(percent)}\n{START}"))
    assert done.codes == ["capped"] * (percent > 100)
    assert done.moves[0].settings.speed == min(percent, 100) / 100.0


PATH = "LIN {X 400, Y 0, Z 600, A 0, B 90, C 0}"
DATA_SETS = """DEFDAT t
DECL PDAT PP={VEL 150,ACC 300,APO_DIST 100}
DECL LDAT LP={VEL 5,ACC 400,APO_DIST 100}
DECL PDAT PQ={VEL 100,ACC 100,APO_DIST 100}
DECL LDAT LQ={VEL 2,ACC 100,APO_DIST 100}
DECL FDAT FP={TOOL_NO 1,BASE_NO 0,IPO_FRAME #BASE}
ENDDAT
"""


@pytest.mark.parametrize(
    ("lines", "within", "given", "most"),
    [
        ("BAS(#VEL_CP, {})", 2.0, 5.0, 2.0),
        ("BAS(#ACC_CP, {})", 100, 500, 100),
        ("BAS(#ACC_PTP, {})", 100, 500, 100),
        ("BAS(#CP_PARAMS, {})", 0.3, 2.5, 2.0),
        ("PDAT_ACT={{VEL {}, ACC 50}}\nBAS(#PTP_DAT)", 100, 150, 100),
        ("PDAT_ACT={{VEL 50, ACC {}}}\nBAS(#PTP_PARAMS, 50)", 100, 150, 100),
        ("PDAT_ACT={{VEL 50, ACC 50, APO_DIST {}}}\nBAS(#PTP_PARAMS, 50)", 100, 150, 100),
        ("LDAT_ACT={{VEL {}, ACC 50}}\nBAS(#CP_DAT)", 2.0, 2.5, 2.0),
        ("LDAT_ACT={{VEL 1, ACC {}}}\nBAS(#CP_PARAMS, 1)", 100, 101, 100),
    ],
)
def test_what_bas_caps_is_told(lines: str, within: float, given: float, most: float) -> None:
    assert drive(program(f"{lines.format(within)}\n{START}")).codes == []
    done = drive(program(f"{lines.format(given)}\n{START}"))
    assert (done.codes, [one.severity for one in done.findings], len(done.moves)) == (["capped"], ["warning"], 1)
    assert (done.findings[0].message.parameters["most"], done.findings[0].message.parameters["value"]) == (most, given)
    assert done.findings[0].where["line"] == 2 + lines.count("\n")


def test_what_is_capped_is_what_the_project_says() -> None:
    config = "DEFDAT $CONFIG PUBLIC\nREAL DEF_VEL_CP = 0.5\nREAL DEF_VEL_PTP = 80\nENDDAT\n"
    done = drive(program(f"BAS(#VEL_CP, 0.6)\nBAS(#VEL_PTP, 50)\n{START}\n{PATH}", config_dat=config))
    assert [one.message.parameters["most"] for one in done.findings] == [0.5]
    assert [move.settings.speed for move in done.moves] == [0.4, 1.0]
    assert done.moves[1].settings.tool_speed == 0.5


@pytest.mark.parametrize(
    ("setting", "good", "value"),
    [
        ("$VEL_AXIS[1]=SVEL_JOINT({})", "100", 150),
        ("$ACC_AXIS[1]=SACC_JOINT({})", "PQ", 300),
        ("$VEL=SVEL_CP({}, , LQ)", "2", 5),
        ("$ACC=SACC_CP({})", "LQ", 400),
    ],
)
def test_data_sets_behind_with_are_capped_and_told(setting: str, good: str, value: float) -> None:
    move = f"SLIN {{{{X 400, Y 0, Z 600, A 0, B 90, C 0}}}} WITH {setting}"
    given = good.replace("Q", "P") if "Q" in good else str(value)
    assert drive(program(move.format(good), t_dat=DATA_SETS)).codes == []
    done = drive(program(move.format(given), t_dat=DATA_SETS))
    assert (done.codes, len(done.moves)) == (["capped"], 1)
    assert done.findings[0].message.parameters["value"] == value


@pytest.mark.parametrize("line", ["BAS(#VEL_CP, 0)", "BAS(#VEL_CP, -1)", "BAS(#ACC_CP, 0)"])
def test_no_path_motion_without_speed(line: str) -> None:
    assert codes(f"{START}\n{line}\n{PATH}") == ["not_positive"]


@pytest.mark.parametrize("percent", [-1, 0, 101, 200])
def test_no_axis_velocity_above_100_percent_is_taken(percent: int) -> None:
    assert codes(f"$VEL_AXIS[3] = {percent}") == ["out_of_range"]
    assert codes(f"INT n\nn = {percent}\n$VEL_AXIS[3] = n") == ["out_of_range"]


@pytest.mark.parametrize("percent", [50, 100, 150, 200])
def test_axes_never_accelerate_more_than_their_limits(percent: int) -> None:
    done = drive(
        program(f"FOR i = 1 TO 6\n$ACC_AXIS[i] = {percent}\nENDFOR\n{START}".replace("FOR i", "INT i\nFOR i", 1))
    )
    assert done.codes == []
    assert done.moves[0].settings.acceleration == min(percent, 100) / 100.0


# -- what is written ---------------------------------------------------------------------------------------------------


def test_a_function_gives_a_text() -> None:
    text = 'END\nDEFFCT CHAR[8] name(n:IN)\nINT n\nIF n == 1 THEN\nRETURN "one"\nENDIF\nRETURN "many"\nENDFCT\nDEF x()'
    done = drive(
        program(f'CHAR a[8]\na[] = name(1)\n$OUT[1] = StrComp(a[], "one")\n$OUT[2] = StrLen(name(2)) == 4\n{text}')
    )
    assert (done.codes, done.outputs) == ([], [("1", True), ("2", True)])


def test_a_function_of_another_module_gives_a_text() -> None:
    other = 'DEF other()\nEND\nGLOBAL DEFFCT CHAR [8] word()\nRETURN "abc"\nENDFCT\n'
    assert codes("CHAR a[8]\na[] = word()", other_src=other) == []


def test_parameters_are_arrays_of_several_dimensions() -> None:
    text = "END\nDEF f(b[,]:OUT, c[,,]:OUT)\nINT b[,], c[,,]\nb[2,1] = 5\nc[1,2,1] = 7"
    body = f"INT g[2,2], h[2,2,2]\nf(g[,], h[,,])\n$OUT[1] = g[2,1] == 5\n$OUT[2] = h[1,2,1] == 7\n{text}"
    done = drive(program(body))
    assert (done.codes, done.outputs) == ([], [("1", True), ("2", True)])


def test_the_last_arguments_may_be_left_out() -> None:
    text = "END\nDEF move(a:IN, b:IN)\nINT a, b\n$OUT[a] = TRUE"
    assert drive(program(f"move(1)\nmove(2, )\n{text}")).outputs == [("1", True), ("2", True)]
    assert codes(f"move(1, 2, 3)\n{text}") == ["arguments"]
    assert codes(f"move(1)\n{text}\n$OUT[b] = TRUE") == ["unassigned"]
    assert codes("say()\nEND\nDEF say(a[]:IN)\nCHAR a[]\n$OUT[1] = StrLen(a[]) == 0") == []


def test_programs_beside_their_system_are_one_project(tmp_path: Path) -> None:
    for name, text in {
        "cell/Program/parts/job.src": "DEF job()\nhelp(COUNT_OF_PARTS)\nEND\n",
        "cell/Program/tools/help.src": "DEF help(n:IN)\nINT n\n$OUT[n] = TRUE\nEND\n",
        "cell/System/$config.dat": "DEFDAT $CONFIG PUBLIC\nDECL GLOBAL INT COUNT_OF_PARTS=3\nENDDAT\n",
        "else/stranger.src": "DEF stranger()\nEND\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = open_library(tmp_path / "cell/Program/parts/job.src")
    assert sorted(found.modules) == ["$CONFIG", "HELP", "JOB"]
    done = drive(found)
    assert (done.codes, done.outputs) == ([], [("3", True)])


def test_an_error_behind_on_error_proceed_does_not_end_the_program() -> None:
    body = (
        "INT i, a[3], n\nn = 0\nFOR i = 1 TO 9\nON_ERROR_PROCEED\na[i] = 5\nIF $ERR.NUMBER <> 0 THEN\nERR_CLEAR($ERR)\n"
    )
    body += "EXIT\nENDIF\nn = n + 1\nENDFOR\n$OUT[n] = TRUE\n$OUT[9] = $ERR.NUMBER == 0"
    done = drive(program(body))
    assert (done.codes, done.outputs) == ([], [("3", True), ("9", True)])
    assert codes("INT i\nON_ERROR_PROCEED\ni = 1 / 0\ni = 1 / 0") == ["division"]
    assert codes("INT i\nON_ERROR_PROCEED\ni = 1 / 0\nERR_RAISE($ERR)") == ["raised"]
    assert codes("INT i, k\nON_ERROR_PROCEED\ni = k") == []


def test_messages_are_told_and_acknowledged() -> None:
    text = """KRLMSG_T m
KRLMSGPAR_T p[3]
KRLMSGOPT_T o
KRLMSGDLGSK_T k[7]
INT h, answer
m = {MODUL[] "cell", NR 7, MSG_TXT[] "part %1 of %2"}
p[1] = {PAR_TYPE #VALUE, PAR_INT 3}
p[2] = {PAR_TYPE #VALUE, PAR_TXT[] "nine"}
h = Set_KrlMsg(#QUIT, m, p[], o)
WHILE Exists_KrlMsg(h)
WAIT SEC 0.1
ENDWHILE
$OUT[1] = Clear_KrlMsg(h)
m.MSG_TXT[] = "go on?"
h = Set_KrlDlg(m, p[], k[], o)
WHILE Exists_KrlDlg(h, answer)
WAIT SEC 0.1
ENDWHILE
$OUT[answer + 1] = TRUE
CONFIRM 1
h = SYNC()
h = MBX_REC(1)"""
    done = drive(program(text))
    assert (done.codes, done.outputs) == ([], [("1", True), ("2", True)])
    assert [one.text for one in done.instructions if isinstance(one, Say)] == ["part 3 of nine", "go on?"]


def test_a_blank_may_stand_behind_the_sign_of_a_value() -> None:
    assert drive(program("$OUT[1] = $MODE_OP == # AUT\nBAS(# INITMOV, 0)")).outputs == [("1", True)]


@pytest.mark.parametrize("word", ["ELSEIF", "ELSIF", "ELSE IF"])
def test_else_if_is_named(word: str) -> None:
    done = drive(program(f"INT i\ni = 1\nIF i == 1 THEN\ni = 2\n{word} i == 2 THEN\ni = 3\nENDIF"))
    (finding,) = done.findings
    assert (finding.code, finding.where["line"], finding.message.parameters["word"]) == ("krl_else_if", 6, word)


# -- one mistake, one finding ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("PULSE(lamp, TRUE, 0.5)", "unknown_name"),
        ("PULSE($OUT[lamp], TRUE, 0.5)", "unknown_name"),
        ("FOR i = 1 TO 3\n$OUT[i] = TRUE\nENDFOR", "unknown_name"),
        ("INT h\nCOPEN(:SER_1, h)\nCCLOSE(h, h)", "channel"),
        ("INT h\nnothing(h)\n$OUT[h] = TRUE", "unknown_routine"),
        ("INT h\nh = 5 +\n$OUT[h] = TRUE", "expression_missing"),
        ("INT h[3\nh[1] = 4\n$OUT[h[1]] = TRUE", "expected"),
        ("INT h ! 2\nh = 4", "letter"),
    ],
)
def test_one_mistake_is_one_finding(body: str, code: str) -> None:
    assert set(codes(body)) == {code}


def test_a_variable_of_the_controller_that_is_not_simulated_is_told_as_such() -> None:
    (finding,) = drive(program("REAL v\nv = $VEL_AXIS_ACT[1]\n$OUT[1] = TRUE")).findings[:1]
    assert (finding.code, finding.severity) == ("krl_unknown_system", "warning")


def test_the_controller_tells_that_it_runs_in_automatic_mode() -> None:
    body = "$OUT[1] = $AUT AND NOT $T1 AND NOT $T2 AND NOT $EXT\n$OUT[2] = $PRO_STATE1 == #P_ACTIVE"
    assert drive(program(body)).outputs == [("1", True), ("2", True)]


@pytest.mark.parametrize(
    ("argument", "code"),
    [("go", "output_signal"), ("$OUT[3]", "output_signal"), ("3", "output_argument"), ("lamp", "unknown_name")],
)
def test_signals_that_are_passed_by_reference_are_not_called_wrong_krl(argument: str, code: str) -> None:
    body = f"SIGNAL go $OUT[7]\nask({argument})\nEND\nDEF ask(b:OUT)\nBOOL b\nb = TRUE"
    assert drive(program(body)).codes == [code]


def test_a_routine_of_the_program_may_be_called_as_functions_of_options_begin() -> None:
    body = (
        "eki_start(1)\nuserspot()\nEND\nDEF eki_start(n:IN)\nINT n\n$OUT[n] = TRUE\nEND\nDEF userspot()\n$OUT[2] = TRUE"
    )
    done = drive(program(body))
    assert (done.codes, done.outputs) == ([], [("1", True), ("2", True)])
    assert codes('EKI_STATUS ok\nok = EKI_Open("cell")') == ["unknown_type", "channel"]


def test_what_calls_of_options_give_is_not_reported_beside_them() -> None:
    assert set(codes('INT ok, id\nok = RSI_CREATE("path", id)\nIF ok <> RSIOK THEN\nHALT\nENDIF')) == {"channel"}


def test_circles_of_inline_forms_say_how_they_turn() -> None:
    line = "SCIRC {X 420, Y 20}, {X 440, Y 0} WITH $CIRC_TYPE = SCIRC_TYP(LDEFAULT), $CIRC_MODE = SCIRC_M(LDEFAULT)"
    done = drive(program(f"{START}\n{line}"))
    assert (done.codes, len(done.moves)) == ([], 2)
