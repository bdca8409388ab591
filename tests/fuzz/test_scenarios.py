"""Scenarios of odd steps and values: each becomes instructions with finite targets, or is refused."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
from pydantic import ValidationError

import armlab
from armlab.errors import ArmlabError
from armlab.program.instructions import MoveJ, MoveL, Program
from armlab.program.scenario import program_of
from armlab.program.scenario_schema import ScenarioFile
from armlab.validation import parsed_json, problems_of, summary

ROUNDS = 1500
ROBOTS = tuple(armlab.load(name) for name in ("ur5e", "scara", "planar2"))
_ODD: tuple[Any, ...] = (
    *(0, -1, 1, 0.5, 90, 1e6, -1e6, 1e-3, 1e308, 10**400, float("nan"), True, None, "", "home", "é", "\ud800"),
    *([], [0], [[0]], {}, {"do": "move"}, "ready", "line", "joint", "pose", "smooth", "move", "x" * 700),
)  # fmt: skip
_FRAMES = ([400, 0, 250, -90, 0, 180], [300, -300, 780, -90, 0, 180], [0, 0, 0, 0, 0, 0], [1e6, 0, -1e6, 720, 90, 1e-3])
_TASKS = ("pose", "position", "approach", "planar", "planar-pose", "scara")
_SCHEMES = ("linear", "cubic", "quintic", "smooth", "fastest", "jerk", "odd")


def _numbers(rng: random.Random, count: int) -> list[float]:
    return [rng.choice((0, 10, -90, 45.5, rng.uniform(-400, 400))) for _number in range(count)]


def _step(rng: random.Random, dof: int) -> dict[str, Any]:
    kind = rng.choice(("move", "move", "move", "move", "pick", "place", "wait", "stop"))
    step: dict[str, Any] = {"do": kind}
    if kind == "wait":
        step["seconds"] = rng.choice((0.001, 1, 3600, rng.choice(_ODD)))
    elif kind == "pick" and rng.random() < 0.5:
        step["body"] = "cube"
    elif kind == "move":
        _fill_move(rng, step, dof)
    return step


def _fill_move(rng: random.Random, step: dict[str, Any], dof: int) -> None:
    """Give a move a goal, and keys that mostly fit each other."""
    is_tool_path, is_odd = rng.random() < 0.5, rng.random() < 0.1
    goal = rng.choice(("to", "to_pose", "through") if is_tool_path or is_odd else ("to", "to_pose"))
    step[goal] = {
        "to": rng.choice((_numbers(rng, dof), "home")),
        "to_pose": rng.choice(_FRAMES),
        "through": rng.choices(_FRAMES, k=rng.randint(1, 4)),
    }[goal]
    extra: dict[str, Any] = {"speed": rng.choice((1, 50, 100.0)), "task": rng.choice(_TASKS), "duration": 2.5}
    if is_tool_path or is_odd:
        step["path"] = rng.choice(("line", "quadratic", "bspline", "spline"))
        extra |= {"blend": rng.choice((0, 1e-3, 50)), "tool_speed": rng.choice((1e-3, 250, 1e6))}
        if goal == "to_pose" and rng.random() < 0.2:
            step["path"], step["arc"] = "joint", _numbers(rng, 3)
    if not is_tool_path or is_odd:
        extra |= {"scheme": rng.choice(_SCHEMES), "via": [_numbers(rng, dof) for _point in range(rng.randint(0, 3))]}
        if rng.random() < 0.1:
            extra["times"] = [abs(number) + 0.1 for number in _numbers(rng, 2)]
    step |= {key: value for key, value in extra.items() if rng.random() < 0.2}


def _changed(rng: random.Random, value: Any) -> Any:
    """Return the value with something odd somewhere in it."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        if rng.random() < 0.1:
            return {**value, rng.choice(("", "do", "step", "to_pose")): value[key]}
        return {**value, key: _changed(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        k = rng.randrange(len(value))
        return [*value[:k], _changed(rng, value[k]), *value[k + rng.randint(0, 2) :]]
    return rng.choice(_ODD)


def ended(rng: random.Random) -> bool:
    """Read a scenario as a file is; return whether it became instructions."""
    robot = rng.choice(ROBOTS)
    document: Any = {"schema": 1, "name": "odd", "arm": robot.name, "steps": []}
    document["steps"] = [_step(rng, robot.dof) for _step_number in range(rng.randint(1, 5))]
    for _change in range(rng.choice((0, 0, 1, 2))):
        document = _changed(rng, document)
    data = json.dumps(document, ensure_ascii=rng.random() < 0.9).encode("utf-8", "surrogatepass")
    try:
        program = program_of(ScenarioFile.model_validate(parsed_json(data)), robot)
    except ValidationError as error:
        message = summary(problems_of(error))[1]
    except ArmlabError as error:
        message = error.message
    else:
        _check_targets(program)
        return True
    assert str(message)
    return False


def _check_targets(program: Program) -> None:
    for item in program.instructions:
        if isinstance(item, MoveJ | MoveL):
            targets = item.targets if isinstance(item, MoveJ) else item.frames
            assert all(np.isfinite(target).all() for target in targets)


def test_any_scenario_becomes_instructions_or_is_refused() -> None:
    rng = random.Random(79)
    assert sum(ended(rng) for _round in range(ROUNDS)) > ROUNDS // 10
