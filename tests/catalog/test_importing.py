"""Arms brought in: DH tables in any shape, robot files written and read again, and how whole a file is."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import armlab
from armlab.catalog.importing import ImportOptions, import_arm
from armlab.catalog.write import robot_toml, write_robot
from armlab.errors import InvalidInput
from armlab.formats.dh_write import dh_toml
from armlab.model.dh import DhRow, DhTable
from armlab.model.robot import Robot

PUMA = [
    ("A1", 0, 0, 0),
    ("A2", 0, 0, -90),
    ("A3", 149.09, 431.8, 0),
    ("A4", 433.07, -20.32, -90),
    ("A5", 0, 0, 90),
    ("A6", 0, 0, -90),
]
Q = np.random.default_rng(5).uniform(-1.5, 1.5, (50, 6))


def puma() -> DhTable:
    rows = (DhRow(name, "revolute", 0.0, d / 1000, a / 1000, np.radians(alpha)) for name, d, a, alpha in PUMA)
    return DhTable("modified", tuple(rows), np.eye(4), np.eye(4))


def brought(folder: Path, name: str, text: str, **options: object) -> Robot:
    (folder / name).write_text(text, encoding="utf-8")
    return import_arm(folder / name, ImportOptions(**options)).robot  # type: ignore[arg-type]


CSV = "\n".join(
    ["# modified", "joint; alpha (deg); a [mm]; theta [deg]; d (mm)", *(f"{n};{al};{a};q;{d}" for n, d, a, al in PUMA)]
)
RADIANS = "\n".join(
    [
        "i,theta,d,a,alpha",
        *(f"{i + 1},theta_{i + 1},{d / 1000},{a / 1000},{al}*pi/180" for i, (_n, d, a, al) in enumerate(PUMA)),
    ]
)
ROWS = json.dumps(
    {
        "convention": "modified",
        "length": "mm",
        "angle": "deg",
        "joints": [{"name": n, "d": d, "a": a, "alpha": al} for n, d, a, al in PUMA],
    }
)


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [("puma.csv", CSV, {}), ("puma.csv", RADIANS, {"convention": "modified"}), ("puma.json", ROWS, {})],
    ids=["millimetres", "radians", "json"],
)
def test_a_dh_table_is_read_whatever_its_columns_and_units(
    tmp_path: Path, name: str, text: str, options: dict[str, object]
) -> None:
    robot = brought(tmp_path, name, text, **options)
    assert [joint.name for joint in robot.joints] == ["A1", "A2", "A3", "A4", "A5", "A6"]
    np.testing.assert_allclose(robot.fk(Q), puma().fk(Q), atol=1e-14)


def test_what_a_table_does_not_say_is_guessed_and_said(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("theta,d,a,alpha\n0,300,0,90\n0,0,250,0\n", encoding="utf-8")
    arm = import_arm(tmp_path / "t.csv")
    codes = [finding.code for finding in arm.findings]
    guessed = ["dh_convention_guessed", "dh_length_unit", "dh_angle_unit", "limits_missing", "limits_missing"]
    assert codes == [*guessed, "body_generated"]
    np.testing.assert_allclose(arm.robot.fk([0.0, 0.0])[:3, 3], [0.25, 0.0, 0.3], atol=1e-15)


def test_a_column_that_is_missing_is_zero_and_said(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("# standard\ntheta [deg],d [mm],a [mm]\n0,0,300\n90,0,250\n", encoding="utf-8")
    arm = import_arm(tmp_path / "t.csv")
    assert next(finding.code for finding in arm.findings) == "dh_columns_missing"
    np.testing.assert_allclose(arm.robot.fk([0.0, 0.0])[:3, 3], [0.3, 0.25, 0.0], atol=1e-15)


def test_a_variable_in_the_column_d_is_a_sliding_joint(tmp_path: Path) -> None:
    robot = brought(tmp_path, "t.csv", "# standard\ntheta,d,a,alpha,lower,upper\nq1,100,200,0,-90,90\n0,d2,0,0,0,150\n")
    assert [joint.kind for joint in robot.joints] == ["revolute", "prismatic"]
    assert robot.upper[1] == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("theta,d,a,alpha\n", "dh_no_rows"),
        ("x,y\n1,2\n", "dh_columns"),
        ("theta,d,a,alpha\n0,one,0,0\n", "dh_number"),
        ("theta,d,a,alpha\n0,1e9,0,0\n", "dh_number"),
        ("theta,d,a,alpha,kind\n0,1,0,0,ball\n", "dh_kind"),
        ("theta,d,a,alpha\n" + "0,1,0,0\n" * 65, "dh_table_length"),
    ],
)
def test_a_table_without_a_clear_meaning_is_refused(tmp_path: Path, text: str, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        brought(tmp_path, "t.csv", text)
    assert caught.value.code == code


@pytest.mark.parametrize("name", armlab.robot_names())
def test_an_arm_written_as_toml_or_as_a_table_is_the_same_arm(tmp_path: Path, name: str) -> None:
    robot = armlab.load(name)
    q = np.random.default_rng(1).uniform(robot.lower, robot.upper, (20, robot.dof))
    write_robot(robot, tmp_path / "again.toml")
    again = armlab.load(tmp_path / "again.toml")
    np.testing.assert_allclose(again.fk(q), robot.fk(q), atol=1e-12)
    np.testing.assert_allclose(
        [again.lower, again.upper, again.home], [robot.lower, robot.upper, robot.home], atol=1e-12
    )
    for one, other in zip(again.links, robot.links, strict=True):
        assert one.inertia.mass == pytest.approx(other.inertia.mass, rel=1e-12)
        np.testing.assert_allclose(one.inertia.com, other.inertia.com, atol=1e-12)
        np.testing.assert_allclose(one.inertia.matrix, other.inertia.matrix, atol=1e-12)
    table = brought(tmp_path, "table.dh.toml", dh_toml(robot))
    np.testing.assert_allclose(table.fk(q), robot.fk(q), atol=1e-12)


def test_a_whole_file_is_healthier_than_a_poor_one(tmp_path: Path) -> None:
    (tmp_path / "arm.toml").write_text(robot_toml(armlab.load("ur5e")), encoding="utf-8")
    (tmp_path / "arm.csv").write_text("theta,d,a,alpha\n0,300,0,90\n", encoding="utf-8")
    assert import_arm(tmp_path / "arm.toml").health.score == 100
    assert import_arm(tmp_path / "arm.csv").health.score < 60
