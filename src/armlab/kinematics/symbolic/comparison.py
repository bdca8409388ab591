"""A formula and the arm side by side, at points drawn once and for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kinematics.symbolic.formula import Formula, evaluate
from armlab.kinematics.symbolic.sampled_arm import END, CheckedQuantity, SampledArm
from armlab.kinematics.symbolic.vocabulary import JointVariable, Length, Meaning, Vocabulary
from armlab.messages import Message, _, term
from armlab.units import DEG_PER_RAD

POINTS = 400
SEED = 20250
RELATIVE = 1e-9
"""Two values are the same up to this, against the largest value of the quantity at the points."""
ROUNDING = 1e-12
"""The same, against the arm's size: for quantities that are zero throughout."""


class Points(NamedTuple):
    """Where to compare: joint values (m, n) in rad and mm, and the lengths (m,) in mm that are not the arm's own."""

    q: Floats
    lengths: Mapping[str, Floats]


class Comparison(NamedTuple):
    """Both values at every point."""

    yours: Floats
    expected: Floats
    apart: Floats
    size: float
    """The largest value of the quantity."""
    differs: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def in_mm(name: str, value: float) -> Message:
    """Return a length with its name: L1 = 50 mm."""
    return term(_("{name} = {value:.6g} mm"), name=name, value=float(value))


@dataclass(frozen=True, eq=False)
class Question:
    """One formula for one quantity of one arm."""

    arm: SampledArm
    what: CheckedQuantity
    formula: Formula
    words: Vocabulary
    meanings: Mapping[str, Meaning]

    @classmethod
    def of(cls, arm: SampledArm, what: CheckedQuantity, formula: Formula) -> Question:
        """Return the question with every name of the formula understood."""
        words = Vocabulary(arm)
        return cls(arm, what, formula, words, {name.text: words.meaning(name) for name in formula.names})

    @property
    def named(self) -> tuple[str, ...]:
        """The lengths that the formula names, as the table calls them."""
        return tuple(dict.fromkeys(m.name for m in self.meanings.values() if isinstance(m, Length)))

    def lengths_of_quantity(self) -> list[str]:
        """Return the lengths of the arm on which the quantity depends."""
        return [name for name, value in self.arm.own.items() if value and name not in END and self._depends_on(name)]

    def _depends_on(self, length: str) -> bool:
        points = self.random_points([length])
        with_own, with_others = (self.what.read(self.arm.at(points.q, used)) for used in ({}, points.lengths))
        return not np.allclose(with_own, with_others, rtol=0.0, atol=RELATIVE * self.what.size)

    def spelled(self, length: str) -> str:
        """Return a length's name as the formula spells it, else as L1 where it is one, else as the table does."""
        typed = (text for text, meaning in self.meanings.items() if meaning == Length(length))
        links = (link for link, name in self.words.links.items() if name == length)
        return next(typed, None) or next(links, None) or length

    def with_numbers(self, lengths: Iterable[str]) -> list[Message]:
        """Return lengths with the arm's numbers: L1 = 50 mm, L2 = 50 mm."""
        return [in_mm(self.spelled(name), self.arm.own[name]) for name in lengths]

    def random_points(self, lengths: Iterable[str]) -> Points:
        """Return the points of comparison, with these lengths sampled too; their signs stay the arm's."""
        draw, arm = np.random.default_rng(SEED), self.arm
        turns = draw.uniform(-np.pi, np.pi, (POINTS, arm.dof))
        q = np.where(arm.slides, turns * (arm.span / np.pi), turns)
        sampled = {}
        for name in lengths:
            sign = np.sign(arm.own[name]) or draw.choice([-1.0, 1.0], POINTS)
            sampled[name] = sign * draw.uniform(0.2, 1.2, POINTS) * arm.span
        return Points(q, sampled)

    def compare(self, points: Points) -> Comparison:
        """Return the formula's and the arm's values at some points."""
        return self._judged(points, self.words.values(self.meanings, *points))

    def compare_in_degrees(self, points: Points) -> Comparison:
        """Return the same as if the formula's angles were meant in degrees."""
        values = self.words.values(self.meanings, *points)
        for text, meaning in self.meanings.items():
            if isinstance(meaning, JointVariable) and not self.arm.slides[meaning.joint]:
                values[text] = values[text] * DEG_PER_RAD
        return self._judged(points, values)

    def _judged(self, points: Points, values: Mapping[str, Floats]) -> Comparison:
        expected = self.what.read(self.arm.at(*points))
        yours = evaluate(self.formula, values, len(expected))
        with np.errstate(all="ignore"):
            apart = self.what.apart(yours, expected)
        size = float(np.abs(expected).max())
        differs = ~(apart <= RELATIVE * size + ROUNDING * self.what.size)
        return Comparison(yours, expected, apart, size, differs)
