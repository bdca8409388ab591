"""Projects of earlier schemas in the form of today's."""

from __future__ import annotations

from typing import Any

FIRST_ARM = "arm"
"""What schema 1 calls an arm that has no name."""
OWN_1 = ("arm", "poses", "plan", "scenario", "sensors", "program", "real")
"""What schema 1 holds at the top for the arm that was selected."""


def migrated(given: Any) -> Any:
    """Return the values of a project as schema 2 has them; what is no project of schema 1 is returned as it is.

    Schema 1 (armlab 0.1) has the fields of one arm at the top, its place in the list as `arm_index`, the other arms
    as `others`, and where all of them stood as `stance`.
    """
    if not isinstance(given, dict) or given.get("schema", 1) != 1 or "arm" not in given or "arms" in given:
        return given
    rest = {key: value for key, value in given.items() if key not in {*OWN_1, "schema", *_MOVED}}
    first = {key: given[key] for key in OWN_1 if key in given} | {"name": given.get("arm_name", FIRST_ARM)}
    others = given.get("others", ())
    if not isinstance(others, list | tuple):
        return {**rest, "arms": others}  # the schema says what is wrong with it
    at = given.get("arm_index", 0)
    at = min(max(at, 0), len(others)) if isinstance(at, int) else 0
    positions = _positions(given.get("stance"), first["name"])
    return {**rest, "schema": 2, "arms": [*others[:at], first, *others[at:]], "positions": positions}


_MOVED = ("arm_name", "arm_index", "others", "stance")


def _positions(stance: Any, name: Any) -> Any:
    if not isinstance(stance, dict):
        return stance
    own = {key: stance[key] for key in ("q", "held") if key in stance}
    others = stance.get("others")
    rest = {key: value for key, value in stance.items() if key not in {"q", "held", "others"}}
    return {**rest, "arms": {**(others if isinstance(others, dict) else {}), name: own}}
