"""The inverse problem of arms whose axes are all parallel: two or three turning joints, and at most one slide."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from armlab.kinematics.symbolic.inverse_parts import (
    HALF_TURNS,
    Expr,
    Pair,
    Steps,
    SymbolicChain,
    Target,
    Triangle,
    added,
    polar,
    real,
    sign,
    turned,
)
from armlab.messages import _

ZERO = sympy.S.Zero


@dataclass(frozen=True)
class _Plane:
    """The arm seen along its first axis.

    `ways`: +1 or -1 for every row, and for the tool, as its axis points; `lead` what stands before the first turning
    joint. For the k-th turning joint: `links[k]` leads to the next one, or to the tool's point, in a frame that turns
    with the joint; `fixed[k]` is the fixed turn just before it. `rest` is the fixed turn after the last.
    """

    turning: list[int]
    ways: list[Expr]
    lead: Pair
    links: list[Pair]
    fixed: list[Expr]
    rest: Expr


def planar_steps(chain: SymbolicChain) -> Steps | None:
    """Return the steps, or None if the axes are not exactly parallel."""
    if any(alpha not in HALF_TURNS for alpha in chain.alpha):
        return None
    plane, steps = _plane(chain), Steps()
    target = Target(steps, chain)
    x, y, z = target.point
    sliding = [i for i, turns in enumerate(chain.turns) if not turns]
    point, phi = (x - plane.lead[0], y - plane.lead[1]), None
    if len(plane.turning) == 3:
        R = target.R * chain.flange[:3, :3].T
        steps.begin(
            "tool_turn",
            _("Rotation of the tool"),
            _("{phi} is the angle by which all revolute joints together have turned the tool."),
            phi=real("phi"),
        )
        phi = steps.let("phi", sympy.atan2(R[1, 0], R[0, 0]))
        steps.begin(
            "last_revolute",
            _("Back to the last revolute joint"),
            _("Its position follows from the tool's point and from {phi}."),
            phi=real("phi"),
        )
        back = turned(phi - plane.rest, plane.links[2])
        point = (steps.let("x_w", point[0] - back[0]), steps.let("y_w", point[1] - back[1]))
    else:
        steps.begin(
            "first_axis", _("From the first axis"), _("The point relative to the axis of the first revolute joint.")
        )
        point = (steps.let("x_w", point[0]), steps.let("y_w", point[1])) if any(plane.lead) else point
    _turns(steps, chain, plane, point, phi)
    for i in sliding:
        _stroke(steps, chain, plane, i, z)
    return steps


def _turns(steps: Steps, chain: SymbolicChain, plane: _Plane, point: Pair, phi: Expr | None) -> None:
    """Add the steps for the turning joints."""
    steps.begin(
        "lengths",
        _("Lengths"),
        _("A link whose end is not on its own x axis has a straight length and an angle to that axis."),
    )
    first, second = (polar(steps, plane.links[k], k + 1) for k in range(2))
    triangle = Triangle(first, second, point)
    psi = triangle.bend(steps, sign(1))
    variables = [chain.variables[i] for i in plane.turning]
    ways, zeros = [plane.ways[i] for i in plane.turning], [chain.zeros[i] for i in plane.turning]
    steps.begin(
        "second_revolute",
        _("The second revolute joint"),
        _("From {psi} to the joint's own zero and sign."),
        psi=real("psi"),
    )
    bend = psi + first[1] - second[1]
    steps.put(variables[1], ways[1] * (bend - plane.fixed[1]) - zeros[1])
    steps.begin(
        "first_revolute",
        _("The first revolute joint"),
        _("The direction to the point, minus the angle between that line and the first link."),
    )
    steps.put(variables[0], ways[0] * (triangle.direction(psi) - first[1] - plane.fixed[0]) - zeros[0])
    if phi is not None:
        steps.begin(
            "third_revolute", _("The last revolute joint"), _("What the first two leave of the tool's rotation.")
        )
        so_far = sum((ways[k] * (variables[k] + zeros[k]) + plane.fixed[k] for k in range(2)), ZERO)
        steps.put(variables[2], ways[2] * (phi - plane.rest - so_far - plane.fixed[2]) - zeros[2])


def _stroke(steps: Steps, chain: SymbolicChain, plane: _Plane, i: int, z: Expr) -> None:
    others = sum((plane.ways[j] * d for j, d in enumerate(chain.d) if j != i), plane.ways[-1] * chain.flange[2, 3])
    steps.begin("stroke", _("The stroke"), _("Heights along parallel axes add up, independently of everything else."))
    steps.put(chain.variables[i], sympy.expand(plane.ways[i] * (z - others) - chain.zeros[i]))


def _plane(chain: SymbolicChain) -> _Plane:
    ways: list[Expr] = [sympy.S.One]
    for alpha in chain.alpha:
        ways.append(ways[-1] * sympy.cos(alpha))
    turning = [i for i, turns in enumerate(chain.turns) if turns]
    vectors: list[Pair] = [(ZERO, ZERO)]
    fixed: list[Expr] = [ZERO]
    for i, a in enumerate(chain.a):
        if chain.turns[i]:
            vectors.append((ZERO, ZERO))
            fixed.append(ZERO)
        else:
            fixed[-1] += ways[i] * chain.theta[i]
        angle = fixed[-1]
        vectors[-1] = added(vectors[-1], turned(angle, (a, ZERO)))
    tool = (chain.flange[0, 3], ways[-1] * chain.flange[1, 3])
    vectors[-1] = added(vectors[-1], turned(fixed[-1], tool))
    return _Plane(turning, ways, vectors[0], vectors[1:], fixed[:-1], fixed[-1])
