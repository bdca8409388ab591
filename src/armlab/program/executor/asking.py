"""Answers to what a program asks of its signals: what an input is, and how long it takes until something holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, assert_never

from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.program.instructions import ReadInput, WaitUntil
from armlab.program.signals import Signals, Value

TICK = 0.012
"""s: how often a condition is looked at, as a robot controller does."""
WAIT_NEVER_ENDS = "wait_never_ends"
"""Code of the finding about a wait that nothing ends."""
LONGEST = 600.0
"""s: a wait without a timeout that is not over by then, and that no script ends, never ends."""


def waits_told_once(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings without those about a wait of a loop that were told at its first pass."""
    told: set[tuple[object, ...]] = set()
    kept = []
    for finding in findings:
        place = tuple(finding.where.get(key) for key in ("file", "line", "column"))
        if finding.code == WAIT_NEVER_ENDS and None not in place[:2]:
            if place in told:
                continue
            told.add(place)
        kept.append(finding)
    return kept


class SignalAnswer(NamedTuple):
    """How long (s) the program waits, the answer, and what is wrong where the wait never ends."""

    waited: float
    answer: Value | None
    finding: Finding | None = None


class Asking:
    """Looks at signals over time, without a clock: a script of inputs says what happens."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals

    def answer(self, asked: ReadInput | WaitUntil, time: float) -> SignalAnswer:
        """Return the answer to what was asked at a time (s)."""
        self._signals.advance(time)
        if isinstance(asked, ReadInput) and asked.mode == "now":
            return SignalAnswer(0.0, self._signals.read(asked.name))
        return self._wait(self.condition(asked), lambda: self.value(asked), asked.timeout, time)

    def value(self, asked: ReadInput | WaitUntil) -> Value:
        """Return the answer to what was asked, when it has come."""
        return self._signals.read(asked.name) if isinstance(asked, ReadInput) else True

    def condition(self, asked: ReadInput | WaitUntil) -> Callable[[], bool]:
        """Return what tells, each time it is called, whether that has come which is waited for from now on."""
        signals = self._signals
        if isinstance(asked, WaitUntil):
            return lambda: bool(asked.condition(signals))
        was = bool(signals.read(asked.name))

        def holds() -> bool:
            nonlocal was
            now, before = bool(self._signals.read(asked.name)), was
            was = now
            match asked.mode:
                case "rise":
                    return now and not before
                case "fall":
                    return before and not now
                case "low":
                    return not now
                case "now" | "high":
                    return now
                case _:
                    assert_never(asked.mode)

        return holds

    def _wait(
        self, holds: Callable[[], bool], answer: Callable[[], Value], timeout: float | None, start: float
    ) -> SignalAnswer:
        signals = self._signals
        if holds():
            return SignalAnswer(0.0, answer())
        last = start + LONGEST if timeout is None else start + timeout
        while timeout is not None or signals.time < last or signals.next_change() is not None:
            change = signals.next_change()
            time = signals.time + TICK if change is None or change > signals.time + TICK else change
            if timeout is not None and time >= last:
                signals.advance(last)
                return SignalAnswer(timeout, answer() if holds() else None)
            if timeout is None and time > last and change is not None:
                time = change
            signals.advance(time)
            if holds():
                return SignalAnswer(signals.time - start, answer())
        message = Message("wait_never_ends", _("wait: nothing ends it within {seconds:g} s"), seconds=LONGEST)
        return SignalAnswer(0.0, None, Finding("error", message))
