from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program.gcode.runs import codes, motions

from armlab.program.gcode.canon import Arc, Feed


def ends(program: str) -> list[tuple[float, float]]:
    return [(round(m.end[0], 4), round(m.end[1], 4)) for m in motions(program) if isinstance(m, Feed | Arc)]


CONTOUR = """f100
g0 x-100 y-100
g41.1 d{diameter}
g1 y-102
g2 i1.095697 j-0.097206 x-99.562609 y-102.978473
g1 x-97.562609 y-99.978473
g1 x-91.562609 y-97.978473
g3 i-1.365837 j-2.212349 x-90.369054 y-100.648542
g40
g1 x-80.369054 y-95.648542
"""


def test_contours_on_either_side_are_those_of_linuxcnc() -> None:
    assert ends(CONTOUR.format(diameter=-0.5)) == [
        (-100.25, -102.0),
        (-99.751, -102.0221),
        (-99.2047, -102.8923),
        (-97.4022, -100.1885),
        (-91.4836, -98.2156),
        (-91.4313, -97.7657),
        (-90.123, -100.6926),
        (-80.3691, -95.6485),
    ]
    assert ends(CONTOUR.format(diameter=0.5)) == [
        (-99.75, -101.0449),
        (-99.7122, -103.1788),
        (-99.7706, -102.8398),
        (-97.7706, -99.8398),
        (-97.6417, -99.7413),
        (-92.245, -97.9424),
        (-90.6151, -100.6045),
        (-80.3691, -95.6485),
    ]


def test_tangent_lines_and_arcs_need_no_joints() -> None:
    program = """g20 f60
g0 x1 y5
g41.1 d1 g1 y4
g3 x2 y3 i1
g2 x3 y2 j-1
g1 y-1
g2 x2 y-2 i-1
g1 x-2
g2 x-2.6 y-0.2 j1
g1 x1.4 y2.8
g2 x2 y3 i.6 j-.8
g40"""
    assert ends(program) == [
        (1.5, 4.0), (2.0, 3.5), (3.5, 2.0), (3.5, -1.0), (2.0, -2.5), (-2.0, -2.5), (-2.9, 0.2), (1.1, 3.2), (2.0, 3.5),
    ]  # fmt: skip


_turns = st.lists(st.integers(-130, 130), min_size=2, max_size=8)


@given(_turns, st.sampled_from((1.0, -1.0)))
def test_the_tool_never_comes_nearer_to_a_line_than_its_radius(turns: list[int], side: float) -> None:
    """Every point of the compensated path is at least a radius away from the piece of contour that it runs beside."""
    heading, x, y = 0.0, 20.0, 0.0
    lines = [f"f100\ng0 x0 y0\ng41.1 d{side}\ng1 x20 y0"]
    contour = [(20.0, 0.0)]
    for turn in turns:
        heading += turn
        x, y = x + 20.0 * math.cos(math.radians(heading)), y + 20.0 * math.sin(math.radians(heading))
        contour.append((x, y))
        lines.append(f"g1 x{x:.9f} y{y:.9f}")
    moves = [m for m in motions("\n".join([*lines, "g40"])) if isinstance(m, Feed)]
    assert len(moves) == len(contour)
    for move, corner, before in zip(moves[1:], contour[1:], contour, strict=False):
        along = math.dist(corner, before)
        across = (corner[0] - before[0]) * (move.end[1] - before[1]) - (corner[1] - before[1]) * (
            move.end[0] - before[0]
        )
        assert across / along == pytest.approx(side / 2, abs=1e-6)


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("f1\ng41.1 d10\ng1 x1", "entry_too_short"),
        ("f1\ng41.1 d2\ng1 x10\ng3 x11 y1 j0.5 i0.5", "arc_too_tight"),
        ("f1\ng41.1 d2\ng1 x10\ng20", "compensated"),
        ("f1\ng41.1 d2\ng41.1 d2", "compensated_already"),
        ("f1\ng41.1 d4\ng1 x10\ng1 y0.5\ng1 x0", "gouging"),
        ("f1\ng41.1", "diameter_missing"),
        ("f1\ng41 d5", "tool_table_missing"),
        ("f1\ng41.1 d2\ng1 x10\ng28", "compensated"),
    ],
)
def test_what_cannot_be_compensated_is_refused(program: str, code: str) -> None:
    assert codes(program)[0][0] == code


def test_where_the_contour_turns_straight_back_the_tool_stays_outside_of_an_arc() -> None:
    """An arc that ends downwards and a line that goes up: between them the tool, outside of the arc, does not fit."""
    *_rest, arc, line = motions("f100\ng0 x30 y-20\ng42.1 d2\ng1 y0\ng3 x10 y0 i-10\ng1 y40\ng40")
    assert isinstance(arc, Arc)
    corner = arc.end[:2]
    assert math.dist(corner, (20.0, 0.0)) == pytest.approx(11.0)
    assert corner[0] == pytest.approx(11.0)
    assert corner[1] > 0.0
    assert line.end[:2] == pytest.approx((11.0, 40.0))


def test_of_two_crossings_of_arcs_the_one_on_both_arcs_counts() -> None:
    """Two half circles over the X axis, side by side: the tool above them turns at their crossing above the axis."""
    program = "f100\ng0 x0 y-20\ng41.1 d2\ng1 y0\ng2 x20 i10\ng2 x40 i10\ng1 y-20\ng40"
    first = next(item for item in motions(program) if isinstance(item, Arc))
    assert first.end[:2] == pytest.approx((20.0, math.sqrt(11.0**2 - 10.0**2)))


def test_a_small_change_of_direction_is_no_corner() -> None:
    ends = [item.end[:2] for item in motions("f100\ng0 x-10\ng41.1 d2\ng1 x0\ng1 x10 y0.3\ng1 x20 y0.6\ng40")]
    assert len(ends) == 4
