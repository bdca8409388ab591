"""Lagrange's equations in the report."""

from __future__ import annotations

from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.documents.blocks import Block, Heading, formulas, table
from armlab.documents.kinematic_parts import matrix_formulas
from armlab.documents.notation import PLUS, Row, Sym, from_sympy, grid, number
from armlab.documents.sentences import said
from armlab.documents.values import numbers_at
from armlab.kinematics.symbolic.derivation import Derivation, Dynamics, NumericDerivation
from armlab.messages import _, tr
from armlab.model.robot import Robot

_UNITS = {"m": _("kg"), "c": _("m"), "I": _("kg·m²"), "g": _("m/s²")}


def dynamic_blocks(robot: Robot, derivation: Derivation, at: NumericDerivation) -> list[Block]:
    """Return M, C and G; nothing for an arm whose equations are too long to read."""
    dynamics = derivation.dynamics
    if dynamics is None:
        return []
    left: Row = (Sym("M"), Sym("a"), PLUS, Sym("C"), Sym("v"), PLUS, Sym("G"))
    is_guess = bool({"link masses", "mass"} & set(robot.estimated))
    out: list[Block] = [
        Heading(2, tr("Dynamics")),
        said(
            _(
                "Lagrange's equations with the joints' speeds v, their accelerations a, and the torques and forces τ "
                "of the drives, in kg, m and s."
            )
        ),
        *([said(_("Masses and their distribution are estimated, not published by the maker."))] if is_guess else []),
        formulas((left, (Sym("tau"),))),
        Heading(3, tr("Mass matrix")),
        *_symmetric(dynamics),
        Heading(3, tr("Coriolis and centrifugal forces")),
        *matrix_formulas(Sym("C"), dynamics.coriolis),
        Heading(3, tr("Gravity")),
        *matrix_formulas(Sym("G"), dynamics.gravity),
        Heading(3, tr("Numbers")),
        _parameters(dynamics),
        said(_("At these joint values:")),
    ]
    numbers = {**numbers_at(derivation, at.q), **dynamics.parameters}
    M, G = (_numeric(matrix, numbers) for matrix in (dynamics.mass_matrix, dynamics.gravity))
    return [*out, formulas(((Sym("M"),), _grid(M)), ((Sym("G"),), _grid(G)))]


def _symmetric(dynamics: Dynamics) -> list[Block]:
    """Return the mass matrix; where it is listed, its upper half is enough."""
    import sympy

    blocks = matrix_formulas(Sym("M"), dynamics.mass_matrix)
    if len(blocks) == 1 and len(getattr(blocks[0], "equations", ())) == 1:
        return blocks
    n = dynamics.mass_matrix.shape[0]
    upper = sympy.Matrix(n, n, lambda i, j: dynamics.mass_matrix[i, j] if i <= j else sympy.S.Zero)
    listed = matrix_formulas(Sym("M"), upper)
    listed = [block for block in listed if getattr(block, "equations", ())]
    return [*listed, said(_("It is symmetric; entries that are not listed are 0."))]


def _parameters(dynamics: Dynamics) -> Block:
    rows: list[list[str | Row]] = []
    for parameter, value in dynamics.parameters.items():
        unit = tr(_UNITS.get(parameter.name.partition("_")[0], ""))
        rows.append([from_sympy(parameter), number(value), unit])
    return table((tr("symbol"), tr("value"), tr("unit")), rows, words=(0, 2))


def _numeric(matrix: Any, numbers: dict[Any, float]) -> Floats:
    entries = [float(entry.evalf(subs=numbers, n=15)) for entry in matrix.flat()]
    return np.array(entries).reshape(matrix.shape)


def _grid(matrix: Floats) -> Row:
    return grid([number(0.0 if abs(v) < 1e-15 else float(v), 5) for v in row] for row in matrix)
