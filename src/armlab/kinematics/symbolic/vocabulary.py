"""What the names in a formula mean for one arm: joint values, lengths, and the shorthands c1, s12 of the papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from armlab.arrays import Floats
from armlab.kinematics.symbolic.formula import FUNCTIONS, Symbol, refuse
from armlab.kinematics.symbolic.sampled_arm import SampledArm
from armlab.messages import _

ANGLE_SPELLINGS = ("theta", "t", "th", "q", "θ")
SLIDE_SPELLINGS = ("d", "q")


@dataclass(frozen=True, slots=True)
class JointVariable:
    """The value of a joint, by its place in the arm (from 0)."""

    joint: int


@dataclass(frozen=True, slots=True)
class Length:
    """A length of the arm, by its name in the DH table or of the tool."""

    name: str


@dataclass(frozen=True, slots=True)
class Shorthand:
    """The sine or cosine of a sum of joint values: s12 = sin(theta1 + theta2)."""

    is_sine: bool
    joints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FixedAngle:
    """An angle of the DH table (rad), which is never sampled: alpha1, delta1."""

    value: float


Meaning: TypeAlias = JointVariable | Length | Shorthand | FixedAngle


class Vocabulary:
    """The names that a formula for one arm may use; `_` and capital letters make no difference."""

    def __init__(self, arm: SampledArm) -> None:
        self._arm = arm
        self.links = _link_lengths(arm)
        """L1, L2, … by the names of the table."""
        self._known: dict[str, Meaning] = {name.replace("_", ""): Length(name) for name in arm.own}
        self._known |= {link.lower(): Length(name) for link, name in self.links.items()}
        for i, row in enumerate(arm.table.rows, 1):
            self._known |= {f"{spelling}{i}": FixedAngle(row.alpha) for spelling in ("alpha", "α")}
            self._known |= {f"{spelling}{i}": FixedAngle(row.theta) for spelling in ("delta", "δ")}
        for i, slides in enumerate(arm.slides):
            for spelling in SLIDE_SPELLINGS if slides else ANGLE_SPELLINGS:
                self._known[f"{spelling}{i + 1}"] = JointVariable(i)
        self._own_names = {joint.name: JointVariable(i) for i, joint in enumerate(arm.robot.joints)}

    def meaning(self, name: Symbol) -> Meaning:
        """Return what a name means.

        A joint's own name, such as A1 or Z, means that joint, unless the arm numbers its joints otherwise.

        Raises:
            InvalidInput: if it means nothing; the message lists what does.
        """
        plain = name.text.replace("_", "")
        for found in (self._known.get(plain), self._own_names.get(name.text), self._known.get(plain.lower())):
            if found is not None:
                return found
        if match := re.fullmatch(r"([cs])([0-9]+)", plain.lower()):
            return self._shorthand(name, match[1] == "s", [int(digit) - 1 for digit in match[2]])
        if (match := re.fullmatch(r"(?:theta|th|t|θ)([0-9]+)", plain.lower())) and self._slides(int(match[1]) - 1):
            refuse(
                name.column,
                "joint_slides",
                _("joint {joint} is prismatic: its value is d{joint} or q{joint}, not '{text}'"),
                joint=match[1],
                text=name.text,
            )
        return refuse(
            name.column,
            "unknown_symbol",
            _("'{text}' is not known for {robot}; known: {known}"),
            text=name.text,
            robot=self._arm.robot.name,
            known=self.listed(),
        )

    def variable_name(self, joint: int) -> str:
        """Return the first spelling of a joint's value: theta_1, d_3."""
        return f"{'d' if self._arm.slides[joint] else 'theta'}_{joint + 1}"

    def values(self, meanings: Mapping[str, Meaning], q: Floats, lengths: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return the values (m,) of typed names at q (m, n); lengths not given are the arm's own."""
        return {text: self._value(meaning, q, lengths) for text, meaning in meanings.items()}

    def _value(self, meaning: Meaning, q: Floats, lengths: Mapping[str, Floats]) -> Floats:
        if isinstance(meaning, JointVariable):
            return q[:, meaning.joint]
        if isinstance(meaning, Length):
            return lengths.get(meaning.name, np.full(len(q), self._arm.own[meaning.name]))
        if isinstance(meaning, FixedAngle):
            return np.full(len(q), meaning.value)
        angle = q[:, list(meaning.joints)].sum(axis=1)
        return np.asarray(np.sin(angle) if meaning.is_sine else np.cos(angle))

    def _shorthand(self, name: Symbol, is_sine: bool, joints: list[int]) -> Shorthand:
        word = "sin" if is_sine else "cos"
        if len(set(joints)) < len(joints):
            refuse(
                name.column,
                "joint_twice",
                _("'{text}' names a joint twice; write {function}(…) with the angle that is meant"),
                text=name.text,
                function=word,
            )
        for joint in joints:
            if not 0 <= joint < self._arm.dof:
                refuse(
                    name.column,
                    "formula_joint",
                    _("'{text}': {robot} has no joint {joint}"),
                    text=name.text,
                    robot=self._arm.robot.name,
                    joint=joint + 1,
                )
            if self._slides(joint):
                refuse(
                    name.column,
                    "joint_without_angle",
                    _("'{text}': joint {joint} is prismatic, so it has no {function}"),
                    text=name.text,
                    joint=joint + 1,
                    function=word,
                )
        return Shorthand(is_sine, tuple(joints))

    def _slides(self, joint: int) -> bool:
        return 0 <= joint < self._arm.dof and self._arm.slides[joint]

    def listed(self) -> list[str]:
        """Return the names that a formula may use, series as their ends, then the functions."""
        arm = self._arm
        turning = [str(i) for i, slides in enumerate(arm.slides, 1) if not slides]
        angles = _series("theta", turning) + (f" (t{turning[0]}, q{turning[0]}, θ{turning[0]})" if turning else "")
        slides = _series("d", [str(i) for i, moves in enumerate(arm.slides, 1) if moves])
        rows = [str(i) for i in range(1, arm.dof + 1)]
        lengths = [_series("a", rows), _series("d", turning), _series("L", [link[1:] for link in self.links])]
        names = [angles, slides, *lengths, "x_t", "y_t", "z_t", "c1, s12 …" if len(turning) > 1 else "", "pi"]
        return [*filter(None, names), *FUNCTIONS]


def _link_lengths(arm: SampledArm) -> dict[str, str]:
    """Return L1, L2, … of an arm with parallel axes: those across the axes, then those along them."""
    if not arm.axes_are_parallel:
        return {}
    across = [name for name, value in arm.own.items() if name.startswith("a") and value]
    along = [name for name, value in arm.own.items() if name.startswith(("d", "h")) and value]
    return {f"L{i}": name for i, name in enumerate([*across, *along], 1)}


def _series(letter: str, numbers: Iterable[str]) -> str:
    names = [letter + number for number in numbers]
    return ", ".join(names) if len(names) < 4 else f"{names[0]} … {names[-1]}"
