from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from refusals import refused

import armlab
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kinematics.symbolic.check import FormulaVerdict, check_formula
from armlab.kinematics.symbolic.sampled_arm import SampledArm, quantity_of
from armlab.model.dh import DhRow, DhTable, robot_from_dh
from armlab.model.robot import Robot

PARALLEL_ARMS = {
    ("planar2", "x"): "L1*cos(t1) + L2*cos(t1+t2)",
    ("planar2", "y"): "L1*sin(t1) + L2*sin(t1+t2)",
    ("planar2", "r12"): "-sin(t1+t2)",
    ("planar2", "J11"): "-L1*sin(t1) - L2*sin(t1+t2)",
    ("planar2", "J22"): "L2*cos(t1+t2)",
    ("planar2", "det"): "L1*L2*sin(t2)",
    ("planar3", "x"): "L1*cos(t1) + L2*cos(t1+t2) + L3*cos(t1+t2+t3)",
    ("planar3", "y"): "L1*sin(t1) + L2*sin(t1+t2) + L3*sin(t1+t2+t3)",
    ("planar3", "phi"): "t1 + t2 + t3",
    ("planar3", "J23"): "L3*cos(t1+t2+t3)",
    ("scara-s3", "x"): "L1*cos(t1) + L2*cos(t1+t2) + x_t*cos(t1+t2) - y_t*sin(t1+t2)",
    ("scara-s3", "y"): "L1*sin(t1) + L2*sin(t1+t2) + x_t*sin(t1+t2) + y_t*cos(t1+t2)",
    ("scara-s3", "z"): "L3 - d3 + z_t",
    ("scara-s3", "det"): "-L1*L2*sin(t2) - L1*x_t*sin(t2) - L1*y_t*cos(t2)",
    ("scara", "x"): "L1*cos(t1) + L2*cos(t1+t2)",
    ("scara", "z"): "d1 + d4 + q3",
    ("scara", "J12"): "-L2*sin(t1+t2)",
}
SPATIAL_ARMS = {
    ("puma560", "z"): "d1 + a2*sin(t2) + a3*sin(t2+t3) + d4*cos(t2+t3)"
    " + d6*(cos(t5)*cos(t2+t3) - cos(t4)*sin(t5)*sin(t2+t3))",
    ("stanford", "r33"): "cos(t2)*cos(t5) - sin(t2)*sin(t4)*sin(t5)",
    ("kuka-kr6-r900", "J63"): "0",
}
FORMULAS = PARALLEL_ARMS | SPATIAL_ARMS


def _arm(name: str) -> Robot:
    """Return an arm; the SCARA of the paper with a tool, so that every term of its formulas counts."""
    robot = armlab.load(name)
    tip = armlab.Tool("tip", "none", pose.from_xyz_abc([0.007, -0.009, -0.015], [0, 0, 0]))
    return robot.with_tool(tip) if name == "scara-s3" else robot


def _check(arm: str, quantity: str, text: str) -> FormulaVerdict:
    return check_formula(armlab.load(arm), quantity, text)


def _mutants(text: str) -> set[str]:
    """Return the text with one thing changed at a time: a function, a sign, a length, an index, a factor, a term."""
    pieces = re.split(r"(sin|cos|[Ladtq]\d|[xyz]_t|[-+*])", text)
    found = set()
    for i, piece in enumerate(pieces):
        before, after = "".join(pieces[:i]), "".join(pieces[i + 1 :])
        changes = {"sin": ["cos"], "cos": ["sin"], "+": ["-"], "-": ["+"] if before.strip() else [""]}.get(piece, [])
        if re.fullmatch(r"[Lt]\d", piece):
            changes = [piece[0] + other for other in "12" if other != piece[1]] + [f"2*{piece}", f"({piece} + 0.01)"]
        elif re.fullmatch(r"[adq]\d|[xyz]_t", piece):
            changes = [f"2*{piece}", f"(-{piece})", f"({piece} + 0.01)"]
        found |= {before + change + after for change in changes}
    terms = text.split(" + ")
    if len(terms) > 1 and "(cos" not in text:
        found |= {" + ".join(terms[:i] + terms[i + 1 :]) for i in range(len(terms))}
    return (found | {f"2*({text})", f"-({text})", f"{text} + 1", f"1.000001*({text})"}) - {text}


@pytest.mark.parametrize(("arm", "quantity"), PARALLEL_ARMS)
def test_the_right_formula_is_right_whatever_the_lengths(arm: str, quantity: str) -> None:
    verdict = check_formula(_arm(arm), quantity, FORMULAS[arm, quantity])
    assert verdict.right
    assert verdict.message.code == "right"
    assert verdict.message.parameters == {"quantity": quantity, "robot": arm}
    assert (verdict.counter_example, verdict.yours, verdict.expected) == (None, None, None)


