"""Canonical motions and commands as plain values, for JSON and for people."""

from __future__ import annotations

from typing import Any, assert_never

from armlab.program.gcode.canon import (
    Arc,
    Canonical,
    Dwell,
    Feed,
    Halt,
    InputWait,
    Point,
    Setting,
    Spline,
    StraightProbe,
    Text,
    Traverse,
)

SHOWN = 6
"""X Y Z A B C; U V W are told only where they are used."""


def as_record(item: Canonical) -> dict[str, Any]:  # noqa: C901, PLR0911 - one case per kind
    """Return a canonical motion or command as values: program units, and `world_end` in mm and degrees."""
    match item:
        case Traverse():
            return {"kind": "traverse", "line": item.line, **_ends(item.end, item.world)}
        case Feed():
            return {
                "kind": "feed",
                "line": item.line,
                **_ends(item.end, item.world),
                **_settings(item.rate, item.seconds),
            }
        case Arc():
            return {
                "kind": "arc",
                "line": item.line,
                **_ends(item.end, item.world),
                "center": list(item.center),
                "turns": item.turns,
                "plane": item.plane,
                "world_center": list(item.world_center[:3]),
                **_settings(item.rate, item.seconds),
            }
        case Spline():
            return {
                "kind": "spline",
                "line": item.line,
                **_ends(item.end, item.world),
                "controls": [list(control) for control in item.controls],
                **_settings(item.rate, item.seconds),
            }
        case StraightProbe():
            kind = "probe_away" if item.away else "probe"
            return {"kind": kind, "line": item.line, **_ends(item.end, item.world), "feed": item.rate}
        case Dwell():
            return {"kind": "dwell", "line": item.line, "seconds": item.seconds}
        case Setting():
            return {"kind": item.name, "line": item.line, "values": list(item.values)}
        case Text():
            return {"kind": item.kind, "line": item.line, "text": item.text}
        case InputWait():
            source = "analog" if item.is_analog else "digital"
            return {
                "kind": "wait",
                "line": item.line,
                "input": item.input,
                "source": source,
                "mode": item.mode,
                "timeout": item.timeout,
            }
        case Halt():
            return {"kind": item.kind, "line": item.line}
        case _:
            assert_never(item)


def _ends(end: Point, world: Point) -> dict[str, Any]:
    record: dict[str, Any] = {"end": list(end[:SHOWN]), "world_end": list(world[:SHOWN])}
    if any(end[SHOWN:]):
        record["uvw"] = list(end[SHOWN:])
    return record


def _settings(rate: float, seconds: float) -> dict[str, float]:
    return {"seconds": seconds} if seconds else {"feed": rate}


def as_line(item: Canonical) -> str:
    """Return a canonical motion or command as one line of text."""
    record = as_record(item)
    kind, line = record.pop("kind"), record.pop("line")
    record.pop("world_end", None)
    record.pop("world_center", None)
    parts = [f"{name} {_shown(value)}" if name != "text" else str(value) for name, value in record.items()]
    return f"{line:6d}  {kind:<24} {'  '.join(parts)}".rstrip()


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "(" + ", ".join(_shown(part) for part in value) + ")"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
