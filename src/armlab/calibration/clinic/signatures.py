"""Signatures: how each fault looks in the residuals, and how much of them it explains from when on.

A fault is a few columns Φ with r ≈ Φ θ from its onset on; θ grows with time for faults that grow. Its score is the
logarithm of the likelihood ratio, ½ bᵀ A⁻¹ b with A = Σ ΦᵀΦ and b = Σ Φᵀr, over the residuals' correlation κ, less
what BIC takes for each unknown. All onsets and all ends are looked at, by sums over windows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.calibration.clinic.faults import GROWING, FaultKind
from armlab.calibration.clinic.residuals import FaultResiduals
from armlab.dynamics.forces import GRAVITY

WINDOW = 0.5
"""s: residuals are summed over so long."""
LONG = 6
"""Windows of the longer blocks by which the residuals' correlation is measured."""
SHARP = 50.0
"""A load beyond about one part in so many of the largest has pushed a gear to one side."""
MOST_STEPS = 4
SHORTEST = 2
"""Windows that a fault must last before it counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """The columns of one fault in one kind of residuals."""

    kind: FaultKind
    joint: int | None
    residual: Floats
    """(m, c)."""
    columns: Floats
    """(m, c, p)."""
    grows: bool = False

    @property
    def has_sign(self) -> bool:
        """Whether its size can only be above zero."""
        return self.kind in GROWING


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """How well a fault explains the residuals, for every onset and end: windows."""

    kind: FaultKind
    joint: int | None
    unknowns: int
    table: Floats
    """(k, k + 1): score by onset and end; -inf where there is none."""
    sums: Floats
    """(k + 1, …): running sums of A and b, for what was found."""
    kappa: float
    grows: bool = False
    """Whether its size grows from nothing at its onset; else it is there as a whole."""

    def best(self, end: int) -> tuple[float, int]:
        """Return the best score of all onsets before window `end`, and that onset."""
        column = self.table[:, end]
        onset = int(np.argmax(column))
        return float(column[onset]), onset


def signatures(residuals: FaultResiduals) -> Iterator[Signature]:
    """Yield the signature of every fault that the recording can show."""
    n = residuals.torque.shape[1]
    sides = np.tanh(residuals.samples.qd / (0.02 * np.maximum(np.abs(residuals.samples.qd).max(axis=0), 1e-9)))
    for j in range(n):
        yield Signature(
            "gear_wear", j, residuals.torque[:, j : j + 1], (sides[:, j] / residuals.torque_noise[j])[:, None, None]
        )
    last = slice(10 * (n - 1), 10 * (n - 1) + 4)
    yield Signature("wrong_payload", None, residuals.torque, residuals.Y[:, :, last] / residuals.torque_noise[:, None])
    if residuals.tool is not None:
        yield from _of_the_tool(residuals, residuals.tool)
    if residuals.imu is not None:
        m = len(residuals.imu)
        constant = np.broadcast_to(np.diag(1.0 / residuals.imu_noise), (m, 6, 6))
        yield Signature("imu_bias", None, residuals.imu, constant)


def _of_the_tool(residuals: FaultResiduals, tool: Floats) -> Iterator[Signature]:
    J = residuals.J / residuals.tool_noise[:, None]
    sides = np.tanh(SHARP * residuals.load / np.maximum(np.abs(residuals.load).max(axis=0), 1e-9))
    for j in range(J.shape[2]):
        column = J[:, :, j : j + 1]
        yield Signature("belt_slip", j, tool, column)
        yield Signature("backlash", j, tool, -0.5 * sides[:, j, None, None] * column)
    R = residuals.T[:, :3, :3]
    down = np.einsum("mji,j->mi", R, np.array(GRAVITY)) / np.linalg.norm(GRAVITY)
    columns = np.zeros((len(R), 6, 4))
    columns[:, :3, :2] = R[:, :, :2] * down[:, None, :2]
    columns[:, :3, 2:] = R[:, :, :2]
    yield Signature("loose_tool", None, tool, columns / residuals.tool_noise[:, None])


def window_starts(t: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return the rows at which windows begin, and the times of those rows and of the end."""
    edges = np.arange(t[0], t[-1] + 1e-9, WINDOW)
    starts = np.searchsorted(t, edges - 1e-9)[:-1] if len(edges) > 1 else np.array([0])
    return starts, np.append(t[starts], t[-1])


def scores_of(residuals: FaultResiduals) -> tuple[list[Score], Floats]:
    """Return how well every signature explains the residuals, and the times at which windows begin and the last ends.

    Signatures in the same residuals are judged by the same correlation, so that they can be compared.
    """
    starts, times = window_starts(residuals.samples.t)
    quiet = int(np.searchsorted(starts, residuals.healthy))
    found = list(signatures(residuals))
    sums = [_window_sums(signature, starts) for signature in found]
    spreads = [max(1.0, _spread(A[:quiet], b[:quiet], 1), _spread(A[:quiet], b[:quiet], LONG)) for A, b in sums]
    scores = []
    for signature, (A, b) in zip(found, sums, strict=True):
        alike = [spreads[i] for i, other in enumerate(found) if other.residual is signature.residual]
        kappa = float(np.mean(alike))
        if signature.kind not in GROWING:
            scores.append(_score(signature, A, b, kappa, times, quiet))
            continue
        scores.append(_score(replace(signature, grows=True), A, b, kappa, times, quiet))
        if residuals.has_reference:
            scores.append(_from_start(_score(signature, A, b, kappa, times, quiet), quiet))
    return scores, times