def test_there_are_many_mutants() -> None:
    assert sum(len(_mutants(right)) for right in PARALLEL_ARMS.values()) > 300


@pytest.mark.parametrize(("arm", "quantity"), PARALLEL_ARMS)
def test_every_mutant_is_refused_with_a_pose_where_it_fails(arm: str, quantity: str) -> None:
    robot = _arm(arm)
    for text in sorted(_mutants(FORMULAS[arm, quantity])):
        verdict = check_formula(robot, quantity, text)
        assert not verdict.right, text
        assert verdict.message.code in {"wrong", "no_value"}, text
        assert verdict.yours != verdict.expected


@pytest.mark.parametrize(("arm", "quantity"), PARALLEL_ARMS)
def test_a_counter_example_is_true(arm: str, quantity: str) -> None:
    robot = armlab.load(arm)
    verdict = _check(arm, quantity, f"2*({FORMULAS[arm, quantity]}) + 1")
    assert verdict.counter_example is not None
    assert verdict.expected is not None
    slides = np.array([joint.kind == "prismatic" for joint in robot.joints])
    shown = np.array(list(verdict.counter_example.values()))[: robot.dof]
    q = np.where(slides, shown * 1e-3, np.radians(shown))
    assert np.all((q >= robot.lower) & (q <= robot.upper))
    sampled = SampledArm.from_robot(robot)
    expected = quantity_of(sampled, quantity).read(sampled.at(np.where(slides, shown, q)[None], {}))
    assert verdict.expected == pytest.approx(expected[0])
    if quantity in {"x", "y", "z"}:
        assert verdict.expected == pytest.approx(robot.fk(q)["xyz".index(quantity), 3] * 1e3)
    assert verdict.yours == pytest.approx(2 * verdict.expected + 1)


@pytest.mark.parametrize(
    ("arm", "quantity", "text"),
    [
        ("planar2", "x", "cos(t1+t2)*L2 + cos(t1)*L1"),
        ("planar2", "x", "L1*cos(t1) + L2*(cos(t1)*cos(t2) - sin(t1)*sin(t2))"),
        ("planar2", "x", "(L1 + L2*cos(t2))*cos(t1) - L2*sin(t2)*sin(t1)"),
        ("planar2", "x", "L1*sin(t1 + pi/2) + L2*sin(pi/2 - t1 - t2)"),
        ("planar2", "x", "L1*(1 - 2 sin²(t1/2)) + L2*(2cos(t1/2 + t2/2)^2 - 1)"),
        ("planar2", "x", "L1*(1 - tan(t1/2)^2)/(1 + tan(t1/2)^2) + L2*c12"),
        ("planar2", "x", "sqrt(L1^2)*sin(2t1)/(2sin(t1)) + L2 c12"),
        ("planar2", "x", "sqrt(L1² + L2² + 2L1 L2 c2) cos(atan2(L1 s1 + L2 s12, L1 c1 + L2 c12))"),
        ("planar2", "det", "L1 c1 L2 s12 - L1 s1 L2 c12"),
        ("planar3", "x", "L1c1 + L2c12 + L3c123"),
        ("planar3", "phi", "atan2(s123, c123)"),
        ("planar3", "phi", "t1 + t2 + t3 - 2pi"),
        ("scara-s3", "x", "L1 c1 + (L2 + x_t) c12"),
        ("scara-s3", "x", "L1 c1 + L2 c12"),
        ("scara-s3", "z", "L3 − d3"),
        ("scara-s3", "z", "d1 - d_3 + t_z"),
        ("scara", "z", "L3 + L4 + Z"),
        ("scara", "phi", "Q1 + Q2 + Q4"),
    ],
)
def test_any_equal_form_is_right(arm: str, quantity: str, text: str) -> None:
    assert _check(arm, quantity, text).right


@pytest.mark.parametrize(("arm", "quantity"), SPATIAL_ARMS)
def test_spatial_arms_are_checked_too(arm: str, quantity: str) -> None:
    right = FORMULAS[arm, quantity]
    assert _check(arm, quantity, right).right
    assert not _check(arm, quantity, f"{right} + 1").right


@pytest.mark.parametrize("one", ["t1", "theta1", "theta_1", "θ1", "θ_1", "θ₁", "q1", "Q1", "Theta1", "th1"])
@pytest.mark.parametrize("length", ["L1", "l1", "L_1", "L₁", "a1", "a_1"])
def test_many_spellings_mean_the_same(one: str, length: str) -> None:
    assert _check("planar2", "x", f"{length} cos({one}) + L2 cos({one} + q2)").right


