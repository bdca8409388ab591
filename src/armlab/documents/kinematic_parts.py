"""The forward part of the report: table, matrices, tool, Jacobian, singular poses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from armlab.documents import values
from armlab.documents.blocks import Block, Heading, formulas, paragraph, table
from armlab.documents.layout import LINE, width
from armlab.documents.notation import AND, EQUALS, Fn, Num, Row, Sym, Unit, decimal, from_sympy
from armlab.kinematics.symbolic.derivation import Derivation, NumericDerivation
from armlab.kinematics.symbolic.simplify import used
from armlab.model.robot import Robot
from armlab.reports import fk_report
from armlab.units import joint_scale

SMALL_ARM = 4
"""Up to so many joints the running products are also given as symbols."""
ALMOST = 1e-9
"""A singular condition below this (m, or a sine) holds."""
_ROWS = {
    "standard": "Rz(θ) · Tz(d) · Tx(a) · Rx(α)",
    "modified": "Rx(α) · Tx(a) · Rz(θ) · Tz(d)",
}


def joint_blocks(robot: Robot, derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return the joints, their values and their limits."""
    rows: list[list[str | Row]] = []
    for i, (joint, row) in enumerate(zip(robot.joints, derivation.rows, strict=True)):
        limits = [
            values.joint_value(limit, joint.kind) if math.isfinite(limit) else "none"
            for limit in (joint.lower, joint.upper)
        ]
        value = values.joint_value(float(at.q[i]), joint.kind)
        rows.append([str(i + 1), joint.name, joint.kind, from_sympy(row.variable), value, *limits])
    head = ("", "joint", "kind", "variable", "value", "lowest", "highest")
    return [Heading(2, "Joints"), table(head, rows, words=(0, 1, 2, 3))]


