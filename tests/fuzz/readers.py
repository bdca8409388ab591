"""Readers of files, each with a whole file to damage: what it reads is also used, as far as a command would."""

from __future__ import annotations

import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
import trimesh
from fuzz.damage import BYTES, TEXT, Damage

from armlab.calibration import real_arm
from armlab.calibration.identification.identify import identify
from armlab.calibration.identification.samples import joint_samples
from armlab.calibration.iso9283.recorded import read_attained
from armlab.calibration.iso9283.recorded_paths import read_paths
from armlab.calibration.measurement_file import measurement_table, read_measurements
from armlab.calibration.measurements import Poses
from armlab.calibration.real_file import read_real_arm, real_arm_toml
from armlab.catalog import ARMS, TOOLS, load, load_tool
from armlab.catalog.importing import import_arm
from armlab.catalog.scenes import SCENES, load_scene
from armlab.formats.dh_write import dh_toml
from armlab.formats.expression import evaluate
from armlab.formats.glb import robot_glb
from armlab.formats.meshes import MESH_KINDS, read_mesh
from armlab.formats.mjcf_write import mjcf_text
from armlab.formats.ros_yaml import read_ros_yaml
from armlab.formats.urdf_write import urdf_text
from armlab.program.gcode.machine import read_tool_table
from armlab.program.gcode.parameters import read_parameter_file
from armlab.program.scenario import SCENARIOS, read_scenario
from armlab.program.signals import read_signals
from armlab.recording import Recording, export_recording, read_recording
from armlab.reports.sensing import allan_report
from armlab.sensing.bags import _DOUBLES, TOPICS, _messages, _template
from armlab.sensing.evaluate import evaluate as evaluate_estimate
from armlab.sensing.files import read_imu, write_imu
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.navigate import FILTERS, navigate
from armlab.studies.course.labs import LABS
from armlab.studies.course.results import blank_answers, graded, read_answers, read_result, write_result

SEEDS = Path(__file__).parent / "seeds"
ROBOT = load("scara")


class Reader(NamedTuple):
    """A file, what damages it, what it is called, and what reads it."""

    whole: Callable[[Path], bytes]
    name: str
    use: Callable[[Path], object]
    ways: tuple[Damage, ...] = TEXT


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


def imu_record() -> ImuRecord:
    rng = np.random.default_rng(3)
    gyro, mag, place, speed = 0.1 * rng.normal(size=(4, 30, 3))
    turn = rng.normal(size=(30, 4))
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    return ImuRecord(np.arange(30) / 100.0, gyro, gyro + np.array([0.0, 0.0, 9.81]), mag, turn, place, speed)


def imu_file(folder: Path, suffix: str) -> bytes:
    return write_imu(imu_record(), folder / f"whole{suffix}").read_bytes()


def broad_tables() -> dict[str, object]:
    record = imu_record()
    return {
        "imu_gyr": record.gyro,
        "imu_acc": record.acc,
        "imu_mag": record.mag,
        "opt_quat": record.orientation,
        "opt_pos": record.position,
        "movement": np.ones(30),
        "sampling_rate": 100.0,
    }


def mat5_file(folder: Path) -> bytes:
    from scipy.io import savemat

    savemat(folder / "whole.mat", broad_tables())
    return (folder / "whole.mat").read_bytes()


def mat73_file(folder: Path) -> bytes:
    import h5py

    with h5py.File(folder / "whole.h5", "w", userblock_size=512) as file:
        for name, value in broad_tables().items():
            file.create_dataset(name, data=np.atleast_2d(np.asarray(value)).T, compression="gzip", shuffle=True)
    data = bytearray((folder / "whole.h5").read_bytes())
    data[:128] = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    return bytes(data)


def bag_file(folder: Path) -> bytes:
    record = imu_record()
    with closing(sqlite3.connect(folder / "whole.db3")) as bag:
        bag.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT)")
        bag.execute("CREATE TABLE messages(topic_id INTEGER, timestamp INTEGER, data BLOB)")
        for number, (kind, rows) in enumerate(_messages(record).items(), 1):
            bag.execute("INSERT INTO topics VALUES (?, ?, ?)", (number, TOPICS[kind], kind))
            template = _template("imu", _DOUBLES[kind])
            for time, row in zip((record.t * 1e9).astype(int).tolist(), rows, strict=True):
                data = template.filled(time, [row.tobytes()])
                bag.execute("INSERT INTO messages VALUES (?, ?, ?)", (number, time, data))
        bag.commit()
    return (folder / "whole.db3").read_bytes()