def _from_start(score: Score, quiet: int) -> Score:
    """Return the score of a fault that was there before the recording: it has no other onset than its start."""
    score.table[quiet + 1 :] = -np.inf
    return score


def _window_sums(signature: Signature, starts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return A (k, p, p) and b (k, p) of each window."""
    Phi = signature.columns
    A = np.add.reduceat(np.einsum("mcp,mcq->mpq", Phi, Phi), starts, axis=0)
    return A, np.add.reduceat(np.einsum("mcp,mc->mp", Phi, signature.residual), starts, axis=0)


def _score(signature: Signature, A: Floats, b: Floats, kappa: float, times: Floats, quiet: int) -> Score:
    """Return how well a signature explains the residuals, for all onsets after the baseline and all ends."""
    k, p = b.shape
    middle = (times[:-1] + times[1:]) / 2.0
    grows = signature.grows
    moments = 3 if grows else 1
    weights = middle[:, None] ** np.arange(moments)
    sums_A = np.zeros((k + 1, moments, p, p))
    sums_b = np.zeros((k + 1, min(moments, 2), p))
    np.cumsum(weights[:, :, None, None] * A[:, None], axis=0, out=sums_A[1:])
    np.cumsum(weights[:, : sums_b.shape[1], None] * b[:, None], axis=0, out=sums_b[1:])
    table = np.full((k, k + 1), -np.inf)
    penalty = 0.5 * p * math.log(len(signature.residual))
    for onset in range(quiet, k - SHORTEST + 1):
        dA, db = sums_A[onset + SHORTEST :] - sums_A[onset], sums_b[onset + SHORTEST :] - sums_b[onset]
        table[onset, onset + SHORTEST :] = _gain(dA, db, times[onset], signature.has_sign) / kappa - penalty
    flat = np.concatenate([sums_A.reshape(k + 1, -1), sums_b.reshape(k + 1, -1)], axis=1)
    return Score(signature.kind, signature.joint, p, table, flat, kappa, grows)


def _gain(A: Floats, b: Floats, onset: float, has_sign: bool) -> Floats:
    """Return ½ bᵀ A⁻¹ b of sums over windows; those of a fault that grows count by the time since its onset."""
    if A.shape[1] == 3:
        M = A[:, 2] - 2.0 * onset * A[:, 1] + onset**2 * A[:, 0]
        v = b[:, 1] - onset * b[:, 0]
    else:
        M, v = A[:, 0], b[:, 0]
    p = v.shape[1]
    M = M + (1e-9 * np.trace(M, axis1=1, axis2=2)[:, None, None] + 1e-30) * np.eye(p)
    x = np.linalg.solve(M, v[:, :, None])[:, :, 0]
    gain = 0.5 * (x * v).sum(axis=1)
    return np.where(x[:, 0] > 0.0, gain, 0.0) if has_sign else gain


def _spread(A: Floats, b: Floats, block: int) -> float:
    """Return how many times larger the sums of residuals over blocks are than independent noise would make them."""
    count = len(A) // block
    if count < 3:
        return 1.0
    A = A[: count * block].reshape(count, block, *A.shape[1:]).sum(axis=1)
    b = b[: count * block].reshape(count, block, -1).sum(axis=1)
    p = b.shape[1]
    A = A + (1e-9 * np.trace(A, axis1=1, axis2=2)[:, None, None] + 1e-30) * np.eye(p)
    x = np.linalg.solve(A, b[:, :, None])[:, :, 0]
    return float((x * b).sum(axis=1).mean() / p)


def several_steps(score: Score, end: int, samples: int) -> tuple[float, int]:
    """Return score and onset of a fault of one unknown that comes in up to MOST_STEPS steps, as a belt slips.

    Steps are added one by one, each where it gains most, while it gains more than BIC takes for it.
    """
    A, b = (score.sums[end] - score.sums[:end]).T  # of the windows from each onset on
    allowed = np.flatnonzero(np.isfinite(score.table[:, end]))
    steps: list[int] = []
    value = -math.inf
    for _step in range(MOST_STEPS):
        gains = [_steps_gain(A, b, [*steps, int(k)]) / score.kappa for k in allowed]
        best = int(np.argmax(gains))
        found = gains[best] - 0.5 * (len(steps) + 1) * math.log(samples)
        if found <= value:
            break
        value = found
        steps.append(int(allowed[best]))
    return value, min(steps)


def _steps_gain(A: Floats, b: Floats, steps: list[int]) -> float:
    """Return ½ vᵀ G⁻¹ v of steps at these windows; two overlap from the later one on, and all go the same direction."""
    later = np.maximum.outer(steps, steps)
    G = A[later] + 1e-9 * A[min(steps)] * np.eye(len(steps))
    x = np.linalg.solve(G, b[steps])
    return 0.5 * float(b[steps] @ x) if (x > 0.0).all() or (x < 0.0).all() else 0.0


def size_of(score: Score, onset: int, end: int, time: float) -> tuple[Floats, Floats]:
    """Return θ (p,) and its standard deviations from windows `onset` to `end`; of a growing fault per second."""
    p = score.unknowns
    moments = 3 if score.grows else 1
    flat = score.sums[end] - score.sums[onset]
    A = flat[: moments * p * p].reshape(moments, p, p)
    b = flat[moments * p * p :].reshape(-1, p)
    if moments == 3:
        M, v = A[2] - 2.0 * time * A[1] + time**2 * A[0], b[1] - time * b[0]
    else:
        M, v = A[0], b[0]
    inverse = np.linalg.pinv(M)
    return inverse @ v, np.sqrt(np.maximum(np.diag(inverse), 0.0) * score.kappa)
