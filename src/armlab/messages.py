"""What armlab says to people: a template in English with parameters, and a stable code for programs.

A message is rendered where it meets its reader: the server knows the page's language, the command line the user's.
`str(message)` is English; `message.localized()` is in the language of the reader, which the border puts into `reader`.
Templates are marked with `_` (or `n_` where a number decides between singular and plural),
so that Babel finds them; `src/armlab/locale/` holds a catalog per language.

    Message("joint_outside", _("joint '{joint}': {value} is outside {lower} … {upper}"), joint="A3", value=angle, …)

A parameter with a unit is a `Quantity`: in SI for programs, with the unit that people read where it is shown. A
parameter may be a message itself, or a sequence: its items are joined by commas. Numbers get the decimal sign of the
language. A message may stand behind the place that it is about (`within`); code and parameters stay the same.
"""

from __future__ import annotations

import gettext
import locale
import os
import string
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any

from armlab.units import SHOWN, Quantity

LANGUAGES = ("en", "ru", "uk")
ENGLISH = "en"
DOMAIN = "armlab"
FOLDER = Path(__file__).parent / "locale"

reader: ContextVar[str] = ContextVar("reader", default=ENGLISH)
"""The language of whoever reads what is being rendered: set per request, per page and per command, at the border."""

LONGEST_PARAMETER = 200
"""Letters of one parameter that a text shows: what a user sent is quoted, not repeated."""


def _(template: str) -> str:
    """Mark a template for translation."""
    return template


class Plural(str):
    """A template for one thing, with another for several; the parameter `count` decides."""

    __slots__ = ("several",)
    several: str

    def __new__(cls, one: str, several: str) -> Plural:
        """Make the pair."""
        pair = super().__new__(cls, one)
        pair.several = several
        return pair

    def __reduce__(self) -> tuple[Any, ...]:
        return Plural, (str(self), self.several)


def n_(one: str, several: str) -> Plural:
    """Mark a pair of templates for translation; the parameter `count` chooses between them."""
    return Plural(one, several)


