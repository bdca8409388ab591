"""Right answers to the labs, worked out as a student would, without armlab's solvers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from armlab.studies.course.lab import Values, variant
from armlab.studies.course.labs import LABS
from armlab.studies.course.physics_labs import SHOWN, measurements, rest_record, turntable_record


def answers_of(number: int, student: str) -> dict[str, Any]:
    """Return right answers of a student's variant, as TOML would hold them."""
    return SOLUTIONS[number](variant(LABS[number - 1], student))


def turn(axis: str, degrees: float) -> Any:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    rows = {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]]}
    return np.array(rows.get(axis, [[c, -s, 0], [s, c, 0], [0, 0, 1]]))


def lab_1(v: Values) -> dict[str, Any]:
    a, b, c = v["abc"]
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = turn("z", a) @ turn("y", b) @ turn("x", c), v["xyz"]
    (_first, second, third), tool = v["joint_places"], v["tool_place"]
    rows = [[0, second[2], 0, 90], [0, 0, third[0], 0], [0, 0, tool[0] - third[0], 0]]
    p = T @ [*v["p_b"], 1]
    return {"T_a_b": T.tolist(), "p_a": p[:3].tolist(), "T_b_a": np.linalg.inv(T).tolist(), "dh": rows}


def lab_2(v: Values) -> dict[str, Any]:
    (l1, l2), (a, b) = v["lengths"], np.radians(v["q"])
    x, y = l1 * math.cos(a) + l2 * math.cos(a + b), l1 * math.sin(a) + l2 * math.sin(a + b)
    J = [[-y, -l2 * math.sin(a + b)], [x, l2 * math.cos(a + b)]]
    return {"x": "L1 c1 + L2 c12", "y": "L1 sin(t1) + L2 sin(t1+t2)", "point": [x, y], "J": J}


def lab_3(v: Values) -> dict[str, Any]:
    (l1, l2), (x, y) = v["lengths"], v["target"]
    B = math.hypot(x, y)
    elbow = math.acos((B * B - l1 * l1 - l2 * l2) / (2 * l1 * l2))
    aside = math.acos((l1 * l1 + B * B - l2 * l2) / (2 * l1 * B))
    both = [[math.atan2(y, x) - aside, elbow], [math.atan2(y, x) + aside, -elbow]]
    out = [k for k, (a, b) in enumerate(v["targets"], 1) if not abs(l1 - l2) <= math.hypot(a, b) <= l1 + l2]
    return {"elbows": np.degrees(both).tolist(), "r_max": l1 + l2, "r_min": abs(l1 - l2), "unreachable": out[0]}


def planar_tool(lengths: Any, q: Any) -> Any:
    angles = np.cumsum(q)
    return np.array([np.dot(lengths, np.cos(angles)), np.dot(lengths, np.sin(angles))])


def planar_jacobian(lengths: Any, q: Any) -> Any:
    h = 1e-6
    columns = [(planar_tool(lengths, q + h * e) - planar_tool(lengths, q - h * e)) / (2 * h) for e in np.eye(len(q))]
    return np.array(columns).T


def lab_4(v: Values) -> dict[str, Any]:
    lengths, start = v["lengths"], np.radians(v["start"])
    e, J = v["target"] - planar_tool(lengths, start), planar_jacobian(lengths, start)
    step = np.linalg.solve(J.T @ J + v["damping"] * np.eye(3), J.T @ e)
    found = []
    for guess in (start, -start, start + np.array([0.0, -1.5, 1.0])):
        made = least_squares(lambda q: planar_tool(lengths, q) - v["target"], guess)
        if made.cost < 1e-8:
            found.append(np.degrees(made.x))
    other = next(q for q in found[1:] if np.abs((q - found[0] + 180) % 360 - 180).max() > 10)
    return {
        "step": np.degrees(step).tolist(),
        "q": found[0].tolist(),
        "two": [found[0].tolist(), other.tolist()],
        "singular": [17.0, 0.0, 180.0],
    }


