from __future__ import annotations

import pytest
from program.krl.drive import drive, library, program

from armlab.program.instructions import Mark, Pause, Say, SetOutput, Stop, Wait
from armlab.program.krl import interpreter
from armlab.program.signals import InputChange


def told(body: str, extra: str = "", **inputs: bool) -> list[float]:
    """Return the values that a body writes to $ANOUT[1]."""
    done = drive(library(t_src=f"DEF t()\n{body}\nEND\n{extra}"), inputs={k.lstrip("_"): v for k, v in inputs.items()})
    assert done.findings == []
    return [float(value) for _name, value in done.outputs]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("INT i\nFOR i = 1 TO 3\n$ANOUT[1] = i\nENDFOR", [1, 2, 3]),
        ("INT i\nFOR i = 3 TO 1 STEP -2\n$ANOUT[1] = i\nENDFOR", [3, 1]),
        ("INT i\nFOR i = 3 TO 1\n$ANOUT[1] = i\nENDFOR", []),
        ("INT i\ni = 0\nWHILE i < 3\ni = i + 1\n$ANOUT[1] = i\nENDWHILE", [1, 2, 3]),
        ("INT i\ni = 5\nREPEAT\n$ANOUT[1] = i\ni = i + 1\nUNTIL i > 4", [5]),
        ("INT i\ni = 0\nLOOP\ni = i + 1\nIF i == 3 THEN\nEXIT\nENDIF\n$ANOUT[1] = i\nENDLOOP", [1, 2]),
        (
            "INT i\ni = 2\nSWITCH i\nCASE 1\n$ANOUT[1] = 1\nCASE 2, 3\n$ANOUT[1] = 23\nDEFAULT\nHALT\nENDSWITCH",
            [23],
        ),
        ("INT i\ni = 9\nSWITCH i\nCASE 1\n$ANOUT[1] = 1\nDEFAULT\n$ANOUT[1] = 0\nENDSWITCH", [0]),
        ("INT i\ni = 1\nback:\n$ANOUT[1] = i\ni = i + 1\nIF i < 3 THEN\nGOTO back\nENDIF", [1, 2]),
        ("IF FALSE THEN\n$ANOUT[1] = 1\nELSE\n$ANOUT[1] = 2\nENDIF", [2]),
        ("INT a[2,2]\na[1,2] = 5\n$ANOUT[1] = a[1,2]", [5]),
        ("FRAME f\nf.X = 2.5\n$ANOUT[1] = f.X", [2.5]),
        ("FRAME f, g\nf = {X 1, Y 2}\ng = f\ng.X = 7\n$ANOUT[1] = f.X", [1]),
        ('CHAR c[5]\nINT n\nc[] = "ab"\nn = StrAdd(c[], "cd")\n$ANOUT[1] = n\n$ANOUT[1] = StrLen(c[])', [4, 4]),
    ],
)
def test_statements(body: str, expected: list[float]) -> None:
    assert told(body) == expected


def test_parameters_go_in_and_out() -> None:
    extra = "DEF sub(a:IN, b:OUT)\nINT a, b\na = a + 1\nb = a * 10\nEND\n"
    assert told("INT x, y\nx = 1\ny = 0\nsub(x, y)\n$ANOUT[1] = x\n$ANOUT[1] = y", extra) == [1, 20]


def test_arrays_are_passed_by_reference_and_copied_as_inputs() -> None:
    extra = "DEF f(a[]:OUT)\nINT a[]\na[1] = 9\nEND\nDEF g(a[]:IN)\nINT a[]\na[1] = 8\nEND\n"
    assert told("INT v[2]\nv[1] = 1\nf(v[])\n$ANOUT[1] = v[1]\ng(v[])\n$ANOUT[1] = v[1]", extra) == [9, 9]


def test_functions_call_themselves() -> None:
    extra = "DEFFCT INT fact(n:IN)\nINT n\nIF n <= 1 THEN\nRETURN 1\nENDIF\nRETURN n * fact(n - 1)\nENDFCT\n"
    assert told("$ANOUT[1] = fact(6) + fact(3)", extra) == [726]


def test_recursion_without_an_end_is_one_finding() -> None:
    done = drive(library(t_src="DEF t()\nt()\nEND\n"))
    assert done.codes == ["too_deep"]
    assert isinstance(done.instructions[-1], Stop)


def test_a_loop_without_motion_is_one_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MOST_STEPS", 5000)
    monkeypatch.setattr(interpreter, "MOST_POLLS", 500)
    assert drive("LOOP\nENDLOOP").codes == ["no_motion"]
    assert drive("LOOP\nIF $IN[1] THEN\nEXIT\nENDIF\nENDLOOP").codes == ["no_answer"]


