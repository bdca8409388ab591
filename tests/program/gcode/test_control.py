from __future__ import annotations

from pathlib import Path

import pytest
from program.gcode.runs import codes, interpreted, motions, texts

from armlab.errors import InvalidInput
from armlab.program.gcode.canon import Canonical, Feed, Traverse
from armlab.program.gcode.interpreter import Interpreter, interpret
from armlab.program.gcode.parameters import read_parameter_file
from armlab.program.gcode.shipped import program_names, program_path
from armlab.program.gcode.source import Source


def test_subroutines_take_arguments_and_return_values() -> None:
    program = "o<twice> sub\n#3=[#1*2]\no<twice> endsub [#3]\no<twice> call [21]\n(debug,#<_value> #<_value_returned>)"
    assert texts(program) == ["42.000000 1.000000"]


def test_return_leaves_a_subroutine_early() -> None:
    assert texts("o1 sub\n(debug,in)\no1 return\n(debug,never)\no1 endsub\no1 call\n(debug,out)") == ["in", "out"]


def test_recursion_has_its_own_parameters() -> None:
    program = """o<fact> sub
o10 if [#1 le 1]
o<fact> return [1]
o10 endif
#2=#1
o<fact> call [#1-1]
o<fact> endsub [#2*#<_value>]
o<fact> call [5]
(debug,#<_value>)"""
    assert texts(program) == ["120.000000"]


def test_decisions_take_the_first_true_branch() -> None:
    program = (
        "#1={}\no1 if [#1 eq 1]\n(debug,one)\no1 elseif [#1 eq 2]\n(debug,two)\n"
        "o1 else\n(debug,many)\no1 endif\n(debug,end)"
    )
    assert [texts(program.format(n))[0] for n in (1, 2, 3)] == ["one", "two", "many"]
    assert all(texts(program.format(n))[1:] == ["end"] for n in (1, 2, 3))


def test_loops_break_and_continue() -> None:
    program = """#1=0
o1 while [1]
#1=[#1+1]
o2 if [#1 eq 2]
o1 continue
o2 endif
o3 if [#1 gt 4]
o1 break
o3 endif
(debug,#1)
o1 endwhile"""
    assert [float(t) for t in texts(program)] == [1, 3, 4]


def test_do_and_repeat() -> None:
    assert texts("#1=0\no1 do\n#1=[#1+1]\n(debug,#1)\no1 while [#1 lt 3]") == ["1.000000", "2.000000", "3.000000"]
    assert len(texts("o1 repeat [4]\n(debug,x)\no1 endrepeat")) == 4
    assert texts("o1 repeat [0]\n(debug,x)\no1 endrepeat\n(debug,y)") == ["y"]


def test_loops_inside_loops() -> None:
    program = (
        "#1=0\no1 while [#1 lt 3]\n#1=[#1+1]\n#2=0\no2 while [#2 lt 2]\n#2=[#2+1]\n"
        "(debug,#1 #2)\no2 endwhile\no1 endwhile"
    )
    assert len(texts(program)) == 6


def test_an_endless_loop_ends_in_a_finding() -> None:
    interpreter = interpreted("o1 while [1]\no1 endwhile", steps=1000)
    assert list(interpreter) == []
    assert [f.code for f in interpreter.findings] == ["gcode_endless"]


@pytest.mark.parametrize("keyword", ["while", "repeat"])
def test_a_decision_that_never_ends_is_forgotten_with_its_loop(keyword: str) -> None:
    program = f"o1 {keyword} [1000000]\no2 if [1]\no1 end{keyword}\no2 endif"
    interpreter = interpreted(program, steps=3000)
    assert list(interpreter) == []
    assert [f.code for f in interpreter.findings] == ["gcode_endless"]
    assert len(interpreter.control._calls[-1].loops) <= 2


def test_endless_recursion_ends_in_a_finding() -> None:
    assert codes("o1 sub\no1 call\no1 endsub\no1 call")[0][0] == "calls_too_deep"


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("o1 if [1]\n", "partner_missing"),
        ("o1 repeat [2]\ng0 x1", "partner_missing"),
        ("o1 if [1]\nm2", None),
        ("o1 if [0]\n", "partner_missing"),
        ("o1 endif", "if_missing"),
        ("o1 endwhile", "loop_missing"),
        ("o1 break", "loop_missing"),
        ("o<nobody> call", "sub_unknown"),
        ("o1 sub", "partner_missing"),
        ("o1 if", "condition_missing"),
        ("o1 fly", "o_word_unknown"),
        ("g0 o1 call", "o_word_first"),
        ("o<../evil> call", "sub_unknown"),
        ("o1 return", "return_outside"),
        ("o1 sub\no2 sub\no2 endsub\no1 endsub", "sub_nested"),
        ("o1 sub\no1 endsub\no2 sub\no2 endsub", None),
        ("o<a program with a name>\ng0 x1", None),
    ],
)
def test_control_without_a_partner_is_a_finding(program: str, code: str | None) -> None:
    assert [found for found, _line, _column in codes(program)] == ([] if code is None else [code])


