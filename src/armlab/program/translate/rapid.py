"""RAPID: a module with targets, speeds, zones, tools and work objects; configurations come from the joint values."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kinematics.closed.status import status_function
from armlab.messages import _, term
from armlab.model.finding import Finding
from armlab.program.instructions import (
    MotionSettings,
    MoveC,
    MoveHelix,
    MoveJ,
    Pause,
    Pick,
    Place,
    ReadInput,
    Say,
    SetOutput,
    WaitUntil,
)
from armlab.program.translate.curves import arc_chain
from armlab.program.translate.fitting import TranslationJob, WrittenProgram, written_with_structure
from armlab.program.translate.nodes import ProgramStructure, WrittenRoutine
from armlab.program.translate.plain_moves import BETWEEN, PlainMoves, corner_radius, tool_speed
from armlab.program.translate.record import RecordedStep
from armlab.program.translate.render import Renderer, ShownCase, inputs_in
from armlab.program.translate.step_writer import SETTLE, AnyMove
from armlab.program.translate.text import identifier, number, shown_joints
from armlab.units import MM_PER_M

LONGEST_TEXT = 80
OWN_SPEEDS = frozenset({
    "5", "10", "20", "30", "40", "50", "60", "80", "100", "150", "200", "300", "400", "500", "600", "800", "1000",
    "1500", "2000", "2500", "3000", "4000", "5000", "6000", "7000",
})  # fmt: skip
"""mm/s of the speeddata that every controller has: v5 … v7000."""
OWN_ZONES = frozenset(["1", "5", "10", "15", "20", "30", "40", "50", "60", "80", "100", "150", "200"])
"""mm of the zonedata that every controller has: z1 … z200."""
TURN_SPEED = 500.0
"""degrees/s: what v5 … v7000 have."""
WIDER = 1.5
"""Within what multiple of the point's zone the tool's orientation is rounded, as in z10 … z200."""
LEAST_LOAD = 0.001
"""kg: a controller takes no tool without a mass."""
NO_EXTERNAL = "[9E+09,9E+09,9E+09,9E+09,9E+09,9E+09]"
KEYWORDS = frozenset({
    "alias", "and", "backward", "case", "connect", "const", "default", "div", "do", "else", "elseif", "endfor",
    "endfunc", "endif", "endmodule", "endproc", "endrecord", "endtest", "endtrap", "endwhile", "error", "exit", "false",
    "for", "from", "func", "goto", "if", "inout", "local", "mod", "module", "nostepin", "not", "noview", "or", "pers",
    "proc", "raise", "readonly", "record", "retry", "return", "step", "sysmodule", "test", "then", "to", "trap", "true",
    "trynext", "undo", "var", "viewonly", "while", "with", "xor", "main",
})  # fmt: skip


def write_rapid(job: TranslationJob) -> WrittenProgram:
    """Return a program in RAPID."""
    return written_with_structure(job, RapidWriter(job))


def rapid_name(name: str) -> str:
    """Return a name that RAPID takes: at most 32 letters, digits and underscores, and not one of its words."""
    plain = identifier(name, 28)
    return f"{plain}_p" if plain.lower() in KEYWORDS else plain


class RapidWriter(PlainMoves):
    """Writes one program."""

    language = "RAPID"

    def __init__(self, job: TranslationJob) -> None:
        super().__init__(job)
        self._name = rapid_name(job.name)
        self._data: dict[str, dict[str, str]] = {"robtarget": {}, "jointtarget": {}, "speeddata": {}, "zonedata": {},
                                                 "tooldata": {}, "wobjdata": {}}  # fmt: skip
        robot = job.record.robot
        self._statuses = status_function(robot) if robot.dof == 6 else None

    # -- blocks ------------------------------------------------------------------------------------------------------

    def named(self, routine: str) -> str:
        """Return the name of a routine."""
        return rapid_name(routine)

    def stand(self, seconds: float) -> list[str]:
        """Return WaitTime."""
        return [f"WaitTime {self.number(seconds, 3)};"]

    def say(self, said: Say) -> list[str]:
        """Return TPWrite."""
        return [f'TPWrite "{_quoted(said.text)}";']

    def pause(self, pause: Pause) -> list[str]:
        """Return Stop."""
        del pause
        return ["Stop;"]

    def grip(self, grip: Pick | Place) -> list[str]:
        """Return the output of the gripper, and the time that it takes."""
        return [f"SetDO do_gripper, {int(isinstance(grip, Pick))};", f"WaitTime {SETTLE};"]

    def output(self, step: RecordedStep, output: SetOutput) -> list[str]:
        """Return SetDO, PulseDO or SetAO."""
        if output.delay or output.distance:
            self.flattening.add(term(_("outputs that are shifted along the path")), step)
        signal = identifier(output.name.removeprefix("analog "), 20, "n").lower()
        if isinstance(output.value, bool):
            if output.pulse is not None:
                return [f"PulseDO \\PLength:={number(output.pulse, 3)}, do_{signal};"]
            return [f"SetDO do_{signal}, {self.slots.put('dionum', str(int(output.value)))};"]
        return [f"SetAO ao_{signal}, {self.number(output.value)};"]

    def wait(self, step: RecordedStep, asked: ReadInput | WaitUntil) -> list[str]:
        """Return WaitUntil."""
        del asked
        condition = self.waited_for(step, rapid_input, ("NOT", "AND", "OR"))
        if condition is None:
            return self.stood(step)
        timeout = step.awaited.timeout if step.awaited is not None else None
        limit = "" if timeout is None else f" \\MaxTime:={number(timeout, 3)} \\TimeFlag:=timed_out"
        return [f"WaitUntil {text}{limit if k == len(condition) - 1 else ''};" for k, text in enumerate(condition)]

    # -- motions -----------------------------------------------------------------------------------------------------

    def move(self, k: int, step: RecordedStep, move: AnyMove) -> list[str]:
        """Return MoveAbsJ, MoveL or MoveC."""
        settings = move.settings
        tool, wobj, speed = self._tool(settings), self._wobj(settings), self._speed(step, settings)
        if isinstance(move, MoveJ):
            return [
                f"MoveAbsJ {self._joint_target(one.q)}, {speed}, {self._zone(one.radius)}, {tool};"
                for one in self.joint_waypoints(k, step, move)
            ]
        arcs, out = arc_chain(step) if isinstance(move, MoveC | MoveHelix) else [], []
        for arc in arcs:
            via = arc.end.copy()
            via[:3, 3] = arc.via
            q_via, q_end = self.joints(step, [via, arc.end])
            zone = self._zone(corner_radius(self._record, k, step) if arc is arcs[-1] else BETWEEN)
            points = f"{self._target(via, q_via, settings)}, {self._target(arc.end, q_end, settings)}"
            out.append(f"MoveC {points}, {speed}, {zone}, {tool}{wobj};")
        if arcs:
            return out
        return [
            f"MoveL {self._target(one.frame, one.q, settings)}, {speed}, {self._zone(one.radius)}, {tool}{wobj};"
            for one in self.waypoints(k, step, move)
        ]

    def _named(self, kind: str, lead: str, value: str) -> str:
        known = self._data[kind]
        return self.slots.put(kind, known.setdefault(value, f"{lead}{len(known) + 1}"))

    def _target(self, T_world_tool: Floats, q: Floats, settings: MotionSettings) -> str:
        base = self._record.robot.base if settings.T_world_base is None else settings.T_world_base
        T = pose.inverse(base) @ T_world_tool
        return self._named("robtarget", "p", f"[{_pose(T)[1:-1]},{self._configuration(q)},{NO_EXTERNAL}]")

    def _configuration(self, q: Floats) -> str:
        """Return quarter turns of axes 1, 4 and 6, and cfx: the branch of wrist centre, elbow and axis 5."""
        q = np.round(q, 6) + 0.0  # 0 has one sign
        quarters = [math.floor(float(q[i]) / (math.pi / 2.0)) if i < len(q) else 0 for i in (0, 3, 5)]
        cfx = 0 if self._statuses is None else _cfx(int(self._statuses(q[None])[0]))
        return f"[{','.join(str(value) for value in (*quarters, cfx))}]"

    def _joint_target(self, q: Floats) -> str:
        values = [number(value, 5) for value in shown_joints(self._record.robot, q)]
        shown = [*values[:6], *(["0"] * (6 - len(values)))]
        external = f"[{','.join([*values[6:7], *(['9E+09'] * (6 - len(values[6:7])))])}]"
        return self._named("jointtarget", "j", f"[[{','.join(shown)}],{external}]")

    def _speed(self, step: RecordedStep, settings: MotionSettings) -> str:
        """Return speeddata: the language's own where it has them."""
        speed = number(tool_speed(self._record, step, settings) * MM_PER_M, 3)
        if settings.turn_speed is None and speed in OWN_SPEEDS:
            return self.slots.put("speeddata", f"v{speed}")
        turn = TURN_SPEED if settings.turn_speed is None else math.degrees(settings.turn_speed)
        return self._named("speeddata", "v_", f"[{speed},{number(turn, 3)},5000,1000]")

    def _zone(self, radius: float) -> str:
        """Return zonedata: the language's own where it has them."""
        if radius <= 0.0:
            return self.slots.put("zonedata", "fine")
        r = number(radius * MM_PER_M, 3)
        if r in OWN_ZONES:
            return self.slots.put("zonedata", f"z{r}")
        wide = number(radius * MM_PER_M * WIDER, 3)
        turned = number(radius * MM_PER_M * WIDER / 10.0, 3)
        return self._named("zonedata", "z_", f"[FALSE,{r},{wide},{wide},{turned},{wide},{turned}]")

    def _tool(self, settings: MotionSettings) -> str:
        """Return tooldata: where its point is, and the load of the arm's tool."""
        T, load = self._record.tool_of(settings), self._record.robot.tool.inertia
        if load.mass <= 0.0 and np.abs(T - np.eye(4)).max() < 1e-9:
            return self.slots.put("tooldata", "tool0")
        center = (load.com * MM_PER_M).tolist() if load.mass > 0.0 else [0.0, 0.0, 1.0]
        com = ",".join(number(value, 3) for value in center)
        mass = number(max(load.mass, LEAST_LOAD), 4)
        return self._named("tooldata", "tool_", f"[TRUE,{_pose(T)},[{mass},[{com}],[1,0,0,0],0,0,0]]")

    def _wobj(self, settings: MotionSettings) -> str:
        base = self._record.robot.base
        T = np.eye(4) if settings.T_world_base is None else pose.inverse(base) @ settings.T_world_base
        if np.abs(T - np.eye(4)).max() < 1e-9:
            return ""
        name = self._named("wobjdata", "wobj_", f'[FALSE,TRUE,"",{_pose(T)},[[0,0,0],[1,0,0,0]]]')
        return f"\\WObj:={name}"

    # -- file --------------------------------------------------------------------------------------------------------

    def files(self, structure: ProgramStructure) -> dict[str, bytes]:
        """Return the module."""
        text = RapidRenderer()
        start = f"MoveAbsJ {self._joint_target(self._record.start)}, v200, fine, tool0;"
        [first] = self.slots.plain([start])
        procedures = [text.procedure("main", WrittenRoutine((), structure.main), first)]
        procedures += [text.procedure(name, routine) for name, routine in structure.routines.items()]
        body = [line for procedure in procedures for line in ("", *procedure)]
        words = set(re.findall(r"\w+", "\n".join(body)))
        lines = [f"MODULE {self._name}"]
        values = {name: value for known in self._data.values() for value, name in known.items()}
        for kind, known in self._data.items():
            word = "PERS" if kind in {"tooldata", "wobjdata"} else "CONST"
            lines += [f"  {word} {kind} {name}:={value};" for value, name in known.items() if name in words]
        for (kind, sizes, entries), name in text.tables.items():
            nested = _nested([values.get(entry, entry) for entry in entries], sizes)
            lines.append(f"  CONST {KINDS.get(kind, kind)} {name}{{{','.join(map(str, sizes))}}}:={nested};")
        if "timed_out" in words:
            lines.append("  VAR bool timed_out;")
        lines += body
        data = "\r\n".join([*lines, "ENDMODULE"]) + "\r\n"
        return {f"{self._name}.mod": data.encode("ascii", "replace")}

    def findings(self) -> list[Finding]:
        """Return what is to be said about the translation."""
        return self.flattening.findings(self.language)


