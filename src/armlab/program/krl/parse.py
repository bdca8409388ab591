"""Lines of tokens become modules: routines with their declarations and statements, and data lists.

A line that is not KRL is reported, and the next one is read. A block whose end is missing is reported at its beginning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.program.krl import declarations, statements
from armlab.program.krl.actions import (
    Approximation,
    Case,
    For,
    If,
    Loop,
    Module,
    Parameter,
    Repeat,
    Routine,
    SplineBlock,
    Statement,
    Switch,
    While,
)
from armlab.program.krl.cursor import Cursor, SyntaxProblem
from armlab.program.krl.expressions import expression, name
from armlab.program.krl.scan import Line, scan
from armlab.program.krl.tree import Declaration, Expression, Name, Truth
from armlab.program.span import Span

MAX_FINDINGS = 1000
MAX_DEPTH = 100
ENDS = {
    "IF": ("ELSE", "ENDIF"), "ELSE": ("ENDIF",), "FOR": ("ENDFOR",), "WHILE": ("ENDWHILE",), "REPEAT": ("UNTIL",),
    "LOOP": ("ENDLOOP",), "SWITCH": ("CASE", "DEFAULT", "ENDSWITCH"), "SPLINE": ("ENDSPLINE",),
    "PTP_SPLINE": ("ENDSPLINE",), "DEF": ("END",), "DEFFCT": ("ENDFCT",), "DEFDAT": ("ENDDAT",),
}  # fmt: skip
"""What closes, or continues, a block."""
CLOSERS = frozenset(word for words in ENDS.values() for word in words)


def parse(data: bytes, file: str) -> tuple[Module, list[Finding]]:
    """Return the module in a .src or .dat file, and everything that is wrong with it."""
    return _Parser(data, file).module()


@dataclass(frozen=True, slots=True)
class Entry:
    """What somebody typed: routines, or declarations and statements; and everything that is wrong with it."""

    routines: tuple[Routine, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    body: tuple[Statement, ...] = ()
    findings: tuple[Finding, ...] = ()


def parse_entry(text: str, file: str, first: int) -> Entry:
    """Return lines that stand outside of a file; `first` is the number of the first one."""
    return _Parser(f"{text}\nEND".encode(), file, first).entry()


def parse_expression(text: str, file: str, line: int) -> Expression:
    """Return the expression that a line is.

    Raises:
        SyntaxProblem: if it is something else.
    """
    scanned = scan(text.encode(), file, line)
    if not scanned.lines:
        found = (
            scanned.findings[0].message if scanned.findings else Message("krl_name_expected", _("a name is expected"))
        )
        raise SyntaxProblem(found, Span(file, line))
    cursor = Cursor(scanned, scanned.lines[0])
    value = expression(cursor)
    cursor.finish()
    return value


class _Parser:
    def __init__(self, data: bytes, file: str, first: int = 1) -> None:
        self._scanned = scan(data, file, first)
        self.findings = self._scanned.findings
        self._file, self._place, self._depth, self._has_given_up = file, 0, 0, False
        self._declared: list[Declaration] = []
        """What the routine that is being read declares."""
        self._is_entry = False

    # -- lines -------------------------------------------------------------------------------------------------------

    @property
    def _line(self) -> Line | None:
        lines = self._scanned.lines
        return lines[self._place] if self._place < len(lines) else None

    def _first(self) -> str:
        """Return the word that the next line begins with; empty at the end of the file."""
        line = self._line
        return "" if line is None else line.tokens[0].text

    def _cursor(self) -> Cursor:
        line = self._line
        assert line is not None
        self._place += 1
        return Cursor(self._scanned, line)

    def _report(self, message: Message, span: Span) -> None:
        if len(self.findings) < MAX_FINDINGS:
            where: dict[str, float | int | str] = {"file": span.file, "line": span.line, "column": span.column}
            self.findings.append(Finding("error", message, where))

    def _read(self, read: Callable[[Cursor], object]) -> None:
        """Read one line; report what is wrong with it."""
        cursor = self._cursor()
        try:
            read(cursor)
            cursor.finish()
        except SyntaxProblem as problem:
            self._problem(problem, cursor)

    def _problem(self, problem: SyntaxProblem, cursor: Cursor) -> None:
        """Report a line that cannot be read, and note the names in it."""
        self._report(problem.message, problem.span)
        self._scanned.unread.update(cursor.names)

    # -- modules -----------------------------------------------------------------------------------------------------

    def module(self) -> tuple[Module, list[Finding]]:
        routines: list[Routine] = []
        data: list[Declaration] = []
        title, is_public = PurePath(self._file).stem.upper(), False
        while self._line is not None:
            words = [token.text for token in self._line.tokens[:2]]
            if (words[1:] if words[0] == "GLOBAL" else words)[:1] in (["DEF"], ["DEFFCT"]):
                routines.append(self._routine())
            elif words[0] == "DEFDAT":
                cursor = self._cursor()
                title, is_public = self._data_header(cursor)
                data += self._declarations_until("DEFDAT", cursor.start)
            else:
                cursor = self._cursor()
                self._report(
                    Message("krl_outside", _("'{found}' stands outside of DEF and DEFDAT"), found=words[0]),
                    cursor.start,
                )
        folds = tuple(self._scanned.folds)
        header, unread = dict(self._scanned.header), frozenset(self._scanned.unread)
        module = Module(title, tuple(routines), tuple(data), is_public, folds, header, unread)
        return module, self.findings

    def entry(self) -> Entry:
        words = [token.text for token in self._line.tokens[:2]] if self._line is not None else [""]
        if (words[1:] if words[0] == "GLOBAL" else words)[:1] in (["DEF"], ["DEFFCT"]):
            del self._scanned.lines[-1]  # the END that was added
            module, findings = self.module()
            return Entry(routines=module.routines, findings=tuple(findings))
        self._is_entry, self._declared = True, []
        declared = self._declared
        body = self._block("DEF", Span(self._file, 1), declared)
        if self._place < len(self._scanned.lines) - 1:
            closing = self._cursor()
            message = Message("krl_closes_nothing", _("{closing} closes nothing here"), closing=closing.text)
            self._report(message, closing.start)
        return Entry((), tuple(declared), body, tuple(self.findings))

    def _data_header(self, cursor: Cursor) -> tuple[str, bool]:
        title, is_public = PurePath(self._file).stem.upper(), False
        try:
            cursor.expect("DEFDAT")
            title = cursor.expect_name().text
            is_public = cursor.accept("PUBLIC") == "PUBLIC"
            cursor.finish()
        except SyntaxProblem as problem:
            self._problem(problem, cursor)
        return title, is_public

    def _declarations_until(self, opening: str, start: Span) -> list[Declaration]:
        found: list[Declaration] = []
        while self._first() not in ENDS[opening]:
            if self._line is None:
                self._unclosed(opening, start)
                return found
            self._read(lambda cursor: found.extend(declarations.in_data_list(cursor)))
        self._read(lambda cursor: cursor.take())
        return found

    def _routine(self) -> Routine:
        cursor = self._cursor()
        start = cursor.start
        is_global = cursor.accept("GLOBAL") == "GLOBAL"
        word = cursor.take().text
        result, title = ("", 0), ""
        parameters: tuple[Parameter, ...] = ()
        try:
            if word == "DEFFCT":
                result = declarations.type_name(cursor)
            title = cursor.expect_new_name().text
            parameters = declarations.parameters(cursor)
            cursor.finish()
        except SyntaxProblem as problem:
            self._problem(problem, cursor)
        declared: list[Declaration] = []
        self._declared = declared
        body = self._block(word, start, declared)
        if self._line is not None:
            self._read(lambda closing: closing.take())
        kind, dimensions = result
        return Routine(title, parameters, kind, tuple(declared), body, start, is_global, dimensions)

    # -- blocks ------------------------------------------------------------------------------------------------------

    def _give_up(self, start: Span) -> None:
        """Leave out the rest of the file: its blocks cannot be told apart any more."""
        template = _("blocks are nested more than {depth} deep; the rest of the file is not read")
        self._report(Message("krl_blocks_too_deep", template, depth=MAX_DEPTH), start)
        self._place, self._has_given_up = len(self._scanned.lines), True

    def _unclosed(self, opening: str, start: Span) -> None:
        if self._has_given_up:
            return
        template = _("{opening} has no {closing}")
        self._report(Message("krl_unclosed", template, opening=opening, closing=ENDS[opening][-1]), start)

    def _block(self, opening: str, start: Span, declared: list[Declaration] | None = None) -> tuple[Statement, ...]:
        """Return the statements up to the line that closes or continues the block, which is not taken."""
        self._depth += 1
        body: list[Statement] = []
        while (first := self._first()) not in ENDS[opening]:
            if self._depth > MAX_DEPTH:
                self._give_up(start)
            if self._line is None or first in {"DEF", "DEFFCT", "END", "ENDFCT"}:
                self._unclosed(opening, start)
                break
            if first in CLOSERS:
                cursor = self._cursor()
                self._report(
                    Message("krl_closes_nothing", _("{closing} closes nothing here"), closing=first), cursor.start
                )
            elif first in _BLOCKS:
                body.append(_BLOCKS[first](self))
            else:
                self._read(lambda cursor: self._statement_or_declaration(cursor, body, declared))
        self._depth -= 1
        return tuple(body)

    def _statement_or_declaration(
        self, cursor: Cursor, body: list[Statement], declared: list[Declaration] | None
    ) -> None:
        is_late = declared is None or (bool(body) and not self._is_entry)
        if not (declarations.surely_begins_here if declared is None else declarations.begins_here)(cursor):
            body.append(statements.statement(cursor))
            return
        start = cursor.start
        self._declared.extend(declarations.declaration(cursor))
        if is_late:
            template = _("declarations stand before the first statement of a routine")
            self._report(Message("krl_declaration_place", template), start)

    def _header(self, cursor: Cursor, read: Callable[[Cursor], Expression]) -> Expression:
        """Return the expression of a block's first line; if it is wrong, the block is read all the same."""
        try:
            value = read(cursor)
            cursor.finish()
        except SyntaxProblem as problem:
            self._problem(problem, cursor)
            return Truth(True, cursor.start)
        return value

    def _close(self, opening: str) -> None:
        if self._line is not None and self._first() == ENDS[opening][-1]:
            self._read(lambda cursor: cursor.take())

    def _if(self) -> Statement:
        cursor = self._cursor()
        cursor.take()
        condition = self._header(cursor, _condition_then)
        body = self._block("IF", cursor.start)
        otherwise: tuple[Statement, ...] = ()
        if self._first() == "ELSE":
            self._read(statements.else_line)
            otherwise = self._block("ELSE", cursor.start)
        self._close("IF")
        return If(condition, body, otherwise, cursor.start)

    def _while(self) -> Statement:
        cursor = self._cursor()
        cursor.take()
        condition = self._header(cursor, expression)
        body = self._block("WHILE", cursor.start)
        self._close("WHILE")
        return While(condition, body, cursor.start)

    def _repeat(self) -> Statement:
        cursor = self._cursor()
        cursor.take()
        body = self._block("REPEAT", cursor.start)
        condition: Expression = Truth(True, cursor.start)
        if self._first() == "UNTIL":
            closing = self._cursor()
            closing.take()
            condition = self._header(closing, expression)
        return Repeat(body, condition, cursor.start)

    def _loop(self) -> Statement:
        cursor = self._cursor()
        cursor.take()
        body = self._block("LOOP", cursor.start)
        self._close("LOOP")
        return Loop(body, cursor.start)

    def _for(self) -> Statement:
        cursor = self._cursor()
        cursor.take()
        variable, step = Name("", cursor.start), None
        first: Expression = Truth(True, cursor.start)
        last: Expression = first
        try:
            variable = name(cursor)
            cursor.expect("=")
            first = expression(cursor)
            cursor.expect("TO")
            last = expression(cursor)
            if cursor.accept("STEP"):
                step = expression(cursor)
            cursor.finish()
        except SyntaxProblem as problem:
            self._problem(problem, cursor)
        body = self._block("FOR", cursor.start)
        self._close("FOR")
        return For(variable, first, last, step, body, cursor.start)

    def _switch(self) -> Statement:
        cursor = self._cursor()
        cursor.take()
        value = self._header(cursor, expression)
        self._block("SWITCH", cursor.start)  # nothing may stand before the first case
        cases: list[Case] = []
        while self._first() in {"CASE", "DEFAULT"}:
            line = self._cursor()
            values: list[Expression] = []
            try:
                if line.take().text == "CASE":
                    values.append(expression(line))
                    while line.accept(","):
                        values.append(expression(line))
                line.finish()
            except SyntaxProblem as problem:
                self._problem(problem, line)
            cases.append(Case(tuple(values), self._block("SWITCH", line.start), line.start))
        self._close("SWITCH")
        return Switch(value, tuple(cases), cursor.start)

    def _spline(self) -> Statement:
        cursor = self._cursor()
        word = cursor.take().text
        settings: tuple[tuple[Name, Expression], ...] = ()
        try:
            settings = statements.with_settings(cursor)
            cursor.finish()
        except SyntaxProblem as problem:
            self._problem(problem, cursor)
        body = self._block(word, cursor.start)
        rounded: list[Approximation] = []
        if self._first() == "ENDSPLINE":

            def closing(line: Cursor) -> None:
                line.take()
                rounded.extend(statements.approximations(line))

            self._read(closing)
        return SplineBlock(word == "PTP_SPLINE", body, cursor.start, tuple(rounded), settings)


_BLOCKS: dict[str, Callable[[_Parser], Statement]] = {
    "IF": _Parser._if,
    "WHILE": _Parser._while,
    "REPEAT": _Parser._repeat,
    "LOOP": _Parser._loop,
    "FOR": _Parser._for,
    "SWITCH": _Parser._switch,
    "SPLINE": _Parser._spline,
    "PTP_SPLINE": _Parser._spline,
}


def _condition_then(cursor: Cursor) -> Expression:
    condition = expression(cursor)
    cursor.expect("THEN")
    return condition
