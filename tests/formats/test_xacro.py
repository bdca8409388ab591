"""xacro templates: expanded as ROS's own tool does, but from the given files only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xacro
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from armlab.catalog.importing import ImportOptions, import_arm
from armlab.errors import ArmlabError, InvalidInput
from armlab.formats.description import Repairs
from armlab.formats.given import GivenFiles
from armlab.formats.safe_xml import parse_xml
from armlab.formats.xacro import expand_xacro

HEAD = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
LIBRARY = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="half" value="${pi/2}"/>
  <xacro:macro name="bar" params="name r:=0.1 h mass:=2 *origin **extra">
    <link name="${prefix}${name}">
      <inertial>
        <xacro:insert_block name="origin"/><mass value="${mass}"/>
        <inertia ixx="${mass*(3*r*r+h*h)/12}" ixy="0" ixz="0" iyz="0"
          iyy="${mass*(3*r*r+h*h)/12}" izz="${mass*r**2/2}"/>
      </inertial>
      <xacro:insert_block name="extra"/>
    </link>
  </xacro:macro>
  <xacro:macro name="turn" params="name parent child xyz:='0 0 0' rpy:='0 0 ${half}' lim:=^|2.5">
    <joint name="${prefix}${name}" type="revolute">
      <parent link="${prefix}${parent}"/><child link="${prefix}${child}"/>
      <origin xyz="${xyz}" rpy="${rpy}"/><axis xyz="0 0 1"/>
      <limit lower="${-lim}" upper="${lim}" velocity="${radians(180)}" effort="$(arg effort)"/>
    </joint>
  </xacro:macro>
</robot>"""
ARM = """
  <xacro:arg name="effort" default="30"/><xacro:arg name="long" default="false"/>
  <xacro:property name="prefix" value="my_"/><xacro:property name="lim" value="3.0"/>
  <xacro:include filename="lib.xacro"/>
  <xacro:property name="len" value="${0.8 if '$(arg long)' == 'true' else 0.4}"/>
  <xacro:property name="sizes" value="${dict(a=1) if False else [1, len]}"/>
  <xacro:bar name="base" h="0.1"><origin xyz="0 0 0.05"/>
    <extra><collision><geometry><box size="${len} 1 1"/></geometry></collision></extra></xacro:bar>
  <xacro:bar name="l1" r="0.05" h="${len}"><origin xyz="0 0 ${len/2}"/><extra/></xacro:bar>
  <xacro:bar name="l2" r="0.05" h="${len/2}" mass="1"><origin xyz="0 0 ${len/2}"/><extra/></xacro:bar>
  <xacro:turn name="j1" parent="base" child="l1" xyz="0 0 0.1"/>
  <xacro:if value="${len > 0.1}"><xacro:turn name="j2" parent="l1" child="l2" xyz="0 0 ${len}" lim="1.5"/></xacro:if>
  <xacro:unless value="${len > 0.1}"><link name="never"/></xacro:unless>
  <link name="cost_$${len}"/>
</robot>"""
SIMPLE = ARM.replace("${dict(a=1) if False else [1, len]}", "${len * 2}")


def expanded(folder: Path, text: str, **arguments: str) -> etree._Element:
    path = folder / "arm.xacro"
    path.write_text(text, encoding="utf-8")
    repairs = Repairs(path.name)
    made = expand_xacro(parse_xml(path.read_bytes(), repairs), path, GivenFiles(folder), repairs, arguments)
    return etree.fromstring(etree.tostring(made))


