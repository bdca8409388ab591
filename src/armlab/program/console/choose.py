"""The languages of the console by name."""

from __future__ import annotations

from armlab.arrays import Floats
from armlab.errors import UnknownName
from armlab.model.robot import Robot
from armlab.program.console.console_language import ConsoleLanguage

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
