"""Joints of a chain that mimic others: what becomes of their laws, and that files carry them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from coupled_arms import ARMS, coupled_arm, random_rows
from formats.urdf_files import joint, link, robot_text

import armlab
from armlab.calibration.clinic.plant import simulate_run
from armlab.calibration.identification.excitation import excite
from armlab.catalog import load_text
from armlab.catalog.write import robot_toml
from armlab.errors import InvalidInput, NotSupported
from armlab.formats.chain import ArmOfFile, arm_of, chains_of
from armlab.formats.mjcf_write import mjcf_text
from armlab.formats.urdf import read_urdf, urdf_text
from armlab.formats.urdf_read import read_urdf_description
from armlab.kinematics.symbolic.derive import derive
from armlab.model.dh import dh_table
from armlab.model.rescale import rescaled
from armlab.model.robot import Robot
from armlab.reports.robots import robot_sheet


def limited(lower: float = -2.0, upper: float = 2.0, more: str = "") -> str:
    return f'<limit lower="{lower}" upper="{upper}" velocity="1" effort="5"/>{more}'


def imported(folder: Path, *joints: str, **ends: str) -> ArmOfFile:
    """Return the arm of a chain of links l0, l1, … between which the joints are."""
    path = folder / "arm.urdf"
    path.write_text(robot_text(*(link(f"l{i}") for i in range(len(joints) + 1)), *joints), encoding="utf-8")
    return arm_of(read_urdf_description(path), **ends)


def row(i: int, name: str, more: str = "", kind: str = "revolute", **limits: float) -> str:
    return joint(name, f"l{i}", f"l{i + 1}", kind, inside=limited(**limits, more=more))


def codes(arm: ArmOfFile) -> list[str]:
    return [finding.code for finding in arm.findings]


def test_a_follower_at_the_end_belongs_to_the_chain_and_is_no_axis(tmp_path: Path) -> None:
    arm = imported(tmp_path, row(0, "a", kind="prismatic"), row(1, "b", '<mimic joint="a"/>', "prismatic"))
    assert [j.name for j in arm.robot.joints] == ["a"]
    assert [f.joint.name for f in arm.robot.followers] == ["b"]
    assert arm.robot.fk([0.25])[2, 3] == pytest.approx(0.5 + 0.25 + 0.5 + 0.25, abs=1e-15)
    path = tmp_path / "arm.urdf"
    assert [(chain.tip, chain.dof) for chain in chains_of(read_urdf_description(path))] == [("l2", 1)]


def test_a_follower_of_a_follower_has_both_laws(tmp_path: Path) -> None:
    arm = imported(
        tmp_path,
        row(0, "a", lower=-0.5, upper=0.5),
        row(1, "b", '<mimic joint="a" multiplier="2" offset="0.3"/>'),
        row(2, "c", '<mimic joint="b" multiplier="-0.5" offset="0.1"/>'),
    )
    q = 0.4
    b = 2.0 * q + 0.3
    angle = q + b + (-0.5 * b + 0.1)  # all turn about z
    assert math.atan2(*arm.robot.fk([q])[[1, 0], 0]) == pytest.approx(angle, abs=1e-14)


def test_limits_and_speed_of_a_leader_are_narrowed_to_what_its_follower_may(tmp_path: Path) -> None:
    arm = imported(
        tmp_path, row(0, "a"), row(1, "b", '<mimic joint="a" multiplier="-4" offset="1"/>', lower=-1, upper=3)
    )
    (leader,) = arm.robot.joints
    assert (leader.lower, leader.upper, leader.velocity) == (-0.5, 0.5, 0.25)
    assert codes(arm) == ["mimic_in_chain", "mimic_limits", "mimic_speed"]


def test_limits_that_leave_no_value_to_both_are_the_leaders(tmp_path: Path) -> None:
    arm = imported(tmp_path, row(0, "a"), row(1, "b", '<mimic joint="a" offset="9"/>'))
    assert codes(arm) == ["mimic_in_chain", "limits_follower"]
    assert (arm.robot.lower[0], arm.robot.upper[0]) == (-2.0, 2.0)


@pytest.mark.parametrize("law", ['joint="out" offset="0.5"', 'joint="a" multiplier="0" offset="0.5"'])
def test_a_joint_that_follows_what_does_not_move_it_is_fixed_at_its_offset(tmp_path: Path, law: str) -> None:
    beside = joint("out", "l0", "side", inside=limited()) + link("side")
    arm = imported(tmp_path, row(0, "a"), row(1, "b", f"<mimic {law}/>"), row(2, "c") + beside, tip="l3")
    assert [j.name for j in arm.robot.joints] == ["a", "c"]
    assert "mimic_fixed" in codes(arm)
    assert math.atan2(*arm.robot.fk([0.2, 0.1])[[1, 0], 0]) == pytest.approx(0.2 + 0.5 + 0.1, abs=1e-14)


@pytest.mark.parametrize("leader", ["b", "c", "nobody"])
def test_a_joint_that_follows_itself_or_nobody_moves_on_its_own(tmp_path: Path, leader: str) -> None:
    joints = row(0, "a"), row(1, "b", f'<mimic joint="{leader}"/>'), row(2, "c", '<mimic joint="b"/>')
    arm = imported(tmp_path, *joints, tip="l3")
    assert [j.name for j in arm.robot.joints] == ["a", "b", "c"]
    assert codes(arm) == ["mimic_ignored"] * 2


def test_a_law_between_millimetres_and_radians_is_in_metres_afterwards(tmp_path: Path) -> None:
    lengths = 'xyz="0 0 0.5"', 'xyz="0 0 90000"'
    joints = [
        row(0, "a"),
        row(1, "b", '<mimic joint="a" multiplier="200" offset="50"/>', "prismatic", lower=-900, upper=900),
    ]
    path = tmp_path / "arm.urdf"
    path.write_text(robot_text(*(link(f"l{i}") for i in range(3)), *joints).replace(*lengths), encoding="utf-8")
    robot = armlab.load(path)
    assert robot.fk([0.3])[2, 3] == pytest.approx(180.0 + 0.2 * 0.3 + 0.05, abs=1e-12)


def test_a_file_whose_joint_follows_nothing_it_can_is_refused() -> None:
    text = robot_toml(coupled_arm("palletiser"))
    with pytest.raises(InvalidInput) as caught:
        load_text(text.replace('follows = { joint = "lift"', 'follows = { joint = "upright"'))
    assert caught.value.code == "follows_wrong"


def test_joint_values_that_would_take_a_follower_out_of_its_limits_are_refused() -> None:
    text = robot_toml(coupled_arm("palletiser"))
    for wrong in (
        "home = [0.0, 0.0, 64.0, 0.0]",
        "home = [0.0, 0.0, 0.0, 0.0]\nconfigurations = { up = [0, 0, 64, 0] }",
    ):
        wide = text.replace("upper = 63.02535746439057", "upper = 90.0")
        assert load_text(wide).upper[2] == pytest.approx(1.1, abs=1e-12)
        with pytest.raises(InvalidInput) as caught:
            load_text(wide.replace("home = [0.0, 0.0, 0.0, 0.0]", wrong))
        assert "outside" in str(caught.value)


def same_arm(one: Robot, other: Robot) -> None:
    q = random_rows(one)
    assert [j.name for j in one.joints] == [j.name for j in other.joints]
    np.testing.assert_allclose(other.frames(q), one.frames(q), atol=1e-12)
    for limit in ("lower", "upper", "velocity"):
        np.testing.assert_allclose(getattr(other, limit), getattr(one, limit), rtol=1e-12)


@pytest.mark.parametrize("name", ARMS)
def test_a_coupled_arm_is_the_same_from_its_toml_file(name: str) -> None:
    same_arm(coupled_arm(name), load_text(robot_toml(coupled_arm(name))))


@pytest.mark.parametrize("name", ARMS)
def test_a_coupled_arm_is_the_same_from_its_urdf_file(name: str, tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(urdf_text(coupled_arm(name)), encoding="utf-8")
    made, robot = read_urdf(file, tip="tool"), coupled_arm(name)
    q = random_rows(robot)
    np.testing.assert_allclose(made.fk(q), robot.fk(q), atol=1e-12)


@pytest.mark.parametrize("name", ARMS)
def test_mujoco_moves_the_followers_of_an_exported_arm_as_we_do(name: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheels for this platform")
    robot, text = coupled_arm(name), mjcf_text(coupled_arm(name))
    file = tmp_path / "arm.xml"
    file.write_text(text, encoding="utf-8")
    same = armlab.load(file)
    model = mujoco.MjModel.from_xml_string(text)
    data, q = mujoco.MjData(model), random_rows(robot, 5)
    np.testing.assert_allclose(same.fk(q), robot.fk(q), atol=1e-12)
    for values in q:
        for own, value in zip(robot.joints, values, strict=True):
            data.joint(own.name).qpos = value
        for i in range(model.neq):  # each follower where the constraint has no residual
            follower, leader, law = model.eq_obj1id[i], model.eq_obj2id[i], model.eq_data[i]
            data.qpos[model.jnt_qposadr[follower]] = law[0] + law[1] * data.qpos[model.jnt_qposadr[leader]]
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(data.body("tool").xpos, robot.fk(values)[:3, 3], atol=1e-9)
        assert np.abs(data.efc_pos[: model.neq]).max() < 1e-12


def test_mujoco_counts_the_values_of_a_law_from_the_references_of_its_joints(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheels for this platform")
    mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    text = f"""<mujoco><worldbody><body name="a">{mass}<joint name="l" axis="0 1 0" range="-90 90" ref="20"/>
        <body name="b" pos="0.3 0 0">{mass}<joint name="f" axis="0 1 0" range="-170 170" ref="-10"/>
        <body name="c" pos="0.2 0 0">{mass}<joint name="s" type="slide" axis="1 0 0" range="-1 1" ref="0.05"/>
        </body></body></body></worldbody><equality><joint joint1="f" joint2="l" polycoef="0.2 -0.5 0 0 0"/>
        <joint joint1="s" joint2="l" polycoef="0.01 0.1 0 0 0"/></equality></mujoco>"""
    file = tmp_path / "arm.xml"
    file.write_text(text, encoding="utf-8")
    robot, model = armlab.load(file), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for value in (-0.7, 0.0, 0.9):
        made = value - model.qpos0[0]
        data.qpos[:] = value, model.qpos0[1] + 0.2 - 0.5 * made, model.qpos0[2] + 0.01 + 0.1 * made
        mujoco.mj_forward(model, data)
        assert np.abs(data.efc_pos[: model.neq]).max() < 1e-12
        np.testing.assert_allclose(robot.fk([value])[:3, 3], data.body("c").xpos, atol=1e-12)


def test_a_coupled_arm_can_be_scaled() -> None:
    robot = coupled_arm("telescope")
    q = random_rows(robot)
    np.testing.assert_allclose(rescaled(robot, 2.0).fk(q)[:, :3, 3], 2.0 * robot.fk(q)[:, :3, 3], atol=1e-12)


def test_the_sheet_of_an_arm_states_its_laws_in_the_units_of_its_joints() -> None:
    stage, second = robot_sheet(
        coupled_arm("telescope")
    ).followers  # 0.1 m per rad, plus 0.2 m; half of that, plus 0.05 m
    assert (stage.name, stage.follows, stage.unit, second.follows) == ("stage", "tilt", "mm", "tilt")
    assert (stage.multiplier, stage.offset) == pytest.approx((100.0 * math.pi / 180.0, 200.0), rel=1e-6)
    assert (second.multiplier, second.offset) == pytest.approx((50.0 * math.pi / 180.0, 150.0), rel=1e-6)
    assert robot_sheet(armlab.load("scara")).followers == ()


@pytest.mark.parametrize(
    ("asked", "what"),
    [(derive, "derivation"), (excite, "identification"), (lambda arm: simulate_run(arm, None), "clinic")],
)
def test_a_refusal_names_what_is_refused(asked: Callable[[Robot], object], what: str) -> None:
    with pytest.raises(NotSupported, match=what) as caught:
        asked(coupled_arm("palletiser"))
    assert caught.value.code == "coupled_joints"


def test_what_does_not_know_coupled_joints_says_so() -> None:
    with pytest.raises(NotSupported) as caught:
        dh_table(coupled_arm("palletiser"), "standard")
    assert caught.value.code == "coupled_joints"
    with pytest.raises(NotSupported):
        _constants, *_rest = coupled_arm("palletiser").chain
