"""Who may move an arm: one page at a time, each arm for itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cell.driven import KUKA, TICK, Driven, project
from cell.test_worker import Page, failed

from armlab.cell.commands import COMMAND, ForArm
from armlab.cell.events import Lease
from armlab.cell.leases import FREE_S, Leases
from armlab.cell.session import Session
from armlab.cell.worker import Worker
from armlab.errors import InvalidInput

RIGHT = {"name": "right", "arm": {"name": "planar3", "base": [0.0, 3000.0, 0.0, 0.0, 0.0, 0.0]}}
ROUNDS = 300


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker("two", Session(project("planar3", others=[RIGHT], structure="hierarchy")), "1.2.3")
    yield made
    made.end()


def jog(page: Page, arm: str, sequence: int, speed: float = 0.3) -> None:
    """Send one beat of a jog of the first joint."""
    page.ask("jog_joints", shares=[speed, 0.0, 0.0], sequence=sequence, arm=arm)


def holders(page: Page) -> dict[str, int | None]:
    """Return who holds which arm, as the page was told last."""
    return {event.arm: event.holder for event in page.events if isinstance(event, Lease)}


def test_two_pages_jog_two_arms_at_the_same_time(worker: Worker) -> None:
    one, other = Page(worker), Page(worker)
    arms = worker.session.arms
    before = {name: arm.mover.state.q[0] for name, arm in arms.items()}
    for i in range(ROUNDS):
        jog(one, "arm", i)
        jog(other, "right", i, -0.3)
        one.ticks(1)
        other.ticks(1)
        moved = {name: arm.mover.state.q[0] - before[name] for name, arm in arms.items()}
        if moved["arm"] > 0.05 and moved["right"] < -0.05:
            break
    else:
        pytest.fail("they do not both move")
    assert failed(one) == failed(other) == []
    assert holders(one) == holders(other) == {"arm": 1, "right": 2}


def test_a_second_page_is_told_who_moves_the_arm_and_may_stop_and_take_it_over(worker: Worker) -> None:
    one, other = Page(worker), Page(worker)
    jog(one, "arm", 0)
    one.until(lambda p: holders(p).get("arm") == 1)
    jog(other, "arm", 0)
    other.until(lambda p: bool(failed(p)))
    (refused,) = failed(other)
    assert (refused.command, refused.arm, refused.code) == ("jog_joints", "arm", "arm_held")
    assert refused.parameters == {"arm": "arm", "holder": 1}
    other.ask("stop", arm="arm")
    other.ask("pause", arm="arm")  # refused as nothing is played, not as the arm is another page's
    other.until(lambda p: len(failed(p)) == 2)
    assert failed(other)[-1].code == "nothing_played"
    other.ask("take_arm", arm="arm")
    one.until(lambda p: holders(p).get("arm") == 2)
    jog(one, "arm", 1)
    one.until(lambda p: bool(failed(p)))
    assert failed(one)[-1].parameters == {"arm": "arm", "holder": 2}


def test_the_arms_of_a_page_that_goes_are_free_at_once(worker: Worker) -> None:
    one, other = Page(worker), Page(worker)
    jog(one, "arm", 0)
    other.until(lambda p: holders(p).get("arm") == 1)
    worker.leave(one.outbox)
    other.until(lambda p: holders(p)["arm"] is None)


def command(kind: str, arm: str, **values: object) -> ForArm:
    """Return a command as it comes over the wire."""
    made = COMMAND.validate_python({"type": kind, "arm": arm, **values})
    assert isinstance(made, ForArm)
    return made


def test_an_arm_is_free_after_it_has_rested_for_two_seconds_and_not_while_it_plays() -> None:
    turning = {"kind": "joint", "points": [[0.0, -90.0, 90.0, 0.0, 30.0, 0.0], [40.0, -90.0, 90.0, 0.0, 30.0, 0.0]]}
    driven = Driven(KUKA, plan=turning)
    leases = Leases()
    play, mine, yours = command("play", "arm", what="plan"), object(), object()
    leases.check(play, "arm", mine, 1)
    driven.ask("play", what="plan")
    rest = 0.0
    for _ in range(3000):
        with pytest.raises(InvalidInput):
            leases.check(play, "arm", yours, 2)
        driven.wait(TICK)
        rest = rest + TICK if driven.session.arm().is_at_rest else 0.0
        if leases.rest(driven.session.arms, TICK) == ["arm"]:
            break
    assert rest == pytest.approx(FREE_S, abs=2 * TICK)
    leases.check(play, "arm", yours, 2)
    assert leases.holder("arm") == 2


def test_an_arm_that_is_gone_is_held_by_nobody() -> None:
    leases = Leases()
    leases.give("arm", object(), 1)
    assert leases.rest({}, TICK) == ["arm"]
    assert leases.holder("arm") is None
