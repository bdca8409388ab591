"""The clock of a device is found from the least late packets, and what happens to it is an event."""

from __future__ import annotations

import numpy as np
import pytest

from armlab.link.clock import WRAP, DeviceClock


def packets(seed: int, rate: float, seconds: float = 60.0, start: float = 0.0) -> tuple[np.ndarray, ...]:
    """True times, times of a device whose clock runs `rate` times as fast, and when each packet arrives."""
    rng = np.random.default_rng(seed)
    true = np.arange(0.0, seconds, 0.02)
    late = np.where(rng.random(len(true)) < 0.2, rng.uniform(0.0, 0.15, len(true)), rng.exponential(0.002, len(true)))
    received = np.maximum.accumulate(true + 0.003 + late)
    return true, start + true * rate, 1000.0 + received


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ppm", [-1000.0, -80.0, 0.0, 1000.0])
def test_times_are_right_within_5_ms_beyond_the_least_delay(seed: int, ppm: float) -> None:
    clock, errors = DeviceClock(), []
    for true, device, received in zip(*packets(seed, 1.0 + ppm * 1e-6), strict=True):
        assert clock.take(device, received) is None
        ours = clock.ours(device)
        assert ours is not None
        errors.append(ours - (1000.0 + true + 0.003))
    settled = np.abs(errors[750:])
    assert np.percentile(settled, 99) < 0.005
    assert clock.rate == pytest.approx(1.0 / (1.0 + ppm * 1e-6), abs=2e-4)


def test_a_counter_that_begins_again_is_a_wrap_and_no_reset() -> None:
    clock, events = DeviceClock(), []
    for _true, device, received in zip(*packets(1, 1.0, start=WRAP - 20.0), strict=True):
        events.append(clock.take(device % WRAP, received))
    assert [event for event in events if event] == ["wrap"]
    assert clock.ours(40.0 - 0.02) == pytest.approx(1060.0 - 0.02, abs=0.01)


def test_a_board_that_starts_anew_is_a_reset() -> None:
    clock, events = DeviceClock(), []
    for true, device, received in zip(*packets(2, 1.0), strict=True):
        events.append(clock.take(device if true < 30.0 else device - 30.0, received))
    assert [event for event in events if event] == ["reset"]


@pytest.mark.parametrize("jump", [0.5, 100.0])
def test_a_clock_that_is_set_forward_is_a_jump(jump: float) -> None:
    clock, events = DeviceClock(), []
    for true, device, received in zip(*packets(3, 1.0), strict=True):
        events.append(clock.take(device if true < 30.0 else device + jump, received))
    assert [event for event in events if event] == ["jump"]
    assert clock.ours(60.0 + jump) == pytest.approx(1060.0, abs=0.01)