def test_subroutines_are_found_in_files_beside_the_program(tmp_path: Path) -> None:
    (tmp_path / "hop.ngc").write_text("o<hop> sub\ng0 z#1\no<hop> endsub\nm2\n")
    (tmp_path / "main.ngc").write_text("o<hop> call [7]\ng0 x1\n")
    interpreter = interpret(tmp_path / "main.ngc")
    ends = [item.end[:3] for item in interpreter if isinstance(item, Traverse)]
    assert ends == [(0, 0, 7), (1, 0, 7)]
    assert interpreter.findings == []


def test_files_elsewhere_are_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "secret.ngc").write_text("o<secret> sub\no<secret> endsub\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "link.ngc").symlink_to(tmp_path / "secret.ngc")
    (inner / "main.ngc").write_text("o<../secret> call\no<link> call\n")
    interpreter = interpret(inner / "main.ngc")
    list(interpreter)
    assert [f.code for f in interpreter.findings] == ["gcode_sub_unknown", "gcode_sub_unknown"]


def test_percent_signs_bound_a_program() -> None:
    assert len(motions("%\ng0 x1\n%\ng0 x2\n")) == 1


def test_block_delete_leaves_lines_out_where_it_is_on() -> None:
    program = "/g0 x1\ng0 x2"
    assert len(motions(program)) == 2
    assert len(motions(program, skip_deleted=True)) == 1


def test_what_is_not_a_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "picture.ngc").write_bytes(b"\x89PNG\r\n\0\0")
    with pytest.raises(InvalidInput) as caught:
        interpret(tmp_path / "picture.ngc")
    assert caught.value.code == "gcode_binary"
    with pytest.raises(InvalidInput):
        interpret(tmp_path / "missing.ngc")


def test_an_empty_program_does_nothing() -> None:
    assert motions("") == []


def test_parameters_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "p.var"
    file.write_text("5221\t10.000000\n5161\t1.5\n")
    assert read_parameter_file(file) == {5221: 10.0, 5161: 1.5}
    (move,) = motions("g0 x1", parameters=read_parameter_file(file))
    assert move.world[0] == 11.0
    file.write_text("what is this")
    with pytest.raises(InvalidInput):
        read_parameter_file(file)


def _drawn(item: Canonical) -> tuple[object, ...]:
    assert isinstance(item, Feed | Traverse)
    return type(item), item.line, item.end, item.world


def test_plain_lines_mean_the_same_whether_they_are_read_quickly_or_thoroughly() -> None:
    quick = "g1 f100 x1 y2\nx3\ng0 z5\nn10 g1 x4 f50\ng91 x1 y1\nG01X2\n"
    slow = quick.replace("\n", " (c)\n")
    found = [_drawn(m) for m in motions(quick)]
    assert found == [_drawn(m) for m in motions(slow)]


@pytest.mark.parametrize("name", program_names())
def test_programs_that_come_with_armlab_have_no_findings(name: str) -> None:
    interpreter = interpret(program_path(name))
    assert len(list(interpreter)) > 10
    assert interpreter.findings == []


def test_a_loop_that_tells_nothing_ends_sooner_than_one_that_moves() -> None:
    assert codes("o1 while [1]\n#1=1\no1 endwhile", steps=2000) == [("endless", 2, 1)]
    interpreter = interpreted("o1 while [1]\n#1=1\no1 endwhile")
    list(interpreter)
    steps = interpreter.findings[0].message.parameters["steps"]
    assert isinstance(steps, int)
    assert steps < 400_000


def test_a_mark_of_byte_order_is_no_word() -> None:
    source = Source.from_bytes("a.ngc", b"\xef\xbb\xbfg0 x1\r\n")
    interpreter = Interpreter(source)
    assert len(list(interpreter)) == 1
    assert interpreter.findings == []


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("g0 x1 e400", ("word_unused", 1, 7)),
        ("g0 x1 (q1) q2", ("word_unused", 1, 12)),
        ("f9 g1 x1 i2", ("word_unused", 1, 10)),
        ("g41.1 d1 h2", ("word_unused", 1, 10)),
        ("g90 g0 x1 l3", ("word_unused", 1, 11)),
        ("  g0 g54 g1 x1", ("same_group", 1, 10)),
        ("g0 x1 g33 z1", ("lathe", 1, 7)),
    ],
)
def test_a_word_that_nothing_uses_is_told_where_it_stands(program: str, found: tuple[str, int, int]) -> None:
    assert codes(program) == [found]