def _cfx(status: int) -> int:
    """Return cfx of a status, as RAPID's reference has it for serial arms with six axes.

    Bit 0: axis 5 is negative. Bit 1: the wrist centre is behind the lower arm. Bit 2: it is behind axis 1.
    """
    is_behind, is_front, is_negative = status & 1, status >> 1 & 1, status >> 2 & 1
    return is_negative + 2 * (1 - is_front) + 4 * is_behind


def _pose(T: Floats) -> str:
    xyz = ",".join(number(value * MM_PER_M, 4) for value in T[:3, 3])
    quaternion = np.round(pose.as_quaternion(T), 9)
    first = quaternion[np.flatnonzero(quaternion)[0]]
    return f"[[{xyz}],[{','.join(number(value, 9) for value in quaternion * np.sign(first))}]]"


def _quoted(text: str) -> str:
    return "".join(c for c in text if c.isprintable()).replace("\\", "/").replace('"', "'")[:LONGEST_TEXT]


def _nested(entries: Sequence[str], sizes: Sequence[int]) -> str:
    """Return the elements of a table, row by row."""
    if len(sizes) == 1:
        return f"[{','.join(entries)}]"
    step = len(entries) // sizes[0]
    return f"[{','.join(_nested(entries[i * step : (i + 1) * step], sizes[1:]) for i in range(sizes[0]))}]"


