"""The forward part of the report: table, matrices, tool, Jacobian, singularities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from armlab.documents import values
from armlab.documents.blocks import Block, Heading, formulas, table
from armlab.documents.layout import LINE, width
from armlab.documents.notation import AND, EQUALS, Fn, Num, Row, Sym, Unit, decimal, from_sympy
from armlab.documents.sentences import said
from armlab.figures.style import decimal as decimal_sign
from armlab.kinematics.symbolic.derivation import Derivation, NumericDerivation
from armlab.kinematics.symbolic.simplify import used
from armlab.messages import _, tr
from armlab.model.robot import Robot
from armlab.reports.kinematics import fk_report
from armlab.units import joint_scale

SMALL_ARM = 4
"""Up to so many joints the running products are also given as symbols."""
ALMOST = 1e-9
"""A singular condition below this (m, or a sine) holds."""
_ROWS = {
    "standard": _(
        "Convention: standard. The matrix of a row is Rz(θ) · Tz(d) · Tx(a) · Rx(α): rotations about and translations "
        "along the axes z and x."
    ),
    "modified": _(
        "Convention: modified. The matrix of a row is Rx(α) · Tx(a) · Rz(θ) · Tz(d): rotations about and translations "
        "along the axes x and z."
    ),
}


_KINDS = {"shoulder": _("Shoulder"), "elbow": _("Elbow"), "wrist": _("Wrist"), "other": _("Other")}


def joint_blocks(robot: Robot, derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return the joints, their values and their limits."""
    rows: list[list[str | Row]] = []
    kinds = {"revolute": tr("revolute"), "prismatic": tr("prismatic")}
    for i, (joint, row) in enumerate(zip(robot.joints, derivation.rows, strict=True)):
        limits = [
            values.joint_value(limit, joint.kind) if math.isfinite(limit) else tr("none")
            for limit in (joint.lower, joint.upper)
        ]
        value = values.joint_value(float(at.q[i]), joint.kind)
        rows.append([str(i + 1), joint.name, kinds[joint.kind], from_sympy(row.variable), value, *limits])
    head = ("", tr("joint"), tr("kind"), tr("variable"), tr("value"), tr("lower"), tr("upper"))
    return [Heading(2, tr("Joints")), table(head, rows, words=(0, 1, 2, 3))]


