"""URDF files that are imperfect: what is made of them, and that it is said."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from formats.urdf_files import ONE_AXIS, inertial, joint, link, robot_text
from hypothesis import given
from hypothesis import strategies as st

from armlab.catalog.importing import import_arm
from armlab.errors import NotSupported
from armlab.formats.chain import ArmOfFile, arm_of, chains_of
from armlab.formats.description import Repairs
from armlab.formats.repair import GivenLimits, repaired_inertia, repaired_limits
from armlab.formats.urdf_read import read_urdf_description

BASE, ARM, A1 = ONE_AXIS


def imported(folder: Path, text: str, **ends: str) -> ArmOfFile:
    path = folder / "arm.urdf"
    path.write_text(text, encoding="utf-8")
    return arm_of(read_urdf_description(path), **ends)


REPAIRED = [
    ((BASE, ARM, A1, link("lost")), "link_apart"),
    ((BASE, ARM, A1, joint("A2", "base", "arm")), "second_parent"),
    ((BASE, ARM, A1.replace("1.5", "-2")), "limits_equal"),
    ((BASE, ARM, A1.replace('"-2" upper="1.5"', '"1" upper="-1"')), "limits_reversed"),
    ((BASE, ARM, A1.replace("1.5", "-1")), "limits_without_zero"),
    ((BASE, ARM, A1.replace("1.5", "999999")), "limits_endless"),
    ((BASE, ARM, joint("A1", "base", "arm", inside="")), "limits_missing"),
    ((BASE, ARM, joint("A1", "base", "arm", inside='<limit velocity="1"/>')), "limits_missing"),
    ((BASE, ARM, A1.replace('velocity="3"', 'velocity="-3"')), "limit_negative"),
    ((BASE, link("arm", inertial(-1)), A1), "mass_negative"),
    ((BASE, link("arm", "<inertial/>"), A1), "mass_missing"),
    ((BASE, link("arm", "<inertial><mass/></inertial>"), A1), "mass_missing"),
    ((BASE, link("arm", inertial(1, inside='<inertia ixx="9" iyy="1" izz="1"/>')), A1), "inertia_repaired"),
    ((BASE, ARM, A1, link("up"), joint("U", "base", "up")), "tip_chosen"),
    ((link("ground"), joint("free", "ground", "base", "floating"), *ONE_AXIS), "free_base"),
    ((BASE, ARM, A1, '<xacro:property name="h" value="1"/>'), "xml_namespace"),
    ((BASE, ARM, A1, '<x:grey xmlns:x="http://www.ros.org/wiki/xacro"/>'), "xacro_leftover"),
    ((BASE, link("arm", '<x:grey xmlns:x="http://ros.org/wiki/xacro"/>'), A1), "xacro_leftover"),
    ((BASE, ARM, A1.replace('axis xyz="0 0 1"', 'axis xzy="0 0 1"')), "attribute_misspelt"),
    ((BASE, ARM, A1.replace('effort="50"', 'effrot="50"')), "attribute_misspelt"),
    ((BASE, ARM, A1.replace('origin xyz="0 0 0.5"', 'origin xyz="0 0 0.5" rpz="0 0 1"')), "attribute_misspelt"),
]


@pytest.mark.parametrize(("parts", "code"), REPAIRED, ids=[f"{i}-{code}" for i, (_, code) in enumerate(REPAIRED)])
def test_what_is_imperfect_is_read_and_said_with_its_place(tmp_path: Path, parts: tuple[str, ...], code: str) -> None:
    arm = imported(tmp_path, robot_text(*parts))
    assert arm.robot.dof == 1
    assert [finding.code for finding in arm.findings] == [code]
    assert arm.findings[0].where["file"] == "arm.urdf"


def test_a_whole_file_has_no_findings(tmp_path: Path) -> None:
    assert imported(tmp_path, robot_text(*ONE_AXIS)).findings == ()


def test_a_leftover_of_a_template_changes_nothing(tmp_path: Path) -> None:
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    inside = "".join((BASE, "<xacro:grey/>", link("arm", "<xacro:grey/>"), A1))
    (tmp_path / "arm.urdf").write_text(f"{head}{inside}</robot>")
    arm = import_arm(tmp_path / "arm.urdf")
    assert arm.format == "urdf"
    assert [finding.code for finding in arm.findings if finding.severity == "warning"][:2] == ["xacro_leftover"] * 2
    theirs = pin.buildModelFromXML(f"{head}{inside}</robot>")
    data = theirs.createData()
    pin.forwardKinematics(theirs, data, np.array([0.7]))
    np.testing.assert_allclose(arm.robot.fk([0.7]), data.oMi[1].homogeneous, atol=1e-12)


def test_an_axis_whose_direction_is_misspelt_is_that_of_urdf_without_one(tmp_path: Path) -> None:
    arm = imported(tmp_path, robot_text(BASE, ARM, A1.replace('axis xyz="0 0 1"', 'axis xzy="0 0 1"')))
    np.testing.assert_array_equal(arm.robot.joints[0].axis, [1.0, 0.0, 0.0])
    (said,) = arm.findings
    assert (said.message.parameters["given"], said.message.parameters["near"]) == ("xzy", "xyz")


def test_attributes_that_urdf_does_not_have_are_skipped_where_none_is_like_them(tmp_path: Path) -> None:
    more = A1.replace('type="revolute"', 'type="revolute" colour="red" id="7"')
    assert imported(tmp_path, robot_text(BASE, ARM, more)).findings == ()


def test_what_stands_before_the_declaration_is_skipped_and_lines_keep_their_numbers(tmp_path: Path) -> None:
    broken = robot_text(BASE, "\n", ARM, A1.replace("1.5", "-2"))
    plain = imported(tmp_path, broken).findings[0].where["line"]
    arm = imported(tmp_path, "<!-- made by a tool -->\n\n" + broken)
    assert [finding.code for finding in arm.findings] == ["xml_prologue", "limits_equal"]
    assert arm.findings[1].where["line"] == int(plain) + 2


def test_a_joint_that_follows_another_within_the_chain_is_said(tmp_path: Path) -> None:
    follower = joint("A2", "arm", "end", inside='<limit lower="-1" upper="1"/><mimic joint="A1" multiplier="-1"/>')
    arm = imported(tmp_path, robot_text(*ONE_AXIS, link("end"), follower), tip="end")
    assert [j.name for j in arm.robot.joints] == ["A1"]
    assert [finding.code for finding in arm.findings] == ["mimic_in_chain", "mimic_limits"]
    assert "times its value, plus" in str(arm.findings[0].message)


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_a_free_joint_after_an_axis_or_without_one_is_refused(tmp_path: Path, kind: str) -> None:
    loose = joint("loose", "arm", "end", kind)
    with pytest.raises(NotSupported) as caught:
        imported(tmp_path, robot_text(*ONE_AXIS, link("end"), loose), tip="end")
    assert (caught.value.code, caught.value.parameters["joint"]) == ("joint_not_supported", "loose")
    with pytest.raises(NotSupported) as caught:
        imported(tmp_path, robot_text(BASE, ARM, A1.replace('"revolute"', f'"{kind}"')))
    assert caught.value.parameters["joint"] == "A1"


def test_fingers_are_not_axes_of_the_arm(tmp_path: Path) -> None:
    fingers = [
        link("hand"),
        link("finger_left"),
        link("finger_right"),
        joint("weld", "arm", "hand", "fixed", inside=""),
    ]
    fingers += [joint(f"{side}_finger_joint", "hand", f"finger_{side}", "prismatic") for side in ("left", "right")]
    arm = imported(tmp_path, robot_text(*ONE_AXIS, *fingers))
    assert [j.name for j in arm.robot.joints] == ["A1"]
    assert arm.findings == ()
    chains = chains_of(read_urdf_description(tmp_path / "arm.urdf"))
    assert [(chain.tip, chain.dof) for chain in chains] == [("finger_left", 2), ("finger_right", 2)]


MOMENT = st.floats(-10.0, 10.0)


@given(given=st.tuples(MOMENT, MOMENT, MOMENT), turn=st.floats(-3.0, 3.0))
def test_a_repaired_inertia_is_one_that_a_body_can_have_and_the_nearest_such(
    given: tuple[float, float, float], turn: float
) -> None:
    c, s = math.cos(turn), math.sin(turn)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    matrix = R @ np.diag(given) @ R.T
    kept = repaired_inertia(1.0, np.zeros(3), matrix, "arm", 1, Repairs("f")).matrix
    moments = np.linalg.eigvalsh(kept)
    slack = 1e-5
    assert moments[0] >= -slack
    assert moments[0] + moments[1] >= moments[2] - slack
    again = repaired_inertia(1.0, np.zeros(3), kept, "arm", 1, Repairs("f")).matrix
    np.testing.assert_allclose(again, kept, atol=1e-6)


LIMIT = st.one_of(st.floats(-1e12, 1e12), st.sampled_from([0.0, math.inf, -math.inf, 1e16, -999999.0]))


@given(lower=LIMIT, upper=LIMIT, kind=st.sampled_from(["revolute", "continuous", "prismatic"]))
def test_repaired_limits_are_always_in_order_and_finite(lower: float, upper: float, kind: str) -> None:
    repairs = Repairs("f")
    kept = repaired_limits(GivenLimits(lower, upper, 1.0, 1.0), kind, "A1", 1, repairs)  # type: ignore[arg-type]
    assert kept.lower < kept.upper
    assert max(abs(kept.lower), abs(kept.upper)) <= 1001.0 + 2 * math.pi
    if kind != "continuous" and lower < upper and lower >= -1000 and upper <= 1000:
        assert (kept.lower, kept.upper) == (lower, upper)
