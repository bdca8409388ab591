"""Surfaces as texts: what is read is what was written, to a small share of its size; other texts are refused."""

from __future__ import annotations

import base64
import struct
import zlib
from contextlib import suppress

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from armlab.arrays import Floats
from armlab.catalog import load, load_text
from armlab.catalog.write import robot_toml
from armlab.errors import CatalogError, InvalidInput
from armlab.formats.surface_text import read_surface, surface_text, surfaces_within
from armlab.geometry.visual import Visual, clustered


def heap(seed: int, corners: int, triangles: int) -> Visual:
    """Return random triangles."""
    rng = np.random.default_rng(seed)
    return Visual(rng.normal(size=(corners, 3)) * 0.3, rng.integers(0, corners, (triangles, 3)), "#0a0b0c")


def area_vector(visual: Visual) -> Floats:
    """Return the sum of all triangles' areas, each along its normal: it changes where one is turned round."""
    a, b, c = (visual.vertices[visual.faces[:, i]] for i in range(3))
    return np.asarray(np.cross(b - a, c - a).sum(axis=0) / 2.0)


@given(seed=st.integers(0, 2**31), corners=st.integers(3, 60), triangles=st.integers(1, 80))
def test_every_triangle_comes_back_at_its_place(seed: int, corners: int, triangles: int) -> None:
    visual = heap(seed, corners, triangles)
    step = float(np.ptp(visual.vertices, axis=0).max()) / 8191
    (again,) = read_surface(surface_text([visual]))
    assert again.colour == visual.colour
    assert again.faces.shape == visual.faces.shape
    ours, theirs = (each.vertices[each.faces].mean(axis=1) for each in (visual, again))
    assert np.abs(np.sort(ours, axis=0) - np.sort(theirs, axis=0)).max() <= step
    np.testing.assert_allclose(area_vector(visual), area_vector(again), atol=triangles * 12 * step)


def test_a_link_without_a_surface_has_an_empty_text_and_several_keep_their_colours() -> None:
    ball = trimesh.creation.icosphere(2)
    parts = [Visual(np.asarray(ball.vertices), np.asarray(ball.faces), colour) for colour in (None, "#123456")]
    texts = surfaces_within([parts, []], 100_000)
    assert texts is not None
    assert texts[1] == ""
    assert [each.colour for each in read_surface(texts[0])] == [None, "#123456"]


def test_what_cannot_be_short_enough_is_left_out() -> None:
    assert surfaces_within([[heap(1, 3000, 60_000)]], 1000) is None


def test_corners_of_one_cell_become_one_and_nothing_is_left_of_what_is_smaller() -> None:
    ball = trimesh.creation.icosphere(4)
    visual = Visual(np.asarray(ball.vertices), np.asarray(ball.faces))
    coarse = clustered(visual, 0.2)
    assert coarse is not None
    assert len(coarse.faces) < len(visual.faces) / 3
    assert np.abs(np.linalg.norm(coarse.vertices, axis=1) - 1.0).max() < 0.03
    assert clustered(visual, 10.0) is None
    assert clustered(visual, 0.0) is visual


def packed(*parts: bytes) -> str:
    return base64.b64encode(zlib.compress(b"".join(parts))).decode()


PART = struct.Struct("<7s3ddII")
WRONG = {
    "no base64": "käse",
    "not compressed": base64.b64encode(b"srf1 and so on").decode(),
    "another kind": packed(b"abcd\x01"),
    "nothing inside": packed(b""),
    "cut off": packed(b"srf1\x01", PART.pack(b"", 0, 0, 0, 1, 3, 1), b"\0" * 30),
    "corner out of range": packed(b"srf1\x01", PART.pack(b"", 0, 0, 0, 1, 3, 1), b"\0" * 36, b"\x08\0\0\0" * 3),
    "no number": packed(b"srf1\x01", PART.pack(b"", np.nan, 0, 0, 1, 3, 1), b"\0" * 48),
    "far away": packed(b"srf1\x01", PART.pack(b"", 0, 0, 0, 1e300, 3, 1), b"\0" * 48),
    "no colour": packed(b"srf1\x01", PART.pack(b"red", 0, 0, 0, 1, 3, 1), b"\0" * 48),
    "too many": packed(b"srf1\x01", PART.pack(b"", 0, 0, 0, 1, 3, 300_000), b"\0" * 48),
    "too many corners": packed(b"srf1\x01", PART.pack(b"", 0, 0, 0, 1, 700_000, 1), b"\0" * 200),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_no_surface_is_refused(kind: str) -> None:
    with refused("surface_text", InvalidInput):
        read_surface(WRONG[kind])
    arm = load("planar2")
    text = robot_toml(arm, surfaces=[WRONG[kind], "", ""])
    with refused("surface_text", CatalogError):
        load_text(text)


def test_a_text_that_grows_without_end_is_cut_off() -> None:
    bomb = packed(b"srf1\x01", b"\0" * 60_000_000)
    with refused("surface_text", InvalidInput):
        read_surface(bomb)


@given(data=st.data())
def test_a_text_with_other_bytes_is_read_or_refused(data: st.DataObject) -> None:
    raw = bytearray(zlib.decompress(base64.b64decode(surface_text([heap(3, 12, 20)]))))
    for _change in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    visuals: tuple[Visual, ...] = ()
    with suppress(InvalidInput):
        visuals = read_surface(packed(bytes(raw)))
    for visual in visuals:
        assert np.isfinite(visual.vertices).all()
        assert visual.faces.min() >= 0
        assert visual.faces.max() < len(visual.vertices)
