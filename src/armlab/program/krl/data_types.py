"""Data types of KRL: the simple ones, the structures that every controller knows, and how values are converted.

Values are plain: INT is `int`, REAL `float`, BOOL `bool`, CHAR a `str` of one letter, an ENUM value its name, a
structure a `dict` that has only the components with a value, an array a `list` (of lists), a text a list of CHAR.
`None` is a variable that nothing was assigned to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from armlab.messages import _
from armlab.program.krl.faults import Fault
from armlab.program.span import Span

Value: TypeAlias = Any
"""An `int`, `float`, `bool`, `str`, `dict` or `list`, as the module's docstring says."""
MOST_INT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class DataType:
    """The name of a type, and how many dimensions an array of it has."""

    name: str
    dimensions: int = 0

    def __str__(self) -> str:
        return self.name + (f"[{',' * (self.dimensions - 1)}]" if self.dimensions else "")

    @property
    def is_number(self) -> bool:
        """INT or REAL."""
        return self.dimensions == 0 and self.name in {"INT", "REAL"}


INT, REAL, BOOL, CHAR = DataType("INT"), DataType("REAL"), DataType("BOOL"), DataType("CHAR")
TEXT = DataType("CHAR", 1)
ANY = DataType("?")
"""A type that is not known, of which nothing is checked before the program runs."""
ENUM = DataType("#")
"""A value like #BASE, before it is known which enumeration it belongs to."""


@dataclass(frozen=True, slots=True)
class Component:
    """A component of a structure: its type, and its sizes if it is an array."""

    type: DataType
    sizes: tuple[int, ...] = ()


Fields: TypeAlias = Mapping[str, Component]


def _fields(text: str) -> dict[str, Component]:
    """Return components written as `REAL X Y Z, INT S`; `CHAR POINT2[24]` is an array."""
    found = {}
    for group in text.split(","):
        kind, *names = group.split()
        for name in names:
            title, _bracket, size = name.rstrip("]").partition("[")
            found[title] = Component(DataType(kind, 1 if size else 0), (int(size),) if size else ())
    return found


_XYZABC, _EXTERNAL = "REAL X Y Z A B C", "REAL E1 E2 E3 E4 E5 E6"
_JOINTS = "REAL A1 A2 A3 A4 A5 A6"
STRUCTURES: dict[str, Fields] = {
    "FRAME": _fields(_XYZABC),
    "POS": _fields(f"{_XYZABC}, INT S T"),
    "E3POS": _fields(f"{_XYZABC}, INT S T, REAL E1 E2 E3"),
    "E6POS": _fields(f"{_XYZABC}, INT S T, {_EXTERNAL}"),
    "AXIS": _fields(_JOINTS),
    "E3AXIS": _fields(f"{_JOINTS}, REAL E1 E2 E3"),
    "E6AXIS": _fields(f"{_JOINTS}, {_EXTERNAL}"),
    "CP": _fields("REAL CP ORI1 ORI2"),
    "APO": _fields("REAL CPTP CDIS CORI CVEL"),
    "INERTIA": _fields("REAL X Y Z"),
    "LOAD": _fields("REAL M, FRAME CM, INERTIA J"),
    "PDAT": _fields("REAL VEL ACC APO_DIST, APO_MODE_T APO_MODE, REAL GEAR_JERK, INT EXAX_IGN"),
    "LDAT": _fields(
        "REAL VEL ACC APO_DIST APO_FAC AXIS_VEL AXIS_ACC, ORI_TYPE ORI_TYP, CIRC_TYPE CIRC_TYP, REAL JERK_FAC"
        " GEAR_JERK, INT EXAX_IGN, CP_STATMON CB"
    ),
    "ERROR_T": _fields("INT NUMBER INT_PRIO LINE_NR, CHAR MODULE[24] UP_NAME[24]"),
    "STATE_T": _fields("CMD_STAT RET1, INT MSG_NO HITS LENGTH"),
    "DATE": _fields("INT CSEC SEC MIN HOUR DAY MONTH YEAR"),
    "KRLMSG_T": _fields("CHAR MODUL[24], INT NR, CHAR MSG_TXT[80]"),
    "KRLMSGPAR_T": _fields("KRLMSGPARTYPE_T PAR_TYPE, CHAR PAR_TXT[26], INT PAR_INT, REAL PAR_REAL, BOOL PAR_BOOL"),
    "KRLMSGOPT_T": _fields("BOOL VL_STOP CLEAR_P_RESET CLEAR_P_SAW LOG_TO_DB"),
    "KRLMSGDLGSK_T": _fields("KRLMSGPARTYPE_T SK_TYPE, CHAR SK_TXT[10]"),
    "FDAT": _fields("INT TOOL_NO BASE_NO, IPO_MODE IPO_FRAME, CHAR POINT2[24], BOOL TQ_STATE"),
}
"""Structures that every controller knows."""
ENUMERATIONS: dict[str, frozenset[str]] = {
    "IPO_MODE": frozenset({"BASE", "TCP"}),
    "CIRC_TYPE": frozenset({"BASE", "PATH"}),
    "ORI_TYPE": frozenset({"CONSTANT", "VAR", "JOINT"}),
    "APO_MODE_T": frozenset({"CPTP", "CDIS", "CORI", "CVEL"}),
    "MODE_OP": frozenset({"T1", "T2", "AUT", "EX", "INVALID"}),
    "PRO_STATE": frozenset({"P_FREE", "P_RESET", "P_ACTIVE", "P_STOP", "P_END"}),
    "MODUS_T": frozenset({"SYNC", "ASYNC", "ABS", "COND", "SEQ"}),
    "CMD_STAT": frozenset(
        {
            "CMD_OK",
            "CMD_TIMEOUT",
            "DATA_OK",
            "DATA_BLK",
            "DATA_END",
            "CMD_ABORT",
            "CMD_SYN",
            "CMD_REJ",
            "CMD_PART",
            "FMT_ERR",
        }
    ),
    "EKRLMSGTYPE": frozenset({"NOTIFY", "STATE", "QUIT", "WAITING"}),
    "KRLMSGPARTYPE_T": frozenset({"VALUE", "KEY", "EMPTY"}),
    "VAR_STATE": frozenset({"DECLARED", "INITIALIZED", "UNDEFINED"}),
    "CASE_SENSE_T": frozenset({"CASE_SENS", "NOT_CASE_SENS"}),
}
CARTESIAN = ("FRAME", "POS", "E3POS", "E6POS")
JOINT_POSITIONS = ("AXIS", "E3AXIS", "E6AXIS")
POSITION_COMPONENTS = frozenset({*STRUCTURES["E6POS"], *STRUCTURES["E6AXIS"]})
FRAME, POS, E6POS, AXIS, E6AXIS = (DataType(name) for name in ("FRAME", "POS", "E6POS", "AXIS", "E6AXIS"))


