"""Parts of the versatile quaternion-based filter: its parameters, low-pass filters, and the estimate of the bias."""

from __future__ import annotations

import math
from typing import NamedTuple

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.sensing.quaternions import V3

BIAS_GROWTH = math.radians(0.1)
"""rad/s: the deviation of the bias grows from 0 to this in `bias_forgetting_time`."""
MEMORY = 3
"""A low-pass filter remembers two values and how many samples it has averaged; a negative number: it is running."""


class VqfParameters(NamedTuple):
    """The parameters of the paper, with its values, in SI units; a duration of 0 turns a low-pass filter off."""

    tau_acc: float = 3.0
    """s: of the low-pass filter that finds the vertical."""
    tau_mag: float = 9.0
    """s: how fast the heading follows the magnetometer."""
    estimates_bias_in_motion: bool = True
    estimates_bias_at_rest: bool = True
    rejects_disturbed_field: bool = True
    bias_start: float = math.radians(0.5)
    """rad/s: deviation of the bias at the start."""
    bias_forgetting_time: float = 100.0
    """s."""
    bias_clip: float = math.radians(2.0)
    """rad/s: no bias is larger."""
    bias_motion: float = math.radians(0.1)
    """rad/s: deviation that the bias reaches in motion."""
    bias_vertical_forgetting: float = 1e-4
    """How much less the bias about the vertical is drawn to 0 in motion."""
    bias_rest: float = math.radians(0.03)
    """rad/s: deviation that the bias reaches at rest."""
    rest_time: float = 1.5
    """s: rest is noticed after this time."""
    rest_tau: float = 0.5
    """s: of the low-pass filters that rest is judged by."""
    rest_rate: float = math.radians(2.0)
    """rad/s: at rest the rate is this near its average."""
    rest_acceleration: float = 0.5
    """m/s²: at rest the acceleration is this near its average."""
    field_tau: float = 0.05
    """s: of the low-pass filter of the field's size and dip."""
    reference_tau: float = 20.0
    """s: how fast the reference of size and dip follows an undisturbed field."""
    field_size: float = 0.1
    """A field is disturbed whose size is off by this share,"""
    field_dip: float = math.radians(10.0)
    """rad: or whose dip is off by this angle."""
    new_field_time: float = 20.0
    """s: an unusual field that stays the same in motion for this long is the new reference,"""
    first_field_time: float = 5.0
    """s: or for this long where there is no reference yet."""
    new_field_rate: float = math.radians(20.0)
    """rad/s: motion that counts for that."""
    undisturbed_time: float = 0.5
    """s: a field is used again after it has been usual for this long."""
    rejection_time: float = 60.0
    """s: a disturbed field is not used at all for this long,"""
    rejection_factor: float = 2.0
    """and after that with a weight lower by this factor."""


@kernel
def share_per_step(tau: float, period: float) -> float:
    """Return the gain of a first-order filter, 1 − exp(−h/τ); 0 for a negative τ."""
    if tau < 0.0:
        return 0.0
    return 1.0 - math.exp(-period / tau) if tau > 0.0 else 1.0


class LowPass(NamedTuple):
    """A Butterworth filter of second order, b (1 + 2z⁻¹ + z⁻²) / (1 + a1 z⁻¹ + a2 z⁻²)."""

    b: float
    a1: float
    a2: float
    averaged: float
    """How many samples are averaged at the start; 0: the filter is off."""


@kernel
def butterworth(tau: float, period: float) -> LowPass:
    """Return the filter with time constant τ, that is with its corner at √2/(2πτ)."""
    if tau <= 0.0:
        return LowPass(1.0, 0.0, 0.0, 0.0)
    # the bilinear transform of 1/(s² + √2 s + 1) with c = tan(h/(√2 τ))
    c = math.tan(period / (math.sqrt(2.0) * tau))
    scale = 1.0 / (c * c + math.sqrt(2.0) * c + 1.0)
    return LowPass(c * c * scale, 2.0 * (c * c - 1.0) * scale, (1.0 - math.sqrt(2.0) * c + c * c) * scale, tau / period)


@kernel
def low_pass(x: float, memory: Floats, by: LowPass) -> float:
    """Return `x` filtered; the filter starts with the mean of the first samples. `memory` is (MEMORY,)."""
    if by.averaged == 0.0:
        return x
    if memory[2] >= 0.0:  # still averaging: the sum of the samples, and how many they are
        memory[0] += x
        memory[2] += 1.0
        mean = float(memory[0] / memory[2])
        if memory[2] >= by.averaged:  # from here on as if the mean had been there for ever
            memory[0], memory[1], memory[2] = mean * (1.0 - by.b), mean * (by.b - by.a2), -1.0
        return mean
    # transposed form: y = b x + m₀, m₀ = 2b x − a₁ y + m₁, m₁ = b x − a₂ y
    y = float(by.b * x + memory[0])
    memory[0] = 2.0 * by.b * x - by.a1 * y + memory[1]
    memory[1] = by.b * x - by.a2 * y
    return y


@kernel
def low_pass3(v: V3, memory: Floats, by: LowPass) -> V3:
    """Return a vector filtered; `memory` is (3, MEMORY)."""
    return low_pass(v[0], memory[0], by), low_pass(v[1], memory[1], by), low_pass(v[2], memory[2], by)


@kernel
def is_far(a: V3, b: V3, most: float) -> bool:
    """Tell whether |a − b| ≥ most."""
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return x * x + y * y + z * z >= most * most


@kernel
def clipped(value: float, most: float) -> float:
    """Return the value, at most ± `most`."""
    return min(max(value, -most), most)


@kernel
def correct_bias(C: Floats, bias: Floats, rows: Floats, errors: V3, weights: V3) -> None:
    """Correct the bias and its covariance C (3, 3) by three scalars: error = row · δbias + noise of variance weight.

    The noises are independent, so that the scalars can be taken one after the other and nothing is inverted.
    """
    before = (bias[0], bias[1], bias[2])
    for k in range(3):
        x, y, z = rows[k, 0], rows[k, 1], rows[k, 2]
        # u = C rowᵀ, gain = u / (row u + w), δb += gain (error − row δb), C −= gain uᵀ
        u = (
            C[0, 0] * x + C[0, 1] * y + C[0, 2] * z,
            C[1, 0] * x + C[1, 1] * y + C[1, 2] * z,
            C[2, 0] * x + C[2, 1] * y + C[2, 2] * z,
        )
        known = x * (bias[0] - before[0]) + y * (bias[1] - before[1]) + z * (bias[2] - before[2])
        scale = 1.0 / (x * u[0] + y * u[1] + z * u[2] + weights[k])
        for i in range(3):
            bias[i] += u[i] * scale * (errors[k] - known)
            for j in range(3):
                C[i, j] -= u[i] * u[j] * scale


@kernel
def wrapped(angle: float) -> float:
    """Return an angle between −2π … 2π as the same one between −π … π."""
    if angle > math.pi:
        return angle - 2.0 * math.pi
    return angle + 2.0 * math.pi if angle < -math.pi else angle