def recording_file(folder: Path, suffix: str) -> bytes:
    """A motion of the SCARA with torques, 60 samples."""
    t = 0.01 * np.arange(60.0)
    w = 4.0 * np.arange(1.0, ROBOT.dof + 1.0)
    middle, half = (ROBOT.lower + ROBOT.upper) / 2.0, np.minimum((ROBOT.upper - ROBOT.lower) / 4.0, 0.5)
    wave, slope = half * np.sin(np.outer(t, w)), half * w * np.cos(np.outer(t, w))
    tau = np.random.default_rng(1).normal(size=(60, ROBOT.dof))
    rows = [middle + wave, slope, -(w**2) * wave, tau] * 2
    recording = Recording.of(ROBOT, t, np.stack(rows, axis=1), signals=np.ones((60, 9)))
    export_recording(recording, folder / f"motion{suffix}", ROBOT)
    return (folder / f"motion{suffix}").read_bytes()


def use_imu(path: Path) -> None:
    record = read_imu(path).record
    for name in FILTERS:
        estimate = navigate(record, name)
        if record.orientation is not None:
            evaluate_estimate(estimate, record)
    allan_report(record)


def use_recording(path: Path) -> None:
    identify(ROBOT, joint_samples(ROBOT, read_recording(path)))


def measurements(_folder: Path) -> bytes:
    q = np.random.default_rng(2).uniform(ROBOT.lower, ROBOT.upper, (8, ROBOT.dof))
    return measurement_table(Poses(q, ROBOT.fk(q)), ROBOT).encode()


def attained(_folder: Path) -> bytes:
    rows = [f"{point},{10 * point},0.5,{cycle},1,2,3" for cycle in range(3) for point in range(1, 6)]
    return "\n".join(["point,x,y,z,a,b,c", *rows, ""]).encode()


def paths(_folder: Path) -> bytes:
    names = ("line", "large circle", "corners")
    rows = [f"{name},{cycle},{10 * k},0.5,3" for name in names for cycle in (1, 2, 3) for k in range(3)]
    return "\n".join(["path,cycle,x,y,z", *rows, ""]).encode()


def result(folder: Path) -> bytes:
    """A result file of the course with its signature."""
    sheet = folder / "answers.toml"
    sheet.write_text(blank_answers(LABS[0], "one"))
    found = read_answers(sheet)
    return write_result(found, graded(found), folder).read_bytes()


def folder_of_files(folder: Path) -> bytes:
    """A xacro with its values in YAML and a mesh, in a zip without compression, so that damage reaches the texts."""
    path = folder / "arm.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("arm.xacro", XACRO_WITH_VALUES)
        archive.writestr("values.yaml", YAML)
        archive.writestr("link.stl", stl(is_text=True))
    return path.read_bytes()


def evaluated(path: Path) -> object:
    """Work an expression out in which a few names are known."""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    known = {"a": 1.5, "i": 3, "t": "text", "l": [1, 2.5, "b", [4]], "d": {"k": {"x": 1}}}
    return evaluate(text, known.__getitem__)


XACRO_WITH_VALUES = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">
<xacro:property name="v" value="${load_yaml('values.yaml')}"/>
<link name="a"><visual><geometry><mesh filename="link.stl"/></geometry></visual></link><link name="b"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 ${v['d']['a2']}"/>
<axis xyz="0 0 1"/><limit lower="${v['low']}" upper="${v.list[0]}" effort="1" velocity="1"/></joint></robot>
"""
YAML = """# of an arm
d: &d {a2: -0.612, d4: 0.1639, deep: [[1, [2]], {x: [3, {y: 4}]}]}
low: !degrees -180
list: [!radians pi/2, 0x10, 1e3, 12:30:45, 2001-12-14, ~, yes, "q\\u0041", 'it''s']
other: *d
merged:
  <<: *d
  text: |
    two
     lines
  ? key
  : - 1
    - - 2
