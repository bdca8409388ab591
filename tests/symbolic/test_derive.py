from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import sympy
from refusals import refused
from scipy.optimize import brentq
from symbolic.derived import Convention, derived, symbols

import armlab
from armlab import pose
from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported
from armlab.kinematics.symbolic.derivation import Derivation, SingularCondition
from armlab.kinematics.symbolic.derive import derive_afresh
from armlab.kinematics.symbolic.evaluate import evaluate
from armlab.kinematics.symbolic.simplify import meanings
from armlab.model.dh import DhRow, DhTable, robot_from_dh
from armlab.model.parts import Tool

SPHERICAL = ("abb-irb2400", "fanuc-lrmate200id", "kuka-kr6-r900", "puma560", "staubli-tx60")
HALF = np.pi / 2


def is_same(one: sympy.Expr, other: sympy.Expr) -> bool:
    """By simplifying the difference and by numbers."""
    rng = np.random.default_rng(1)
    names = sorted(one.free_symbols | other.free_symbols, key=str)
    for _ in range(5):
        numbers = dict(zip(names, rng.uniform(-2, 2, len(names)).tolist(), strict=True))
        if abs(float((one - other).subs(numbers))) > 1e-12:
            return False
    return bool(sympy.simplify(one - other) == 0)


def determinant(derivation: Derivation) -> sympy.Expr:
    assert derivation.determinant is not None
    return derivation.determinant


def of(derivation: Derivation, text: str) -> sympy.Expr:
    """A formula written with the derivation's own symbols."""
    return sympy.sympify(text, locals=symbols(derivation))


def test_the_published_formula_of_the_scara_with_a_tool_comes_out() -> None:
    tool = Tool("offset", "none", pose.from_xyz_abc([0.01, 0.0, -0.015], [0.0, 0.0, 0.0]))
    d = derive_afresh(armlab.load("scara-s3").with_tool(tool))
    x, y, z = d.tool[:3, 3]
    assert is_same(x, of(d, "L_1*cos(theta_1) + L_2*cos(theta_1 + theta_2) + t_x*cos(theta_1 + theta_2)"))
    assert is_same(y, of(d, "L_1*sin(theta_1) + L_2*sin(theta_1 + theta_2) + t_x*sin(theta_1 + theta_2)"))
    assert is_same(z, of(d, "L_3 - d_3 + t_z"))
    assert d.parameters == {of(d, n): v for n, v in zip(("L_1", "L_2", "L_3"), [0.05] * 3, strict=True)} | {
        of(d, "t_x"): 0.01,
        of(d, "t_z"): -0.015,
    }


def test_the_published_example_of_the_scara_comes_out() -> None:
    tool = Tool("pin", "none", pose.from_xyz_abc([0.0, 0.0, -0.015], [0.0, 0.0, 0.0]))
    d = derive_afresh(armlab.load("scara-s3").with_tool(tool))
    T = evaluate(d, np.array([np.pi / 4, HALF, 0.03])).tool
    np.testing.assert_allclose(T[:3, 3], [0.0, 0.05 * np.sqrt(2), 0.005], atol=1e-15)


@pytest.mark.parametrize("links", [2, 3])
def test_planar_arms_have_the_textbook_formulas(links: int) -> None:
    d = derived(f"planar{links}")
    sums = ["theta_1", "theta_1 + theta_2", "theta_1 + theta_2 + theta_3"][:links]
    for row, function in enumerate(("cos", "sin")):
        text = " + ".join(f"L_{k}*{function}({angle})" for k, angle in enumerate(sums, 1))
        assert is_same(d.tool[row, 3], of(d, text))
    assert is_same(d.tool[0, 0], of(d, f"cos({sums[-1]})"))
    for k in range(links):
        column = " + ".join(f"L_{i}*cos({sums[i - 1]})" for i in range(k + 1, links + 1))
        assert is_same(d.jacobian[1, k], of(d, column))
    assert is_same(determinant(d) ** 2, of(d, "(L_1*L_2*sin(theta_2))**2"))
    assert d.task_rows == ((0, 1) if links == 2 else (0, 1, 5))


def test_angles_of_parallel_axes_are_added_up() -> None:
    for name, angle in (("scara", "theta_1 + theta_2"), ("ur5e", "theta_2 + theta_3 + theta_4")):
        d = derived(name)
        arguments = {f.args[0] for f in d.tool.xreplace(meanings(d)).atoms(sympy.sin, sympy.cos)}
        assert of(d, angle) in arguments


def test_a_six_axis_position_is_short_enough_to_read() -> None:
    d = derived("kuka-kr6-r900")
    assert str(d.tool[0, 3]).startswith("c_1*(a_1 + a_2*c_2 ")
    assert all(sympy.count_ops(entry) < 30 for entry in d.tool[:3, 3])
    assert all(sympy.count_ops(entry) < 20 for entry in d.jacobian)
    before: set[sympy.Symbol] = set(d.variables) | set(d.parameters)
    for symbol, expression in d.shared:
        assert expression.free_symbols <= before
        before.add(symbol)
    assert d.tool.free_symbols | d.jacobian.free_symbols <= before


