"""Compile every kernel now, so that no later call has to wait for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from armlab.arrays import Floats
from armlab.cell import pack_state
from armlab.kernels import chain, cholesky, gate, polynomials, regressor, rigid, servo, setpoints
from armlab.kernels.closed_form import answers, intervals, seven
from armlab.kernels.closed_form import sweep as closed_sweep
from armlab.kernels.collision import ball, check, convex_hull, cuts, distance, sweep
from armlab.kernels.follow import one_branch, path
from armlab.kernels.follow import rates as follow_rates
from armlab.kernels.search import lm, lm_batch, nearest
from armlab.kernels.search.newton import NewtonChain
from armlab.kernels.search.problem import SearchBounds, SearchChain, SearchTask
from armlab.kernels.sensing import arm_filter, eskf, filters, imu, vqf
from armlab.kernels.sensing import noise as sensor_noise
from armlab.kernels.sensing.vqf_parts import VqfParameters
from armlab.kernels.timing import curve as topp_curve
from armlab.kernels.timing import grid, limits, phases, quickest, topp
from armlab.kernels.timing import jerk as topp_jerk
from armlab.kernels.toolpath import elements, length
from armlab.planning.warmup import warm_up_planning


def warm_up(names: Iterable[str]) -> None:
    """Call each kernel of the groups `names` once on the smallest arm; the machine code lands in the cache folder."""
    for name in names:
        GROUPS[name]()


def _smallest_arm() -> tuple[Floats, Floats, Floats, Floats]:
    """One joint: constants, revolute, lower, upper, as all kernels take them."""
    constants = np.tile(np.append(np.eye(3).ravel(), np.zeros(chain.KIND - 8)), (2, 1))
    return constants, np.ones(1), -np.ones(1), np.ones(1)


def _target() -> Floats:
    return np.eye(4)[None].copy()


def _poses() -> None:
    constants, revolute, _, _ = _smallest_arm()
    q, rows = np.zeros(1), np.zeros((1, 1))
    chain.fk_into(constants, q, np.empty((4, 4)))
    chain.jacobian_into(constants, q, np.empty((6, 1)))
    chain.fk_batch_into(constants, revolute, rows, np.empty((1, 4, 4)))
    chain.frames_batch_into(constants, revolute, np.eye(3)[None].copy(), np.eye(4), rows, np.empty((1, 3, 4, 4)))


def _jacobians() -> None:
    constants, revolute, _, _ = _smallest_arm()
    chain.jacobian_batch_into(constants, revolute, np.zeros((1, 1)), np.empty((1, 6, 1)))


def _search() -> None:
    arm, targets, task = SearchChain(*_smallest_arm(), 1.0), _target(), SearchTask(np.ones(6), 0)
    bounds = SearchBounds(1, 1, 1, 1e-6, 1e-6)
    q, rows = np.zeros(1), np.zeros((1, 1))
    out, met, work = np.empty((1, lm.OUT_SIZE)), np.empty(1, np.bool_), np.empty((1, 2))
    lm.solve_into(arm, targets[0], task, bounds, q, out[0])
    lm.solve_each_into(arm, targets, task, bounds, rows, out, met)
    lm_batch.descend_into(arm, targets, task, bounds, rows, work)


def _nearest_poses() -> None:
    constants, revolute, lower, upper = _smallest_arm()
    arm = NewtonChain(constants, revolute, np.eye(1), np.zeros(1), revolute, lower, upper, 1.0)
    nearest.nearest_into(arm, _target()[0], SearchTask(np.ones(6), 0), 1, 1e-6, np.zeros(1), np.empty(nearest.OUT_SIZE))


def _gate() -> None:
    arm, targets = _smallest_arm(), _target()
    one, proposals, valid = np.ones(1), np.zeros((1, 1, 1)), np.ones((1, 1))
    gate.are_exact_poses(targets, 1e-9)
    gate.is_inside(one, *arm[2:])
    gate.gate_batch_into(*arm, targets, proposals, valid, 1e-9)
    gate.errors_into(arm[0], targets[0], one, np.empty((4, 4)), np.empty(2))


def _closed_forms() -> None:
    targets = _target()
    rows = np.zeros((answers.ROWS, 6))
    rows[answers.LOWER], rows[answers.UPPER], rows[answers.REVOLUTE] = -1.0, 1.0, 1.0
    arm = (answers.SPHERICAL_WRIST, np.ones(64), np.zeros((7, chain.KIND + 1)), rows)
    q, flags, valid = np.zeros((1, 8, 6)), np.ones((1, 8)), np.empty((1, 8), np.bool_)
    answers.propose_into(*arm[:2], targets, q, flags)
    answers.checked_into(*arm, targets, 1e-9, q, flags, valid)
    answers.first_into(*arm, targets[0], np.zeros(6), 8, 1e-6, np.empty(8))
    answers.first_of_each_into(
        *arm, targets, np.zeros((1, 6)), 8, 1e-6, np.empty((1, 6)), np.empty((1, 2)), np.empty(1, np.bool_)
    )
    answers.every(*arm, targets[0], 8, 1e-6, 1e-9, False)
    answers.listed(*arm[2:], targets[0], q[0], flags[0], 1e-6, 1e-9, False)


def _seven_axes() -> None:
    targets = _target()
    arm, chain_7, ones, out = np.ones(seven.ARM_SIZE), np.zeros((8, chain.KIND + 1)), np.ones(7), np.empty((1, 10))
    intervals.solve_batch_into(
        arm, chain_7, targets, np.zeros(1), np.empty((1, 8, 7)), np.empty((1, 8))
    )  # fmt: skip
    intervals.intervals_into(arm, chain_7, -ones, ones, targets[0], 2, out)
    intervals.member_into(arm, chain_7, -ones, ones, targets[0], 0, 0.0, np.empty(7))
    seven.branch_of(arm, ones)


def _six_axes() -> None:
    sweep = np.ones(closed_sweep.ARM_SIZE)
    closed_sweep.sweep_into(sweep, np.zeros((7, chain.KIND + 1)), _target()[0], 2, np.empty((1, 6)))


def _polynomials() -> None:
    breaks, c, rates = np.array([0.0, 1.0]), np.zeros((1, 4, 1)), np.zeros((2, 1))
    points, x = np.array([[0.0], [1.0]]), np.zeros(1)
    polynomials.piece_of(breaks, 0.5)
    polynomials.are_sound(breaks, c)
    polynomials.are_distinct_inside(points, rates, 1e-9)
    polynomials.evaluate_into(breaks, c, x, np.empty((1, 1, 1)))
    polynomials.extremes_into(breaks, c, 0, np.empty((4, 1)))
    polynomials.stretch_into(breaks, c, rates + 1.0, np.empty(1))
    polynomials.spline_into(breaks, points, polynomials.NATURAL, rates, rates, c)


def _moves() -> None:
    points, x = np.array([[0.0], [1.0]]), np.zeros(1)
    phases.pieces_into(np.ones((1, 1, 1, 3)), points, x, np.empty(2), np.empty((1, 4, 1)))
    phases.rest_to_rest_into(points, np.ones((5, 1)), x[:0], 1e-9, np.empty(8), np.empty((7, 4, 1)))


def _jog() -> None:
    at_rest, phase = np.zeros((2, 1)), np.ones((1, 1, 3))
    phases.sample_into(at_rest, phase, np.zeros(1), np.empty((3, 1, 1)))
    phases.position_range_into(at_rest, phase, 1.0, np.empty((2, 1)))
    one = np.zeros((1, 3))
    quickest.quickest_into(np.ones((3, 1)), one, one, np.zeros(1), 0, 0.0, np.empty((1, quickest.PHASES, 3)))


def _rigid_bodies() -> None:
    constants, revolute, _, _ = _smallest_arm()
    bodies, rows = np.ones((1, 10)), np.zeros((1, 1))
    rigid.inverse_dynamics_into(constants, revolute, bodies, np.zeros(3), rows, rows, rows, np.empty((1, 1)))
    rigid.mass_matrix_into(constants, revolute, bodies, rows, np.empty((1, 1, 1)))


def _regressor() -> None:
    constants, revolute, _, _ = _smallest_arm()
    rows = np.zeros((1, 1))
    out = np.empty((1, 1, regressor.BODY + regressor.DRIVE))
    regressor.regressor_into(constants, revolute, np.zeros(3), rows, rows, rows, out)


def _servos() -> None:
    constants, revolute, _, _ = _smallest_arm()
    command, conditions = np.zeros((1, 4, 1)), np.zeros((1, servo.CONDITIONS, 1))
    bodies, gains = np.ones((2, 2, 10)), np.ones((6, 1))
    servo.servo_into(constants, revolute, bodies, np.zeros(3), 0.01, command, gains, conditions, np.empty((1, 4, 1)))


def _setpoints() -> None:
    setpoints.ramp_into(np.zeros(1), np.ones((2, 1)), 0.001, np.zeros((3, 1)), np.empty((2, 1, 1)))


def _accelerations() -> None:
    cholesky.solve_into(np.ones((1, 1, 1)), np.zeros((1, 1)))


def _hulls() -> None:
    corners = np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], dtype=np.int64)
    places = corners.astype(np.float64)
    convex_hull.grid_into(places, np.empty((4, 3), dtype=np.int64))
    convex_hull.hull_into(corners, 1.0, np.empty((24, 3), dtype=np.int64))
    convex_hull.supports_into(places, np.eye(3), np.empty(3))
    triangles, samples = places[None, :3].copy(), np.full((3, 1), 0.5)
    planes = cuts.bounding_planes(places, np.array([[0, 2, 1]], dtype=np.int64))
    cuts.empty_space_into(triangles, planes, samples, np.empty(1, dtype=np.int64), np.empty(1))
    cuts.best_plane(triangles, np.array([[1.0, 0.0, 0.0, 3.0]]), 1e-9, samples, 1e-6)


def _two_objects() -> check.CollisionModel:
    frame, one = np.zeros((1, 12)), np.ones(1)
    frame[0, [0, 4, 8]] = 1.0
    objects, parts = np.array([[0, 0, 1], [1, 1, 2]]), np.array([[0, 1, 1, 0], [1, 2, 1, 1]])
    return check.CollisionModel(
        frame,
        one,
        -one,
        one.copy(),
        np.zeros(1, np.int64),
        objects.astype(np.int64),
        np.ones((2, 4)),
        parts.astype(np.int64),
        np.repeat(frame, 2, axis=0),
        np.ones((2, 5)),
        np.zeros((2, 6)),
        np.array([[1, 0, -1, 0]], np.int64),
    )


def _proximity() -> None:
    model, one, q = _two_objects(), np.ones(1), np.zeros((1, 1))
    ball.ball_into(np.zeros((1, 3)), 1, np.empty(4))
    sweep.meetings_into(model, q, np.empty(1))
    sweep.never_meet(model, 0, -one, one, 1e-4, 1e-3, 1)
    distance.near_into(model, q[0], 0.0, np.empty((1, 7)))
    check.pose_into(model, q[0], check.room_of(model))


def _collisions() -> None:
    model, q = _two_objects(), np.zeros((1, 1))
    check.is_free(check.Packed(np.zeros(0), np.zeros(5, np.int64)), np.zeros(0), 0.0)
    check.are_free_into(model, q, 0.0, np.empty(1))
    distance.nearest_into(model, q, np.empty((1, 8)))


def _sweeps() -> None:
    model, breaks, curve = _two_objects(), np.array([0.0, 1.0]), np.zeros((1, 1, 1))
    sweep.first_contact(model, breaks, curve, True, 0.0, 1e-5)
    sweep.least_distance(model, breaks, curve, 1e-4, 1, np.empty(6))


def _follow() -> None:
    constants, revolute, lower, upper = _smallest_arm()
    targets, motion, s, n = _target(), np.zeros((1, 4, 3)), np.arange(2.0), 1
    arm = follow_rates.Conditions(constants, revolute, np.ones(6), 0, 1.0, np.empty((0, n)))
    held = np.empty((1, 0))
    rows, cube, flags = np.zeros((1, n)), np.zeros((2, 1, n)), np.ones((2, 1))
    follow_rates.rates_each_into(arm, held[0], targets, motion, rows, rows.copy(), rows.copy(), np.empty(1))
    follow_rates.candidates_into(
        arm, lower, upper, held, targets, motion, 1e-7, cube[:1].copy(), flags[:1].copy(), cube[:1].copy(),
        cube[:1].copy(), flags[:1].copy(),
    )  # fmt: skip
    path.polish_each_into(arm, held, targets, 1, rows.copy(), np.empty((1, 2)))
    two, moves = np.repeat(targets, 2, axis=0), np.repeat(motion, 2, axis=0)
    path.track_into(arm, held, s, two, moves, 1e-9, cube.copy(), flags.copy())
    candidates = path.CandidateRows(s, cube, flags, cube, cube, flags)
    joints = path.JointCosts(revolute, lower, upper, np.ones(n))
    chains = path.CandidateChains(np.zeros((2, 1), np.int64), flags.copy(), np.zeros(1))
    path.choose_into(candidates, joints, np.ones(1), 1, True, chains)
    left, right = path.PieceEnds(np.zeros(1), rows, rows, rows), path.PieceEnds(np.ones(1), rows, rows, rows)
    path.quintics_into(left, right, lower, upper, np.empty((1, 6, n)), rows.copy(), np.empty((1, 2)))
    goals = one_branch.Targets(s[:1], targets, motion, motion, np.zeros(1))
    one_branch.follow_into(arm, lower, upper, goals, left, right, np.empty(1))


def _tool_paths() -> None:
    zeros, which = np.zeros(1), np.zeros(1, np.intp)
    curves = elements.CurveArrays(np.ones((1, 2, 6)), np.zeros((1, 2, 3)), zeros, np.eye(3)[None].copy(), zeros + 1.0)
    rows = elements.RowArrays(np.arange(2.0), np.array([[0.0, 1.0]]), which)
    elements.frames_into(curves, rows, zeros, np.empty((1, 4, 4)))
    elements.derivatives_at_into(curves, rows, zeros, np.empty((1, 4, 3)))
    elements.derivatives_in_rows_into(curves, rows, which, 0.0, np.empty((1, 4, 3)))
    elements.rates_each_into(curves, which, zeros, np.empty((1, 4, 3)))
    length.fit_rows_into(
        curves, zeros, np.linspace(0.0, 1.0, 10), np.ones((3, 8)), zeros, which, zeros, zeros + 1.0, zeros.copy(),
        np.empty((1, length.TERMS)), zeros.copy(),
    )  # fmt: skip


def _timing() -> None:
    breaks, curve = np.array([0.0, 1.0]), np.ones((1, 4, 1))
    parts, ones, rest = np.array([[0.0, 0.0, 1.0]]), np.ones(1), np.zeros(1)
    local, rows, x = np.empty((1, 4, 1)), np.empty((1, 24, 3)), np.empty(2)
    grid.corner_of(breaks, curve, 1, 1e-6, rest)
    topp.cut_into(curve, parts, local)
    topp.joint_rows_into(local, ones, ones, ones, rows, np.zeros(1), ones.copy())
    topp.sampled_rows_into(np.zeros((1, 3, 3, 1)), ones, ones, rows, np.zeros(1), ones.copy())
    topp.solve_into(rows, np.zeros(1), ones, rest, x, x.copy())
    topp.solve_on_into(rows, np.zeros(1), ones, rest, 0.0, x, x.copy(), x.copy())
    topp_curve.compose_into(local, np.zeros((1, 3)), np.empty((1, 7, 1)))
    t, s, edges = np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([0.0, 1.0])
    grid.area_into(t, s, x, x.copy())
    grid.edge_times_into(t, s, ones.repeat(2), np.zeros(2), 0.0, edges, edges, x.copy())
    grid.span_times_into(ones, ones, ones, np.zeros(2), ones.copy(), ones.copy())
    grid.even_into(t, s, ones.repeat(2), np.zeros(2), 0.0, parts, edges, edges, ones, parts.copy(), ones.copy())


def _smooth_timing() -> None:
    delta, z, ends = np.ones(6), np.ones(4), np.full(2, 0.6)
    ratio, top, slab, jerk = np.full(5, 0.5), np.empty(5), np.empty((4, 4, 1)), np.empty((4, 2, 3, 1))
    none, turns = np.empty((6, 3, 3, 0)), np.empty((6, 2, 3, 0))
    limits.limits_into(np.zeros((6, 4, 1)), delta, np.ones((3, 1)), none, turns, top, slab, jerk)
    problem = topp_jerk.JerkProblem(ratio, ends, np.ones(4), top, slab, jerk)
    limits.even_out(z, problem, delta, jerk[:, :, 2].copy())
    topp_jerk.calm(z, 8.0)
    topp_jerk.excess(z, problem)
    topp_jerk.fastest_into(z, problem, 1, 0.1, 1e-3)
    topp_curve.times_into(z, ratio, ends, delta, np.empty(6))
    topp_curve.cubics_into(delta, delta, np.empty((6, 4)), np.empty((7, 3)))
    topp_curve.peaks_into(np.zeros((1, 10, 1)), np.ones(1), np.ones((3, 1)), np.empty((1, 3)))


def _state() -> None:
    joints, poses, out = (
        np.zeros((pack_state.ROWS, 1)),
        _target(),
        np.empty(pack_state.ROWS + 2 * pack_state.SEVEN + 1, "<f4"),
    )
    pack_state.state_into(joints, np.ones(1), poses, poses, np.zeros(1), out)


def _inertial_sensors() -> None:
    constants, revolute, _, _ = _smallest_arm()
    mount, rows, three = np.zeros(12), np.zeros((1, 1)), np.zeros((1, 3))
    mount[[0, 4, 8]] = 1.0
    imu.motion_into(constants, revolute, mount, 1, np.zeros(3), rows, rows, rows, np.empty((1, imu.WIDTH)))
    sensor_noise.noise_into(
        np.zeros((1, 9)), three[0], three[0], three[0], np.zeros((1, 2)), three.copy(), three[0].copy(), three.copy()
    )
    sensor_noise.low_pass_into(three, three[0], three[0], np.zeros((2, 3)), three.copy())


def _navigation() -> None:
    t, three, turns = np.arange(2.0), np.zeros((2, 3)), np.zeros((2, 4))
    turns[0, 0] = 1.0
    filters.strapdown_into(t, three, three, np.zeros(3), np.hstack([turns, np.zeros((2, 6))]))
    filters.complementary_into(t, three, three, 1.0, turns)
    filters.mahony_into(t, three, three, three, (1.0, 0.0, 1.0), turns, np.zeros(3))
    filters.madgwick_into(t, three, three, three, 1.0, turns)
    vqf.vqf_into(three, three, three, 0.01, VqfParameters(), np.empty((2, vqf.COLUMNS)))
    state = np.zeros((2, eskf.STATE))
    state[0, 0] = 1.0
    noise = eskf.EskfNoise(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1)
    eskf.eskf_into(t, three, three, np.ones(2), 9.81, noise, np.eye(eskf.N), state)


def _arm_estimator() -> None:
    constants, revolute, _, _ = _smallest_arm()
    frame = np.zeros((1, 12))
    frame[0, [0, 4, 8]] = 1.0
    arm = arm_filter.ArmChain(constants, revolute, frame, np.ones(1), np.zeros(3))
    noise = arm_filter.ArmNoise(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    commands, loads, readings, N = np.zeros((1, 3, 1)), np.zeros((1, 2, 1)), np.zeros((1, 1, 6)), 10
    row, one = np.empty((1, imu.WIDTH)), np.zeros((1, 1))
    arm_filter.derivatives_into(arm, one, one.copy(), one.copy(), row, np.empty((1, 1, 6)), np.empty((1, 1, 6)))
    arm_filter.filter_into(
        arm, 0.01, commands, loads, readings, noise, 1, np.zeros(N), np.eye(N), np.empty((1, N)), np.empty((1, 1))
    )


def _free_paths() -> None:
    warm_up_planning(_two_objects())


GROUPS: dict[str, Callable[[], None]] = {
    "proximity": _proximity,
    "rigid bodies": _rigid_bodies,
    "poses": _poses,
    "state": _state,
    "jog": _jog,
    "closed forms": _closed_forms,
    "polynomials": _polynomials,
    "moves": _moves,
    "sweeps": _sweeps,
    "collisions": _collisions,
    "free paths": _free_paths,
    "search": _search,
    "nearest poses": _nearest_poses,
    "timing": _timing,
    "gate": _gate,
    "smooth timing": _smooth_timing,
    "follow": _follow,
    "tool paths": _tool_paths,
    "seven axes": _seven_axes,
    "six axes": _six_axes,
    "jacobians": _jacobians,
    "hulls": _hulls,
    "accelerations": _accelerations,
    "regressor": _regressor,
    "servos": _servos,
    "setpoints": _setpoints,
    "arm estimator": _arm_estimator,
    "navigation": _navigation,
    "inertial sensors": _inertial_sensors,
}
"""Kernels that belong together, in the order in which people need them; groups can be compiled at the same time."""
FIRST = ("proximity", "rigid bodies", "poses", "state", "jog")
"""What a new session needs to be shown and jogged: tests compare it with what a new session calls."""
