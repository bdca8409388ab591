"""Compensation: commands for the nominal controller with which the real arm does what was meant."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from armlab.arrays import Floats, as_rows
from armlab.calibration.arm import RealArm
from armlab.calibration.carrying import LoadTracker
from armlab.calibration.static_pose import real_fk
from armlab.errors import ArmlabError
from armlab.geometry import pose
from armlab.kinematics.ik import solve_ik
from armlab.model.scene import Scene
from armlab.motion.segments import line
from armlab.program.executor import Executor, Piece
from armlab.program.executor.pieces import Event, Numbered
from armlab.program.executor.single import joints_of
from armlab.program.executor.tool_segments import ToolSegment, segments_of
from armlab.program.instructions import (
    Answer,
    Instruction,
    Instructions,
    MotionSettings,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    MoveUntil,
    Probe,
    WhereIs,
)
from armlab.program.prepare import PreparedProgram

STEP = 0.02
"""m between the points of a tool path that are corrected."""
CURVE_POINTS = 24
"""At least so many on a curve."""
ROUNDS = 12
GOOD = 1e-9
DAMPING = 1e-5
LARGEST = 0.05
"""rad or m per round."""
SAMPLING = 0.01
"""s between compared points of a path."""
ToolMove = MoveL | MoveC | MoveHelix | MoveSpline


def compensate_joints(real: RealArm, q: ArrayLike) -> Floats:
    """Return joint values to command, (n,) or (m, n), so that the real tool is where the nominal one is at `q`.

    Arms of fewer than six axes put the tool point there; how the tool is turned then follows. Found by Newton's method
    with the nominal Jacobian, which the errors of an arm change little; damped, so that near a singularity the tool
    point's error stays small and no joint runs away.
    """
    rows, single = as_rows(q, real.dof, f"{real.nominal.name}: q")
    wanted, found = real.nominal.fk(rows), rows.copy()
    count = 6 if real.dof >= 6 else 3
    for _round in range(ROUNDS):
        there = real_fk(real, found)
        off = np.empty((len(rows), 6))
        off[:, :3] = wanted[:, :3, 3] - there[:, :3, 3]
        off[:, 3:] = pose.rotation_vector(wanted[:, :3, :3] @ np.swapaxes(there[:, :3, :3], 1, 2))
        off = off[:, :count]
        if np.abs(off).max() < GOOD:
            break
        J = real.nominal.jacobian(found)[:, :count]
        A = J @ np.swapaxes(J, 1, 2) + DAMPING**2 * np.eye(count)
        step = np.einsum("mkn,mk->mn", J, np.linalg.solve(A, off[:, :, None])[:, :, 0])
        found += np.clip(step, -LARGEST, LARGEST)
    return found[0] if single else found


def compensated(
    real: RealArm, instructions: Iterable[Instruction], start: Floats, scene: Scene | None = None
) -> Instructions:
    """Yield a program's instructions with their targets corrected, for a controller that believes in the nominal arm.

    Straight moves longer than 20 mm and curves become splines through corrected points; a move that the nominal arm
    cannot make is passed on as it is, and the executor says why. Answers of the executor are passed back. With a
    `scene`, the arm sags by the mass of the body that its tool holds, too.
    """
    program, tracker = iter(instructions), _Tracker(real, start, scene)
    answer: Answer = None
    while True:
        try:
            instruction: Instruction = program.send(answer) if isinstance(program, Generator) else next(program)
        except StopIteration:
            return
        corrected = tracker.corrected(instruction)
        yield from corrected[:-1]
        answer = yield corrected[-1]
        if isinstance(instruction, Probe | MoveUntil):
            tracker.arrived((yield WhereIs()))


def compensated_program(real: RealArm, prepared: PreparedProgram) -> PreparedProgram:
    """Return a prepared program with its start and its targets corrected; `prepared` is used up."""
    instructions = compensated(real, prepared.instructions, prepared.start, prepared.cell.scene)
    return replace(prepared, instructions=instructions, start=compensate_joints(real, prepared.start))


class _Tracker:
    """Knows where the nominal arm would be, and corrects moves from there."""

    def __init__(self, real: RealArm, start: Floats, scene: Scene | None) -> None:
        self._load, self._q = LoadTracker(real, scene), np.asarray(start, dtype=np.float64)

    def arrived(self, answer: Answer) -> None:
        if isinstance(answer, np.ndarray):
            self._q = answer

    def corrected(self, instruction: Instruction) -> list[Instruction]:
        """Return what to do instead; the last of them answers in its place."""
        try:
            match instruction:
                case MoveJ():
                    return [self._joint_move(instruction)]
                case MoveL() | MoveC() | MoveHelix() | MoveSpline():
                    return self._tool_move(instruction) or [instruction]
                case Probe():
                    return [replace(instruction, frame=self._frames(instruction.settings, instruction.frame[None])[0])]
                case MoveUntil(move=MoveJ() as move):
                    return [replace(instruction, move=self._joint_move(move))]
                case _:
                    self._load.take(instruction, self._q)
                    return [instruction]
        except ArmlabError:
            return [instruction]  # the executor meets the same error, and reports it with its place

    def _arm(self, settings: MotionSettings) -> RealArm:
        """Return the real arm with the tool of a move."""
        real = self._load.real
        if settings.T_flange_tool is None:
            return real
        robot = real.nominal
        return replace(real, nominal=robot.with_tool(replace(robot.tool, T_flange_tool=settings.T_flange_tool)))

    def _joint_move(self, move: MoveJ) -> MoveJ:
        arm = self._arm(move.settings)
        points = np.array(joints_of(arm.nominal, self._q, move))
        self._q = points[-1]
        inside = np.clip(compensate_joints(arm, points), arm.nominal.lower, arm.nominal.upper)
        return replace(move, targets=tuple(inside), configuration=None)

    def _tool_move(self, move: ToolMove) -> list[Instruction]:
        T = self._arm(move.settings).nominal.fk(self._q)
        out: list[Instruction] = []
        for segment in list(segments_of(Numbered(0, move), T)):
            out.append(self._segment(move, segment, T))
            T = segment.frame
        return out

    def _segment(self, move: ToolMove, segment: ToolSegment, T_start: Floats) -> Instruction:
        path = line(T_start, segment.frame) if segment.curve is None else segment.curve
        count = max(1, math.ceil(path.length / STEP))
        if segment.curve is not None:
            count = max(count, CURVE_POINTS)
        frames = self._frames(move.settings, path.at(np.linspace(0.0, path.length, count + 1)[1:]))
        settings = replace(move.settings, blend=segment.blend)
        if count == 1:
            return MoveL((frames[0],), settings=settings, span=move.span, source=move.source)
        return MoveSpline(tuple(frames), settings=settings, span=move.span, source=move.source)

    def _frames(self, settings: MotionSettings, T: Floats) -> Floats:
        """Return what to tell the nominal controller for tool poses (m, 4, 4) that follow each other."""
        arm = self._arm(settings)
        rows = []
        for target in T:
            self._q = solve_ik(arm.nominal, target, start=self._q, task=settings.task)
            rows.append(self._q)
        return arm.nominal.fk(compensate_joints(arm, np.array(rows)))


@dataclass(frozen=True, slots=True)
class PathErrors:
    """How far a real arm's tool is from the path that was meant (m), as programmed and as compensated."""

    mean_before: float
    max_before: float
    mean_after: float
    max_after: float