def test_a_loop_that_looks_at_an_input_lets_time_pass() -> None:
    done = drive("LOOP\nIF $IN[1] THEN\nEXIT\nENDIF\nENDLOOP\nPTP {A1 5}", script=(InputChange(0.5, "1", True),))
    assert done.codes == []
    assert len(done.moves) == 1
    assert done.signals.time == pytest.approx(1.5, abs=0.05)


def test_an_endless_loop_is_followed_for_some_passes() -> None:
    done = drive("LOOP\nPTP_REL {A1 1}\nENDLOOP", passes=3)
    assert (len(done.moves), done.codes) == (3, ["endless_loop"])
    assert done.findings[0].severity == "note"


def test_inputs_decide() -> None:
    body = "IF $IN[2] AND NOT $IN[3] THEN\n$ANOUT[1] = 1\nELSE\n$ANOUT[1] = 0\nENDIF"
    assert told(body, _2=True) == [1]
    assert told(body, _2=True, _3=True) == [0]


def test_waiting_for_an_input_and_for_time() -> None:
    done = drive("WAIT FOR $IN[7]\nWAIT SEC 0.5\nHALT", script=(InputChange(2.0, "7", True),))
    assert [type(item).__name__ for item in done.instructions] == ["WaitUntil", "Wait", "Pause"]
    assert done.signals.time == 2.5
    assert isinstance(done.instructions[-1], Pause)


def test_timers_count_milliseconds() -> None:
    done = drive(
        "$TIMER[1] = 0\n$TIMER_STOP[1] = FALSE\nWAIT SEC 1.5\n$TIMER_STOP[1] = TRUE\nWAIT SEC 1\n$ANOUT[1] = $TIMER[1]"
    )
    assert done.outputs == [("analog 1", 1500.0)]


def test_signals_name_inputs_and_outputs() -> None:
    text = (
        "SIGNAL grip $OUT[3]\nSIGNAL code $OUT[10] TO $OUT[12]\nSIGNAL size $IN[1] TO $IN[3]\n"
        "grip = TRUE\ncode = 5\n$ANOUT[1] = size"
    )
    done = drive(text, inputs={"2": True, "3": True})
    assert done.outputs == [("3", True), ("10", True), ("11", False), ("12", True), ("analog 1", 6.0)]


def test_pulses_and_messages() -> None:
    done = drive('PULSE($OUT[4], TRUE, 0.3)\nMsgNotify("hello")')
    pulse, say = done.instructions
    assert isinstance(pulse, SetOutput)
    assert isinstance(say, Say)
    assert (pulse.name, pulse.pulse, say.text) == ("4", 0.3, "hello")


def test_continue_lets_an_output_go_with_the_motion() -> None:
    done = drive("CONTINUE\n$OUT[1] = TRUE\n$OUT[2] = TRUE")
    assert [item.with_motion for item in done.instructions if isinstance(item, SetOutput)] == [True, False]


def test_triggers_act_at_the_start_or_the_end_of_the_next_motion() -> None:
    body = (
        "PTP {A1 0, A2 -90, A3 90, A4 0, A5 30, A6 0}\nTRIGGER WHEN DISTANCE=0 DELAY=20 DO $OUT[1]=TRUE\n"
        "TRIGGER WHEN PATH=-15 DELAY=-5 DO $OUT[2]=TRUE PRIO=-1\nLIN_REL {X -50}\nWAIT SEC 0"
    )
    done = drive(body)
    names = [type(item).__name__ for item in done.instructions]
    assert names == ["MoveJ", "SetOutput", "SetOutput", "MoveL", "Wait"]
    first, second = (item for item in done.instructions if isinstance(item, SetOutput))
    assert (first.with_motion, first.delay, first.distance) == (True, 0.02, 0.0)
    assert (second.with_motion, second.delay) == (True, -0.005)
    assert second.distance == pytest.approx(0.035)


INTERRUPTED = """DEF t()
INTERRUPT DECL 10 WHEN $IN[1] DO stopped()
INTERRUPT ON 10
search()
INTERRUPT OFF 10
$ANOUT[1] = 99
END
DEF search()
INT i
FOR i = 1 TO 5
PTP {A1 i}
$ANOUT[1] = i
ENDFOR
END
DEF stopped()
BRAKE
$ANOUT[1] = -1
RESUME
END
"""


