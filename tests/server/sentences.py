"""The sentences that armlab can send to the page, read out of its sources as patterns with numbered holes.

`f"the point is {gap:.1f} mm out of reach"` is the pattern `the point is {0} mm out of reach`. Values that stand side by
side are one hole. A local variable that is text itself is put in its place, once for each text that it can be; what a
function returns is a hole, and a sentence of its own if it has words.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from armlab.server import library

SOURCE = Path(__file__).resolve().parents[2] / "src" / "armlab"

ROOMS = (
    "errors.py",
    "catalog/build.py catalog/scene_schema.py catalog/scene_text.py catalog/schema.py",
    "kinematics/all_ik.py kinematics/ik.py kinematics/targets.py kinematics/why.py",
    "model/dh.py model/hull.py model/parts.py model/robot.py model/scene.py model/shape.py",
    "motion/follow.py motion/follow_cures.py motion/follow_reports.py motion/jerk.py motion/joint.py motion/limits.py",
    "motion/schemes.py motion/segments.py motion/timing_grid.py motion/timing_jerk.py motion/tool_motion.py",
    "motion/toolpath_through.py motion/verify.py",
    "program/run.py program/scenario.py program/scenario_schema.py program/schedule.py program/walk.py",
    "reports/motion.py",
    "runtime/*.py",
    "server/download_routes.py server/failures.py server/library.py server/live.py server/routes*.py",
    "server/session*.py server/shelf.py",
    "sim/mechanism.py sim/physics.py sim/world.py",
)
"""Rooms whose sentences a person at the page can meet.

Left out are rooms whose sentences are about calls and files of programmers: numbers in arrays, curves and pieces that
only other functions make, robot and scene files on the server's disk, the start of the server, the command line.
"""

FUNCTIONS = {
    "catalog/scenes.py": ("_table", "_bin", "_inertia"),
    "sim/simulation.py": ("attach",),
}
"""Functions that can be met, in rooms that otherwise cannot."""

RETURNED = {
    "catalog/files.py": ("_problem",),
    "kinematics/why.py": ("_verdict", "_hint", "reason_for"),
    "program/schedule.py": ("source_of",),
}
"""Functions that return sentences, where nothing in the sources says that they become one."""

FOR_PROGRAMMERS = re.compile(r"armlab\.\w|\ball_ik|why_not takes|\(4, 4\)")
"""Sentences with names of Python in them; those that show a Python object (`{value!r}`) are left out too."""

SINKS = {
    **dict.fromkeys(
        ("ArmlabError", "InvalidInput", "LimitViolation", "Unreachable", "PlanningFailed", "SimulationDiverged"), 0
    ),
    **dict.fromkeys(("NotSupported", "Stale", "UnknownName", "ValueError", "Cure", "__init__"), 0),
    "CatalogError": 2,
    "BranchVerdict": 1,
    "Diagnosis": 1,
    "Finding": 2,
    "End": 4,
    "failure": 2,
    "_tell": 3,
    "_remark": 3,
    "replace": 1,
}
"""Who takes a sentence, and at which place."""
NAMED = ("message", "sentence")
"""Arguments by name that are sentences."""

OTHERS = {
    "step {0}",
    "and {0} more",
    "{0}, or {1}",
    "position",
    "velocity",
    "acceleration",
    "jerk",
    "joint",
    "link",
    "rad",
    "N m",
}
"""Words that stand in the holes of sentences."""
OTHERS |= {
    "Expecting value",
    "Expecting property name enclosed in double quotes",
    "Expecting ',' delimiter",
    "Expecting ':' delimiter",
    "Extra data",
    "Unterminated string starting at",
    "Invalid control character at",
    "Invalid \\escape",
}
"""What Python's JSON reader says, as the rest of a sentence."""
OTHERS |= {
    "input should be greater than {0}",
    "input should be greater than or equal to {0}",
    "input should be less than or equal to {0}",
    "input should be a valid number",
    "input should be a finite number",
    "input should be a valid integer",
    "input should be a valid string",
    "input should be a valid tuple",
    "input should be a valid dictionary or object to extract fields from",
    "input should be {0}",
    "string should have at least {0} character",
    "string should have at most {0} characters",
    "tuple should have at least {0} items after validation, not {1}",
    "tuple should have at most {0} items after validation, not {1}",
    "input tag '{0}' found using 'do' does not match any of the expected tags: {1}",
    "unable to extract tag using discriminator 'do'",
}
"""What pydantic says about values."""

