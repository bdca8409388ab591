"""A session tells what overloads its arms, as long as it lasts."""

from __future__ import annotations

import numpy as np
import pytest
from cell.driven import CUBE, KUKA, READY, TICK, Driven, picker

from armlab.cell.events import Notice, Overloads
from armlab.cell.overload import PERIOD, STAYS

HEAVY = {"mass": 40.0}
"""kg, in a KR 6."""


def warnings(driven: Driven) -> list[tuple[str, str | None, str | None]]:
    """Return what was told last: code, joint and link."""
    told = driven.of(Overloads)
    return [(one.code, one.joint, one.link) for one in told[-1].warnings] if told else []


def test_an_arm_that_sags_is_told_with_its_load_its_drive_and_how_far_it_is_away() -> None:
    driven = Driven(payload=HEAVY)
    driven.wait(1.0)
    assert warnings(driven) == [
        ("payload_exceeded", None, None),
        ("drive_saturated", "A3", "link_3"),
        ("not_followed", "A3", "link_3"),
    ]
    # it swings about where it sags to: what is told is how far it is away at that moment
    count = len(driven.of(Overloads))
    while len(driven.of(Overloads)) == count:
        driven.wait(0.02)
    away = driven.of(Overloads)[-1].warnings[-1].parameters["error"]
    error = np.degrees(np.abs(driven.session.q - driven.session.arm().mover.state.q)[2])
    assert away == pytest.approx(error, abs=4.0)


def test_the_warning_lasts_as_long_as_its_cause_and_goes_with_it() -> None:
    driven = Driven(payload=HEAVY)
    driven.wait(4.0)
    assert all(one.warnings for one in driven.of(Overloads)), "it swings, but it is overloaded all the time"
    driven.edit(arm={"name": KUKA})
    driven.wait(PERIOD + STAYS + 0.5)
    assert warnings(driven) == []
    assert driven.of(Overloads)[-1].warnings == ()


def test_a_page_that_comes_later_is_told_and_one_in_another_language_again() -> None:
    driven = Driven(payload=HEAVY)
    driven.wait(1.0)
    last = driven.of(Overloads)[-1]
    assert last in driven.session.introduction()
    assert last in driven.session.reworded()


def test_an_arm_that_moves_at_full_speed_with_its_rated_load_is_not_warned_of() -> None:
    driven = Driven(payload={"mass": 6.0})
    driven.go(*READY)
    driven.go(90.0, -45.0, 45.0, 90.0, -60.0, 120.0)
    assert [one.warnings for one in driven.of(Overloads)] == [()]


def test_a_body_that_is_too_heavy_is_told_as_long_as_it_is_held() -> None:
    heavy = CUBE | {"mass": 9.0}
    driven = picker(structure="hierarchy")
    x, y, z = driven.session.project.bodies[0].xyz or (0.0, 0.0, 0.0)
    driven.edit(bodies=[heavy | {"xyz": [x, y, z]}])
    driven.ask("pick", body="cube")
    driven.wait(2.0 * PERIOD)
    assert warnings(driven) == [("payload_exceeded", None, None)]
    driven.ask("place")
    driven.wait(2.0 * PERIOD)
    assert warnings(driven) == []


def test_of_several_arms_each_is_told_by_its_name() -> None:
    other = {"name": "right", "arm": {"name": KUKA, "base": [0.0, 2500.0, 0.0, 0.0, 0.0, 0.0], "payload": HEAVY}}
    driven = Driven(others=[other])
    driven.wait(1.0)
    assert {one.arm for one in driven.of(Overloads)[-1].warnings} == {"right"}


def test_a_contact_is_still_told_once() -> None:
    wall = {"name": "wall", "kind": "box", "size": [20.0, 2000.0, 2000.0], "xyz": [760.0, 0.0, 1000.0]}
    driven = Driven(bodies=[wall], structure="hierarchy")
    driven.send(0.0, -20.0, 20.0, 0.0, 0.0, 0.0)
    driven.wait(120 * TICK)
    assert [one.code for one in driven.of(Notice)].count("touching") == 1