def test_an_interrupt_comes_once_and_resume_leaves_the_routines_above_its_declaration() -> None:
    done = drive(library(t_src=INTERRUPTED), script=(InputChange(2.5, "1", True),))
    assert done.codes == []
    assert [value for _name, value in done.outputs] == [1.0, 2.0, -1.0, 99.0]


def test_without_resume_the_program_goes_on_where_it_was() -> None:
    done = drive(library(t_src=INTERRUPTED.replace("RESUME\n", "")), script=(InputChange(2.5, "1", True),))
    assert [value for _name, value in done.outputs] == [1.0, 2.0, -1.0, 3.0, 4.0, 5.0, 99.0]
    assert [joints[0] for joints in done.joints] == [1, 2, 3, 3, 4, 5]  # the third motion is interrupted, and finished


def test_where_an_interrupt_came_is_known_to_its_handler() -> None:
    text = INTERRUPTED.replace("$ANOUT[1] = -1", "$ANOUT[1] = $AXIS_INT.A1")
    done = drive(library(t_src=text), script=(InputChange(2.5, "1", True),))
    assert [round(float(value), 6) for _name, value in done.outputs] == [1.0, 2.0, 2.5, 99.0]


def test_resume_in_the_routine_that_declared_the_interrupt_goes_on_behind_the_motion() -> None:
    body = "INTERRUPT DECL 9 WHEN $IN[1] DO h()\nINTERRUPT ON 9\nPTP {A1 1}\nPTP {A1 2}\nINTERRUPT OFF 9\nPTP {A1 3}"
    made = library(t_src=f"DEF t()\n{body}\nEND\nDEF h()\nBRAKE\nRESUME\nEND\n")
    done = drive(made, script=(InputChange(0.5, "1", True),))
    assert [joints[0] for joints in done.joints] == [1, 2, 3]
    assert done.signals.time == 2.5


def test_a_handler_that_does_not_stop_the_arm_leaves_its_motion_alone() -> None:
    body = "INTERRUPT DECL 9 WHEN $IN[1] DO $OUT[4] = TRUE\nINTERRUPT ON 9\nPTP {A1 1}\nPTP {A1 2}"
    done = drive(body, script=(InputChange(0.5, "1", True),))
    assert [joints[0] for joints in done.joints] == [1, 2]
    assert done.outputs == [("4", True)]


def test_of_two_interrupts_the_lower_number_comes_first() -> None:
    text = (
        "INTERRUPT DECL 20 WHEN $IN[1] DO $ANOUT[1] = 20\nINTERRUPT DECL 5 WHEN $IN[1] DO $ANOUT[1] = 5\n"
        "INTERRUPT ON\nPTP {A1 1}\nPTP {A1 2}\nPTP {A1 3}"
    )
    done = drive(text, script=(InputChange(0.5, "1", True),))
    assert [value for _name, value in done.outputs] == [5.0, 20.0]


def test_marks_tell_the_debugger_each_statement() -> None:
    done = drive(library(t_src="DEF t()\nINT i\ni = 1\ns()\ni = 2\nEND\nDEF s()\nINT k\nk = 1\nEND\n"), with_marks=True)
    marks = [(item.span.line, item.routine, item.depth) for item in done.instructions if isinstance(item, Mark)]
    assert marks == [(3, "T", 0), (4, "T", 0), (9, "S", 1), (5, "T", 0)]


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("INT i\nFRAME f\nf = {X 1}\ni = f", ["assign_type"]),
        ("INT i, k\ni = k", ["never_assigned"]),
        ("nothing()", ["unknown_routine"]),
        ("GOTO there", ["unknown_label"]),
        ("EXIT", ["exit"]),
        ("RETURN 3", ["return_value"]),
        ("INT i\ni = TRUE", ["assign_type"]),
        ("CWRITE(1)", ["channel"]),
        ("$IN[1] = TRUE", ["read_only"]),
        ("x = 1", ["unknown_name"]),
        ("IF 3 THEN\nENDIF", ["condition_type"]),
        ("INT i\ni = 1\ni = i / 0", ["division"]),
        ("INTERRUPT ON 4", ["no_interrupt"]),
        ("RESUME", ["resume"]),
        ("WAIT SEC TRUE", ["number_expected"]),
        ("INT i\nINT i\ni = 1", ["declared_twice"]),
    ],
)
def test_mistakes_are_findings(body: str, codes: list[str]) -> None:
    done = drive(program(body))
    assert done.codes == codes
    assert done.findings[0].severity == "error"
    assert isinstance(done.instructions[-1], Stop)
    assert not any(isinstance(item, Wait) for item in done.instructions)
