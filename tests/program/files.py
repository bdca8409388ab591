"""Small scenarios for the tests: an arm, a table, a cube, and what happens to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from armlab.program.scenario import Scenario, read_scenario

SCENE = """
schema = 1
name = "cell"

[[robot]]
arm = "ur5e"
tool = "gripper"
xyz = [0, 0, 0]

[[body]]
name = "plate"
kind = "box"
size = [300, 300, 20]
xyz = [400, 0, 40]

[[body]]
name = "cube"
kind = "box"
size = [50, 50, 50]
xyz = [400, 0, 75.5]
mass = 0.2
"""
WALL = """
[[body]]
name = "wall"
kind = "box"
size = [20, 400, 600]
xyz = [400, 200, 300]
rpy = [0, 0, 90]
"""
START = [-16, -90, -110, -70, 90, -16]
ABOVE, AT = [400, 0, 250, -90, 0, 180], [400, 0, 80, -90, 0, 180]
ASIDE, DOWN = [400, 100, 250, -90, 0, 180], [400, 100, 80, -90, 0, 180]
FETCH: list[dict[str, Any]] = [
    {"do": "move", "to_pose": ABOVE},
    {"do": "move", "to_pose": AT, "path": "line"},
    {"do": "pick", "body": "cube"},
    {"do": "move", "to_pose": ABOVE, "path": "line"},
]
CARRY: list[dict[str, Any]] = [
    *FETCH,
    {"do": "move", "to_pose": ASIDE, "path": "line", "tool_speed": 300},
    {"do": "move", "to_pose": DOWN, "path": "line", "tool_speed": 300},
    {"do": "place"},
    {"do": "move", "to_pose": ASIDE, "path": "line"},
]


def scenario_in(folder: Path, *steps: dict[str, Any], scene: str = SCENE, **keys: Any) -> Scenario:
    """Return a scenario that was written to a file in `folder` with the small cell, and read again."""
    (folder / "cell.toml").write_text(scene, encoding="utf-8")
    return read_scenario(written(folder, *steps, **{"scene": "cell.toml", "start": START, **keys}))


def written(folder: Path, *steps: dict[str, Any], **keys: Any) -> Path:
    """Return the file of a scenario with these steps and keys; a key that is None is left out."""
    whole = {"schema": 1, "name": "small", "steps": list(steps), **keys}
    path = folder / "small.json"
    path.write_text(json.dumps({k: v for k, v in whole.items() if v is not None}), encoding="utf-8")
    return path
