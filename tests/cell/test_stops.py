"""A stop outlasts what is held: a press, a drag or a stream from before it moves nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cell.driven import Driven

from armlab.cell.outbox import Outbox
from armlab.cell.watchdog import SILENCE_S, Watchdog
from armlab.errors import InvalidInput

PRESSES: dict[str, dict[str, Any]] = {
    "jog_joints": {"shares": [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]},
    "jog_tool": {"shares": [0.0, 0.0, 0.5, 0.0, 0.0, 0.0], "frame": "base"},
    "move_joints": {"revision": 1, "targets": {0: 60.0}},
    "move_tool": {"pose": [400.0, 100.0, 600.0, 0.0, 90.0, 0.0]},
}


def press(driven: Driven, kind: str, stops: int) -> None:
    driven.sequence += 1
    numbered = {} if kind == "move_joints" else {"sequence": driven.sequence}
    driven.ask(kind, **PRESSES[kind], **numbered, stops=stops)


@pytest.mark.parametrize("kind", PRESSES)
def test_what_was_begun_before_a_stop_moves_nothing_and_what_is_begun_after_it_does(kind: str) -> None:
    driven = Driven()
    press(driven, kind, 0)
    driven.wait(0.1)
    driven.ask("stop")
    driven.wait(1.0)
    at_rest = driven.session.q.copy()
    for _beat in range(20):
        with pytest.raises(InvalidInput) as caught:
            press(driven, kind, 0)
        assert (caught.value.code, caught.value.parameters["stops"]) == ("stopped_since", 1)
        driven.wait(0.05)
    np.testing.assert_allclose(driven.session.q, at_rest, atol=1e-3)
    press(driven, kind, 1)
    driven.wait(0.3)
    assert np.abs(driven.session.q - at_rest).max() > 1e-2


def test_a_press_that_ends_leaves_the_presses_of_others_alive() -> None:
    driven = Driven()
    driven.jog(0.5, 0.0, 0.0, 0.0, 0.0, 0.0)
    driven.ask("stop", release=True)
    driven.wait(1.0)
    at_rest = driven.session.q.copy()
    driven.jog(0.5, 0.0, 0.0, 0.0, 0.0, 0.0)
    driven.wait(0.15)
    assert np.abs(driven.session.q - at_rest).max() > 1e-3


def test_a_page_that_watches_is_lost_once_and_one_that_has_switched_it_off_never() -> None:
    watchdog, page, other = Watchdog(), Outbox(lambda: None), Outbox(lambda: None)
    watchdog.hear(page, 0.0, on=True)
    watchdog.hear(other, 0.0, on=True)
    watchdog.hear(other, 0.5, on=False)
    assert not watchdog.lost(0.9 * SILENCE_S)
    assert watchdog.lost(1.1 * SILENCE_S)
    assert not watchdog.lost(9.0 * SILENCE_S)
    watchdog.hear(page, 10.0, on=True)
    assert watchdog.forget(page)
    assert not watchdog.forget(page)
