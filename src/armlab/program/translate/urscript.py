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
from armlab.program.translate.plain_moves import PlainMoves, corner_radius
from armlab.program.translate.record import RecordedStep
from armlab.program.translate.render import Renderer, ShownCase
from armlab.program.translate.step_writer import SETTLE, AnyMove
from armlab.program.translate.text import SignalNumbers, identifier, input_names, number, output_names
from armlab.program.translate.values import Constant

WORDS = ("not", "and", "or")


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
        radius = self.number(corner_radius(self._record, k, step))
        if isinstance(move, MoveJ):
            return out + self._joint_move(step, move, radius)
        limits = self.limits(move.settings)
        rates = f"a={self.number(limits.acceleration, 4)}, v={self.number(limits.speed)}"
        if isinstance(move, MoveC | MoveHelix):
            arcs, lines = arc_chain(step), []
            for arc in arcs:
                via = arc.end.copy()
                via[:3, 3] = arc.via
                r = radius if arc is arcs[-1] else "0.001"
                lines.append(f"movec({self._pose(via)}, {self._pose(arc.end)}, {rates}, r={r}, mode=0)")
            if lines:
                return out + lines
        return out + [
            f"movel({self._pose(T)}, {rates}, r={radius if is_last else '0.001'})"
            for T, _q, is_last in self.frames(step, move)
        ]

    def _joint_move(self, step: RecordedStep, move: MoveJ, radius: str) -> list[str]:
        own = limits_of(self._record.robot)
        lines, before = [], step.sampled(2)[1][0] if step.parts else self._record.start
        for q in self.joint_targets(step, move):
            lead = int(np.argmax(np.abs(q - before) / own.velocity))
            speed, acceleration = (
                own.velocity[lead] * move.settings.speed,
                own.acceleration[lead] * move.settings.acceleration,
            )
            values = self.slots.put("joints", f"[{', '.join(number(float(value), 7) for value in q)}]")
            end = radius if q is move.targets[-1] else "0.01"
            lines.append(f"movej({values}, a={self.number(acceleration, 4)}, v={self.number(speed, 4)}, r={end})")
            before = q
        return lines

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
        body += without_repeated(text.lines(structure.main))
        tables = [f"{name} = [{', '.join(entries)}]" for (_kind, _sizes, entries), name in text.tables.items()]
        words = set(re.findall(r"\w+", "\n".join([*body, *tables])))
        poses = [f"{name} = {value}" for value, name in self._poses.items() if name in words]
        lines = [f"def {self._name}():", *(f"  {line}".rstrip() for line in (*poses, *tables, "", *body)), "end", ""]
        return {f"{self._name}.script": "\n".join(lines).encode("ascii", "replace")}

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
