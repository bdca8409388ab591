"""Short templates and tables that ask for endless work or memory: refused after a bounded amount of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from armlab.catalog.importing import import_arm
from armlab.errors import ArmlabError, InvalidInput
from armlab.formats import mjcf_geoms, mjcf_values
from armlab.formats.expression import evaluate
from armlab.formats.ros_yaml import read_ros_yaml
from armlab.messages import Message

HEAD = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">'
NAMES: dict[str, float] = {}
TENFOLD = "[" + ",".join(["{0}"] * 10) + "]"


def doubled(levels: int) -> str:
    """Return macros each of which calls the one before twice."""
    macros = '<xacro:macro name="m0" params=""><link name="a"/></xacro:macro>'
    for i in range(1, levels):
        twice = f"<xacro:m{i - 1}/>" * 2
        macros += f'<xacro:macro name="m{i}" params="">{twice}</xacro:macro>'
    return f"{macros}<xacro:m{levels - 1}/>"


def nested_lists(levels: int) -> str:
    """Return properties each of which lists the one before ten times."""
    names = (f'<xacro:property name="a{i}" value="${{{TENFOLD.format(f"a{i - 1}")}}}"/>' for i in range(1, levels))
    return f'<xacro:property name="a0" value="1"/>{"".join(names)}<link name="${{a{levels - 1}}}"/>'


BOMBS = {
    "macros that call two each": (doubled(40), "xacro_endless"),
    "lists of lists": (nested_lists(9), "expression_value"),
    "a long text in a macro": (
        f'<xacro:macro name="m" params=""><link name="a">{"y" * 500_000}</link></xacro:macro>' + "<xacro:m/>" * 50,
        "xacro_endless",
    ),
    "a long file included again and again": ('<xacro:include filename="long.xacro"/>' * 50, "xacro_endless"),
    "searches of packages": ('<link name="$(find nothing)"/>' * 3000, "xacro_endless"),
    "unclosed parameters": (f'<xacro:macro name="m" params="x:={"${" * 1_100_000}"/>', "xacro_endless"),
    "an argument of itself": ('<xacro:arg name="x" default="$(arg x)"/><link name="$(arg x)"/>', "xacro_endless"),
    "the sum of lists": ('<link name="${sum([[1], [2]])}"/>', "expression_value"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_template_that_grows_without_an_end_is_refused(tmp_path: Path, name: str) -> None:
    inside, code = BOMBS[name]
    (tmp_path / "long.xacro").write_text(f"{HEAD}<!-- {'x' * 1_000_000} --></robot>")
    (tmp_path / "arm.xacro").write_text(f"{HEAD}{inside}</robot>")
    with pytest.raises(InvalidInput) as caught:
        import_arm(tmp_path / "arm.xacro")
    problem = caught.value.parameters["problem"]
    assert isinstance(problem, Message)
    assert problem.code == code


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("round(12345, -1000000000)", 0),
        ("round(12345, -2)", 12300),
        ("round(1.25, 1000000000)", 1.25),
        ("round(2.675, 2)", round(2.675, 2)),
        ("round(-7.5)", -8),
        ("sum([1, 2.5])", 3.5),
        ("2 ** 10", 1024.0),
    ],
)
def test_rounding_and_powers_are_those_of_python_where_they_end(text: str, value: float) -> None:
    assert evaluate(text, NAMES.__getitem__) == value


@pytest.mark.parametrize("text", ["9 ** 9 ** 9", "pow(10, 1e9)", "round(1, 1.5)", "sum(['a'])", "1e999 ** 2 - 'a'"])
def test_what_has_no_value_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        evaluate(text, NAMES.__getitem__)


TABLES = {
    "aliases of aliases": ("a0: &a0 [1]\n" + "".join(
        f"a{i}: &a{i} {TENFOLD.format(f'*a{i - 1}')}\n" for i in range(1, 10)), "yaml_too_large"),
    "merged tables": ("a0: &a0 {x: 1}\n" + "".join(
        f"a{i}: &a{i}\n  <<: {TENFOLD.format(f'*a{i - 1}')}\n" for i in range(1, 10)), "yaml_too_large"),
    "a list in itself": ("a: &a [1, *a]\n", "yaml_too_large"),
    "a number of base 60": ("a: 1" + ":59" * 100_000, "yaml_too_large"),
    "a deep list": ("a: " + "[" * 20_000, "nested_too_deeply"),
    "a deep list that ends": ("[" * 2000 + "]" * 2000, "nested_too_deeply"),
    "a deep block": ("- " * 2000 + "1", "nested_too_deeply"),
    "a deep table": ("{a: " * 2000 + "1" + "}" * 2000, "nested_too_deeply"),
    "many parts": ("[" + "a," * 200_000 + "]", "yaml_too_large"),
    "an angle that is a list": ("a: !degrees '[1]'", "yaml_angle"),
    "a day that no calendar has": ("a: 2001-13-45", "yaml_syntax"),
    "a long file": ("a: " + "x" * 600_000, "file_too_large"),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_takes_too_much_is_refused(tmp_path: Path, name: str) -> None:
    text, code = TABLES[name]
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(ArmlabError) as caught:
        read_ros_yaml(tmp_path / "a.yaml")
    assert caught.value.code == code


def test_a_table_is_what_yaml_reads(tmp_path: Path) -> None:
    text = "a: &a {x: 1, y: [2, 3.5, yes]}\nb: *a\nc: {<<: *a, z: text}\n"
    (tmp_path / "a.yaml").write_text(text)
    assert read_ros_yaml(tmp_path / "a.yaml") == yaml.safe_load(text)
    (tmp_path / "a.yaml").write_text("")
    assert read_ros_yaml(tmp_path / "a.yaml") is None


MODELS = {
    "geoms": (
        '<worldbody><body name="b">' + '<geom size="1"/>' * 101 + "</body></worldbody>",
        "mjcf_too_many_geoms",
    ),
    "joints": ('<worldbody><body name="b">' + "<joint/>" * 5000 + "</body></worldbody>", "mjcf_too_large"),
    "points of a class": (
        f'<default><mesh vertex="{"1 " * 50_000}"/></default><asset>' + '<mesh name="m"/>' * 200 + "</asset>",
        "mjcf_endless",
    ),
    "includes of a long file": ('<include file="long.xml"/>' * 30, "mjcf_include"),
    "an include of itself": ('<include file="arm.xml"/>', "mjcf_include"),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_asks_for_too_much_is_refused(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mjcf_geoms, "MAX_GEOMS", 100)
    monkeypatch.setattr(mjcf_values, "MAX_WORK", 5_000_000)
    inside, code = MODELS[name]
    (tmp_path / "long.xml").write_text(f"<mujocoinclude><!-- {'x' * 1_000_000} --></mujocoinclude>")
    (tmp_path / "arm.xml").write_text(f"<mujoco>{inside}</mujoco>")
    with pytest.raises(InvalidInput) as caught:
        import_arm(tmp_path / "arm.xml")
    assert caught.value.code == code
