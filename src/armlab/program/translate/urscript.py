"""URScript: movej, movel, movec with speeds, accelerations and blend radii; poses in the arm's base."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import _, term
from armlab.model.finding import Finding
from armlab.motion.limits import limits_of
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
from armlab.program.translate.nodes import ProgramStructure
from armlab.program.translate.plain_moves import BETWEEN, JointWaypoint, PlainMoves, corner_radius, tool_speed
from armlab.program.translate.record import RecordedStep
from armlab.program.translate.render import Renderer, ShownCase
from armlab.program.translate.step_writer import SETTLE, AnyMove
from armlab.program.translate.text import SignalNumbers, identifier, input_names, number, output_names
from armlab.program.translate.values import Constant

WORDS = ("not", "and", "or")
ACCELERATION = 1.2
"""m/s²: the language's own default for movel, where the program gives none."""
TIME_TO_SPEED = 0.75
"""s to full speed of a joint at 100 % acceleration: what the defaults of movej, 1.4 rad/s² and 1.05 rad/s, come to."""
LEAST_JOINT_SPEED = 0.001
"""rad/s."""


def write_urscript(job: TranslationJob) -> WrittenProgram:
    """Return a program in URScript."""
    return written_with_structure(job, UrScriptWriter(job))


def ur_name(name: str) -> str:
    """Return a name that URScript takes."""
    plain = identifier(name, 40).lower()
    taken = {"end", "thread", "sync", "halt", "sleep", "pose", "movej", "movel", "movec", "movep", "popup", "kill"}
    return f"{plain}_" if keyword.iskeyword(plain) or plain in taken else plain


