"""The inverse problem step by step: followed with numbers, it finds every solution that the closed forms find."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from closed_arms import FAMILIES, WITHOUT, arm, disguised
from symbolic_rows import rows_of

from armlab import catalog
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kinematics.closed import Family, recognise
from armlab.kinematics.symbolic.derivation import Derivation, InverseStep
from armlab.kinematics.symbolic.inverse import (
    evaluate_steps,
    inverse_steps,
    joint_values,
    signs_of,
    target_values,
)
from armlab.model.dh import DhConvention
from armlab.model.robot import Robot

SOLVED = sorted(set(FAMILIES) - {"stanford"})
CONVENTIONS: tuple[DhConvention, ...] = ("standard", "modified")


def family_of(robot: Robot) -> Family:
    """Return the closed form; an arm that cannot choose the tool's turn is asked for the point only."""
    family = recognise(robot)
    assert family is not None
    turning = sum(joint.kind == "revolute" for joint in robot.joints)
    return family.loosened() if turning == 2 else family


def solutions(derivation: Derivation, steps: tuple[InverseStep, ...], T: Floats) -> Floats:
    """Return the joint values (k, n) of every combination of signs; nan where there is no solution."""
    values = {symbol.name: value for symbol, value in derivation.parameters.items()} | target_values(T)
    return np.array([joint_values(derivation, evaluate_steps(steps, values, signs)) for signs in signs_of(steps)])


def turns_apart(robot: Robot, one: Floats, other: Floats) -> float:
    """Return the largest difference of joint values, whole turns aside."""
    turning = np.array([joint.kind == "revolute" for joint in robot.joints])
    wrapped = np.angle(np.exp(1j * (one - other)))
    return float(np.abs(np.where(turning, wrapped, one - other)).max())


def assert_all_branches(robot: Robot, convention: DhConvention, seed: int, count: int = 12) -> None:
    derivation, family = rows_of(robot, convention), family_of(robot)
    steps = inverse_steps(robot, derivation)
    assert len(signs_of(steps)) == family.count
    point_only = sum(joint.kind == "revolute" for joint in robot.joints) == 2
    for q in np.random.default_rng(seed).uniform(-2.5, 2.5, (count, robot.dof)):
        T = robot.fk(q)
        found = solutions(derivation, steps, T)
        reached = found[np.isfinite(found).all(axis=1)]
        for row in reached:
            off = robot.fk(row) - T
            np.testing.assert_allclose(off[:3, 3] if point_only else off, 0.0, atol=1e-9)
        expected, valid = family.solve(T[None], robot.dof)
        assert len(reached) == valid.sum()
        for row in expected[0][valid[0]]:
            assert min(turns_apart(robot, row, ours) for ours in reached) < 1e-7


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("name", SOLVED)
def test_the_steps_find_every_solution_and_no_other(name: str, convention: DhConvention) -> None:
    assert_all_branches(catalog.load(name), convention, seed=3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SOLVED)
def test_other_zeros_signs_bases_and_tools_do_not_matter(name: str, seed: int) -> None:
    robot, _, _ = disguised(catalog.load(name), np.random.default_rng(seed))
    assert_all_branches(robot, CONVENTIONS[seed % 2], seed=seed, count=4)


def test_a_slide_may_come_first_and_off_the_axes() -> None:
    robot = arm(
        ("prismatic", [0.1, -0.2, 0.3], [0, 0, -1]),
        ("revolute", [0.3, 0.1, 0.0], [0, 0, 1]),
        ("revolute", [0.3, 0.2, 0.0], [0, 0, -1]),
        ("revolute", [0.2, -0.1, 0.0], [0, 0, 1]),
        flange=pose.from_xyz_rpy([0.1, 0.05, -0.1], [3.14159265358979, 0.0, 0.4]),
    )
    assert_all_branches(robot, "standard", seed=5)


