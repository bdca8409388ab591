"""MJCF files: MuJoCo itself is the oracle of where every body is and what it weighs."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from armlab.catalog.importing import ImportedArm, ImportOptions, import_arm
from armlab.errors import ArmlabError, InvalidInput, NotSupported

DEFAULTS = """
<default>
  <joint range="-2 2" axis="0 0 1"/>
  <default class="arm">
    <joint damping="1" axis="0 1 0"/>
    <geom type="capsule" density="500"/>
    <default class="wrist"><joint range="-1 1.5" ref="0.3" axis="1 0 0"/></default>
  </default>
</default>"""


def brought(folder: Path, text: str, name: str = "arm.xml", **options: str) -> ImportedArm:
    (folder / name).write_text(text, encoding="utf-8")
    return import_arm(folder / name, ImportOptions(**options))  # type: ignore[arg-type]


def random_model(rng: np.random.Generator) -> str:
    """Return a serial arm with every way to say an orientation, anchors, several joints per body, frames, classes."""

    def row(n: int, scale: float = 0.5) -> str:
        return " ".join(f"{value:.6f}" for value in rng.normal(0.0, scale, n))

    def turned() -> str:
        quat, axisangle, euler = f'quat="{row(4)}"', f'axisangle="{row(4)}"', f'euler="{row(3)}"'
        return str(rng.choice([quat, axisangle, euler, f'xyaxes="{row(6)}"', f'zaxis="{row(3)}"', ""]))

    bodies, ends = [], []
    for i in range(int(rng.integers(1, 5))):
        joints = []
        for j in range(int(rng.integers(1, 3))):
            kind = rng.choice(["hinge", "slide"])
            anchor = f'pos="{row(3)}"' if rng.random() < 0.5 else ""
            axis = f'axis="{row(3)}"' if rng.random() < 0.7 else ""
            group = f'class="{rng.choice(["arm", "wrist", "main"])}"' if rng.random() < 0.5 else ""
            ref = f'ref="{row(1)}"' if rng.random() < 0.3 else ""
            joints.append(f'<joint name="j{i}_{j}" type="{kind}" {anchor} {axis} {group} {ref}/>')
        opening = f'<frame pos="{row(3)}" {turned()}>' if rng.random() < 0.3 else ""
        ends.append("</body>" + ("</frame>" if opening else ""))
        geom = f'<geom type="box" size="0.1 0.2 0.3" pos="{row(3)}" {turned()}/>'
        bodies.append(f'{opening}<body name="b{i}" pos="{row(3)}" {turned()}>{"".join(joints)}{geom}')
    order = "".join(rng.permutation(list(rng.choice(["xyz", "XYZ"]))))
    unit = rng.choice(["radian", "degree"])
    return (
        f'<mujoco model="random"><compiler angle="{unit}" eulerseq="{order}"/>{DEFAULTS}'
        f'<worldbody><body name="stand" childclass="arm" pos="{row(3)}">{"".join(bodies)}{"".join(reversed(ends))}'
        "</body></worldbody></mujoco>"
    )


@pytest.mark.parametrize("seed", range(60))
def test_every_body_is_where_mujoco_has_it(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = random_model(rng)
    model = mujoco.MjModel.from_xml_string(text)
    last = f"b{model.nbody - 3}"
    robot = brought(tmp_path, text, tip=last).robot
    assert robot.dof == model.nq
    data = mujoco.MjData(model)
    for _ in range(5):
        q = rng.uniform(-1.0, 1.0, model.nq)
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        body = data.body(last)
        T = robot.fk(q)
        np.testing.assert_allclose(T[:3, 3], body.xpos, atol=1e-12)
        np.testing.assert_allclose(T[:3, :3].reshape(9), body.xmat, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_limits_and_masses_are_mujocos(tmp_path: Path, seed: int) -> None:
    text = random_model(np.random.default_rng(seed))
    model = mujoco.MjModel.from_xml_string(text)
    robot = brought(tmp_path, text, tip=f"b{model.nbody - 3}").robot
    np.testing.assert_allclose(robot.lower, model.jnt_range[:, 0], atol=1e-12)
    np.testing.assert_allclose(robot.upper, model.jnt_range[:, 1], atol=1e-12)
    assert sum(link.inertia.mass for link in robot.links) == pytest.approx(float(model.body_mass.sum()), rel=1e-9)


def test_a_stated_inertia_is_taken_and_fingers_are_left_out(tmp_path: Path) -> None:
    text = """<mujoco model="hand"><worldbody><body name="base"><body name="arm"><joint name="a" range="-90 90"/>
      <inertial pos="0.1 0 0" mass="2" quat="0.7071067811865476 0 0 0.7071067811865476" diaginertia="1 2 2.5"/>
      <body name="left_finger"><joint name="finger1" type="slide" range="0 0.04"/><geom size="0.01"/></body>
      <body name="right_finger"><joint name="finger2" type="slide" range="0 0.04"/><geom size="0.01"/></body>
      </body></body></worldbody>
      <equality><joint joint1="finger2" joint2="finger1"/><connect body1="arm" anchor="0 0 0"/></equality></mujoco>"""
    arm = brought(tmp_path, text)
    assert [joint.name for joint in arm.robot.joints] == ["a"]
    assert arm.robot.upper[0] == pytest.approx(np.pi / 2)
    assert arm.robot.links[1].inertia.mass > 2.0
    assert [finding.code for finding in arm.findings] == ["loop_left_out"]
    assert arm.format == "mjcf"


def test_what_is_included_is_read_from_the_given_files_only(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.xml").write_text("<mujocoinclude/>", encoding="utf-8")
    body = '<mujocoinclude><body name="arm"><joint name="a" range="-1 1"/></body></mujocoinclude>'
    (tmp_path / "in" / "arm_body.xml").write_text(body, encoding="utf-8")
    text = '<mujoco><worldbody><include file="{}"/></worldbody></mujoco>'
    assert brought(tmp_path / "in", text.format("arm_body.xml")).robot.dof == 1
    for name in ("../secret.xml", "/etc/passwd", "missing.xml", "arm.xml"):
        with pytest.raises(InvalidInput) as caught:
            brought(tmp_path / "in", text.format(name))
        assert caught.value.code == "mjcf_include"


BODY = '<mujoco><worldbody><body name="b">{}</body></worldbody></mujoco>'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (BODY.format('<joint type="screw"/>'), "mjcf_joint_type"),
        (BODY.format('<joint class="missing"/>'), "mjcf_class"),
        (BODY.format('<joint axis="0 0 x"/>'), "mjcf_number"),
        (BODY.format('<joint axis="0 0 nan"/>'), "mjcf_number"),
        (BODY.format('<joint axis="0 0 1 0"/>'), "mjcf_value_count"),
        (BODY.format('<joint name="a"/><joint name="a"/>'), "mjcf_name_twice"),
        (BODY.format('<replicate count="99999999"><geom size="1"/></replicate>'), "mjcf_pattern"),
        (BODY.format("<freejoint/>"), "joint_not_supported"),
        ('<mujoco><compiler eulerseq="abc"/></mujoco>', "mjcf_euler"),
        ("<mujoco/>", "urdf_axis_count"),
    ],
)
def test_what_has_no_clear_meaning_is_refused(tmp_path: Path, text: str, code: str) -> None:
    with pytest.raises((InvalidInput, NotSupported)) as caught:
        brought(tmp_path, text)
    assert caught.value.code == code


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_file_is_read_or_refused_but_never_anything_else(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray(random_model(rng).encode())
    for _ in range(int(rng.integers(1, 5))):
        place = int(rng.integers(len(data)))
        data[place : place + int(rng.integers(0, 8))] = bytes(
            rng.integers(32, 127, int(rng.integers(0, 8)), dtype=np.uint8)
        )
    (tmp_path / "arm.xml").write_bytes(data)
    try:
        robot = import_arm(tmp_path / "arm.xml").robot
    except ArmlabError:
        return
    assert np.isfinite(robot.fk(robot.home)).all()
