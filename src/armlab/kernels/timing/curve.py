"""From the timing of a path to the polynomials of the joints over time, and how near these come to their limits."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel

BACKWARDS = -1e-10
"""Speeds above this are rounding and not a motion backwards; the mean speed is about 1."""


@kernel
def compose_into(local: Floats, inner: Floats, out: Floats) -> None:
    """Write Q(σ(τ)) to `out` (m, d e + 1, n) for Q in `local` (m, d + 1, n) and σ in `inner` (m, e + 1).

    The powers of σ are the same for all joints: σᵏ = Σ_p powers[k, p] τᵖ, and Q(σ) = Σ_k q_k σᵏ.
    """
    m, terms, n = local.shape
    e = inner.shape[1] - 1
    powers = np.zeros((terms, (terms - 1) * e + 1))
    powers[0, 0] = 1.0
    for i in range(m):
        first = 1 if inner[i, 0] == 0.0 else 0  # then σᵏ begins with τᵏ
        # powers of the inner polynomial, each from the one before
        for k in range(1, terms):
            for p in range(k * first, k * e + 1):
                total = 0.0
                for r in range(max(first, p - (k - 1) * e), min(e, p - (k - 1) * first) + 1):
                    total += inner[i, r] * powers[k - 1, p - r]
                powers[k, p] = total
        for p in range(out.shape[1]):
            for j in range(n):
                out[i, p, j] = 0.0
        # Q = Σ q_k σᵏ, collected by powers of τ
        for k in range(terms):
            for p in range(k * first, k * e + 1):
                weight = powers[k, p]
                for j in range(n):
                    out[i, p, j] += weight * local[i, k, j]


@kernel
def peaks_into(coefficients: Floats, h: Floats, limits: Floats, out: Floats) -> None:
    """Write a bound of |derivative| / limit over each interval to `out` (m, 3); `limits` (3, n), orders 1 to 3."""
    m, terms, n = coefficients.shape
    c = np.empty((terms, n))
    weights = np.zeros((4, terms))
    for order in range(1, 4):
        degree = terms - 1 - order
        binomial = 1.0
        for p in range(degree + 1):
            weights[order, p] = 1.0 / binomial
            binomial = binomial * (degree - p) / (p + 1.0)
            for f in range(order):
                weights[order, p] *= p + order - f
    # weights: derivative factors times 1 / C(degree, p), the first half of the way to control values
    share = 1.0 / limits
    for i in range(m):
        per_h = 1.0
        for order in range(1, 4):
            degree = terms - 1 - order
            per_h /= h[i]
            for p in range(degree + 1):
                weight = weights[order, p] * per_h
                for j in range(n):
                    c[p, j] = coefficients[i, p + order, j] * (weight * share[order - 1, j])
            # sums up to control values; the largest of them bounds the derivative
            for k in range(degree):
                for p in range(degree, k, -1):
                    for j in range(n):
                        c[p, j] += c[p - 1, j]
            most = 0.0
            for p in range(degree + 1):
                for j in range(n):
                    most = max(most, abs(c[p, j]))
            out[i, order - 1] = most


@kernel
def times_into(z: Floats, ratio: Floats, ends: Floats, delta: Floats, h: Floats) -> None:
    """Write how long each interval takes to `h`, for square speeds with the control values `z`, from rest to rest."""
    count = delta.shape[0]
    m = count - 2
    # first interval, from rest with constant jerk: s = x^½ h / 3
    x, a = z[0] * ends[0], 2.0 * z[0] * (1.0 - ends[0]) / (2.0 * delta[1])
    h[0] = 3.0 * delta[0] / np.sqrt(x)
    for i in range(m):
        d = delta[i + 1]
        x_next = z[i] * ends[1] if i == m - 1 else (1.0 - ratio[i + 1]) * z[i] + ratio[i + 1] * z[i + 1]
        a_next = (x_next - z[i]) / d
        mean = 0.5 * (np.sqrt(x) + np.sqrt(x_next))
        time = d / mean
        for _ in range(8):  # the cubic with these speeds and accelerations at its ends goes as far as the interval
            time = (d + time * time * (a_next - a) / 12.0) / mean
        h[i + 1] = time
        x, a = x_next, a_next
    h[count - 1] = 3.0 * delta[count - 1] / np.sqrt(x)


@kernel
def cubics_into(delta: Floats, h: Floats, inner: Floats, motion: Floats) -> bool:
    """Write the smooth cubics s(t) that pass the nodes after `h`, at rest and without acceleration at both ends.

    The second and the last but one node may move a little. `inner` (m, 4) gets each cubic as a polynomial of 0…1 over
    its interval, `motion` (m + 1, 3) place, speed and acceleration at the nodes. Returns whether s never goes back.
    """
    m = h.shape[0]
    s, a = np.empty(m + 1), np.zeros(m + 1)
    s[0] = 0.0
    for i in range(m):
        s[i + 1] = s[i] + delta[i]
    upper, right = np.empty(m + 1), np.empty(m + 1)
    # accelerations a_i at the nodes: the rows of a cubic spline (continuous speed). The second and the last but one
    # place are unknown: they follow from rest without acceleration at the ends. Eliminated as it is made (Thomas)
    for i in range(1, m):
        lower, pivot, upper[i] = h[i - 1] / 6.0, (h[i - 1] + h[i]) / 3.0, h[i] / 6.0
        right[i] = (s[i + 1] - s[i]) / h[i] - (s[i] - s[i - 1]) / h[i - 1]
        if i == 1:
            pivot = h[0] / 2.0 + h[0] * h[0] / (6.0 * h[1]) + h[1] / 3.0
            right[1], lower = (s[2] - s[0]) / h[1], 0.0
        elif i == m - 1:
            pivot = h[m - 1] / 2.0 + h[m - 1] * h[m - 1] / (6.0 * h[m - 2]) + h[m - 2] / 3.0
            right[m - 1], upper[m - 1] = -(s[m] - s[m - 2]) / h[m - 2], 0.0
        if i == 2:
            lower -= h[0] * h[0] / (6.0 * h[1])
            right[2] = (s[3] - s[2]) / h[2] - (s[2] - s[0]) / h[1]
        if i == m - 2:
            upper[i] -= h[m - 1] * h[m - 1] / (6.0 * h[m - 2])
            right[i] = (s[m] - s[m - 2]) / h[m - 2] - (s[m - 2] - s[m - 3]) / h[m - 3]
        if i > 1:
            pivot -= lower * upper[i - 1]
            right[i] -= lower * right[i - 1]
        upper[i] /= pivot
        right[i] /= pivot
    for i in range(m - 1, 0, -1):
        a[i] = right[i] - (upper[i] * a[i + 1] if i < m - 1 else 0.0)
    # the two places that moved
    nodes = s.copy()
    nodes[1] = s[0] + a[1] * h[0] * h[0] / 6.0
    nodes[m - 1] = s[m] + a[m - 1] * h[m - 1] * h[m - 1] / 6.0
    is_forward = True
    for i in range(m):
        # speed at the node, and the cubic over 0…1 of its interval
        v = (nodes[i + 1] - nodes[i]) / h[i] - h[i] * (2.0 * a[i] + a[i + 1]) / 6.0
        if i == 0:
            v = 0.0
        motion[i, 0], motion[i, 1], motion[i, 2] = nodes[i], v, a[i]
        inner[i, 0] = (nodes[i] - s[i]) / delta[i]
        inner[i, 1] = v * h[i] / delta[i]
        inner[i, 2] = 0.5 * a[i] * h[i] * h[i] / delta[i]
        total = (nodes[i + 1] - s[i]) / delta[i]
        inner[i, 3] = total - inner[i, 0] - inner[i, 1] - inner[i, 2]
        # control values of the speed: none below zero, and s never goes back
        middle = v + 0.5 * a[i] * h[i]
        end = v + 0.5 * (a[i] + a[i + 1]) * h[i]
        if not (h[i] > 0.0 and min(v, middle, end) >= BACKWARDS):
            is_forward = False
    motion[m, 0], motion[m, 1], motion[m, 2] = s[m], 0.0, 0.0
    return is_forward
