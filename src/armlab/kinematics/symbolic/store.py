"""Derivations on disk, so that an arm is derived once.

A file holds JSON: one list of nodes, each a SymPy class of a short list with the numbers of the nodes it is made of,
and the derivation with numbers of nodes for its expressions. Reading builds only those classes; nothing is executed.
A file that cannot be read counts as absent.
"""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import sympy

from armlab.cache import user_cache
from armlab.errors import InvalidInput
from armlab.files import write_whole
from armlab.kinematics.symbolic import derivation as shapes
from armlab.kinematics.symbolic.derivation import Derivation
from armlab.messages import Message
from armlab.model.dh import DhTable
from armlab.model.robot import Robot
from armlab.version import __version__

FUNCTIONS: dict[str, Callable[..., sympy.Basic]] = {
    kind.__name__: kind
    for kind in (
        sympy.Add,
        sympy.Mul,
        sympy.Pow,
        sympy.sin,
        sympy.cos,
        sympy.tan,
        sympy.asin,
        sympy.acos,
        sympy.atan,
        sympy.atan2,
        sympy.Abs,
        sympy.sign,
        sympy.Mod,
        sympy.Min,
        sympy.Max,
    )
}
CONSTANTS = {"pi": sympy.pi, "E": sympy.E, "I": sympy.I}
ASSUMPTIONS = ("real", "positive", "nonnegative", "integer")
CLASSES = {
    kind.__name__: kind
    for kind in (
        shapes.SymbolicRow,
        shapes.SingularCondition,
        shapes.SignChoice,
        shapes.InverseStep,
        shapes.Dynamics,
        shapes.Derivation,
    )
}


NAME = re.compile(r"[^\W\d]\w*(\{[-+\d]+\})?")
"""Names of symbols: theta_2, c_23, c_{2-3}. They become names in compiled functions, so nothing else is let in."""
LARGEST_POWER = 16


class _Unknown(Exception):
    """Something in a derivation, or in a file, that the store has no word for."""


def place(robot: Robot, table: DhTable) -> Path | None:
    """Return the file of an arm: named after its numbers, names and masses, and the versions of what derives it.

    It is None for a user without a home.
    """
    root = user_cache()
    if root is None:
        return None
    parts: list[object] = [robot.name, table.convention, table.base.tolist(), table.tool.tolist()]
    parts += [[row.joint, row.kind, row.theta, row.d, row.a, row.alpha] for row in table.rows]
    bodies = [*(link.inertia for link in robot.links), robot.tool.inertia]
    parts += [[body.mass, body.com.tolist(), body.matrix.tolist()] for body in bodies]
    parts += [[joint.T_parent_joint.tolist(), joint.axis.tolist(), joint.lower, joint.upper] for joint in robot.joints]
    parts += [robot.flange.tolist(), robot.tool.T_flange_tool.tolist()]
    digest = hashlib.sha256((repr(parts) + _versions()).encode()).hexdigest()[:32]
    return root / "derivations" / f"{digest}.json"