class UrScriptWriter(PlainMoves):
    """Writes one program."""

    language = "URScript"

    def __init__(self, job: TranslationJob) -> None:
        super().__init__(job)
        self._name = ur_name(job.name)
        self._poses: dict[str, str] = {}
        record = job.record
        self._digital, self._analog, self._inputs = SignalNumbers(0, 63), SignalNumbers(0, 63), SignalNumbers(0, 63)
        grips = ["gripper"] if any(isinstance(step.instruction, Pick | Place) for step in record.steps) else []
        self._digital.reserve([*output_names(record, is_analog=False), *grips])
        self._analog.reserve(output_names(record, is_analog=True))
        self._inputs.reserve(input_names(record))

    # -- blocks ------------------------------------------------------------------------------------------------------

    def named(self, routine: str) -> str:
        """Return the name of a routine."""
        return ur_name(routine)

    def stand(self, seconds: float) -> list[str]:
        """Return sleep."""
        return [f"sleep({self.number(seconds)})"]

    def say(self, said: Say) -> list[str]:
        """Return textmsg."""
        return [f'textmsg("{_quoted(said.text)}")']

    def pause(self, pause: Pause) -> list[str]:
        """Return a popup that waits."""
        del pause
        return ['popup("pause", blocking=True)']

    def grip(self, grip: Pick | Place) -> list[str]:
        """Return the output of the gripper, and the time that it takes."""
        return [f"set_digital_out({self._digital.given['gripper']}, {isinstance(grip, Pick)})", f"sleep({SETTLE})"]

    def output(self, step: RecordedStep, output: SetOutput) -> list[str]:
        """Return set_digital_out or set_analog_out."""
        if output.delay or output.distance or output.pulse is not None:
            self.flattening.add(term(_("shifts and pulses of outputs")), step)
        if isinstance(output.value, bool):
            return [f"set_digital_out({self._digital.given[output.name]}, {self.slots.put('bool', str(output.value))})"]
        return [f"set_analog_out({self._analog.given[output.name]}, {self.number(output.value)})"]

    def _input(self, name: str) -> str:
        return f"get_digital_in({self._inputs.given[name]})"

    def wait(self, step: RecordedStep, asked: ReadInput | WaitUntil) -> list[str]:
        """Return a loop until inputs have their values."""
        del asked
        conditions = self.waited_for(step, self._input, WORDS)
        if conditions is None:
            return self.stood(step)
        timeout = step.awaited.timeout if step.awaited is not None else None
        out: list[str] = []
        for text in conditions:
            if timeout is None:
                out += [f"while not ({text}):", "  sync()", "end"]
            else:
                out += ["waited = 0.0", f"while not ({text}) and waited < {number(timeout, 6)}:",
                        "  sleep(0.008)", "  waited = waited + 0.008", "end"]  # fmt: skip
        return out

    # -- motions -----------------------------------------------------------------------------------------------------

    def move(self, k: int, step: RecordedStep, move: AnyMove) -> list[str]:
        """Return movej, movel or movec."""
        out = self._use_tool(move.settings)
        if isinstance(move, MoveJ):
            return out + [self._joint_move(point, move) for point in self.joint_waypoints(k, step, move)]
        speed = tool_speed(self._record, step, move.settings)
        rates = f"a={self.number(move.settings.tool_acceleration or ACCELERATION, 4)}, v={self.number(speed)}"
        arcs = arc_chain(step) if isinstance(move, MoveC | MoveHelix) else []
        for arc in arcs:
            via = arc.end.copy()
            via[:3, 3] = arc.via
            r = self.number(corner_radius(self._record, k, step) if arc is arcs[-1] else BETWEEN, 4)
            out.append(f"movec({self._pose(via)}, {self._pose(arc.end)}, {rates}, r={r}, mode=0)")
        if arcs:
            return out
        points = self.waypoints(k, step, move)
        return out + [f"movel({self._pose(one.frame)}, {rates}, r={self.number(one.radius)})" for one in points]

    def _joint_move(self, point: JointWaypoint, move: MoveJ) -> str:
        own = limits_of(self._record.robot)
        turns = np.abs(point.q - point.before)
        lead = int(np.argmax(turns / own.velocity))
        speed = own.velocity[lead] * move.settings.speed
        if point.seconds is not None:
            speed = min(max(turns[lead] / point.seconds, LEAST_JOINT_SPEED), speed)
        acceleration = own.velocity[lead] * move.settings.acceleration / TIME_TO_SPEED
        values = self.slots.put("joints", f"[{', '.join(number(float(value), 7) for value in point.q)}]")
        rates = f"a={self.number(acceleration, 2)}, v={self.number(speed, 3)}"
        return f"movej({values}, {rates}, r={self.number(point.radius, 4)})"

    def _use_tool(self, settings: MotionSettings) -> list[str]:
        return [f"set_tcp({_pose(self._record.tool_of(settings))})"]

    def _pose(self, T_world_tool: Floats) -> str:
        text = _pose(pose.inverse(self._record.robot.base) @ T_world_tool)
        return self.slots.put("pose", self._poses.setdefault(text, f"p_{len(self._poses) + 1}"))

    # -- file --------------------------------------------------------------------------------------------------------

    def files(self, structure: ProgramStructure) -> dict[str, bytes]:
        """Return the script."""
        text = UrScriptRenderer(self._input)
        body = []
        for name, routine in structure.routines.items():
            given = ", ".join(one.name for one in routine.parameters)
            inside = [f"  {line}" for line in without_repeated(text.lines(routine.body))]
            body += [f"def {name}({given}):", *inside, "end", ""]
        body += [*self._beginning(), *without_repeated(text.lines(structure.main))]
        tables = [f"{name} = [{', '.join(entries)}]" for (_kind, _sizes, entries), name in text.tables.items()]
        words = set(re.findall(r"\w+", "\n".join([*body, *tables])))
        poses = [f"{name} = {value}" for value, name in self._poses.items() if name in words]
        lines = [f"def {self._name}():", *(f"  {line}".rstrip() for line in (*poses, *tables, "", *body)), "end", ""]
        return {f"{self._name}.script": "\n".join(lines).encode("ascii", "replace")}

    def _beginning(self) -> list[str]:
        """Return what comes first: the load, and a slow move to where the program starts."""
        inertia, start = self._record.robot.tool.inertia, self._record.start
        center = ", ".join(number(float(value), 4) for value in inertia.com)
        load = [f"set_payload({number(inertia.mass, 4)}, [{center}])"] if inertia.mass > 0.0 else []
        return [*load, f"movej([{', '.join(number(float(value), 7) for value in start)}], a=1.4, v=1.05)"]

    def findings(self) -> list[Finding]:
        """Return what is to be said about the translation."""
        notes = [*self._digital.finding(), *self._analog.finding(), *self._inputs.finding()]
        return [*self.flattening.findings(self.language), *notes]


