"""A Python script of armlab's own instructions: paces and routines by name, and a simulated arm that follows."""

from __future__ import annotations

import keyword
from collections.abc import Sequence

import numpy as np

from armlab.arrays import Floats
from armlab.messages import _, term
from armlab.model.finding import Finding
from armlab.program.instructions import (
    Blend,
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
from armlab.program.translate.conditions import InputCondition
from armlab.program.translate.fitting import TranslationJob, WrittenProgram, note_inlined
from armlab.program.translate.record import RecordedStep
from armlab.program.translate.structure import Node, ProgramStructure, RepeatedBlock, RoutineCall, structured
from armlab.program.translate.text import Flattening, StepBlock, identifier, mm_deg, number, shown_joints
from armlab.units import MM_PER_M

HELPERS = '''
def frame(x, y, z, a=0.0, b=0.0, c=0.0):
    """Return a pose from mm and degrees (A B C as KUKA counts them)."""
    return pose.from_xyz_abc(np.array([x, y, z]) / 1000.0, np.radians([a, b, c]))


def point(x, y, z):
    """Return a point from mm."""
    return np.array([x, y, z]) / 1000.0


def joints(*values):
    """Return joint values from degrees, and mm for joints that slide."""
    scales = [np.pi / 180.0 if joint.kind == "revolute" else 0.001 for joint in robot.joints]
    return np.array(values) * scales
'''
MAIN = """
if __name__ == "__main__":
    run = run_program(scene, {name}(), robot=arm.name, start=start, structure="hierarchy")
    for finding in run.findings:
        print(finding.severity, finding.message)
    print(f"{{run.motions}} motions, {{run.duration:.3f}} s")
"""


def write_python(job: TranslationJob) -> WrittenProgram:
    """Return a program as a Python script; it is made of the very instructions that were recorded."""
    writer = PythonWriter(job)
    structure = structured(writer.blocks(), job.record.steps, python_name)
    note_inlined(writer.flattening, structure)
    return WrittenProgram(writer.files(structure), tuple(writer.findings()))


def python_name(name: str) -> str:
    """Return a name that Python takes, in small letters."""
    plain = identifier(name, 60).lower()
    taken = {"frame", "point", "joints", "robot", "scene", "arm", "start", "run", "np", "pose", "armlab"}
    return f"{plain}_" if keyword.iskeyword(plain) or plain in taken else plain


class PythonWriter:
    """Writes one program."""

    language = "Python"

    def __init__(self, job: TranslationJob) -> None:
        self.flattening = Flattening()
        self._job, self._record = job, job.record
        self._name = python_name(job.name)
        self._paces: dict[str, str] = {}
        self._tools: dict[str, str] = {}
        self._used: set[str] = {"Pace"}

    # -- blocks ------------------------------------------------------------------------------------------------------

    def blocks(self) -> list[StepBlock]:
        """Return the lines of every step."""
        return [StepBlock(k, tuple(self._lines(step))) for k, step in enumerate(self._record.steps)]

    def _yielded(self, kind: str, *arguments: str) -> list[str]:
        self._used.add(kind)
        return [f"yield {kind}({', '.join(argument for argument in arguments if argument)})"]

    def _lines(self, step: RecordedStep) -> list[str]:  # noqa: C901, PLR0911, PLR0912 - one case per kind
        instruction = step.instruction
        if step.interrupted:
            self.flattening.add(term(_("interrupts")), step)
        match instruction:
            case MoveJ():
                return self._joint_move(instruction)
            case MoveL(frames=frames, corners=corners, pace=pace):
                inner = "" if corners is None else f"corners={self._blend(corners)}"
                return self._yielded("MoveL", _tuple([_frame(T) for T in frames]), inner, self._pace(pace))
            case MoveC(via=via, frame=frame, angle=angle, pace=pace):
                turn = "" if angle is None else f"angle={_exact(angle)}"
                return self._yielded("MoveC", _point(via), _frame(frame), turn, self._pace(pace))
            case MoveHelix():
                return self._helix(instruction)
            case MoveSpline(frames=frames, kind=kind, pace=pace):
                which = "" if kind == "spline" else f'kind="{kind}"'
                return self._yielded("MoveSpline", _tuple([_frame(T) for T in frames]), which, self._pace(pace))
            case Probe(frame=frame, away=away, pace=pace):
                return self._yielded("Probe", _frame(frame), "away=True" if away else "", self._pace(pace))
            case Wait(seconds=seconds):
                return self._yielded("Wait", number(seconds, 6)) if seconds > 0.0 else []
            case Say(text=text, kind=kind):
                return self._yielded("Say", repr(text), "" if kind == "message" else f"kind={kind!r}")
            case Pause(optional=optional):
                return self._yielded("Pause", "optional=True" if optional else "")
            case SetOutput():
                return self._output(instruction)
            case Pick(body=body):
                return self._yielded("Pick", "" if body is None else repr(body))
            case Place():
                return self._yielded("Place")
            case ReadInput() | WaitUntil():
                return self._wait(step, instruction)
            case _:
                return []

    def _joint_move(self, move: MoveJ) -> list[str]:
        targets = _tuple([self._joints(q) for q in move.targets])
        scheme = "" if move.scheme is None else f"scheme={move.scheme!r}"
        times = "" if move.times is None else f"times={_tuple([number(t, 6) for t in move.times])}"
        return self._yielded("MoveJ", targets, scheme, times, self._pace(move.pace))

    def _helix(self, move: MoveHelix) -> list[str]:
        axis = move.axis / np.linalg.norm(move.axis)
        direction = f"np.array([{', '.join(_exact(value) for value in axis)}])"
        return self._yielded(
            "MoveHelix", _point(move.center), direction, _exact(move.angle), _frame(move.frame), self._pace(move.pace)
        )

    def _output(self, output: SetOutput) -> list[str]:
        return self._yielded(
            "SetOutput",
            repr(output.name),
            repr(output.value),
            "with_motion=True" if output.with_motion else "",
            f"delay={_exact(output.delay)}" if output.delay else "",
            f"distance={_exact(output.distance)}" if output.distance else "",
            "" if output.pulse is None else f"pulse={_exact(output.pulse)}",
        )

    def _wait(self, step: RecordedStep, asked: ReadInput | WaitUntil) -> list[str]:
        if isinstance(asked, ReadInput) and asked.mode != "now":
            timeout = "" if asked.timeout is None else f"timeout={number(asked.timeout, 6)}"
            return self._yielded("ReadInput", repr(asked.name), f'mode="{asked.mode}"', timeout)
        awaited = step.awaited
        if awaited is None or isinstance(asked, ReadInput):
            if isinstance(asked, ReadInput) or step.duration > 0.0:
                self.flattening.add(term(_("decisions by inputs and the time")), step)
            return self._yielded("Wait", number(step.duration, 6)) if step.duration > 0.0 else []
        if awaited.terms is None:
            return []
        return self._yielded("WaitUntil", f"lambda signals: {_condition(awaited)}")

    # -- values ------------------------------------------------------------------------------------------------------

    def _joints(self, q: Floats) -> str:
        return f"joints({', '.join(number(value, 6) for value in shown_joints(self._record.robot, q))})"

    def _blend(self, blend: Blend) -> str:
        self._used.add("Blend")
        given = {"radius": blend.radius, "tolerance": blend.tolerance, "joints": blend.joints}
        return f"Blend({', '.join(f'{name}={_exact(value)}' for name, value in given.items() if value)})"

    def _pace(self, pace: Pace) -> str:
        """Return a pace by its name; the names are defined at the beginning."""
        given = {
            "speed": pace.speed if pace.speed != 1.0 else None,
            "acceleration": pace.acceleration if pace.acceleration != 1.0 else None,
            "tool_speed": pace.tool_speed,
            "tool_acceleration": pace.tool_acceleration,
            "turn_speed": pace.turn_speed,
            "seconds": pace.seconds,
        }
        parts = [f"{name}={_exact(value)}" for name, value in given.items() if value is not None]
        if pace.blend is not None:
            parts.append(f"blend={self._blend(pace.blend)}")
        if pace.task != "pose":
            parts.append(f'task="{pace.task}"')
        if pace.T_flange_tool is not None:
            text = _frame(pace.T_flange_tool)
            parts.append(f"T_flange_tool={self._tools.setdefault(text, f'tool_{len(self._tools) + 1}')}")
        if not parts:
            return ""
        text = f"Pace({', '.join(parts)})"
        return f"pace={self._paces.setdefault(text, f'pace_{len(self._paces) + 1}')}"

    # -- file --------------------------------------------------------------------------------------------------------

    def files(self, structure: ProgramStructure) -> dict[str, bytes]:
        """Return the script."""
        used = ", ".join(sorted(self._used))
        arm = identifier(self._record.robot.name, 60).replace("_", "-")
        lines = [
            f'"""{self._name}: a program for {arm}; `python {self._name}.py` moves the simulated arm.',
            "",
            "Lengths are millimetres and angles degrees in frame(), point() and joints(); paces are in m, rad and s.",
            '"""',
            "",
            "import armlab",
            "import numpy as np",
            "from armlab import pose",
            f"from armlab.program.instructions import {used}",
            "from armlab.program.run import run_program",
            "",
            *_cell_lines(self._job),
            HELPERS,
        ]
        lines += [f"start = {self._joints(self._record.start)}"]
        lines += [f"{name} = {text}" for text, name in self._tools.items()]
        lines += [f"{name} = {text}" for text, name in self._paces.items()]
        for name, body in structure.routines.items():
            lines += ["", "", f"def {name}():", *_rendered(body, 1, f"The routine {name}.")]
        lines += [
            "",
            "",
            f"def {self._name}():",
            *_rendered(structure.main, 1, "Yield the instructions of the program."),
        ]
        lines += ["", MAIN.format(name=self._name).rstrip()]
        return {f"{self._name}.py": ("\n".join(lines) + "\n").encode()}

    def findings(self) -> list[Finding]:
        """Return what is to be said about the translation."""
        return self.flattening.findings(self.language)


def _cell_lines(job: TranslationJob) -> list[str]:
    """Return lines that load the arm with its tool, where it stands, and the scene."""
    robot, scene = job.record.robot, job.prepared.cell.scene
    if len(scene.robots) == 1 and not scene.bodies:
        lines = [f"robot = armlab.load({robot.name!r})"]
    else:
        lines = [
            f"scene = armlab.load_scene({scene.name!r})",
            f"robot = scene.robot({job.prepared.cell.arm.name!r}).robot",
        ]
        return [*lines, f"arm = scene.robot({job.prepared.cell.arm.name!r})"]
    if np.abs(robot.base - np.eye(4)).max() > 0.0:
        lines.append(
            f"robot = robot.with_base(pose.from_mm_deg(({', '.join(number(v, 6) for v in mm_deg(robot.base))})))"
        )
    if robot.tool.name not in {"none", ""}:
        lines.append(f"robot = robot.with_tool(armlab.load_tool({robot.tool.name!r}))")
    return [*lines, "scene = armlab.Scene.of(robot)", "arm = scene.robots[0]"]


def _rendered(nodes: Sequence[Node], level: int, about: str = "") -> list[str]:
    out = [f'{"    " * level}"""{about}"""'] if about else []
    for node in nodes:
        match node:
            case RoutineCall(routine=routine):
                out.append(f"{'    ' * level}yield from {routine}()")
            case RepeatedBlock(count=count, body=body):
                out += [f"{'    ' * level}for _ in range({count}):", *_rendered(body, level + 1)]
            case _:
                out += [f"{'    ' * level}{line}" for line in node.lines]
    if len(out) == 1 and about:
        out.append(f"{'    ' * level}yield from ()")
    return out


def _exact(value: float) -> str:
    return repr(round(float(value), 12))


def _frame(T: Floats) -> str:
    return f"frame({', '.join(number(value, 6) for value in mm_deg(T))})"


def _point(p: Floats) -> str:
    return f"point({', '.join(number(value * MM_PER_M, 6) for value in p)})"


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _condition(awaited: InputCondition) -> str:
    return awaited.text(lambda name: f"signals.read({name!r})", ("not", "and", "or"))
