"""The gate: what every motion is checked against before a real arm makes it, by the same code as `armlab check`.

Identity and age are the link's affair. Here: the start, limits, room for braking, contacts with a margin, torques.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.dynamics.along import torques_along
from armlab.link.link_file import ARMING_STEP, LinkFile
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.scene import Scene
from armlab.motion.limits import limits_of
from armlab.motion.trajectory import Trajectory
from armlab.motion.verify import verify
from armlab.program.executor.pieces import Event, Numbered, Piece
from armlab.program.executor.tracking import placed
from armlab.program.instructions import Pick, Place, SetOutput
from armlab.units import DEG_PER_RAD, M_PER_MM, MM_PER_M

SAMPLES = 0.02
"""s between the places where room for braking and the margin are looked at."""
BRAKING_SLACK = 1e-6


class Gate:
    """Checks motions of one arm of a scene; it refuses by findings, and never changes a motion."""

    def __init__(self, file: LinkFile, scene: Scene, robot: str | None = None) -> None:
        self._file, self._scene = file, scene
        self._name = scene.robot(robot).name
        self._robot = scene.robot(robot).robot
        self._checker = Checker(scene)
        self._limits = limits_of(self._robot)

    def check(self, motion: Trajectory, believed: Floats | None = None) -> list[Finding]:
        """Return why a motion must not be made; `believed` is where the arm is, if it begins with this motion."""
        found: list[Finding] = []
        if believed is not None:
            found += self._start(motion, believed)
        found += [one for one in verify(motion, self._robot, limits=self._limits) if one.severity == "error"]
        sample = motion.sample(motion.times(SAMPLES))
        found += self._braking(sample.q, sample.qd)
        found += self._contacts(motion, sample.q)
        if np.isfinite(self._robot.effort).any() and "effort" not in self._robot.estimated:
            found += [one for one in torques_along(self._robot, motion).findings if one.severity == "error"]
        return found

    def margin(self, q: Floats) -> float:
        """Return how near (m) to anything a motion through `q` (m, n) may come.

        It is the clearance of the link file, and how far the tool is off at most while one joint deviates by just less
        than what the link notices: max over joints of |∂x/∂q_i| · bound_i.
        """
        J = self._robot.jacobian(q)[:, :3]
        off = np.linalg.norm(J, axis=1) * self._file.bound
        return self._file.table.gate.clearance * M_PER_MM + float(off.max())

    def _start(self, motion: Trajectory, believed: Floats) -> list[Finding]:
        away = np.abs(motion.start - believed)
        if away.max() <= ARMING_STEP:
            return []
        i = int(away.argmax())
        text = _("joint '{joint}': the motion does not begin where the arm is, but {away:.1f} {unit} away")
        joint = self._robot.joints[i]
        is_angle = joint.kind == "revolute"
        shown = float(away[i]) * (DEG_PER_RAD if is_angle else MM_PER_M)
        message = Message("start_away", text, joint=joint.name, away=shown, unit="°" if is_angle else "mm")
        return [Finding("error", message, {"joint": joint.name, "away": float(away[i])})]

    def _braking(self, q: Floats, qd: Floats) -> list[Finding]:
        """S = v² / (2 a) must be left to the limit ahead."""
        distance = qd**2 / (2.0 * self._limits.acceleration)
        room = np.where(qd > 0.0, self._limits.upper - q, q - self._limits.lower)
        short = (distance - room).max(axis=0)
        if short.max() <= BRAKING_SLACK:
            return []
        joint = self._robot.joints[int(short.argmax())].name
        text = _("joint '{joint}' could not brake before its limit")
        return [Finding("error", Message("no_room_to_brake", text, joint=joint), {"joint": joint})]

    def _contacts(self, motion: Trajectory, q: Floats) -> list[Finding]:
        first = self._checker.first_contact(motion, clearance=self.margin(q), robot=self._name)
        if first is None:
            return []
        text = _("'{first}' and '{second}' come within {distance:.1f} mm after {time:.3f} s")
        facts: dict[str, float | int | str] = {"first": first.first, "second": first.second, "time": first.time}
        message = Message("gate_contact", text, distance=max(first.distance, 0.0) * MM_PER_M, **facts)
        return [Finding("error", message, {**facts, "distance": first.distance})]


class GateFollower:
    """What an execution hands its motions to before they are made: the gate; the first one must begin at the arm.

    `refused` is told once, so that the arm can slow down along what was planned before.
    """

    held: str | None = None

    def __init__(self, gate: Gate, believed: Floats, refused: Callable[[], object]) -> None:
        self._gate, self._believed, self._refused = gate, believed, refused

    def take(self, item: Piece | Event) -> list[Finding]:
        """Return why a piece or an event cannot be done, by its line."""
        if isinstance(item, Piece):
            believed, self._believed = self._believed, item.trajectory.end
            at = Numbered(item.index, item.instruction)
            found = [
                placed(self._at_time(one, item), at, item.start) for one in self._gate.check(item.trajectory, believed)
            ]
        elif isinstance(item.instruction, Pick | Place | SetOutput):
            text = _("this driver has no gripper and no outputs")
            refusal = Finding("error", Message("link_without_tool", text))
            found = [placed(refusal, Numbered(item.index, item.instruction), item.time)]
        else:
            found = []
        if found:
            self._refused()
        return found

    @staticmethod
    def _at_time(finding: Finding, piece: Piece) -> Finding:
        if "time" not in finding.where:
            return finding
        return replace(finding, where={**finding.where, "time": piece.start + float(finding.where["time"])})
