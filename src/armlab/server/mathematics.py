"""The derivation of an arm for the page: sections of words, LaTeX and tables, and the numbers of one pose."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from armlab.arrays import Floats
from armlab.documents import values
from armlab.documents.blocks import Block, Equation, Formulas, Heading, Paragraph, Table, Text
from armlab.documents.latex import row_latex
from armlab.documents.notation import from_sympy
from armlab.documents.substitution import Numbers, with_numbers
from armlab.kinematics import derive
from armlab.kinematics.symbolic.derivation import Derivation
from armlab.kinematics.symbolic.evaluate import evaluate
from armlab.model.robot import Robot
from armlab.reports.report import shown_q
from armlab.server.messages import DerivationNumbers, FormulaItem, FormulaSection
from armlab.units import MM_PER_M

KEPT = 32
DIGITS = 9


@lru_cache(maxsize=KEPT)
def derivation_of(robot: Robot) -> Derivation:
    """Return the derivation of an arm; one that was derived before is read from the disk."""
    return derive(robot)


def derivation_numbers(robot: Robot, q: Floats) -> DerivationNumbers:
    """Return the numbers of all formulas at `q` (n,), evaluated from the symbols."""
    derivation = derivation_of(robot)
    at = evaluate(derivation, q)
    powers = _powers(robot)
    numbers = values.numbers_at(derivation, at.q)
    found = [values.value_at(derivation, condition.expression, numbers) for condition in derivation.singular]
    return DerivationNumbers(
        q=shown_q(robot, q),
        links=tuple(_pose(T) for T in at.links),
        products=tuple(_pose(T) for T in at.products),
        tool=_pose(at.tool),
        jacobian=_matrix(values.jacobian_mm(derivation, at.jacobian)),
        determinant=None if at.determinant is None else _round(at.determinant * MM_PER_M ** powers[0]),
        singular=tuple(_round(v * MM_PER_M**p) for v, p in zip(found, powers[1:], strict=True)),
    )


@lru_cache(maxsize=KEPT)
def _powers(robot: Robot) -> tuple[int, ...]:
    """Return how many lengths are multiplied in the determinant, and in each singular condition."""
    derivation = derivation_of(robot)
    first = 0 if derivation.determinant is None else values.length_power(derivation, derivation.determinant)
    return first, *(values.length_power(derivation, c.expression) for c in derivation.singular)


class Typesetter:
    """Turns the blocks of a report into items, and marks each symbol with its link."""

    def __init__(self, robot: Robot, derivation: Derivation) -> None:
        self._names = [link.name for link in robot.links]
        self._links: dict[str, tuple[int, ...]] = {}
        for i, row in enumerate(derivation.rows, 1):
            for expression in (row.variable, row.theta, row.d, row.a, row.alpha):
                for symbol in sorted(expression.free_symbols, key=str):
                    self._links.setdefault(row_latex(from_sympy(symbol)), (i,))
            for letter in "AT":
                self._links.setdefault(f"{letter}_{{{i}}}", (i,))
        for symbol, expression in derivation.shared:
            joints = [i for i, v in enumerate(derivation.variables, 1) if v in expression.free_symbols]
            if joints and expression.is_Function:  # a sine or a cosine of one joint, or of several
                self._links.setdefault(row_latex(from_sympy(symbol)), tuple(joints))
        known = sorted(self._links, key=len, reverse=True)
        self._pattern = re.compile(r"(?<![A-Za-z\\{])(" + "|".join(map(re.escape, known)) + ")") if known else None

    def section(self, name: str, blocks: Iterable[Block], numbers: Numbers | None = None) -> FormulaSection:
        """Return one section; its first block is its heading. With `numbers`, they are put into every formula."""
        first, *rest = blocks
        assert isinstance(first, Heading)
        items, title, count = [], "", 0
        for block in rest:
            if isinstance(block, Heading):
                title = block.text
                continue
            item = self._item(block, title)
            title = ""
            if isinstance(block, Formulas):
                lines = () if numbers is None else tuple(self._put_in(e, numbers) for e in block.equations)
                live = self._live(name, count, len(block.equations))
                item = item.model_copy(update={"live": live, "numbers": lines})
                count += 1
            if item.text or item.latex or item.rows:
                items.append(item)
        return FormulaSection(id=name, title=first.text, items=self._with_last_live(name, items))

    def _item(self, block: Block, title: str) -> FormulaItem:
        if isinstance(block, Paragraph):
            return FormulaItem(title=title, text=self._words(block.text), links=self._of(self._words(block.text)))
        if isinstance(block, Formulas):
            lines = [f"{row_latex(e.left)} = {row_latex(e.right)}" for e in block.equations]
            return FormulaItem(title=title, latex=tuple(map(self._marked, lines)), links=self._of(" ".join(lines)))
        if isinstance(block, Table):
            rows = tuple(tuple(self._words(cell) for cell in row) for row in block.rows)
            return FormulaItem(title=title, header=tuple(self._words(cell) for cell in block.header), rows=rows)
        return FormulaItem(title=title)

    @staticmethod
    def _put_in(equation: Equation, numbers: Numbers) -> str:
        row = with_numbers(equation, numbers)
        return "" if row is None else row_latex(row)

    @staticmethod
    def _live(name: str, count: int, equations: int) -> str:
        """Return which numbers the last line of the section's formulas number `count` shows."""
        if name == "matrices":
            return f"links.{count}"
        if name == "products" and count > 0 and equations <= 2:
            return f"products.{count - 1}"
        if name == "singular" and equations == 2:
            return "determinant"
        return ""

    @staticmethod
    def _with_last_live(name: str, items: list[FormulaItem]) -> tuple[FormulaItem, ...]:
        """Mark the last formulas of the tool and of the Jacobian, and the values of the singular conditions."""
        formulas = [i for i, item in enumerate(items) if item.latex]
        if name in {"tool", "jacobian"} and formulas:
            items[formulas[-1]] = items[formulas[-1]].model_copy(update={"live": name})
        if name == "singular":
            conditions = [i for i in formulas if items[i].live != "determinant"]
            for k, i in enumerate(conditions):
                items[i] = items[i].model_copy(update={"live": f"singular.{k}"})
        return tuple(items)

    def _words(self, text: Text) -> str:
        return "".join(
            part.replace("$", r"\$") if isinstance(part, str) else f"${self._marked(row_latex(part))}$" for part in text
        )

    def _marked(self, latex: str) -> str:
        if self._pattern is None:
            return latex
        return self._pattern.sub(lambda m: rf"\htmlData{{link={_spaced(self._links[m[0]])}}}{{{m[0]}}}", latex)

    def _of(self, latex: str) -> tuple[str, ...]:
        """Return the links whose symbols occur in some LaTeX."""
        if self._pattern is None:
            return ()
        found = sorted({i for m in self._pattern.finditer(latex) for i in self._links[m[0]]})
        return tuple(self._names[i] for i in found)


def _spaced(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))


def _pose(T: Floats) -> tuple[tuple[float, ...], ...]:
    scaled = np.array(T)
    scaled[:3, 3] *= MM_PER_M
    return _matrix(scaled)


def _matrix(values_: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(_round(v) for v in row) for row in values_)


def _round(value: float) -> float:
    return round(float(value), DIGITS) + 0.0
