"""Where a parser is in a line of tokens."""

from __future__ import annotations

from typing import Any

from armlab.errors import ArmlabError
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.program.krl.scan import Line, Scanned, Token
from armlab.program.span import Span

LONGEST_NAME = 24


class SyntaxProblem(ArmlabError):
    """A line that is not KRL; `span` is where it stops being it."""

    def __init__(self, message: Message, span: Span) -> None:
        super().__init__(message)
        self.span = span


class Cursor:
    """The tokens of one line, taken one after the other.

    `token` is the one that comes next (None at the end of the line), `kind` its kind, and `text` its text: empty at the
    end of the line, and for strings.
    """

    def __init__(self, scanned: Scanned, line: Line) -> None:
        self._scanned, self._line, self._place, self._depth = scanned, line, 0, 0
        self._tokens, self._count = line.tokens, len(line.tokens)
        self._operators = 0
        self.token: Token | None = None
        self.kind = self.text = ""
        self._look()

    def _look(self) -> None:
        if self._place < self._count:
            token = self._tokens[self._place]
            self.token, self.kind = token, token.kind
            self.text = "" if token.kind == "string" else token.text
        else:
            self.token, self.kind, self.text = None, "", ""

    @property
    def start(self) -> Span:
        """The place of the line's first token."""
        return self.span(self._line.tokens[0])

    @property
    def names(self) -> set[str]:
        """The names of the line."""
        return {token.text for token in self._line.tokens if token.kind == "name"}

    def peek(self, ahead: int) -> Token | None:
        """Return a token ahead of the next one."""
        place = self._place + ahead
        return self._tokens[place] if place < self._count else None

    def take(self) -> Token:
        """Return the next token, and go on behind it."""
        token = self.token
        if token is None:
            raise self.problem("krl_line_ends", _("the line ends too early"))
        self._place += 1
        self._look()
        return token

    def accept(self, *texts: str) -> str:
        """Take the next token if it is one of these words or signs; return it, or an empty text."""
        text = self.text
        if text and text in texts:
            self.take()
            return text
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

    def expect_new_name(self) -> Token:
        """Take the next token, which must be a name that is declared here; one that is too long is reported."""
        token = self.expect_name()
        if len(token.text) > LONGEST_NAME:
            template = _("a name has at most {most} characters; '{name}' has {count}")
            facts = {"most": LONGEST_NAME, "name": token.text, "count": len(token.text)}
            where: dict[str, float | int | str] = {"file": self._scanned.file, "line": self._line.number}
            message = Message("krl_name_too_long", template, **facts)
            self._scanned.findings.append(Finding("error", message, where | {"column": token.column}))
        return token

    def finish(self) -> None:
        """Raise SyntaxProblem if anything is left of the line."""
        if self.token is not None:
            raise self.problem("krl_rest", _("'{found}' is too much here"), found=self.token.text)

    def span(self, token: Token) -> Span:
        """Return the place of a token."""
        return Span(self._scanned.file, self._line.number, token.column, token.end)

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

    def go_deeper(self, most: int) -> None:
        """Go one level of brackets deeper, up to a limit; whoever did so comes back with `come_back`."""
        self._depth += 1
        if self._depth > most:
            raise self.problem("krl_nested", _("brackets are nested more than {depth} deep"), depth=most)

    def come_back(self) -> None:
        """Leave a level of brackets."""
        self._depth -= 1
