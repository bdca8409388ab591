"""URDF files that are refused: broken, dangerous, too large or in contradiction with themselves."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import numpy as np
import pytest
from formats.urdf_files import ONE_AXIS, Read, geometry, inertial, joint, link, robot_text
from hypothesis import given
from hypothesis import strategies as st

from armlab.errors import InvalidInput, NotSupported
from armlab.formats import urdf_read
from armlab.formats.urdf import read_urdf, urdf_text
from oracles.arms import made_up_arms


def told(read: Read, text: str | bytes) -> str:
    with pytest.raises((InvalidInput, NotSupported)) as caught:
        read(text)
    message = str(caught.value)
    assert "arm.urdf: " in message
    assert "\n" not in message
    assert len(message) < 250
    return message


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "the file is empty"),
        (b" \n\t ", "the file is empty"),
        (b"not xml", "not valid XML: line "),
        (b"<robot name='a'><link name='b'>", "not valid XML: line "),
        (bytes(range(256)) * 40, "not valid XML: line "),
        (b"\x7fELF\x02\x01\x01" + b"\0" * 300, "not valid XML: line "),
        (b"<?xml version='1.0' encoding='no-such'?><robot/>", "not valid XML: line "),
        (b"<mujoco/>", "the root element is <mujoco>; URDF has <robot>"),
        (b"<robot xmlns='http://elsewhere'/>", "the root element is <{http://elsewhere}robot>"),
        (b"<robot/>", "<robot> has no links"),
        (b"<robot>" * 1000 + b"</robot>" * 1000, "not valid XML: line "),
        (b"<robot><!-- " + b"x" * 100 + b" --></robot>", "<robot> has no links"),
    ],
)
def test_what_is_no_urdf_is_refused(read: Read, data: bytes, part: str) -> None:
    assert part in told(read, data)


def test_a_template_is_refused_with_what_to_do(read: Read) -> None:
    text = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="a.xacro"/></robot>'
    assert "expand it with `xacro` first" in told(read, text)


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("place", ['<robot name="&l9;"/>', "<robot>&l9;</robot>"])
def test_entities_that_would_fill_the_memory_are_refused(read: Read, encoding: str, place: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE robot [<!ENTITY l0 "ha">{LAUGHS}]>{place}'
    told(read, text.encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_that_read_other_files_are_refused(read: Read, encoding: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden words")
    text = f'<?xml version="1.0" encoding="{encoding}"?>'
    text += f'<!DOCTYPE robot [<!ENTITY e SYSTEM "{secret.as_uri()}">]><robot name="x">&e;</robot>'
    assert "hidden" not in told(read, text.encode(encoding))


def test_a_file_that_is_too_large_is_refused(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urdf_read, "MAX_BYTES", 1_000_000)
    assert "larger than the 1 MB allowed" in told(read, b"<robot>" + b" " * 1_000_000 + b"</robot>")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path, part in (
        (tmp_path / "none.urdf", "no such file"),
        (tmp_path, "is a folder, not a file"),
        (tmp_path / ("x" * 5000), "no such file|cannot be read"),
    ):
        with pytest.raises(InvalidInput, match=part):
            read_urdf(path)
        with pytest.raises(InvalidInput, match=part):
            read_urdf(str(path))


BASE, ARM, A1 = ONE_AXIS
WRONG = [
    ((BASE, BASE, ARM, A1), "2 links are named 'base'"),
    ((BASE, ARM, A1, A1), "2 joints are named 'A1'"),
    ((BASE, ARM, joint("A1", "base", "arn")), "joint 'A1': there is no link 'arn'"),
    ((BASE, ARM, A1, joint("A2", "arm", "base")), "the joints form a cycle; one link must have no parent"),
    (
        (*ONE_AXIS, link("x"), link("y"), joint("j", "x", "y"), joint("k", "y", "x")),
        "links x, y form a cycle that is not connected to the root 'base'",
    ),
    ((BASE, ARM, A1.replace("0 0 0.5", "0 nan 0")), "joint 'A1': origin: xyz=\"0 nan 0\" is not a number"),
    ((BASE, ARM, A1.replace("0 0 0.5", "0 inf 0")), "joint 'A1': origin: xyz=\"0 inf 0\" is outside ±1e+09"),
    ((BASE, ARM, A1.replace("0 0 0.5", "0 0")), "joint 'A1': origin: xyz=\"0 0\": expected 3 values, got 2"),
    ((BASE, ARM, A1.replace("0 0 0.5", "0 0 ${h}")), "joint 'A1': origin: xyz=\"0 0 ${h}\" is not a number"),
    ((BASE, ARM, A1.replace("0 0 1", "0 0 0")), "joint 'A1': axis [0, 0, 0] has no direction"),
    ((BASE, ARM, A1.replace("1.5", "nan")), "joint 'A1': limit: upper=\"nan\" is not a number"),
    ((BASE, ARM, A1.replace('type="revolute"', "")), "joint 'A1': attribute 'type' is missing or empty"),
    ((BASE, ARM, A1.replace('"revolute"', '"hinge"')), "joint 'A1': type 'hinge' is not one of"),
    ((BASE, ARM, A1.replace('"revolute"', '"planar"')), "joint 'A1': joints of type 'planar' are not supported"),
    ((BASE, ARM, A1.replace('"revolute"', '"floating"')), "joint 'A1': joints of type 'floating' are not supported"),
    ((BASE, ARM, A1.replace('name="A1"', "")), "<joint>: attribute 'name' is missing or empty"),
    ((BASE, ARM, A1.replace('name="A1"', f'name="{"A" * 201}"')), "is not a name of at most 200 printable letters"),
    ((BASE, ARM, A1.replace('<child link="arm"/>', "")), "joint 'A1': <child link=…> is missing"),
    ((BASE, ARM, A1.replace('link="arm"', "")), "joint 'A1': <child>: attribute 'link' is missing or empty"),
    ((BASE, link("arm", inertial(math.nan)), A1), "link 'arm': mass: value=\"nan\" is not a number"),
    ((BASE, link("arm", geometry('<sphere radius="-1"/>')), A1), "link 'arm': sphere: lengths must be ≥ 0"),
    ((BASE, link("arm", geometry("<sphere/>")), A1), "link 'arm': sphere: attribute 'radius' is missing"),
    ((BASE, link("arm", geometry('<box size="1 2"/>')), A1), 'box: size="1 2": expected 3 values, got 2'),
]


@pytest.mark.parametrize(("parts", "part"), WRONG, ids=[part for _, part in WRONG])
def test_a_file_that_contradicts_itself_is_refused(read: Read, parts: tuple[str, ...], part: str) -> None:
    assert part in told(read, robot_text(*parts))


@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_but_never_anything_else(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = bytearray(urdf_text(made_up_arms()[1]).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(whole) - 1))
        whole[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    path = tmp_path_factory.getbasetemp() / "damaged.urdf"
    path.write_bytes(whole)
    with contextlib.suppress(InvalidInput, NotSupported):
        assert np.isfinite(read_urdf(path).home).all()


def test_a_file_with_more_links_than_any_robot_has_is_refused(read: Read) -> None:
    chain = [link(f"l{i}") for i in range(20_000)]
    assert "20000 links and joints; at most 2000 of each are allowed" in told(read, robot_text(*chain))
