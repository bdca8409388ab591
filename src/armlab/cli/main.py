"""`armlab`: the list of commands, and the one place where errors become a sentence and an exit status."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.exceptions import Abort, Exit, TyperException

from armlab import __version__
from armlab.errors import ArmlabError

WRONG_INPUT = 2
OUTPUT_LOST = 1
INTERRUPTED = 130

_NUMBERS = {"ignore_unknown_options": True}  # -90 is a joint value, not an option
COMMANDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "robots": ("robots", "app", {}),
    "fk": ("fk", "fk", _NUMBERS),
    "ik": ("ik", "ik", _NUMBERS),
    "why": ("ik", "why", _NUMBERS),
    "derive": ("derive", "derive", {}),
    "formula": ("check_formula", "formula", {**_NUMBERS, "help_option_names": ["--help"]}),
    "workspace": ("workspace", "workspace", {}),
    "plan": ("plan", "plan", {}),
    "simulate": ("simulate", "simulate", {}),
    "compare": ("compare", "compare", {}),
    "view": ("view", "view", _NUMBERS),
    "serve": ("serve", "serve", {}),
    "warmup": ("warmup", "warmup", {}),
}
"""Each command: its module, its function or group there, and settings of its own."""


def command_line(names: Iterable[str]) -> typer.Typer:
    """Return the command line with the commands `names`; only their modules are imported."""
    app = typer.Typer(
        help="armlab: a laboratory for robot arms. Lengths are millimetres, angles degrees.",
        context_settings={"help_option_names": ["-h", "--help"]},
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(_default)
    for name in names:
        module, member, settings = COMMANDS[name]
        command = getattr(import_module(f"armlab.cli.{module}"), member)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, context_settings=settings)(command)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"armlab {__version__}")
        raise typer.Exit


def _default(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """Without a command: start the workbench in the browser, as `armlab serve` does."""
    del version
    if context.invoked_subcommand is None:
        from armlab.cli.serve import serve

        serve()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; wrong input ends with one sentence on standard error and status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a degree sign gets a question mark
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status."""
    known = arguments and arguments[0] in COMMANDS
    try:
        app = command_line([arguments[0]] if known else COMMANDS)
        status = app(args=list(arguments), prog_name="armlab", standalone_mode=False)
        print(end="", flush=True)
    except (ArmlabError, TyperException) as error:
        text = error.format_message() if isinstance(error, TyperException) else str(error)
        return _refuse(" ".join(text.split()), WRONG_INPUT)
    except Exit as end:
        return end.exit_code
    except (Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:  # `armlab robots | head` is no error
        _silence()
        return OUTPUT_LOST
    except OSError as error:
        _silence()
        return _refuse(f"the output cannot be written ({error.strerror})", OUTPUT_LOST)
    return status if isinstance(status, int) else 0


def _refuse(sentence: str, status: int) -> int:
    print(f"armlab: {sentence}", file=sys.stderr)
    return status


def _silence() -> None:
    """Send what is still in the buffer nowhere, so that Python does not complain of it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
