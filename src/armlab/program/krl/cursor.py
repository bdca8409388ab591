"""Where a parser is in a line of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from armlab.errors import ArmlabError
from armlab.messages import Message, _
from armlab.program.krl.scan import Line, Scanned, Token
from armlab.program.span import Span


class SyntaxProblem(ArmlabError):
    """A line that is not KRL; `span` is where it stops being it."""

    def __init__(self, message: Message, span: Span) -> None:
        super().__init__(message)
        self.span = span


class Cursor:
    """The tokens of one line, taken one after the other."""

    def __init__(self, scanned: Scanned, line: Line) -> None:
        self._scanned, self._line, self._place, self._depth = scanned, line, 0, 0
        self._operators = 0

    @property
    def token(self) -> Token | None:
        """The token that comes next; None at the end of the line."""
        return self.peek(0)

    @property
    def text(self) -> str:
        """The text of the token that comes next; empty at the end of the line, and for strings."""
        token = self.peek(0)
        return "" if token is None or token.kind == "string" else token.text

    @property
    def kind(self) -> str:
        """The kind of the token that comes next."""
        token = self.peek(0)
        return "" if token is None else token.kind

    @property
    def start(self) -> Span:
        """The place of the line's first token."""
        return self.span(self._line.tokens[0])

    def peek(self, ahead: int) -> Token | None:
        """Return a token ahead of the next one."""
        place = self._place + ahead
        return self._line.tokens[place] if place < len(self._line.tokens) else None

    def take(self) -> Token:
        """Return the next token, and go on behind it."""
        token = self.peek(0)
        if token is None:
            raise self.problem("krl_line_ends", _("the line ends too early"))
        self._place += 1
        return token

    def accept(self, *texts: str) -> str:
        """Take the next token if it is one of these words or signs; return it, or an empty text."""
        if self.text in texts and self.text:
            return self.take().text
        return ""

    def expect(self, text: str) -> Token:
        """Take the next token, which must be this word or sign."""
        if self.text != text:
            raise self.problem("krl_expected", _("'{expected}' expected"), expected=text)
        return self.take()

    def expect_name(self) -> Token:
        """Take the next token, which must be a name."""
        if self.kind != "name":
            raise self.problem("krl_name_expected", _("a name is expected"))
        return self.take()

    def finish(self) -> None:
        """Raise SyntaxProblem if anything is left of the line."""
        if self.token is not None:
            raise self.problem("krl_rest", _("'{found}' is too much here"), found=self.token.text)

    def span(self, token: Token) -> Span:
        """Return the place of a token."""
        return self._scanned.span(self._line.number, token)

    def problem(self, code: str, template: str, /, **parameters: Any) -> SyntaxProblem:
        """Return what is wrong at the next token."""
        token = self.peek(0)
        if token is not None:
            return SyntaxProblem(Message(code, template, **parameters), self.span(token))
        last = self._line.tokens[-1]
        return SyntaxProblem(
            Message(code, template, **parameters), Span(self._scanned.file, self._line.number, last.end, last.end)
        )

    def count_operator(self, most: int) -> None:
        """Count an operator of the line, up to a limit."""
        self._operators += 1
        if self._operators > most:
            raise self.problem("krl_operators", _("an expression has more than {most} operators"), most=most)

    @contextmanager
    def nested(self, most: int) -> Iterator[None]:
        """Go one level deeper, up to a limit."""
        self._depth += 1
        if self._depth > most:
            raise self.problem("krl_nested", _("brackets are nested more than {depth} deep"), depth=most)
        try:
            yield
        finally:
            self._depth -= 1