def test_a_slide_between_the_links_may_carry_one_of_them() -> None:
    robot = arm(
        ("revolute", [0.0, 0.0, 0.2], [0, 0, 1]),
        ("prismatic", [0.3, 0.1, 0.0], [0, 0, 1]),
        ("revolute", [0.2, -0.1, 0.0], [0, 0, 1]),
        flange=pose.from_xyz([0.25, 0.1, 0.0]),
    )
    assert_all_branches(robot, "standard", seed=6)
    assert_all_branches(robot, "modified", seed=6)


@pytest.mark.parametrize("name", [*WITHOUT, "stanford"])
def test_arms_without_such_a_closed_form_have_no_steps(name: str) -> None:
    robot = catalog.load(name)
    assert inverse_steps(robot, rows_of(robot)) == ()


@pytest.mark.parametrize("name", SOLVED)
def test_every_step_uses_only_the_target_the_parameters_and_what_came_before(name: str) -> None:
    robot = catalog.load(name)
    derivation = rows_of(robot)
    known = {*derivation.parameters, *sympy.symbols("sigma_1:4 x y z", real=True)}
    known |= {sympy.Symbol(f"r{i}{j}", real=True) for i in (1, 2, 3) for j in (1, 2, 3)}
    lefts: list[sympy.Expr] = []
    for step in inverse_steps(robot, derivation):
        assert str(step.title)
        assert str(step.text).endswith(".")
        for left, right in step.equations:
            assert left.is_Symbol
            assert left not in known
            assert right.free_symbols <= known
            known.add(left)
            lefts.append(left)
    assert set(derivation.variables) <= set(lefts)


def test_two_links_are_solved_as_in_the_textbook() -> None:
    robot = catalog.load("planar2")
    derivation = rows_of(robot)
    steps = inverse_steps(robot, derivation)
    equations = {str(left): right for step in steps for left, right in step.equations}
    x, y, B, psi, D, sigma = (sympy.Symbol(s, real=True) for s in ("x", "y", "B", "psi", "D", "sigma_1"))
    l1, l2 = (row.a for row in derivation.rows)
    assert equations["B"] == sympy.sqrt(x**2 + y**2)
    assert sympy.expand(equations["D"] - (B**2 - l1**2 - l2**2) / (2 * l1 * l2)) == 0
    assert equations["psi"] == sigma * sympy.acos(D)
    assert equations["theta_1"] == sympy.atan2(y, x) - sympy.atan2(l2 * sympy.sin(psi), l1 + l2 * sympy.cos(psi))


@pytest.mark.parametrize("name", ["scara", "kuka-kr6-r900", "puma560", "ur5e", "braccio"])
def test_the_last_step_names_the_branch_of_every_combination_of_signs(name: str) -> None:
    robot = catalog.load(name)
    derivation, family = rows_of(robot), family_of(robot)
    steps = inverse_steps(robot, derivation)
    names = {choice.signs: choice.branch for choice in steps[-1].choices}
    for q in np.random.default_rng(4).uniform(-1.0, 1.0, (10, robot.dof)):
        found = solutions(derivation, steps, robot.fk(q))
        for signs, row in zip(signs_of(steps), found, strict=True):
            if np.isfinite(row).all():
                assert names[signs] == family.branch_names[family.branch_of(row)]


def test_a_point_out_of_reach_has_no_number() -> None:
    robot = catalog.load("planar2")
    derivation = rows_of(robot)
    far = pose.from_xyz([5.0, 0.0, 0.0])
    assert np.isnan(solutions(derivation, inverse_steps(robot, derivation), far)).any(axis=1).all()


def test_a_missing_number_is_named() -> None:
    robot = catalog.load("planar2")
    steps = inverse_steps(robot, rows_of(robot))
    with pytest.raises(InvalidInput, match="'B' needs numbers that are not given: y") as caught:
        evaluate_steps(steps, {"x": 0.1}, (1,))
    assert (caught.value.code, caught.value.parameters["missing"]) == ("numbers_missing", ["y"])
