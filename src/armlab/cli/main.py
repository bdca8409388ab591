"""`armlab`: the list of commands, and the one place where errors become a sentence and an exit status."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.exceptions import Abort, Exit, TyperException

from armlab import __version__
from armlab.cli.language import split_language, translated_commands, usage_message
from armlab.errors import ArmlabError, InvalidInput, UnknownName
from armlab.kernels.jit import interpret
from armlab.messages import Message, _, reader
from armlab.validation import shown

WRONG_INPUT = 2
OUTPUT_LOST = 1
INTERRUPTED = 130


class Command(NamedTuple):
    """Where a command is: its module, its function or group there; its help; settings of its own."""

    module: str
    member: str
    help: str
    settings: Mapping[str, Any] = {}


_NUMBERS = {"ignore_unknown_options": True}  # -90 is a joint value, not an option
COMMANDS: dict[str, Command] = {
    "robots": Command("robots", "app", _("List the arms, or show or check one.")),
    "fk": Command("fk", "fk", _("Forward kinematics: the pose of the tool for joint values (° and mm)."), _NUMBERS),
    "ik": Command(
        "ik",
        "ik",
        _("Inverse kinematics: joint values that put the tool at a pose; ends with status 1 where there are none."),
        _NUMBERS,
    ),
    "why": Command(
        "ik",
        "why",
        _("Say why a pose cannot be reached: what rules out each branch, and which pose is nearest."),
        _NUMBERS,
    ),
    "derive": Command(
        "derive",
        "derive",
        _(
            "Derive the formulas of an arm: DH table, matrices, tool pose, Jacobian, singularities, inverse problem, "
            "dynamics."
        ),
    ),
    "formula": Command(
        "check_formula",
        "formula",
        _("Check a formula: right, or wrong with a configuration where it fails (exit status 1)."),
        {**_NUMBERS, "help_option_names": ["--help"]},
    ),
    "workspace": Command(
        "workspace",
        "workspace",
        _("Draw where the tool can go (--reach), or how many solutions it has there (--branches)."),
    ),
    "plan": Command(
        "plan", "plan", _("Plan a motion that keeps every limit: joint values, speeds and accelerations over time.")
    ),
    "simulate": Command(
        "simulate",
        "simulate",
        _(
            "Run a scenario: plan every step, check it for contacts, and simulate it.\n\n"
            "Ends with status 3 if something touches what it should not, a limit is exceeded, or a step cannot be done."
        ),
    ),
    "compare": Command(
        "compare",
        "compare",
        _("Compare the structures hierarchy, joints and articulation along the same motion."),
    ),
    "check": Command(
        "check",
        "check",
        _(
            "Check a program: every mistake with its line and column; with --robot also reach, limits, contacts and "
            "times.\n\nEnds with status 1 if there is an error."
        ),
    ),
    "run": Command("run", "run", _("Run a program on a simulated arm; ends with status 1 if there is an error.")),
    "console": Command(
        "console",
        "console",
        _(
            "Talk to a simulated arm in KRL, G-code or Python, statement by statement, or step through a program.\n\n"
            "Reads standard input where that is a pipe, and ends with status 1 if there was an error."
        ),
    ),
    "translate": Command(
        "translate",
        "translate",
        _(
            "Write a program in another language: KRL, G-code, Python, a scenario, URScript or RAPID; say what was "
            "flattened.\n\nEnds with status 1 if there is an error."
        ),
    ),
    "canon": Command(
        "canon",
        "canon",
        _("Show the canonical motions of a G-code program, in its own units and as the machine goes."),
    ),
    "sense": Command(
        "sense",
        "sense",
        _("Put inertial sensors on links or bodies, run a scenario, and write down what they read."),
    ),
    "navigate": Command(
        "navigate",
        "navigate",
        _("Navigate by an inertial sensor: orientation and position from a recording, by one filter or all."),
    ),
    "allan": Command(
        "allan", "allan", _("Show the noise of a sensor at rest: the Allan deviation of a preset or a recording.")
    ),
    "calibrate": Command(
        "calibrate",
        "calibrate",
        _("Calibrate an arm: find from measured poses or positions how it differs from its drawing."),
    ),
    "iso9283": Command(
        "iso9283",
        "iso9283",
        _("Test an arm after ISO 9283: accuracy and repeatability of poses, distances and paths, corners, compliance."),
    ),
    "identify": Command(
        "identify",
        "identify",
        _("Identify an arm's dynamics, friction or payload from recorded torques; --excite writes a motion to record."),
    ),
    "diagnose": Command(
        "diagnose",
        "diagnose",
        _(
            "Say which fault a recording shows, since when, and what speaks for it; --inject simulates one.\n\n"
            "Ends with status 1 if a fault is found."
        ),
    ),
    "view": Command(
        "view",
        "view",
        _(
            "Show the arm: in a window with sliders, or as a file where there is no display or -o is given.\n\n"
            "A .gif or .mp4 moves from home to the given joint values and back; with none given, through all named "
            "configurations."
        ),
        _NUMBERS,
    ),
    "import": Command(
        "importing",
        "import_arm",
        _("Bring an arm from a file, a folder or a zip ({arm_files}); say what was guessed or repaired in it."),
    ),
    "export": Command("importing", "export", _("Write an arm in another format: {export_formats}.")),
    "connect": Command(
        "connect",
        "connect",
        _(
            "Watch a real arm: connect as a link file says; show what is measured, and what is only commanded."
            "\n\nEnds with status 1 if nothing was heard of it."
        ),
    ),
    "emulate": Command(
        "emulate", "emulate", _("Emulate a real arm at a port of this machine, for trials without hardware.")
    ),
    "bridge": Command(
        "bridge",
        "bridge",
        _("Publish a real arm to other programs: Prometheus, rosbridge, PlotJuggler; it is only read."),
    ),
    "firmware": Command(
        "firmware", "firmware", _("Write our own firmware for an arm's board, and a link file for it.")
    ),
    "reproduce": Command(
        "reproduce",
        "reproduce",
        _(
            "Run the trials of the papers S1 … S5 again: what each reports, what armlab gets, whether it holds.\n\n"
            "Ends with status 1 if a line does not hold."
        ),
    ),
    "lab": Command(
        "lab",
        "lab",
        _(
            "The course: a lab's sheet, a student's variant, a self-check, a notebook, a table of grades.\n\n"
            "Ends with status 1 if an answer is wrong, or a result file is not as it was signed."
        ),
    ),
    "serve": Command("serve", "serve", _("Start the workbench, and print its address when it is ready.")),
    "warmup": Command(
        "warmup", "warmup", _("Compile all kernels, on all cores, so that no later command has to wait.")
    ),
}
INTERPRETED = {"fk", "--help", "--version"}
"""Words of command lines that compute so little that importing Numba would take longer than all they do."""


def command_line(names: Iterable[str]) -> typer.Typer:
    """Return the command line with the commands `names`; only their modules are imported."""
    app = typer.Typer(
        help=_("armlab: a laboratory for robot arms. Lengths are in millimetres, angles in degrees."),
        context_settings={"help_option_names": ["-h", "--help"]},
        add_completion=True,
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(_default)
    for name in names:
        entry = COMMANDS[name]
        command = getattr(import_module(f"armlab.cli.{entry.module}"), entry.member)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, help=entry.help)
        else:
            app.command(name, help=entry.help, context_settings=dict(entry.settings))(command)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"armlab {__version__}")
        raise typer.Exit


def _default(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help=_("Print the version and stop.")),
    ] = False,
    language: Annotated[
        str,
        typer.Option(
            "--lang",
            metavar="en|ru|uk",
            help=_("The language, also after the command; left out: ARMLAB_LANG, or else the locale."),
            show_default=False,
        ),
    ] = "",
) -> None:
    """Without a command: start the workbench in the browser, as `armlab serve` does."""
    del version, language
    if context.invoked_subcommand is None:
        from armlab.cli.serve import serve

        serve()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; wrong input ends with one sentence on standard error and status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a degree sign gets a question mark
    given = sys.argv[1:] if arguments is None else arguments
    if not INTERPRETED.isdisjoint(given):
        interpret()
    sys.exit(run(given))


def run(arguments: Sequence[str]) -> int:
    """Run one command line in its language, and return its exit status."""
    before = reader.get()
    try:
        language, rest = split_language(arguments)
        reader.set(language)
        return _run(rest)
    except ArmlabError as error:
        return _refuse(error.message, WRONG_INPUT, as_json="--json" in arguments)
    except (Abort, KeyboardInterrupt):
        return _refuse(Message("interrupted", _("interrupted")), INTERRUPTED, as_json=False)
    finally:
        reader.set(before)


def _run(arguments: list[str]) -> int:
    known = bool(arguments) and arguments[0] in COMMANDS
    if arguments and not known and not arguments[0].startswith("-"):
        raise UnknownName("command", arguments[0], COMMANDS)
    try:
        command = translated_commands(command_line([arguments[0]] if known else COMMANDS))
        status = command(args=arguments, prog_name="armlab", standalone_mode=False)
        print(end="", flush=True)
    except TyperException as error:
        return _refuse(usage_message(error), WRONG_INPUT, as_json="--json" in arguments)
    except Exit as end:
        return end.exit_code
    except BrokenPipeError:  # `armlab robots | head` is no error
        _silence()
        return OUTPUT_LOST
    except OSError as error:
        if error.filename is not None:  # a file that somebody has named, and nobody below has looked at
            unreadable = InvalidInput("file_unreadable", _("cannot be read ({reason})"), reason=error.strerror)
            raise unreadable.within(shown(error.filename)) from None
        _silence()
        problem = Message("output_lost", _("the output cannot be written ({reason})"), reason=error.strerror)
        return _refuse(problem, OUTPUT_LOST, as_json=False)
    if status == INTERRUPTED:  # how Typer tells of Ctrl-C
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0


def _refuse(message: Message, status: int, *, as_json: bool) -> int:
    """Say what is wrong: a sentence on standard error, or with --json an object on standard output."""
    from armlab.cli.text import in_one_line, print_json_text, say

    text = in_one_line(" ".join(message.localized().split()))
    if as_json:
        facts = {"code": message.code, "message": text, "parameters": message.facts()}
        print_json_text(json.dumps({"error": facts}, indent=2, ensure_ascii=False))
    else:
        say(f"armlab: {text}", err=True)
    return status


def _silence() -> None:
    """Send what is still in the buffer nowhere, so that Python does not complain of it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
