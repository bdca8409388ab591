"""The inverse problem of arms that turn about one axis and then bend in a plane through, or beside, it.

These are six joints with a spherical wrist (KUKA, ABB, Puma, …), six with three parallel ones (Universal Robots), and
five with a yaw, three bends and a roll (Braccio).

In the plane that turns with joint 1 the steps count along x and y of frame 1, which stands on axis 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from armlab.kinematics.symbolic.inverse_parts import (
    HALF_TURNS,
    QUARTER_TURNS,
    Expr,
    Pair,
    Steps,
    SymbolicChain,
    Target,
    Triangle,
    polar,
    real,
    sign,
    turned,
)
from armlab.messages import _

ZERO = sympy.S.Zero


@dataclass(frozen=True)
class _Arm:
    """A chain with the signs of its quarter and half turns.

    `tilt`: the sine of alpha_1; `ways[k]`: +1 or -1 as the axis of joint k (from 0) points along axis 2, up to the
    first that is not parallel to it.
    """

    chain: SymbolicChain
    tilt: Expr
    ways: tuple[Expr, ...]

    def joint(self, k: int, angle: Expr) -> tuple[Expr, Expr]:
        """Return joint k's variable, and its value when its row's theta is `angle`."""
        return self.chain.variables[k], angle - self.chain.zeros[k]

    def sine(self, k: int) -> Expr:
        """Return the sine of alpha after joint k."""
        return sympy.sin(self.chain.alpha[k])


def spherical_wrist_steps(chain: SymbolicChain) -> Steps | None:
    """Return the steps of six turning joints, the last three about one point; None if the table is not exactly so."""
    alpha = chain.alpha
    fits = alpha[0] in QUARTER_TURNS and alpha[1] in HALF_TURNS and {alpha[3], alpha[4]} <= set(QUARTER_TURNS)
    if not fits or any((chain.a[3], chain.a[4], chain.d[4])):
        return None
    arm, steps = _arm(chain, 3), Steps()
    target = Target(steps, chain)
    centre = _wrist_point(steps, arm, target, _("The wrist centre"))
    way = arm.ways[2]
    fore = (chain.a[2], -way * chain.d[3] * arm.sine(2))
    offset = chain.d[1] + way * (chain.d[2] + chain.d[3] * sympy.cos(alpha[2]))
    point = _shoulder(steps, arm, centre, offset)
    _two_links(steps, arm, point, fore, sign(2))
    _wrist_angles(steps, arm, target)
    return steps


def three_parallel_steps(chain: SymbolicChain) -> Steps | None:
    """Return the steps of six turning joints of which 2, 3 and 4 are parallel; None if the table is not exactly so."""
    if not _bends(chain) or chain.alpha[4] not in QUARTER_TURNS or chain.a[4] != 0:
        return None
    arm, steps = _arm(chain, 4), Steps()
    target = Target(steps, chain)
    centre = _wrist_point(steps, arm, target, _("Where axes 5 and 6 meet"))
    point = _shoulder(steps, arm, centre, _side(arm))
    K = _last_rotation(arm, target)
    s4, s5, way, choice = arm.sine(3), arm.sine(4), arm.ways[3], sign(2)
    along = [_along_bends(arm, K[:, k]) for k in range(3)]
    steps.begin(
        "joint_5",
        _("Joint 5"),
        _(
            "The angle between the axes of the three parallel joints and the last axis depends on joint 5 only; "
            "{sigma} is its sign."
        ),
        sigma=choice,
    )
    steps.put(*arm.joint(4, choice * sympy.acos(-s4 * s5 * way * along[2])))
    steps.begin(
        "joint_6",
        _("Joint 6"),
        _("The same axes seen from the tool; where {sine} = 0 this is undetermined."),
        sine=sympy.sin(real("theta_5")),
    )
    steps.put(*arm.joint(5, sympy.atan2(-s4 * way * choice * along[1], s4 * way * choice * along[0])))
    steps.begin(
        "sum_of_three",
        _("Sum of the three parallel joints"),
        _("{phi} is the rotation of link 4 in the plane of the arm, from the last axis."),
        phi=real("phi"),
    )
    x, y = _in_plane(arm, K[:, 2])
    phi = steps.let("phi", sympy.atan2(s5 * choice * y, s5 * choice * x))
    _three_bends(steps, arm, point, phi, (chain.a[3], -way * s4 * chain.d[4]), sign(3))
    return steps


def yaw_and_roll_steps(chain: SymbolicChain) -> Steps | None:
    """Return the steps of a yaw, three parallel bends and a roll; None if the table is not exactly so."""
    if not _bends(chain):
        return None
    arm, steps = _arm(chain, 4), Steps()
    target = Target(steps, chain)
    wrist = _wrist_point(steps, arm, target, _("The wrist"))
    point = _shoulder(steps, arm, wrist, _side(arm))
    K, s4, way = _last_rotation(arm, target), arm.sine(3), arm.ways[3]
    x, y = _in_plane(arm, K[:, 2])
    steps.begin(
        "sum_of_three",
        _("Sum of the three parallel joints"),
        _("{phi} is the rotation of link 4 in the plane of the arm, from the roll axis, which must lie in that plane."),
        phi=real("phi"),
    )
    phi = steps.let("phi", sympy.atan2(way * s4 * x, -way * s4 * y))
    _three_bends(steps, arm, point, phi, (chain.a[3], ZERO), sign(2))
    steps.begin("roll", _("The roll"), _("How the parallel axes lie in the tool's own frame."))
    steps.put(*arm.joint(4, sympy.atan2(way * s4 * _along_bends(arm, K[:, 0]), way * s4 * _along_bends(arm, K[:, 1]))))
    return steps


def _bends(chain: SymbolicChain) -> bool:
    alpha = chain.alpha
    return alpha[0] in QUARTER_TURNS and {alpha[1], alpha[2]} <= set(HALF_TURNS) and alpha[3] in QUARTER_TURNS


def _arm(chain: SymbolicChain, parallel_until: int) -> _Arm:
    ways: list[Expr] = [ZERO, sympy.S.One]
    for k in range(1, parallel_until - 1):
        ways.append(ways[-1] * sympy.cos(chain.alpha[k]))
    return _Arm(chain, sympy.sin(chain.alpha[0]), tuple(ways))


def _side(arm: _Arm) -> Expr:
    """Return how far the wrist of three bends is off the plane of axis 1, along axis 2."""
    return sum((arm.ways[k] * arm.chain.d[k] for k in (1, 2, 3)), ZERO)


def _wrist_point(steps: Steps, arm: _Arm, target: Target, title: str) -> tuple[Expr, Expr, Expr]:
    """Add the point from which the last joint's parts lead to the tool."""
    tail = arm.chain.after_last_turn()
    in_tool = -tail[:3, :3].T * tail[:3, 3]
    steps.begin(
        "wrist_point",
        title,
        _("It is fixed to the tool: go back from the tool's point along the tool's own axes."),
    )
    back = target.R * in_tool
    point = [target.point[i] + back[i] for i in range(3)]
    x, y, z = (steps.let(f"{name}_w", sympy.expand(e)) for name, e in zip("xyz", point, strict=True))
    return x, y, z


