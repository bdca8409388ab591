"""Python programs made of pieces in any order: whatever they are, they end, and say what is wrong with them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from program.console.sessions import arm

from armlab.program.instructions import Report, WhereIs
from armlab.program.python import interpreter
from armlab.program.python.instructions import instructions_of

ROUNDS = 1500
MOST_INSTRUCTIONS = 200
_PIECES = """
i = 1|x = 2.5|s = "ab"|a = [1, 2, 3]|a[0] = i|a[i] = s|a.append(x)|a.append(a)|a = a + a|s = s + s|i = 2 ** i
x = -i ** 0.5|i = i // 0|i = 9 ** 9 ** 9|i = 10 ** 400|x = 1e308 * 10|a = list(range(i))|a = list(range(10 ** 9))
print(a, s)|print(f"{i}")|move_joints([0, -1.5, 1.5, 0, 1.2, 0])|move_joints(a, speed=x)
move_line([.3, .2, .4])|move_by([0, 0, x])
p = where()|move_line(p)|move_spline([p, p, a])|wait(x)|wait(-1)|set_output("1", True)|set_output(s, x)
b = read_input("1")|p[2] = x
def f(n):|    return f(n + 1)|    return n|x = f(i)|for k in range(3):|for k in a:|while True:|while i < 5:|if i:|else:
    i = i + 1|    break|    continue|    pass|import os|lambda: 0|[k for k in a]|{1: 2}|x = sqrt(-x)|i = int(s)
i = len(a)|a[-1]|a[x]|a, b = b, a|i += 1|a += a|s *= 3|not x|x = 1 if i else s|a == a|a < s|None|x = 1_0|ъ = 1|\t|(|"
"""
PIECES = [piece for line in _PIECES.strip("\n").splitlines() for piece in line.split("|")]


def _grown(rng: random.Random) -> str:
    lines, indent = ["i = 1\nx = 0.5\na = [1, 2, 3]\np = where()"] if rng.random() < 0.5 else [], ""
    for _line in range(rng.randint(1, 12)):
        piece = rng.choice(PIECES)
        lines.append(indent + piece)
        if piece.endswith(":"):
            indent += "    "
        elif rng.random() < 0.3:
            indent = indent[4:]
    return "\n".join(lines)


def ended(rng: random.Random) -> int:
    """Run a script to its end, or so far; every finding has a text and a place. Return its moves."""
    text, robot = _grown(rng), arm()
    program = instructions_of(text, robot)
    answer, moved = None, 0
    for _instruction in range(MOST_INSTRUCTIONS):
        try:
            instruction = program.send(answer)
        except StopIteration:
            break
        answer = np.array(robot.home) if isinstance(instruction, WhereIs) else None
        if isinstance(instruction, Report):
            assert str(instruction.finding.message)
            assert 1 <= int(instruction.finding.where["line"]) <= text.count("\n") + 1
        moved += type(instruction).__name__.startswith("Move")
    return moved


def test_any_sequence_of_statements_ends_with_instructions_or_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MOST_STEPS", 3000)
    monkeypatch.setattr(interpreter, "MOST_QUIET", 300)
    rng = random.Random(310)
    assert sum(ended(rng) for _round in range(ROUNDS)) > ROUNDS // 100
