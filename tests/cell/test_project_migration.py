"""Projects that armlab 0.1 stored open in the form of today."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from armlab.cell.project import Project
from armlab.cell.session import Session

SCARA = {"name": "scara", "base": [0.0, 1500.0, 0.0, 0.0, 0.0, 0.0]}
POSE = {"id": "a", "name": "P1", "q": [10.0, 20.0, -30.0, 40.0]}
CUBE = {"name": "cube", "kind": "box", "size": [50.0, 50.0, 50.0], "xyz": [400.0, 0.0, 25.0], "mass": 0.2}
STORED: dict[str, Any] = {
    "schema": 1,
    "title": "two",
    "notes": "n",
    "arm": SCARA,
    "structure": "hierarchy",
    "bodies": [CUBE],
    "poses": [POSE],
    "frames": [],
    "plan": None,
    "scenario": None,
    "sensors": [{"id": "s", "on": "link", "link": "tool", "preset": "mpu-6050", "pose": [0.0] * 6}],
    "program": {"language": "gcode", "text": "G0 X1", "inputs": {}},
    "real": {"kind": "drawn", "tolerance": "iso", "seed": 3},
    "arm_name": "right",
    "arm_index": 1,
    "others": [{"name": "arm", "arm": {"name": "planar2"}}, {"name": "third", "arm": {"name": "planar3"}}],
    "stance": {
        "q": [20.0, -30.0, -50.0, 10.0],
        "held": "cube",
        "bodies": {"cube": [300.0, 200.0, 25.0, 45.0, 0.0, 0.0]},
        "others": {"arm": {"q": [5.0, 6.0], "held": None}},
    },
}

SENSOR_DEFAULTS: dict[str, object] = {"kind": "imu", "rate": 60.0, "latency": None, "noise": 0.0, "seed": None}
"""What a sensor has besides since there are several kinds."""


def test_the_arm_that_was_selected_comes_to_its_place_in_the_list_with_all_that_is_its_own() -> None:
    made = Project.model_validate(STORED)
    assert made.schema_version == 2
    assert (made.title, made.notes, made.structure, [body.name for body in made.bodies]) == (
        "two",
        "n",
        "hierarchy",
        ["cube"],
    )
    assert [(arm.name, arm.arm.name) for arm in made.arms] == [
        ("arm", "planar2"),
        ("right", "scara"),
        ("third", "planar3"),
    ]
    right = made.arm("right")
    assert right.model_dump(include={"poses", "program", "real", "sensors"}) == {
        "poses": ({"id": "a", "name": "P1", "q": tuple(POSE["q"]), "on": None},),
        "program": {**STORED["program"], "dialect": "linuxcnc"},
        "real": STORED["real"],
        "sensors": tuple(sensor | {"pose": (0.0,) * 6} | SENSOR_DEFAULTS for sensor in STORED["sensors"]),
    }


def test_a_stored_project_opens_where_its_arms_and_bodies_stood_and_comes_back_in_todays_form() -> None:
    session = Session(Project.model_validate(STORED))
    states = session.world.states()
    np.testing.assert_allclose(np.degrees(states["right"].q[:2]), STORED["stance"]["q"][:2], atol=1e-9)
    np.testing.assert_allclose(np.degrees(states["arm"].q), [5.0, 6.0], atol=1e-9)
    assert states["right"].held == ("cube",)
    np.testing.assert_allclose(states["right"].bodies["cube"][:2, 3], [0.3, 0.2], atol=1e-9)
    text = session.project.model_dump_json(by_alias=True)
    assert Project.model_validate_json(text) == session.project


@pytest.mark.parametrize("index", [-1, 7, "x"])
def test_a_place_in_the_list_that_is_none_is_brought_into_it(index: object) -> None:
    names = Project.model_validate(STORED | {"arm_index": index}).arm_names
    assert sorted(names) == ["arm", "right", "third"]


def test_the_oldest_projects_say_nothing_of_names_or_other_arms() -> None:
    made = Project.model_validate({"arm": {"name": "ur5e"}, "stance": {"q": [0.0] * 6}})
    assert made.arm_names == ("arm",)
    assert made.positions is not None
    assert list(made.positions.arms) == ["arm"]


@pytest.mark.parametrize(
    "wrong",
    [
        STORED | {"schema": 3},
        STORED | {"schema": 2},
        STORED | {"unknown": 1},
        STORED | {"others": 5},
        STORED | {"others": [1]},
        STORED | {"stance": 5},
        STORED | {"stance": {"q": [0.0], "more": 1}},
        STORED | {"arm_name": 5},
        {"schema": 2, "arms": []},
        {},
    ],
)
def test_what_is_no_project_is_refused_by_the_schema(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Project.model_validate(wrong)
