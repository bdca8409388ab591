"""What pydantic and the parsers of JSON and TOML refuse, as messages: which key, what was given, what is allowed."""

from __future__ import annotations

import json
import re
import reprlib
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple, Protocol

from armlab.errors import ArmlabError, InvalidInput
from armlab.messages import Message, _

SHOWN_PROBLEMS = 4
SHOWN_LETTERS = 60
LONGEST_KEY = 120
DEEPEST_KEY = 20
_TEXTS_AND_COMMENTS = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)
_NOT_IN_KEYS = re.compile(r"[^\w.\t -]+")

_TEMPLATES: Mapping[str, tuple[str, str]] = {
    "missing": ("key_missing", _("is missing")),
    "extra_forbidden": ("key_unknown", _("unknown key")),
    "greater_than": ("not_above", _("must be > {gt}, got {given}")),
    "greater_than_equal": ("below_least", _("must be ≥ {ge}, got {given}")),
    "less_than": ("not_below", _("must be < {lt}, got {given}")),
    "less_than_equal": ("above_most", _("must be ≤ {le}, got {given}")),
    "finite_number": ("not_finite", _("must be a finite number, got {given}")),
    "float_type": ("not_a_number", _("must be a number, got {given}")),
    "float_parsing": ("not_a_number", _("must be a number, got {given}")),
    "int_type": ("not_whole", _("must be a whole number, got {given}")),
    "int_parsing": ("not_whole", _("must be a whole number, got {given}")),
    "int_from_float": ("not_whole", _("must be a whole number, got {given}")),
    "int_parsing_size": ("not_whole", _("must be a whole number, got {given}")),
    "bool_type": ("not_true_or_false", _("must be true or false, got {given}")),
    "bool_parsing": ("not_true_or_false", _("must be true or false, got {given}")),
    "string_type": ("not_text", _("must be text, got {given}")),
    "string_unicode": ("not_text", _("must be text, got {given}")),
    "string_too_short": ("text_too_short", _("must have at least {min_length} letters, got {given}")),
    "string_too_long": ("text_too_long", _("must have at most {max_length} letters, got {given}")),
    "string_pattern_mismatch": ("pattern_mismatch", _("must match {pattern}, got {given}")),
    "tuple_type": ("not_a_list", _("must be a list, got {given}")),
    "list_type": ("not_a_list", _("must be a list, got {given}")),
    "dict_type": ("not_a_table", _("must be a table of keys and values, got {given}")),
    "model_type": ("not_a_table", _("must be a table of keys and values, got {given}")),
    "model_attributes_type": ("not_a_table", _("must be a table of keys and values, got {given}")),
    "too_short": ("too_few_items", _("must have at least {min_length} items, got {actual_length}")),
    "too_long": ("too_many_items", _("must have at most {max_length} items, got {actual_length}")),
    "literal_error": ("not_allowed", _("must be one of {allowed}, got {given}")),
    "enum": ("not_allowed", _("must be one of {allowed}, got {given}")),
    "union_tag_not_found": ("tag_missing", _("key '{tag_key}' is missing")),
    "union_tag_invalid": ("not_allowed", _("must be one of {allowed}, got {given}")),
    "json_invalid": ("not_json", _("not valid JSON")),
    "json_type": ("not_json", _("not valid JSON")),
}
"""pydantic's kind of error → code and template."""

_TYPE_NAMES = re.compile(r"^(constrained-|tuple\[|list\[|function-|nullable|str$|float$|int$)")
"""Parts of a place that name a member of a union rather than a key of the file."""
_TOML_PLACE = re.compile(r"at line (\d+), column (\d+)")


class Refused(Protocol):
    """pydantic's ValidationError, or FastAPI's."""

    def errors(self) -> Sequence[Any]:
        """Return all problems."""


class Problem(NamedTuple):
    """One thing that is wrong: the key (`joint[2].limits.lower`; empty for the whole) and what."""

    key: str
    message: Message

    @property
    def placed(self) -> Message:
        """The message behind its key."""
        return self.message.within(self.key) if self.key else self.message


def refusal(error: Refused) -> InvalidInput:
    """Return pydantic's refusal as an error of ours, behind its key."""
    key, message = summary(problems_of(error))
    return InvalidInput(message.within(key) if key else message, key=key)


def problems_of(error: Refused) -> list[Problem]:
    """Return everything that pydantic refused."""
    return [_problem(each) for each in error.errors()]


def summary(problems: Sequence[Problem]) -> tuple[str, Message]:
    """Return the key of the first problem, and one message about it and the next few; its code is the first one's."""
    first, others = problems[0], [problem.placed for problem in problems[1:SHOWN_PROBLEMS]]
    message = reduce(_both, others, first.message)
    if len(problems) > SHOWN_PROBLEMS:
        more = _("{problems}; and {count} more")
        message = Message(message.code, more, problems=message, count=len(problems) - SHOWN_PROBLEMS)
    return first.key, message


