"""Compile every kernel now, so that no later call has to wait for it."""

from __future__ import annotations

import numpy as np

from armlab.kernels import chain, lm, lm_batch


def warm_up() -> None:
    """Call each kernel once on the smallest chain; the machine code lands in the cache folder."""
    constants = np.zeros((2, 12))
    constants[:, [0, 4, 8]] = 1.0
    revolute, q, rows = np.ones(1), np.zeros(1), np.zeros((1, 1))
    chain.fk_into(constants, revolute, q, np.empty((4, 4)))
    chain.jacobian_into(constants, revolute, q, np.empty((6, 1)))
    chain.fk_batch_into(constants, revolute, rows, np.empty((1, 4, 4)))
    chain.jacobian_batch_into(constants, revolute, rows, np.empty((1, 6, 1)))
    chain.frames_batch_into(constants, revolute, np.eye(3)[None].copy(), rows, np.empty((1, 3, 4, 4)))
    lower, upper, targets, weights = -np.ones(1), np.ones(1), np.eye(4)[None].copy(), np.ones(6)
    out, met, work = np.empty((1, lm.OUT_SIZE)), np.empty(1, np.bool_), np.empty((1, 2))
    lm.solve_into(
        constants, revolute, lower, upper, targets[0], weights, 0, 1.0, q, 1, 1, 1, 1e-6, 1e-6, out[0]
    )  # fmt: skip
    lm.solve_each_into(
        constants, revolute, lower, upper, targets, weights, 0, 1.0, rows, 1, 1, 1, 1e-6, 1e-6, out, met
    )  # fmt: skip
    lm_batch.descend_into(
        constants, revolute, lower, upper, targets, weights, 0, 1.0, 1, 1, 1, 1e-6, 1e-6, rows, work
    )  # fmt: skip