def read(path: Path) -> Derivation | None:
    """Return the derivation in a file, or None where there is none that can be read."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = _Reader(content["nodes"]).value(content["derivation"])
    except (OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, _Unknown):
        return None
    return found if isinstance(found, Derivation) else None


def write(path: Path, derivation: Derivation) -> None:
    """Keep a derivation: written beside and renamed; left out where nothing can be written."""
    writer = _Writer()
    try:
        text = json.dumps({"derivation": writer.value(derivation), "nodes": writer.nodes}, separators=(",", ":"))
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, text.encode())
    except (OSError, InvalidInput, _Unknown):
        return


@cache
def _versions() -> str:
    sources = sorted(Path(__file__).parent.glob("*.py"))
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()
    return f"armlab {__version__} sympy {sympy.__version__} {digest}"


class _Writer:
    """Turns values into JSON; each distinct expression becomes one node."""

    def __init__(self) -> None:
        self.nodes: list[list[Any]] = []
        self._numbers: dict[sympy.Basic, int] = {}

    def value(self, value: Any) -> Any:
        """Return a value as JSON."""
        match value:
            case None | str() | int() | float():
                found: Any = value
            case sympy.MatrixBase():
                found = {"matrix": [*value.shape], "entries": [self.node(entry) for entry in value.flat()]}
            case sympy.Basic():
                found = {"node": self.node(value)}
            case Message():
                parts = {name: self.value(part) for name, part in value.parameters.items()}
                found = {"message": value.code, "template": value.template, "parameters": parts}
            case tuple() | list():
                found = [self.value(item) for item in value]
            case dict():
                found = {"pairs": [[self.value(key), self.value(item)] for key, item in value.items()]}
            case _ if is_dataclass(value) and type(value).__name__ in CLASSES:
                parts = {part.name: self.value(getattr(value, part.name)) for part in fields(value)}
                found = {"class": type(value).__name__, "fields": parts}
            case _:
                raise _Unknown(type(value).__name__)
        return found

    def node(self, expression: sympy.Basic) -> int:
        """Return the number of an expression's node."""
        if expression not in self._numbers:
            entry = self._entry(expression)
            self.nodes.append(entry)
            self._numbers[expression] = len(self.nodes) - 1
        return self._numbers[expression]

    def _entry(self, expression: sympy.Basic) -> list[Any]:
        kind = type(expression).__name__
        if isinstance(expression, sympy.Symbol):
            given = [name for name in ASSUMPTIONS if expression.assumptions0.get(name)]
            if _symbol(expression.name, given) != expression:
                raise _Unknown(f"symbol {expression.name}")
            return ["Symbol", expression.name, given]
        if isinstance(expression, sympy.Rational):
            return ["Rational", str(expression.p), str(expression.q)]
        if isinstance(expression, sympy.Float):
            return ["Float", float(expression).hex()]
        for name, constant in CONSTANTS.items():
            if expression == constant:
                return [name]
        if kind not in FUNCTIONS or type(expression) is not FUNCTIONS[kind]:
            raise _Unknown(kind)
        return [kind, *(self.node(argument) for argument in expression.args)]


class _Reader:
    """Turns JSON back into values."""

    def __init__(self, nodes: list[list[Any]]) -> None:
        self._expressions: list[sympy.Basic] = []
        for node in nodes:
            self._expressions.append(self._expression(*node))

    def value(self, value: Any) -> Any:
        """Return the value that `_Writer.value` wrote."""
        match value:
            case list():
                found: Any = tuple(self.value(item) for item in value)
            case {"node": number}:
                found = self._at(number)
            case {"matrix": [rows, columns], "entries": entries}:
                found = sympy.Matrix(rows, columns, [self._at(entry) for entry in entries])
            case {"pairs": pairs}:
                found = {self.value(key): self.value(item) for key, item in pairs}
            case {"message": code, "template": template, "parameters": parameters}:
                found = _message(code, template, {name: self.value(part) for name, part in parameters.items()})
            case {"class": name, "fields": parts}:
                found = CLASSES[name](**{name: self.value(part) for name, part in parts.items()})
            case dict():
                raise _Unknown("object")
            case _:
                found = value
        return found

    def _expression(self, kind: str, *parts: Any) -> sympy.Basic:
        if kind == "Symbol":
            return _symbol(*parts)
        if kind == "Rational":
            return sympy.Rational(int(parts[0]), int(parts[1]))
        if kind == "Float":
            return sympy.Float(float.fromhex(parts[0]))
        if kind in CONSTANTS:
            return CONSTANTS[kind]
        arguments = [self._at(part) for part in parts]
        if kind == "Pow" and all(part.is_number for part in arguments) and abs(arguments[1]) > LARGEST_POWER:
            raise _Unknown("power")  # 9**9**9 would take forever
        return FUNCTIONS[kind](*arguments)

    def _at(self, number: Any) -> sympy.Basic:
        if not isinstance(number, int) or not 0 <= number < len(self._expressions):
            raise _Unknown(f"node {number}")
        return self._expressions[number]


def _message(code: str, template: str, parameters: dict[str, Any]) -> Message:
    names = [name for _text, name, _spec, _conversion in string.Formatter().parse(template) if name is not None]
    if not set(names) <= set(parameters):
        raise _Unknown("template")
    return Message(code, template, **parameters)


def _symbol(name: Any, given: Any) -> sympy.Symbol:
    if not isinstance(name, str) or not NAME.fullmatch(name) or not set(given) <= set(ASSUMPTIONS):
        raise _Unknown(f"symbol {name}")
    return sympy.Symbol(name, **dict.fromkeys(given, True))
