"""The page has a word for every name that the server sends as a name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

from armlab import catalog
from armlab.catalog.schema import Estimate
from armlab.reports.robots import robot_sheet
from armlab.units import joint_unit

WORDS = Path(__file__).resolve().parents[2] / "web" / "src" / "i18n"
KEYS = frozenset(key for path in WORDS.glob("*en.json") for key in json.loads(path.read_text(encoding="utf-8")))


def test_every_named_pose_of_the_catalog_has_a_word() -> None:
    sheets = [robot_sheet(catalog.load(name)) for name in catalog.robot_names()]
    names = {pose.name for sheet in sheets for pose in sheet.configurations}
    assert {name for name in names if f"pose.{name}" not in KEYS} == set()


def test_every_kind_of_estimate_has_a_word() -> None:
    assert {kind for kind in get_args(Estimate) if f"estimated.{kind}" not in KEYS} == set()


def test_every_unit_of_a_joint_has_a_word() -> None:
    assert all(f"unit.{joint_unit(kind)}" in KEYS for kind in ("revolute", "prismatic"))
