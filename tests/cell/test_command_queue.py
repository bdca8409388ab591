"""Commands that wait: in order, but for stops and drags."""

from __future__ import annotations

from typing import Any

from armlab.cell.command_queue import Asked, CommandQueue
from armlab.cell.commands import COMMAND
from armlab.cell.outbox import Outbox

EDIT = {"type": "undo"}
MOVE: dict[str, Any] = {"type": "move_joints", "revision": 1, "targets": {0: 1.0}}
STOP = {"type": "stop"}
RECORD = {"type": "record", "on": True}


def asked(values: dict[str, Any], sender: Outbox | None = None) -> Asked:
    return Asked(COMMAND.validate_python(values), sender)


def drag(sequence: int) -> dict[str, Any]:
    return {"type": "move_tool", "pose": [0.0] * 6, "sequence": sequence}


def all_of(queue: CommandQueue) -> list[str]:
    taken: list[str] = []
    while (next_one := queue.take(only_stop=False)) is not None:
        taken.append(next_one.command.type)
    return taken


def test_commands_are_done_in_their_order() -> None:
    queue = CommandQueue()
    for values in (EDIT, MOVE, RECORD, MOVE):
        queue.put(asked(values))
    assert len(queue) == 4
    assert all_of(queue) == ["undo", "move_joints", "record", "move_joints"]


def test_a_stop_goes_first_and_motions_that_wait_are_void_but_later_ones_are_not() -> None:
    queue = CommandQueue()
    for values in (EDIT, MOVE, {"type": "play", "what": "plan"}, RECORD, STOP, MOVE):
        queue.put(asked(values))
    assert all_of(queue) == ["stop", "undo", "record", "move_joints"]


def test_what_is_about_the_player_that_a_stop_ends_is_void() -> None:
    queue = CommandQueue()
    switch, run_to = {"type": "switch_input", "name": "1", "value": True}, {"type": "run_to_line", "line": 3}
    for values in (switch, EDIT, run_to, STOP):
        queue.put(asked(values))
    assert all_of(queue) == ["stop", "undo"]
    assert asked(switch).is_motion, "a stop does not wait for the planning"


def test_only_a_stop_is_taken_while_something_is_computed() -> None:
    queue = CommandQueue()
    queue.put(asked(EDIT))
    assert not queue.has(only_stop=True)
    assert queue.take(only_stop=True) is None
    queue.put(asked(STOP))
    assert queue.has(only_stop=True)
    taken = queue.take(only_stop=True)
    assert taken is not None
    assert taken.command.type == "stop"
    assert queue.take(only_stop=True) is None
    assert all_of(queue) == ["undo"]


def test_of_drags_the_newest_waits_but_none_of_another_page_is_lost() -> None:
    queue, one, other = CommandQueue(), Outbox(lambda: None), Outbox(lambda: None)
    for sequence in range(5):
        queue.put(asked(drag(sequence), one))
    queue.put(asked(drag(9), other))
    queue.put(asked(RECORD, one))
    queue.put(asked(drag(10), one))
    assert len(queue) == 4
    first = queue.take(only_stop=False)
    assert first is not None
    assert first == asked(drag(4), one)
    assert all_of(queue) == ["move_tool", "record", "move_tool"]
