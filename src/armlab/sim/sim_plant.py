"""A simulation as a plant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, as_rows
from armlab.errors import InvalidInput
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.sim.plant import ACCEPTED, ArmSamples, ArmState, Outcome, Qualities, Signal
from armlab.sim.probe import SimProbe
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimSnapshot

CUT_OFF = 1e-9
"""rad, m, or their rates: what less of a command is cut off is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class PlantSnapshot:
    """A snapshot of the simulation, the rows that it has not followed yet, and the signals."""

    simulation: SimSnapshot
    rows: Mapping[str, tuple[Floats, Floats]]
    inputs: Mapping[str, Signal] = field(default_factory=dict)
    outputs: Mapping[str, Signal] = field(default_factory=dict)


class SimPlant:
    """A simulation, in any of its structures, that is commanded and read as every plant is.

    `simulation` remains usable beside it: for forces, pushes and what else only a simulation has.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._rows: dict[str, tuple[Floats, Floats]] = {}
        """What the arms are told for the next periods: positions and speeds (m, n)."""
        self._sampled: dict[str, ArmSamples] = {}
        self._inputs: dict[str, Signal] = {}
        self._outputs: dict[str, Signal] = {}
        self._joints = {name: simulation.joints(name) for name in simulation.robots}
        self._limits = {
            name: np.array([(joint.lower, joint.upper, joint.velocity) for joint in joints]).T
            for name, joints in self._joints.items()
        }
        self._has_forces = simulation.structure != "hierarchy"

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms."""
        return self.simulation.robots

    @property
    def time(self) -> float:
        """The simulation's time (s)."""
        return self.simulation.time

    @property
    def period(self) -> float:
        """The simulation's timestep (s)."""
        return self.simulation.timestep

    def command(self, arm: str, q: ArrayLike, qd: ArrayLike | None = None) -> Outcome:
        """Tell an arm where to be, see `Plant.command`.

        Raises:
            UnknownName: if there is no such arm.
        """
        n = len(self.simulation.driven(arm))
        try:
            if qd is None:
                goal = as_floats(q, (n,), f"{arm}: q")
                clipped = self._clipped(arm, goal[None], np.zeros((1, n)))
                self.simulation.command(q=goal, robot=arm)
                self._rows.pop(arm, None)
                return clipped
            rows, _single = as_rows(q, n, f"{arm}: q")
            speeds, _single = as_rows(qd, n, f"{arm}: qd")
            _check_counts(arm, rows, speeds)
        except InvalidInput as error:
            return Outcome("refused", Finding("error", error.message))
        self._rows[arm] = rows, speeds
        return self._clipped(arm, rows, speeds)

    def _clipped(self, arm: str, q: Floats, qd: Floats) -> Outcome:
        """Return what the simulation will cut off of positions and speeds (m, n)."""
        lower, upper, fastest = self._limits[arm]
        over = np.maximum(q - upper, lower - q).max(axis=0), (np.abs(qd) - fastest).max(axis=0)
        clipped = np.clip(np.array(over), 0.0, None)
        if clipped.max() <= CUT_OFF:
            return ACCEPTED
        joints = [self._joints[arm][i].name for i in np.flatnonzero(clipped.max(axis=0) > CUT_OFF)]
        text = _("{robot}: the command was clipped to the limits of {joints}")
        message = Message("command_clipped", text, robot=arm, joints=joints)
        return Outcome("clipped", Finding("warning", message), clipped)

    def step(self, seconds: float) -> None:
        """Make the steps that `seconds` are, each with its row of every command.

        Raises:
            InvalidInput: if `seconds` is not a number ≥ 0.
            SimulationDiverged: if numbers leave all bounds; the state is then that of the last good step.
        """
        if not (seconds >= 0.0 and math.isfinite(seconds)):
            raise InvalidInput("seconds_negative", _("step: seconds must be ≥ 0, got {seconds:g} s"), seconds=seconds)
        count, begin = round(seconds / self.period), self.simulation.step_count
        if not self._sampled:
            self._advance(count)
            return
        with self.simulation.logged() as log:
            self._advance(count)
        times = (begin + np.arange(1.0, count + 1.0)) * self.period
        for arm in self._sampled:
            q, qd, tau, gap = log.joints(self.arms.index(arm))
            self._sampled[arm] = ArmSamples(times, q, qd, tau if self._has_forces else None, gap)

    def _advance(self, count: int) -> None:
        """Make so many steps; each time a command ends, what is left of the others goes on."""
        while count:
            block = min([count, *(len(q) for q, _qd in self._rows.values())])
            if self._rows:
                waiting, self._rows = self._rows, {}
                self.simulation.follow_together({arm: (q[:block], qd[:block]) for arm, (q, qd) in waiting.items()})
                self._rows = {arm: (q[block:], qd[block:]) for arm, (q, qd) in waiting.items() if len(q) > block}
            else:
                self.simulation.step(block)
            count -= block

    def state(self, arm: str) -> ArmState:
        """Return where an arm is now, and what is around it."""
        now = self.simulation.state(arm)
        return ArmState(
            stamp=now.time,
            q=now.q,
            qd=now.qd,
            qdd=now.qdd,
            tau=now.tau if self._has_forces else None,
            frames=now.frames,
            quality=Qualities.all_of("simulated", len(now.q), with_tau=self._has_forces),
            bodies=now.bodies,
            held=now.held,
            width=now.width,
            gap=now.gap,
            energy=now.energy,
        )

    def samples(self, arm: str) -> ArmSamples:
        """Return what an arm did in the last `step`, one row per timestep; the first call begins to gather them."""
        if arm not in self._sampled:
            none = np.empty((0, len(self.simulation.driven(arm))))
            self._sampled[arm] = ArmSamples(np.empty(0), none, none, none if self._has_forces else None, np.empty(0))
        return self._sampled[arm]

    @property
    def bodies(self) -> Mapping[str, Floats]:
        """Where the bodies are."""
        return self.simulation.state().bodies

    def grip(self, arm: str, body: str | None = None) -> None:
        """Attach a body as it is now; or, in a simulation of friction, close the fingers.

        Raises:
            InvalidInput: if there is no name where one is needed, the body cannot be held, or no fingers move.
            UnknownName: if there is no such arm or body.
        """
        if self.simulation.grasp == "friction":
            self.simulation.grip(robot=arm)
        elif body is None:
            raise InvalidInput("grip_without_body", _("{robot}: grip: name the body to take"), robot=arm)
        else:
            self.simulation.attach(body, arm)

    def release(self, arm: str) -> tuple[str, ...]:
        """Let go of all that an arm holds, and open its fingers; return the names."""
        if self.simulation.grasp == "friction":
            self.simulation.open(arm)
        return self.simulation.release(arm)

    @property
    def inputs(self) -> Mapping[str, Signal]:
        """The inputs that somebody has switched."""
        return self._inputs

    @property
    def outputs(self) -> Mapping[str, Signal]:
        """The outputs that were set."""
        return self._outputs

    def set_input(self, name: str, value: Signal) -> None:
        """Switch an input: whatever is around the arms does that."""
        self._inputs[name] = value

    def set_output(self, name: str, value: Signal) -> None:
        """Switch an output."""
        self._outputs[name] = value

    def halt(self) -> None:
        """Take the speed from everything; arms are told to stay where they are."""
        self._rows.clear()
        self.simulation.halt()
        for arm in self.arms:
            lower, upper, _fastest = self._limits[arm]
            q = np.clip(self.simulation.state(arm).q, lower, upper)
            self.simulation.command(q=q, qd=np.zeros_like(q), robot=arm)

    def snapshot(self) -> PlantSnapshot:
        """Return all that is needed to go on from here, bit by bit."""
        return PlantSnapshot(self.simulation.snapshot(), dict(self._rows), dict(self._inputs), dict(self._outputs))

    def restore(self, snapshot: object) -> None:
        """Go back to a snapshot of this plant.

        Raises:
            InvalidInput: if it is of another plant.
        """
        if not isinstance(snapshot, PlantSnapshot):
            raise InvalidInput("foreign_snapshot", _("restore: the snapshot is of another simulation"))
        self.simulation.restore(snapshot.simulation)
        self._rows = dict(snapshot.rows)
        self._inputs, self._outputs = dict(snapshot.inputs), dict(snapshot.outputs)

    def measure(self) -> SimProbe:
        """Return what virtual sensors read."""
        return self.simulation.measure()


def _check_counts(arm: str, rows: Floats, speeds: Floats) -> None:
    if len(rows) != len(speeds) or not len(rows):
        raise InvalidInput(
            "row_counts_differ",
            _("the numbers of rows differ: {counts}"),
            counts=[f"q {len(rows)}", f"qd {len(speeds)}"],
        ).within(arm)
