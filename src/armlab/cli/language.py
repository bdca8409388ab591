"""The language of one run: which it is, and how the command line's own texts get it.

Help texts are marked with `_` where they are written, and translated here, after the commands have been built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer.main
from typer.exceptions import TyperException

from armlab.errors import UnknownName
from armlab.messages import ENGLISH, LANGUAGES, Message, _, reader, tr, users_language

OPTION = "--lang"
COMPLETION_HELP = (
    _("Install completion for the current shell."),
    _("Show completion for the current shell, to copy it or customize the installation."),
)
"""Help texts of Typer's own options: marked here, so that they are translated."""


def split_language(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the language of this run, and the arguments without `--lang`, which may stand anywhere before `--`.

    Raises:
        InvalidInput: if `--lang` names a language that armlab does not have.
    """
    chosen, rest, given = "", [], iter(arguments)
    for argument in given:
        if argument == "--":
            rest += [argument, *given]
        elif argument == OPTION:
            chosen = next(given, "?")
        elif argument.startswith(f"{OPTION}="):
            chosen = argument.partition("=")[2] or "?"
        else:
            rest.append(argument)
    if chosen and chosen not in LANGUAGES:
        raise UnknownName("language", chosen, LANGUAGES).within("--lang")
    return chosen or users_language(), rest


def translated_commands(app: typer.Typer) -> Any:
    """Return the commands of `app` with their help in the reader's language."""
    command = typer.main.get_command(app)
    _translate(command)
    if reader.get() != ENGLISH:
        _translate_frame()
    return command


def _translate(command: Any) -> None:
    command.help = _text(command.help)
    command.short_help = _text(command.short_help)
    for parameter in command.params:
        parameter.help = _text(getattr(parameter, "help", None))
    for inner in getattr(command, "commands", {}).values():
        _translate(inner)


def _text(template: str | None) -> str | None:
    """Return a help text in the reader's language, with the lists that it names filled in from the data."""
    if not template:
        return template
    return tr(template, **{name: ", ".join(items()) for name, items in LISTS.items() if f"{{{name}}}" in template})


def _tools() -> Sequence[str]:
    from armlab.catalog import tool_names

    return tool_names()


def _arm_files() -> Sequence[str]:
    from armlab.catalog.importing import ARM_SUFFIXES

    return ARM_SUFFIXES


def _export_formats() -> Sequence[str]:
    from armlab.cli.importing import ExportKind

    return [kind.value for kind in ExportKind]


LISTS = {"tools": _tools, "arm_files": _arm_files, "export_formats": _export_formats}
"""What help texts list, by the placeholder that stands for it."""


def _translate_frame() -> None:
    """Translate what Typer itself writes around the help texts."""
    from typer import rich_utils

    rich_utils.ARGUMENTS_PANEL_TITLE = tr("Arguments")
    rich_utils.OPTIONS_PANEL_TITLE = tr("Options")
    rich_utils.COMMANDS_PANEL_TITLE = tr("Commands")
    rich_utils.DEFAULT_STRING = "[" + tr("default") + ": {}]"
    rich_utils.REQUIRED_LONG_STRING = "[" + tr("required") + "]"


def usage_message(error: TyperException) -> Message:
    """Return what is wrong with the arguments as a message of ours; Typer's own texts are English."""
    parameter = getattr(error, "param", None)
    name = parameter.get_error_hint().strip("'") if parameter is not None else ""
    match type(error).__name__:
        case "NoSuchOption":
            option, near = getattr(error, "option_name", ""), sorted(getattr(error, "possibilities", None) or ())
            if near:
                return Message(
                    "unknown_option", _("no such option: {option}; did you mean {near}?"), option=option, near=near
                )
            return Message("unknown_option", _("no such option: {option}"), option=option, near=())
        case "MissingParameter":
            return Message("missing_argument", _("missing: {name}"), name=name)
        case "BadParameter" if name:
            problem = _one_line(error.message).removeprefix("Value error, ")
            given, is_choice, known = problem.partition(" is not one of ")
            if is_choice:
                return Message(
                    "bad_choice",
                    _("{name}: {given} is not one of {known}"),
                    name=name,
                    given=given,
                    known=known.rstrip("."),
                )
            return Message("bad_value", _("{name}: {problem}"), name=name, problem=problem)
        case _:
            return Message("usage", "{problem}", problem=_one_line(error.format_message()))


def _one_line(text: str) -> str:
    return " ".join(text.split())