def test_the_quantity_may_stand_before_an_equals_sign() -> None:
    assert _check("planar2", "x", "x = L1 c1 + L2 c12").right
    assert _check("planar3", "phi", "φ = t1 + t2 + t3").right
    with refused("equals_sign", InvalidInput, column=3, quantity="x"):
        _check("planar2", "x", "y = L1 s1")
    with refused("unknown_symbol", InvalidInput, text="k1", column=9):
        _check("planar2", "x", "x = L1 +k1")


def test_numbers_may_stand_for_the_lengths_of_the_arm() -> None:
    verdict = _check("planar2", "x", "300 c1 + L2 c12")
    assert verdict.right
    assert verdict.message.code == "right_for_these_lengths"
    assert "L1 = 300 mm" in str(verdict.message)
    assert _check("scara", "z", "350 + Z").right
    assert not _check("scara", "z", "360 + Z").right


@pytest.mark.parametrize("text", ["L2 c1 + L1 c12", "L1 (c1 + c12)", "L1 c1 + L3 c12"])
def test_equal_lengths_are_told_apart(text: str) -> None:
    verdict = _check("scara-s3", "x", text)
    assert not verdict.right
    assert verdict.message.parameters["hint"].code == "lengths_agree"
    assert verdict.counter_example is not None
    assert {"theta_1", "theta_2", "d_3", "L1"} <= set(verdict.counter_example)


def test_the_paper_of_the_scara_is_right_and_gives_its_numbers() -> None:
    robot = armlab.load("scara-s3").with_tool(armlab.Tool("tip", "none", pose.from_xyz_abc([0, 0, -0.015], [0, 0, 0])))
    assert check_formula(robot, "z", "L3 - d3 + z_t").right
    assert check_formula(robot, "z", "35 - d3").right
    assert not check_formula(robot, "z", "L3 - d3").right
    values = SampledArm.from_robot(robot).at(np.array([[np.pi / 4, np.pi / 2, 30.0]]), {})
    np.testing.assert_allclose(values.tool[0, :3, 3], [0.0, 70.7106781, 5.0], atol=1e-6)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("-L1 c1 - L2 c12", "only the sign is wrong"),
        ("0.3 c1 + 0.2 c12", "0.001 times that; lengths are in millimetres"),
        ("2L1 c1 + 2L2 c12", "always 2 times that"),
        ("L1 c1 + L2 c12 - 5", "always too small by 5 mm"),
        ("L1 cos(t1*pi/180) + L2 cos((t1+t2)*pi/180)", "angles are in radians here, not degrees"),
        ("300.01 c1 + 200 c12", "as if a number in the formula were rounded"),
        ("L1 c1 + L2 c12 + d1", "L1 = 300 mm, L2 = 200 mm, d1 = 0 mm"),
        ("L1 acos(2) + L2", "has no value, but x is"),
    ],
)
def test_a_mistake_with_a_pattern_gets_a_hint(text: str, hint: str) -> None:
    verdict = _check("planar2", "x", text)
    assert not verdict.right
    assert hint in str(verdict.message)


def test_a_formula_without_a_value_somewhere_is_wrong() -> None:
    verdict = _check("planar2", "x", "L1 acos(2)")
    assert (verdict.right, verdict.yours) == (False, None)
    verdict = _check("planar2", "x", "L1 c1 + L2 c12 + 0 sqrt(s1)")
    assert (verdict.right, verdict.yours) == (False, None)
    assert verdict.counter_example is not None
    assert verdict.counter_example["theta_1"] < 0


def test_what_holds_only_inside_the_limits_is_wrong_and_says_where() -> None:
    verdict = _check("planar3", "y", "L1 sqrt(1 - c1²) + L2 s12 + L3 s123")
    assert not verdict.right
    assert "outside the joint limits" in str(verdict.message)


def test_the_verdict_is_the_same_each_time() -> None:
    assert _check("planar3", "x", "L1 c1") == _check("planar3", "x", "L1 c1")


