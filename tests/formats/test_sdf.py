"""SDF: links in the model, frames, axes in any frame; the same arm as its URDF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lxml import etree

import armlab
from armlab.catalog.importing import import_arm
from armlab.errors import ArmlabError
from armlab.formats.urdf_write import exact_rpy
from armlab.geometry import pose

SDF = """<?xml version="1.0"?><sdf version="1.9"><model name="two"><link name="base"/>
<link name="one"><pose>0 0 0.3 0 0 0.5</pose><inertial><pose>0.1 0 0 0 0 0</pose><mass>2</mass>
<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision></link>
<frame name="elbow" attached_to="one"><pose>0.4 0 0 0 0 0</pose></frame>
<link name="two"><pose relative_to="elbow">0 0 0.1 90 0 0</pose></link>
<joint name="a" type="revolute"><parent>base</parent><child>one</child><axis><xyz>0 0 2</xyz>
<limit><lower>-1</lower><upper>1</upper><effort>-1</effort></limit></axis></joint>
<joint name="b" type="revolute"><pose relative_to="elbow">0 0 0 0 0 0</pose><parent>one</parent><child>two</child>
<axis><xyz expressed_in="__model__">0 0 1</xyz><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis></joint>
</model></sdf>"""


def test_a_model_is_read_with_frames_and_axes_of_others(tmp_path: Path) -> None:
    text = SDF.replace("0 0 0.1 90 0 0", "0 0 0.1 1.5707963267948966 0 0")
    (tmp_path / "two.sdf").write_text(text, encoding="utf-8")
    made = import_arm(tmp_path / "two.sdf")
    assert [joint.name for joint in made.robot.joints] == ["a", "b"]
    a, b = 0.4, -0.7
    expected = (
        pose.from_xyz_rpy([0, 0, 0.3], [0, 0, 0.5 + a])
        @ pose.from_xyz_rpy([0.4, 0, 0], [0, 0, b])
        @ pose.from_xyz_rpy([0, 0, 0.1], [np.pi / 2, 0, 0])
    )
    np.testing.assert_allclose(made.robot.fk([a, b]), expected, atol=1e-14)
    assert made.robot.links[1].inertia.mass == 2.0
    assert made.robot.links[1].shapes[0].size[:3] == (0.1, 0.2, 0.3)
    assert [finding.code for finding in made.findings] == ["limits_endless"]
    assert made.findings[0].where["line"] == 10


def test_an_arm_as_sdf_is_the_arm(tmp_path: Path) -> None:
    robot = armlab.load("kuka-kr6-r700")
    frames = robot.frames(np.zeros(6))
    model = etree.Element("model", name="kr6")
    for link, T in zip(robot.links, frames[:-1], strict=True):
        made = etree.SubElement(model, "link", name=link.name)
        etree.SubElement(made, "pose").text = " ".join(map(repr, [*T[:3, 3].tolist(), *exact_rpy(T[:3, :3])]))
    for i, joint in enumerate(robot.joints):
        made = etree.SubElement(model, "joint", name=joint.name, type="revolute")
        etree.SubElement(made, "parent").text = robot.links[i].name
        etree.SubElement(made, "child").text = robot.links[i + 1].name
        axis = etree.SubElement(made, "axis")
        etree.SubElement(axis, "xyz").text = " ".join(map(repr, joint.axis.tolist()))
        limit = etree.SubElement(axis, "limit")
        etree.SubElement(limit, "lower").text = repr(joint.lower)
        etree.SubElement(limit, "upper").text = repr(joint.upper)
    root = etree.Element("sdf", version="1.7")
    root.append(model)
    (tmp_path / "kr6.sdf").write_bytes(etree.tostring(root))
    made_robot = armlab.load(tmp_path / "kr6.sdf")
    q = np.random.default_rng(2).uniform(robot.lower, robot.upper, (50, 6))
    np.testing.assert_allclose(made_robot.frames(q)[:, 1:7], robot.frames(q)[:, 1:7], atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("<model", "<other", "xml_syntax"),
        ('type="revolute"', 'type="ball"', "joint_not_supported"),
        ('type="revolute"', 'type="odd"', "sdf_value"),
        ("0 0 0.3 0 0 0.5", "0 0 x 0 0 0.5", "sdf_value"),
        ("0 0 0.3 0 0 0.5", "0 0 0.3", "sdf_value"),
        ('attached_to="one"', 'attached_to="elbow"', "sdf_value"),
        ("<child>two</child>", "<child>three</child>", "sdf_value"),
        ("<xyz>0 0 2</xyz>", "<xyz>0 0</xyz>", "sdf_value"),
        ('<sdf version="1.9">', "<sdf><x/></sdf><!--", "xml_syntax"),
    ],
)
def test_a_model_without_a_clear_meaning_is_refused(old: str, new: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "a.sdf").write_text(SDF.replace(old, new), encoding="utf-8")
    with pytest.raises(ArmlabError) as caught:
        import_arm(tmp_path / "a.sdf")
    assert caught.value.code == code