def refused(folder: Path, inside: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        expanded(folder, f"{HEAD}\n{inside}</robot>")
    return caught.value


def same(ours: etree._Element, theirs: etree._Element) -> None:
    assert ours.tag == theirs.tag
    assert set(ours.attrib) == set(theirs.attrib)
    for key, value in ours.attrib.items():
        try:
            np.testing.assert_allclose(
                [float(word) for word in value.split()],
                [float(word) for word in theirs.attrib[key].split()],
                rtol=1e-15,
            )
        except ValueError:
            assert value == theirs.attrib[key]
    children = [child for child in theirs if isinstance(child.tag, str)]
    assert [child.tag for child in ours] == [child.tag for child in children]
    for one, other in zip(ours, children, strict=True):
        same(one, other)


@pytest.mark.parametrize("arguments", [{}, {"long": "true", "effort": "7"}], ids=["defaults", "given"])
def test_a_template_becomes_what_ros_makes_of_it(tmp_path: Path, arguments: dict[str, str]) -> None:
    (tmp_path / "lib.xacro").write_text(LIBRARY, encoding="utf-8")
    ours = expanded(tmp_path, HEAD + SIMPLE, **arguments)
    theirs = xacro.process_file(str(tmp_path / "arm.xacro"), mappings=arguments).toxml()
    same(ours, etree.fromstring(theirs.encode(), etree.XMLParser(remove_comments=True, remove_blank_text=True)))


def test_packages_and_yaml_are_found_among_the_given_files(tmp_path: Path) -> None:
    (tmp_path / "some" / "config").mkdir(parents=True)
    (tmp_path / "some" / "package.xml").write_text("<package><name>my_arm</name></package>", encoding="utf-8")
    (tmp_path / "some" / "config" / "limits.yaml").write_text("j1: {max: !degrees 90, names: [a, b]}", encoding="utf-8")
    text = f"""{HEAD}<xacro:property name="all" value="${{xacro.load_yaml('$(find my_arm)/config/limits.yaml')}}"/>
      <link name="${{all['j1']['names'][1]}}" turn="${{all.j1.max}}"/></robot>"""
    (link,) = expanded(tmp_path, text)
    assert link.get("name") == "b"
    assert float(link.get("turn", "")) == pytest.approx(np.pi / 2, abs=1e-15)


def test_an_arm_is_made_of_a_folder_with_a_template(tmp_path: Path) -> None:
    (tmp_path / "lib.xacro").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "arm.urdf.xacro").write_text(HEAD + ARM, encoding="utf-8")
    arm = import_arm(tmp_path, ImportOptions(arguments={"effort": "12"}))
    assert (arm.format, arm.robot.dof, arm.robot.effort.tolist()) == ("xacro", 2, [12.0, 12.0])
    assert [finding.code for finding in arm.findings] == ["link_apart"]


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        ('<xacro:nothing a="1"/>', "xacro_macro"),
        ('<link name="${missing}"/>', "expression_name"),
        ('<link name="${1 +}"/>', "expression_syntax"),
        ('<link name="${1 / 0}"/>', "expression_value"),
        ('<link name="$(arg missing)"/>', "xacro_argument"),
        ('<link name="$(rm everything)"/>', "xacro_command"),
        ('<xacro:include filename="missing.xacro"/>', "xacro_include"),
        ('<xacro:include filename="/etc/passwd"/>', "xacro_include"),
        ('<xacro:if value="perhaps"/>', "xacro_condition"),
        ('<xacro:insert_block name="missing"/>', "xacro_block"),
        ('<xacro:macro name="m" params="a"/><xacro:m/>', "xacro_parameter"),
        ('<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>', "xacro_endless"),
        (
            '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>',
            "xacro_circle",
        ),
        ('<xacro:include filename="arm.xacro"/>', "xacro_endless"),
        ("<link name=\"${__import__('os')}\"/>", "expression_syntax"),
        ('<link name="${().__class__}"/>', "expression_syntax"),
        ('<link name="${9**9**9**9}"/>', "expression_value"),
        ("<link name=\"${'a' * 999999}\"/>", "expression_value"),
    ],
)
def test_what_cannot_be_expanded_is_refused_with_line_and_reason(tmp_path: Path, inside: str, code: str) -> None:
    error = refused(tmp_path, inside)
    assert error.parameters["line"] in {1, 2}
    assert error.parameters["problem"].code == code


def test_a_wrong_name_of_the_robot_is_refused_with_its_line(tmp_path: Path) -> None:
    text = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"\n name="${1 +}"><link name="a"/></robot>'
    (tmp_path / "arm.xacro").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        import_arm(tmp_path / "arm.xacro")
    assert caught.value.parameters["line"] in {1, 2}
    assert caught.value.parameters["file"] == "arm.xacro"


@given(inside=st.text(alphabet="${}()[]'\"abc123+-*/. pi,:<>=^|", max_size=40))
def test_any_expression_is_worked_out_or_refused(tmp_path_factory: pytest.TempPathFactory, inside: str) -> None:
    quoted = inside.replace("&", "").replace("<", "&lt;").replace('"', "&quot;")
    try:
        made = expanded(tmp_path_factory.getbasetemp(), f'{HEAD}<link name="${{{quoted}}}"/></robot>')
    except ArmlabError:
        return
    assert made.tag == "robot"