def test_lengths_of_zero_have_no_symbol_and_turns_are_exact() -> None:
    d = derived("puma560")
    assert [symbol.name for symbol in d.parameters] == ["a_2", "a_3", "d_1", "d_3", "d_4", "d_6"]
    assert d.rows[0].alpha == sympy.pi / 2
    assert d.links[0][:3, :3] == of(
        d, "Matrix([[cos(theta_1), 0, sin(theta_1)], [sin(theta_1), 0, -cos(theta_1)], [0, 1, 0]])"
    )


def test_other_turns_are_symbols_and_the_opposite_turn_is_the_same_symbol() -> None:
    d = derived("xarm6")
    assert d.rows[1].theta == of(d, "theta_2 + delta_2")
    assert d.rows[2].theta == of(d, "theta_3 - delta_2")
    rows = (DhRow("a", "revolute", 0.0, 0.1, 0.2, np.pi / 3), DhRow("b", "prismatic", 0.3, 0.1, 0.2, 0.7))
    robot = robot_from_dh(DhTable("standard", rows, np.eye(4), np.eye(4)), name="odd", lower=[-1, 0], upper=[1, 1])
    odd = derive_afresh(robot)
    assert odd.rows[0].alpha == sympy.pi / 3
    assert odd.rows[1].variable.name == "d_2"
    assert odd.rows[1].theta.name == "delta_2"
    assert odd.rows[1].d == of(odd, "d_2 + h_2")


def test_a_turned_base_and_tool_are_parameters() -> None:
    T = pose.from_xyz_abc([0.1, 0.0, 0.3], [0.3, 0.2, 0.1])
    robot = armlab.load("ur5e").with_base(T).with_tool(Tool("odd", "none", T))
    d = derive_afresh(robot)
    assert {"b_x", "b_z", "b_xy", "t_x", "t_z", "t_zz"} < set(symbols(d))
    assert "b_y" not in symbols(d)
    q = np.array([0.3, -1.0, 0.8, 0.4, 1.1, -0.2])
    np.testing.assert_allclose(evaluate(d, q).tool, robot.fk(q), atol=1e-12)
    np.testing.assert_allclose(evaluate(d, q).jacobian, robot.jacobian(q), atol=1e-12)
    assert is_same(determinant(d), determinant(derived("ur5e")))


def test_determinants_fall_into_the_known_factors() -> None:
    ur = derived("ur5e")
    shoulder = "a_2*cos(theta_2) + a_3*cos(theta_2 + theta_3) + d_5*sin(theta_2 + theta_3 + theta_4)"
    assert is_same(determinant(ur) ** 2, of(ur, f"(a_2*a_3*sin(theta_3)*sin(theta_5)*({shoulder}))**2"))
    stanford = derived("stanford")
    assert is_same(determinant(stanford) ** 2, of(stanford, "(d_3**2*sin(theta_2)*sin(theta_5))**2"))
    for name in SPHERICAL:
        kinds = [one.kind for one in derived(name).singular]
        assert kinds == ["shoulder", "elbow", "wrist"], name


def test_conditions_say_what_they_mean() -> None:
    said = {one.kind: str(one.meaning) for one in derived("kuka-kr6-r900").singular}
    assert said["wrist"] == "axes 4 and 6 are in line"
    assert said["shoulder"] == "the wrist centre lies on axis 1"
    assert "stretched or folded at joint 3" in said["elbow"]
    assert {str(one.meaning) for one in derived("puma560").singular} >= {
        "the wrist centre lies in the plane through axis 1 parallel to axis 2"
    }
    assert {str(one.meaning) for one in derived("ur5e").singular} >= {"axes 4 and 6 are parallel"}
    assert [one.kind for one in derived("planar2").singular] == ["elbow"]
    assert [one.kind for one in derived("braccio").singular] == ["elbow"]
    assert [one.kind for one in derived("kuka-iiwa14").singular] == ["elbow"]


def smallest(name: str, d: Derivation, q: Floats) -> float:
    """The smallest singular value that matters: arms that only place a point have only its rows."""
    J = armlab.load(name).jacobian(q)
    rows = list(d.task_rows) if len(q) <= 4 else list(range(6))
    return float(np.linalg.svd(J[rows], compute_uv=False)[min(len(rows), len(q)) - 1])