UNITS = {"rad", "m", "mm", "°", "N", "N m"}
HOLE = "\0"
SHOWN_OBJECT = "\1"
DEEPEST, DEEPEST_CALL = 12, 4
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def sentences() -> frozenset[str]:
    """Return the patterns of all sentences."""
    found = {text for reader, part in _places() for text in reader.told(part)} | set(_returned_texts())
    return frozenset(_patterns(found) | OTHERS | set(_titles()))


def _titles() -> Iterator[str]:
    """Return what scenes and scenarios of ours are called, and what the page shows about them."""
    yield from (row.title for row in library.scene_rows())
    for row in library.scenario_rows():
        yield from (row.title, row.notes)


def sentences_in(path: Path) -> frozenset[str]:
    """Return the patterns of the sentences in one file."""
    return frozenset(_patterns(_reader(path).told(_reader(path).tree)))


def _patterns(texts: set[str]) -> set[str]:
    return {_numbered(text) for text in texts if _has_words(text) and not FOR_PROGRAMMERS.search(text)}


def _places() -> Iterator[tuple[_Reader, ast.AST]]:
    """Return what is read: whole files, and functions of others."""
    for path in sorted({path for room in ROOMS for glob in room.split() for path in SOURCE.glob(glob)}):
        yield _reader(path), _reader(path).tree
    for name, functions in FUNCTIONS.items():
        for function in functions:
            yield _reader(SOURCE / name), _reader(SOURCE / name).functions[function]


def _returned_texts() -> Iterator[str]:
    for name, functions in RETURNED.items():
        for function in functions:
            reader = _reader(SOURCE / name)
            yield from (text for text in reader.returned_by(reader.functions[function]) if " " in text)


@cache
def _reader(path: Path) -> _Reader:
    return _Reader(path)


