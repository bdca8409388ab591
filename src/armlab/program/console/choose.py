"""The languages of the console by name, and sessions in them."""

from __future__ import annotations

from armlab.arrays import Floats, as_floats
from armlab.errors import UnknownName
from armlab.model.robot import Robot
from armlab.program.console.console_language import ConsoleLanguage
from armlab.program.console.plant import ConsolePlant
from armlab.program.console.session import ConsoleSession, OpenProgram
from armlab.program.signals import Signals

CONSOLE_LANGUAGES = ("krl", "gcode", "python")


def language_named(name: str, robot: Robot, q: Floats) -> ConsoleLanguage:
    """Return a language for an arm that stands at `q` (n,).

    Raises:
        UnknownName: if no language is named so.
    """
    match name:
        case "krl":
            from armlab.program.console.krl_console import KrlConsole

            return KrlConsole(robot, q)
        case "gcode":
            from armlab.program.console.gcode_console import GcodeConsole

            return GcodeConsole(robot, q)
        case "python":
            from armlab.program.console.python_console import PythonConsole

            return PythonConsole(robot, q)
        case _:
            raise UnknownName("language", name, CONSOLE_LANGUAGES)


def console_session(
    robot: Robot,
    language: str = "krl",
    *,
    start: Floats | None = None,
    signals: Signals | None = None,
    open_program: OpenProgram | None = None,
    plant: ConsolePlant | None = None,
) -> ConsoleSession:
    """Return a session in one of `CONSOLE_LANGUAGES`.

    Raises:
        UnknownName: if the language is another one.
    """
    q = robot.home if start is None else as_floats(start, (robot.dof,), "start")
    spoken = language_named(language, robot, q)
    return ConsoleSession(robot, spoken, start=q, signals=signals, open_program=open_program, plant=plant)
