"""The inverse part of the report: the closed form step by step, and the numeric method at work."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.documents.blocks import Block, Heading, Picture, formulas, paragraph, table
from armlab.documents.notation import CLOSE, OPEN, PLUS, Row, Sup, Sym, from_sympy, number, separated
from armlab.documents.pictures import png_of
from armlab.documents.sentences import explained
from armlab.figures.convergence import draw_convergence
from armlab.kinematics.lm_trace import LmStep, LmTrace, lm_trace
from armlab.kinematics.symbolic.derivation import Derivation, NumericDerivation
from armlab.model.robot import Robot
from armlab.units import MM_PER_M

MARGIN = 0.02
"""A start keeps this part of a joint's range away from its limits."""
FIRST, LAST = 20, 5
"""Of a long trace so many steps are shown."""
_STOPS = {
    "error": "the error is small enough",
    "step": "the steps have become too small: it is stuck",
    "gradient": "no small move makes the error smaller: it is stuck",
    "steps": "no more steps were allowed",
}


def inverse_blocks(derivation: Derivation) -> list[Block]:
    """Return the inverse problem step by step."""
    out: list[Block] = [Heading(2, "The inverse problem")]
    if not derivation.inverse:
        return [*out, paragraph("This arm has no short closed form; the numeric method below needs none.")]
    point = separated([(Sym(axis),) for axis in "xyz"])
    first, last = (Sym("r", "11"),), (Sym("r", "33"),)
    out.append(paragraph("Given are the tool's point ", point, " and its rotation ", first, " to ", last, "."))
    for i, step in enumerate(derivation.inverse, 1):
        out += [Heading(3, f"Step {i}: {step.title}"), *explained(step)]
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
        Heading(2, "The inverse problem by numbers: Levenberg–Marquardt"),
        paragraph(
            f"The target is the tool's pose of this report, the start is {name} ({values}). In each step Δθ solves "
            "the equation below. If the error ‖e‖ falls, the step is accepted and λ shrinks, else it is refused and λ "
            "grows."
        ),
        formulas((left, (*transposed, Sym("e")))),
    ]
    if trace.steps:
        out.append(_table(trace))
    out.append(
        paragraph(
            f"It ended after {len(trace.steps)} steps because {_STOPS[trace.stop]}; the tool is then ",
            number(trace.position_error * MM_PER_M, 3),
            " mm from the target.",
        )
    )
    if trace.steps:
        out.append(Picture("convergence", png_of(draw_convergence(trace)), "Error and damping, step by step."))
    return out


def _table(trace: LmTrace) -> Block:
    is_long = len(trace.steps) > FIRST + LAST
    rows = [_row(i, step) for i, step in enumerate(trace.steps, 1)]
    if is_long:
        rows = [*rows[:FIRST], ["…"] * 6, *rows[-LAST:]]
    head: list[str | Row] = ["step", "error ‖e‖ [mm]", "gradient", (Sym("lambda"),), "length of step", "accepted"]
    return table(head, rows, words=(0, 5))


def _row(i: int, step: LmStep) -> list[str | Row]:
    numbers = [number(v, 4) for v in (step.error * MM_PER_M, step.gradient, step.damping, step.step)]
    return [str(i), *numbers, "yes" if step.accepted else "no"]


def best_trace(robot: Robot, q: Floats, T_world_tool: Floats) -> tuple[str, Floats, LmTrace]:
    """Return the name of a start, the start and its trace: the first one that reaches the target, or else the first."""
    tried = [(name, start, lm_trace(robot, T_world_tool, start)) for name, start in starts(robot, q)[:1]]
    if not tried[0][2].converged:
        tried += [(name, start, lm_trace(robot, T_world_tool, start)) for name, start in starts(robot, q)[1:]]
    return next((attempt for attempt in tried if attempt[2].converged), tried[0])


def starts(robot: Robot, q: Floats) -> list[tuple[str, Floats]]:
    """Return starts that are not `q` itself, inside the limits: home, the named poses, the middle of the ranges."""
    finite = np.isfinite(robot.lower) & np.isfinite(robot.upper)
    lower, upper = np.where(finite, robot.lower, -1.0), np.where(finite, robot.upper, 1.0)
    named = [("home", robot.home), *((f"the pose '{name}'", pose) for name, pose in robot.poses.items())]
    named.append(("the middle of the ranges", (lower + upper) / 2.0))
    edge = np.where(finite, (upper - lower) * MARGIN, 0.0)
    inside = [(name, np.clip(pose, robot.lower + edge, robot.upper - edge)) for name, pose in named]
    apart = [(name, pose) for name, pose in inside if not np.allclose(pose, q, atol=2.0 * edge.max() + 1e-3)]
    return apart or [("a quarter of the ranges", lower + (upper - lower) / 4.0)]


def robot_values(robot: Robot, q: Floats) -> str:
    """Return joint values in a line."""
    from armlab.figures.style import joint_text

    return ", ".join(joint_text(robot, q).split("   "))