def _pose(T: Floats) -> str:
    values = (*T[:3, 3].tolist(), *pose.rotation_vector(T[:3, :3]).tolist())
    return f"p[{', '.join(number(value, 7) for value in values)}]"


def _quoted(text: str) -> str:
    return "".join(c for c in text if c.isprintable()).replace("\\", "/").replace('"', "'")


def without_repeated(lines: list[str]) -> list[str]:
    """Return lines without tools that are set already; behind a label, loop or call nothing is known to be set."""
    out, tool = [], ""
    for line in lines:
        plain = line.strip()
        if plain.startswith("set_tcp("):
            if plain == tool:
                continue
            tool = plain
        elif not plain.startswith(KEEPING):
            tool = ""
        out.append(line)
    return out


KEEPING = ("move", "sleep", "set_", "textmsg", "popup", "sync")
"""Lines behind which the tool is still what it was."""


class UrScriptRenderer(Renderer):
    """Loops, decisions and calls of URScript; its lists have one dimension."""

    dimensions = 1
    counter = "loop_{depth}"

    def __init__(self, inputs: Callable[[str], str]) -> None:
        super().__init__()
        self._input = inputs

    def loop(self, counter: str, count: str, body: list[str]) -> list[str]:
        """Return a while loop that counts."""
        return [f"{counter} = 0", f"while {counter} < {count}:", *body, f"  {counter} = {counter} + 1", "end"]

    def endless(self, body: list[str]) -> list[str]:
        """Return while True."""
        return ["while True:", *body, "end"]

    def waiting(self, name: str, value: bool, body: list[str]) -> list[str]:
        """Return a while loop."""
        return [f"while {'' if value else 'not '}{self._input(name)}:", *body, "end"]

    def decision(self, condition: str, body: list[str], otherwise: list[str]) -> list[str]:
        """Return if … else … end."""
        return [f"if {condition}:", *body, *(["else:", *otherwise] if otherwise else []), "end"]

    def choice(self, counter: str, cases: list[ShownCase], otherwise: list[str]) -> list[str]:
        """Return if … elif … else … end."""
        del counter
        words = ("if", *("elif" for _case in cases[1:]))
        lines = [line for w, case in zip(words, cases, strict=True) for line in (f"{w} {case.condition}:", *case.lines)]
        return [*lines, *(["else:", *otherwise] if otherwise else []), "end"]

    def call(self, routine: str, arguments: list[str]) -> str:
        """Return a call."""
        return f"{routine}({', '.join(arguments)})"

    def read(self, name: str) -> list[str]:
        """Return an assignment of an input to a variable."""
        return [f"{self.kept(name)} = {self._input(name)}"]

    def kept(self, name: str) -> str:
        """Return the variable that keeps an input."""
        return ur_name(f"in_{name}")

    def negated(self, condition: str) -> str:
        """Return not …."""
        return f"not ({condition})"

    def remainder(self, counter: str, modulus: int) -> str:
        """Return what a division leaves."""
        return f"{counter} % {modulus}"

    def all_of(self, conditions: list[str]) -> str:
        """Return … and …."""
        return " and ".join(f"({one})" for one in conditions)

    def table(self, kind: str, number: int) -> str:
        """Return the name of a list."""
        del kind
        return f"list_{number}"

    def constant(self, value: Constant) -> str:
        """Return a constant."""
        return value.text.capitalize() if value.kind == "bool" else value.text
