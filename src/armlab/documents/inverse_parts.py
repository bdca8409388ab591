"""The inverse part of the report: the closed form step by step, and the numeric method at work."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.documents.blocks import Block, Heading, Picture, formulas, table
from armlab.documents.notation import CLOSE, OPEN, PLUS, Row, Sup, Sym, from_sympy, number, separated
from armlab.documents.pictures import png_of
from armlab.documents.sentences import explained, said
from armlab.figures.convergence import draw_convergence
from armlab.kinematics.lm_trace import LmStep, LmTrace, lm_trace
from armlab.kinematics.symbolic.derivation import Derivation, NumericDerivation
from armlab.messages import Message, _, term, tr
from armlab.model.robot import Robot
from armlab.units import MM_PER_M

MARGIN = 0.02
"""A start keeps this part of a joint's range away from its limits."""
FIRST, LAST = 20, 5
"""Of a long trace so many steps are shown."""
_STOPS = {
    "error": _(
        "It ended after {count} steps because the error is small enough; the tool is then {gap} mm from the target."
    ),
    "step": _(
        "It ended after {count} steps because they have become too small: it is stuck; the tool is then {gap} mm from "
        "the target."
    ),
    "gradient": _(
        "It ended after {count} steps because no small step makes the error smaller: it is stuck; the tool is then "
        "{gap} mm from the target."
    ),
    "steps": _("It ended after {count} steps because no more were allowed; the tool is then {gap} mm from the target."),
}


def inverse_blocks(derivation: Derivation) -> list[Block]:
    """Return the inverse problem step by step."""
    out: list[Block] = [Heading(2, tr("The inverse problem"))]
    if not derivation.inverse:
        return [*out, said(_("This arm has no short closed form; the numeric method below needs none."))]
    point = separated([(Sym(axis),) for axis in "xyz"])
    first, last = (Sym("r", "11"),), (Sym("r", "33"),)
    given = _("Given are the tool's point {point} and its rotation {first} to {last}.")
    out.append(said(given, point=point, first=first, last=last))
    for i, step in enumerate(derivation.inverse, 1):
        out += [Heading(3, tr("Step {number}: {title}", number=i, title=step.title)), *explained(step)]
        if step.equations:
            out.append(formulas(*((from_sympy(left), from_sympy(right)) for left, right in step.equations)))
    return out


def numeric_blocks(robot: Robot, at: NumericDerivation) -> list[Block]:
    """Return the Levenberg–Marquardt method on its way to the tool's pose at these joints."""
    name, start, trace = best_trace(robot, at.q, at.tool)
    transposed: Row = (Sup((Sym("J"),), (Sym("T"),)),)
    step: Row = (Sym("Delta"), Sym("theta"))
    left: Row = (OPEN, *transposed, Sym("J"), PLUS, Sym("lambda"), Sym("I"), CLOSE, *step)
    values = robot_values(robot, start)
    out: list[Block] = [
        Heading(2, tr("The inverse problem by numbers: Levenberg–Marquardt")),
        said(
            _(
                "The target is the tool's pose of this report; the start: {start} ({values}). In each step Δθ solves "
                "the equation below. If the error ‖e‖ decreases, the step is accepted and λ is reduced; otherwise it "
                "is rejected and λ is increased."
            ),
            start=name,
            values=values,
        ),
        formulas((left, (*transposed, Sym("e")))),
    ]
    if trace.steps:
        out.append(_table(trace))
    gap = number(trace.position_error * MM_PER_M, 3)
    out.append(said(_STOPS[trace.stop], count=len(trace.steps), gap=gap))
    if trace.steps:
        out.append(Picture("convergence", png_of(draw_convergence(trace)), tr("Error and damping, step by step.")))
    return out


def _table(trace: LmTrace) -> Block:
    is_long = len(trace.steps) > FIRST + LAST
    rows = [_row(i, step) for i, step in enumerate(trace.steps, 1)]
    if is_long:
        rows = [*rows[:FIRST], ["…"] * 6, *rows[-LAST:]]
    head: list[str | Row] = [
        tr("step"),
        tr("error ‖e‖ [mm]"),
        tr("gradient"),
        (Sym("lambda"),),
        tr("step length"),
        tr("accepted"),
    ]
    return table(head, rows, words=(0, 5))


def _row(i: int, step: LmStep) -> list[str | Row]:
    numbers = [number(v, 4) for v in (step.error * MM_PER_M, step.gradient, step.damping, step.step)]
    return [str(i), *numbers, tr("yes") if step.accepted else tr("no")]


def best_trace(robot: Robot, q: Floats, T_world_tool: Floats) -> tuple[Message, Floats, LmTrace]:
    """Return the name of a start, the start and its trace: the first one that reaches the target, or else the first."""
    tried = [(name, start, lm_trace(robot, T_world_tool, start, task="pose")) for name, start in starts(robot, q)[:1]]
    if not tried[0][2].converged:
        tried += [
            (name, start, lm_trace(robot, T_world_tool, start, task="pose")) for name, start in starts(robot, q)[1:]
        ]
    return next((attempt for attempt in tried if attempt[2].converged), tried[0])


def starts(robot: Robot, q: Floats) -> list[tuple[Message, Floats]]:
    """Return starts that are not `q` itself, inside the limits: home, named ones, the middle of the ranges."""
    finite = np.isfinite(robot.lower) & np.isfinite(robot.upper)
    lower, upper = np.where(finite, robot.lower, -1.0), np.where(finite, robot.upper, 1.0)
    named = [(term(_("home")), robot.home)]
    named += [(term(_("configuration '{name}'"), name=name), q) for name, q in robot.configurations.items()]
    named.append((term(_("the middle of the ranges")), (lower + upper) / 2.0))
    edge = np.where(finite, (upper - lower) * MARGIN, 0.0)
    inside = [(name, np.clip(pose, robot.lower + edge, robot.upper - edge)) for name, pose in named]
    apart = [(name, pose) for name, pose in inside if not np.allclose(pose, q, atol=2.0 * edge.max() + 1e-3)]
    return apart or [(term(_("a quarter of the ranges")), lower + (upper - lower) / 4.0)]


def robot_values(robot: Robot, q: Floats) -> str:
    """Return joint values in a line."""
    from armlab.figures.style import joint_text

    return ", ".join(joint_text(robot, q).split("   "))
