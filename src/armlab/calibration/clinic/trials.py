"""How often the clinic is right: many simulated runs, with faults and without, each with its own seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from armlab.calibration.clinic.diagnose import ArmDiagnosis, diagnose
from armlab.calibration.clinic.faults import FAULTS, ArmFault, draw_fault
from armlab.calibration.clinic.plant import DURATION, simulate_run
from armlab.model.robot import Robot

WINDOW = (0.4, 0.7)
"""Shares of a run within which faults begin."""
TUNING_SEEDS = range(100_000, 100_400)
"""The seeds that the thresholds were set on; runs are judged by others."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One run: what was wrong with it, and what was said."""

    seed: int
    robot: str
    fault: ArmFault | None
    diagnosis: ArmDiagnosis

    @property
    def is_right(self) -> bool:
        """Whether the cause is right; healthy, where there is none."""
        return self.diagnosis.cause == (None if self.fault is None else self.fault.kind)

    @property
    def is_right_joint(self) -> bool:
        """Whether the joint is right, too."""
        return self.is_right and (self.fault is None or self.diagnosis.joint == self.fault.joint)


@dataclass(frozen=True, slots=True, eq=False)
class TrialSummary:
    """What many runs say of the clinic."""

    trials: tuple[Trial, ...]

    @property
    def false_alarms(self) -> float:
        """Share of healthy runs in which a fault was found."""
        healthy = [trial for trial in self.trials if trial.fault is None]
        return float(np.mean([not trial.is_right for trial in healthy])) if healthy else 0.0

    def right_cause(self, kind: str | None = None) -> float:
        """Share of faulty runs (of one kind) whose cause was found."""
        return float(np.mean([trial.is_right for trial in self._faulty(kind)]))

    def right_joint(self, kind: str | None = None) -> float:
        """Share of faulty runs (of one kind) whose cause and joint were found."""
        return float(np.mean([trial.is_right_joint for trial in self._faulty(kind)]))

    def delays(self, kind: str | None = None) -> list[float]:
        """Seconds from onset to when it was noticed, of the runs whose cause was found."""
        return [
            trial.diagnosis.noticed - trial.fault.onset
            for trial in self._faulty(kind)
            if trial.is_right and trial.fault is not None and trial.diagnosis.noticed is not None
        ]

    def onset_errors(self, kind: str | None = None) -> list[float]:
        """Seconds from the true onset to the stated one."""
        return [
            trial.diagnosis.since - trial.fault.onset
            for trial in self._faulty(kind)
            if trial.is_right and trial.fault is not None and trial.diagnosis.since is not None
        ]

    def _faulty(self, kind: str | None) -> list[Trial]:
        found = [trial for trial in self.trials if trial.fault is not None]
        return [trial for trial in found if kind is None or (trial.fault is not None and trial.fault.kind == kind)]


def run_trial(robot: Robot, seed: int, *, is_healthy: bool) -> Trial:
    """Return one run and what the clinic says of it; faults take turns by the seed."""
    rng = np.random.default_rng([seed, 3])
    fault = None
    if not is_healthy:
        window = (WINDOW[0] * DURATION, WINDOW[1] * DURATION)
        fault = draw_fault(robot, FAULTS[seed % len(FAULTS)], rng, window)
    run = simulate_run(robot, fault, seed=seed)
    return Trial(seed, robot.name, fault, diagnose(robot, run.recording, run.imu))


def run_trials(
    robots: Sequence[Robot],
    seeds: Iterable[int],
    *,
    progress: Callable[[int], object] = lambda _done: None,
) -> TrialSummary:
    """Return what the clinic says of two runs per seed, one healthy and one with a fault; the arms take turns."""
    trials = []
    for done, seed in enumerate(seeds, 1):
        robot = robots[seed // len(FAULTS) % len(robots)]
        trials += [run_trial(robot, seed, is_healthy=True), run_trial(robot, seed, is_healthy=False)]
        progress(done)
    return TrialSummary(tuple(trials))
