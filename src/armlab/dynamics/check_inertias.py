"""Are the masses of an arm believable? What files from outside get wrong most often: units, zeros, frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.bodies import moving_mass, weighed, with_payload
from armlab.dynamics.forces import gravity_torque, mass_matrix
from armlab.geometry import solid
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.kernels import cholesky
from armlab.messages import Message, _, term
from armlab.model.finding import Finding, Severity
from armlab.model.robot import Robot
from armlab.units import MM_PER_M

SLACK = 1e-6
"""How far principal moments may break the triangle's rule, as a share of the largest: files are rounded."""
THIN = 1e-6
"""The smallest moment as a share of the largest below which a body is a line."""
OFF = 30.0
"""How many times larger or smaller an inertia may be than that of the shapes with the same mass."""
OUTSIDE = 0.25
"""How far outside the box round its shapes a centre of mass may be, as a share of the box's diagonal."""
LIGHTEST, HEAVIEST = 0.5, 2000.0
"""kg of moving mass per cubic metre of the arm's length: from tubes to cast iron, with room on both sides."""
POSES, SWEEPS, PLACES = 2000, 3, 33


def check_inertias(robot: Robot) -> list[Finding]:
    """Return what is wrong, doubtful or worth knowing about the masses, inertias and drives of an arm."""
    parts = [(term(_("link '{link}'"), link=link.name), link.inertia, link.shapes) for link in robot.links[1:]]
    found = [finding for part in parts for finding in _body(*part, is_tool=False)]
    who = term(_("tool '{tool}'"), tool=robot.tool.name)
    found += _body(who, robot.tool.inertia, robot.tool.shapes, is_tool=True)
    found += _whole(robot)
    found += _inert(robot)
    found += _holding(weighed(robot))
    if any("mass" in what for what in robot.estimated):
        message = Message("masses_estimated", _("{robot}: its masses are estimated, not published"), robot=robot.name)
        found.append(Finding("note", message))
    return found


def _about(level: Severity, code: str, template: str, who: Message, **facts: Any) -> Finding:
    """Return a finding about one body."""
    return Finding(level, Message(code, template, who=who, **facts), {"body": str(who)})


def _body(who: Message, inertia: Inertia, shapes: Sequence[Shape], *, is_tool: bool) -> Iterable[Finding]:
    """Check one body by itself."""
    moments: Floats = np.linalg.eigvalsh(inertia.matrix).astype(np.float64)
    if inertia.mass == 0.0:
        if moments[2] > 0.0:
            yield _about("error", "inertia_without_mass", _("{who}: inertia without mass"), who)
        elif not is_tool and shapes:
            template = _("{who}: no mass stated; a simulation estimates it from the shapes")
            yield _about("warning", "no_mass", template, who)
        elif not is_tool:
            template = _("{who}: no mass stated, and no shape to estimate it from")
            yield _about("warning", "no_mass", template, who)
        return
    yield from _moments(who, moments)
    yield from _place(who, inertia, shapes)
    if moments[2] > 0.0 and shapes:
        expected = float(np.trace(solid.inertia(shapes, mass=inertia.mass).matrix))
        ratio = float(moments.sum()) / expected
        if not 1.0 / OFF < ratio < OFF:
            message = Message(
                "inertia_off",
                _("{who}: its inertia is {ratio:.2g} × that of its shapes with {mass:.3g} kg; is it in another unit?"),
                who=who,
                ratio=ratio,
                mass=inertia.mass,
            )
            yield Finding("warning", message, {"body": str(who), "ratio": ratio})


def _moments(who: Message, moments: Floats) -> Iterable[Finding]:
    low, middle, high = (float(value) for value in moments)
    facts = {"low": low, "middle": middle, "high": high}
    if high <= 0.0:
        yield _about("warning", "no_inertia", _("{who}: mass without inertia, like a point"), who)
    elif low < -SLACK * high:
        template = _("{who}: principal moments must be ≥ 0, got {low:.3g}, {middle:.3g}, {high:.3g} kg m²")
        yield _about("error", "inertia_negative", template, who, **facts)
    elif low + middle < high * (1.0 - SLACK):
        template = _(
            "{who}: principal moments {low:.3g}, {middle:.3g}, {high:.3g} kg m² are impossible: "
            "each must be at most the sum of the other two"
        )
        yield _about("error", "inertia_triangle", template, who, **facts)
    elif low < THIN * high:
        template = _("{who}: principal moments {low:.3g}, {middle:.3g}, {high:.3g} kg m² are those of a line")
        yield _about("warning", "inertia_thin", template, who, **facts)


