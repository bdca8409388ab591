"""Hooks: called after the steps that are due, without changing what the simulation does."""

from __future__ import annotations

import numpy as np
import pytest

import armlab
from armlab.errors import InvalidInput


def simulation() -> armlab.Simulation:
    return armlab.Simulation(armlab.Scene.of(armlab.load("planar2")), contacts="none")


def test_hooks_are_called_at_their_rates_whatever_the_chunks() -> None:
    made = simulation()
    times: dict[float, list[float]] = {100.0: [], 250.0: []}
    for rate, seen in times.items():
        made.every(rate, lambda s, seen=seen: seen.append(s.time))  # type: ignore[misc]
    for chunk in (1, 7, 32, 60):
        made.step(chunk)
    assert times[100.0] == pytest.approx([0.01 * i for i in range(1, 11)])
    assert times[250.0] == pytest.approx([0.004 * i for i in range(1, 26)])


def test_a_hook_that_only_looks_changes_nothing() -> None:
    seen, alone = simulation(), simulation()
    end = seen.every(500.0, lambda s: s.measure().state())
    q = np.linspace(0, 0.2, 50)[:, None] * np.ones(2)
    for made in (seen, alone):
        made.follow(q, np.zeros_like(q))
        made.step(100)
    assert np.array_equal(seen.snapshot().numbers, alone.snapshot().numbers)
    end()
    seen.step(10)


def test_a_removed_hook_is_not_called_again() -> None:
    made = simulation()
    calls: list[float] = []
    end = made.every(1000.0, lambda s: calls.append(s.time))
    made.step(3)
    end()
    made.step(3)
    assert len(calls) == 3


@pytest.mark.parametrize("rate", [0.0, -5.0, 2000.0, 300.0, float("nan")])
def test_a_rate_whose_period_is_not_a_whole_number_of_steps_is_refused(rate: float) -> None:
    with pytest.raises(InvalidInput) as refused:
        simulation().every(rate, lambda _s: None)
    assert refused.value.code in {"rate_not_positive", "rate_not_possible"}