def _shoulder(steps: Steps, arm: _Arm, wrist: tuple[Expr, Expr, Expr], offset: Expr) -> Pair:
    """Add joint 1; return the wrist in the plane of the arm, counted from axis 2."""
    (x, y, z), chain, choice = wrist, arm.chain, sign(1)
    steps.begin(
        "joint_1",
        _("Joint 1"),
        _(
            "Seen along axis 1 the plane of the arm passes through the wrist, or at a fixed distance from it; {rho} is "
            "how far out the wrist is in that plane. With {sigma} = −1 the arm turns its back to the wrist."
        ),
        rho=real("rho"),
        sigma=choice,
    )
    across = -arm.tilt * offset
    rho = steps.let("rho", choice * sympy.sqrt(x**2 + y**2 - across**2))
    turn = sympy.atan2(choice * y, choice * x) if across == 0 else sympy.atan2(y, x) - sympy.atan2(across, rho)
    steps.put(*arm.joint(0, turn))
    steps.begin(
        "arm_plane",
        _("In the plane of the arm"),
        _("{r} and {h} lead from axis 2 to the wrist, along x and y of frame 1."),
        r=real("r"),
        h=real("h"),
    )
    return steps.let("r", rho - chain.a[0]), steps.let("h", arm.tilt * (z - chain.d[0]))


def _two_links(steps: Steps, arm: _Arm, point: Pair, fore: Pair, choice: sympy.Symbol) -> None:
    """Add joints 2 and 3 of two links that reach `point`; the second is `fore`."""
    steps.begin(
        "forearm", _("Length of the forearm"), _("From axis 3 to the wrist, and its angle to the link's x axis.")
    )
    second = polar(steps, fore, 3)
    triangle = Triangle((arm.chain.a[1], ZERO), second, point)
    psi = triangle.bend(steps, choice)
    steps.begin("joint_3", _("Joint 3"), _("From {psi} to the joint's own zero and sign."), psi=real("psi"))
    steps.put(*arm.joint(2, arm.ways[2] * (psi - second[1])))
    steps.begin(
        "joint_2",
        _("Joint 2"),
        _("The direction to the wrist, minus the angle between that line and the upper arm."),
    )
    steps.put(*arm.joint(1, triangle.direction(psi)))