KINDS = {"number": "num", "int": "num"}


def rapid_input(name: str) -> str:
    """Return the condition that a digital input is on."""
    return f"di_{identifier(name, 20, 'n').lower()} = 1"


class RapidRenderer(Renderer):
    """Loops, decisions and calls of RAPID."""

    first = 1

    def loop(self, counter: str, count: str, body: list[str]) -> list[str]:
        """Return FOR … ENDFOR."""
        return [f"FOR {counter} FROM 1 TO {count} DO", *body, "ENDFOR"]

    def endless(self, body: list[str]) -> list[str]:
        """Return WHILE TRUE DO … ENDWHILE."""
        return ["WHILE TRUE DO", *body, "ENDWHILE"]

    def waiting(self, name: str, value: bool, body: list[str]) -> list[str]:
        """Return WHILE … ENDWHILE."""
        return [f"WHILE {rapid_input(name) if value else self.negated(rapid_input(name))} DO", *body, "ENDWHILE"]

    def decision(self, condition: str, body: list[str], otherwise: list[str]) -> list[str]:
        """Return IF … ENDIF."""
        return [f"IF {condition} THEN", *body, *(["ELSE", *otherwise] if otherwise else []), "ENDIF"]

    def choice(self, counter: str, cases: list[ShownCase], otherwise: list[str]) -> list[str]:
        """Return TEST … ENDTEST."""
        lines = [line for case in cases for line in (f"CASE {case.values}:", *case.lines)]
        return [f"TEST {counter}", *lines, *(["DEFAULT:", *otherwise] if otherwise else []), "ENDTEST"]

    def call(self, routine: str, arguments: list[str]) -> str:
        """Return a call."""
        return f"{routine} {', '.join(arguments)};" if arguments else f"{routine};"

    def read(self, name: str) -> list[str]:
        """Return an assignment of an input to a variable."""
        return [f"{self.kept(name)} := {rapid_input(name)};"]

    def kept(self, name: str) -> str:
        """Return the variable that keeps an input."""
        return rapid_name(f"in_{name}").lower()

    def negated(self, condition: str) -> str:
        """Return NOT …."""
        return f"NOT ({condition})"

    def compared(self, left: str, operator: str, right: int) -> str:
        """Return a comparison."""
        return f"{left} {'=' if operator == '==' else operator} {right}"

    def remainder(self, counter: str, modulus: int) -> str:
        """Return what a division leaves."""
        return f"({counter} MOD {modulus})"

    def all_of(self, conditions: list[str]) -> str:
        """Return … AND …."""
        return " AND ".join(conditions)

    def table(self, kind: str, number: int) -> str:
        """Return the name of a table."""
        del kind
        return f"t{number}"

    def element(self, name: str, indices: list[str]) -> str:
        """Return an element: t1{i1,i2}."""
        return f"{name}{{{','.join(indices)}}}"

    def procedure(self, name: str, routine: WrittenRoutine, *first: str) -> list[str]:
        """Return a procedure with its parameters, variables and first lines."""
        words = dict.fromkeys(("tooldata", "wobjdata"), "PERS ")
        given = ", ".join(f"{words.get(p.kind, '')}{KINDS.get(p.kind, p.kind)} {p.name}" for p in routine.parameters)
        return [
            f"  PROC {name}({given})",
            *(f"    VAR bool {self.kept(one)};" for one in sorted(inputs_in(routine.body))),
            *(f"    {line}" for line in (*first, *self.lines(routine.body))),
            "  ENDPROC",
        ]
