from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import sympy
from refusals import refused

from armlab.catalog import load, robot_names
from armlab.documents import values
from armlab.documents.blocks import Block, Formulas, Heading, Paragraph, Picture, Table, picture_files, title_of
from armlab.documents.derivation import derivation_blocks
from armlab.documents.html import to_html
from armlab.documents.inverse_parts import best_trace, starts
from armlab.documents.latex import as_latex, row_latex, to_latex
from armlab.documents.markdown import as_markdown, to_markdown
from armlab.documents.notation import Matrix, Num, Op, Row, Sym
from armlab.documents.sentences import worded
from armlab.documents.writing import write_report
from armlab.errors import InvalidInput
from armlab.kinematics import derive
from armlab.kinematics.symbolic.evaluate import evaluate
from armlab.messages import Message, reader

SOME = ("planar3", "scara", "kuka-kr6-r900", "franka-panda", "xarm6")
PACKAGES = {"geometry", "amsmath", "amssymb", "booktabs", "longtable", "graphicx"}
PDFLATEX = shutil.which("pdflatex")


def _report(name: str) -> list[Block]:
    robot = load(name)
    return derivation_blocks(robot, derive(robot), robot.home)


@pytest.fixture(scope="module", params=SOME)
def report(request: pytest.FixtureRequest) -> tuple[str, list[Block]]:
    return request.param, _report(request.param)


def _numbers(row: Row) -> list[list[float]]:
    """Return the numbers of a matrix as they are printed."""
    (matrix,) = row
    assert isinstance(matrix, Matrix)
    return [[_number(cell) for cell in line] for line in matrix.rows]


def _number(cell: Row) -> float:
    digits = cell[-1]
    assert isinstance(digits, Num)
    return -float(digits.text) if isinstance(cell[0], Op) else float(digits.text)


def _right_sides(blocks: list[Block], left: Sym) -> list[Row]:
    found = [e for block in blocks if isinstance(block, Formulas) for e in block.equations]
    return [equation.right for equation in found if equation.left == (left,)]


def _check_latex(text: str) -> None:
    begun = re.findall(r"\\begin\{(\w+\*?)\}", text)
    assert sorted(begun) == sorted(re.findall(r"\\end\{(\w+\*?)\}", text))
    plain = re.sub(r"\\[\\{}$]", "", text)
    assert plain.count("{") == plain.count("}")
    assert plain.count("$") % 2 == 0
    used = {name for group in re.findall(r"\\usepackage(?:\[.*?\])?\{(.*?)\}", text) for name in group.split(",")}
    assert used <= PACKAGES
    assert text.isascii()


@pytest.mark.parametrize("name", robot_names())
def test_every_arm_of_the_catalog_gives_a_report_in_every_format(name: str) -> None:
    blocks = _report(name)
    sections = [block.text for block in blocks if isinstance(block, Heading) and block.level == 2]
    assert sections[:4] == [
        "Joints",
        "Denavit–Hartenberg table",
        "The matrix of each joint",
        "From the base to the tool",
    ]
    assert {"The Jacobian", "Singularities", "The inverse problem", "Coordinates of every joint"} <= set(sections)
    _check_latex(to_latex(blocks, name))
    page = to_html(blocks)
    assert "http" not in page
    assert "<script" not in page
    assert to_markdown(blocks, name).count("$$") % 2 == 0
    assert [block.name for block in blocks if isinstance(block, Picture)] == ["arm", "convergence"]


def test_the_numbers_are_those_of_the_derivation(report: tuple[str, list[Block]]) -> None:
    name, blocks = report
    robot = load(name)
    derivation = derive(robot)
    at = evaluate(derivation, robot.home)
    for i, T in enumerate(at.links, 1):
        printed = np.array(_numbers(_right_sides(blocks, Sym("A", str(i)))[-1]))
        np.testing.assert_allclose(printed[:3, :3], T[:3, :3], atol=5.1e-6)
        np.testing.assert_allclose(printed[:3, 3], T[:3, 3] * 1e3, atol=5.1e-4)
    tool = np.array(_numbers(_right_sides(blocks, Sym("T", "tool"))[0]))
    np.testing.assert_allclose(tool[:3, 3], at.tool[:3, 3] * 1e3, atol=5.1e-4)
    J = np.array(_numbers(_right_sides(blocks, Sym("J"))[-1]))
    np.testing.assert_allclose(J, values.jacobian_mm(derivation, at.jacobian), atol=5.1e-4)


def test_the_jacobian_in_millimetres_moves_a_millimetre_per_millimetre_of_stroke() -> None:
    robot = load("scara")
    derivation = derive(robot)
    J = values.jacobian_mm(derivation, evaluate(derivation, robot.home).jacobian)
    assert J[2, 2] == pytest.approx(1.0)
    assert J[5, 0] == pytest.approx(1.0)


def test_the_coordinates_of_the_joints_are_those_of_the_robot(report: tuple[str, list[Block]]) -> None:
    name, blocks = report
    robot = load(name)
    tables = [block for block in blocks if isinstance(block, Table) and block.header[0] == ("frame",)]
    printed = [[_number(cell[0]) for cell in row[1:] if isinstance(cell[0], tuple)] for row in tables[0].rows]
    np.testing.assert_allclose(printed, robot.frames(robot.home)[:, :3, 3] * 1e3, atol=5.1e-4)


