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
    collide,
    collide_distance,
    collide_sweep,
    convex_hull,
    follow_path,
    follow_rates,
    gate,
    lm,
    lm_batch,
    polynomials,
    rigid,
    telling,
    topp,
    topp_curve,
    topp_grid,
    topp_jerk,
    topp_limits,
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


def _polynomials() -> None:
    breaks, c, rates, one = np.array([0.0, 1.0]), np.zeros((1, 4, 1)), np.zeros((2, 1)), np.ones((1, 1, 1))
    points, x = np.array([[0.0], [1.0]]), np.zeros(1)
    polynomials.piece_of(breaks, 0.5)
    polynomials.are_sound(breaks, c)
    polynomials.are_distinct_inside(points, rates, 1e-9)
    polynomials.evaluate_into(breaks, c, x, np.empty((1, 1, 1)))
    polynomials.extremes_into(breaks, c, 0, np.empty((4, 1)))
    polynomials.stretch_into(breaks, c, rates + 1.0, np.empty(1))
    polynomials.spline_into(breaks, points, polynomials.NATURAL, rates, rates, c)
    polynomials.phases_into(one, one, one, points, x, np.empty(2), np.empty((1, 4, 1)))


def _rigid_bodies() -> None:
    constants, revolute, _, _ = _smallest_arm()
    bodies, rows = np.ones((1, 10)), np.zeros((1, 1))
    rigid.inverse_dynamics_into(constants, revolute, bodies, np.zeros(3), rows, rows, rows, np.empty((1, 1)))
    rigid.mass_matrix_into(constants, revolute, bodies, rows, np.empty((1, 1, 1)))
    rigid.solve_into(np.ones((1, 1, 1)), rows)


def _hulls() -> None:
    corners = np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], dtype=np.int64)
    convex_hull.hull_into(corners, 1.0, np.empty((24, 3), dtype=np.int64))
    convex_hull.supports_into(corners.astype(np.float64), np.eye(3), np.empty(3))
    convex_hull.ways_out_into(np.zeros((1, 3)), np.ones((1, 3)), np.eye(3), np.ones(3), np.empty(1))


def _two_things() -> collide.Model:
    frame, one = np.zeros((1, 12)), np.ones(1)
    frame[0, [0, 4, 8]] = 1.0
    things, parts = np.array([[0, 0, 1], [1, 1, 2]]), np.array([[0, 1, 1, 0], [1, 2, 1, 1]])
    return collide.Model(
        frame,
        one,
        -one,
        one.copy(),
        np.zeros(1, np.int64),
        things.astype(np.int64),
        np.ones((2, 4)),
        parts.astype(np.int64),
        np.repeat(frame, 2, axis=0),
        np.ones((2, 5)),
        np.zeros((2, 6)),
        np.array([[1, 0, -1, 0]], np.int64),
    )


def _collisions() -> None:
    model, q = _two_things(), np.zeros((1, 1))
    collide.are_free_into(model, q, 0.0, np.empty(1))
    collide_distance.nearest_into(model, q, np.empty((1, 8)))
    collide_distance.near_into(model, q[0], 0.0, np.empty((1, 7)))


def _sweeps() -> None:
    model, one, breaks, curve = _two_things(), np.ones(1), np.array([0.0, 1.0]), np.zeros((1, 1, 1))
    collide_sweep.first_contact(model, breaks, curve, True, 0.0, 1e-5)
    collide_sweep.least_distance(model, breaks, curve, 1e-4, 1, np.empty(6))
    collide_sweep.never_meet(model, 0, -one, one, 1e-4, 1e-3, 1)
    collide_sweep.meetings_into(model, np.zeros((1, 1)), np.empty(1))


