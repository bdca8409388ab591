"""Derive every formula of an arm: DH matrices, tool pose, Jacobian, singularities, inverse problem, dynamics."""

from __future__ import annotations

from dataclasses import replace

from armlab.errors import NotSupported
from armlab.kinematics.symbolic import store
from armlab.kinematics.symbolic.derivation import Derivation
from armlab.kinematics.symbolic.dynamics import lagrange
from armlab.kinematics.symbolic.inverse import inverse_steps
from armlab.kinematics.symbolic.jacobian import world_jacobian
from armlab.kinematics.symbolic.matrices import groups, product, rigid, row_matrix, steps_of
from armlab.kinematics.symbolic.simplify import Definitions, share_pieces, share_trigonometry, used
from armlab.kinematics.symbolic.singular import singularities
from armlab.kinematics.symbolic.table import SymbolicTable, symbolic_table
from armlab.messages import _, term
from armlab.model.coupling import not_for_coupled
from armlab.model.dh import DhConvention, DhTable, dh_table
from armlab.model.robot import Robot

LONGEST_WITHOUT_NAMES = 4
"""Arms with more joints than this write s_1, c_23 for their sines and cosines."""
MOST_BENDS = 8
"""Between so many joints the axes may change direction; formulas grow by a factor of two to three with each."""


def derive(robot: Robot, convention: DhConvention = "standard") -> Derivation:
    """Return every formula of `robot` as SymPy expressions, from its DH table.

    The first time takes seconds; the answer is kept on disk and then comes at once.

    Raises:
        InvalidInput: if the convention is neither standard nor modified.
        NotSupported: if more axes follow each other askew than anybody could read, or joints are coupled.
    """
    table = _dh_table(robot, convention)
    place = store.place(robot, table)
    found = store.read(place) if place else None
    if found is not None:
        return found
    derivation = derive_afresh(robot, convention)
    if place:
        store.write(place, derivation)
    return derivation


def derive_afresh(robot: Robot, convention: DhConvention = "standard") -> Derivation:
    """Return the same without looking at the disk."""
    table = symbolic_table(_dh_table(robot, convention))
    plain = _kinematics(robot.name, table)
    return replace(plain, inverse=inverse_steps(robot, plain), dynamics=lagrange(robot, plain))


def _dh_table(robot: Robot, convention: DhConvention) -> DhTable:
    if robot.followers:
        raise not_for_coupled(term(_("the derivation of formulas")))
    return dh_table(robot, convention)


def _kinematics(name: str, table: SymbolicTable) -> Derivation:
    """Return the derivation without the inverse problem and the dynamics."""
    rows, variables = table.rows, tuple(row.variable for row in table.rows)
    steps = steps_of(table.convention, rows)
    if (bends := len(groups(steps)) - 1) > MOST_BENDS:
        raise NotSupported(
            "too_many_bends",
            _("{robot}: {count} changes of direction between its axes; formulas are derived for up to {most}"),
            robot=name,
            count=bends,
            most=MOST_BENDS,
        )
    base, flange = rigid(table.base), rigid(table.flange)
    products = [(base @ product(steps[: 2 * i])).matrix() for i in range(len(rows) + 1)]
    tool = (base @ product(steps, flange)).matrix()
    jacobian = world_jacobian(base, steps, rows, flange)
    task_rows, determinant, singular = singularities(table, jacobian)
    shared: Definitions = []
    if len(rows) > LONGEST_WITHOUT_NAMES:
        (*products, tool, jacobian), angles = share_trigonometry([*products, tool, jacobian], variables)
        jacobian, pieces = share_pieces(jacobian)
        shared = used([*angles, *pieces], [*products, tool, jacobian])
    return Derivation(
        robot=name,
        convention=table.convention,
        variables=variables,
        parameters=table.parameters,
        rows=rows,
        base=table.base,
        links=tuple(row_matrix(table.convention, row) for row in rows),
        products=tuple(products),
        flange=table.flange,
        tool=tool,
        shared=tuple(shared),
        jacobian=jacobian,
        task_rows=task_rows,
        determinant=determinant,
        singular=singular,
        inverse=(),
        dynamics=None,
    )