def singular_poses(d: Derivation, one: SingularCondition) -> list[Floats]:
    """Poses where the condition holds: one joint is moved from a random pose until it does."""
    involved = [i for i, variable in enumerate(d.variables) if one.expression.has(variable)]
    value = sympy.lambdify(d.variables, one.expression.subs(d.parameters), "math")
    rng, found = np.random.default_rng(7), []
    for _ in range(200):
        q, i = rng.uniform(-2.5, 2.5, len(d.variables)), int(rng.choice(involved))
        low, high = rng.uniform(-3, 0), rng.uniform(0, 3)

        def at(t: float, q: Floats = q, i: int = i) -> float:
            return float(value(*q[:i].tolist(), t, *q[i + 1 :].tolist()))

        if at(low) * at(high) < 0:
            q[i] = brentq(at, low, high, xtol=1e-14)
            found.append(q)
        if len(found) == 5:
            break
    return found


@pytest.mark.parametrize("name", armlab.robot_names())
def test_every_singular_condition_is_a_pose_that_loses_rank_and_other_poses_do_not(name: str) -> None:
    d = derived(name)
    generic = np.random.default_rng(3).uniform(0.4, 1.0, len(d.variables))
    assert smallest(name, d, generic) > 1e-4
    for one in d.singular:
        found = singular_poses(d, one)
        assert len(found) == 5
        for q in found:
            assert smallest(name, d, q) < 1e-9, one.expression


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_both_conventions_find_the_same_singular_poses(convention: Convention) -> None:
    for name in ("kuka-kr6-r900", "ur5e", "scara"):
        one, other = derived(name, convention), derived(name)
        assert [s.kind for s in one.singular] == [s.kind for s in other.singular]
        q = np.random.default_rng(2).uniform(-1, 1, len(one.variables))
        assert evaluate(one, q).determinant == pytest.approx(evaluate(other, q).determinant, abs=1e-12)


def test_arms_without_a_square_jacobian_have_no_determinant() -> None:
    assert derived("franka-panda").determinant is None
    assert derived("franka-panda").task_rows == (0, 1, 2, 3, 4, 5)


def test_a_general_arm_is_derived_without_its_determinant() -> None:
    rng = np.random.default_rng(5)
    rows = tuple(DhRow(f"j{i}", "revolute", *rng.uniform(0.1, 1.0, 4).tolist()) for i in range(6))
    table = DhTable("standard", rows, np.eye(4), np.eye(4))
    robot = robot_from_dh(table, name="general", lower=[-3] * 6, upper=[3] * 6)
    d = derive_afresh(robot)
    assert (d.determinant, d.singular) == (None, ())
    q = rng.uniform(-1, 1, 6)
    np.testing.assert_allclose(evaluate(d, q).jacobian, robot.jacobian(q), atol=1e-12)


@pytest.mark.parametrize("tilt", [np.pi / 3, np.pi / 4, 0.4])
def test_determinants_with_roots_and_odd_turns_are_true(tilt: float) -> None:
    rows = tuple(DhRow(f"j{i}", "revolute", 0.0, 0.1, 0.2 + 0.1 * i, a) for i, a in enumerate((tilt, 0.0, 0.0)))
    table = DhTable("standard", rows, np.eye(4), np.eye(4))
    robot = robot_from_dh(table, name="tilted", lower=[-3] * 3, upper=[3] * 3)
    d = derive_afresh(robot)
    assert [one.kind for one in d.singular] == ["shoulder", "elbow"]
    for q in np.random.default_rng(6).uniform(-3, 3, (5, 3)):
        minor = np.linalg.det(robot.jacobian(q)[list(d.task_rows)])
        assert evaluate(d, q).determinant == pytest.approx(minor, abs=1e-13)


def test_many_parallel_axes_are_no_trouble_and_many_skew_ones_are_refused() -> None:
    for alpha, n in ((0.0, 12), (HALF, 12)):
        rows = tuple(DhRow(f"j{i}", "revolute", 0.0, 0.0, 0.1, alpha) for i in range(n))
        table = DhTable("standard", rows, np.eye(4), np.eye(4))
        robot = robot_from_dh(table, name="snake", lower=[-3] * n, upper=[3] * n)
        if alpha:
            with refused("too_many_bends", NotSupported, robot="snake"):
                derive_afresh(robot)
        else:
            q = np.linspace(-1, 1, n)
            np.testing.assert_allclose(evaluate(derive_afresh(robot), q).tool, robot.fk(q), atol=1e-12)


def test_a_convention_that_does_not_exist_is_refused() -> None:
    with refused("dh_convention", InvalidInput, convention="craig"):
        derive_afresh(armlab.load("planar2"), "craig")  # type: ignore[arg-type]


def test_sympy_is_imported_with_the_first_derivation_and_not_before() -> None:
    code = (
        "import sys, armlab.kinematics; assert 'sympy' not in sys.modules;"
        "armlab.kinematics.derive; assert 'sympy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    from armlab import kinematics

    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        kinematics.nonsense  # noqa: B018
