"""Masses of MJCF files: MuJoCo compiles the same file, and every body weighs the same, about the same centre."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from armlab.catalog.importing import ImportOptions, describe_file, import_arm
from armlab.formats.given import GivenFiles

CORNERS = np.array([[x, y, z] for x in (0.0, 0.3) for y in (0.0, 0.2) for z in (0.0, 0.5)] + [[0.15, 0.1, 0.1]])
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 8], [5, 7, 8], [7, 3, 8], [3, 1, 8]]
)  # fmt: skip
"""A box whose top is pushed in, so that it is not convex."""
HEAD = '<mesh name="m" file="dented.stl"/>'


def rows(values: np.ndarray) -> str:
    return " ".join(map(repr, values.ravel().tolist()))


IN_PLACE = f'<mesh name="m" vertex="{rows(CORNERS)}" face="{rows(FACES)}"/>'
CLOUD = f'<mesh name="m" vertex="{rows(CORNERS)}"/>'


def write_meshes(folder: Path) -> None:
    """Write the dented box as binary STL and as MSH."""
    (folder / "meshes").mkdir()
    record = np.zeros(len(FACES), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]))
    record["corners"] = CORNERS[FACES]
    stl = bytes(80) + np.array([len(FACES)], "<u4").tobytes() + record.tobytes()
    msh = np.array([len(CORNERS), 0, 0, len(FACES)], "<i4").tobytes()
    (folder / "meshes" / "dented.stl").write_bytes(stl)
    (folder / "meshes" / "dented.msh").write_bytes(
        msh + CORNERS.astype("<f4").tobytes() + FACES.astype("<i4").tobytes()
    )


def model(body: str, *, compiler: str = "", asset: str = HEAD, default: str = "") -> str:
    """Return an arm of two links; the second has what is given."""
    return (
        f'<mujoco><compiler meshdir="meshes" {compiler}/>{default}<asset>{asset}</asset><worldbody><body name="base">'
        '<geom type="box" size="0.2 0.3 0.1" group="2"/><body name="a" pos="0 0 0.3"><joint name="j" range="-1 1"/>'
        f'<geom type="cylinder" size="0.05 0.2" pos="0 0.1 0.2" euler="20 30 40" group="1"/>{body}</body></body>'
        "</worldbody></mujoco>"
    )


TURNED = 'pos="0.1 -0.2 0.3" quat="0.9 0.1 -0.3 0.2"'
STATED = '<inertial pos="0.1 0 0" mass="2" diaginertia="1 2 2.5"/>'
FLAT = STATED.replace("1 2 2.5", "1 1 5")
MESH = f'<geom type="mesh" mesh="m" {TURNED}/>'
CLASSES = """<default><geom density="300"/><mesh scale="2 2 2"/>
  <default class="c"><geom type="capsule" size="0.1 0.2" mass="3"/>
  <default class="d"><geom mass="0.5"/></default></default></default>"""
BODIES = {
    "a sphere": model(f'<geom size="0.1" {TURNED}/>'),
    "a box": model(f'<geom type="box" size="0.1 0.2 0.3" {TURNED}/>'),
    "a capsule": model(f'<geom type="capsule" size="0.1 0.3" {TURNED}/>'),
    "a cylinder": model(f'<geom type="cylinder" size="0.1 0.3" {TURNED}/>'),
    "an ellipsoid": model(f'<geom type="ellipsoid" size="0.1 0.2 0.3" {TURNED}/>'),
    "from end to end": model(
        "".join(f'<geom type="{each}" size="0.1" fromto="0 0 0 0.3 0.4 1"/>' for each in ("capsule", "cylinder", "box"))
    ),
    "an ellipsoid from end to end": model('<geom type="ellipsoid" size="0.1" fromto="0 0 0 0.3 0.4 1"/>'),
    "shells": model(
        "".join(
            f'<geom type="{each}" size="{size}" {TURNED} shellinertia="true" density="20"/>'
            for each, size in (("sphere", ".1"), ("box", ".1 .2 .3"), ("capsule", ".1 .3"), ("cylinder", ".1 .3"))
        )
    ),
    "a shell of an ellipsoid": model('<geom type="ellipsoid" size="0.1 0.2 0.3" shellinertia="true" density="20"/>'),
    "a mass": model(f'<geom size="0.1" mass="5" {TURNED}/>'),
    "no mass": model(f'<geom size="0.1" mass="0" {TURNED}/>'),
    "a density": model(f'<geom size="0.1" density="70" {TURNED}/>'),
    "classes": model(
        '<geom class="c"/><geom class="d" pos="0 0 1"/><geom size="0.1"/><geom type="mesh" mesh="m"/>', default=CLASSES
    ),
    "a mesh": model(MESH),
    "a mesh with a mass": model(f'<geom type="mesh" mesh="m" mass="5" {TURNED}/>'),
    "a scaled mesh": model(MESH, asset='<mesh name="m" file="dented.stl" scale="0.1 -0.2 0.3"/>'),
    "a moved mesh": model(
        MESH, asset='<mesh name="m" file="dented.stl" refpos="1 2 3" refquat="1 1 0 0.5" scale="1 2 3"/>'
    ),
    "a mesh without its folder": model(
        MESH, asset='<mesh name="m" file="far/away/dented.stl"/>', compiler='strippath="true"'
    ),
    "MuJoCo's own kind of mesh": model(MESH, asset='<mesh name="m" file="dented.msh"/>'),
    "a mesh in place": model(MESH, asset=IN_PLACE),
    "points in place": model(MESH, asset=CLOUD),
    **{
        f"{mode} inertia": model(MESH, asset=f'<mesh name="m" file="dented.stl" inertia="{mode}"/>')
        for mode in ("exact", "legacy", "convex", "shell")
    },
    **{
        f"a {kind} for a mesh, {box}": model(
            f'<geom type="{kind}" mesh="m" fitscale="1.2" {TURNED}/>', compiler=f'fitaabb="{box}"'
        )
        for kind in ("sphere", "capsule", "cylinder", "box", "ellipsoid")
        for box in ("true", "false")
    },
    "a stated inertia": model(STATED + MESH),
    "a full inertia": model(
        f'<inertial pos="0.1 -0.2 0.3" mass="2" fullinertia="2 2.5 3 0.1 -0.2 0.3"/>{MESH}'
    ),
    "geoms always": model(STATED + MESH, compiler='inertiafromgeom="true"'),
    "geoms never": model(STATED + MESH, compiler='inertiafromgeom="false"'),
    "some groups": model(MESH, compiler='inertiagrouprange="1 1"'),
    "a total": model(MESH, compiler='settotalmass="12"'),
    "least masses": model('<geom size="0.01"/>', compiler='boundmass="100" boundinertia="0.7"'),
    "balanced": model(FLAT, compiler='balanceinertia="true"'),
    "radians": model(
        '<geom type="box" size="0.1 0.2 0.3" euler="0.1 0.2 0.3"/>', compiler='angle="radian" eulerseq="ZYX"'
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_every_body_weighs_what_it_does_in_mujoco(tmp_path: Path, name: str) -> None:
    write_meshes(tmp_path)
    path = tmp_path / "arm.xml"
    path.write_text(BODIES[name], encoding="utf-8")
    theirs = mujoco.MjModel.from_xml_path(str(path))
    description = describe_file(path, GivenFiles(tmp_path), ImportOptions())
    for i in range(1, theirs.nbody):
        ours = description.links[theirs.body(i).name].inertia
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, theirs.body_iquat[i])
        matrix = R.reshape(3, 3) @ np.diag(theirs.body_inertia[i]) @ R.reshape(3, 3).T
        assert ours.mass == pytest.approx(theirs.body_mass[i], rel=1e-7)  # it keeps points as floats of 32 bits
        np.testing.assert_allclose(ours.com, theirs.body_ipos[i], atol=1e-7)
        np.testing.assert_allclose(ours.matrix, matrix, atol=2e-6 * float(np.abs(matrix).max()))


def test_what_stands_beside_the_chain_keeps_its_mass_and_its_shapes(tmp_path: Path) -> None:
    write_meshes(tmp_path)
    text = """<mujoco><compiler meshdir="meshes"/><asset><mesh name="m" file="dented.stl"/></asset><worldbody>
      <body name="stand" pos="0 0 -1"><geom type="box" size="0.3 0.3 0.5" mass="140"/></body>
      <body name="left"><geom size="0.1"/><body name="l1"><joint name="l1"/><geom type="mesh" mesh="m" mass="5"/>
        <body name="l2" pos="0 0 0.5"><joint name="l2" axis="0 1 0"/><geom type="mesh" mesh="m"/>
          <body name="finger_a"><joint name="finger_a" type="slide"/><geom type="capsule" size="0.01 0.02"/></body>
          <body name="finger_b"><joint name="finger_b" type="slide"/><geom type="box" size="0.01 0.02 0.01"/></body>
        </body></body></body>
      <body name="right" pos="0 1 0">
        <body name="r1"><joint name="r1"/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
      </body></worldbody></mujoco>"""
    (tmp_path / "arm.xml").write_text(text, encoding="utf-8")
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    arm = import_arm(tmp_path / "arm.xml").robot
    assert [joint.name for joint in arm.joints] == ["l1", "l2"]
    base, first, second = (link.inertia.mass for link in arm.links)
    mass = {theirs.body(i).name: theirs.body_mass[i] for i in range(theirs.nbody)}
    assert base == pytest.approx(mass["stand"] + mass["left"] + mass["r1"], rel=1e-9)
    assert first == pytest.approx(5.0)
    assert second == pytest.approx(mass["l2"] + mass["finger_a"] + mass["finger_b"], rel=1e-9)
    kinds = [sorted(shape.kind for shape in link.shapes) for link in arm.links]
    assert kinds[0] == ["box", "hull", "sphere"]
    assert {"box", "cylinder", "sphere"} <= set(kinds[2])


def test_a_body_without_mass_in_mujoco_has_none(tmp_path: Path) -> None:
    write_meshes(tmp_path)
    geom = '<geom type="mesh" mesh="m" mass="0"/>'
    text = model(STATED).replace('<geom type="box" size="0.2 0.3 0.1" group="2"/>', geom)
    (tmp_path / "arm.xml").write_text(text, encoding="utf-8")
    arm = import_arm(tmp_path / "arm.xml")
    assert arm.robot.links[0].inertia.mass == 0.0
    assert "mass_estimated" not in {finding.code for finding in arm.findings}


def test_a_mesh_is_shown_where_its_reference_puts_it(tmp_path: Path) -> None:
    write_meshes(tmp_path)
    (tmp_path / "arm.xml").write_text(BODIES["a moved mesh"], encoding="utf-8")
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    data = mujoco.MjData(theirs)
    mujoco.mj_kinematics(theirs, data)
    geom = next(i for i in range(theirs.ngeom) if theirs.geom_type[i] == mujoco.mjtGeom.mjGEOM_MESH)
    points = theirs.mesh_vert @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
    (mesh, *_) = [each for each in import_arm(tmp_path / "arm.xml").robot.links[1].visuals if len(each.vertices) == 9]
    ours = mesh.vertices + np.array([0.0, 0.0, 0.3])
    np.testing.assert_allclose(np.sort(ours, axis=0), np.sort(points, axis=0), atol=1e-6)


def test_a_mesh_without_a_name_is_nobodys(tmp_path: Path) -> None:
    write_meshes(tmp_path)
    text = model('<geom size="0.1"/>', asset='<mesh name="" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>')
    (tmp_path / "arm.xml").write_text(text, encoding="utf-8")
    assert import_arm(tmp_path / "arm.xml").robot.dof == 1