"""
EXPRESSION = (
    "max(a, 2**i - 3) * (l[1] if t == 'text' and not i < 2 else -d['k']['x']) + round(pi / 4, 3) % 2 // 1"
    " + len(t + str(i)) - sum([1, 2.5]) + [a, i][0] + sin(radians(45)) + float('1e3') + d.get('k').get('x', 2)"
    " + min(list(l)[0], 1)"
)
DH = b"# modified\njoint,theta [deg],d [mm],a [mm],alpha [deg]\nA1,0,400,25,-90\nA2,0,0,560,0\nA3,-90,0,25,90\n"
SIGNALS = b'[[input]]\nname = "1"\nvalue = true\nat = 2.5\n\n[[input]]\nname = "force"\nvalue = 3.25\n'
TOOL_TABLE = b"T1 P1 X0 Y0.1 Z12.5 D6 I1 J2 Q3 ; a mill\n; a comment\nT99999 P2 Z-1.5e1 D.5\n"
PARAMETERS = b"# parameters\n5161\t0.0\n5221 12.5\n31 -1e3\n5601 1\n"


def _file(path: Path) -> Callable[[Path], bytes]:
    return lambda _folder: path.read_bytes()


def _text(text: str | bytes) -> Callable[[Path], bytes]:
    return lambda _folder: text.encode() if isinstance(text, str) else text


READERS: dict[str, Reader] = {
    "robot": Reader(_file(ARMS / "ur5e.toml"), "a.toml", load),
    "planar robot": Reader(_file(ARMS / "planar2.toml"), "a.toml", load),
    "tool": Reader(_file(TOOLS / "gripper.toml"), "a.toml", load_tool),
    "scene": Reader(_file(min(SCENES.glob("*.toml"))), "a.toml", load_scene),
    "scenario file": Reader(_file(min(SCENARIOS.glob("*.json"))), "a.json", read_scenario),
    "signals": Reader(_text(SIGNALS), "a.toml", read_signals),
    "real arm": Reader(
        lambda _folder: real_arm_toml(real_arm(ROBOT, "industrial", seed=1)).encode(), "a.toml", read_real_arm
    ),
    "urdf": Reader(lambda _folder: urdf_text(load("planar3")).encode(), "a.urdf", load),
    "mjcf": Reader(_file(SEEDS / "arm.xml"), "a.xml", import_arm),
    "written mjcf": Reader(lambda _folder: mjcf_text(ROBOT).encode(), "a.xml", import_arm),
    "sdf": Reader(_file(SEEDS / "arm.sdf"), "a.sdf", import_arm),
    "xacro": Reader(_file(SEEDS / "arm.xacro"), "a.xacro", import_arm),
    "zip": Reader(folder_of_files, "a.zip", import_arm),
    "yaml": Reader(_text(YAML), "a.yaml", read_ros_yaml),
    "expression": Reader(_text(EXPRESSION), "a.txt", evaluated),
    "dh csv": Reader(_file(SEEDS / "table.csv"), "a.csv", import_arm),
    "modified dh csv": Reader(_text(DH), "a.csv", import_arm),
    "dh toml": Reader(lambda _folder: dh_toml(load("ur5e")).encode(), "a.toml", import_arm),
    "dh json": Reader(_file(SEEDS / "table.json"), "a.json", import_arm),
    "text stl": Reader(_text(stl(is_text=True)), "a.stl", read_mesh),
    "binary stl": Reader(_text(stl(is_text=False)), "a.stl", read_mesh, BYTES),
    "msh": Reader(_text(MSH), "a.msh", read_mesh, BYTES),
    "obj": Reader(_text(OBJ), "a.obj", read_mesh),
    "ply": Reader(_file(SEEDS / "mesh.ply"), "a.ply", read_mesh),
    "binary ply": Reader(lambda _folder: icosahedron("ply"), "a.ply", read_mesh),
    "dae": Reader(_file(SEEDS / "mesh.dae"), "a.dae", read_mesh),
    "glb": Reader(lambda _folder: robot_glb(load("planar2")), "a.glb", read_mesh),
    "gltf": Reader(_file(SEEDS / "mesh.gltf"), "a.gltf", read_mesh),
    "imu csv": Reader(lambda folder: imu_file(folder, ".csv"), "a.csv", use_imu),
    "imu parquet": Reader(lambda folder: imu_file(folder, ".parquet"), "a.parquet", use_imu, BYTES),
    "imu mcap": Reader(lambda folder: imu_file(folder, ".mcap"), "a.mcap", use_imu, BYTES),
    "imu db3": Reader(bag_file, "a.db3", use_imu, BYTES),
    "imu mat 5": Reader(mat5_file, "a.mat", use_imu, BYTES),
    "imu mat 7.3": Reader(mat73_file, "a.mat", use_imu, BYTES),
    "recording csv": Reader(lambda folder: recording_file(folder, ".csv"), "a.csv", use_recording),
    "recording parquet": Reader(lambda folder: recording_file(folder, ".parquet"), "a.parquet", use_recording, BYTES),
    "recording mcap": Reader(lambda folder: recording_file(folder, ".mcap"), "a.mcap", read_recording, BYTES),
    "measurements": Reader(measurements, "a.csv", lambda path: read_measurements(path, ROBOT)),
    "attained poses": Reader(attained, "a.csv", read_attained),
    "paths": Reader(paths, "a.csv", read_paths),
    "tool table": Reader(_text(TOOL_TABLE), "a.tbl", read_tool_table),
    "parameters": Reader(_text(PARAMETERS), "a.var", read_parameter_file),
    "answers": Reader(
        lambda _folder: blank_answers(LABS[0], "one").encode(), "a.toml", lambda p: graded(read_answers(p))
    ),
    "result": Reader(result, "a.result.json", read_result),
}
assert {Path(name).suffix for _whole, name, use, _ways in READERS.values() if use is read_mesh} == set(MESH_KINDS)
