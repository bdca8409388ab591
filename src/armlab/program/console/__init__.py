"""The console: statements of a language are executed one by one, and programs are stepped through. Nothing is printed.

session                  takes a line, returns what happened
result                   what happened: findings, pieces of motion, values, the new state
console_language         what a language has to offer
krl_console, gcode_console, python_console      the languages
choose                   a session in a language, by its name
happened                 what is collected while a line is carried out
plant, simulated         what follows the motions: a simulation of a scene
loaded                   a program that is stepped through
help_words               a line of help for each word
"""

from armlab.program.console.choose import console_session
from armlab.program.console.result import ConsoleResult, ConsoleValue
from armlab.program.console.session import ConsoleSession

__all__ = ["ConsoleResult", "ConsoleSession", "ConsoleValue", "console_session"]