def test_words_that_a_code_uses_are_taken() -> None:
    program = (
        "f9 s9 m3\ng2 x2 i1 p2\ng82 x1 z-1 r1 p.1 l2\ng83 x2 z-1 r1 q.5\ng64 p.1 q.1\nm66 p1 l0\nm68 e1 q2\ng80\nm50 p0"
    )
    assert codes(program) == []


def test_saved_modes_belong_to_their_call() -> None:
    shown = "(debug,#<_metric> #<_incremental>)"
    program = f"o1 sub\nm73\ng20 g91\no1 endsub\no1 call\n{shown}\nm70\ng20\nm72\n{shown}"
    assert [text for text in texts(program) if text[0] in "01"] == ["1.000000 0.000000"] * 2
    assert [code for code, _line, _column in codes("m70\no1 sub\nm72\no1 endsub\no1 call")] == ["state_missing"]
    assert [code for code, _line, _column in codes("m70\nm71\nm72")] == ["state_missing"]
    assert codes("m70\no1 sub\nm70\nm71\no1 endsub\no1 call\nm72") == []


def test_a_call_without_a_value_returns_zero() -> None:
    subs = "o1 sub\no1 endsub [7]\no2 sub\no2 return\no2 endsub\n"
    shown = "(debug,%d#<_value> #<_value_returned>)"
    assert texts(f"{subs}o1 call\n{shown}\no2 call\n{shown}") == ["7 1", "0 0"]


def test_a_parameter_exists_if_its_number_does() -> None:
    numbered = "xexists[#1] yexists[#99999] bexists[##1] cexists[##2]"
    (move,) = motions(f"#1=2 #2=99999\n#<a>=1\ng0 {numbered} zexists[#<a>] aexists[#<b>]")
    assert move.end[:6] == (1, 0, 1, 0, 1, 0)
    assert [found[0] for found in codes("g0 xexists[1]\ng0 xexists[#1+1]\ng0 xexists[#foo]")] == [
        "exists_form", "exists_form", "gcode_value_expected"
    ]  # fmt: skip


def test_formats_hold_for_the_parameters_behind_them() -> None:
    program = "#1=1.123456789 #2=-2.5 #3=0.6\n"
    assert texts(f"{program}(debug,#1 %d#1 #3 %f#1 %.7f#1 #2)") == ["1.123457 1 1 1.1235 1.1234568 -2.5000000"]
    assert texts(f"{program}(print,%f: #2)\n(debug,#2)") == [": -2.5000", "-2.500000"]
    assert texts(f"{program}(debug,100%, 5%x %)") == ["100%, 5%x %"]


def test_m99_ends_no_subroutine_of_o_words() -> None:
    found = codes("o1 sub\ng0 x1\nm99\no1 endsub\no1 call\ng0 x2\nm2")
    assert found == [("m99_in_sub", 3, 1)]
    interpreter = interpreted("o1 sub\ng0 x1\nm99\no1 endsub\no1 call\ng0 x2\nm2")
    assert [item.end[0] for item in interpreter if isinstance(item, Traverse)] == [1, 2]


@pytest.mark.parametrize("call", ["o2 call\n%\no2 sub\ng0 z3\no2 endsub\n", "m98 p2\n%\no2\ng0 z3\nm99\n"])
def test_a_subroutine_behind_the_second_percent_is_not_there(call: str) -> None:
    assert [found[:2] for found in codes(f"%\ng0 x1\n{call}")] == [("sub_behind_end", 3)]
    assert "sub_behind_end" not in {found[0] for found in codes(f"g0 x1\n{call}")}


def test_percents_of_a_file_beside_the_program_do_not_end_it(tmp_path: Path) -> None:
    (tmp_path / "leg.ngc").write_bytes(b"%\no<leg> sub\n%\ng0 x1\n%\no<leg> endsub\n%\n")
    source = Source("main.ngc", b"%\no<leg> call\ng0 x2\n%\ng0 x3\n", tmp_path)
    interpreter = Interpreter(source)
    assert [item.end[0] for item in interpreter if isinstance(item, Traverse)] == [1, 2]
    assert interpreter.findings == []
