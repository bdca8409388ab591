"""Files that mutation has found: each once ended in an error that was not ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

import armlab
from armlab.catalog.importing import import_arm
from armlab.errors import ArmlabError
from armlab.formats.dh_write import dh_toml
from armlab.formats.meshes import read_mesh

XACRO = """<robot name="x"><xacro:property name="h" value="0.5"/><link name="a"/><link name="b"/>
<joint name="J" type="revolute"><origin xyz="0 0 ${h}"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def refused(path: Path) -> str:
    with pytest.raises(ArmlabError) as caught:
        import_arm(path)
    return caught.value.code


def test_a_template_whose_prefix_nobody_declared_is_expanded(tmp_path: Path) -> None:
    (tmp_path / "a.xacro").write_text(XACRO, encoding="utf-8")
    arm = import_arm(tmp_path / "a.xacro")
    assert (arm.format, [finding.code for finding in arm.findings]) == ("xacro", ["xml_namespace"])
    np.testing.assert_allclose(arm.robot.fk([0.0])[:3, 3], [0, 0, 0.5])


def test_undeclared_prefixes_of_the_root_and_of_attributes_are_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xacro"
    path.write_text(XACRO.replace('name="x"', 'seg:name="x" name="y"'), encoding="utf-8")
    assert import_arm(path).robot.name == "y"
    path.write_text(XACRO.replace("robot", "ns:robot"), encoding="utf-8")
    assert refused(path) == "urdf_root"
    path.write_text(XACRO.replace("xacro:property", "xacro:a:b"), encoding="utf-8")
    assert refused(path) in {"xml_syntax", "xacro_problem"}


def test_a_tool_frame_beyond_all_measure_is_refused(tmp_path: Path) -> None:
    text = dh_toml(armlab.load("ur5e")) + "\ntool = { xyz = [1e308, 0, 0], rpy = [0, 0, 0] }\n"
    lines = [line for line in text.splitlines() if not line.startswith("tool = { xyz = [0")]
    tool, rows = lines.pop(), lines
    (tmp_path / "a.toml").write_text("\n".join([tool, *rows]), encoding="utf-8")
    assert refused(tmp_path / "a.toml") == "dh_frame"


@pytest.mark.parametrize("bits", [0x7F800001, 0xFF900000])
def test_a_signalling_nan_among_the_vertices_is_refused(bits: int, tmp_path: Path) -> None:
    data = trimesh.creation.box().export(file_type="glb")
    half = np.array(0.5, dtype="<f4").tobytes()
    assert half in data
    (tmp_path / "a.glb").write_bytes(data.replace(half, np.array(bits, dtype="<u4").tobytes(), 1))
    with pytest.raises(ArmlabError) as caught:
        read_mesh(tmp_path / "a.glb")
    assert caught.value.code == "not_finite"


def test_an_index_beyond_all_integers_is_refused(tmp_path: Path) -> None:
    text = (Path(__file__).parent.parent / "fuzz/seeds/mesh.ply").read_text(encoding="utf-8")
    (tmp_path / "a.ply").write_text(text.replace("3 0 2 1", "3 0 1e300 1"), encoding="utf-8")
    with pytest.raises(ArmlabError) as caught:
        read_mesh(tmp_path / "a.ply")
    assert caught.value.code == "mesh_index"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("convention = [1]", "dh_convention"),
        ("tool = { xyz = [1] }", "dh_frame"),
    ],
)
def test_odd_values_beside_the_rows_of_a_table_are_refused(line: str, code: str, tmp_path: Path) -> None:
    keys = ("length", "convention", "tool")
    rows = [each for each in dh_toml(armlab.load("ur5e")).splitlines() if not each.startswith(keys)]
    (tmp_path / "a.toml").write_text("\n".join([line, *rows]), encoding="utf-8")
    assert refused(tmp_path / "a.toml") == code


def test_a_unit_of_thousands_of_digits_is_no_unit(tmp_path: Path) -> None:
    rows = [each for each in dh_toml(armlab.load("ur5e")).splitlines() if not each.startswith("length")]
    (tmp_path / "a.toml").write_text("\n".join([f"length = 0x{'f' * 5000}", *rows]), encoding="utf-8")
    assert "dh_length_unit" in {finding.code for finding in import_arm(tmp_path / "a.toml").findings}
