"""Small files that once took gigabytes or minutes: they are refused, or read, with bounded work."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from armlab.catalog import load
from armlab.errors import InvalidInput
from armlab.files import bounded_bytes
from armlab.formats import decompose as decomposition
from armlab.formats.decompose import decompose
from armlab.formats.meshes import read_mesh
from armlab.geometry import hull
from armlab.program.scenario import read_scenario
from armlab.validation import parsed_toml

MEGABYTE = 1_000_000
ARM = """schema = 1
name = "demo"
title = "Demo"
maker = "nobody"
source = "made up for a test"
home = [0]
[[joint]]
name = "A1"
kind = "revolute"
axis = [0, 0, 1]
limits = { lower = -90, upper = 90 }
"""


def refused(path: Path, data: bytes) -> tuple[InvalidInput, int]:
    """Return the refusal of a mesh file, and how many bytes of memory reading it took."""
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput) as caught:
            read_mesh(path)
        return caught.value, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_one_very_long_number_in_a_mesh_takes_no_more_memory_than_its_text(tmp_path: Path) -> None:
    long = b"1" * 50_000
    facets = b"".join(b"vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n" for _triangle in range(9000))
    stl = b"solid x\n" + facets + b"vertex 0 0 " + long + b"\nvertex 0 0 1\nvertex 1 1 1\nendsolid x\n"
    obj = b"v 0 0 0\n" * 30_000 + b"v 0 0 " + long + b"\nf 1 2 3\n"
    for name, data in (("a.stl", stl), ("a.obj", obj)):
        error, memory = refused(tmp_path / name, data)
        assert error.code == "mesh_numbers"
        assert memory < 100 * MEGABYTE
    assert refused(tmp_path / "b.obj", b"v 0 0 0\nf 1 1 " + b"9" * 20_000 + b"\n")[0].code == "obj_corner"


def test_a_scenario_of_many_unknown_keys_is_refused_with_a_short_message(tmp_path: Path) -> None:
    path = tmp_path / "many.json"
    path.write_text(json.dumps({f"k{i}": 0 for i in range(70_000)}))
    with pytest.raises(InvalidInput, match="and 69999 more") as caught:
        read_scenario(path)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "line",
    [
        "# " + "." * 60,
        "# a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w",
        'notes = "see a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w = 1"',
        "points = [" + ", ".join("[1.5, 2.5, 3.5]" for _point in range(40)) + "]",
        "'a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w' = 1",
    ],
)
def test_dots_in_comments_texts_and_numbers_are_not_deep_keys(line: str) -> None:
    assert isinstance(parsed_toml(f"{line}\nname = 3\n")["name"], int)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a" + ".a" * 50_000 + " = 1", "nested_too_deeply"),
        ("[" + "a." * 50_000 + "a]", "nested_too_deeply"),
        ("x = { " + "a." * 30 + "a = 1 }", "nested_too_deeply"),
        ("a = " + "[" * 50_000, "nested_too_deeply"),
        ("a = " + "9" * 5000, "toml_number_too_long"),
        ("a = ?", "toml_syntax"),
        ('a = """', "toml_ends_early"),
    ],
)
def test_toml_that_would_take_too_much_work_is_refused(text: str, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parsed_toml(text)
    assert caught.value.code == code


def test_a_number_of_thousands_of_hexadecimal_digits_is_refused_like_any_wrong_value(tmp_path: Path) -> None:
    path = tmp_path / "demo.toml"
    path.write_text(ARM.replace("lower = -90", "lower = 0x" + "f" * 4000))
    with pytest.raises(InvalidInput, match=r"joint\[1\]\.limits\.lower: ") as caught:
        load(path)
    assert len(str(caught.value)) < 400


def test_a_robot_file_has_a_bounded_number_of_shapes_and_configurations(tmp_path: Path) -> None:
    path = tmp_path / "demo.toml"
    shape = '{ kind = "sphere", size = [1] }'
    for more, code in (
        (f"[base_link]\nshapes = [{', '.join([shape] * 501)}]\n", "too_many_items"),
        (f"[base_link]\nshapes = [{', '.join([shape] * 400)}]\n", "too_many_shapes"),
        ("[configurations]\n" + "".join(f"c{i} = [0]\n" for i in range(1001)), "too_many_items"),
    ):
        link = f"link.shapes = [{', '.join([shape] * 400)}]\n"
        path.write_text(ARM.replace("[[joint]]", f"{more}[[joint]]\n{link}"))
        with pytest.raises(InvalidInput) as caught:
            load(path)
        assert caught.value.code == code


def grid(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a wavy sheet of 2 k² triangles: nowhere convex."""
    x, y = np.meshgrid(np.arange(k + 1.0), np.arange(k + 1.0), indexing="ij")
    points = np.stack([x, y, 3.0 * np.sin(x) * np.sin(y)], axis=-1).reshape(-1, 3)
    a = (np.arange(k)[:, None] * (k + 1) + np.arange(k)).ravel()
    faces = np.concatenate([np.stack([a, a + 1, a + k + 2], axis=1), np.stack([a, a + k + 2, a + k + 1], axis=1)])
    return points, faces


def test_the_work_of_a_decomposition_is_bounded_whatever_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    points, faces = grid(40)
    hulls: list[int] = []
    real = hull.attempt_hull

    def counted(given: np.ndarray) -> hull.Hull | None:
        hulls.append(len(given))
        return real(given)

    monkeypatch.setattr(hull, "attempt_hull", counted)
    monkeypatch.setattr(decomposition, "_CUT_AT_ALL", 20 * len(faces))
    monkeypatch.setattr(decomposition, "_MOST_MERGES_TRIED", 200)
    shapes = decompose(points, faces, parts=256)
    per_cut = 2 * (12 + 18) * 3 * 2
    assert sum(hulls[: len(hulls)]) < 40 * per_cut * len(faces)
    assert 1 <= len(shapes) <= 256
    inside = np.zeros(len(points), dtype=bool)
    for shape in shapes:
        inside |= hull.contains(shape.hull, points)
    assert inside.all()


def test_reading_a_small_file_takes_no_room_for_the_largest(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    tracemalloc.start()
    assert bounded_bytes(tmp_path / "a", 2_000_000_000) == b"abc"
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    with pytest.raises(InvalidInput, match="larger than"):
        bounded_bytes(tmp_path / "a", 2)
