"""Are the masses of an arm believable? What files from outside get wrong most often: units, zeros, frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.bodies import moving_mass, weighed, with_payload
from armlab.dynamics.forces import gravity_torque, mass_matrix
from armlab.kernels import rigid
from armlab.model import solid
from armlab.model.finding import Finding, Level
from armlab.model.parts import Inertia
from armlab.model.robot import Robot
from armlab.model.shape import Shape

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


def health(robot: Robot) -> list[Finding]:
    """Return what is wrong, doubtful or worth knowing about the masses, inertias and drives of an arm."""
    parts = [(f"link '{link.name}'", link.inertia, link.shapes) for link in robot.links[1:]]
    found = [finding for part in parts for finding in _body(*part, is_tool=False)]
    found += _body(f"tool '{robot.tool.name}'", robot.tool.inertia, robot.tool.shapes, is_tool=True)
    found += _whole(robot)
    found += _inert(robot)
    found += _holding(weighed(robot))
    if any("mass" in what for what in robot.estimated):
        found.append(_finding("note", "masses_estimated", f"{robot.name}: its masses are estimated, not published"))
    return found


def _finding(level: Level, code: str, message: str, **where: float | str) -> Finding:
    return Finding(level, code, message, where)


def _body(who: str, inertia: Inertia, shapes: Sequence[Shape], *, is_tool: bool) -> Iterable[Finding]:
    """Check one body by itself."""
    moments: Floats = np.linalg.eigvalsh(inertia.matrix).astype(np.float64)
    if inertia.mass == 0.0:
        if moments[2] > 0.0:
            yield _finding("error", "inertia_without_mass", f"{who}: it has inertia but no mass", body=who)
        elif not is_tool:
            instead = "; a simulation takes that of its shapes" if shapes else ", nor a shape to estimate one from"
            yield _finding("warning", "no_mass", f"{who}: it moves but has no mass{instead}", body=who)
        return
    yield from _moments(who, moments)
    yield from _place(who, inertia, shapes)
    if moments[2] > 0.0 and shapes:
        expected = float(np.trace(solid.inertia(shapes, mass=inertia.mass).matrix))
        ratio = float(moments.sum()) / expected
        if not 1.0 / OFF < ratio < OFF:
            yield _finding(
                "warning",
                "inertia_off",
                f"{who}: its inertia is {ratio:.2g} times that of its shapes with {inertia.mass:.3g} kg; "
                "is it in another unit?",
                body=who,
                ratio=ratio,
            )


def _moments(who: str, moments: Floats) -> Iterable[Finding]:
    low, middle, high = (float(value) for value in moments)
    shown = f"{low:.3g}, {middle:.3g}, {high:.3g} kg m²"
    if high <= 0.0:
        yield _finding("warning", "no_inertia", f"{who}: it has mass but no inertia, like a point", body=who)
    elif low < -SLACK * high:
        yield _finding("error", "inertia_negative", f"{who}: its principal moments {shown} are not positive", body=who)
    elif low + middle < high * (1.0 - SLACK):
        message = f"{who}: its principal moments {shown} belong to no body; each is at most the sum of the others"
        yield _finding("error", "inertia_triangle", message, body=who)
    elif low < THIN * high:
        yield _finding("warning", "inertia_thin", f"{who}: its principal moments {shown} are those of a line", body=who)


def _place(who: str, inertia: Inertia, shapes: Sequence[Shape]) -> Iterable[Finding]:
    if not shapes:
        return
    points = np.concatenate([solid.hull_points(shape) for shape in shapes])
    low, high = points.min(axis=0), points.max(axis=0)
    distance = float(np.linalg.norm(np.maximum(0.0, np.maximum(low - inertia.com, inertia.com - high))))
    size = float(np.linalg.norm(high - low))
    if distance > OUTSIDE * size:
        message = f"{who}: its centre of mass is {distance * 1e3:.0f} mm outside its shapes, which measure "
        yield _finding("warning", "centre_outside", f"{message}{size * 1e3:.0f} mm", body=who, distance=distance)


def _whole(robot: Robot) -> Iterable[Finding]:
    """Compare the mass of the arm with its length."""
    mass = moving_mass(robot)
    strokes = np.where(robot._revolute > 0.5, 0.0, np.maximum(np.abs(robot.lower), np.abs(robot.upper)))
    length = float(np.linalg.norm(robot._constants[1:, 9:], axis=1).sum() + strokes.sum())
    if mass == 0.0 or length == 0.0:
        return
    ratio = mass / length**3
    if not LIGHTEST < ratio < HEAVIEST:
        much = "little" if ratio <= LIGHTEST else "much"
        message = f"{robot.name}: {mass:.3g} kg is {much} for an arm {length * 1e3:.0f} mm long; is it in another unit?"
        yield _finding("warning", "mass_off", message, mass=mass, length=length)


def _inert(robot: Robot) -> Iterable[Finding]:
    """Find a joint that moves no inertia: its acceleration would be unbounded, unless shapes stand in for masses."""
    M = mass_matrix(robot, _poses(robot, 16))
    joint = rigid.solve_into(M, np.zeros(M.shape[:2]))
    if joint >= 0:
        name = robot.joints[joint].name
        shaped = all(link.inertia.mass > 0.0 or link.shapes for link in robot.links[1:])
        level: Level = "warning" if shaped else "error"
        yield _finding(level, "no_inertia_moved", f"joint '{name}': it moves nothing that has inertia", joint=name)


def _holding(robot: Robot) -> Iterable[Finding]:
    """Compare drives with the weight that they hold, at the pose where it is heaviest."""
    own = _heaviest(robot)
    loaded = _heaviest(with_payload(robot, robot.payload)) if robot.payload else own
    for i, joint in enumerate(robot.joints):
        unit = "N m" if joint.kind == "revolute" else "N"
        gives = f"its drive gives {joint.effort:.3g} {unit}"
        if own[i] > joint.effort:
            message = f"joint '{joint.name}': {gives} and cannot hold the arm, which needs up to {own[i]:.3g} {unit}"
            yield _finding("error", "cannot_hold_itself", message, joint=joint.name, torque=float(own[i]))
        elif loaded[i] > joint.effort:
            message = (
                f"joint '{joint.name}': {gives}; to hold the payload of {robot.payload:g} kg at the tool "
                f"it needs up to {loaded[i]:.3g} {unit}"
            )
            yield _finding("warning", "cannot_hold_payload", message, joint=joint.name, torque=float(loaded[i]))


def _poses(robot: Robot, count: int) -> Floats:
    """Return seeded poses (count, n) between the limits; of a joint without stops one turn."""
    turns = robot._revolute > 0.5
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
