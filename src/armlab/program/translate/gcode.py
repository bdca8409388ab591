"""G-code for LinuxCNC: points in a work frame, A B C where the tool turns, feed in mm/min or as inverse time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import Message, _, term
from armlab.model.finding import Finding
from armlab.program.gcode.interpreter import Interpreter
from armlab.program.instructions import (
    MotionSettings,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    Pause,
    Pick,
    Place,
    Probe,
    ReadInput,
    Say,
    SetOutput,
    WaitUntil,
)
from armlab.program.languages import ProgramSource
from armlab.program.place import placed, tool_axes
from armlab.program.prepare import PartPlace, RunOptions, prepare, survey
from armlab.program.translate.corners import corner
from armlab.program.translate.fitting import TranslationJob, WrittenProgram, fitted, plain_structure
from armlab.program.translate.gcode_arcs import ArcMotion, arc_of, turning_arcs
from armlab.program.translate.gcode_outputs import OutputLines, message_line, waits
from armlab.program.translate.gcode_text import AXES, MOST_ARGUMENTS, GcodeRenderer, compacted
from armlab.program.translate.nodes import ProgramStructure, StepBlock
from armlab.program.translate.record import PlainMove, ProgramRecord, RecordedStep
from armlab.program.translate.sampling import sampled_frames
from armlab.program.translate.step_writer import SETTLE, AnyMove, StepWriter
from armlab.program.translate.text import (
    DEG_DIGITS,
    MM_DIGITS,
    SignalNumbers,
    identifier,
    input_names,
    mm_deg,
    number,
    peak_speeds,
)
from armlab.units import MM_PER_M

CHORD = 3e-5
"""m: how far lines may be from a curve that G-code has no word for."""
CORNER = 5e-5
"""m: by how much the corners between such lines are left."""
FREE = 1.25
TRIALS = 4
PER_MINUTE = 60.0
INVERSE_DIGITS = 5
HEAD = ("G21 G90 G91.1 G17 G94 G40 G49",)
EXACT_STOP, EXACT_PATH = "G61.1", "G61"
EXACT_TOLERANCE = 2e-6
"""m: a blend within this is G61."""
ALIGNED = 1e-9
PLANES = (("G17", 2, "IJ", (0, 1)), ("G18", 1, "IK", (0, 2)), ("G19", 0, "JK", (1, 2)))
"""Plane, its normal axis, and the words of the centre with their axes."""


def write_gcode(job: TranslationJob) -> WrittenProgram:
    """Return a program in G-code, with a work frame in which our own reader holds the tool as it must be."""
    work = _work_frame(job.record)
    R_part_tool = tool_axes()
    cell = job.prepared.cell
    for _trial in range(TRIALS):
        writer = GcodeWriter(job, work, R_part_tool, {})
        text = next(iter(writer.files(plain_structure(writer, job)).values()))
        points = survey(Interpreter(ProgramSource(job.name, "gcode", data=text).gcode()))
        chosen = placed(cell.robot, work, points)[0].R_part_tool
        if np.abs(chosen - R_part_tool).max() < 1e-9:
            break
        R_part_tool = chosen

    def run(files: dict[str, bytes]) -> ProgramRecord:
        source = ProgramSource(f"{job.name}.ngc", "gcode", data=next(iter(files.values())))
        own = replace(cell, arm=replace(cell.arm, q=job.record.start))
        options = RunOptions(stops_at_errors=False)
        return job.run(prepare(source, own, PartPlace(work), options).instructions)

    return fitted(job, lambda speeds: GcodeWriter(job, work, R_part_tool, speeds), run)


def _work_frame(record: ProgramRecord) -> Floats:
    """Return T_world_part (4, 4): the frame in which most of the program was written, as far as it can be typed."""
    frames: dict[bytes, tuple[int, Floats]] = {}
    for step in record.steps:
        if isinstance(step.instruction, PlainMove):
            T = step.instruction.settings.T_world_base
            T = record.robot.base if T is None else T
            count, _T = frames.get(T.tobytes(), (0, T))
            frames[T.tobytes()] = (count + 1, T)
    T = max(frames.values(), key=lambda entry: entry[0])[1] if frames else record.robot.base
    return pose.from_mm_deg([round(value, 4) for value in mm_deg(T)])


class GcodeWriter(StepWriter):
    """Writes one program; `speeds` has the steps whose time is told (inverse time), with factors."""

    language = "G-code"
    tail = 2
    most_parameters = MOST_ARGUMENTS

    def __init__(self, job: TranslationJob, work: Floats, R_part_tool: Floats, speeds: dict[int, float]) -> None:
        super().__init__(job.record)
        self._name, self._speeds = identifier(job.name, 60), speeds
        self._work, self._R_part_tool = work, R_part_tool
        self._T_own = job.record.robot.tool.T_flange_tool
        self._outputs = OutputLines(self.flattening)
        self._inputs = SignalNumbers(0, 63)
        self._inputs.reserve(input_names(job.record))
        self._here: tuple[float, ...] = ()
        self._has_moved = False

    def begin_again(self) -> None:
        """Forget where the tool is."""
        self._here, self._has_moved = (), False

    def named(self, routine: str) -> str:
        """Return the name of a subroutine."""
        return identifier(routine, 40).lower()

    def lengths(self, blocks: Sequence[StepBlock]) -> list[int]:
        """Return how many lines are left of each block, without words that are in force already."""
        lines = [*HEAD, *(line for block in blocks for line in self.slots.plain(block.lines))]
        left = iter(compacted(lines)[len(HEAD) :])
        return [sum(next(left) is not None for _line in block.lines) for block in blocks]

    # -- frames ------------------------------------------------------------------------------------------------------

    def _tip(self, settings: MotionSettings) -> Floats:
        """Return T_flange_tip (4, 4): the point of the move's tool, with the axes of the arm's own."""
        T = self._T_own.copy()
        T[:3, 3] = self._record.tool_of(settings)[:3, 3]
        return T

    def _point(self, frame: Floats, settings: MotionSettings) -> tuple[float, ...]:
        """Return a frame of the move's tool as X, Y, Z (mm), A, B, C (degrees), with the turns nearest to the last."""
        T = frame @ pose.inverse(self._record.tool_of(settings)) @ self._tip(settings)
        p = pose.transform(pose.inverse(self._work), T[:3, 3]) * MM_PER_M
        R = self._work[:3, :3].T @ T[:3, :3] @ self._R_part_tool.T
        whole = np.eye(4)
        whole[:3, :3] = R
        c, b, a = np.degrees(pose.as_abc(whole)).tolist()
        before = self._here[3:] if self._here else (0.0, 0.0, 0.0)
        turns = [value + 360.0 * round((last - value) / 360.0) for value, last in zip((a, b, c), before, strict=True)]
        return tuple(
            round(value, MM_DIGITS if i < 3 else DEG_DIGITS) + 0.0 for i, value in enumerate((*p.tolist(), *turns))
        )

    def _words(self, point: tuple[float, ...]) -> str:
        """Return the words of all axes."""
        self._here = point
        return " ".join(f"{word}{self.number(value, 5)}" for word, value in zip(AXES, point, strict=True))

    # -- blocks ------------------------------------------------------------------------------------------------------

    def stand(self, seconds: float) -> list[str]:
        """Return a dwell."""
        return [f"G4 P{self.number(seconds)}"]

    def say(self, said: Say) -> list[str]:
        """Return a comment that is shown."""
        return [message_line(said.text, said.kind)]

    def pause(self, pause: Pause) -> list[str]:
        """Return M0, or M1 where the operator chooses."""
        return ["M1" if pause.optional else "M0"]

    def output(self, step: RecordedStep, output: SetOutput) -> list[str]:
        """Return what sets an output."""
        return self._outputs.lines(output, step)

    def grip(self, grip: Pick | Place) -> list[str]:
        """Return the output of the gripper, and the time that it takes."""
        return [self._outputs.grip(is_on=isinstance(grip, Pick)), f"G4 P{SETTLE}"]

    def wait(self, step: RecordedStep, asked: ReadInput | WaitUntil) -> list[str]:
        """Return M66, or a dwell for as long as it took."""
        if step.awaited is not None and step.awaited.terms is None and isinstance(asked, WaitUntil):
            return []
        return waits(step.awaited) or self.stood(step)

    def move(self, k: int, step: RecordedStep, move: AnyMove) -> list[str]:
        """Return a motion, with all that must be in force for it."""
        if self._speeds.get(k) == 0.0:
            self.flattening.add(term(_("joint moves that turn the tool in its place, which become waits")), step)
            return self.stand(step.duration)
        out = self._use_tool(move.settings)
        if not self._has_moved:
            begin, is_first_joint = step.T_start, False
            if isinstance(move, MoveJ) and k not in self._speeds:
                begin, is_first_joint = self._record.robot_of(move.settings).fk(move.targets[-1]), True
            out += [EXACT_STOP, f"G0 {self._words(self._point(begin, move.settings))}"]
            self._has_moved = True
            if is_first_joint:
                return out
        match move:
            case Probe():
                out += self._probe(move)
            case MoveL():
                out += self._straight(k, step, move)
            case MoveHelix() | MoveC():
                out += self._arcs(k, step, move) or self._polyline(k, step)
            case MoveJ():
                out += self._turned(k, step, move) or self._polyline(k, step)
            case _:
                out += self._polyline(k, step)
        return out

    def _use_tool(self, settings: MotionSettings) -> list[str]:
        """Tell where the tool's point is, as an offset from the arm's own tool."""
        t = (pose.inverse(self._T_own) @ self._tip(settings))[:3, 3]
        offset = -(self._R_part_tool @ t) * MM_PER_M
        words = " ".join(f"{w}{number(v, 5)}" for w, v in zip("XYZ", offset, strict=True) if abs(v) > 1e-5)
        return [f"G43.1 {words}" if words else "G49"]

    def _mode_behind(self, k: int, step: RecordedStep) -> str:
        """Return how the corner behind a move is passed."""
        move = step.instruction
        assert isinstance(move, PlainMove)
        blend = move.settings.blend
        if blend is None:
            return EXACT_STOP
        if blend.joints:
            return f"G64 P{number(CORNER * MM_PER_M, 6)}"
        following = self._record.curve_behind(k)
        tolerance = blend.tolerance
        if following is not None and not tolerance:
            tolerance = corner(blend, step, following).tolerance
        return EXACT_PATH if tolerance <= EXACT_TOLERANCE else f"G64 P{number(tolerance * MM_PER_M, 6)}"

    def _timed(self, k: int, seconds: float) -> float | None:
        """Return the seconds that a line is told to take; None where its feed says enough."""
        return seconds / self._speeds[k] if k in self._speeds and seconds > 0.0 else None

    def _line(self, code: str, words: str, feed: float | None, seconds: float | None) -> list[str]:
        """Return a line with its feed (mm/min or °/min), or the time that it takes."""
        if seconds is not None:
            return ["G93", f"{code} {words} F{self.number(PER_MINUTE / seconds, INVERSE_DIGITS)}"]
        if feed is None:
            return [f"{code} {words}"]
        return ["G94", f"{code} {words} F{self.number(feed, 4)}"]

    def _straight(self, k: int, step: RecordedStep, move: MoveL) -> list[str]:
        out, settings = [], move.settings
        T = step.T_start
        lengths = [
            max(float(np.linalg.norm(b[:3, 3] - a[:3, 3])), 1e-9)
            for a, b in zip([T, *move.frames], move.frames, strict=False)
        ]
        for i, frame in enumerate(move.frames):
            is_last = i == len(move.frames) - 1
            inner = move.corners or settings.blend
            mode = self._mode_behind(k, step) if is_last else EXACT_STOP
            if not is_last and inner is not None:
                mode = f"G64 P{number((inner.tolerance or inner.radius * 0.2) * MM_PER_M, 6)}"
            before, point = self._here, self._point(frame, settings)
            turns_only = bool(before) and point[:3] == before[:3]
            words = self._words(point)
            out.append(mode)
            if settings.seconds is not None and k not in self._speeds:
                seconds: float | None = settings.seconds * lengths[i] / sum(lengths)
            else:
                seconds = self._timed(k, step.duration * lengths[i] / sum(lengths))
            feed = self._feed_of(step, turns_only=turns_only)
            out += self._line("G0" if feed is None and seconds is None else "G1", words, feed, seconds)
        return out

    def _feed_of(self, step: RecordedStep, *, turns_only: bool = False, is_free: bool = True) -> float | None:
        """Return the feed of a move (mm/min or °/min); None: as fast as the arm can."""
        settings: MotionSettings = step.instruction.settings  # type: ignore[union-attr]
        if turns_only:
            return None if settings.turn_speed is None else math.degrees(settings.turn_speed) * PER_MINUTE
        if settings.tool_speed is not None:
            return settings.tool_speed * MM_PER_M * PER_MINUTE
        return None if is_free else max(peak_speeds(self._record, step)[0] * FREE, 1e-3) * MM_PER_M * PER_MINUTE

    def _arcs(self, k: int, step: RecordedStep, move: MoveC | MoveHelix) -> list[str]:
        """Return an arc in one of the three planes; nothing where it lies in another."""
        found = arc_of(step, move)
        if found is None:
            return []
        seconds = move.settings.seconds if k not in self._speeds else self._timed(k, step.duration)
        return self._arc(found, move.settings, self._mode_behind(k, step), self._feed_of(step, is_free=False), seconds)

    def _turned(self, k: int, step: RecordedStep, move: MoveJ) -> list[str]:
        """Return a joint move as arcs, where it leads the tool round one of the three axes."""
        if not step.parts:
            return []
        arcs = turning_arcs(self._record.robot_of(move.settings), step, move)
        feed = peak_speeds(self._record, step)[0] * self._speeds.get(k, 1.0) * MM_PER_M * PER_MINUTE
        out: list[str] = []
        for i, one in enumerate(arcs):
            mode = self._mode_behind(k, step) if i == len(arcs) - 1 else EXACT_PATH
            lines = self._arc(one, move.settings, mode, max(feed, 1e-3), None)
            if not lines:
                return []
            out += lines
        return out

    def _arc(
        self, arc: ArcMotion, settings: MotionSettings, mode: str, feed: float | None, seconds: float | None
    ) -> list[str]:
        n = self._work[:3, :3].T @ arc.axis
        plane = next((entry for entry in PLANES if abs(abs(n[entry[1]]) - 1.0) < ALIGNED), None)
        if plane is None:
            return []
        code, normal, letters, axes = plane
        start = self._here
        point = self._point(arc.end, settings)
        c = pose.transform(pose.inverse(self._work), arc.center) * MM_PER_M
        offsets = " ".join(f"{w}{self.number(c[i] - start[i], MM_DIGITS)}" for w, i in zip(letters, axes, strict=True))
        is_left = (arc.angle > 0.0) == (n[normal] > 0.0)
        turns = max(1, math.ceil(abs(arc.angle) / (2.0 * math.pi) - 1e-6))
        words = " ".join(filter(None, [self._words(point), offsets, f"P{turns}" if turns > 1 else ""]))
        return [code, mode, *self._line("G3" if is_left else "G2", words, feed, seconds)]

    def _polyline(self, k: int, step: RecordedStep) -> list[str]:
        if not step.parts:
            return []
        move = step.instruction
        assert isinstance(move, PlainMove)
        if isinstance(move, MoveJ):
            self.flattening.add(term(_("joint moves, which become short lines")), step)
        else:
            self.flattening.add(term(_("curves, which become short lines")), step)
        robot = self._record.robot_of(move.settings)
        points = sampled_frames(robot, step, CHORD)
        is_timed = isinstance(move, MoveJ) or k in self._speeds or move.settings.seconds is not None
        out = []
        factor = self._speeds.get(k, 1.0)
        feed = self._feed_of(step, is_free=False)
        for i, (frame, seconds) in enumerate(zip(points.frames, points.seconds, strict=True)):
            is_last = i == len(points.frames) - 1
            point = self._point(frame, move.settings)
            if point == self._here:
                continue
            words = self._words(point)
            out.append(self._mode_behind(k, step) if is_last else f"G64 P{number(CORNER * MM_PER_M, 6)}")
            out += self._line("G1", words, feed, float(seconds) / factor if is_timed else None)
        return out

    def _probe(self, probe: Probe) -> list[str]:
        words = self._words(self._point(probe.frame, probe.settings))
        feed = (probe.settings.tool_speed or 0.01) * MM_PER_M * PER_MINUTE
        self._here = ()
        return [EXACT_STOP, *self._line("G38.5" if probe.away else "G38.3", words, feed, None)]

    # -- files -------------------------------------------------------------------------------------------------------

    def place_text(self) -> str:
        """Return the work frame as it is typed behind --place."""
        return ",".join(number(value) for value in mm_deg(self._work))

    def files(self, structure: ProgramStructure) -> dict[str, bytes]:
        """Return the program."""
        text = GcodeRenderer(lambda name: self._inputs.given[name])
        subs = [line for name, routine in structure.routines.items() for line in text.sub(name, routine)]
        main = text.lines(structure.main)
        tables, body = text.with_tables([*subs, *main])
        kept = [line for line in compacted([*HEAD, *body])[len(HEAD) :] if line is not None]
        head = ["%", f"({self._name}; millimetres; work frame: --place {self.place_text()})", *HEAD, *tables]
        return {f"{self._name}.ngc": ("\n".join([*head, *kept, "M2", "%"]) + "\n").encode("ascii", "replace")}

    def findings(self) -> list[Finding]:
        """Return what is to be said about the translation."""
        template = _("points are in the work frame --place {place}")
        place = Finding("note", Message("translation_place", template, place=self.place_text()))
        return [*self.flattening.findings(self.language), place]
