"""The derivation of a session's arm: all of it, chosen sections with the numbers of one pose, or the numbers alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated

from fastapi import APIRouter, Query

from armlab.arrays import Floats
from armlab.documents import dynamic_parts, inverse_parts, kinematic_parts
from armlab.documents.blocks import Block
from armlab.documents.pose_numbers import dynamic_numbers, forward_numbers, inverse_numbers, singular_numbers
from armlab.documents.substitution import Numbers
from armlab.errors import InvalidInput
from armlab.kinematics.symbolic.check import check_formula
from armlab.kinematics.symbolic.derivation import Derivation, NumericDerivation
from armlab.kinematics.symbolic.evaluate import evaluate
from armlab.messages import _, reader
from armlab.model.robot import Robot
from armlab.reports.formula import FormulaNames, FormulaReport, formula_names, formula_report
from armlab.server.mathematics import KEPT, Typesetter, derivation_numbers, derivation_of
from armlab.server.messages import DerivationNumbers, DerivationPage
from armlab.server.requests import FormulaQuestion
from armlab.server.routes.session import ERRORS, Found, JointText, asked_joints

Part = Callable[[Robot, Derivation, NumericDerivation], list[Block]]

PARTS: dict[str, Part] = {
    "joints": kinematic_parts.joint_blocks,
    "table": lambda _robot, derivation, at: kinematic_parts.table_blocks(derivation, at),
    "matrices": lambda _robot, derivation, at: kinematic_parts.matrix_blocks(derivation, at),
    "products": lambda _robot, derivation, at: kinematic_parts.product_blocks(derivation, at),
    "tool": kinematic_parts.tool_blocks,
    "jacobian": lambda _robot, derivation, at: kinematic_parts.jacobian_blocks(derivation, at),
    "singular": lambda _robot, derivation, at: kinematic_parts.singular_blocks(derivation, at),
    "inverse": lambda _robot, derivation, _at: inverse_parts.inverse_blocks(derivation),
    "dynamics": dynamic_parts.dynamic_blocks,
}
"""The sections, in their order, and how each is written."""

PutIn = Annotated[bool, Query(description="Whether to put the numbers into every formula.")]
Names = Annotated[str, Query(max_length=200, description="Sections, separated by commas.")]

router = APIRouter(prefix="/api/sessions", responses=ERRORS)


@router.get("/{session}/derivation")
def derivation(worker: Found) -> DerivationPage:
    """Every formula of the arm, as LaTeX; the first time an arm is derived takes some seconds."""
    return whole_derivation(worker.session.robot)


@router.get("/{session}/derivation/numbers")
def numbers(worker: Found, q: JointText = None) -> DerivationNumbers:
    """The numbers of all formulas at joint values `q`."""
    return derivation_numbers(worker.session.robot, asked_joints(worker, q))


@router.get("/{session}/derivation/at")
def derivation_at(worker: Found, sections: Names, q: JointText = None, put_in: PutIn = False) -> DerivationPage:
    """Chosen sections of the derivation, every number and sentence in them for the pose `q`."""
    return sections_at(worker.session.robot, asked_joints(worker, q), sections.split(","), put_in=put_in)


@router.get("/{session}/formula")
def formula_words(worker: Found) -> FormulaNames:
    """What a formula can be about, and the names that it may use."""
    return formula_names(worker.session.robot)


@router.post("/{session}/formula")
def formula(worker: Found, question: FormulaQuestion) -> FormulaReport:
    """Whether a formula is right; where not, a pose at which it is wrong, in numbers."""
    return formula_report(check_formula(worker.session.robot, question.quantity, question.text))


def whole_derivation(robot: Robot) -> DerivationPage:
    """Return every formula of an arm, with the numbers of its home configuration where there are any."""
    return _whole_in(robot, reader.get())


@lru_cache(maxsize=KEPT)
def _whole_in(robot: Robot, _language: str) -> DerivationPage:
    """Return the same; it is kept for each language."""
    return sections_at(robot, robot.home, list(PARTS))


def sections_at(robot: Robot, q: Floats, names: list[str], *, put_in: bool = False) -> DerivationPage:
    """Return the sections `names` of the arm's derivation at `q` (n,), in their order, where it has them.

    With `put_in`, every formula also comes with its numbers in the place of its letters.

    Raises:
        InvalidInput: if there is no section of a name.
    """
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        text = _("sections: '{name}' is not known; known: {known}")
        raise InvalidInput("unknown_section", text, name=unknown[0], known=list(PARTS))
    derivation = derivation_of(robot)
    at, typesetter = evaluate(derivation, q), _typesetter(robot)
    written = ((name, part(robot, derivation, at)) for name, part in PARTS.items() if name in names)
    return DerivationPage(
        robot=robot.name,
        sections=tuple(
            typesetter.section(name, blocks, _numbers(name, derivation, at) if put_in else None)
            for name, blocks in written
            if blocks
        ),
    )


def _numbers(section: str, derivation: Derivation, at: NumericDerivation) -> Numbers:
    """Return what is put into the formulas of a section."""
    own = {"singular": singular_numbers, "inverse": inverse_numbers, "dynamics": dynamic_numbers}
    return own.get(section, forward_numbers)(derivation, at)


@lru_cache(maxsize=KEPT)
def _typesetter(robot: Robot) -> Typesetter:
    return Typesetter(robot, derivation_of(robot))
