"""The versatile quaternion-based filter of Laidig and Seel (Information Fusion 91, 2023), sample by sample.

The orientation is a product of three parts: the integral q_I_S of the rate without its bias, from the sensor S to a
frame I that hardly turns; a correction q_E_I of the tilt; and a heading δ about the vertical,

    q_world_S = (cos δ/2, 0, 0, sin δ/2) ⊗ q_E_I ⊗ q_I_S.

Accelerations are averaged in I, where those of a motion cancel; what is left is the vertical. A Kalman filter
estimates the gyroscope's bias: at rest from the averaged rate, in motion from how fast the correction of the tilt
turns. The heading follows the magnetometer (y is north) unless the size or the dip of the field are unusual.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.sensing.quaternions import V3, exponential, product, turned, unit
from armlab.kernels.sensing.vqf_parts import (
    BIAS_GROWTH,
    MEMORY,
    LowPass,
    VqfParameters,
    butterworth,
    clipped,
    correct_bias,
    is_far,
    low_pass,
    low_pass3,
    share_per_step,
    wrapped,
)

QUATERNION, BIAS, AT_REST, IS_DISTURBED = 0, 4, 7, 8
"""Columns of the output: quaternion, bias (rad/s), whether rest and whether a disturbed field was noticed."""
COLUMNS = 9
HEADING, FIRST_GAIN, DISTURBED, USUAL_FOR, REJECTED_FOR, SIZE, DIP, NEW_SIZE, NEW_DIP, NEW_FOR = range(10)
"""Of the state of the field: δ, gain 1/k of the first samples, whether it is disturbed, for how long it was usual and
was rejected, the reference, and a candidate for the next reference and for how long it has been the same."""
FIELD = 10
FLAT = 1e-6
"""Below this cosine of half the tilt the sensor is upside down, and is turned by half a turn about x."""


@kernel
def vqf_into(gyro: Floats, acc: Floats, mag: Floats, period: float, by: VqfParameters, out: Floats) -> None:
    """Filter `gyro`, `acc` (m, 3) and `mag` (m, 3) or (0, 3), each `period` seconds, to `out` (m, COLUMNS)."""
    rest_pass, tilt_pass = butterworth(by.rest_tau, period), butterworth(by.tau_acc, period)
    field_pass = butterworth(by.field_tau, period)
    memories, field = np.zeros((22, MEMORY)), np.zeros(FIELD)
    bias, C, rows = np.zeros(3), np.zeros((3, 3)), np.empty((3, 3))
    for k in range(3):
        C[k, k] = by.bias_start * by.bias_start
    field[FIRST_GAIN], field[DISTURBED] = 1.0, 1.0 if by.rejects_disturbed_field else 0.0
    field[REJECTED_FOR] = by.rejection_time  # at the start any field is better than none
    q_I_S, q_E_I, rest_for, at_rest = (1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 0.0, False
    mean_rate = (0.0, 0.0, 0.0)
    notices_rest = by.estimates_bias_at_rest or by.rejects_disturbed_field
    estimates = by.estimates_bias_at_rest or by.estimates_bias_in_motion
    rest_gyro, rest_acc, vertical = memories[:3], memories[3:6], memories[6:9]
    turns, sizes = memories[9:20], memories[20:]
    for i in range(gyro.shape[0]):
        w, f = (gyro[i, 0], gyro[i, 1], gyro[i, 2]), (acc[i, 0], acc[i, 1], acc[i, 2])
        has_acc = f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0
        # rest: rate and acceleration have been near their averages for long enough
        if notices_rest:
            mean_rate = low_pass3(w, rest_gyro, rest_pass)
            fastest = max(abs(mean_rate[0]), abs(mean_rate[1]), abs(mean_rate[2]))
            if is_far(w, mean_rate, by.rest_rate) or fastest > by.bias_clip:
                rest_for, at_rest = 0.0, False
            if has_acc and is_far(f, low_pass3(f, rest_acc, rest_pass), by.rest_acceleration):
                rest_for, at_rest = 0.0, False
            elif has_acc:
                rest_for += period
                at_rest = at_rest or rest_for >= by.rest_time
        # strapdown: q_I_S exp((ω − b) h)
        turn = exponential(period * (w[0] - bias[0]), period * (w[1] - bias[1]), period * (w[2] - bias[2]))
        q_I_S = unit(product(q_I_S, turn))
        if has_acc:
            # tilt: the shortest turn of the averaged acceleration a to the vertical, (√((1 + a_z)/2), a_y …, −a_x …, 0)
            ax, ay, az = turned(q_E_I, low_pass3(turned(q_I_S, f), vertical, tilt_pass))
            size = math.sqrt(ax * ax + ay * ay + az * az)
            scale = 1.0 / size if size > 0.0 else 0.0
            ax, ay, az = ax * scale, ay * scale, az * scale
            cosine = math.sqrt(max(0.5 * (az + 1.0), 0.0))
            tilt = (cosine, 0.5 * ay / cosine, -0.5 * ax / cosine, 0.0) if cosine > FLAT else (0.0, 1.0, 0.0, 0.0)
            q_E_I = unit(product(tilt, q_E_I))
            if estimates:
                R = _matrix(product(q_E_I, q_I_S))
                slope = (-ay / period, ax / period)
                _estimate_bias(R, slope, mean_rate, at_rest, period, by, tilt_pass, turns, rows, C, bias)
        q = product(q_E_I, q_I_S)
        if mag.shape[0] > 0 and (mag[i, 0] != 0.0 or mag[i, 1] != 0.0 or mag[i, 2] != 0.0):
            rate = math.sqrt(mean_rate[0] ** 2 + mean_rate[1] ** 2 + mean_rate[2] ** 2)
            m = turned(q, (mag[i, 0], mag[i, 1], mag[i, 2]))
            _follow_field(m, rate, period, by, field_pass, sizes, field)
        half = 0.5 * field[HEADING]
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = product((math.cos(half), 0.0, 0.0, math.sin(half)), q)
        out[i, BIAS], out[i, BIAS + 1], out[i, BIAS + 2] = bias[0], bias[1], bias[2]
        out[i, AT_REST], out[i, IS_DISTURBED] = 1.0 if at_rest else 0.0, field[DISTURBED]


@kernel
def _matrix(q: tuple[float, float, float, float]) -> tuple[V3, V3, V3]:
    """Return R(q), column by column."""
    return turned(q, (1.0, 0.0, 0.0)), turned(q, (0.0, 1.0, 0.0)), turned(q, (0.0, 0.0, 1.0))


@kernel
def _estimate_bias(
    R: tuple[V3, V3, V3],
    slope: tuple[float, float],
    mean_rate: V3,
    at_rest: bool,
    period: float,
    by: VqfParameters,
    tilt_pass: LowPass,
    memories: Floats,
    rows: Floats,
    C: Floats,
    bias: Floats,
) -> None:
    """Take one step of the Kalman filter of the bias; `rows` (3, 3) is workspace."""
    # the same low-pass as of the accelerations, on R_E_S and on the horizontal part of R_E_S b
    b_x = R[0][0] * bias[0] + R[1][0] * bias[1] + R[2][0] * bias[2]
    b_y = R[0][1] * bias[0] + R[1][1] * bias[1] + R[2][1] * bias[2]
    expected = (low_pass(b_x, memories[9], tilt_pass), low_pass(b_y, memories[10], tilt_pass))
    for j in range(3):
        mean = low_pass3(R[j], memories[3 * j : 3 * j + 3], tilt_pass)
        rows[0, j], rows[1, j], rows[2, j] = mean
    # steady state: a deviation σ is kept where w = σ⁴/v + σ², with the growth v of the variance per step
    growth = BIAS_GROWTH * BIAS_GROWTH * period / by.bias_forgetting_time
    for k in range(3):
        if C[k, k] < by.bias_start * by.bias_start:
            C[k, k] += growth
    clip = by.bias_clip
    if at_rest and by.estimates_bias_at_rest:
        variance = by.bias_rest * by.bias_rest
        weight = variance * variance / growth + variance
        rows[:] = 0.0
        for k in range(3):
            rows[k, k] = 1.0
        errors = (mean_rate[0] - bias[0], mean_rate[1] - bias[1], mean_rate[2] - bias[2])
        weights = (weight, weight, weight)
    elif by.estimates_bias_in_motion:
        # the averaged tilt turns by R̄ (b_true − b) + what is known already; about the vertical the bias is drawn to 0
        variance = by.bias_motion * by.bias_motion
        weight = variance * variance / growth + variance
        made = (
            rows[0, 0] * bias[0] + rows[0, 1] * bias[1] + rows[0, 2] * bias[2],
            rows[1, 0] * bias[0] + rows[1, 1] * bias[1] + rows[1, 2] * bias[2],
            rows[2, 0] * bias[0] + rows[2, 1] * bias[1] + rows[2, 2] * bias[2],
        )
        errors = (slope[0] + expected[0] - made[0], slope[1] + expected[1] - made[1], -made[2])
        weights = (weight, weight, weight / max(by.bias_vertical_forgetting, 1e-10))
    else:
        return
    correct_bias(C, bias, rows, (clipped(errors[0], clip), clipped(errors[1], clip), clipped(errors[2], clip)), weights)
    for k in range(3):
        bias[k] = clipped(bias[k], clip)


@kernel
def _follow_field(
    m: V3, rate: float, period: float, by: VqfParameters, field_pass: LowPass, memories: Floats, field: Floats
) -> None:
    """Turn the heading to the field `m` (in E) by one step; `rate` is the averaged rate."""
    gain = share_per_step(by.tau_mag, period)
    off = wrapped(math.atan2(m[0], m[1]) - field[HEADING])
    if by.rejects_disturbed_field:
        _judge_field(m, rate, period, by, field_pass, memories, field)
        if field[DISTURBED] == 0.0:
            field[REJECTED_FOR] = max(field[REJECTED_FOR] - by.rejection_factor * period, 0.0)
        elif field[REJECTED_FOR] <= by.rejection_time:
            field[REJECTED_FOR] += period
            gain = 0.0
        else:
            gain /= by.rejection_factor
    # the first samples are averaged: gains 1, 1/2, 1/3 …
    first = field[FIRST_GAIN]
    if first > 0.0:
        gain = max(gain, first)
        first = first / (first + 1.0)
        field[FIRST_GAIN] = first if first * by.tau_mag >= period else 0.0
    field[HEADING] = wrapped(field[HEADING] + gain * off)


@kernel
def _judge_field(
    m: V3, rate: float, period: float, by: VqfParameters, field_pass: LowPass, memories: Floats, field: Floats
) -> None:
    """Tell whether the field is disturbed, follow the reference, and take a new one where it stays the same."""
    length = math.sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])
    size = low_pass(length, memories[0], field_pass)
    dip = low_pass(-math.asin(clipped(m[2] / length, 1.0)), memories[1], field_pass)
    share = share_per_step(by.reference_tau, period)
    if abs(size - field[SIZE]) < by.field_size * field[SIZE] and abs(dip - field[DIP]) < by.field_dip:
        field[USUAL_FOR] += period
        if field[USUAL_FOR] >= by.undisturbed_time:
            field[DISTURBED] = 0.0
            field[SIZE] += share * (size - field[SIZE])
            field[DIP] += share * (dip - field[DIP])
    else:
        field[USUAL_FOR], field[DISTURBED] = 0.0, 1.0
    if not (abs(size - field[NEW_SIZE]) < by.field_size * field[NEW_SIZE] and abs(dip - field[NEW_DIP]) < by.field_dip):
        field[NEW_SIZE], field[NEW_DIP], field[NEW_FOR] = size, dip, 0.0
        return
    if rate >= by.new_field_rate:
        field[NEW_FOR] += period
    field[NEW_SIZE] += share * (size - field[NEW_SIZE])
    field[NEW_DIP] += share * (dip - field[NEW_DIP])
    is_old = field[NEW_FOR] >= by.new_field_time or (field[SIZE] == 0.0 and field[NEW_FOR] >= by.first_field_time)
    if field[DISTURBED] != 0.0 and is_old:
        field[SIZE], field[DIP] = field[NEW_SIZE], field[NEW_DIP]
        field[DISTURBED], field[USUAL_FOR] = 0.0, by.undisturbed_time
