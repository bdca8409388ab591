"""Files that nobody wrote on purpose: mutated descriptions, tables, meshes and scenes give only errors of our own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh

from armlab.catalog import ARMS, TOOLS, load, load_tool
from armlab.catalog.importing import import_arm
from armlab.catalog.scenes import SCENES, load_scene
from armlab.errors import ArmlabError
from armlab.formats.dh_write import dh_toml
from armlab.formats.glb import robot_glb
from armlab.formats.meshes import MESH_KINDS, read_mesh
from armlab.formats.mjcf_write import mjcf_text
from armlab.formats.urdf_write import urdf_text
from armlab.program.scenario import SCENARIOS, read_scenario

SEEDS = Path(__file__).parent / "seeds"
EXAMPLES = int(os.environ.get("ARMLAB_FUZZ", "1")) * 40
LONGEST_MESSAGE = 3000

SPLICES = (
    b"1e400", b"-0", b"nan", b"inf", b"0x" + b"f" * 5000, b"9" * 5000, b"[" * 2000, b"{" * 200, b'"', b"'", b"#", b"\n",
    b"\0", b"\xff\xfe", b"=", b"a." * 50, b".." * 30, b"<", b"</robot>", b"<!ENTITY a 'b'>", b"true", b"[[joint]]",
    b"-1e308", b"5e-324", "λ".encode(), b"\\u0000", b"vertex 1 2\n", b"f 1 2 99999999999999999999\n", b"solid",
    b"1" * 500,
)  # fmt: skip
"""Pieces that readers stumble over."""


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """Return the bytes with a few pieces cut out, repeated, replaced or spliced in."""
    out = bytearray(data)
    for _change in range(int(rng.integers(1, 6))):
        a, b = sorted(int(k) for k in rng.integers(0, len(out) + 1, 2))
        b = min(b, a + int(rng.integers(0, 400)))
        match int(rng.integers(0, 6)):
            case 0:
                del out[a:b]
            case 1:
                out[a:a] = out[a:b] * int(rng.integers(1, 20))
            case 2:
                out[a:a] = SPLICES[int(rng.integers(0, len(SPLICES)))]
            case 3:
                out[a:b] = SPLICES[int(rng.integers(0, len(SPLICES)))]
            case 4 if a < len(out):
                out[a] = int(rng.integers(0, 256))
            case _:
                del out[a:]
    return bytes(out)


def icosahedron(kind: str) -> bytes:
    """Return a small closed mesh as trimesh writes it."""
    data = trimesh.creation.icosahedron().export(file_type=kind)
    return data.encode() if isinstance(data, str) else data


def stl(is_text: bool) -> bytes:
    """Return a small closed mesh."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
    faces = corners[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]]
    if is_text:
        loops = ["".join(f"vertex {x} {y} {z}\n" for x, y, z in face.tolist()) for face in faces]
        body = "".join(f"facet normal 0 0 1\nouter loop\n{loop}endloop\nendfacet\n" for loop in loops)
        return f"solid x\n{body}endsolid x\n".encode()
    record = np.zeros(4, np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]))
    record["corners"] = faces
    return bytes(80) + np.array([4], dtype="<u4").tobytes() + record.tobytes()


MSH = (
    np.array([4, 0, 0, 4], dtype="<i4").tobytes()
    + np.array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], dtype="<f4").tobytes()
    + np.array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], dtype="<i4").tobytes()
)
OBJ = b"# a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nf 1/1 3 2\nf 1 2 4\nf -4//1 4 3\nf 2 3 4\n"


FILES: dict[str, tuple[bytes, str, Callable[[Path], object]]] = {
    "robot": ((ARMS / "ur5e.toml").read_bytes(), "a.toml", load),
    "planar": ((ARMS / "planar2.toml").read_bytes(), "a.toml", load),
    "tool": ((TOOLS / "gripper.toml").read_bytes(), "a.toml", load_tool),
    "scene": (min(SCENES.glob("*.toml")).read_bytes(), "a.toml", load_scene),
    "scenario": (min(SCENARIOS.glob("*.json")).read_bytes(), "a.json", read_scenario),
    "urdf": (urdf_text(load("planar3")).encode(), "a.urdf", load),
    "mjcf": ((SEEDS / "arm.xml").read_bytes(), "a.xml", import_arm),
    "written mjcf": (mjcf_text(load("scara")).encode(), "a.xml", import_arm),
    "sdf": ((SEEDS / "arm.sdf").read_bytes(), "a.sdf", import_arm),
    "xacro": ((SEEDS / "arm.xacro").read_bytes(), "a.xacro", import_arm),
    "dh csv": ((SEEDS / "table.csv").read_bytes(), "a.csv", import_arm),
    "dh toml": (dh_toml(load("ur5e")).encode(), "a.toml", import_arm),
    "dh json": ((SEEDS / "table.json").read_bytes(), "a.json", import_arm),
    "text stl": (stl(is_text=True), "a.stl", read_mesh),
    "binary stl": (stl(is_text=False), "a.stl", read_mesh),
    "msh": (MSH, "a.msh", read_mesh),
    "obj": (OBJ, "a.obj", read_mesh),
    "ply": ((SEEDS / "mesh.ply").read_bytes(), "a.ply", read_mesh),
    "binary ply": (icosahedron("ply"), "a.ply", read_mesh),
    "dae": ((SEEDS / "mesh.dae").read_bytes(), "a.dae", read_mesh),
    "glb": (robot_glb(load("planar2")), "a.glb", read_mesh),
    "gltf": ((SEEDS / "mesh.gltf").read_bytes(), "a.gltf", read_mesh),
}
assert {Path(name).suffix for _data, name, read in FILES.values() if read is read_mesh} == set(MESH_KINDS)


def refusal(read: Callable[[Path], object], path: Path) -> ArmlabError | None:
    """Return why a file cannot be read, or None if it was read; other errors than ours come out."""
    try:
        read(path)
    except ArmlabError as error:
        return error
    return None


@pytest.mark.parametrize("kind", FILES)
def test_a_mutated_file_is_read_or_refused_with_a_short_message(kind: str, tmp_path: Path) -> None:
    data, name, read = FILES[kind]
    path, rng = tmp_path / name, np.random.default_rng(len(kind))
    refusals = []
    for _example in range(EXAMPLES):
        path.write_bytes(mutated(data, rng))
        refusals.append(refusal(read, path))
    told = [error for error in refusals if error is not None]
    assert told
    assert all(error.code for error in told)
    assert max(len(str(error)) for error in told) < LONGEST_MESSAGE
