"""The reference of the command line, written from the commands themselves when the site is made.

python tools/commands_page.py    print it
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from armlab.cli.language import translated_commands
from armlab.cli.main import COMMANDS, command_line

HEAD = """# The command line

Lengths are in millimetres, angles in degrees. Every command has `--help`; `--lang en|ru|uk` may stand anywhere. Wrong
input ends with one sentence on standard error and status 2; with `--json` it is an object with `code`, `message` and
`parameters`. `armlab --install-completion` lets the shell complete commands, options and the names of arms and tools.
"""


def commands_page() -> str:
    """Return the reference as Markdown: for each command its usage, what it does, its arguments and options."""
    root = translated_commands(command_line(COMMANDS))
    return "\n".join([HEAD, *(line for name in COMMANDS for line in _command(f"armlab {name}", root.commands[name]))])


def _command(name: str, command: Any) -> Iterator[str]:
    parameters = [each for each in command.params if not each.hidden]
    yield f"## {name}\n"
    yield f"{_prose(command.help)}\n"
    yield f"```text\n{' '.join([name, *_usage(parameters)])}\n```\n"
    if parameters:
        yield "| | what it is | left out |\n|---|---|---|"
        for each in parameters:
            yield f"| {_spelling(each)} | {_prose(each.help, in_table=True)} | {_default(each)} |"
        yield ""
    for inner, nested in getattr(command, "commands", {}).items():
        yield from _command(f"{name} {inner}", nested)


def _usage(parameters: list[Any]) -> Iterator[str]:
    options = [each for each in parameters if each.param_type_name == "option"]
    if options:
        yield "[OPTIONS]"
    for each in parameters:
        if each.param_type_name == "argument":
            name = (each.metavar or each.name.upper()).strip("[].…") + ("…" if each.nargs == -1 else "")
            yield name if each.required else f"[{name}]"


def _spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{(parameter.metavar or parameter.name.upper()).strip('[]')}`"
    value = "" if parameter.is_flag else f" {_value(parameter)}"
    names = ", ".join(f"`{name}{value}`" for name in parameter.opts)
    return names + "".join(f" / `{name}`" for name in parameter.secondary_opts)


def _value(option: Any) -> str:
    kind = option.type_descriptor.annotation
    if option.metavar or not (isinstance(kind, type) and issubclass(kind, StrEnum)):
        return str(option.metavar or option.name.upper()).replace("|", "\\|")
    return "\\|".join(kind)


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    default = parameter.default
    if callable(default) or default in (None, "", (), False) or getattr(parameter, "is_flag", False):
        return ""
    return f"`{getattr(default, 'value', default)}`"


def _prose(text: str | None, *, in_table: bool = False) -> str:
    """Return a help text as Markdown: code stays code, everything else is text."""
    parts = re.split(r"(`[^`]*`)", text or "")
    shown = "".join(part if part.startswith("`") else html.escape(part, quote=False) for part in parts)
    return " ".join(shown.split()).replace("|", "\\|") if in_table else shown.strip()


if __name__ == "__main__":
    print(commands_page())
