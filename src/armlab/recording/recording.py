"""The recording: what joints did and were told to do over time, as arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, read_only
from armlab.errors import InvalidInput
from armlab.messages import Message, _, term
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.version import __version__

QUANTITIES = ("q", "qd", "qdd", "tau", "command_q", "command_qd", "command_qdd", "command_tau")
"""What is known of a joint at one time, in this order in all arrays: position, speed, acceleration and force as they
are, and as they are commanded."""
Q, QD, QDD, TAU, COMMAND_Q, COMMAND_QD, COMMAND_QDD, COMMAND_TAU = range(len(QUANTITIES))
SIGNALS = (
    "joint_gap_m",
    "kinetic_energy_J",
    "potential_energy_J",
    "tool_x_m",
    "tool_y_m",
    "tool_z_m",
    "tool_a_rad",
    "tool_b_rad",
    "tool_c_rad",
)
"""What is known of the whole arm at one time, in this order: the largest joint gap, the energies, and the tool's
pose in the world (KUKA's A, B, C)."""
JOINTS = "joints"
UNITS = "units"
"""Keys of the metadata: lists as JSON."""


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """Joint values over time, and what was recorded beside them; SI units, NaN where something was not recorded.

    The same type comes from a simulation's run, from the page's session and from a file, and goes to every kind of
    file: `export_recording`.
    """

    names: tuple[str, ...]
    """Of the joints."""
    t: Floats
    """(m,) s."""
    joints: Floats
    """(m, 8, n): the `QUANTITIES` of every joint."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[tuple[float, Finding], ...] = ()
    """Times and what was noticed."""
    findings: tuple[Finding, ...] = ()
    """What is wrong with the file."""
    signals: Floats | None = None
    """(m, 9): the `SIGNALS`, NaN where unknown; None where none was recorded."""

    def __post_init__(self) -> None:
        m, n = len(self.t), len(self.names)
        if np.shape(self.joints) != (m, len(QUANTITIES), n):
            raise InvalidInput(
                "recording_shape",
                _("joints: expected shape ({m}, {quantities}, {n}), got {shape}"),
                m=m,
                quantities=len(QUANTITIES),
                n=n,
                shape=str(np.shape(self.joints)),
            )
        if self.signals is not None:
            as_floats(np.nan_to_num(self.signals), (m, len(SIGNALS)), "signals")

    @classmethod
    def of(
        cls,
        robot: Robot,
        t: ArrayLike,
        joints: ArrayLike,
        source: Mapping[str, Any] | None = None,
        signals: Floats | None = None,
    ) -> Recording:
        """Return the recording of an arm: times (m,), `QUANTITIES` (m, 8, n) and, where known, `SIGNALS` (m, 9).

        `source` says where they come from.
        """
        names = tuple(joint.name for joint in robot.joints)
        times = as_floats(t, (None,), "t")
        facts = facts_of(robot, source or {})
        return cls(names, times, np.asarray(joints, dtype=np.float64), facts, signals=signals)

    @property
    def q(self) -> Floats:
        """Positions (m, n), rad or m."""
        return read_only(self.joints[:, Q])

    @property
    def qd(self) -> Floats:
        """Speeds (m, n), rad/s or m/s."""
        return read_only(self.joints[:, QD])

    @property
    def qdd(self) -> Floats:
        """Accelerations (m, n), rad/s² or m/s²."""
        return read_only(self.joints[:, QDD])

    @property
    def tau(self) -> Floats:
        """Forces (m, n), N m or N."""
        return read_only(self.joints[:, TAU])

    @property
    def command_q(self) -> Floats:
        """Where the joints were told to be, (m, n)."""
        return read_only(self.joints[:, COMMAND_Q])

    @property
    def command_qd(self) -> Floats:
        """How fast they were told to move, (m, n)."""
        return read_only(self.joints[:, COMMAND_QD])

    @property
    def command_qdd(self) -> Floats:
        """How they were told to accelerate, (m, n)."""
        return read_only(self.joints[:, COMMAND_QDD])

    @property
    def command_tau(self) -> Floats:
        """The forces that they were told to give, (m, n)."""
        return read_only(self.joints[:, COMMAND_TAU])

    def listed(self, key: str) -> list[str]:
        """Return the list of texts that the metadata has under `key`; an empty one if there is none."""
        return listed(self.metadata, key)

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the file is missing or damaged."""
        return not self.findings


def facts_of(robot: Robot | Sequence[str], source: Mapping[str, Any]) -> dict[str, str]:
    """Return the metadata of a recording of an arm, or of joints by name, as texts."""
    facts = {"version": __version__}
    if isinstance(robot, Robot):
        names = [joint.name for joint in robot.joints]
        units = ["rad" if joint.kind == "revolute" else "m" for joint in robot.joints]
        facts |= {"robot": robot.name, "tool": robot.tool.name, UNITS: json.dumps(units)}
    else:
        names = list(checked_names(robot, term(_("joint"))))
        if not names:
            raise InvalidInput("no_joint_names", _("a recording needs the name of at least one joint"))
    return facts | {JOINTS: json.dumps(names)} | _texts(source)


def checked_names(names: Sequence[str], what: Message) -> tuple[str, ...]:
    """Return names that are printable and unique."""
    if isinstance(names, str):
        raise InvalidInput(
            "not_a_list_of_names", _("{what}: expected a list of names, got '{name}'"), what=what, name=names
        )
    for name in names:
        if not (isinstance(name, str) and name and name.isprintable()):
            raise InvalidInput(
                "recorded_name_not_printable", _("{what}: {name} is not a printable name"), what=what, name=repr(name)
            )
        if list(names).count(name) > 1:
            raise InvalidInput("name_twice", _("{who}: the name '{name}' is given twice"), who=what, name=name)
    return tuple(names)


def listed(metadata: Mapping[str, str], key: str) -> list[str]:
    """Return the list of texts that metadata have under `key`; an empty one if there is none."""
    try:
        values = json.loads(metadata.get(key, "[]"))
    except (ValueError, RecursionError):
        return []
    return values if isinstance(values, list) and all(isinstance(value, str) for value in values) else []


def _texts(source: Mapping[str, Any]) -> dict[str, str]:
    """Return the values as text: strings as they are, the rest as JSON."""
    for key in source:
        if not (isinstance(key, str) and key):
            raise InvalidInput("source_key", _("source: the key {key} is not a text"), key=repr(key))
    try:
        texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in source.items()}
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            "source_value", _("source: a value cannot be written as JSON ({reason})"), reason=str(error)
        ) from None
    return {key: text.encode(errors="replace").decode() for key, text in texts.items()}
