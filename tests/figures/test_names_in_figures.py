"""A name with dollar signs, marks or tags is shown as it is: by Matplotlib, in Markdown, LaTeX, HTML and formulas."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armlab.catalog import load
from armlab.documents.derivation import derivation_blocks
from armlab.documents.writing import report_files
from armlab.figures.arm import draw_arm
from armlab.figures.joints import draw_joints
from armlab.figures.style import save_figure
from armlab.figures.trajectory import draw_trajectory
from armlab.kinematics.symbolic.derive import derive
from armlab.model.robot import Robot
from armlab.motion.joint import plan_joint
from armlab.motion.limits import limits_of

TITLE = r"Arm $\frac{1$ of 5 <img src=x> & _b_"
JOINT = r"J$\nosuch{$"
PLANAR = load("planar2")
NAMED = replace(
    PLANAR, title=TITLE, joints=tuple(replace(joint, name=f"{JOINT}{i}") for i, joint in enumerate(PLANAR.joints))
)
T = np.linspace(0.0, 1.0, 5)
Q = np.tile(NAMED.home, (5, 1))


def trajectory(robot: Robot) -> Any:
    motion = plan_joint(robot, np.array([robot.home, robot.home + 0.1]))
    return draw_trajectory(motion, robot, limits_of(robot))


FIGURES: dict[str, Callable[[Robot], Any]] = {
    "arm": lambda robot: draw_arm(robot, robot.home),
    "joints": lambda robot: draw_joints(T, Q, robot),
    "trajectory": trajectory,
}


@pytest.mark.parametrize("kind", FIGURES)
def test_matplotlib_shows_dollar_signs_of_names_as_they_are(tmp_path: Path, kind: str) -> None:
    save_figure(FIGURES[kind](NAMED), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "Arm $\\frac{1$ of 5 &lt;img src=x&gt; &amp; _b_" in text


def test_reports_of_an_arm_with_marks_in_its_names_show_them(tmp_path: Path) -> None:
    blocks = derivation_blocks(NAMED, derive(NAMED), NAMED.home)
    (markdown,) = [data for path, data in report_files(blocks, tmp_path / "a.md").items() if path.suffix == ".md"]
    assert "<img" not in markdown.decode().replace(r"\<img", "")
    (page,) = report_files(blocks, tmp_path / "a.html").values()
    assert b"<img src=x>" not in page
    (latex,) = [data for path, data in report_files(blocks, tmp_path / "a.tex").items() if path.suffix == ".tex"]
    assert not re.search(r"(?<!\\)\$\\(frac|nosuch)", latex.decode())
