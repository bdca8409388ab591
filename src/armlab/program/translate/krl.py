"""KRL: a module with its data list; motions as inline forms, which KUKA's editor shows and changes."""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.errors import NotSupported
from armlab.geometry import pose
from armlab.messages import _, term
from armlab.model.finding import Finding
from armlab.program.instructions import (
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
    WaitUntil,
)
from armlab.program.krl.arm import AXIS_NAMES, Arm
from armlab.program.krl.instructions import instructions_of
from armlab.program.krl.library import Library
from armlab.program.krl.system import DEFAULTS
from armlab.program.translate.conditions import InputCondition
from armlab.program.translate.corners import corner
from armlab.program.translate.curves import arc_points, frames_on
from armlab.program.translate.fitting import TranslationJob, WrittenProgram, fitted
from armlab.program.translate.krl_data import DataList
from armlab.program.translate.krl_text import KrlRenderer, fold, krl_name, quoted
from armlab.program.translate.nodes import ProgramStructure, WrittenRoutine
from armlab.program.translate.record import ProgramRecord, RecordedStep, ToolCurve
from armlab.program.translate.step_writer import SETTLE, AnyMove, StepWriter
from armlab.program.translate.text import (
    SignalNumbers,
    input_names,
    number,
    output_names,
    peak_speeds,
    real,
)
from armlab.units import DEG_PER_RAD, MM_PER_M

FREE = 1.25
"""A limit that must not bind is this much above what is reached."""
JOINT_SAMPLES = 60
"""Points of a joint motion that follows a curve of its own."""


def write_krl(job: TranslationJob) -> WrittenProgram:
    """Return a program in KRL.

    Raises:
        NotSupported: if the arm has more than six axes.
    """
    robot = job.record.robot
    if robot.dof > len(AXIS_NAMES):
        template = _("{robot}: KRL has {most} axes for an arm, and this one has {count}")
        raise NotSupported("krl_too_many_axes", template, robot=robot.name, most=len(AXIS_NAMES), count=robot.dof)

    def run(files: dict[str, bytes]) -> ProgramRecord:
        library = Library(main=krl_name(job.name).upper())
        for file, data in files.items():
            library.add(file, data)
        return job.run(instructions_of(library, robot, start=job.record.start))

    return fitted(job, lambda speeds: KrlWriter(job.record, job.name, speeds), run)