def path_errors(real: RealArm, programmed: Floats, corrected: Floats) -> PathErrors:
    """Return the errors of a path of commanded joints (m, n), and of the corrected one (k, n), against what was meant.

    Each point of the real tool is compared with the nearest point of the nominal path.
    """
    meant = real.nominal.fk(programmed)[:, :3, 3]
    return _errors(meant, *(real_fk(real, q)[:, :3, 3] for q in (programmed, corrected)))


def program_errors(real: RealArm, programmed: PreparedProgram, corrected: PreparedProgram) -> PathErrors:
    """Return the same for a whole program, whose instructions are used up; what the tool holds weighs on the arm."""
    q, before = _loaded_path(real, programmed)
    _q, after = _loaded_path(real, corrected)
    return _errors(real.nominal.fk(q)[:, :3, 3], before, after)


def _errors(meant: Floats, first: Floats, second: Floats) -> PathErrors:
    before, after = _away(first, meant), _away(second, meant)
    return PathErrors(float(before.mean()), float(before.max()), float(after.mean()), float(after.max()))


def _loaded_path(real: RealArm, program: PreparedProgram) -> tuple[Floats, Floats]:
    """Return the joint values (m, n) that a program goes through, and where the real tool then is, (m, 3)."""
    load = LoadTracker(real, program.cell.scene)
    rows = [np.asarray(program.start, dtype=np.float64)[None]]
    tools = [real_fk(real, rows[0])[:, :3, 3]]
    for item in Executor(real.nominal, program.instructions, start=program.start, on_error="skip"):
        if isinstance(item, Piece):
            rows.append(item.trajectory.sample(item.trajectory.times(SAMPLING)).q)
            tools.append(real_fk(load.real, rows[-1])[:, :3, 3])
        elif isinstance(item, Event):
            load.take(item.instruction, rows[-1][-1])
    return np.concatenate(rows), np.concatenate(tools)


def _away(points: Floats, path: Floats) -> Floats:
    """Return the distance of points (m, 3) from a polyline (k, 3): to the segments next to the nearest corner."""
    nearest = cKDTree(path).query(points)[1]
    best = np.full(len(points), np.inf)
    for first in (nearest - 1, nearest):
        a, b = path[np.clip(first, 0, len(path) - 1)], path[np.clip(first + 1, 0, len(path) - 1)]
        along = b - a
        share = np.einsum("mi,mi->m", points - a, along) / np.maximum(np.einsum("mi,mi->m", along, along), 1e-30)
        best = np.minimum(best, np.linalg.norm(points - a - np.clip(share, 0.0, 1.0)[:, None] * along, axis=1))
    return best
