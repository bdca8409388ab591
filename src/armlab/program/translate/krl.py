"""KRL: a module with its data list; motions as inline forms, which KUKA's editor shows and changes."""

from __future__ import annotations

import math

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
from armlab.program.translate.krl_data import DataList, controller_config, load_text
from armlab.program.translate.krl_text import (
    EXTERNAL,
    FRAME_IS,
    HEADER,
    SLOW,
    KrlRenderer,
    entry_lines,
    fold,
    home_form,
    ini_fold,
    krl_name,
    quoted,
)
from armlab.program.translate.nodes import ProgramStructure, WrittenRoutine
from armlab.program.translate.record import ProgramRecord, RecordedStep
from armlab.program.translate.step_writer import SETTLE, AnyMove, StepWriter
from armlab.program.translate.text import (
    SignalNumbers,
    input_names,
    is_programmed,
    number,
    output_names,
    peak_speeds,
    programmed_speed,
    real,
    rounded_up,
)
from armlab.units import DEG_PER_RAD, MM_PER_M

FREE = 1.25
"""A limit that must not bind is this much above what is reached."""
LEAST_SPEED = 0.001
"""m/s."""
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
        library.add("$config.dat", controller_config(job.record.robot, job.record.start))
        return job.run(instructions_of(library, robot, start=job.record.start))

    return fitted(job, lambda speeds: KrlWriter(job, speeds), run, keeps=is_programmed)