def lab_5(v: Values) -> dict[str, Any]:
    rise, T = v["end"] - v["start"], v["time"]
    c = [v["start"], 0, 0, 10 * rise / T**3, -15 * rise / T**4, 6 * rise / T**5]
    speed, a = v["speed"], v["acceleration"]
    shortest = 2 * math.sqrt(rise / a) if rise < speed**2 / a else rise / speed + speed / a
    return {"quintic": c, "peak": 1.875 * rise / T, "shortest": shortest}


def lab_6(v: Values) -> dict[str, Any]:
    w, h, feed = v["width"], v["height"], v["feed"]
    moves = [f"G1 X{w:g} F{feed:g}", f"G1 Y{h:g}", "G1 X0", "G1 Y0"]
    gcode = "\n".join(["G21 G90", "G0 X0 Y0 Z5", f"G1 Z0 F{feed / 2:g}", *moves, "G0 Z5", "M2"])
    krl = f"DEF answer()\nPTP {{A1 {v['a1']:g}}}\nLIN_REL {{Z -{v['down']:g}}}\nEND\n"
    return {"gcode": gcode, "krl": krl}


def lab_7(v: Values) -> dict[str, Any]:
    (l1, l2), (m1, m2), (a, b) = np.array(v["lengths"]) / 1000, v["masses"], np.radians(v["q"])
    g = 9.81
    second = m2 * g * l2 / 2 * math.cos(a + b)
    first = m1 * g * l1 / 2 * math.cos(a) + m2 * g * l1 * math.cos(a) + second
    i22 = m2 * l2**2 / 3
    i12 = i22 + m2 * l1 * l2 / 2 * math.cos(b)
    i11 = m1 * l1**2 / 3 + m2 * l1**2 + i22 + m2 * l1 * l2 * math.cos(b)
    own = g * (m1 * l1 / 2 + m2 * (l1 + l2 / 2))
    payload = max(0.0, (v["effort"] - own) / (g * (l1 + l2)))
    return {"tau": [first, second], "M": [[i11, i12], [i12, i22]], "payload": payload, "gap_ratio": 4.0}


def lab_8(v: Values) -> dict[str, Any]:
    """Draw back, turn, reach out; distance and link are read off armlab's own checker, as in the page."""
    from armlab.collision.checker import Checker
    from armlab.motion.joint import plan_joint
    from armlab.studies.course.motion_labs import cell_scene

    scene = cell_scene(v)
    checker, robot = Checker(scene), scene.robots[0].robot
    near = [d.value for d in checker.distances(np.radians(v["start"]), within=2.0) if "post" in (d.first, d.second)]
    hit = checker.sweep(plan_joint(robot, np.radians([v["start"], v["end"]]))).first_contact
    assert hit is not None
    via = [[0, -135, 110, 0, 60, 0], [v["end"][0], -135, 110, 0, 60, 0]]
    return {
        "distance": min(near) * 1000,
        "direct": hit.first if hit.second == "post" else hit.second,
        "via": via,
    }


def lab_9(v: Values) -> dict[str, Any]:
    rest, table = rest_record(v), turntable_record(v)
    x, y, z = rest[:, 1:4].mean(axis=0)
    tilt = np.degrees([math.atan2(y, z), math.atan2(-x, math.hypot(y, z))])
    radius = -table[:, 1].mean() / math.radians(table[:, 6].mean()) ** 2 * 1000
    return {"tilt": tilt.tolist(), "bias": rest[:, 4:7].mean(axis=0).tolist(), "radius": radius}


def lab_10(v: Values) -> dict[str, Any]:
    rows = measurements(v)[:SHOWN]

    def off(p: Any) -> Any:
        angles = np.cumsum(np.radians(rows[:, :2] + p[2:]), axis=1)
        return np.stack([np.cos(angles) @ p[:2], np.sin(angles) @ p[:2]], axis=1) - rows[:, 2:]

    nominal = np.array([*v["lengths"], 0.0, 0.0])
    found = least_squares(lambda p: off(p).ravel(), nominal).x
    return {"before": float(np.linalg.norm(off(nominal), axis=1).mean()), "parameters": found.tolist()}


SOLUTIONS = {
    1: lab_1, 2: lab_2, 3: lab_3, 4: lab_4, 5: lab_5, 6: lab_6, 7: lab_7, 8: lab_8, 9: lab_9, 10: lab_10,
}  # fmt: skip
