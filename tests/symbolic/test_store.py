from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import sympy
from symbolic.derived import derived

import armlab
from armlab import pose
from armlab.kinematics import derive
from armlab.kinematics.symbolic import store
from armlab.kinematics.symbolic.derivation import Derivation
from armlab.kinematics.symbolic.derive import derive_afresh
from armlab.kinematics.symbolic.evaluate import evaluate
from armlab.model.parts import Tool


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARMLAB_CACHE", str(tmp_path))
    return tmp_path / "derivations"


def assert_same(one: Derivation, other: Derivation) -> None:
    for part in fields(Derivation):
        assert getattr(one, part.name) == getattr(other, part.name), part.name


@pytest.mark.parametrize("name", armlab.robot_names())
def test_what_is_read_is_what_was_written(name: str, tmp_path: Path) -> None:
    store.write(tmp_path / "one.json", derived(name))
    found = store.read(tmp_path / "one.json")
    assert found is not None
    assert_same(found, derived(name))


def test_an_arm_is_derived_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = armlab.load("kuka-kr6-r900")
    first = derive(robot)
    assert [path.suffix for path in cache.iterdir()] == [".json"]
    monkeypatch.setattr("armlab.kinematics.symbolic.derive.derive_afresh", lambda *_: pytest.fail("derived again"))
    again = derive(robot)
    assert_same(first, again)
    np.testing.assert_array_equal(evaluate(first, robot.home).tool, evaluate(again, robot.home).tool)


def test_another_arm_tool_name_or_convention_has_another_file() -> None:
    robot = armlab.load("planar2")
    tool = Tool("pin", "none", pose.from_xyz_abc([0.1, 0, 0], [0, 0, 0]))
    links = (*robot.links[:-1], replace(robot.links[-1], inertia=replace(robot.links[-1].inertia, mass=3.21)))
    others = [robot, robot.with_tool(tool), replace(robot, name="mine"), replace(robot, links=links)]
    places = {store.place(other, armlab.dh_table(other, "standard")) for other in others}
    places.add(store.place(robot, armlab.dh_table(robot, "modified")))
    assert len(places) == 5


DAMAGE = [
    "",
    "{",
    "[]",
    "null",
    '{"nodes": [["os.system", "true"]], "derivation": {"node": 0}}',
    '{"nodes": [["Add", 0]], "derivation": {"node": 0}}',
    '{"nodes": [["Symbol", "x", ["commutative"]]], "derivation": {"node": 0}}',
    '{"nodes": [], "derivation": {"class": "Robot", "fields": {}}}',
    '{"nodes": [["Rational", "1", "0"], ["Rational", "x", "1"]], "derivation": {"node": 0}}',
    '{"nodes": [["pi"]], "derivation": {"node": 0}}',
    '{"nodes": [["pi"]], "derivation": {"node": -1}}',
    '{"nodes": [["Float", "0x1p99999"]], "derivation": {"node": 0}}',
    '{"nodes": [["Symbol", "print()", ["real"]]], "derivation": {"node": 0}}',
    '{"nodes": [["Rational", "9", "1"], ["Rational", "99999999999", "1"], ["Pow", 0, 1]], "derivation": {"node": 0}}',
]


@pytest.mark.parametrize("text", DAMAGE)
def test_a_damaged_file_is_derived_and_written_again(text: str, cache: Path) -> None:
    robot = armlab.load("planar2")
    derive(robot)
    (path,) = cache.iterdir()
    good = path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    assert_same(derive(robot), derived("planar2"))
    assert path.read_text(encoding="utf-8") == good
    assert [path] == list(cache.iterdir())


@pytest.mark.parametrize("part", ["tool", "links", "variables", "robot", "jacobian", "parameters"])
def test_a_file_with_a_part_missing_is_not_used(part: str, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    store.write(path, derived("planar2"))
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["derivation"]["fields"][part]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert store.read(path) is None


def test_where_nothing_can_be_written_arms_are_derived_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("ARMLAB_CACHE", str(tmp_path / "file"))
    assert_same(derive(armlab.load("planar2")), derived("planar2"))
    monkeypatch.setattr(store, "user_cache", lambda: None)
    assert_same(derive(armlab.load("planar2")), derived("planar2"))


def test_what_the_store_has_no_word_for_is_not_written(tmp_path: Path) -> None:
    x = sympy.Symbol("x", prime=True)
    for odd in (sympy.Function("f")(x), sympy.Integral(sympy.Symbol("y"), sympy.Symbol("y")), x):
        store.write(tmp_path / "one.json", replace(derived("planar2"), determinant=odd))
        assert list(tmp_path.iterdir()) == []


def test_the_formulas_do_not_depend_on_who_derived_them() -> None:
    assert_same(derive_afresh(armlab.load("scara")), derive_afresh(armlab.load("scara")))
