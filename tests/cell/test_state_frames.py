"""What a session tells: states as bytes, what touches what, recordings, and outboxes that never grow."""

from __future__ import annotations

import numpy as np
import pytest
from cell.driven import CUBE, READY, TABLE, Driven

from armlab.cell.events import Notice, Proximity
from armlab.cell.outbox import MAX_EVENTS, MAX_SAMPLES, Outbox
from armlab.cell.pack_state import state_into
from armlab.cell.sample_buffer import LONGEST, RECENT
from armlab.cell.wire import EXTRAS, HEADER, Flag
from armlab.dynamics import inverse_dynamics
from armlab.geometry import pose
from armlab.messages import Message


def test_a_state_has_the_layout_that_the_wire_promises() -> None:
    driven = Driven(bodies=[TABLE, CUBE | {"xyz": [500.0, 0.0, 50.1]}])
    driven.go(*READY)
    frame = driven.session.state_frame()
    kind, version, n, b, sequence, time, _, frames, revision = HEADER.unpack_from(frame)
    assert (kind, version, n, b, frames, revision) == (1, 4, 6, 2, 8, 1)
    assert time > 0.0
    floats = np.frombuffer(frame[HEADER.size :], "<f4")
    assert len(floats) == 8 * n + 7 * (n + 2) + 7 * b + len(EXTRAS)
    np.testing.assert_allclose(floats[:n], READY, atol=0.05)
    np.testing.assert_allclose(floats[4 * n : 5 * n], READY, atol=1e-4)
    tool = floats[8 * n + 7 * (n + 1) :][:7]
    np.testing.assert_allclose(tool[:3], driven.session.robot.fk(driven.session.q)[:3, 3], atol=1e-5)
    cube = floats[8 * n + 7 * (n + 2) + 7 :][:7]
    np.testing.assert_allclose(cube[:3], [0.5, 0.0, 0.05], atol=1e-3)
    assert HEADER.unpack_from(driven.session.state_frame())[4] == sequence + 1


def test_quaternions_of_states_are_those_of_the_library() -> None:
    rng = np.random.default_rng(7)
    angles = rng.uniform(-np.pi, np.pi, (500, 3))
    angles[:20] = rng.choice([0.0, np.pi, np.pi / 2, -np.pi / 2], (20, 3))
    T = pose.from_xyz_rpy(rng.uniform(-2.0, 2.0, (500, 3)), angles)
    out = np.empty(8 + 7 * 500 + 1, "<f4")
    state_into(np.zeros((8, 1)), np.ones(1), T[:-1].copy(), T[-1:].copy(), np.array([5.0]), out)
    sevens, theirs = out[8:-1].reshape(500, 7), pose.as_quaternion(T)
    sign = np.sign(np.einsum("ij,ij->i", sevens[:, 3:], theirs))[:, None]
    np.testing.assert_allclose(sevens[:, 3:] * sign, theirs, atol=3e-7)
    np.testing.assert_allclose(sevens[:, :3], T[:, :3, 3], atol=3e-7)
    assert out[-1] == 5.0


