"""Going on with a program from a state that was saved: what was done is read again, and not done again."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.program.executor.state import ExecutorState, read_answer
from armlab.program.instructions import Answer, Ask, Instruction, Instructions, MoveJ, MoveL


def following(program: Iterator[Instruction], answer: Answer) -> Instruction | None:
    """Return the next instruction of a program, which gets the answer to its last; None at its end."""
    try:
        if answer is not None and isinstance(program, Generator):
            sent: Instruction = program.send(answer)
            return sent
        return next(program)
    except StopIteration:
        return None


def remaining(program: Iterator[Instruction], state: ExecutorState) -> tuple[int, Instructions]:
    """Return what is left of a program, from its beginning, behind a state; and the number of the first instruction.

    A program that asks gets the answers of the state. A question that was not answered yet is asked again; a line in
    whose middle the arm stands is gone to its end.

    Raises:
        InvalidInput: if the state is not one of this program, or the arm is in the middle of a curve.
    """
    answers, answer, last = list(state.answers), None, None
    for index in range(state.index + 1):
        last = following(program, answer)
        if last is None:
            raise _of_another(state)
        answer = None
        if isinstance(last, Ask):
            if not answers:
                return index, _from(program, None, last)
            answer = read_answer(answers.pop(0))
    if last is not None and last.span is not None and state.span is not None and last.span.file != state.span.file:
        raise _of_another(state)
    if not state.is_within or last is None:
        return state.index + 1, _from(program, answer, None)
    if not (isinstance(last, MoveL) and len(last.frames) == 1) and not (
        isinstance(last, MoveJ) and len(last.targets) == 1
    ):
        raise InvalidInput(
            "state_within_curve", _("saved state of a program: the arm is in the middle of a curve, and cannot go on")
        )
    return state.index, _from(program, None, last)


def _from(program: Iterator[Instruction], answer: Answer, first: Instruction | None) -> Instructions:
    if first is not None:
        answer = yield first
    while (instruction := following(program, answer)) is not None:
        answer = yield instruction


def _of_another(state: ExecutorState) -> InvalidInput:
    template = _("saved state of a program: instruction {number} is not one of this program")
    return InvalidInput("state_of_another_program", template, number=state.index + 1)
