"""The registry of messages, read from the source: each code, its texts, its parameters; and its page of the site.

python tools/messages_page.py    print the page
"""

from __future__ import annotations

import ast
import html
import re
import string
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from armlab import errors
from armlab.errors import _UNKNOWN, ArmlabError
from armlab.validation import _TEMPLATES

SOURCE = Path(__file__).resolve().parent.parent / "src" / "armlab"
CODE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
MAKERS = {"Message"} | {
    name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, ArmlabError)
}
"""What is called with a code and a template first."""
HEAD = """# Every message

Errors, findings, notices and reasons by their codes, which are stable: programs decide by code and parameters, never by
the text (see [conventions](conventions.md#messages)). Where a text shows a parameter, its unit stands behind it, or the
parameter is in SI and knows its unit. Parameters that no text shows are facts for programs. A message about a place in
a file or a batch has the place before its text.
"""
UNKNOWN_NAME = ("hint", "known", "name", "near", "owner")
"""What every error about an unknown name tells."""


@dataclass(frozen=True, slots=True)
class Made:
    """A place of the source where a message is made; `given` is None where parameters come from a mapping."""

    code: str
    templates: tuple[str, ...]
    given: frozenset[str] | None
    room: str
    where: str


@cache
def made() -> tuple[Made, ...]:
    """Return every message of the source whose code is written where it is made."""
    return tuple(each for path in sorted(SOURCE.rglob("*.py")) for each in _made_in(path))


@cache
def registry() -> dict[str, list[Made]]:
    """Return all messages by code, with those that are made from tables: unknown names, and what pydantic refuses."""
    found: dict[str, list[Made]] = defaultdict(list)
    for each in made():
        found[each.code].append(each)
    for kind, template in _UNKNOWN.items():
        found[f"unknown_{kind}"].append(Made(f"unknown_{kind}", (template,), frozenset(UNKNOWN_NAME), "errors", ""))
    for code, template in _TEMPLATES.values():
        found[code].append(Made(code, (template,), shown_names(template), "validation", ""))
    return dict(sorted(found.items()))


def shown_names(template: str) -> frozenset[str]:
    """Return the parameters that a template shows."""
    fields = string.Formatter().parse(template)
    return frozenset(re.split(r"[.\[]", name)[0] for _text, name, _spec, _how in fields if name)