def test_what_is_commanded_is_told_beside_what_is() -> None:
    driven = Driven(structure="articulation")
    driven.go(*READY)
    driven.send(*[value + 20.0 for value in READY])
    driven.wait(0.3)
    robot, n = driven.session.robot, driven.session.robot.dof
    rows = np.frombuffer(driven.session.state_frame()[HEADER.size :], "<f4")[: 8 * n].reshape(2, 4, n)
    actual, wanted = rows.astype(np.float64)
    assert np.abs(wanted[1]).max() > 1.0
    np.testing.assert_allclose(actual[0], wanted[0], atol=0.5)
    np.testing.assert_allclose(actual[1], wanted[1], atol=0.15 * np.abs(wanted[1]).max())
    tau = inverse_dynamics(robot, *np.radians(wanted[:3]))
    np.testing.assert_allclose(wanted[3], tau, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(actual[3], wanted[3], atol=0.05 * np.abs(wanted[3]).max())


def test_energy_and_gap_are_told_in_the_structures_that_have_them() -> None:
    driven = Driven(structure="joints")
    driven.send(*READY)
    driven.wait(0.4)
    gap, kinetic, potential = np.frombuffer(driven.session.state_frame()[-4 * len(EXTRAS) :], "<f4")[:3]
    assert 0.0 < gap < 1.0
    assert kinetic > 0.0
    assert potential != 0.0


def test_an_arm_that_comes_near_a_body_says_how_near_and_then_that_it_touches() -> None:
    driven = Driven("planar3", structure="hierarchy")
    robot = driven.session.robot
    x, y, z = robot.fk(np.radians([70.0, 0.0, 0.0]))[:3, 3] * 1000.0
    box = {"name": "post", "kind": "box", "size": [40.0, 40.0, 300.0], "xyz": [x, y, z]}
    driven.go(30.0, 0.0, 0.0)
    driven.edit(bodies=[box])
    driven.told.clear()
    driven.go(70.0, 0.0, 0.0)
    seen = driven.of(Proximity)
    near = [t.distance for event in seen for t in event.nearest if (t.first, t.second) == ("link_3", "post")]
    assert len(near) > 1
    assert near == sorted(near, reverse=True)
    assert {"post"} & {name for t in seen[-1].contacts for name in (t.first, t.second)}
    assert "touching" in driven.notices()
    assert driven.flags & Flag.TOUCHING


def test_an_arm_at_rest_tells_its_distances_once() -> None:
    driven = Driven()
    driven.wait(1.0)
    driven.told.clear()
    driven.wait(1.0)
    assert driven.of(Proximity) == []
    assert any(isinstance(event, Proximity) for event in driven.session.introduction())


def test_the_last_minute_is_always_kept_and_no_more() -> None:
    driven = Driven("planar2", structure="hierarchy")
    driven.wait(75.0)
    rows = driven.session.samples.rows()
    assert RECENT <= len(rows.t) <= RECENT * 1.1 + 1
    np.testing.assert_allclose(np.diff(rows.t), 1.0 / 60.0, atol=3e-3)
    assert rows.q.shape == rows.command.shape == (len(rows.t), 2)


def test_a_recording_begins_and_ends_when_asked_to() -> None:
    driven = Driven("planar2")
    driven.wait(0.5)
    driven.ask("record", on=True)
    assert driven.flags & Flag.RECORDING
    assert driven.session.is_busy
    driven.wait(1.0)
    driven.ask("record", on=False)
    driven.wait(1.0)
    rows = driven.session.samples.rows()
    assert len(rows.t) == pytest.approx(60, abs=1)
    assert not driven.session.is_busy
    assert LONGEST > RECENT


def test_another_arm_starts_with_an_empty_sample_buffer() -> None:
    driven = Driven("planar2")
    driven.wait(0.3)
    driven.edit(arm={"name": "planar3"})
    driven.wait(0.1)
    assert driven.session.samples.rows().q.shape[1] == 3


def test_of_the_states_only_the_newest_waits() -> None:
    outbox = Outbox(lambda: None)
    for i in range(1000):
        outbox.put_state(bytes([i % 256]) * 10)
    assert outbox.take() == ([], bytes([999 % 256]) * 10)
    assert outbox.take() == ([], None)


def test_what_sensors_read_waits_in_its_order_and_the_oldest_goes_first() -> None:
    calls: list[int] = []
    outbox = Outbox(lambda: calls.append(1))
    outbox.put_samples([])
    assert calls == []
    outbox.put_samples([bytes([i]) for i in range(MAX_SAMPLES + 2)])
    assert calls == [1]
    assert outbox.take_samples() == [bytes([i]) for i in range(2, MAX_SAMPLES + 2)]
    assert outbox.take_samples() == []


def test_events_wait_in_their_order_but_not_without_end() -> None:
    outbox = Outbox(lambda: None)
    events = [Notice(message=Message(str(i), "{i}", i=i)) for i in range(MAX_EVENTS + 10)]
    for event in events:
        outbox.put_event(event)
    assert outbox.is_overfull
    assert outbox.take()[0] == events[:MAX_EVENTS]


def test_a_page_is_called_once_for_all_that_waits() -> None:
    calls: list[int] = []
    outbox = Outbox(lambda: calls.append(1))
    outbox.put_state(b"a")
    outbox.put_event(Notice(message=Message("x", "x")))
    outbox.take()
    outbox.put_state(b"b")
    assert len(calls) == 2
