"""The data list of a translated KRL program: points, and the data sets of inline forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.model.robot import Robot
from armlab.program.krl.arm import AXIS_NAMES, EXTERNAL_NAMES, Arm
from armlab.program.translate.fitting import FIRST_NUMBERS, FrameNumbers
from armlab.program.translate.text import DEG_DIGITS, mm_deg, number, real
from armlab.units import MM_PER_M

NO_EXTERNAL = ",".join(f"{name} 0.0" for name in EXTERNAL_NAMES)
SAME_JOINTS = 1e-5
"""rad: nearer than this, a position means the same joint values."""
TABLE_KINDS = {"number": "REAL", "int": "INT", "bool": "BOOL"}
LETTERS = ("X", "Y", "Z", "A", "B", "C")


def frame_text(T: Floats) -> str:
    """Return a pose (4, 4) as the components of a FRAME."""
    return ",".join(
        f"{name} {real(value, DEG_DIGITS)}" for name, value in zip(LETTERS, mm_deg(T), strict=True)
    )  # fmt: skip


@dataclass(slots=True)
class DataList:
    """Declarations of a .dat file, each only once."""

    arm: Arm
    values: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Types and values by name."""
    _names: dict[tuple[str, str], str] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    numbers: FrameNumbers = FIRST_NUMBERS
    frames: dict[str, dict[str, int]] = field(default_factory=lambda: {"TOOL": {}, "BASE": {}})
    """Tools and bases by their components, with their numbers."""

    def number_of(self, kind: str, T: Floats) -> int:
        """Return the number of a tool or base; tool 0 is the flange, base 0 the foot of the arm."""
        if np.abs(T - np.eye(4)).max() < 1e-9:
            return 0
        known = self.frames[kind]
        first = self.numbers.tool if kind == "TOOL" else self.numbers.base
        return known.setdefault(frame_text(T), first + len(known))

    def point(self, value: str, tool: int, base: int) -> str:
        """Return the name (P1 …) of a point with a value, a tool and a base."""
        kind = "E6AXIS" if value.startswith("A1") else "E6POS"
        key = ("point", f"{value}|{tool}|{base}")
        if key not in self._names:
            self._names[key] = name = self._next("P")
            self.values[f"X{name}"] = kind, f"{{{value}}}"
            text = f'{{TOOL_NO {tool},BASE_NO {base},IPO_FRAME #BASE,POINT2[] " ",TQ_STATE FALSE}}'
            self.values[f"F{name}"] = "FDAT", text
            self._names.setdefault(("FDAT", f"{tool}|{base}"), f"F{name}")
        return self._names[key]

    def frame_data(self, tool: int, base: int) -> str:
        """Return a data set with a tool and a base that a point has brought."""
        return self._names["FDAT", f"{tool}|{base}"]

    def declarations(self, text: str, tables: Mapping[tuple[str, tuple[int, ...], tuple[str, ...]], str]) -> list[str]:
        """Return what a program text uses: points, data sets, tables."""
        words = set(re.findall(r"\w+", text))
        out = [f"DECL {kind} {name}={value}" for name, (kind, value) in self.values.items() if name in words]
        for (kind, sizes, entries), table in tables.items():
            if table not in words:
                continue
            out.append(f"DECL {TABLE_KINDS.get(kind, kind)} {table}[{','.join(map(str, sizes))}]")
            places = product(*(range(1, size + 1) for size in sizes))
            for place, entry in zip(places, entries, strict=True):
                value = self.values[entry][1] if entry in self.values else entry
                out.append(f"{table}[{','.join(map(str, place))}]={value}")
        return out

    def frame_values(self, load: str) -> dict[str, tuple[str, str]]:
        """Return what the program was made with, by name: its tools and bases, and the load that each tool is."""
        out: dict[str, tuple[str, str]] = {}
        for kind, known in self.frames.items():
            for text, k in known.items():
                out[f"{kind}{k}_HERE"] = "FRAME", f"{{{text}}}"
                if kind == "TOOL" and load:
                    out[f"LOAD{k}_HERE"] = "LOAD", load
        return out

    def position(self, T_base_tool: Floats, q: Floats) -> str:
        """Return the components of an E6POS with the S and T of joint values (n,)."""
        text = frame_text(T_base_tool)
        if self.arm.has_status:
            here = self.arm.position_of(np.round(q, 6) + 0.0, np.eye(4), np.eye(4))  # 0 has one sign
            text += f",S {here['S']},T {here['T']}"
        return f"{text},{NO_EXTERNAL}"

    def axes(self, q: Floats) -> str:
        """Return the components of an E6AXIS."""
        values = self.arm.axes_of(q)
        own = [f"{name} {real(float(values[name]), 6)}" for name in AXIS_NAMES if name in values]
        own += [f"{name} 0.0" for name in AXIS_NAMES[len(own) :]]
        return ",".join([*own, NO_EXTERNAL])

    def joint_point(self, T_world_base: Floats, T_flange_tool: Floats, q: Floats) -> str:
        """Return a target of joints: a position with S and T where that says the same, or else axis values."""
        if self.arm.has_status:
            here = self.arm.position_of(q, np.eye(4), np.eye(4))
            T_base_tool = pose.inverse(T_world_base) @ self.arm.T_world_flange(q) @ T_flange_tool
            written = pose.from_mm_deg([round(value, DEG_DIGITS) for value in mm_deg(T_base_tool)])
            T_world_flange = T_world_base @ written @ pose.inverse(T_flange_tool)
            chosen = self.arm.choose(T_world_flange, here["S"], here["T"], self.arm.robot.home)
            if chosen is not None and chosen.has_turn and np.abs(chosen.q - q).max() < SAME_JOINTS:
                return self.position(T_base_tool, q)
        return self.axes(q)

    def joint_data(self, acceleration: float, rounding: float) -> str:
        """Return the name (PDAT1 …) of a data set of joint moves, both in percent."""
        apart = f"APO_DIST {real(rounding)},APO_MODE #CPTP"
        value = f"VEL 100.0,ACC {real(acceleration)},{apart},GEAR_JERK 50.0,EXAX_IGN 0"
        return self._data("PDAT", value)

    def path_data(self, acceleration: float, rounding: float) -> str:
        """Return the name (CPDAT1 …) of a data set of path moves: percent, mm."""
        shown = number(rounding, 6)
        value = (
            f"VEL 2.0,ACC {real(acceleration)},APO_DIST {shown if '.' in shown else shown + '.0'},"
            "APO_FAC 50.0,AXIS_VEL 100.0,AXIS_ACC 100.0,ORI_TYP #VAR,CIRC_TYP #BASE,JERK_FAC 50.0,GEAR_JERK 50.0,"
            "EXAX_IGN 0"
        )
        return self._data("LDAT", value)

    def _data(self, kind: str, value: str) -> str:
        key = (kind, value)
        if key not in self._names:
            self._names[key] = name = self._next("PDAT" if kind == "PDAT" else "CPDAT")
            self.values[f"{kind[0]}{name}"] = kind, f"{{{value}}}"
        return self._names[key]

    def _next(self, lead: str) -> str:
        self._counts[lead] = self._counts.get(lead, 0) + 1
        return f"{lead}{self._counts[lead]}"


def controller_config(robot: Robot, start: Floats) -> bytes:
    """Return the data of a controller whose HOME is where a program starts: no motion but its own is compared."""
    home = DataList(Arm(robot)).axes(start)
    return f"DEFDAT $CONFIG PUBLIC\r\nDECL GLOBAL E6AXIS XHOME={{{home}}}\r\nENDDAT\r\n".encode("cp1252")


def load_text(load: Inertia) -> str:
    """Return load data as KRL has them; empty where there is no mass."""
    if load.mass <= 0.0:
        return ""
    x, y, z = (real(value * MM_PER_M, 3) for value in load.com.tolist())
    jx, jy, jz = (real(value, 6) for value in np.diag(load.matrix).tolist())
    return f"{{M {real(load.mass)},CM {{X {x},Y {y},Z {z},A 0.0,B 0.0,C 0.0}},J {{X {jx},Y {jy},Z {jz}}}}}"