def _three_bends(steps: Steps, arm: _Arm, point: Pair, phi: Expr, hand: Pair, choice: sympy.Symbol) -> None:
    """Add joints 2, 3 and 4, whose angles add up to `phi`; `hand` leads from axis 4 to the wrist."""
    chain = arm.chain
    steps.begin("axis_4", _("Back to axis 4"), _("With {phi} known, the hand is subtracted."), phi=real("phi"))
    back = turned(phi, hand)
    axis_4 = (steps.let("r_4", point[0] - back[0]), steps.let("h_4", point[1] - back[1]))
    _two_links(steps, arm, axis_4, (chain.a[2], ZERO), choice)
    so_far = chain.theta[1] + arm.ways[2] * chain.theta[2]
    steps.begin("joint_4", _("Joint 4"), _("What joints 2 and 3 leave of the sum."))
    steps.put(*arm.joint(3, arm.ways[3] * (phi - so_far)))


def _last_rotation(arm: _Arm, target: Target) -> sympy.Matrix:
    """Return the rotation just after the last joint's turn, in the frame before the first row."""
    return target.R * arm.chain.after_last_turn()[:3, :3].T


def _in_plane(arm: _Arm, direction: sympy.Matrix) -> Pair:
    """Return the parts of a direction along x and y of frame 1."""
    theta = arm.chain.theta[0]
    return sympy.cos(theta) * direction[0] + sympy.sin(theta) * direction[1], arm.tilt * direction[2]


def _along_bends(arm: _Arm, direction: sympy.Matrix) -> Expr:
    """Return the part of a direction along axis 2."""
    theta = arm.chain.theta[0]
    return arm.tilt * (sympy.sin(theta) * direction[0] - sympy.cos(theta) * direction[1])


def _wrist_angles(steps: Steps, arm: _Arm, target: Target) -> None:
    """Add joints 4, 5 and 6 of a spherical wrist: m = R_0^3ᵀ R."""
    chain = arm.chain
    steps.begin(
        "forearm_turn", _("Rotation of the forearm"), _("Joints 2 and 3 are parallel, so that their angles add up.")
    )
    bent = steps.let("theta_23", chain.variables[1] + arm.ways[2] * chain.variables[2])
    bent += chain.zeros[1] + arm.ways[2] * chain.zeros[2]
    K = _last_rotation(arm, target)
    tilt = chain.alpha[1] + chain.alpha[2]
    s, c = sympy.sin(tilt), sympy.cos(tilt)

    def seen(k: int) -> list[Expr]:
        """Return the k-th axis of the target in frame 3."""
        x, y = turned(-bent, _in_plane(arm, K[:, k]))
        z = _along_bends(arm, K[:, k])
        return [x, c * y + s * z, c * z - s * y]

    steps.begin(
        "wrist_decoupling",
        _("Wrist decoupling"),
        _(
            "The first three joints are known; what they leave of the target's rotation, {m} = {R03}ᵀ {R}, is up to "
            "the wrist. Five of its nine entries are needed."
        ),
        m=real("m"),
        R03=real("R_03"),
        R=real("R"),
    )
    first, second, third = seen(0), seen(1), seen(2)
    m13, m23, m33 = (steps.let(f"m{i + 1}3", third[i]) for i in range(3))
    m31, m32 = steps.let("m31", first[2]), steps.let("m32", second[2])
    s4, s5, choice = arm.sine(3), arm.sine(4), sign(3)
    steps.begin(
        "wrist_joints",
        _("Joints 4, 5 and 6"),
        _(
            "The three rotations of the wrist are read from {m} as Euler angles z, y, z; {sigma} is to which side "
            "joint 5 bends. Where {sine} = 0 only the sum or the difference of joints 4 and 6 is determined."
        ),
        m=real("m"),
        sigma=choice,
        sine=sympy.sin(real("theta_5")),
    )
    steps.put(*arm.joint(4, sympy.atan2(choice * sympy.sqrt(m13**2 + m23**2), -s4 * s5 * m33)))
    steps.put(*arm.joint(3, sympy.atan2(choice * s5 * m23, choice * s5 * m13)))
    steps.put(*arm.joint(5, sympy.atan2(-choice * s4 * m32, choice * s4 * m31)))
