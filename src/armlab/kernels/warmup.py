"""Compile every kernel now, so that no later call has to wait for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armlab.arrays import Floats
from armlab.kernels import (
    chain,
    closed_five,
    closed_intervals,
    closed_planar,
    closed_seven,
    closed_sweep,
    closed_ur,
    closed_wrist,
    gate,
    lm,
    lm_batch,
)


def warm_up() -> None:
    """Call each kernel once on the smallest arm; the machine code lands in the cache folder."""
    for warm_up_group in GROUPS.values():
        warm_up_group()


def _smallest_arm() -> tuple[Floats, Floats, Floats, Floats]:
    """One joint: constants, revolute, lower, upper, as all kernels take them."""
    constants = np.zeros((2, 12))
    constants[:, [0, 4, 8]] = 1.0
    return constants, np.ones(1), -np.ones(1), np.ones(1)


def _target() -> Floats:
    return np.eye(4)[None].copy()


def _chain() -> None:
    constants, revolute, _, _ = _smallest_arm()
    q, rows = np.zeros(1), np.zeros((1, 1))
    chain.fk_into(constants, revolute, q, np.empty((4, 4)))
    chain.jacobian_into(constants, revolute, q, np.empty((6, 1)))
    chain.fk_batch_into(constants, revolute, rows, np.empty((1, 4, 4)))
    chain.jacobian_batch_into(constants, revolute, rows, np.empty((1, 6, 1)))
    chain.frames_batch_into(constants, revolute, np.eye(3)[None].copy(), rows, np.empty((1, 3, 4, 4)))


def _search() -> None:
    arm, targets, weights = _smallest_arm(), _target(), np.ones(6)
    q, rows = np.zeros(1), np.zeros((1, 1))
    out, met, work = np.empty((1, lm.OUT_SIZE)), np.empty(1, np.bool_), np.empty((1, 2))
    lm.solve_into(*arm, targets[0], weights, 0, 1.0, q, 1, 1, 1, 1e-6, 1e-6, out[0])
    lm.solve_each_into(*arm, targets, weights, 0, 1.0, rows, 1, 1, 1, 1e-6, 1e-6, out, met)
    lm_batch.descend_into(*arm, targets, weights, 0, 1.0, 1, 1, 1, 1e-6, 1e-6, rows, work)


def _gate() -> None:
    arm, targets = _smallest_arm(), _target()
    one, rows, proposals, valid = np.ones(1), np.zeros((1, 1)), np.zeros((1, 1, 1)), np.ones((1, 1))
    gate.are_exact_poses(targets, 1e-9)
    gate.is_inside(one, *arm[2:])
    gate.gate_batch_into(*arm, targets, proposals, valid, 1e-9)
    gate.errors_into(*arm[:2], targets[0], one, np.empty((4, 4)), np.empty(2))
    gate.nearest_into(*arm, one, targets[0], proposals[0], valid[0], one, 1e-9, np.empty(1), np.empty(2))
    gate.nearest_batch_into(
        *arm, one, targets, proposals, valid, rows, 1e-9, rows.copy(), np.empty((1, 2)), np.empty(1, np.bool_)
    )  # fmt: skip


def _closed_forms() -> None:
    parameters, targets = np.ones(64), _target()
    for solve_into, branches, dof in (
        (closed_planar.parallel_axes_into, 2, 4),
        (closed_five.yaw_and_roll_into, 4, 5),
        (closed_wrist.spherical_wrist_into, 8, 6),
        (closed_ur.three_parallel_into, 8, 6),
    ):
        solve_into(parameters, targets, np.empty((1, branches, dof)), np.empty((1, branches)))


def _seven_axes() -> None:
    targets = _target()
    arm, chain_7, ones, out = np.ones(closed_seven.ARM_SIZE), np.zeros((8, 12)), np.ones(7), np.empty((1, 10))
    closed_intervals.solve_batch_into(
        arm, chain_7, ones, targets, np.zeros(1), np.empty((1, 8, 7)), np.empty((1, 8))
    )  # fmt: skip
    closed_intervals.intervals_into(arm, chain_7, ones, -ones, ones, targets[0], 2, out)
    closed_intervals.member_into(arm, chain_7, ones, -ones, ones, targets[0], 0, 0.0, np.empty(7))
    closed_seven.branch_of(arm, ones)


def _six_axes() -> None:
    sweep = np.ones(closed_sweep.ARM_SIZE)
    closed_sweep.sweep_into(sweep, np.zeros((7, 12)), np.ones(6), _target()[0], 2, np.empty((1, 6)))


GROUPS: dict[str, Callable[[], None]] = {
    "seven axes": _seven_axes,
    "closed forms": _closed_forms,
    "search": _search,
    "six axes": _six_axes,
    "gate": _gate,
    "chain": _chain,
}
"""Kernels that belong together, the slowest to compile first: groups can be compiled at the same time."""