def table_blocks(derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return the DH table in symbols and numbers, and the numbers of the symbols."""
    numbers = values.numbers_at(derivation, at.q)
    head: list[str | Row] = ["", "joint", *((Sym(name),) for name in ("theta", "d", "a", "alpha"))]
    symbols: list[list[str | Row]] = []
    shown: list[list[str | Row]] = []
    for i, row in enumerate(derivation.rows, 1):
        entries = (row.theta, row.d, row.a, row.alpha)
        symbols.append([str(i), row.joint, *map(from_sympy, entries)])
        theta, d, a, alpha = (values.value_at(derivation, entry, numbers) for entry in entries)
        shown.append([str(i), row.joint, values.degrees(theta), values.mm(d), values.mm(a), values.degrees(alpha)])
    out: list[Block] = [
        Heading(2, "Denavit–Hartenberg table"),
        paragraph(
            f"Convention: {derivation.convention}. The matrix of a row is {_ROWS[derivation.convention]}: turns about "
            "and moves along the axes z and x."
        ),
        table(head, symbols, words=(0, 1)),
        paragraph("The same table at this pose:"),
        table(head, shown, words=(0, 1)),
    ]
    if derivation.parameters:
        rows = [[from_sympy(s), values.parameter_value(s, v)] for s, v in derivation.parameters.items()]
        out += [paragraph("The symbols stand for these numbers:"), table(("symbol", "value"), rows)]
    return out


def matrix_blocks(derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return each row's matrix, and the running products."""
    out: list[Block] = [
        Heading(2, "The matrix of each joint"),
        paragraph("First with symbols, then with the numbers of this pose, lengths in millimetres."),
    ]
    for i, (link, T) in enumerate(zip(derivation.links, at.links, strict=True), 1):
        name: Row = (Sym("A", str(i)),)
        out.append(formulas((name, from_sympy(link)), (name, values.pose_grid(T))))
    return out


def product_blocks(derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return the running products, symbolic for small arms and numeric for all."""
    start: Row = (Sym("T", "0"),)
    step: Row = (Sym("T", "i−1"), Sym("A", "i"))
    out: list[Block] = [
        Heading(2, "From the base to the tool"),
        paragraph("Frame after frame, seen from the world; ", start, " is where the arm stands."),
        formulas(((Sym("T", "i"),), step)),
    ]
    is_small = len(derivation.rows) <= SMALL_ARM
    for i, (symbolic, T) in enumerate(zip(derivation.products, at.products, strict=True)):
        name: Row = (Sym("T", str(i)),)
        shown = [(name, values.pose_grid(T))]
        is_told = is_small if i > 0 else bool(symbolic.free_symbols)
        if is_told and width(from_sympy(symbolic)) <= LINE - 2.0 - width(name):
            shown.insert(0, (name, from_sympy(symbolic)))
        out.append(formulas(*shown))
    if not np.allclose(_numeric(derivation, derivation.flange), np.eye(4)):
        flange = _numeric(derivation, derivation.flange)
        out += [
            paragraph("After the last row come flange and tool:"),
            *matrix_formulas(Sym("T", "flange"), derivation.flange),
            formulas(((Sym("T", "flange"),), values.pose_grid(flange))),
        ]
    return out


def _numeric(derivation: Derivation, matrix: Any) -> Any:
    return np.array([float(entry.xreplace(derivation.parameters)) for entry in matrix.flat()]).reshape(4, 4)


def tool_blocks(robot: Robot, derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return the tool's position and orientation."""
    out: list[Block] = [Heading(2, "The tool"), *shared_blocks(derivation, [derivation.tool])]
    position = [((Sym(axis),), from_sympy(derivation.tool[i, 3])) for i, axis in enumerate("xyz")]
    out += [paragraph("Its point in world coordinates:"), formulas(*position)]
    out += [paragraph("Its orientation:"), *matrix_formulas(Sym("R"), derivation.tool[:3, :3], "r")]
    report = fk_report(robot, at.q)
    x, y, z = (values.mm(float(v)) for v in at.tool[:3, 3])
    a, b, c = ((*decimal(v, values.DEG_PLACES), Unit("°")) for v in report.abc)
    out += [
        paragraph("At this pose:"),
        formulas(((Sym("T", "tool"),), values.pose_grid(at.tool))),
        table(("x", "y", "z", "A", "B", "C"), [[x, y, z, a, b, c]], words=()),
        paragraph("A, B, C are turns about z, y and x, in that order."),
    ]
    return out


def frame_blocks(robot: Robot, at: NumericDerivation) -> list[Block]:
    """Return where every joint is."""
    frames = robot.frames(at.q)
    rows: list[list[str | Row]] = [
        [name, *(decimal(float(v) * 1e3, values.MM_PLACES) for v in T[:3, 3])]
        for name, T in zip(robot.frame_names, frames, strict=True)
    ]
    words = "The origin of each link's frame lies on the axis of the joint that moves it."
    return [
        Heading(2, "Coordinates of every joint"),
        paragraph(words),
        table(("frame", "x [mm]", "y [mm]", "z [mm]"), rows),
    ]


def jacobian_blocks(derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return the Jacobian in symbols and numbers."""
    units = "At this pose; the upper three rows in mm per rad, or mm per mm where the joint slides:"
    return [
        Heading(2, "The Jacobian"),
        paragraph(
            "It maps joint speeds to the velocity of the tool's point (upper three rows) and to the tool's angular "
            "velocity (lower three), both in world coordinates."
        ),
        *shared_blocks(derivation, [derivation.jacobian]),
        *matrix_formulas(Sym("J"), derivation.jacobian),
        paragraph(units),
        formulas(((Sym("J"),), values.jacobian_grid(derivation, at.jacobian))),
    ]


def singular_blocks(derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return the determinant, and where it vanishes."""
    out: list[Block] = [Heading(2, "Singular poses")]
    if derivation.determinant is None or at.determinant is None:
        out.append(
            paragraph(
                "The Jacobian is not square, so it has no determinant: it loses rank where all of its minors vanish."
            )
        )
    else:
        rows = ", ".join(
            ("x", "y", "z", "turn about x", "turn about y", "turn about z")[i] for i in derivation.task_rows
        )
        power = values.length_power(derivation, derivation.determinant)
        name: Row = (Fn("det"), Sym("J"))
        out += [
            paragraph(f"The determinant of the rows that the arm can move independently ({rows}), and its value here:"),
            formulas(
                (name, from_sympy(derivation.determinant)),
                (name, values.in_mm(at.determinant, power)),
            ),
        ]
    if not derivation.singular:
        return [*out, paragraph("It does not fall apart into simple conditions.")]
    numbers = values.numbers_at(derivation, at.q)
    out.append(paragraph("The arm is singular where one of these vanishes:"))
    held = []
    for condition in derivation.singular:
        value = values.value_at(derivation, condition.expression, numbers)
        power = values.length_power(derivation, condition.expression)
        zero, vanishing = (Num("0"),), from_sympy(condition.expression)
        equation = (
            (vanishing, zero) if width(vanishing) < LINE - 2.0 else (zero, vanishing)
        )  # only a right side is broken
        meaning = f"{condition.kind.capitalize()}: {condition.meaning}. Here the value is "
        out += [formulas(equation), paragraph(meaning, values.in_mm(value, power), ".")]
        held += [condition.kind] if abs(value) < ALMOST else []
    here = f"This pose is singular ({', '.join(held)})." if held else "This pose is not singular."
    return [*out, paragraph(here)]


def shared_blocks(derivation: Derivation, matrices: list[Any]) -> list[Block]:
    """Return the short names that these matrices use; a sine and its cosine share a line."""
    import sympy

    needed = used(list(derivation.shared), matrices)
    sines = {e.args[0]: s for s, e in needed if isinstance(e, sympy.sin)}
    equations: list[tuple[Row, Row]] = []
    for symbol, expression in needed:
        if isinstance(expression, sympy.cos) and expression.args[0] in sines:
            left, right = equations[-1]
            equations[-1] = (left, (*right, AND, *from_sympy(symbol), EQUALS, *from_sympy(expression)))
        else:
            equations.append((from_sympy(symbol), from_sympy(expression)))
    return [paragraph("Short names:"), formulas(*equations)] if equations else []


def matrix_formulas(name: Sym, matrix: Any, entry: str = "") -> list[Block]:
    """Return a matrix of symbols, or, where it is too wide for paper, its entries line by line."""
    whole = from_sympy(matrix)
    if width(whole) + width((name,)) + 2.0 <= LINE:
        return [formulas(((name,), whole))]
    rows, columns = matrix.shape
    separator = "," if max(rows, columns) > 9 else ""
    listed = [
        ((Sym(entry or name.base, f"{i + 1}{separator}{j + 1}"),), from_sympy(matrix[i, j]))
        for i in range(rows)
        for j in range(columns)
        if matrix[i, j] != 0
    ]
    rest = [paragraph("All other entries are 0.")] if len(listed) < rows * columns else []
    return [formulas(*listed), *rest]


def pose_text(robot: Robot, at: NumericDerivation) -> str:
    """Return the joint values in a line."""
    parts = []
    for joint, value in zip(robot.joints, at.q, strict=True):
        text = f"{value / joint_scale(joint.kind):.4f}".rstrip("0").rstrip(".")
        parts.append(f"{joint.name} {'0' if text == '-0' else text}{'°' if joint.kind == 'revolute' else ' mm'}")
    return ", ".join(parts)