def _follow() -> None:
    constants, revolute, lower, upper = _smallest_arm()
    targets, motion, s, n = _target(), np.zeros((1, 4, 3)), np.arange(2.0), 1
    arm, extra, held = (constants, revolute, np.ones(6), 0, 1.0), np.empty((0, n)), np.empty((1, 0))
    rows, cube, flags = np.zeros((1, n)), np.zeros((2, 1, n)), np.ones((2, 1))
    follow_rates.rates_each_into(*arm, extra, held[0], targets, motion, rows, rows.copy(), rows.copy(), np.empty(1))
    follow_rates.candidates_into(
        constants, revolute, lower, upper, np.ones(6), 0, 1.0, extra, held, targets, motion, 1e-7, cube[:1].copy(),
        flags[:1].copy(), cube[:1].copy(), cube[:1].copy(), flags[:1].copy(),
    )  # fmt: skip
    follow_path.polish_each_into(*arm, extra, held, targets, 1, rows.copy(), np.empty((1, 2)))
    two, moves = np.repeat(targets, 2, axis=0), np.repeat(motion, 2, axis=0)
    follow_path.track_into(*arm, extra, held, s, two, moves, 1e-9, cube.copy(), flags.copy())
    follow_path.choose_into(
        s, cube, flags, cube, cube, flags, np.ones(1), np.ones(n), revolute, lower, upper, 1, True,
        np.zeros((2, 1), np.int64), flags.copy(), np.zeros(1),
    )  # fmt: skip
    ends = (np.zeros(1), rows, rows, rows, np.ones(1), rows, rows, rows)
    follow_path.quintics_into(*ends, lower, upper, np.empty((1, 6, n)), rows.copy(), np.empty((1, 2)))


def _timing() -> None:
    breaks, curve = np.array([0.0, 1.0]), np.ones((1, 4, 1))
    parts, ones, rest = np.array([[0.0, 0.0, 1.0]]), np.ones(1), np.zeros(1)
    local, rows, x = np.empty((1, 4, 1)), np.empty((1, 24, 3)), np.empty(2)
    topp_grid.corner_of(breaks, curve, 1, 1e-6, rest)
    topp.cut_into(curve, parts, local)
    topp.joint_rows_into(local, ones, ones, ones, rows, np.zeros(1), ones.copy())
    topp.sampled_rows_into(np.zeros((1, 3, 3, 1)), ones, ones, rows, np.zeros(1), ones.copy())
    topp.solve_into(rows, np.zeros(1), ones, rest, x, x.copy())
    topp_curve.compose_into(local, np.zeros((1, 3)), np.empty((1, 7, 1)))
    t, s, edges = np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([0.0, 1.0])
    topp_grid.area_into(t, s, x, x.copy())
    topp_grid.edge_times_into(t, s, ones.repeat(2), np.zeros(2), 0.0, edges, edges, x.copy())
    topp_grid.even_into(t, s, ones.repeat(2), np.zeros(2), 0.0, parts, edges, edges, ones, parts.copy(), ones.copy())


def _smooth_timing() -> None:
    delta, z, ends = np.ones(6), np.ones(4), np.full(2, 0.6)
    ratio, top, slab, jerk = np.full(5, 0.5), np.empty(5), np.empty((4, 4, 1)), np.empty((4, 2, 3, 1))
    none, turns = np.empty((6, 3, 3, 0)), np.empty((6, 2, 3, 0))
    topp_limits.limits_into(np.zeros((6, 4, 1)), delta, np.ones((3, 1)), none, turns, top, slab, jerk)
    topp_limits.even_out(z, ratio, ends, np.ones(4), delta, jerk[:, :, 2].copy(), jerk)
    topp_jerk.calm(z, 8.0)
    topp_jerk.excess(z, ratio, ends, np.ones(4), top, slab, jerk)
    topp_jerk.fastest_into(z, ratio, ends, np.ones(4), top, slab, jerk, 1, 0.1, 1e-3)
    topp_curve.times_into(z, ratio, ends, delta, np.empty(6))
    topp_curve.cubics_into(delta, delta, np.empty((6, 4)), np.empty((7, 3)))
    topp_curve.peaks_into(np.zeros((1, 10, 1)), np.ones(1), np.ones((3, 1)), np.empty((1, 3)))


def _telling() -> None:
    joints, poses, out = np.zeros((telling.ROWS, 1)), _target(), np.empty(telling.ROWS + 2 * telling.SEVEN + 1, "<f4")
    telling.state_into(joints, np.ones(1), poses, poses, np.zeros(1), out)


GROUPS: dict[str, Callable[[], None]] = {
    "sweeps": _sweeps,
    "follow": _follow,
    "seven axes": _seven_axes,
    "collisions": _collisions,
    "smooth timing": _smooth_timing,
    "timing": _timing,
    "polynomials": _polynomials,
    "closed forms": _closed_forms,
    "search": _search,
    "six axes": _six_axes,
    "gate": _gate,
    "hulls": _hulls,
    "rigid bodies": _rigid_bodies,
    "chain": _chain,
    "telling": _telling,
}
"""Kernels that belong together, the slowest to compile first: groups can be compiled at the same time."""
