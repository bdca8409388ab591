from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armlab.model.finding import Finding
from armlab.program.krl import actions, tree
from armlab.program.krl.actions import Assign, Module, Motion
from armlab.program.krl.parse import parse
from armlab.program.krl.tree import Binary, Name, Number, Unary

PROGRAM = b"""&ACCESS RVO
&REL 12
DEF  palletize( )
DECL INT i, j
REAL grid[3,4]
E6POS XNEW
;FOLD INI;%{PE}
  GLOBAL INTERRUPT DECL 3 WHEN $STOPMESS==TRUE DO IR_STOPM ( )
  INTERRUPT ON 3
  BAS (#INITMOV,0 )
;ENDFOLD (INI)
$BWDSTART = FALSE
PTP  XHOME
FOR i = 1 TO 3 STEP 2
  grid[i,1] = 2.5E-3 * (i + 'HFF')
  IF (grid[i,1] > 3.0) AND NOT $IN[4] THEN
    LIN {X 10.5, Y -20, Z 300, A 0, B 90, C 0} C_DIS
  ELSE
    PTP_REL {A1 -30}
  ENDIF
ENDFOR
SWITCH i
CASE 1,2
  SLIN XP1 WITH $VEL.CP = 0.5, $APO.CDIS = 5 C_SPL
DEFAULT
  CIRC XAUX, XP2, CA 360.0 C_VEL
ENDSWITCH
TRIGGER WHEN PATH=-20.5 DELAY=-10 DO sub1(i) PRIO=-1
XNEW = XP1 : {X 0, Y 0, Z 50}
WAIT FOR $IN[1] OR (i == 3)
again:
GOTO again
SPLINE
  SPL P1
ENDSPLINE C_SPL
END
DEFFCT REAL quad(x:IN)
REAL x
RETURN x*x
ENDFCT
"""


def body(text: str) -> tuple[actions.Statement, ...]:
    module, findings = parse(f"DEF t()\n{text}\nEND\n".encode(), "t.src")
    assert [str(f.message) for f in findings] == []
    return module.routines[0].body


def problems(text: str) -> list[tuple[str, int, int]]:
    _module, findings = parse(text.encode(), "t.src")
    return [(f.code.removeprefix("krl_"), int(f.where["line"]), int(f.where["column"])) for f in findings]


@pytest.fixture(scope="module")
def parsed() -> tuple[Module, list[Finding]]:
    return parse(PROGRAM, "palletize.src")


def test_a_program_of_a_controller_is_read_whole(parsed: tuple[Module, list[Finding]]) -> None:
    module, findings = parsed
    assert findings == []
    main, function = module.routines
    assert (main.name, function.name, function.result) == ("PALLETIZE", "QUAD", "REAL")
    assert [type(s).__name__ for s in main.body] == [
        "InterruptDeclaration", "InterruptSwitch", "CallStatement", "Assign", "Motion", "For", "Switch", "Trigger",
        "Assign", "WaitFor", "Label", "Goto", "SplineBlock",
    ]  # fmt: skip
    assert [d.name for d in main.declarations if isinstance(d, tree.Variable)] == ["I", "J", "GRID", "XNEW"]
    assert module.header == {"ACCESS": "RVO", "REL": "12"}
    assert [(fold.title, fold.first, fold.last) for fold in module.folds] == [("INI", 7, 11)]


def test_places_are_those_of_the_file(parsed: tuple[Module, list[Finding]]) -> None:
    motion = parsed[0].routines[0].body[4]
    assert isinstance(motion, Motion)
    assert (motion.span.line, motion.span.column) == (13, 1)
    assert (motion.points[0].span.column, motion.points[0].span.end) == (6, 11)


def test_operators_bind_by_rank() -> None:
    (assign,) = body("x = 1 + 2 * 3 == 7 AND NOT a")
    assert isinstance(assign, Assign)
    top = assign.value
    assert isinstance(top, Binary)
    assert top.operator == "=="
    assert isinstance(top.right, Binary)
    assert (top.right.operator, type(top.right.right)) == ("AND", Unary)


@pytest.mark.parametrize(
    ("text", "value"), [("12", 12), ("1.5", 1.5), ("2E3", 2000.0), ("'HFF'", 255), ("'B101'", 5), (".5", 0.5)]
)
def test_numbers(text: str, value: float) -> None:
    (assign,) = body(f"x = {text}")
    assert isinstance(assign, Assign)
    assert isinstance(assign.value, Number)
    assert assign.value.value == value
    assert type(assign.value.value) is type(value)


