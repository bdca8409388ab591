"""Readers of RAPID and URScript, written from the languages' manuals: the motions that a controller would make.

A text is turned into Python line by line, by its indentation, and run; every motion is kept as it was told.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose

MM = 1000.0
SPEEDS = (5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500, 600, 800,
          1000, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 7000)  # fmt: skip
ZONES = {0: 0.3, **{mm: float(mm) for mm in (1, 5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200)}}


@dataclass
class Motion:
    """What a controller was told: where the tool's point goes, how fast, and how far before it the path is left."""

    word: str
    point: Floats
    """mm, in the world."""
    q: Floats | None
    """rad, where joint values were given."""
    speed: float
    """mm/s of the tool, or rad/s of the leading joint."""
    acceleration: float
    """m/s² or rad/s²; nan where nothing is told."""
    radius: float
    """mm; 0: stop."""
    configuration: list[int] = field(default_factory=list)


def rapid_motions(text: str, robot: armlab.Robot) -> list[Motion]:
    """Run a module, and return its motions."""
    met: list[Motion] = []
    body = "if True:\n" + "\n".join(" " + line for line in _rapid_as_python(text))
    zones: dict[str, Any] = {f"z{mm}": [False, tcp] for mm, tcp in ZONES.items()}
    words: dict[str, Any] = {f"v{speed}": [speed, 500, 5000, 1000] for speed in SPEEDS}
    words |= zones | {"fine": [True, 0.0], "tool0": [True, [[0, 0, 0], [1, 0, 0, 0]], [0.001, [0, 0, 0.001]]]}
    identity = [False, True, "", [[0, 0, 0], [1, 0, 0, 0]], [[0, 0, 0], [1, 0, 0, 0]]]

    def line(target: Any, speed: Any, zone: Any, tool: Any, wobj: Any = identity, word: str = "MoveL") -> None:
        assert tool[2][0] > 0.0
        T = robot.base @ _pose(wobj[3]) @ _pose(wobj[4]) @ _pose(target)
        met.append(Motion(word, T[:3, 3] * MM, None, speed[0], math.nan, 0.0 if zone[0] else zone[1], target[2]))

    def arc(via: Any, target: Any, speed: Any, zone: Any, tool: Any, wobj: Any = identity) -> None:
        line(via, speed, [False, 0.3], tool, wobj, "via")
        line(target, speed, zone, tool, wobj, "MoveC")

    def joints(target: Any, speed: Any, zone: Any, tool: Any) -> None:
        q = np.radians(target[0])
        T = robot.with_tool(armlab.Tool("", "none", _pose(tool[1]))).fk(q)
        met.append(Motion("MoveAbsJ", T[:3, 3] * MM, q, speed[0], math.nan, 0.0 if zone[0] else zone[1]))

    def at(table: Any, *indices: int) -> Any:
        for index in indices:
            table = table[int(index) - 1]
        return table

    names = {"MoveL": line, "MoveC": arc, "MoveAbsJ": joints, "at": at, "True": True, **words}
    exec(body + "\n  main()", names)
    return met


def _rapid_as_python(text: str) -> list[str]:
    out = []
    for line in text.splitlines():
        space = re.match(r"\s*", line)[0]  # type: ignore[index]
        word = line.strip()
        word = re.sub(r"^(CONST|PERS|VAR) \w+ (\w+)(\{[\d,]+\})?:=(.*);$", r"\2 = \4", word)
        word = re.sub(r"^VAR bool \w+;$", "pass", word)
        word = re.sub(r"\bTRUE\b", "True", word)
        word = re.sub(r"\bFALSE\b", "False", word)
        word = re.sub(r"^PROC (\w+)\((.*)\)$", lambda m: f"def {m[1]}({_names(m[2])}):", word)
        word = re.sub(r"^FOR (\w+) FROM 1 TO (.*) DO$", r"for \1 in range(1, 1 + int(\2)):", word)
        word = re.sub(r"^IF (.*) THEN$", lambda m: f"if {_condition(m[1])}:", word)
        word = re.sub(r"^WHILE (.*) DO$", r"while \1:", word)
        word = {"ELSE": "else:"}.get(word, word)
        if re.match(r"^(MODULE|ENDMODULE|ENDPROC|ENDFOR|ENDIF|ENDWHILE)", word):
            continue
        word = re.sub(r"^(\w+) := di_\w+ = 1;$", r"\1 = False", word)
        word = re.sub(r"^(WaitUntil|WaitTime|SetDO|SetAO|PulseDO|TPWrite|Stop).*$", "pass", word)
        word = re.sub(r"^(Move\w+) (.*);$", lambda m: f"{m[1]}({m[2].replace(chr(92) + 'WObj:=', ', ')})", word)
        word = re.sub(r"(\w+)\{([^}]*)\}", r"at(\1, \2)", word)
        word = re.sub(r"^(\w+)( [^=]*)?;$", r"\1(\2)", word)
        out.append(space.replace("  ", " ") + word)
    return out


def _condition(text: str) -> str:
    for rapid, python in (("NOT", "not"), ("AND", "and"), ("MOD", "%"), (" = ", " == ")):
        text = text.replace(rapid, python)
    return text


def _names(parameters: str) -> str:
    return ", ".join(one.split()[-1] for one in parameters.split(",") if one.strip())


def _pose(target: Any) -> Floats:
    (x, y, z), quaternion = target[0], target[1]
    return pose.from_xyz_quaternion(np.array([x, y, z]) / MM, np.array(quaternion))


def urscript_motions(text: str, robot: armlab.Robot) -> list[Motion]:
    """Run a script, and return its motions: but for `end` and poses it is Python by its indentation."""
    met: list[Motion] = []
    lines = [line for line in text.splitlines() if line.strip() != "end"]
    lines = [re.sub(r"(\bp\[[^]]*\])", lambda m: f"P({m[1][1:]})", line) for line in lines]
    lines = [re.sub(r"while not \(get_digital_in.*", "if False:", line) for line in lines]
    tcp: list[Floats] = [np.eye(4)]

    def movel(target: Any, a: float, v: float, r: float = 0.0, word: str = "movel") -> None:
        met.append(Motion(word, (robot.base @ target)[:3, 3] * MM, None, v * MM, a, r * MM))

    def movec(via: Any, target: Any, a: float, v: float, r: float = 0.0, mode: int = 0) -> None:
        assert mode in {0, 1}
        movel(via, a, v, r, "via")
        movel(target, a, v, r, "movec")

    def movej(q: Any, a: float, v: float, r: float = 0.0) -> None:
        T = robot.with_tool(armlab.Tool("", "none", tcp[-1])).fk(np.array(q))
        met.append(Motion("movej", T[:3, 3] * MM, np.array(q), v, a, r * MM))

    quiet: dict[str, Callable[..., None]] = dict.fromkeys(
        ("set_digital_out", "set_analog_out", "sleep", "textmsg", "popup", "sync", "set_payload"),
        lambda *_a, **_k: None,
    )
    names = {"P": _ur_pose, "set_tcp": tcp.append, "movel": movel, "movec": movec, "movej": movej, **quiet}
    main = re.match(r"def (\w+)\(", text)
    assert main is not None
    exec("\n".join(lines) + f"\n{main[1]}()", {**names, "get_digital_in": lambda _number: False})
    return met


def _ur_pose(v: list[float]) -> Floats:
    turn = np.array(v[3:])
    angle = float(np.linalg.norm(turn))
    return pose.from_xyz_axis_angle(v[:3], turn, angle) if angle else pose.from_xyz(v[:3])