@pytest.mark.parametrize(("name", "power"), [("planar2", 2), ("kuka-kr6-r900", 3), ("scara", 2)])
def test_the_unit_of_a_determinant_follows_from_its_lengths(name: str, power: int) -> None:
    derivation = derive(load(name))
    assert values.length_power(derivation, derivation.determinant) == power


def test_a_singular_pose_is_said_to_be_one() -> None:
    robot = load("planar2")
    blocks = derivation_blocks(robot, derive(robot), [0.3, 0.0])
    words = [part for block in blocks if isinstance(block, Paragraph) for part in block.text]
    assert "The arm is singular here (Elbow)." in words


def test_the_same_input_gives_the_same_bytes() -> None:
    first, second = _report("scara"), _report("scara")
    assert to_html(first) == to_html(second)
    assert to_latex(first, "r") == to_latex(second, "r")
    assert picture_files(first, "r") == picture_files(second, "r")


def test_the_start_of_the_numeric_method_is_another_pose_inside_the_limits() -> None:
    for name in robot_names():
        robot = load(name)
        for _, start in starts(robot, robot.home):
            assert np.all(start >= robot.lower)
            assert np.all(start <= robot.upper)
            assert not np.allclose(start, robot.home, atol=1e-3)


def test_the_numeric_method_of_the_report_reaches_the_tools_pose(report: tuple[str, list[Block]]) -> None:
    robot = load(report[0])
    _, _, trace = best_trace(robot, robot.home, robot.fk(robot.home))
    assert trace.converged


def test_a_joint_count_that_does_not_fit_is_refused() -> None:
    robot = load("planar2")
    with refused("wrong_shape", InvalidInput, who="planar2: q"):
        derivation_blocks(robot, derive(robot), [0.1, 0.2, 0.3])


def test_parameters_that_are_formulas_are_set_as_formulas() -> None:
    sigma, sine = sympy.Symbol("sigma_1"), sympy.sin(sympy.Symbol("theta_5"))
    message = Message("test", "{sigma} = +1, where {sine} = 0 at joint {joint}.", sigma=sigma, sine=sine, joint=5)
    text = worded(message).text
    assert [row_latex(part) for part in text if not isinstance(part, str)] == [r"\sigma_{1}", r"\sin \theta_{5}"]
    assert [part for part in text if isinstance(part, str)] == [" = +1, where ", " = 0 at joint 5."]
    assert str(message) == "sigma_1 = +1, where sin(theta_5) = 0 at joint 5."


def test_a_report_is_in_the_readers_language() -> None:
    token = reader.set("uk")
    try:
        text, page = to_latex(_report("planar2"), "r"), to_html(_report("planar2"))
    finally:
        reader.reset(token)
    assert "[ukrainian]{babel}" in text
    assert '<html lang="uk">' in page
    assert re.search(r"\d\{,\}\d", text)
    assert re.search(r"<mn>\d+,\d+</mn>", page)
    assert not re.search(r"<mn>\d+\.\d+</mn>", page)


def test_words_from_files_cannot_break_a_document() -> None:
    assert as_latex(r"50% \input{x} $_^~&#") == (
        r"50\% \textbackslash{}input\{x\} \$\_\textasciicircum{}\textasciitilde{}\&\#"
    )
    assert as_latex("Stäubli ñ θ 机") == r"St\"{a}ubli \~{n} $\theta$ ?"
    assert as_markdown("a_b*c|<d>\n#") == r"a\_b\*c\|\<d\> \#"
    page = to_html([Heading(1, "<script>alert(1)</script>")])
    assert "<script" not in page


@pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not installed")
def test_the_latex_compiles_and_no_line_runs_off_the_paper(report: tuple[str, list[Block]], tmp_path: Path) -> None:
    assert PDFLATEX is not None
    write_report(report[1], tmp_path / "my report.v2.tex")
    shutil.copy(tmp_path / "my report.v2.tex", tmp_path / "plain.tex")
    command = [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", "plain.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    log = done.stdout.decode(errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert "Overfull" not in log


def test_a_report_is_written_with_its_pictures_or_not_at_all(tmp_path: Path) -> None:
    blocks = _report("planar2")
    files = write_report(blocks, tmp_path / "r.md")
    assert [file.name for file in files] == ["r-arm.png", "r-convergence.png", "r.md"]
    text = files[-1].read_text(encoding="utf-8")
    assert text.startswith(f"# {as_markdown(title_of(blocks))}\n")
    assert set(re.findall(r"\]\((.*?)\)", text)) == {"r-arm.png", "r-convergence.png"}
    (tmp_path / "s-convergence.png").mkdir()
    with refused("is_a_folder", InvalidInput):
        write_report(blocks, tmp_path / "s.tex")
    assert not (tmp_path / "s-arm.png").exists()
    assert not (tmp_path / "s.tex").exists()