def test_names_have_indices_and_components() -> None:
    (assign,) = body("a.b[2,i].c = p[]")
    assert isinstance(assign, Assign)
    b = assign.target.component
    assert b is not None
    assert (b.name, len(b.indices), b.component) == ("B", 2, Name("C", b.component.span))  # type: ignore[union-attr]
    assert isinstance(assign.value, Name)
    assert assign.value.indices == (None,)


def test_motions_keep_points_angle_rounding_and_settings() -> None:
    arc, spline, relative = body("CIRC P1, P2, CA 90 C_DIS\nSLIN P1 WITH $VEL.CP=1 C_SPL\nLIN_REL {X 1} #TOOL")
    assert isinstance(arc, Motion)
    assert isinstance(spline, Motion)
    assert isinstance(relative, Motion)
    assert (len(arc.points), arc.angle is not None, arc.approximations) == (2, True, ("C_DIS",))
    assert (len(spline.settings), spline.approximations) == (1, ("C_SPL",))
    assert relative.reference == "TOOL"


def test_data_lists_declare_and_set() -> None:
    text = """DEFDAT  PALLET PUBLIC
EXT  BAS (BAS_COMMAND  :IN,REAL  :IN )
DECL INT SUCCESS
DECL E6POS XP1={X 1.5,Y -2.0,Z 3,A 0.0,B 90.0,C 0.0,S 2,T 35,E1 0.0}
DECL FDAT FP1={TOOL_NO 1,BASE_NO 0,IPO_FRAME #BASE,POINT2[] " ",TQ_STATE FALSE}
STRUC BOX INT WIDTH, HEIGHT, FRAME PLACE
ENUM COLOUR RED, GREEN
SIGNAL GRIPPER $OUT[1] TO $OUT[8]
XP1.X = 7
ENDDAT
"""
    module, findings = parse(text.replace("\n", "\r\n").encode("cp1252"), "pallet.dat")
    assert findings == []
    assert (module.name, module.is_public) == ("PALLET", True)
    assert [type(d).__name__ for d in module.data] == [
        "External", "Variable", "Variable", "Variable", "Structure", "Enumeration", "Signal", "InitialValue",
    ]  # fmt: skip


def test_code_page_and_byte_order_mark_are_understood() -> None:
    for data in ('DEF t()\n; Größe\nx = "ü"\nEND\n'.encode("cp1252"), "\ufeffDEF t()\nEND\n".encode()):
        assert parse(data, "t.src")[1] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DEF t()\nIF a THEN\nEND", [("unclosed", 2, 1)]),
        ("DEF t()\nENDIF\nEND", [("closes_nothing", 2, 1)]),
        ("DEF t()\nx = \nEND", [("expression_missing", 2, 4)]),
        ("DEF t()\nx = (1 + 2\nEND", [("expected", 2, 11)]),
        ("DEF t()\nLIN }\nPTP\nx = 1 2\nEND", [("expression", 2, 5), ("expression_missing", 3, 4), ("rest", 4, 7)]),
        ("DEF t()\nWAIT 3\nEND", [("wait", 2, 6)]),
        ("DEF t()\nx = 3 § 4\nEND", [("letter", 2, 7)]),
        ("x = 1", [("outside", 1, 1)]),
        ("DEF t(", [("name_expected", 1, 7), ("unclosed", 1, 1)]),
    ],
)
def test_every_mistake_is_told_with_its_place(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert problems(text) == expected


def test_deep_nesting_is_refused() -> None:
    assert problems(f"DEF t()\nx = {'(' * 500}1{')' * 500}\nEND")[0][0] == "nested"
    many = 300
    assert [code for code, _line, _column in problems("DEF t()\n" + "LOOP\n" * many + "ENDLOOP\n" * many + "END")] == [
        "blocks_too_deep"
    ]


_WORDS = """
DEF END IF THEN ENDIF FOR TO PTP LIN {X 1} x = 1 ( ) [ ] , : WAIT SEC LOOP ENDLOOP SWITCH CASE ENDSWITCH DECL INT #A
TRIGGER WHEN INTERRUPT DO ;FOLD ÿ DEFDAT ENDDAT SPLINE ENDSPLINE " GLOBAL DEFFCT ENDFCT REPEAT UNTIL
"""
_words = st.sampled_from([*(word.encode("latin-1") for word in _WORDS.split()), b"\n", b"\n"])


@given(st.lists(_words, max_size=60))
def test_any_sequence_of_words_is_read_or_refused(words: list[bytes]) -> None:
    module, findings = parse(b" ".join(words), "t.src")
    assert module.name in {"T", *(f"{w.decode('latin-1')}".upper() for w in words)}
    lines = b" ".join(words).count(b"\n") + 1
    assert all(1 <= int(f.where["line"]) <= lines for f in findings)
