"""A derivation with no more than rows and matrices, quick to make: what inverse problem and dynamics start from."""

from __future__ import annotations

import sympy

from armlab.kinematics.symbolic.derivation import Derivation
from armlab.kinematics.symbolic.matrices import row_matrix
from armlab.kinematics.symbolic.table import symbolic_table
from armlab.model.dh import DhConvention, dh_table
from armlab.model.robot import Robot


def rows_of(robot: Robot, convention: DhConvention = "standard") -> Derivation:
    """Return the rows, links, base and flange of `robot` in symbols; the rest is empty."""
    table = symbolic_table(dh_table(robot, convention))
    return Derivation(
        robot=robot.name,
        convention=convention,
        variables=tuple(row.variable for row in table.rows),
        parameters=table.parameters,
        rows=table.rows,
        base=table.base,
        links=tuple(row_matrix(convention, row) for row in table.rows),
        products=(),
        flange=table.flange,
        tool=sympy.eye(4),
        shared=(),
        jacobian=sympy.zeros(6, len(table.rows)),
        task_rows=(),
        determinant=None,
        singular=(),
        inverse=(),
        dynamics=None,
    )
