"""Every text for people is a template with parameters and a stable code; what can be seen of that in the source."""

from __future__ import annotations

import ast
import re
import runpy
import string
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

from armlab import errors
from armlab.errors import ArmlabError

SOURCE = Path(__file__).resolve().parents[2] / "src" / "armlab"
TESTS = SOURCE.parents[1] / "tests"
FILES = sorted(SOURCE.rglob("*.py"))
registry = runpy.run_path(str(TESTS.parent / "tools" / "messages_page.py"))["registry"]

OWN_CONSTRUCTORS = {"CatalogError", "UnknownName"}
ERRORS = {
    name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, ArmlabError)
} - OWN_CONSTRUCTORS
MAKERS = ERRORS | {"Message"}

SEVERAL_TEMPLATES = {
    "branches": "a title, and the sentence below it",
    "configuration_and_values": "with and without --q",
    "file_exists": "a recording that is written, and one that is exported",
    "joint_value_too_large": "radians and metres",
    "limit_not_positive": "limits by joint name, and by number",
    "limits": "a pose, and a point",
    "name_not_printable": "a robot and a body",
    "name_twice": "joints and links",
    "one_pose_only": "with and without a function for many",
    "unknown_option": "with and without a near one",
    "urdf_name_twice": "joints and links",
}
"""Codes that have more than one template on purpose, and what the templates are for."""

CODE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class Made(NamedTuple):
    """A message or error that the source makes."""

    where: str
    room: str
    call: ast.Call

    @property
    def code(self) -> str | None:
        """Its code, where it is written as a literal."""
        first = self.call.args[0] if self.call.args else None
        return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None

    @property
    def templates(self) -> tuple[str, ...]:
        """Its template, where it is marked for translation on the spot; singular and plural for a pair."""
        marked = self.call.args[1] if len(self.call.args) > 1 else None
        if not (isinstance(marked, ast.Call) and isinstance(marked.func, ast.Name) and marked.func.id in {"_", "n_"}):
            return ()
        return tuple(str(arg.value) for arg in marked.args if isinstance(arg, ast.Constant))

    @property
    def given(self) -> set[str] | None:
        """The names of its parameters; None where some come from a mapping."""
        names = [keyword.arg for keyword in self.call.keywords]
        return None if None in names else {str(name) for name in names}


@cache
def made() -> list[Made]:
    """Return every message and error that the source makes."""
    return [
        Made(f"{path.relative_to(SOURCE)}:{node.lineno}", path.relative_to(SOURCE).parts[0], node)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS
    ]


def shown_names(template: str) -> set[str]:
    return {name.split(".")[0].split("[")[0] for _text, name, _spec, _how in string.Formatter().parse(template) if name}


def test_no_error_is_made_of_a_sentence() -> None:
    sentences = defaultdict(list)
    for one in made():
        first = one.call.args[0] if one.call.args else None
        is_text = isinstance(first, ast.JoinedStr | ast.BinOp) or one.code is not None
        if len(one.call.args) == 1 and is_text:
            sentences[one.room].append(one.where)
    assert dict(sentences) == {}


def test_codes_are_snake_case() -> None:
    codes = {one.code: one.where for one in made() if one.code is not None and len(one.call.args) > 1}
    assert len(codes) > 100
    wrong = {code: where for code, where in codes.items() if code and not CODE.fullmatch(code)}
    assert wrong == {}


def test_within_a_room_one_code_has_one_template() -> None:
    templates = defaultdict(set)
    for one in made():
        if one.code is not None and one.templates:
            templates[one.room, one.code].add(one.templates)
    several = {key: sorted(found) for key, found in templates.items() if len(found) > 1}
    assert {key: found for key, found in several.items() if key[1] not in SEVERAL_TEMPLATES} == {}


def test_one_code_has_one_set_of_parameters() -> None:
    sets = {
        code: {tuple(sorted(each.given)): each.where for each in places if each.given is not None}
        for code, places in registry().items()
    }
    assert len(sets) > 1000
    assert {code: found for code, found in sets.items() if len(found) > 1} == {}


def test_every_code_that_a_test_expects_is_one_that_the_source_has() -> None:
    expected = defaultdict(set)
    for path in TESTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "refused"
                and node.args
            ):
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str) and CODE.fullmatch(first.value):
                    expected[first.value].add(str(path.relative_to(TESTS)))
    assert len(expected) > 100
    texts = {
        node.value
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert {code: where for code, where in expected.items() if code not in texts | set(registry())} == {}


def test_every_parameter_of_a_template_is_given() -> None:
    missing = {}
    for one in made():
        if one.given is not None:
            needed = {name for template in one.templates for name in shown_names(template)}
            if needed - one.given:
                missing[one.where] = sorted(needed - one.given)
    assert missing == {}


def test_templates_are_single_literals() -> None:
    wrong = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"_", "n_"}:
                texts = node.args[: 2 if node.func.id == "n_" else 1]
                if not all(isinstance(text, ast.Constant) and isinstance(text.value, str) for text in texts):
                    wrong.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert wrong == []