def table_blocks(derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return the DH table in symbols and numbers, and the numbers of the symbols."""
    numbers = values.numbers_at(derivation, at.q)
    head: list[str | Row] = ["", tr("joint"), *((Sym(name),) for name in ("theta", "d", "a", "alpha"))]
    symbols: list[list[str | Row]] = []
    shown: list[list[str | Row]] = []
    for i, row in enumerate(derivation.rows, 1):
        entries = (row.theta, row.d, row.a, row.alpha)
        symbols.append([str(i), row.joint, *map(from_sympy, entries)])
        theta, d, a, alpha = (values.value_at(derivation, entry, numbers) for entry in entries)
        shown.append([str(i), row.joint, values.degrees(theta), values.mm(d), values.mm(a), values.degrees(alpha)])
    out: list[Block] = [
        Heading(2, tr("Denavit–Hartenberg table")),
        said(_ROWS[derivation.convention]),
        table(head, symbols, words=(0, 1)),
        said(_("The same table at these joint values:")),
        table(head, shown, words=(0, 1)),
    ]
    if derivation.parameters:
        rows = [[from_sympy(s), values.parameter_value(s, v)] for s, v in derivation.parameters.items()]
        out += [said(_("The symbols stand for these numbers:")), table((tr("symbol"), tr("value")), rows)]
    return out


def matrix_blocks(derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return each row's matrix, and the running products."""
    out: list[Block] = [
        Heading(2, tr("The matrix of each joint")),
        said(_("First in symbols, then in numbers at these joint values, lengths in millimetres.")),
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
        Heading(2, tr("From the base to the tool")),
        said(_("Frame after frame, seen from the world; {start} is where the arm stands."), start=start),
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
            said(_("After the last row come flange and tool:")),
            *matrix_formulas(Sym("T", "flange"), derivation.flange),
            formulas(((Sym("T", "flange"),), values.pose_grid(flange))),
        ]
    return out


def _numeric(derivation: Derivation, matrix: Any) -> Any:
    return np.array([float(entry.xreplace(derivation.parameters)) for entry in matrix.flat()]).reshape(4, 4)


def tool_blocks(robot: Robot, derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return the tool's position and orientation."""
    out: list[Block] = [Heading(2, tr("The tool")), *shared_blocks(derivation, [derivation.tool])]
    position = [((Sym(axis),), from_sympy(derivation.tool[i, 3])) for i, axis in enumerate("xyz")]
    out += [said(_("Its point in world coordinates:")), formulas(*position)]
    out += [said(_("Its orientation:")), *matrix_formulas(Sym("R"), derivation.tool[:3, :3], "r")]
    report = fk_report(robot, at.q)
    x, y, z = (values.mm(float(v)) for v in at.tool[:3, 3])
    a, b, c = ((*decimal(v, values.DEG_PLACES), Unit("°")) for v in report.abc)
    out += [
        said(_("At these joint values:")),
        formulas(((Sym("T", "tool"),), values.pose_grid(at.tool))),
        table(("x", "y", "z", "A", "B", "C"), [[x, y, z, a, b, c]], words=()),
        said(_("A, B, C are rotations about z, y and x, in that order.")),
    ]
    return out


def frame_blocks(robot: Robot, at: NumericDerivation) -> list[Block]:
    """Return where every joint is."""
    frames = robot.frames(at.q)
    rows: list[list[str | Row]] = [
        [name, *(decimal(float(v) * 1e3, values.MM_PLACES) for v in T[:3, 3])]
        for name, T in zip(robot.frame_names, frames, strict=True)
    ]
    return [
        Heading(2, tr("Coordinates of every joint")),
        said(_("The origin of each link's frame lies on the axis of the joint that moves it.")),
        table((tr("frame"), tr("x [mm]"), tr("y [mm]"), tr("z [mm]")), rows),
    ]


def jacobian_blocks(derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return the Jacobian in symbols and numbers."""
    units = _("At these joint values; the upper three rows in mm per rad, or mm per mm where the joint is prismatic:")
    return [
        Heading(2, tr("The Jacobian")),
        said(
            _(
                "It maps joint speeds to the velocity of the tool's point (upper three rows) and to the tool's angular "
                "velocity (lower three), both in world coordinates."
            )
        ),
        *shared_blocks(derivation, [derivation.jacobian]),
        *matrix_formulas(Sym("J"), derivation.jacobian),
        said(units),
        formulas(((Sym("J"),), values.jacobian_grid(derivation, at.jacobian))),
    ]


def singular_blocks(derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return the determinant, and where it vanishes."""
    out: list[Block] = [Heading(2, tr("Singularities"))]
    if derivation.determinant is None or at.determinant is None:
        out.append(
            said(
                _("The Jacobian is not square, so it has no determinant: it loses rank where all of its minors vanish.")
            )
        )
    else:
        rows = [("x", "y", "z", "rx", "ry", "rz")[i] for i in derivation.task_rows]
        power = values.length_power(derivation, derivation.determinant)
        name: Row = (Fn("det"), Sym("J"))
        out += [
            said(
                _("The determinant of the rows that the arm can move independently ({rows}), and its value here:"),
                rows=rows,
            ),
            formulas(
                (name, from_sympy(derivation.determinant)),
                (name, values.in_mm(at.determinant, power)),
            ),
        ]
    if not derivation.singular:
        return [*out, said(_("It does not factor into simple conditions."))]
    numbers = values.numbers_at(derivation, at.q)
    out.append(said(_("The arm is singular where one of these vanishes:")))
    held = []
    for condition in derivation.singular:
        value = values.value_at(derivation, condition.expression, numbers)
        power = values.length_power(derivation, condition.expression)
        zero, vanishing = (Num("0"),), from_sympy(condition.expression)
        equation = (
            (vanishing, zero) if width(vanishing) < LINE - 2.0 else (zero, vanishing)
        )  # only a right side is broken
        meaning = said(
            _("{kind}: {meaning}. Here the value is {value}."),
            kind=tr(_KINDS[condition.kind]),
            meaning=condition.meaning,
            value=values.in_mm(value, power),
        )
        out += [formulas(equation), meaning]
        held += [tr(_KINDS[condition.kind])] if abs(value) < ALMOST else []
    if held:
        return [*out, said(_("The arm is singular here ({kinds})."), kinds=held)]
    return [*out, said(_("The arm is not singular here."))]


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
    return [said(_("Short names:")), formulas(*equations)] if equations else []


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
    rest = [said(_("All other entries are 0."))] if len(listed) < rows * columns else []
    return [formulas(*listed), *rest]


def joint_values_text(robot: Robot, at: NumericDerivation) -> str:
    """Return the joint values in a line."""
    parts = []
    for joint, value in zip(robot.joints, at.q, strict=True):
        text = f"{value / joint_scale(joint.kind):.4f}".rstrip("0").rstrip(".")
        unit = "°" if joint.kind == "revolute" else f" {tr('mm')}"
        parts.append(f"{joint.name} {decimal_sign('0' if text == '-0' else text)}{unit}")
    return ", ".join(parts)