class KrlWriter(StepWriter):
    """Writes one program; `speeds` has factors for moves whose time must change."""

    language = "KRL"
    tail = 1
    """Lines behind the last step: END, and a function where frames are looked at."""

    def __init__(self, job: TranslationJob, speeds: dict[int, float] | None = None) -> None:
        record = job.record
        super().__init__(record)
        self.name = krl_name(job.name)
        self._speeds = speeds or {}
        self._data = DataList(Arm(record.robot), numbers=job.numbers)
        self._digital, self._analog = SignalNumbers(1, 8192), SignalNumbers(1, 32)
        grips = ["gripper"] if any(isinstance(step.instruction, Pick | Place) for step in record.steps) else []
        self._digital.reserve([*output_names(record, is_analog=False), *grips])
        self._analog.reserve(output_names(record, is_analog=True))
        self._inputs = SignalNumbers(1, 8192)
        self._inputs.reserve(input_names(record))

    # -- speeds ------------------------------------------------------------------------------------------------------

    def _tool_speed(self, k: int, step: RecordedStep, settings: MotionSettings) -> float:
        """Return m/s: what the program says, or else a round speed that makes the time what it was."""
        programmed = programmed_speed(self._record, step, settings)
        if programmed is not None:
            return programmed
        peak = peak_speeds(self._record, step)[0]
        wanted = peak * self._speeds[k] if k in self._speeds else peak * FREE
        return min(max(rounded_up(wanted), LEAST_SPEED), DEFAULTS["DEF_VEL_CP"])

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
        speed = 100.0 * move.settings.speed
        if k in self._speeds:
            speed = min(rounded_up(speed * self._speeds[k]), 100.0)
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
        """Return data set and speed of a path move, the lines that use them, and what these cannot say."""
        value, acceleration = self._tool_speed(k, step, settings), settings.tool_acceleration
        most = DEFAULTS["DEF_ACC_CP"]
        share = 100.0 if acceleration is None else min(100.0 * acceleration / most, 100.0)
        data, speed = self._data.path_data(share, radius * MM_PER_M), number(value, 6)
        more = []
        if value > DEFAULTS["DEF_VEL_CP"] + 1e-9:
            more.append(f"$VEL.CP = {real(value)}")
        if acceleration is not None and acceleration > most + 1e-9:
            more.append(f"$ACC.CP = {real(acceleration)}")
        turn = DEFAULTS["DEF_VEL_ORI1"] if settings.turn_speed is None else settings.turn_speed * DEG_PER_RAD
        if abs(turn - DEFAULTS["DEF_VEL_ORI1"]) > 1e-6:
            more += [f"$VEL.ORI1 = {real(turn)}", f"$VEL.ORI2 = {real(turn)}"]
        _T, tool, base = self._frames(settings)
        lines = [
            f"LDAT_ACT = {self.slots.put('LDAT', f'L{data}')}",
            f"FDAT_ACT = {self._data.frame_data(tool, base)}",
            f"BAS (#CP_PARAMS,{self.slots.put('number', speed, (float(speed),))})",
        ]
        return data, speed, lines, more

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
        joints = self.joints(step, move.frames)
        for i, (frame, q) in enumerate(zip(move.frames, joints, strict=True)):
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
        data, speed, lines, more = self._settings(k, step, settings, radius)
        end = " C_DIS" if radius > 0.0 else ""
        motion = f"{kind} {', '.join(self._slot(point) for point in points)}{end}"
        own = [f"LDAT_ACT = L{data}", f"FDAT_ACT = F{points[-1]}", f"BAS (#CP_PARAMS,{speed})", *more]
        own.append(f"{kind} {', '.join('X' + point for point in points)}{end}")
        if not more:  # an inline form has no place for what it cannot say
            n = len(points)
            title = (
                f"{kind} {' '.join(points)}{' CONT' if end else ''} Vel={speed} m/s {data} Tool[{tool}] Base[{base}]"
            )
            values = ", ".join([
                f"1:{kind}", *(f"{i + 2}:{point}" for i, point in enumerate(points)), f"{n + 2}:{end.strip()}",
                f"{n + 4}:{speed}", f"{n + 6}:{data}",
            ])  # fmt: skip
            own = fold(title, kind, values, own)
        self._form = [*(self._form or []), *own]
        return [*lines, *more, motion]

    def _curve(self, k: int, step: RecordedStep, move: MoveC | MoveHelix | MoveSpline) -> list[str]:
        radius = self._rounding(k, step)
        arc = None if isinstance(move, MoveSpline) else arc_points(step)
        if arc is None:
            return self._spline(k, step, move, radius)
        via = arc.end.copy()
        via[:3, 3] = arc.via
        frames = [via, arc.end]
        points = [self._point(move.settings, *one) for one in zip(frames, self.joints(step, frames), strict=True)]
        if arc.angle is None:
            return self._inline_form(k, step, "CIRC", points, radius, move.settings)
        _data, _speed, lines, more = self._settings(k, step, move.settings, radius)
        end = " C_DIS" if radius > 0.0 else ""
        via_end = f"{self._slot(points[0])}, {self._slot(points[1])}"
        motion = f"CIRC {via_end}, CA {real(math.degrees(arc.angle), 6)}{end}"
        return [*lines, *more, motion]

    def _spline(self, k: int, step: RecordedStep, move: MoveC | MoveHelix | MoveSpline, radius: float) -> list[str]:
        if not isinstance(move, MoveSpline):
            self.flattening.add(term(_("helices, which become splines")), step)
        frames = frames_on(step)
        if not frames:
            return []
        points = [self._point(move.settings, *one) for one in zip(frames, self.joints(step, frames), strict=True)]
        _data, _speed, lines, more = self._settings(k, step, move.settings, radius)
        end = " C_SPL" if radius > 0.0 else ""
        inside = [f"  SPL {self._slot(point)}" for point in points]
        return [*lines, *more, "SPLINE", *inside, f"ENDSPLINE{end}"]

    # -- files -------------------------------------------------------------------------------------------------------

    def files(self, structure: ProgramStructure) -> dict[str, bytes]:
        """Return the module and its data list."""
        text = KrlRenderer(lambda name: f"$IN[{self._inputs.given[name]}]")
        beginning = [*home_form(), *self._start()]
        main = text.routine(self.name, WrittenRoutine((), structure.main))
        begin = next(i for i, line in enumerate(main) if not line.startswith(("DEF ", "DECL ")))
        source = [*HEADER, *main[:begin], "", *ini_fold(self._user_lines()), "", *beginning, *main[begin:]]
        for name, routine in structure.routines.items():
            source += ["", *text.routine(name, routine)]
        if any(self._data.frames.values()):
            source += FRAME_IS
            self.tail = 1 + len(FRAME_IS)
        data = [*HEADER, f"DEFDAT {self.name.upper()}", *EXTERNAL]
        data += [
            f"DECL {kind} {name}={value}"
            for name, (kind, value) in self._data.frame_values(load_text(self._record.robot.tool.inertia)).items()
        ]
        data += [*self._data.declarations("\n".join(source), text.tables), "ENDDAT"]
        return {
            f"{self.name}.src": ("\r\n".join(source) + "\r\n").encode("cp1252", "replace"),
            f"{self.name}.dat": ("\r\n".join(data) + "\r\n").encode("cp1252", "replace"),
        }

    def _user_lines(self) -> list[str]:
        """Return what looks at the controller's entries of tools and bases; a program changes none that is in use."""
        return [
            line
            for kind, known in self._data.frames.items()
            for k in known.values()
            for line in entry_lines(
                kind, k, has_load=kind == "TOOL" and bool(load_text(self._record.robot.tool.inertia))
            )
        ]

    def _start(self) -> list[str]:
        """Return the inline form that goes slowly from HOME to where the program starts."""
        self._data.values["XSTART"] = "E6AXIS", f"{{{self._data.axes(self._record.start)}}}"
        self._data.values["FSTART"] = "FDAT", '{TOOL_NO 0,BASE_NO 0,IPO_FRAME #BASE,POINT2[] " ",TQ_STATE FALSE}'
        data = self._data.joint_data(100.0, 0.0)
        title = f"PTP START Vel={SLOW} % {data} Tool[0] Base[0]"
        lines = [f"PDAT_ACT = P{data}", "FDAT_ACT = FSTART", f"BAS (#PTP_PARAMS,{SLOW})", "PTP XSTART"]
        return fold(title, "PTP", f"1:PTP, 2:START, 3:, 5:{SLOW}, 7:{data}", lines)

    def findings(self) -> list[Finding]:
        """Return what is to be said about the translation."""
        notes = [*self._digital.finding(), *self._analog.finding(), *self._inputs.finding()]
        return [*self.flattening.findings(self.language), *notes]