def _place(who: Message, inertia: Inertia, shapes: Sequence[Shape]) -> Iterable[Finding]:
    if not shapes:
        return
    points = np.concatenate([solid.hull_points(shape) for shape in shapes])
    low, high = points.min(axis=0), points.max(axis=0)
    distance = float(np.linalg.norm(np.maximum(0.0, np.maximum(low - inertia.com, inertia.com - high))))
    size = float(np.linalg.norm(high - low))
    if distance > OUTSIDE * size:
        message = Message(
            "centre_outside",
            _("{who}: its centre of mass is {distance:.0f} mm outside its shapes, which measure {size:.0f} mm"),
            who=who,
            distance=distance * MM_PER_M,
            size=size * MM_PER_M,
        )
        yield Finding("warning", message, {"body": str(who), "distance": distance})


def _whole(robot: Robot) -> Iterable[Finding]:
    """Compare the mass of the arm with its length."""
    mass = moving_mass(robot)
    length = robot.chain.reach
    if mass == 0.0 or length == 0.0:
        return
    ratio = mass / length**3
    if not LIGHTEST < ratio < HEAVIEST:
        template = (
            _("{robot}: {mass:.3g} kg is little for a robot {length:.0f} mm long; is it in another unit?")
            if ratio <= LIGHTEST
            else _("{robot}: {mass:.3g} kg is much for a robot {length:.0f} mm long; is it in another unit?")
        )
        message = Message("mass_off", template, robot=robot.name, mass=mass, length=length * MM_PER_M)
        yield Finding("warning", message, {"mass": mass, "length": length})


def _inert(robot: Robot) -> Iterable[Finding]:
    """Find a joint that moves no inertia: its acceleration would be unbounded, unless shapes stand in for masses."""
    M = mass_matrix(robot, _poses(robot, 16))
    joint = cholesky.solve_into(M, np.zeros(M.shape[:2]))
    if joint >= 0:
        name = robot.joints[joint].name
        shaped = all(link.inertia.mass > 0.0 or link.shapes for link in robot.links[1:])
        level: Severity = "warning" if shaped else "error"
        message = Message("no_inertia_moved", _("joint '{joint}': it moves no inertia"), joint=name)
        yield Finding(level, message, {"joint": name})


def _holding(robot: Robot) -> Iterable[Finding]:
    """Compare drives with the weight that they hold, at the pose where it is heaviest."""
    own = _heaviest(robot)
    loaded = _heaviest(with_payload(robot, robot.payload)) if robot.payload else own
    for i, joint in enumerate(robot.joints):
        unit = term(_("N m")) if joint.kind == "revolute" else term(_("N"))
        facts: dict[str, Any] = {"joint": joint.name, "effort": joint.effort, "unit": unit}
        if own[i] > joint.effort:
            template = _(
                "joint '{joint}': the drive gives {effort:.3g} {unit}; "
                "holding the robot needs up to {torque:.3g} {unit}"
            )
            message = Message("cannot_hold_itself", template, torque=float(own[i]), **facts)
            yield Finding("error", message, {"joint": joint.name, "torque": float(own[i])})
        elif loaded[i] > joint.effort:
            template = _(
                "joint '{joint}': the drive gives {effort:.3g} {unit}; "
                "holding the payload of {payload:g} kg at the tool needs up to {torque:.3g} {unit}"
            )
            message = Message("cannot_hold_payload", template, torque=float(loaded[i]), payload=robot.payload, **facts)
            yield Finding("warning", message, {"joint": joint.name, "torque": float(loaded[i])})


def _poses(robot: Robot, count: int) -> Floats:
    """Return seeded poses (count, n) between the limits; of a joint without stops one turn."""
    turns = robot.chain.revolute > 0.5
    lower = np.where(turns, np.maximum(robot.lower, -2.0 * np.pi), robot.lower)
    upper = np.where(turns, np.minimum(robot.upper, 2.0 * np.pi), robot.upper)
    return np.asarray(np.random.default_rng(0).uniform(np.minimum(lower, upper), upper, (count, robot.dof)))


def _heaviest(robot: Robot) -> Floats:
    """Return the largest holding force of each joint (n,), looked for from the best of many poses, axis by axis."""
    q = _poses(robot, POSES)
    lowest, highest = q.min(axis=0), q.max(axis=0)
    load = np.abs(gravity_torque(robot, q))
    best = np.empty(robot.dof)
    for i in range(robot.dof):
        here, best[i] = q[load[:, i].argmax()], load[:, i].max()
        for axis in list(range(robot.dof)) * SWEEPS:
            tried = np.repeat(here[None], PLACES, axis=0)
            tried[:, axis] = np.linspace(lowest[axis], highest[axis], PLACES)
            values = np.abs(gravity_torque(robot, tried)[:, i])
            if values.max() > best[i]:
                here, best[i] = tried[values.argmax()], values.max()
    return best
