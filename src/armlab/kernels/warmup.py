"""Compile every kernel now, so that no later call has to wait for it."""

from __future__ import annotations

import numpy as np

from armlab.kernels import chain


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