@pytest.mark.parametrize(
    "name", ["planar3", "scara-s3", "stanford", "puma560", "kuka-kr6-r900", "ur5e", "franka-panda"]
)
def test_what_is_expected_is_what_the_arm_does(name: str) -> None:
    robot = armlab.load(name, tool="gripper").with_base(pose.from_xyz_abc([0.1, -0.2, 0.3], [0.4, 0.5, 0.6]))
    slides = np.array([joint.kind == "prismatic" for joint in robot.joints])
    q = np.random.default_rng(8).uniform(-1.5, 1.5, (20, robot.dof))
    at = SampledArm.from_robot(robot).at(np.where(slides, q * 1e3, q), {})
    T, J = robot.fk(q), robot.jacobian(q)
    np.testing.assert_allclose(at.tool[:, :3, 3], T[:, :3, 3] * 1e3, atol=1e-8)
    np.testing.assert_allclose(at.tool[:, :3, :3], T[:, :3, :3], atol=1e-11)
    np.testing.assert_allclose(at.jacobian[:, :3], J[:, :3] * np.where(slides, 1.0, 1e3), atol=1e-8)
    np.testing.assert_allclose(at.jacobian[:, 3:], J[:, 3:], atol=1e-11)


def test_sampled_lengths_are_those_of_an_arm_with_these_lengths() -> None:
    rows = (DhRow("one", "revolute", 0.3, 0.11, 0.2, 0.7), DhRow("two", "prismatic", -0.4, 0.05, 0.13, -1.1))
    lower, upper = [-3, -1], [3, 1]
    other = DhTable("standard", rows, pose.from_xyz_abc([0.1, 0.2, 0.3], [0, 0, 0]), np.eye(4))
    robot = robot_from_dh(other, name="two", lower=lower, upper=upper)
    arm, q = SampledArm.from_robot(robot), np.array([[0.5, 70.0]])
    assert {"a_1", "d_1", "a_2", "h_2"} <= set(arm.own)
    changed = {"a_1": 210.0, "b_x": arm.own["b_x"] + 5.0, "x_t": 12.0}
    T = arm.at(q, {name: np.array([value]) for name, value in changed.items()}).tool[0]
    p = arm.at(q, {"t_x": np.array([12.0])}).tool[0]
    longer = (DhRow("one", "revolute", 0.3, 0.11, 0.21, 0.7), rows[1])
    moved = robot_from_dh(DhTable("standard", longer, other.base, np.eye(4)), name="longer", lower=lower, upper=upper)
    tip = armlab.Tool("tip", "none", pose.from_xyz_abc([0.012, 0, 0], [0, 0, 0]))
    expected = moved.with_tool(tip).fk([0.5, 0.07])[:3, 3] * 1e3 + [5.0, 0.0, 0.0]
    np.testing.assert_allclose(T[:3, 3], expected, atol=1e-8)
    assert np.isfinite(p).all()


@pytest.mark.parametrize(
    ("arm", "quantity", "text", "sentence"),
    [
        (
            "planar2",
            "x",
            "L1 + k1",
            "column 6: 'k1' is not known for planar2; known: theta1, theta2 .*L1, L2.* sin, ",
        ),
        ("planar2", "x", "t3", "column 1: 't3' is not known"),
        ("puma560", "x", "L1", "column 1: 'L1' is not known for puma560; known: theta1 … theta6"),
        ("scara", "x", "c1 + t3", "column 6: joint 3 is prismatic: its value is d3 or q3, not 't3'"),
        ("scara", "x", "c13", "column 1: 'c13': joint 3 is prismatic, so it has no cos"),
        ("planar2", "x", "s14", "column 1: 's14': planar2 has no joint 4"),
        ("planar2", "x", "c11", "column 1: 'c11' names a joint twice"),
        ("planar2", "w", "1", "planar2: no quantity named 'w'; known: x, y, z, r11 … r33, J11 … J62, det, phi"),
        ("puma560", "phi", "1", "puma560: no quantity named 'phi'; known: x, y, z, r11 … r33, J11 … J66, det$"),
        ("planar2", "J13", "1", "J13: columns of the Jacobian of planar2 go from 1 to 2"),
        ("franka-panda", "det", "1", "det: the Jacobian of franka-panda is not square"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_one_sentence(arm: str, quantity: str, text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        _check(arm, quantity, text)


def test_a_joints_own_name_means_that_joint() -> None:
    assert _check("kuka-kr6-r900", "J61", "cos(A1)^2 + sin(q1)^2 - 2").right


def test_angles_of_the_table_have_names() -> None:
    assert _check("puma560", "r33", "0 + cos(alpha1) + delta2").right is False
    assert _check("xarm6", "J61", "cos(0 delta2) + 0 alpha_1").right


@pytest.mark.parametrize("arm", ["planar2", "kuka-kr6-r900", "franka-panda"])
def test_the_longest_formulas_are_checked(arm: str) -> None:
    robot = armlab.load(arm)
    texts = [
        "+".join(itertools.repeat("atan2(a1,t1)^9.5", 117)),
        "a1" * 990,
        "+".join(f"{n}t1" for n in "1234567" * 70),
    ]
    for text in texts:
        assert not check_formula(robot, "x", text).right