def parsed_json(data: bytes) -> Any:
    """Return what a JSON file holds.

    Raises:
        InvalidInput: if it is not UTF-8 or not JSON, is nested too deeply, or has a key twice.
    """
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
    except UnicodeDecodeError:
        raise InvalidInput("not_text_file", _("not a text file")) from None
    except json.JSONDecodeError as error:
        raise InvalidInput(json_syntax(error)) from None
    except InvalidInput:
        raise
    except RecursionError:
        raise InvalidInput("nested_too_deeply", _("nested too deeply")) from None
    except ValueError:
        raise InvalidInput("json_number_too_long", _("not valid JSON: a number has too many digits")) from None


def parsed_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises:
        InvalidInput: if it is not TOML, or nested too deeply.
    """
    if _deepest_key(text) > DEEPEST_KEY:  # each part of a dotted key costs tomllib as many steps as parts precede it
        raise InvalidInput(_too_deep())
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(toml_syntax(error)) from None
    except ValueError:
        raise InvalidInput("toml_number_too_long", _("not valid TOML: a number has too many digits")) from None
    except RecursionError:
        raise InvalidInput(_too_deep()) from None


def _too_deep() -> Message:
    return Message("nested_too_deeply", _("nested too deeply"))


def _deepest_key(text: str) -> int:
    """Return the most dots that any key or number of the text has; those in texts and comments do not count."""
    bare = _TEXTS_AND_COMMENTS.sub("", text)
    return max((run.count(".") for line in bare.splitlines() for run in _NOT_IN_KEYS.split(line)), default=0)


def json_syntax(error: json.JSONDecodeError) -> Message:
    """Return what is wrong with a text that is not JSON, and where."""
    template = _("not valid JSON: line {line}, column {column}")
    return Message("json_syntax", template, line=error.lineno, column=error.colno, reason=error.msg)


def toml_syntax(error: tomllib.TOMLDecodeError) -> Message:
    """Return what is wrong with a text that is not TOML, and where."""
    place = _TOML_PLACE.search(str(error))  # Python before 3.14 tells the place only in its text
    if place is None:
        return Message("toml_ends_early", _("not valid TOML: it ends too early"))
    template = _("not valid TOML: line {line}, column {column}")
    return Message("toml_syntax", template, line=int(place[1]), column=int(place[2]))


def shown(value: object) -> str:
    """Return a value from outside as a message quotes it: its beginning, on one line."""
    try:
        text = " ".join(_short.repr(value).split())
    except ValueError:  # a whole number of thousands of digits
        return "…"
    return text if len(text) <= SHOWN_LETTERS else text[: SHOWN_LETTERS - 1] + "…"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        key = next(key for key, count in Counter(key for key, _value in pairs).items() if count > 1)
        raise InvalidInput("key_twice", _("the key '{key}' is there twice"), key=key[:SHOWN_LETTERS])
    return table


def _both(one: Message, other: Message) -> Message:
    return Message(one.code, "{one}; {other}", one=one, other=other)


def _problem(error: Mapping[str, Any]) -> Problem:
    context = error.get("ctx", {})
    own = context.get("error")
    key = _key(error["loc"])
    if isinstance(own, ArmlabError):
        return Problem(key, own.message)
    known = _TEMPLATES.get(error["type"])
    if known is None:
        return Problem(key, Message("value_refused", _("cannot be used: {given}"), given=shown(error.get("input"))))
    facts = {
        name: context[name]
        for name in ("gt", "ge", "lt", "le", "pattern", "min_length", "max_length", "actual_length")
        if name in context
    }
    if "expected" in context or "expected_tags" in context:
        facts["allowed"] = str(context.get("expected", context.get("expected_tags"))).replace(" or ", ", ")
    if error["type"] == "union_tag_not_found":
        facts["tag_key"] = str(context["discriminator"]).strip("'")
    given = context.get("tag") if error["type"] == "union_tag_invalid" else error.get("input")
    code, template = known
    return Problem(key, Message(code, template, given=shown(given), **facts))


def _key(place: Sequence[int | str]) -> str:
    key = ""
    for part in place:
        if isinstance(part, int):
            key += f"[{part + 1}]"
        elif not _TYPE_NAMES.match(part):
            key += f".{part}" if key else part
    return key if len(key) <= LONGEST_KEY else key[: LONGEST_KEY - 1] + "…"


_short = reprlib.Repr()
_short.maxlevel, _short.maxdict, _short.maxlist, _short.maxtuple = 2, 4, 6, 6
_short.maxstring = _short.maxother = _short.maxlong = SHOWN_LETTERS