class Message:
    """A text that is not rendered yet: code, template, parameters."""

    __slots__ = ("code", "parameters", "places", "template")

    def __init__(self, code: str, template: str, /, **parameters: Any) -> None:
        self.code = code
        self.template = template
        self.parameters: Mapping[str, Any] = parameters
        self.places: tuple[str | Message, ...] = ()

    def __str__(self) -> str:
        return self.render(ENGLISH)

    def __repr__(self) -> str:
        return f"Message({self.code!r}, {str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return (self.code, str(self)) == (other.code, str(other))

    def __hash__(self) -> int:
        return hash((self.code, str(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.code, self.template, dict(self.parameters), self.places)

    def render(self, language: str = ENGLISH) -> str:
        """Return the text in `language`; in English where it has no translation."""
        shown = _formatter(language).format_field
        places = [shown(place, "") for place in self.places]
        return ": ".join([*places, translated(self.template, language, self.parameters)])

    def localized(self) -> str:
        """Return the text in the reader's language."""
        return self.render(reader.get())

    def within(self, where: str | Message) -> Message:
        """Return the same message behind the place that it is about: `arm.toml: joints.2: …`."""
        return _rebuilt(self.code, self.template, dict(self.parameters), (where, *self.places))

    def and_facts(self, **parameters: Any) -> Message:
        """Return the same message with more parameters: facts for programs that its text does not show.

        Those that it has already stay as they are.
        """
        return _rebuilt(self.code, self.template, {**parameters, **self.parameters}, self.places)

    @property
    def bare(self) -> Message:
        """The same message without the place that it is about."""
        return _rebuilt(self.code, self.template, dict(self.parameters), ())

    def facts(self, language: str | None = None) -> dict[str, Any]:
        """Return the parameters as JSON can hold them; of a placed message also the place, and the text without it."""
        facts: dict[str, Any] = plain(self.parameters, language)
        if self.places:
            bare = self.bare.render(reader.get() if language is None else language)
            facts |= {"where": ": ".join(plain(place, language) for place in self.places), "problem": bare}
        return facts

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        """Let reports and events have fields that are messages; they are written in the reader's language."""
        from pydantic_core import core_schema

        written = core_schema.plain_serializer_function_ser_schema(
            cls.localized, return_schema=core_schema.str_schema()
        )
        return core_schema.is_instance_schema(cls, serialization=written)

    @classmethod
    def __get_pydantic_json_schema__(cls, _schema: Any, _handler: Any) -> dict[str, str]:
        return {"type": "string"}


def _rebuilt(code: str, template: str, parameters: dict[str, Any], places: tuple[str | Message, ...]) -> Message:
    message = Message(code, template, **parameters)
    message.places = places
    return message


def term(template: str, /, **parameters: Any) -> Message:
    """Return a word or phrase that stands as a parameter in other messages: `term(_("revolute"))`."""
    return Message("", template, **parameters)


def translated(template: str, language: str, parameters: Mapping[str, Any]) -> str:
    """Return `template` in `language` with its parameters filled in."""
    catalog = _catalog(language)
    if isinstance(template, Plural):
        text = catalog.ngettext(str(template), template.several, int(parameters["count"]))
    else:
        text = catalog.gettext(template) if template else template
    return _formatter(language).vformat(text, (), parameters)


def tr(template: str, /, **parameters: Any) -> str:
    """Return a text of the border itself (a table's head, a prompt) in the reader's language; Babel finds it, too."""
    return translated(template, reader.get(), parameters)


def plain(value: Any, language: str | None = None) -> Any:
    """Return a parameter as JSON can hold it: sequences as lists, quantities in SI, other objects as text.

    A message is an object with its code, its text in the reader's language and its own parameters; a term is its text.
    """
    match value:
        case Message():
            text = value.render(reader.get() if language is None else language)
            return {"code": value.code, "message": text, "parameters": value.facts(language)} if value.code else text
        case Quantity():
            return float(value)
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            return {str(key): plain(item, language) for key, item in value.items()}
        case _ if isinstance(value, Sequence) or hasattr(value, "tolist"):
            items = value.tolist() if hasattr(value, "tolist") else list(value)
            return [plain(item, language) for item in items] if isinstance(items, list) else items
        case _:
            return str(value)


def language_of(tag: str | None) -> str:
    """Return the language for a tag or locale such as `uk-UA`, `ru_RU.UTF-8` or `C`; English if there is none."""
    short = (tag or "").replace("_", "-").partition("-")[0].partition(".")[0].lower()
    return short if short in LANGUAGES else ENGLISH


def users_language() -> str:
    """Return the language of this process's user: ARMLAB_LANG, or else the locale."""
    for name in ("ARMLAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return language_of(value)
    return language_of(locale.getlocale()[0])


_UNITS = {
    "angle": _("{value}°"),
    "angular velocity": _("{value} °/s"),
    "angular acceleration": _("{value} °/s²"),
    "angular jerk": _("{value} °/s³"),
    "length": _("{value} mm"),
    "velocity": _("{value} mm/s"),
    "acceleration": _("{value} mm/s²"),
    "jerk": _("{value} mm/s³"),
    "time": _("{value} s"),
    "mass": _("{value} kg"),
    "force": _("{value} N"),
    "torque": _("{value} N·m"),
}
"""Each kind of quantity with its unit, as people read it."""


class _Formatter(string.Formatter):
    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> Any:
        if isinstance(value, Message):
            return value.render(self._language)
        if isinstance(value, Quantity):
            number = self.format_field(float(value) * SHOWN[value.kind], format_spec or value.digits)
            return translated(_UNITS[value.kind], self._language, {"value": number})
        if isinstance(value, float):  # also NumPy's
            text = format(value, format_spec) if format_spec else f"{value:g}"
            text = "0" + text[2:] if text.startswith("-0") and not text.strip("-0.") else text
            return text if self._language == ENGLISH else text.replace(".", ",")
        if isinstance(value, (list, tuple)):
            return ", ".join(self.format_field(item, format_spec) for item in value)
        text = format(value, format_spec)
        return text if len(text) <= LONGEST_PARAMETER else text[: LONGEST_PARAMETER - 1] + "…"


@lru_cache(maxsize=len(LANGUAGES))
def _formatter(language: str) -> _Formatter:
    return _Formatter(language)


@lru_cache(maxsize=len(LANGUAGES))
def _catalog(language: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, FOLDER, [language], fallback=True)