class KrlWriter(StepWriter):
    """Writes one program; `speeds` has factors for moves whose time must change."""

    language = "KRL"
    tail = 1
    """Lines behind the last step."""

    def __init__(self, record: ProgramRecord, name: str, speeds: dict[int, float] | None = None) -> None:
        super().__init__(record)
        self.name = krl_name(name)
        self._speeds = speeds or {}
        self._data = DataList(Arm(record.robot))
        self._digital, self._analog = SignalNumbers(1, 8192), SignalNumbers(1, 32)
        grips = ["gripper"] if any(isinstance(step.instruction, Pick | Place) for step in record.steps) else []
        self._digital.reserve([*output_names(record, is_analog=False), *grips])
        self._analog.reserve(output_names(record, is_analog=True))
        self._inputs = SignalNumbers(1, 8192)
        self._inputs.reserve(input_names(record))
        self._limits = self._limits_needed()

    # -- speeds ------------------------------------------------------------------------------------------------------

    def _limits_needed(self) -> dict[str, float]:
        """Return DEF_VEL_CP, DEF_ACC_CP and DEF_VEL_ORI1 for which everything that was not limited stays so."""
        speed, acceleration, turn = (DEFAULTS[name] for name in ("DEF_VEL_CP", "DEF_ACC_CP", "DEF_VEL_ORI1"))
        for k, step in enumerate(self._record.steps):
            if not isinstance(step.instruction, ToolCurve | Probe) or not step.parts:
                continue
            settings = step.instruction.settings
            peaks = peak_speeds(self._record, step)
            speed = max(speed, self._tool_speed(k, step, peaks[0] * FREE))
            acceleration = max(acceleration, settings.tool_acceleration or peaks[1] * FREE)
            turn = max(turn, math.degrees(settings.turn_speed or peaks[2] * FREE))
        return {"DEF_VEL_CP": speed, "DEF_ACC_CP": acceleration, "DEF_VEL_ORI1": turn}

    def _tool_speed(self, k: int, step: RecordedStep, otherwise: float) -> float:
        settings: MotionSettings = step.instruction.settings  # type: ignore[union-attr]
        speed = settings.tool_speed
        if settings.seconds is not None:
            travel = float(
                np.linalg.norm(
                    np.diff(self._record.robot_of(settings).fk(step.sampled(200)[1])[:, :3, 3], axis=0), axis=1
                ).sum()
            )
            speed = min(travel / settings.seconds, speed or math.inf)
        if speed is None and k in self._speeds:
            speed = peak_speeds(self._record, step)[0]
        return (otherwise if speed is None else speed) * self._speeds.get(k, 1.0)

    # -- blocks ------------------------------------------------------------------------------------------------------

    def named(self, routine: str) -> str:
        """Return the name of a routine."""
        return krl_name(routine)

    def move(self, k: int, step: RecordedStep, move: AnyMove) -> list[str]:
        """Return a motion: an inline form where there is one."""
        if self._speeds.get(k) == 0.0:
            return self.stand(step.duration)
        match move:
            case MoveJ():
                return self._joint_move(k, step, move)
            case MoveL():
                return self._lines_of_frames(k, step, move)
            case Probe():
                self.flattening.add(term(_("probing")), step)
                end = step.answer[1] if isinstance(step.answer, tuple) else move.frame
                return self._lines_of_frames(k, step, MoveL((end,), settings=move.settings, span=move.span))
            case _:
                return self._curve(k, step, move)

    def stand(self, seconds: float) -> list[str]:
        """Return WAIT SEC."""
        return [f"WAIT SEC {self.number(seconds)}"]

    def say(self, said: Say) -> list[str]:
        """Return a message."""
        return [f'MsgNotify ("{quoted(said.text)}")']

    def pause(self, pause: Pause) -> list[str]:
        """Return HALT."""
        del pause
        return ["HALT"]

    def grip(self, grip: Pick | Place) -> list[str]:
        """Return the output of the gripper, and the time that it takes."""
        value = "TRUE" if isinstance(grip, Pick) else "FALSE"
        return [f"$OUT[{self._digital.given['gripper']}] = {value}", f"WAIT SEC {SETTLE}"]

    def wait(self, step: RecordedStep, asked: ReadInput | WaitUntil) -> list[str]:
        """Return WAIT FOR."""
        awaited = step.awaited
        if awaited is None or (isinstance(asked, ReadInput) and asked.mode == "now"):
            return self.stood(step)
        if awaited.terms is None:
            return []
        lines = [] if awaited.before is None else [f"WAIT FOR {self._condition(awaited.before)}"]
        if awaited.timeout is None:
            return [*lines, f"WAIT FOR {self._condition(awaited)}"]
        return [
            *lines,
            f"$TIMER[1] = -{round(awaited.timeout * 1000)}",
            "$TIMER_STOP[1] = FALSE",
            f"WAIT FOR ({self._condition(awaited)}) OR $TIMER_FLAG[1]",
        ]

    def _condition(self, awaited: InputCondition) -> str:
        return awaited.text(lambda name: f"$IN[{self._inputs.given[name]}]", ("NOT", "AND", "OR"))

    def output(self, step: RecordedStep, output: SetOutput) -> list[str]:
        """Return an assignment to an output, on the path or at a standstill."""
        del step
        if isinstance(output.value, bool):
            value = self.slots.put("bool", "TRUE" if output.value else "FALSE")
            target = f"$OUT[{self._digital.given[output.name]}]"
        else:
            value = self.slots.put("number", real(output.value, 6), (output.value,))
            target = f"$ANOUT[{self._analog.given[output.name]}]"
        action = f"{target} = {value}"
        if output.pulse is not None:
            action = f"PULSE ({target}, {value}, {number(output.pulse, 6)})"
        if not output.with_motion:
            return [action]
        if not output.delay and not output.distance:
            return ["CONTINUE", action]
        delay = number(output.delay * 1000.0)
        if output.distance:
            return [f"TRIGGER WHEN PATH = {number(output.distance * MM_PER_M)} ONSTART DELAY = {delay} DO {action}"]
        return [f"TRIGGER WHEN DISTANCE = 0 DELAY = {delay} DO {action}"]

    # -- motions -----------------------------------------------------------------------------------------------------

    def _frames(self, settings: MotionSettings) -> tuple[Floats, int, int]:
        """Return T_world_base (4, 4), and the numbers of tool and base."""
        base = self._record.robot.base
        T_world_base = base if settings.T_world_base is None else settings.T_world_base
        tool = self._data.number_of("TOOL", self._record.tool_of(settings))
        return T_world_base, tool, self._data.number_of("BASE", pose.inverse(base) @ T_world_base)

    def _joint_move(self, k: int, step: RecordedStep, move: MoveJ) -> list[str]:
        T_world_base, tool, base = self._frames(move.settings)
        T_flange_tool = self._record.tool_of(move.settings)
        targets = [q for q in move.targets if q.ndim == 1]
        speed = 100.0 * min(move.settings.speed * self._speeds.get(k, 1.0), 1.0)
        if move.scheme is not None or move.times is not None:
            self.flattening.add(term(_("schemes and times of joint motions")), step)
            targets = list(step.sampled(JOINT_SAMPLES + 1)[1][1:]) if step.parts else targets
        blend = move.settings.blend
        rounding = 0.0 if blend is None else 100.0 * blend.joints
        data = self._data.joint_data(100.0 * move.settings.acceleration, rounding)
        points = [self._data.point(self._data.joint_point(T_world_base, T_flange_tool, q), tool, base) for q in targets]
        if not points:
            return []
        frames = self._data.frame_data(tool, base)
        header = [
            f"PDAT_ACT = {self.slots.put('PDAT', f'P{data}')}",
            f"FDAT_ACT = {frames}",
            f"BAS (#PTP_PARAMS,{self.slots.put('number', number(speed), (speed,))})",
        ]
        end = " C_PTP" if blend is not None else ""
        if len(points) > 1:
            inside = [f"  SPTP {self._slot(point)}" for point in points]
            return [*header, "PTP_SPLINE", *inside, f"ENDSPLINE{end}"]
        point = points[0]
        title = f"PTP {point}{' CONT' if end else ''} Vel={number(speed)} % {data} Tool[{tool}] Base[{base}]"
        values = f"1:PTP, 2:{point}, 3:{'C_PTP' if end else ''}, 5:{number(speed)}, 7:{data}"
        own = [f"PDAT_ACT = P{data}", f"FDAT_ACT = F{point}", f"BAS (#PTP_PARAMS,{number(speed)})"]
        self._form = fold(title, "PTP", values, [*own, f"PTP X{point}{end}"])
        return [*header, f"PTP {self._slot(point)}{end}"]

    def _slot(self, point: str) -> str:
        return self.slots.put(self._data.values[f"X{point}"][0], f"X{point}")

    def _settings(
        self, k: int, step: RecordedStep, settings: MotionSettings, radius: float
    ) -> tuple[str, str, list[str], list[str]]:
        """Return data set and speed of a path move, what comes before it, and the lines that use them."""
        speed = number(self._tool_speed(k, step, self._limits["DEF_VEL_CP"]), 6)
        share = 100.0 * min((settings.tool_acceleration or math.inf) / self._limits["DEF_ACC_CP"], 1.0)
        data = self._data.path_data(share, radius * MM_PER_M)
        turn = self._limits["DEF_VEL_ORI1"] if settings.turn_speed is None else settings.turn_speed * DEG_PER_RAD
        ahead = []
        if abs(turn - self._limits["DEF_VEL_ORI1"]) > 1e-6:
            ahead = [f"DEF_VEL_ORI1 = {real(turn)}"]
        _T, tool, base = self._frames(settings)
        lines = [
            f"LDAT_ACT = {self.slots.put('LDAT', f'L{data}')}",
            f"FDAT_ACT = {self._data.frame_data(tool, base)}",
            f"BAS (#CP_PARAMS,{self.slots.put('number', speed, (float(speed),))})",
        ]
        return data, speed, ahead, lines

    def _after(self, ahead: list[str]) -> list[str]:
        return [f"DEF_VEL_ORI1 = {real(self._limits['DEF_VEL_ORI1'])}"] if ahead else []

    def _point(self, settings: MotionSettings, frame: Floats, q: Floats) -> str:
        T_world_base, tool, base = self._frames(settings)
        return self._data.point(self._data.position(pose.inverse(T_world_base) @ frame, q), tool, base)

    def _rounding(self, k: int, step: RecordedStep) -> float:
        """Return the radius (m) with which the corner behind a move is rounded; 0: stop."""
        blend = step.instruction.settings.blend  # type: ignore[union-attr]
        if blend is None:
            return 0.0
        following = self._record.curve_behind(k)
        if following is None:
            return 0.0
        return corner(blend, step, following).radius

    def _lines_of_frames(self, k: int, step: RecordedStep, move: MoveL) -> list[str]:
        out: list[str] = []
        q = step.q_end if step.parts else self._record.start
        for i, frame in enumerate(move.frames):
            is_last = i == len(move.frames) - 1
            inner = move.corners or move.settings.blend
            radius = self._rounding(k, step) if is_last else (inner.radius or inner.tolerance if inner else 0.0)
            point = self._point(move.settings, frame, q)
            out += self._inline_form(k, step, "LIN", [point], radius, move.settings)
        return out

    def _inline_form(
        self, k: int, step: RecordedStep, kind: str, points: list[str], radius: float, settings: MotionSettings
    ) -> list[str]:
        _T, tool, base = self._frames(settings)
        data, speed, ahead, lines = self._settings(k, step, settings, radius)
        end = " C_DIS" if radius > 0.0 else ""
        names = " ".join(points)
        title = f"{kind} {names}{' CONT' if end else ''} Vel={speed} m/s {data} Tool[{tool}] Base[{base}]"
        n = len(points)
        values = ", ".join([
            f"1:{kind}", *(f"{i + 2}:{point}" for i, point in enumerate(points)), f"{n + 2}:{end.strip()}",
            f"{n + 4}:{speed}", f"{n + 6}:{data}",
        ])  # fmt: skip
        own = [f"LDAT_ACT = L{data}", f"FDAT_ACT = F{points[-1]}", f"BAS (#CP_PARAMS,{speed})"]
        form = fold(title, kind, values, [*own, f"{kind} {', '.join('X' + point for point in points)}{end}"])
        self._form = [*(self._form or []), *ahead, *form, *self._after(ahead)]
        motion = f"{kind} {', '.join(self._slot(point) for point in points)}{end}"
        return [*ahead, *lines, motion, *self._after(ahead)]

    def _curve(self, k: int, step: RecordedStep, move: MoveC | MoveHelix | MoveSpline) -> list[str]:
        q = step.q_end if step.parts else self._record.start
        radius = self._rounding(k, step)
        arc = None if isinstance(move, MoveSpline) else arc_points(step)
        if arc is None:
            return self._spline(k, step, move, radius, q)
        via = arc.end.copy()
        via[:3, 3] = arc.via
        points = [self._point(move.settings, via, q), self._point(move.settings, arc.end, q)]
        if arc.angle is None:
            return self._inline_form(k, step, "CIRC", points, radius, move.settings)
        _data, _speed, ahead, lines = self._settings(k, step, move.settings, radius)
        end = " C_DIS" if radius > 0.0 else ""
        via_end = f"{self._slot(points[0])}, {self._slot(points[1])}"
        motion = f"CIRC {via_end}, CA {real(math.degrees(arc.angle), 6)}{end}"
        return [*ahead, *lines, motion, *self._after(ahead)]

    def _spline(
        self, k: int, step: RecordedStep, move: MoveC | MoveHelix | MoveSpline, radius: float, q: Floats
    ) -> list[str]:
        if not isinstance(move, MoveSpline):
            self.flattening.add(term(_("helices, which become splines")), step)
        points = [self._point(move.settings, frame, q) for frame in frames_on(step)]
        if not points:
            return []
        _data, _speed, ahead, lines = self._settings(k, step, move.settings, radius)
        end = " C_SPL" if radius > 0.0 else ""
        inside = [f"  SPL {self._slot(point)}" for point in points]
        return [*ahead, *lines, "SPLINE", *inside, f"ENDSPLINE{end}", *self._after(ahead)]

    # -- files -------------------------------------------------------------------------------------------------------

    def files(self, structure: ProgramStructure) -> dict[str, bytes]:
        """Return the module and its data list."""
        text = KrlRenderer(lambda name: f"$IN[{self._inputs.given[name]}]")
        main = text.routine(self.name, WrittenRoutine((), structure.main))
        begin = next(i for i, line in enumerate(main) if not line.startswith(("DEF ", "DECL ")))
        source = ["&ACCESS RVP", "&REL 1", *main[:begin], "", *self._ini(), "", *main[begin:]]
        for name, routine in structure.routines.items():
            source += ["", *text.routine(name, routine)]
        data = ["&ACCESS RVP", "&REL 1", f"DEFDAT {self.name.upper()}", "EXT BAS (BAS_COMMAND :IN,REAL :IN)"]
        data += [*self._data.declarations("\n".join(source), text.tables), "ENDDAT"]
        return {
            f"{self.name}.src": ("\r\n".join(source) + "\r\n").encode("cp1252", "replace"),
            f"{self.name}.dat": ("\r\n".join(data) + "\r\n").encode("cp1252", "replace"),
        }

    def _ini(self) -> list[str]:
        user = [
            f"{kind}_DATA[{k}] = {{{text}}}" for kind in ("TOOL", "BASE") for text, k in self._data.frames[kind].items()
        ]
        user += [f"{name} = {real(value)}" for name, value in self._limits.items() if value > DEFAULTS[name]]
        return [
            ";FOLD INI;%{PE}",
            "  ;FOLD BASISTECH INI",
            "    GLOBAL INTERRUPT DECL 3 WHEN $STOPMESS==TRUE DO IR_STOPM ( )",
            "    INTERRUPT ON 3",
            "    BAS (#INITMOV,0 )",
            "  ;ENDFOLD (BASISTECH INI)",
            "  ;FOLD USER INI",
            *(f"    {line}" for line in user),
            "  ;ENDFOLD (USER INI)",
            ";ENDFOLD (INI)",
        ]

    def findings(self) -> list[Finding]:
        """Return what is to be said about the translation."""
        notes = [*self._digital.finding(), *self._analog.finding(), *self._inputs.finding()]
        return [*self.flattening.findings(self.language), *notes]