def family(kind: DataType) -> str:
    """Return what a type is assigned to: positions of one kind are assigned to each other."""
    if kind.dimensions == 0 and kind.name in CARTESIAN:
        return "FRAME"
    if kind.dimensions == 0 and kind.name in JOINT_POSITIONS:
        return "AXIS"
    return str(kind)


def type_of_components(names: frozenset[str]) -> DataType | None:
    """Return the smallest type of position that has all these components, or None."""
    for kind in (*CARTESIAN, *JOINT_POSITIONS):
        if names <= STRUCTURES[kind].keys():
            return DataType(kind)
    return None


def copied(value: Value) -> Value:
    """Return a value of its own: structures and arrays are copied whole."""
    if isinstance(value, dict):
        return {name: copied(item) for name, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value


def new_array(sizes: tuple[int, ...]) -> list[Value]:
    """Return an array of these sizes without values."""
    first, *rest = sizes
    return [new_array(tuple(rest)) if rest else None for _item in range(first)]


def text_of(letters: list[str | None] | str) -> str:
    """Return a CHAR array as a text: up to the first letter that is missing."""
    if isinstance(letters, str):
        return letters
    known = []
    for letter in letters:
        if letter is None:
            break
        known.append(letter)
    return "".join(known)


def set_text(letters: list[str | None], text: str) -> None:
    """Put a text into a CHAR array; what does not fit is cut off."""
    letters[:] = [text[i] if i < len(text) else None for i in range(len(letters))]


Convert: TypeAlias = Callable[[Value], Value]


def converter(target: DataType, given: DataType, span: Span) -> Convert | None:  # noqa: PLR0911 - one per pair
    """Return how a value of one type is put into a variable of another; None if it cannot be.

    REAL is rounded to INT. Positions lose the components that the target does not have.
    """
    if target == INT and (given.is_number or given == CHAR):
        return lambda value: as_int(value, span)
    if target == REAL and given.is_number:
        return float
    if target == CHAR and given in {INT, CHAR, TEXT}:
        return lambda value: _as_letter(value, span)
    if ANY in {target, given}:
        return copied
    if given == ENUM and target.dimensions == 0 and target.name not in {"INT", "REAL", "BOOL", "CHAR"}:
        return copied if target.name not in STRUCTURES else None
    if family(target) != family(given):
        return None
    if target.name in STRUCTURES and target.dimensions == 0:
        known = STRUCTURES[target.name]
        return lambda value: {name: copied(item) for name, item in value.items() if name in known}
    return copied


def as_int(value: Value, span: Span) -> int:
    """Return a number as INT: rounded, halves up; a letter is its code."""
    if isinstance(value, str):
        return ord(value)
    number = value if isinstance(value, int) else math.floor(value + 0.5)
    if not -MOST_INT - 1 <= number <= MOST_INT:
        raise Fault("krl_overflow", _("{value:g} is outside the range of INT"), span, value=float(number))
    return number


def _as_letter(value: Value, span: Span) -> str:
    if isinstance(value, int):
        if not 0 <= value <= 255:
            raise Fault("krl_not_a_letter", _("{value} is not the code of a letter: 0 … 255"), span, value=value)
        return bytes([value]).decode("latin-1")
    text = text_of(value)
    if len(text) != 1:
        raise Fault("krl_one_letter", _("CHAR holds one letter, got '{text}'"), span, text=text)
    return text
