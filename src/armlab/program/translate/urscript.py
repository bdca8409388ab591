"""URScript: movej, movel, movec with speeds, accelerations and blend radii; poses in the arm's base."""

from __future__ import annotations

import keyword
from collections.abc import Sequence

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import _, term
from armlab.model.finding import Finding
from armlab.motion.limits import limits_of
from armlab.program.instructions import (
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    Pace,
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
from armlab.program.translate.curves import arc_chain
from armlab.program.translate.fitting import TranslationJob, WrittenProgram, note_inlined
from armlab.program.translate.plain_moves import PlainMoves, corner_radius, limits_of_pace
from armlab.program.translate.record import RecordedStep
from armlab.program.translate.structure import Node, ProgramStructure, RepeatedBlock, RoutineCall, structured
from armlab.program.translate.text import SignalNumbers, StepBlock, identifier, input_names, number, output_names

SETTLE = 0.3
WORDS = ("not", "and", "or")


def write_urscript(job: TranslationJob) -> WrittenProgram:
    """Return a program in URScript."""
    writer = UrScriptWriter(job)
    structure = structured(writer.blocks(), job.record.steps, ur_name)
    note_inlined(writer.flattening, structure)
    return WrittenProgram(writer.files(structure), tuple(writer.findings()))


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
        self._tool = ""
        record = job.record
        self._digital, self._analog, self._inputs = SignalNumbers(0, 63), SignalNumbers(0, 63), SignalNumbers(0, 63)
        grips = ["gripper"] if any(isinstance(step.instruction, Pick | Place) for step in record.steps) else []
        self._digital.reserve([*output_names(record, is_analog=False), *grips])
        self._analog.reserve(output_names(record, is_analog=True))
        self._inputs.reserve(input_names(record))

    # -- blocks ------------------------------------------------------------------------------------------------------

    def blocks(self) -> list[StepBlock]:
        """Return the lines of every step."""
        return [StepBlock(k, tuple(self._lines(k, step))) for k, step in enumerate(self._record.steps)]

    def _lines(self, k: int, step: RecordedStep) -> list[str]:  # noqa: PLR0911 - one case per kind
        instruction = step.instruction
        if step.interrupted:
            self.flattening.add(term(_("interrupts")), step)
        match instruction:
            case MoveJ() | MoveL() | MoveC() | MoveHelix() | MoveSpline() | Probe():
                return self._move(k, step, instruction)
            case Wait(seconds=seconds):
                return [f"sleep({number(seconds, 6)})"] if seconds > 0.0 else []
            case Say(text=text):
                return [f'textmsg("{_quoted(text)}")']
            case Pause():
                return ['popup("pause", blocking=True)']
            case SetOutput():
                return self._output(step, instruction)
            case Pick() | Place():
                value = isinstance(instruction, Pick)
                return [f"set_digital_out({self._digital.given['gripper']}, {value})", f"sleep({SETTLE})"]
            case ReadInput() | WaitUntil():
                return self._wait(step)
            case _:
                return []

    def _output(self, step: RecordedStep, output: SetOutput) -> list[str]:
        if output.delay or output.distance or output.pulse is not None:
            self.flattening.add(term(_("shifts and pulses of outputs")), step)
        if isinstance(output.value, bool):
            return [f"set_digital_out({self._digital.given[output.name]}, {output.value})"]
        return [f"set_analog_out({self._analog.given[output.name]}, {number(output.value, 6)})"]

    def _wait(self, step: RecordedStep) -> list[str]:
        conditions = self.waited_for(step, lambda name: f"get_digital_in({self._inputs.given[name]})", WORDS)
        if conditions is None:
            return [f"sleep({number(step.duration, 6)})"] if step.duration > 0.0 else []
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

    def _move(
        self, k: int, step: RecordedStep, move: MoveJ | MoveL | MoveC | MoveHelix | MoveSpline | Probe
    ) -> list[str]:
        out = self._use_tool(move.pace)
        radius = number(corner_radius(self._record, k, step), 6)
        if isinstance(move, MoveJ):
            return out + self._joint_move(step, move, radius)
        limits = limits_of_pace(self._record, step, move.pace)
        rates = f"a={number(limits.acceleration, 4)}, v={number(limits.speed, 6)}"
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
            speed, acceleration = own.velocity[lead] * move.pace.speed, own.acceleration[lead] * move.pace.acceleration
            values = ", ".join(number(float(value), 7) for value in q)
            end = radius if q is move.targets[-1] else "0.01"
            lines.append(f"movej([{values}], a={number(acceleration, 4)}, v={number(speed, 4)}, r={end})")
            before = q
        return lines

    def _use_tool(self, pace: Pace) -> list[str]:
        code = f"set_tcp({_pose(self._record.tool_of(pace))})"
        if code == self._tool:
            return []
        self._tool = code
        return [code]

    def _pose(self, T_world_tool: Floats) -> str:
        text = _pose(pose.inverse(self._record.robot.base) @ T_world_tool)
        return self._poses.setdefault(text, f"p_{len(self._poses) + 1}")

    # -- file --------------------------------------------------------------------------------------------------------

    def files(self, structure: ProgramStructure) -> dict[str, bytes]:
        """Return the script."""
        lines = [f"def {self._name}():", *(f"  {name} = {text}" for text, name in self._poses.items())]
        for name, body in structure.routines.items():
            lines += ["", f"  def {name}():", *_rendered(body, 2), "  end"]
        lines += ["", *_rendered(structure.main, 1), "end", ""]
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


def _rendered(nodes: Sequence[Node], level: int, loops: int = 1) -> list[str]:
    space, out = "  " * level, []
    for node in nodes:
        match node:
            case RoutineCall(routine=routine):
                out.append(f"{space}{routine}()")
            case RepeatedBlock(count=count, body=body):
                counter = f"loop_{loops}"
                out += [f"{space}{counter} = 0", f"{space}while {counter} < {count}:"]
                out += [*_rendered(body, level + 1, loops + 1), f"{space}  {counter} = {counter} + 1", f"{space}end"]
            case _:
                out += [f"{space}{line}" for line in node.lines]
    return out