class _Reader:
    """Reads one file."""

    def __init__(self, path: Path) -> None:
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = list(ast.walk(self.tree))
        self.functions = {node.name: node for node in nodes if isinstance(node, Function)}
        self.constants = {
            target.id: node.value
            for node in self.tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self.imports = {
            alias.asname or alias.name: SOURCE.parent / f"{(node.module or '').replace('.', '/')}.py"
            for node in nodes
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("armlab.")
            for alias in node.names
        }

    def told(self, part: ast.AST) -> set[str]:
        """Return the sentences in a part of the file, with HOLE for what is not known."""
        found: set[str] = set()
        for function in (node for node in ast.walk(part) if isinstance(node, Function)):
            for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
                for taken in _taken(call):
                    found |= self._texts(taken, function) | self._inside(taken, function)
        return found

    def returned_by(self, function: Function, depth: int = 0) -> set[str]:
        """Return the sentences that a function returns, also in tuples and lists."""
        found: set[str] = set()
        for given in (node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value):
            for element in self._elements(given, function, depth):
                found |= self._texts(element, function) | self._inside(element, function, depth + 1)
        return found

    def _elements(self, node: ast.expr, function: Function, depth: int = 0) -> Iterator[ast.expr]:
        """Return the texts that stand in a list or a tuple; a text alone is one."""
        match node:
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                for element in elements:
                    yield from self._elements(element, function, depth)
            case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element):
                yield element
            case ast.IfExp(body=body, orelse=other):
                yield from self._elements(body, function, depth)
                yield from self._elements(other, function, depth)
            case _:
                yield node

    def _texts(self, node: ast.expr, function: Function, depth: int = 0) -> set[str]:
        """Return what an expression can be as text."""

        def each(options: list[ast.expr]) -> list[set[str]]:
            return [self._texts(option, function, depth + 1) for option in options]

        found = {HOLE}
        match node if depth < DEEPEST else None:
            case ast.Constant(value=str(text)):
                found = {HOLE if text in UNITS else text}
            case ast.JoinedStr(values=values):
                found = {"".join(choice) for choice in itertools.product(*each(values))}
            case ast.FormattedValue(conversion=114):
                found = {SHOWN_OBJECT}
            case ast.FormattedValue(value=value, format_spec=None):
                found = self._texts(value, function, depth + 1)
            case ast.IfExp(body=body, orelse=other):
                found = set().union(*each([body, other]))
            case ast.BoolOp(values=options) | ast.Subscript(value=ast.Tuple(elts=options)):
                found = set().union(*each(options))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                found = {"".join(pair) for pair in itertools.product(*each([left, right]))}
            case ast.Name(id=name):
                found = self._named(name, function, depth) or {HOLE}
        return found

    def _named(self, name: str, function: Function, depth: int) -> set[str]:
        """Return what a local variable or a constant of the file can be, where that is text."""
        if name in self.constants:
            return self._texts(self.constants[name], function, depth + 1)
        found: set[str] = set()
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                    found |= self._texts(value, function, depth + 1)
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                    found |= self._unpacked(name, targets, value, function, depth)
        for node in ast.walk(function):
            match node:
                case ast.AugAssign(target=ast.Name(id=target), value=value) if target == name:
                    longer = itertools.product(set(found), self._texts(value, function, depth + 1))
                    found |= {a + b for a, b in longer}
        return found

    def _unpacked(
        self, name: str, targets: list[ast.expr], value: ast.expr, function: Function, depth: int
    ) -> set[str]:
        """Return what `name` is in `a, name = 1, "x"`, also with a choice of two tuples."""
        options = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
        found: set[str] = set()
        for i, target in enumerate(targets):
            for option in options:
                if isinstance(target, ast.Name) and target.id == name and isinstance(option, ast.Tuple):
                    found |= self._texts(option.elts[i], function, depth + 1)
        return found

    def _inside(self, node: ast.expr, function: Function, depth: int = 0) -> set[str]:
        """Return the sentences that stand in the holes of one: what functions return, and what is joined from lists."""
        found: set[str] = set()
        for part in ast.walk(node) if depth < DEEPEST_CALL else ():
            match part:
                case ast.Name(id=name):
                    for value in self._values(name, function):
                        found |= self._inside(value, function, depth + 1)
                case ast.Call(func=ast.Name(id=name)):
                    reader = self if name in self.functions else _imported(self.imports.get(name))
                    if reader is not None and name in reader.functions:
                        found |= reader.returned_by(reader.functions[name], depth + 1)
                case ast.List() | ast.ListComp() | ast.GeneratorExp():
                    for element in self._elements(part, function):
                        found |= self._texts(element, function)
        return found

    def _values(self, name: str, function: Function) -> Iterator[ast.expr]:
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                    yield value
                case ast.AugAssign(target=ast.Name(id=target), value=value) if target == name:
                    yield value


def _imported(path: Path | None) -> _Reader | None:
    return _reader(path) if path is not None and path.exists() and path.name != "units.py" else None


def _taken(call: ast.Call) -> Iterator[ast.expr]:
    """Return the arguments of a call that are sentences."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    place = SINKS.get(name, -1)
    if 0 <= place < len(call.args):
        yield call.args[place]
    yield from (keyword.value for keyword in call.keywords if keyword.arg in NAMED)


def _has_words(text: str) -> bool:
    return SHOWN_OBJECT not in text and re.search(r"[a-z]{2}", text.replace(HOLE, " ")) is not None


def _numbered(text: str) -> str:
    """Return a text with numbers for its holes."""
    numbers = itertools.count()
    return re.sub(f"{HOLE}+", lambda _: f"{{{next(numbers)}}}", text)
