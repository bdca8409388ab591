"""Lagrange's equations in symbols say what Pinocchio and MuJoCo say in numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from symbolic_rows import rows_of

from armlab import catalog
from armlab.arrays import Floats
from armlab.formats.urdf import urdf_text
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.kinematics.symbolic import trigonometry
from armlab.kinematics.symbolic.derivation import Derivation, Dynamics
from armlab.kinematics.symbolic.dynamics import GRAVITY, lagrange
from armlab.model.dh import DhConvention
from armlab.model.parts import Joint, JointKind, Link, Tool
from armlab.model.robot import Robot
from oracles.arms import random_arm, random_inertia

CATALOG = ("planar2", "planar3", "scara", "scara-s3", "s5-rig", "epson-ls3")
TOLERANCE = 1e-9
Formula = Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]


def dynamics_function(
    dynamics: Dynamics, derivation: Derivation
) -> Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]:
    """Return a function (q (n,), qd (n,)) → M (n, n), C (n, n), g (n,) in kg m², N m s and N m (kg, N s/m, N)."""
    numbers = {**derivation.parameters, **dynamics.parameters}
    symbols = [*derivation.variables, *dynamics.speeds, *numbers]
    formulas = [dynamics.mass_matrix, dynamics.coriolis, dynamics.gravity]
    compiled = sympy.lambdify(symbols, formulas, modules="numpy", cse=True)
    constants = list(numbers.values())

    def at(q: Floats, qd: Floats) -> tuple[Floats, Floats, Floats]:
        M, C, g = compiled(*np.asarray(q, dtype=float), *np.asarray(qd, dtype=float), *constants)
        return np.array(M, dtype=float), np.array(C, dtype=float), np.array(g, dtype=float)[:, 0]

    return at


def square_arm(name: str, kinds: tuple[JointKind, ...], seed: int) -> Robot:
    """Return an arm with odd masses everywhere, whose axes are parallel or square to each other."""
    rng = np.random.default_rng(seed)

    def frame() -> Floats:
        return pose.from_xyz_rpy(rng.uniform(-0.4, 0.4, 3), rng.integers(-1, 3, 3) * np.pi / 2)

    return Robot(
        name=name,
        joints=tuple(Joint(f"j{i}", k, frame(), np.eye(3)[rng.integers(3)], -3, 3) for i, k in enumerate(kinds)),
        links=tuple(Link(f"link_{i}", random_inertia(rng)) for i in range(len(kinds) + 1)),
        home=np.zeros(len(kinds)),
        source="made up for tests",
        base=frame(),
        flange=frame(),
        tool=Tool("odd", "pen", frame(), random_inertia(rng)),
    )


def upright_planar() -> Robot:
    """Return planar3 in an upright plane that is off the vertical, with a tool of its own mass."""
    tool = Tool("weight", "pen", pose.from_xyz([0.01, 0.02, 0.0]), random_inertia(np.random.default_rng(8)))
    return catalog.load("planar3").with_base(pose.from_xyz_rpy([0.1, 0.2, 0.3], [1.4, 0.2, 0.3])).with_tool(tool)


MADE_UP: dict[str, Robot] = {
    "RR": square_arm("RR", ("revolute", "revolute"), 6),
    "RP": square_arm("RP", ("revolute", "prismatic"), 8),
    "RRR": square_arm("RRR", ("revolute", "revolute", "revolute"), 11),
    "PRR": square_arm("PRR", ("prismatic", "revolute", "revolute"), 9),
    "RPR": square_arm("RPR", ("revolute", "prismatic", "revolute"), 4),
    "PPP": square_arm("PPP", ("prismatic", "prismatic", "prismatic"), 13),
    "skew RR": random_arm("skew RR", ("revolute", "revolute"), 3),
    "skew RPR": random_arm("skew RPR", ("revolute", "prismatic", "revolute"), 1),
    "upright planar": upright_planar(),
}
NAMES = (*CATALOG, *MADE_UP)


def derived(name: str, convention: DhConvention = "standard") -> tuple[Robot, Derivation, Dynamics]:
    return _derived_once(name, convention)


@cache  # it tells `f(a)` from `f(a, "standard")`, so nothing here may be left out
def _derived_once(name: str, convention: DhConvention) -> tuple[Robot, Derivation, Dynamics]:
    robot = MADE_UP[name] if name in MADE_UP else catalog.load(name)
    derivation = rows_of(robot, convention)
    dynamics = lagrange(robot, derivation)
    assert dynamics is not None
    return robot, derivation, dynamics


def formula_of(name: str, convention: DhConvention = "standard") -> Formula:
    return _formula_once(name, convention)


@cache
def _formula_once(name: str, convention: DhConvention) -> Formula:
    _, derivation, dynamics = _derived_once(name, convention)
    return dynamics_function(dynamics, derivation)


def motions(robot: Robot, count: int, seed: int) -> list[tuple[Floats, Floats]]:
    rng = np.random.default_rng(seed)
    return [(rng.uniform(-2, 2, robot.dof), rng.uniform(-2, 2, robot.dof)) for _ in range(count)]


def largest(*arrays: Floats) -> float:
    return max(1.0, *(float(np.abs(array).max()) for array in arrays))


def assert_pinocchio_agrees(robot: Robot, at: Formula) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for this platform")
    model = pin.buildModelFromXML(urdf_text(robot))
    model.gravity.linear[:] = [0.0, 0.0, -GRAVITY]
    data = model.createData()
    for q, qd in motions(robot, 20, seed=5):
        M, C, g = at(q, qd)
        theirs = np.triu(pin.crba(model, data, q))
        theirs += np.triu(theirs, 1).T
        np.testing.assert_allclose(M, theirs, rtol=0, atol=TOLERANCE * largest(M))
        forces = pin.computeCoriolisMatrix(model, data, q, qd) @ qd
        np.testing.assert_allclose(C @ qd, forces, rtol=0, atol=TOLERANCE * largest(forces))
        weight = pin.computeGeneralizedGravity(model, data, q)
        np.testing.assert_allclose(g, weight, rtol=0, atol=TOLERANCE * largest(weight))


@pytest.mark.parametrize("name", NAMES)
def test_pinocchio_has_the_same_masses_coriolis_forces_and_weights(name: str) -> None:
    assert_pinocchio_agrees(derived(name)[0], formula_of(name))


@pytest.mark.parametrize("name", ["planar3", "scara", "s5-rig", "RRR", "upright planar"])
def test_a_modified_table_gives_the_same_dynamics(name: str) -> None:
    assert_pinocchio_agrees(derived(name, "modified")[0], formula_of(name, "modified"))


def test_a_tool_weighs_on_the_last_link() -> None:
    robot = catalog.load("scara").with_tool(catalog.load_tool("torch"))
    assert robot.tool.inertia.mass > 0.0
    derivation = rows_of(robot)
    dynamics = lagrange(robot, derivation)
    assert dynamics is not None
    assert_pinocchio_agrees(robot, dynamics_function(dynamics, derivation))


def numbers(values: Floats) -> str:
    return " ".join(repr(float(value)) for value in values)


def inertial(inertia: Inertia) -> str:
    matrix = inertia.matrix
    six = np.array([matrix[0, 0], matrix[1, 1], matrix[2, 2], matrix[0, 1], matrix[0, 2], matrix[1, 2]])
    return f'<inertial pos="{numbers(inertia.com)}" mass="{inertia.mass!r}" fullinertia="{numbers(six)}"/>'


def at(T: Floats) -> str:
    return f'pos="{numbers(T[:3, 3])}" quat="{numbers(pose.as_quaternion(T))}"'


def mjcf_text(robot: Robot) -> str:
    """Return the moving parts of an arm as MJCF, with their inertias and nothing else."""
    inner = f"<body {at(robot.flange)}>{inertial(robot.tool.inertia)}</body>" if robot.tool.inertia.mass else ""
    for joint, link in zip(reversed(robot.joints), reversed(robot.links[1:]), strict=True):
        kind = "hinge" if joint.kind == "revolute" else "slide"
        moves = f'<joint type="{kind}" axis="{numbers(joint.axis)}"/>'
        inner = f"<body {at(joint.T_parent_joint)}>{moves}{inertial(link.inertia)}{inner}</body>"
    settings = f'<compiler angle="radian"/><option gravity="0 0 {-GRAVITY}"/>'
    return f"<mujoco>{settings}<worldbody><body {at(robot.base)}>{inner}</body></worldbody></mujoco>"


@pytest.mark.parametrize("name", NAMES)
def test_mujoco_has_the_same_mass_matrix_and_the_same_forces(name: str) -> None:
    mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo has no wheels for this platform")
    robot, formula = derived(name)[0], formula_of(name)
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    data = mujoco.MjData(model)
    for q, qd in motions(robot, 10, seed=6):
        M, C, g = formula(q, qd)
        data.qpos[:], data.qvel[:] = q, qd
        mujoco.mj_forward(model, data)
        theirs = np.zeros((robot.dof, robot.dof))
        mujoco.mj_fullM(model, data, theirs)
        np.testing.assert_allclose(M, theirs, rtol=0, atol=TOLERANCE * largest(M))
        np.testing.assert_allclose(C @ qd + g, data.qfrc_bias, rtol=0, atol=TOLERANCE * largest(g, C @ qd))


@pytest.mark.parametrize("name", NAMES)
def test_the_mass_matrix_is_symmetric_and_positive(name: str) -> None:
    robot, _, dynamics = derived(name)
    formula = formula_of(name)
    assert dynamics.mass_matrix == dynamics.mass_matrix.T
    for q, qd in motions(robot, 10, seed=7):
        assert np.linalg.eigvalsh(formula(q, qd)[0]).min() > 0.0


@pytest.mark.parametrize("name", NAMES)
def test_the_change_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(name: str) -> None:
    robot, formula, h = derived(name)[0], formula_of(name), 1e-5
    for q, qd in motions(robot, 10, seed=8):
        M, C, _ = formula(q, qd)
        ahead, behind = (formula(q + step * h * qd, qd)[0] for step in (1, -1))
        skew = (ahead - behind) / (2 * h) - 2 * C
        np.testing.assert_allclose(skew, -skew.T, rtol=0, atol=1e-7 * largest(M))


@pytest.mark.parametrize("name", ["planar2", "planar3", "scara", "s5-rig"])
def test_the_same_is_skew_in_symbols(name: str) -> None:
    _, derivation, dynamics = derived(name)
    change = sympy.zeros(*dynamics.mass_matrix.shape)
    for variable, speed in zip(derivation.variables, dynamics.speeds, strict=True):
        change += dynamics.mass_matrix.diff(variable) * speed
    skew = change - 2 * dynamics.coriolis
    assert (skew + skew.T).applyfunc(sympy.expand).is_zero_matrix


@pytest.mark.parametrize("name", ["planar3", "scara", "s5-rig", "RPR", "upright planar"])
def test_the_equations_come_from_the_energies(name: str) -> None:
    robot, derivation, dynamics = derived(name)
    values = {**derivation.parameters, **dynamics.parameters}
    speeds = sympy.Matrix(dynamics.speeds)
    laws = [sympy.Matrix([dynamics.kinetic]) - speeds.T * dynamics.mass_matrix * speeds / 2]
    laws.append(sympy.Matrix([dynamics.potential]).jacobian(derivation.variables).T - dynamics.gravity)
    for q, qd in motions(robot, 3, seed=9):
        here = values | dict(zip((*derivation.variables, *dynamics.speeds), (*q, *qd), strict=True))
        for law in laws:
            residual = np.array(law.subs(here).evalf().tolist(), dtype=float)
            np.testing.assert_allclose(residual, 0.0, atol=1e-10)


def test_two_links_have_the_textbooks_equations() -> None:
    _, derivation, dynamics = derived("planar2")
    I1, I2, m1, m2, c1, c2 = (sympy.Symbol(s, real=True) for s in ["I_1zz", "I_2zz", "m_1", "m_2", "c_1x", "c_2x"])
    (t1, t2), (w1, w2), l1 = derivation.variables, dynamics.speeds, derivation.rows[0].a
    across = I2 + m2 * (c2**2 + l1 * c2 * sympy.cos(t2))
    first = I1 + I2 + m1 * c1**2 + m2 * (l1**2 + c2**2 + 2 * l1 * c2 * sympy.cos(t2))
    expected = sympy.Matrix([[first, across], [across, I2 + m2 * c2**2]])
    assert (dynamics.mass_matrix - expected).applyfunc(sympy.expand).is_zero_matrix
    k = m2 * l1 * c2 * sympy.sin(t2)
    coriolis = sympy.Matrix([[-k * w2, -k * (w1 + w2)], [k * w1, 0]])
    assert (dynamics.coriolis - coriolis).applyfunc(sympy.expand).is_zero_matrix
    assert dynamics.gravity.is_zero_matrix
    assert t1 not in dynamics.mass_matrix.free_symbols


@pytest.mark.parametrize("name", NAMES)
def test_every_symbol_has_a_number_and_every_number_is_needed(name: str) -> None:
    _, derivation, dynamics = derived(name)
    used = dynamics.kinetic.free_symbols | dynamics.potential.free_symbols
    assert used <= {*derivation.variables, *dynamics.speeds, *derivation.parameters, *dynamics.parameters}
    assert set(dynamics.parameters) <= used
    for formula in (dynamics.mass_matrix, dynamics.coriolis, dynamics.gravity):
        assert formula.free_symbols <= used


def test_speeds_are_typeset_with_a_dot() -> None:
    speeds = derived("scara")[2].speeds
    assert [sympy.latex(speed) for speed in speeds[1:3]] == [r"\dot{\theta}_{2}", r"\dot{d}_{3}"]


@pytest.mark.parametrize("name", ["kuka-kr6-r900", "braccio", "ur5e"])
def test_arms_with_many_axes_have_no_symbolic_dynamics(name: str) -> None:
    robot = catalog.load(name)
    assert lagrange(robot, rows_of(robot)) is None


def test_four_axes_need_to_be_parallel() -> None:
    robot = square_arm("RRRR", ("revolute",) * 4, 2)
    assert lagrange(robot, rows_of(robot)) is None


def trigonometric_terms(rng: np.random.Generator) -> list[tuple[tuple[int, ...], tuple[int, ...], Fraction]]:
    return [
        (tuple(map(int, rng.integers(0, 3, 2))), tuple(map(int, rng.integers(0, 3, 2))), Fraction(int(f), 2))
        for f in rng.integers(-4, 5, 4)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_the_normal_form_of_sines_and_cosines_is_the_same_function(seed: int) -> None:
    rng = np.random.default_rng(seed)
    angles = sympy.symbols("u v", real=True)
    terms = trigonometric_terms(rng)
    written = sympy.lambdify(angles, trigonometry.written(trigonometry.normal_form(terms, 2), angles))
    for u, v in rng.uniform(-3, 3, (5, 2)):
        sines, cosines = np.sin([u, v]), np.cos([u, v])
        plain = sum(float(f) * np.prod(sines**a) * np.prod(cosines**b) for a, b, f in terms)
        assert written(u, v) == pytest.approx(plain, abs=1e-12)


def test_sums_of_waves_are_written_as_products() -> None:
    u, v = angles = sympy.symbols("u v", real=True)
    cosine_squared = [((0, 0), (2, 0), Fraction(1))]
    assert trigonometry.written(trigonometry.normal_form(cosine_squared, 2), angles) == sympy.cos(u) ** 2
    both = [*cosine_squared, ((2, 0), (0, 0), Fraction(1))]
    assert trigonometry.written(trigonometry.normal_form(both, 2), angles) == 1
    turned = [((0, 0), (1, 1), Fraction(1)), ((1, 1), (0, 0), Fraction(-1))]
    assert trigonometry.written(trigonometry.normal_form(turned, 2), angles) == sympy.cos(u + v)
