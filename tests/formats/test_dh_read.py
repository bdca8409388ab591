"""Denavit–Hartenberg tables as arms with a body: shapes and masses as robot files with the same rows have them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armlab
from armlab.catalog.importing import import_arm
from armlab.model.robot import Robot

ROWS = [(0, 89.2, 0, 90), (0, 0, -425, 0), (0, 0, -392.25, 0), (0, 109.15, 0, 90), (0, 94.65, 0, -90), (0, 82.3, 0, 0)]
HEAD = "# standard\njoint, theta [deg], d [mm], a [mm], alpha [deg], lower, upper\n"
CSV = HEAD + "".join(f"J{i}, {t}, {d}, {a}, {alpha}, -180, 180\n" for i, (t, d, a, alpha) in enumerate(ROWS))
TOML = (
    'schema = 1\nname = "arm"\ntitle = "Arm"\nsource = "a table"\ndh = "standard"\nhome = [0, 0, 0, 0, 0, 0]\n'
    + "".join(
        f'[[joint]]\nname = "J{i}"\nkind = "revolute"\nlimits = {{ lower = -180, upper = 180 }}\n'
        f"dh = {{ theta = {t}, d = {d}, a = {a}, alpha = {alpha} }}\n"
        for i, (t, d, a, alpha) in enumerate(ROWS)
    )
)


def read(folder: Path, name: str, text: str) -> Robot:
    (folder / name).write_text(text, encoding="utf-8")
    return import_arm(folder / name).robot


def test_a_table_has_the_body_of_a_robot_file_with_the_same_rows(tmp_path: Path) -> None:
    table, file = read(tmp_path, "arm.csv", CSV), read(tmp_path, "arm.toml", TOML)
    for one, other in zip(table.links, file.links, strict=True):
        assert len(one.shapes) > 0
        assert [(each.kind, each.size) for each in one.shapes] == [(each.kind, each.size) for each in other.shapes]
        assert one.inertia.mass > 0.0
        assert one.inertia.mass == pytest.approx(other.inertia.mass, rel=1e-12)
        np.testing.assert_allclose(one.inertia.com, other.inertia.com, atol=1e-12)
        np.testing.assert_allclose(one.inertia.matrix, other.inertia.matrix, atol=1e-12)
    assert set(table.estimated) == set(file.estimated)


def test_an_arm_of_a_table_can_be_simulated(tmp_path: Path) -> None:
    arm = read(tmp_path, "arm.csv", CSV)
    sim = armlab.Simulation(armlab.Scene.of(arm))
    sim.step(10)
    assert np.isfinite(sim.state().q).all()


def test_what_was_generated_is_said(tmp_path: Path) -> None:
    (tmp_path / "arm.csv").write_text(CSV, encoding="utf-8")
    arm = import_arm(tmp_path / "arm.csv")
    (said,) = [finding for finding in arm.findings if finding.code == "body_generated"]
    mass = sum(link.inertia.mass for link in arm.robot.links)
    assert said.message.parameters["mass"] == pytest.approx(mass)


@pytest.mark.parametrize(
    "rows", ["0, 0, 0, 0\n", "0, 0, 0, 0\n" * 3, "0, 1e-9, 0, 90\n" * 6, "0, 1e6, 1e6, 1e-9\n" * 7]
)
def test_any_lengths_give_a_body(tmp_path: Path, rows: str) -> None:
    arm = read(tmp_path, "arm.csv", "theta [deg], d [mm], a [mm], alpha [deg]\n" + rows)
    assert all(link.shapes and link.inertia.mass > 0.0 for link in arm.links)
