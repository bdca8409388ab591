"""Noise of a triad of sensors: white noise, 1/f noise and random walk, sample by sample from normal numbers.

With n ~ N(0, 1), rate 1/dt, and N, B, K of the Allan deviation (armlab.sensing.noise.TriadModel), a sample is
    y = white n₁ + flicker H(z) n₂ + Σ walk n₃,   white = N/√dt,   walk = K √dt,   flicker = B times the gain of H.
1/f noise is white noise through a chain of first-order sections, H(z) = Π (1 − ζ_k z⁻¹)/(1 − π_k z⁻¹), whose poles π
and zeros ζ alternate on a logarithmic scale of frequencies, so that the power falls by 10 dB per decade between the
first and the last (Keshner 1982).
"""

from __future__ import annotations

from armlab.arrays import Floats
from armlab.kernels.jit import kernel

WHITE, FLICKER, WALK = 0, 3, 6
"""Columns of the normal numbers of one sample; three axes each."""


@kernel
def noise_into(
    normals: Floats,
    white: Floats,
    walk: Floats,
    flicker: Floats,
    sections: Floats,
    memory: Floats,
    walked: Floats,
    out: Floats,
) -> None:
    """Write noise (m, 3) for `normals` (m, 9), going on from where the last block ended.

    `white` (3,) and `walk` (3,) are deviations per sample; `flicker` (3,) is the gain of the 1/f chain, `sections`
    (k, 2) its poles and zeros. `memory` (k, 3) and `walked` (3,) are the state: they are changed.
    """
    for i in range(normals.shape[0]):
        for axis in range(3):
            # 1/f: x ← flicker n₂, then through each section in direct form II: w = x + π_k w₋₁, x ← w − ζ_k w₋₁
            x = flicker[axis] * normals[i, FLICKER + axis]
            for k in range(sections.shape[0]):
                state = x + sections[k, 0] * memory[k, axis]
                x = state - sections[k, 1] * memory[k, axis]
                memory[k, axis] = state
            # random walk: s ← s + walk n₃; the sum of all three: y = white n₁ + x + s
            walked[axis] += walk[axis] * normals[i, WALK + axis]
            out[i, axis] = white[axis] * normals[i, WHITE + axis] + x + walked[axis]


@kernel
def low_pass_into(values: Floats, b: Floats, a: Floats, memory: Floats, out: Floats) -> None:
    """Write rows (m, 3) through a second-order low-pass b, a (3,) each; `memory` (2, 3) is its state and is changed."""
    for i in range(values.shape[0]):
        for axis in range(3):
            # y = Σ b_k x₋ₖ − Σ a_k y₋ₖ in transposed direct form II: y = b₀x + s₁, s₁ ← b₁x − a₁y + s₂, s₂ ← b₂x − a₂y
            x = values[i, axis]
            y = b[0] * x + memory[0, axis]
            memory[0, axis] = b[1] * x - a[1] * y + memory[1, axis]
            memory[1, axis] = b[2] * x - a[2] * y
            out[i, axis] = y
