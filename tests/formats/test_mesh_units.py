"""Units of meshes: told, or judged mesh by mesh by the joints that they must span."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from armlab.catalog import load
from armlab.catalog.importing import ImportedArm, ImportOptions, import_arm
from armlab.formats.mesh_units import UNITS, MeshUnit
from armlab.geometry import pose, solid
from armlab.geometry.visual import Visual
from armlab.model.robot import Robot

ARMS = ("ur5e", "kuka-kr6-r700", "kuka-iiwa14", "xarm6", "scara", "braccio")
"""Catalog arms whose own shapes stand for the meshes of a file."""


def write_arm(folder: Path, robot: Robot, units: dict[str, float], scale: float = 1.0) -> Path:
    """Write an arm as URDF with one STL file for each link, in that link's unit (m per unit), or metres."""
    links, joints = [], []
    for i, link in enumerate(robot.links):
        box = np.concatenate([solid.hull_points(shape) for shape in link.shapes])
        size, middle = np.maximum(np.ptp(box, axis=0), 0.01), box.mean(axis=0)
        place = trimesh.transformations.translation_matrix(middle)
        unit = units.get(f"l{i}", 1.0)
        trimesh.creation.box(size, place).apply_scale(1.0 / unit).export(folder / f"l{i}.stl")
        mesh = f'<mesh filename="l{i}.stl" scale="{scale} {scale} {scale}"/>'
        links.append(f'<link name="l{i}"><visual><geometry>{mesh}</geometry></visual></link>')
    for i, joint in enumerate(robot.joints):
        T, limit = joint.T_parent_joint, '<limit lower="-1" upper="1" velocity="1" effort="1"/>'
        xyz = " ".join(map(repr, T[:3, 3].tolist()))
        rpy = " ".join(map(repr, pose.as_rpy(T).tolist()))
        axis = " ".join(map(repr, joint.axis.tolist()))
        kind = joint.kind
        joints.append(
            f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{limit}</joint>'
        )
    path = folder / "arm.urdf"
    path.write_text(f'<robot name="arm">{"".join(links)}{"".join(joints)}</robot>', encoding="utf-8")
    return path


def size_of(visuals: tuple[Visual, ...]) -> float:
    return max(float(np.ptp(each.vertices, axis=0).max()) for each in visuals)


def sizes(arm: ImportedArm) -> list[float]:
    return [size_of(link.visuals) for link in arm.robot.links]


@pytest.mark.parametrize("robot", ARMS)
@pytest.mark.parametrize("unit", ["m", "mm", "cm"])
def test_meshes_of_an_arm_come_in_metres_whatever_their_unit(tmp_path: Path, robot: str, unit: MeshUnit) -> None:
    arm = load(robot)
    right = sizes(import_arm(write_arm(tmp_path, arm, {})))
    units = {f"l{i}": UNITS[unit] for i in range(len(arm.links))}
    made = import_arm(write_arm(tmp_path, arm, units))
    np.testing.assert_allclose(sizes(made), right, rtol=1e-5)
    assert ("mesh_unit_guessed" in {finding.code for finding in made.findings}) == (unit != "m")


@pytest.mark.parametrize("robot", ARMS[:4])
def test_one_mesh_in_metres_beside_others_in_millimetres_keeps_its_size(tmp_path: Path, robot: str) -> None:
    arm = load(robot)
    right = sizes(import_arm(write_arm(tmp_path, arm, {})))
    units = {f"l{i}": 0.001 for i in range(len(arm.links) - 1)}
    made = import_arm(write_arm(tmp_path, arm, units))
    np.testing.assert_allclose(sizes(made), right, rtol=1e-5)
    said = [finding.message for finding in made.findings if finding.code == "one_mesh_unit_guessed"]
    assert any(message.parameters.get("mesh") == f"l{len(arm.links) - 1}.stl" for message in said)


def test_one_mesh_in_millimetres_beside_others_in_metres_is_scaled(tmp_path: Path) -> None:
    arm = load("ur5e")
    right = sizes(import_arm(write_arm(tmp_path, arm, {})))
    made = import_arm(write_arm(tmp_path, arm, {"l2": 0.001}))
    np.testing.assert_allclose(sizes(made), right, rtol=1e-5)
    (said,) = [finding.message for finding in made.findings if finding.code == "one_mesh_unit_guessed"]
    assert (said.parameters["mesh"], said.parameters["factor"]) == ("l2.stl", 0.001)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("scale", [1.0, 0.001])
def test_a_unit_that_is_told_is_taken_and_replaces_a_scale_that_converts_one(
    tmp_path: Path, unit: MeshUnit, scale: float
) -> None:
    arm = load("ur5e")
    right = sizes(import_arm(write_arm(tmp_path, arm, {})))
    path = write_arm(tmp_path, arm, {f"l{i}": UNITS[unit] for i in range(7)}, scale)
    made = import_arm(path, ImportOptions(mesh_unit=unit))
    np.testing.assert_allclose(sizes(made), right, rtol=1e-5)
    assert "mesh_unit_guessed" not in {finding.code for finding in made.findings}


def test_meshes_of_mujoco_are_as_large_as_it_shows_them(tmp_path: Path) -> None:
    trimesh.creation.box((60.0, 60.0, 60.0)).export(tmp_path / "large.stl")
    text = """<mujoco><asset><mesh name="large" file="large.stl"/></asset><worldbody><body name="a"><joint name="a"/>
      <geom type="mesh" mesh="large"/><body name="b" pos="0.1 0 0"><joint name="b"/><geom size="0.1"/></body></body>
      </worldbody></mujoco>"""
    (tmp_path / "arm.xml").write_text(text, encoding="utf-8")
    arm = import_arm(tmp_path / "arm.xml")
    assert size_of(arm.robot.links[1].visuals) == pytest.approx(60.0)
