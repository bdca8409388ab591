"""Text becomes a tree of Python's own parser; everything that the language does not have is reported."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.program.span import Span

LONGEST_TEXT = 1_000_000
"""Letters of a program."""
MOST_FINDINGS = 100
DEEPEST = 60
"""Statements and expressions inside each other."""

ALLOWED = (
    ast.Module, ast.Expression, ast.Expr, ast.Assign, ast.AugAssign, ast.If, ast.For, ast.While, ast.Break,
    ast.Continue, ast.Pass, ast.FunctionDef, ast.Return, ast.arguments, ast.arg, ast.Call, ast.keyword, ast.Name,
    ast.Constant, ast.List, ast.Tuple, ast.Subscript, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp,
    ast.Attribute, ast.Load, ast.Store, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip
REFUSED = (ast.MatMult, ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor, ast.Invert, ast.Is, ast.IsNot)
"""Operators that are left out."""
METHODS = frozenset({"append"})
WORDS = {
    ast.Import: "import", ast.ImportFrom: "import", ast.ClassDef: "class", ast.Lambda: "lambda", ast.With: "with",
    ast.Try: "try", ast.Global: "global", ast.Nonlocal: "nonlocal", ast.Delete: "del", ast.Raise: "raise",
    ast.Assert: "assert", ast.ListComp: "[… for …]", ast.DictComp: "{… for …}", ast.SetComp: "{… for …}",
    ast.GeneratorExp: "(… for …)", ast.Dict: "{…}", ast.Set: "{…}", ast.JoinedStr: 'f"…"', ast.Starred: "*",
    ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Invert: "~", ast.Is: "is", ast.IsNot: "is not", ast.Slice: "[a:b]", ast.Yield: "yield", ast.Await: "await",
    ast.NamedExpr: ":=", ast.Attribute: ".",
}  # fmt: skip
"""What a reader calls what the language does not have."""


@dataclass(frozen=True, slots=True)
class Script:
    """A text that was read; `first` is the number of its first line."""

    file: str
    tree: ast.Module
    findings: tuple[Finding, ...]
    first: int = 1

    def span(self, node: ast.AST) -> Span:
        """Return the place of a node."""
        return span_of(node, self.file, self.first)


def span_of(node: ast.AST, file: str, first: int) -> Span:
    """Return the place of a node in a text whose first line has the number `first`."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    last = getattr(node, "end_col_offset", None) if getattr(node, "end_lineno", line) == line else None
    return Span(file, line + first - 1, column + 1, (last or column) + 1)


def finding_at(message: Message, span: Span) -> Finding:
    """Return an error at a place."""
    return Finding("error", message, {"file": span.file, "line": span.line, "column": span.column})


def read_script(text: str, file: str, first: int = 1) -> Script:
    """Return the tree of a program, and everything in it that is not of the language."""
    tree, problem = _parsed(text, file, first)
    if tree is None:
        assert problem is not None
        return Script(file, ast.Module([], []), (problem,), first)
    found = []
    for node in _all_nodes(tree):
        if (message := _refused(node)) is not None:
            found.append(finding_at(message, span_of(node, file, first)))
        if len(found) >= MOST_FINDINGS:
            break
    return Script(file, tree, tuple(found), first)


def _parsed(text: str, file: str, first: int) -> tuple[ast.Module | None, Finding | None]:
    if len(text) > LONGEST_TEXT:
        template = _("the program is longer than {most} letters")
        return None, finding_at(Message("script_too_long", template, most=LONGEST_TEXT), Span(file, first))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the parser's advice about escapes and "is"
            tree = ast.parse(text)
    except SyntaxError as error:
        span = Span(file, (error.lineno or 1) + first - 1, max(error.offset or 1, 1))
        return None, finding_at(Message("script_syntax", _("this is not Python: {reason}"), reason=error.msg), span)
    except (ValueError, MemoryError, RecursionError, OverflowError) as error:
        reason = type(error).__name__
        return None, finding_at(
            Message("script_syntax", _("this is not Python: {reason}"), reason=reason), Span(file, first)
        )
    if _is_too_deep(tree):
        message = Message("script_too_deep", _("brackets and blocks are nested more than {most} deep"), most=DEEPEST)
        return None, finding_at(message, Span(file, first))
    return tree, None


def _is_too_deep(tree: ast.AST) -> bool:
    level: list[ast.AST] = [tree]
    for _depth in range(2 * DEEPEST):  # a statement and its expressions are levels of their own
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _all_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes; the parts of a node that was refused are left out."""
    left = [tree]
    while left:
        node = left.pop()
        yield node
        if _refused(node) is None:
            left.extend(reversed(list(ast.iter_child_nodes(node))))


def _refused(node: ast.AST) -> Message | None:  # noqa: C901, PLR0911 - one case per kind
    """Return why a node cannot be used; None if it can."""
    template = _("'{what}' cannot be used here")
    operators = getattr(node, "ops", None) or [getattr(node, "op", None)]
    for one in operators:  # they have no place of their own
        if isinstance(one, REFUSED):
            return Message("script_not_allowed", template, what=WORDS.get(type(one), type(one).__name__))
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute):
            is_method = function.attr in METHODS and isinstance(function.value, ast.Name)
            return None if is_method else Message("script_not_allowed", template, what=f".{function.attr}()")
        if not isinstance(function, ast.Name):
            return Message("script_not_allowed", template, what="(…)()")
    if isinstance(node, ast.Attribute):
        known = node.attr in METHODS
        return None if known else Message("script_not_allowed", template, what=f".{node.attr}")
    if isinstance(node, ast.FunctionDef):
        extra = node.decorator_list or node.args.vararg or node.args.kwarg or node.args.kwonlyargs or node.args.defaults
        return Message("script_not_allowed", template, what="@ * =") if extra else None
    if isinstance(node, ast.For | ast.While) and node.orelse:
        return Message("script_not_allowed", template, what="for … else")
    if isinstance(node, ast.Constant) and not isinstance(node.value, bool | int | float | str | None):
        return Message("script_not_allowed", template, what=str(node.value)[:20])
    if isinstance(node, ALLOWED):
        return None
    return Message("script_not_allowed", template, what=WORDS.get(type(node), type(node).__name__))


def as_read(target: ast.expr) -> ast.expr:
    """Return the expression that reads what an augmented assignment changes."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Tell whether a loop can be left, by break or return."""
    return any(isinstance(node, ast.Break | ast.Return) for statement in body for node in ast.walk(statement))
