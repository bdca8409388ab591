"""Scenario files: steps where they say the same, and joint values at their times where they do not."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.errors import ArmlabError
from armlab.geometry import pose
from armlab.messages import _, term
from armlab.model.finding import Finding
from armlab.motion.joint import plan_joint
from armlab.program.instructions import (
    Instruction,
    MotionSettings,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    Pause,
    Pick,
    Place,
    Probe,
    ReadInput,
    Say,
    SetOutput,
    Wait,
    WaitUntil,
)
from armlab.program.scenario import program_of
from armlab.program.scenario_schema import MAX_STEPS, ScenarioFile
from armlab.program.translate.curves import arc_points
from armlab.program.translate.fitting import TranslationJob, WrittenProgram
from armlab.program.translate.flow import flow_of, has_structure
from armlab.program.translate.record import PlainMove, ProgramRecord, RecordedStep
from armlab.program.translate.text import Flattening, mm_deg, shown_joints
from armlab.units import MM_PER_M

CLOSE = 1e-5
"""m: how near the tool must be to its path when it follows joint values at times."""
COUNTS = (4, 8, 16, 32, 64, 128, 256, 512, 998)
OFF, LEAST_OFF = 0.002, 0.001
"""Share, and s, by which a step may take another time before it is written as joint values."""
DIGITS = 6


def write_scenario(job: TranslationJob) -> WrittenProgram:
    """Return a program as a scenario file."""
    sampled: set[int] = set()
    first = ScenarioWriter(job, sampled)
    document = first.document()
    done = _run(job, document)
    if done is not None:
        for k, (group, step) in enumerate(zip(first.groups, _moves(done), strict=False)):
            wanted = sum(one.duration for one in group)
            if abs(step - wanted) > max(OFF * wanted, LEAST_OFF):
                sampled.add(k)
    writer = first
    if sampled:
        writer = ScenarioWriter(job, sampled)
        document = writer.document()
        done = _run(job, document)
    data = (json.dumps(document, indent=1) + "\n").encode()
    return WrittenProgram({f"{document['name']}.json": data}, tuple(writer.findings()), done)


def _run(job: TranslationJob, document: dict[str, Any]) -> ProgramRecord | None:
    try:
        checked = ScenarioFile.model_validate(json.loads(json.dumps(document)))
        program = program_of(checked, job.record.robot)
    except (ArmlabError, ValueError):
        return None
    return job.run(one for one in program.instructions)  # type: ignore[arg-type]  # a scenario asks nothing


def _moves(record: ProgramRecord) -> list[float]:
    return [step.duration for step in record.steps if isinstance(step.instruction, PlainMove)]


@dataclass(slots=True)
class ScenarioWriter:
    """Writes one program; `sampled` are the motions that are written as joint values at times, by their numbers."""

    job: TranslationJob
    sampled: set[int]
    flattening: Flattening = field(default_factory=Flattening)
    groups: list[list[RecordedStep]] = field(default_factory=list)
    """The steps of each motion from rest to rest."""

    def document(self) -> dict[str, Any]:
        """Return the whole file."""
        record, scene = self.job.record, self.job.prepared.cell.scene
        name = re.sub(r"[^a-z0-9]+", "-", self.job.name.lower()).strip("-")[:60].strip("-") or "program"
        document: dict[str, Any] = {"schema": 1, "name": name, "title": self.job.name[:60] or name}
        document["arm"] = self.job.prepared.cell.arm.name if scene.bodies else record.robot.name
        if scene.bodies or len(scene.robots) > 1:
            document["scene"] = scene.name
        elif record.robot.tool.name not in {"", "none"}:
            document["tool"] = record.robot.tool.name
        document["start"] = self._joints(record.start)
        steps = self._steps()
        if len(steps) > MAX_STEPS:
            self.flattening.add(term(_("steps beyond the first {most}"), most=MAX_STEPS))
        document["steps"] = steps[:MAX_STEPS] or [{"do": "stop"}]
        return document

    def findings(self) -> list[Finding]:
        """Return what is to be said about the translation."""
        return self.flattening.findings("JSON")

    def _steps(self) -> list[dict[str, Any]]:
        out: list[dict[str, Any]] = []
        group: list[RecordedStep] = []
        if has_structure(flow_of(self.job.record.trace)):
            self.flattening.add(term(_("loops, routines and decisions")))
        for step in self.job.record.steps:
            instruction = step.instruction
            if isinstance(instruction, PlainMove):
                group.append(step)
                if instruction.settings.blend is None:
                    out += self._motion(group)
                    group = []
                continue
            if isinstance(instruction, Probe):
                self.flattening.add(term(_("probing")), step)
                end = step.answer[1] if isinstance(step.answer, tuple) else instruction.frame
                settings = replace(instruction.settings, blend=None)
                out += self._motion(
                    [replace(step, instruction=MoveL((end,), settings=settings, span=instruction.span))]
                )
                continue
            out += self._other(step, instruction)
        if group:
            out += self._motion(group)
        return out

    def _other(self, step: RecordedStep, instruction: Instruction) -> list[dict[str, Any]]:
        match instruction:
            case Wait(seconds=seconds):
                return _wait(seconds)
            case Pick(body=body):
                return [{"do": "pick"} if body is None else {"do": "pick", "body": body}]
            case Place():
                return [{"do": "place"}]
            case SetOutput() | Say() | Pause():
                self.flattening.add(term(_("outputs, messages and pauses, which are left out")), step)
            case ReadInput() | WaitUntil():
                if step.duration > 0.0 or (step.awaited is not None and step.awaited.terms is not None):
                    self.flattening.add(term(_("waits for inputs, which become times")), step)
                return _wait(step.duration)
            case _:
                pass
        return []

    # -- motions -----------------------------------------------------------------------------------------------------

    def _joints(self, q: Floats) -> list[float]:
        shown = np.array(shown_joints(self.job.record.robot, q))
        return [round(float(value), DIGITS) + 0.0 for value in shown]

    def _frame(self, T: Floats, settings: MotionSettings) -> list[float]:
        """Return a frame of the move's tool as one of the arm's own."""
        own = T @ pose.inverse(self.job.record.tool_of(settings)) @ self.job.record.robot.tool.T_flange_tool
        return [round(value, DIGITS) + 0.0 for value in mm_deg(own)]

    def _motion(self, group: list[RecordedStep]) -> list[dict[str, Any]]:
        number = len(self.groups)
        self.groups.append(group)
        step = None if number in self.sampled or len(group) > 1 else self._native(group[0])
        if step is None:
            found = self._sampled(group)
            if found is not None:
                for one in group[:1]:
                    self.flattening.add(term(_("motions, which become joint values at times")), one)
            else:
                self.groups.pop()
            return [] if found is None else [found]
        if not group[0].parts:
            self.groups.pop()  # the arm is there already
        return [step]

    def _native(self, step: RecordedStep) -> dict[str, Any] | None:
        """Return a step that says the same; None where there is none."""
        move = step.instruction
        assert isinstance(move, PlainMove)
        settings = move.settings
        out: dict[str, Any] = {"do": "move"}
        if isinstance(move, MoveJ):
            out |= {"to": self._joints(move.targets[-1])}
            if len(move.targets) > 1:
                out["via"] = [self._joints(q) for q in move.targets[:-1]]
            out |= {} if move.scheme is None else {"scheme": move.scheme}
            out |= {} if move.times is None else {"times": [round(t, DIGITS) for t in move.times]}
        elif self._turns_another_tool(step, move):
            return None
        elif isinstance(move, MoveL | MoveSpline):
            frames = [self._frame(T, settings) for T in move.frames]
            out |= {"to_pose": frames[0]} if len(frames) == 1 else {"through": frames}
            out["path"] = "line" if isinstance(move, MoveL) else move.kind
            corners = move.corners if isinstance(move, MoveL) and len(frames) > 1 else None
            if corners is not None:
                out["blend"] = (corners.radius or corners.tolerance) * MM_PER_M
        else:
            arc = arc_points(step)
            if arc is None or arc.angle is not None:
                return None
            via = arc.end.copy()
            via[:3, 3] = arc.via
            out |= {"to_pose": self._frame(arc.end, settings), "arc": self._frame(via, settings)[:3]}
        if settings.speed != 1.0:
            out["speed"] = max(round(100.0 * settings.speed, DIGITS), 0.01)
        if settings.tool_speed is not None and not isinstance(move, MoveJ):
            out["tool_speed"] = max(round(settings.tool_speed * MM_PER_M, DIGITS), 0.001)
        if settings.task != "pose":
            out["task"] = settings.task
        return out

    def _turns_another_tool(self, step: RecordedStep, move: MoveL | MoveC | MoveHelix | MoveSpline) -> bool:
        """Tell whether the arm's own tool would not go straight where the move's does."""
        own = self.job.record.robot.tool.T_flange_tool
        if np.abs(self.job.record.tool_of(move.settings)[:3, 3] - own[:3, 3]).max() < 1e-9:
            return False
        frames = move.frames if isinstance(move, MoveL | MoveSpline) else (move.frame,)
        return any(np.abs(T[:3, :3] - step.T_start[:3, :3]).max() > 1e-9 for T in frames)

    def _sampled(self, group: list[RecordedStep]) -> dict[str, Any] | None:
        """Return joint values at times that follow a motion, as few as are near enough."""
        steps = [step for step in group if step.parts]
        duration = sum(step.duration for step in steps)
        if duration <= 0.0:
            return None
        robot = self.job.record.robot
        whole = _joined(steps, 4001)
        times = np.linspace(0.0, duration, len(whole))
        found: tuple[Floats, Floats] | None = None
        for count in COUNTS:
            if duration / count < 0.002 and found is not None:
                break
            at = np.linspace(0.0, duration, count + 1)
            q = np.stack([np.interp(at, times, whole[:, i]) for i in range(robot.dof)], axis=1)
            found = (at, q)
            try:
                trajectory = plan_joint(robot, q, scheme="clamped", times=np.diff(at))
            except ArmlabError:
                continue
            points = robot.fk(trajectory.sample(times[::4]).q)[:, :3, 3] - robot.fk(whole[::4])[:, :3, 3]
            if float(np.linalg.norm(points, axis=1).max()) < CLOSE:
                break
        assert found is not None
        at, q = found
        seconds = [max(round(float(t), 9), 0.001) for t in np.diff(at)]
        return {
            "do": "move",
            "via": [self._joints(one) for one in q[1:-1]],
            "to": self._joints(q[-1]),
            "scheme": "clamped",
            "times": seconds,
        }


def _joined(steps: list[RecordedStep], count: int) -> Floats:
    """Return joint values (count, n) at even times along several steps."""
    durations = np.array([step.duration for step in steps])
    ends = np.concatenate([[0.0], np.cumsum(durations)])
    times = np.linspace(0.0, ends[-1], count)
    out = np.empty((count, steps[0].parts[0].trajectory.dof))
    for k, step in enumerate(steps):
        inside = (times >= ends[k] - 1e-12) & (times <= ends[k + 1] + 1e-12)
        own, q = step.sampled(max(2, 4 * int(inside.sum())))
        for i in range(out.shape[1]):
            out[inside, i] = np.interp(times[inside] - ends[k], own, q[:, i])
    return out


def _wait(seconds: float) -> list[dict[str, Any]]:
    """Return waits of at most an hour each."""
    count = max(1, math.ceil(seconds / 3600.0))
    return [{"do": "wait", "seconds": round(seconds / count, DIGITS)}] * count if seconds >= 0.001 else []