def messages_page() -> str:
    """Return the page as Markdown: a table of messages for each letter."""
    lines = [HEAD]
    letter = ""
    for code, places in registry().items():
        if code[0] != letter:
            letter = code[0]
            lines += [f"\n## {letter.upper()}\n", "| code | text | other parameters | said by |", "|---|---|---|---|"]
        texts = dict.fromkeys(text for each in places for text in each.templates)
        shown = frozenset[str]().union(*map(shown_names, texts))
        facts = sorted(frozenset[str]().union(*(each.given or () for each in places)) - shown)
        rooms = sorted({each.room for each in places})
        cells = ["<br>".join(map(_cell, texts)), ", ".join(f"`{name}`" for name in facts), ", ".join(rooms)]
        lines.append(f"| `{code}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return html.escape(" ".join(text.split()), quote=False).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def _made_in(path: Path) -> Iterator[Made]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    place = path.relative_to(SOURCE)
    room = place.parts[0].removesuffix(".py")
    for call, scope in _calls(tree, [tree]):
        found = _code_and_template(call)
        if found is None:
            continue
        codes = tuple(code for code in dict.fromkeys(_codes(found[0], scope)) if CODE.fullmatch(code))
        templates = tuple(dict.fromkeys(_templates(found[1], scope)))
        names = [keyword.arg for keyword in call.keywords] if isinstance(call, ast.Call) else [None]
        given = None if None in names else frozenset(name for name in names if name is not None)
        for code in codes if templates else ():
            both = isinstance(found[0], ast.Subscript) and isinstance(found[1], ast.Subscript)  # of two tables
            own = (templates[codes.index(code)],) if both and len(codes) == len(templates) else templates
            yield Made(code, own, given if len(codes) == 1 else None, room, f"{place}:{call.lineno}")


def _calls(node: ast.AST, scope: list[ast.AST]) -> Iterator[tuple[ast.Call | ast.Tuple, list[ast.AST]]]:
    """Yield every call, and every tuple of a table, with the functions around it, the nearest last."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        scope = [*scope, node]
    if isinstance(node, ast.Call | ast.Tuple):
        yield node, scope
    for inner in ast.iter_child_nodes(node):
        yield from _calls(inner, scope)


def _code_and_template(call: ast.Call | ast.Tuple) -> tuple[ast.expr, ast.expr] | None:
    """Return the code and the template of a call or tuple that has a code, and next to it a template."""
    parts = call.args if isinstance(call, ast.Call) else call.elts
    is_message = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in MAKERS
    for code, template in pairwise(parts):
        is_code = isinstance(code, ast.Constant) and isinstance(code.value, str) and CODE.fullmatch(code.value)
        kinds = ast.Call if isinstance(call, ast.Tuple) else ast.Call | ast.Name | ast.IfExp | ast.Subscript
        if (is_code or is_message) and isinstance(template, kinds):
            return code, template
    return None


def _codes(node: ast.expr, scope: list[ast.AST]) -> Iterator[str]:
    """Yield the codes that an expression may be: written on the spot, or put into a name before."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.IfExp):
        yield from _codes(node.body, scope)
        yield from _codes(node.orelse, scope)
    elif isinstance(node, ast.Subscript):
        yield from _codes(node.value, scope)
    elif isinstance(node, ast.Name):
        for value in _values(node.id, scope):
            texts = (each.value for each in ast.walk(value) if isinstance(each, ast.Constant))
            yield from (text for text in texts if isinstance(text, str) and CODE.fullmatch(text))


def _templates(node: ast.expr, scope: list[ast.AST]) -> Iterator[str]:
    """Yield the templates that an expression may be: marked on the spot, or put into a name before."""
    if isinstance(node, ast.Call):
        if _is_marked(node):
            yield from (str(text.value) for text in node.args if isinstance(text, ast.Constant))
        elif isinstance(node.func, ast.Name):  # a function of the same file that chooses one
            chosen = [
                one for one in ast.walk(scope[0]) if isinstance(one, ast.FunctionDef) and one.name == node.func.id
            ]
            marked = (each for one in chosen for each in ast.walk(one) if isinstance(each, ast.Call))
            yield from (text for each in marked if _is_marked(each) for text in _templates(each, scope))
        return
    if isinstance(node, ast.IfExp):
        yield from _templates(node.body, scope)
        yield from _templates(node.orelse, scope)
    name = node.value if isinstance(node, ast.Subscript) else node
    if not isinstance(name, ast.Name):
        return
    for value in _values(name.id, scope):
        for each in ast.walk(value):
            if isinstance(each, ast.Call) and _is_marked(each):
                yield from _templates(each, scope)
            elif isinstance(each, ast.Name) and each.id.isupper() and len(scope) > 1:  # a table of the file
                yield from _templates(each, scope[:1])


def _values(name: str, scope: list[ast.AST]) -> list[ast.expr]:
    """Return what a name may hold: assigned in the nearest function around, or in the file, or handed over."""
    for around in reversed(scope):
        values = [value for one in ast.walk(around) if (value := _assigned(one, name)) is not None]
        if values:
            return values
        if isinstance(around, ast.FunctionDef) and name in {one.arg for one in around.args.args}:
            calls = (one for one in ast.walk(scope[0]) if isinstance(one, ast.Call))
            return [arg for one in calls if ast.unparse(one.func).endswith(around.name) for arg in one.args]
    return []


def _is_marked(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in {"_", "n_"}


def _assigned(node: ast.AST, name: str) -> ast.expr | None:
    """Return what a statement puts into a name; None if it does not."""
    match node:
        case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
            return value
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value) if any(
            isinstance(one, ast.Name) and one.id == name for one in targets
        ):
            return value
        case ast.AnnAssign(target=ast.Name(id=target), value=value) if target == name:
            return value
    return None


if __name__ == "__main__":
    print(messages_page())
