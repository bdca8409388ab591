"""Rounded angles made exact where that changes nothing that matters, and arms in millimetres."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

import armlab
from armlab.arrays import Floats
from armlab.catalog.importing import ImportedArm, ImportOptions, import_arm
from armlab.formats.snap import MOST_CHANGE, snapped
from armlab.formats.urdf import urdf_text
from armlab.kinematics.closed import recognise


def rounded(folder: Path, digits: int, *, snap: bool = True, robot: str = "ur5e") -> ImportedArm:
    text = urdf_text(armlab.load(robot))
    shorter = re.sub(
        r'rpy="([^"]+)"', lambda m: f'rpy="{" ".join(f"{float(word):.{digits}f}" for word in m[1].split())}"', text
    )
    (folder / "arm.urdf").write_text(shorter, encoding="utf-8")
    return import_arm(folder / "arm.urdf", ImportOptions(snap=snap))


@pytest.mark.parametrize("robot", ["ur5e", "puma560", "scara-s3"])
def test_an_arm_with_rounded_angles_gets_its_closed_form_back(robot: str, tmp_path: Path) -> None:
    given, made = rounded(tmp_path, 7, snap=False, robot=robot), rounded(tmp_path, 7, robot=robot)
    assert given.findings == ()
    assert [finding.code for finding in made.findings] == ["numbers_snapped"]
    assert recognise(given.robot) is None
    assert recognise(made.robot) is not None
    q = np.random.default_rng(1).uniform(given.robot.lower, given.robot.upper, (500, given.robot.dof))
    moved = np.linalg.norm(given.robot.fk(q)[:, :3, 3] - made.robot.fk(q)[:, :3, 3], axis=1)
    assert 0.0 < moved.max() <= made.findings[0].message.parameters["change"] / 1000.0 <= MOST_CHANGE


def test_the_report_says_which_numbers_were_made_exact(tmp_path: Path) -> None:
    given, made = rounded(tmp_path, 7, snap=False).robot, rounded(tmp_path, 7)
    numbers = made.findings[0].message.parameters["numbers"]
    changed = {
        one.name
        for one, other in zip(given.joints, made.robot.joints, strict=True)
        if not np.array_equal(one.T_parent_joint, other.T_parent_joint)
    }
    assert {text.split(":")[0] for text in numbers} - {"flange"} == changed
    assert all(float(text.split(": ")[1].rstrip("°")) < 1e-5 for text in numbers)


def test_no_pose_of_a_snapped_arm_is_farther_off_than_its_bound(tmp_path: Path) -> None:
    """The bound is for all poses: a search for the worst one must not get beyond it, but near."""
    given, made = rounded(tmp_path, 6, snap=False).robot, snapped(rounded(tmp_path, 6, snap=False).robot)
    assert made is not None

    def closeness(q: Floats) -> float:
        return -float(np.linalg.norm(given.fk(q)[:3, 3] - made.robot.fk(q)[:3, 3])) * 1e6

    starts = np.random.default_rng(4).uniform(given.lower, given.upper, (12, 6))
    worst = max(-minimize(closeness, q, method="Nelder-Mead").fun * 1e-6 for q in starts)
    assert 0.2 * made.change < worst <= made.change


def test_numbers_that_are_too_far_off_stay_as_they_are(tmp_path: Path) -> None:
    made = rounded(tmp_path, 4)
    assert [finding.code for finding in made.findings] == ["numbers_rounded"]
    np.testing.assert_array_equal(made.robot.fk(np.ones(6)), rounded(tmp_path, 4, snap=False).robot.fk(np.ones(6)))


def test_an_arm_of_a_kilometre_is_in_millimetres(tmp_path: Path) -> None:
    robot = armlab.load("scara")
    text = re.sub(
        r'(xyz|size|radius|length)="([^"]+)"',
        lambda m: f'{m[1]}="{" ".join(repr(1000.0 * float(word)) for word in m[2].split())}"',
        urdf_text(robot),
    )
    text = re.sub(
        r'(<joint name="[^"]+" type="prismatic">.*?)lower="([^"]+)" upper="([^"]+)"',
        lambda m: f'{m[1]}lower="{1000 * float(m[2])!r}" upper="{1000 * float(m[3])!r}"',
        text,
        flags=re.DOTALL,
    )
    (tmp_path / "mm.urdf").write_text(text, encoding="utf-8")
    made = import_arm(tmp_path / "mm.urdf")
    assert "arm_unit_guessed" in [finding.code for finding in made.findings]
    q = np.random.default_rng(2).uniform(robot.lower, robot.upper, (50, robot.dof))
    np.testing.assert_allclose(made.robot.fk(q), robot.fk(q), atol=1e-12)
    np.testing.assert_allclose(made.robot.upper, robot.upper, atol=1e-12)
    sizes = [[shape.size for shape in link.shapes] for link in made.robot.links]
    assert max(size[0] for link in sizes for size in link) < 1.0
