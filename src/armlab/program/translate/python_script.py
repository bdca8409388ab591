"""A Python script of armlab's own instructions: settings and routines by name, and a simulated arm that follows."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

import numpy as np

from armlab.arrays import Floats
from armlab.model.finding import Finding
from armlab.program.instructions import (
    Blend,
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
from armlab.program.translate.conditions import InputCondition
from armlab.program.translate.fitting import TranslationJob, WrittenProgram, written_with_structure
from armlab.program.translate.nodes import ProgramStructure, WrittenRoutine
from armlab.program.translate.record import RecordedStep
from armlab.program.translate.render import Renderer, ShownCase
from armlab.program.translate.step_writer import AnyMove, StepWriter
from armlab.program.translate.text import identifier, mm_deg, number, shown_joints
from armlab.program.translate.values import Constant
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
    return written_with_structure(job, PythonWriter(job))


def python_name(name: str) -> str:
    """Return a name that Python takes, in small letters."""
    plain = identifier(name, 60).lower()
    taken = {"frame", "point", "joints", "robot", "scene", "arm", "start", "run", "np", "pose", "armlab"}
    return f"{plain}_" if keyword.iskeyword(plain) or plain in taken else plain


class PythonWriter(StepWriter):
    """Writes one program."""

    language = "Python"

    def __init__(self, job: TranslationJob) -> None:
        super().__init__(job.record)
        self._job = job
        self._name = python_name(job.name)
        self._known_settings: dict[str, str] = {}
        self._tools: dict[str, str] = {}
        self._used: set[str] = {"MotionSettings"}

    # -- blocks ------------------------------------------------------------------------------------------------------

    def named(self, routine: str) -> str:
        """Return the name of a routine."""
        return python_name(routine)

    def _yielded(self, kind: str, *arguments: str) -> list[str]:
        self._used.add(kind)
        return [f"yield {kind}({', '.join(argument for argument in arguments if argument)})"]

    def move(self, k: int, step: RecordedStep, move: AnyMove) -> list[str]:
        """Return a motion."""
        del k, step
        match move:
            case MoveJ():
                return self._joint_move(move)
            case MoveL(frames=frames, corners=corners, settings=settings):
                inner = "" if corners is None else f"corners={self._blend(corners)}"
                return self._yielded("MoveL", _tuple([self._frame(T) for T in frames]), inner, self._settings(settings))
            case MoveC(via=via, frame=frame, angle=angle, settings=settings):
                turn = "" if angle is None else f"angle={_exact(angle)}"
                return self._yielded("MoveC", self._point(via), self._frame(frame), turn, self._settings(settings))
            case MoveHelix():
                return self._helix(move)
            case MoveSpline(frames=frames, kind=kind, settings=settings):
                which = "" if kind == "spline" else f'kind="{kind}"'
                return self._yielded(
                    "MoveSpline", _tuple([self._frame(T) for T in frames]), which, self._settings(settings)
                )
            case Probe(frame=frame, away=away, settings=settings):
                return self._yielded("Probe", self._frame(frame), "away=True" if away else "", self._settings(settings))

    def stand(self, seconds: float) -> list[str]:
        """Return a wait."""
        return self._yielded("Wait", self.number(seconds))

    def say(self, said: Say) -> list[str]:
        """Return a message."""
        return self._yielded("Say", repr(said.text), "" if said.kind == "message" else f"kind={said.kind!r}")

    def pause(self, pause: Pause) -> list[str]:
        """Return a pause."""
        return self._yielded("Pause", "optional=True" if pause.optional else "")

    def grip(self, grip: Pick | Place) -> list[str]:
        """Return a pick or place."""
        if isinstance(grip, Place):
            return self._yielded("Place")
        return self._yielded("Pick", "" if grip.body is None else repr(grip.body))

    def _joint_move(self, move: MoveJ) -> list[str]:
        targets = _tuple([self._joints(q) for q in move.targets])
        scheme = "" if move.scheme is None else f"scheme={move.scheme!r}"
        times = "" if move.times is None else f"times={_tuple([number(t, 6) for t in move.times])}"
        return self._yielded("MoveJ", targets, scheme, times, self._settings(move.settings))

    def _helix(self, move: MoveHelix) -> list[str]:
        axis = move.axis / np.linalg.norm(move.axis)
        direction = f"np.array([{', '.join(_exact(value) for value in axis)}])"
        angle, end = _exact(move.angle), self._frame(move.frame)
        return self._yielded(
            "MoveHelix", self._point(move.center), direction, angle, end, self._settings(move.settings)
        )

    def output(self, step: RecordedStep, output: SetOutput) -> list[str]:
        """Return what sets an output."""
        del step
        return self._yielded(
            "SetOutput",
            repr(output.name),
            self.slots.put("value", repr(output.value)),
            "with_motion=True" if output.with_motion else "",
            f"delay={_exact(output.delay)}" if output.delay else "",
            f"distance={_exact(output.distance)}" if output.distance else "",
            "" if output.pulse is None else f"pulse={_exact(output.pulse)}",
        )

    def wait(self, step: RecordedStep, asked: ReadInput | WaitUntil) -> list[str]:
        """Return a wait for inputs."""
        if isinstance(asked, ReadInput) and asked.mode != "now":
            timeout = "" if asked.timeout is None else f"timeout={number(asked.timeout, 6)}"
            return self._yielded("ReadInput", repr(asked.name), f'mode="{asked.mode}"', timeout)
        awaited = step.awaited
        if awaited is None or isinstance(asked, ReadInput):
            return self.stood(step)
        if awaited.terms is None:
            return []
        return self._yielded("WaitUntil", f"lambda signals: {_condition(awaited)}")

    # -- values ------------------------------------------------------------------------------------------------------

    def _joints(self, q: Floats) -> str:
        values = shown_joints(self._record.robot, q)
        return self.slots.put("joints", f"joints({', '.join(number(value, 6) for value in values)})", values)

    def _frame(self, T: Floats) -> str:
        return self.slots.put("frame", _frame(T), mm_deg(T))

    def _point(self, p: Floats) -> str:
        values = [value * MM_PER_M for value in p.tolist()]
        return self.slots.put("point", f"point({', '.join(number(value, 6) for value in values)})", values)

    def _blend(self, blend: Blend) -> str:
        self._used.add("Blend")
        given = {"radius": blend.radius, "tolerance": blend.tolerance, "joints": blend.joints}
        return f"Blend({', '.join(f'{name}={_exact(value)}' for name, value in given.items() if value)})"

    def _settings(self, settings: MotionSettings) -> str:
        """Return motion settings by their name; the names are defined at the beginning."""
        given = {
            "speed": settings.speed if settings.speed != 1.0 else None,
            "acceleration": settings.acceleration if settings.acceleration != 1.0 else None,
            "tool_speed": settings.tool_speed,
            "tool_acceleration": settings.tool_acceleration,
            "turn_speed": settings.turn_speed,
            "seconds": settings.seconds,
        }
        parts = [f"{name}={_exact(value)}" for name, value in given.items() if value is not None]
        if settings.blend is not None:
            parts.append(f"blend={self._blend(settings.blend)}")
        if settings.task != "pose":
            parts.append(f'task="{settings.task}"')
        if settings.T_flange_tool is not None:
            text = _frame(settings.T_flange_tool)
            parts.append(f"T_flange_tool={self._tools.setdefault(text, f'tool_{len(self._tools) + 1}')}")
        text = f"MotionSettings({', '.join(parts)})"
        name = self._known_settings.setdefault(text, f"settings_{len(self._known_settings) + 1}")
        return f"settings={self.slots.put('settings', name)}" if parts else ""

    # -- file --------------------------------------------------------------------------------------------------------

    def files(self, structure: ProgramStructure) -> dict[str, bytes]:
        """Return the script."""
        text = PythonRenderer()
        body = []
        for name, routine in structure.routines.items():
            body += ["", "", *text.function(name, routine, f"The routine {name}.")]
        body += [
            "",
            "",
            *text.function(self._name, WrittenRoutine((), structure.main), "Yield the instructions of the program."),
        ]
        words = set(re.findall(r"\w+", "\n".join(body))) | {name for table in text.tables for name in table[2]}
        used = ", ".join(sorted({*self._used, *(["ReadInput"] if "ReadInput" in words else [])}))
        arm = identifier(self._record.robot.name, 60).replace("_", "-")
        lines = [
            f'"""{self._name}: a program for {arm}; `python {self._name}.py` moves the simulated arm.',
            "",
            "Lengths are millimetres and angles degrees in frame(), point() and joints(); settings are in m, rad, s.",
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
        lines += [f"start = {self.slots.plain([self._joints(self._record.start)])[0]}"]
        lines += [f"{name} = {value}" for value, name in self._tools.items()]
        lines += [f"{name} = {value}" for value, name in self._known_settings.items() if name in words]
        lines += [f"{name} = {nested_tuple(key[2], key[1])}" for key, name in text.tables.items()]
        lines += body
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


def _exact(value: float) -> str:
    return repr(round(float(value), 12))


def _frame(T: Floats) -> str:
    return f"frame({', '.join(number(value, 6) for value in mm_deg(T))})"


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _condition(awaited: InputCondition) -> str:
    return awaited.text(lambda name: f"signals.read({name!r})", ("not", "and", "or"))


def nested_tuple(entries: Sequence[str], sizes: Sequence[int]) -> str:
    """Return the elements of a table, row by row."""
    if len(sizes) == 1:
        return _tuple(list(entries))
    step = len(entries) // sizes[0]
    return _tuple([nested_tuple(entries[i * step : (i + 1) * step], sizes[1:]) for i in range(sizes[0])])


class PythonRenderer(Renderer):
    """Loops, decisions and calls of Python."""

    indent = "    "
    dimensions = 9

    def loop(self, counter: str, count: str, body: list[str]) -> list[str]:
        """Return a for loop."""
        is_used = any(re.search(rf"\b{counter}\b", line) for line in body)
        return [f"for {counter if is_used else '_'} in range({count}):", *body]

    def endless(self, body: list[str]) -> list[str]:
        """Return while True."""
        return ["while True:", *body]

    def waiting(self, name: str, value: bool, body: list[str]) -> list[str]:
        """Return a while loop."""
        return [f"while {'' if value else 'not '}(yield ReadInput({name!r})):", *body]

    def decision(self, condition: str, body: list[str], otherwise: list[str]) -> list[str]:
        """Return if … else."""
        return [f"if {condition}:", *body, *(["else:", *otherwise] if otherwise else [])]

    def choice(self, counter: str, cases: list[ShownCase], otherwise: list[str]) -> list[str]:
        """Return if … elif … else."""
        del counter
        words = ("if", *("elif" for _case in cases[1:]))
        lines = [line for w, case in zip(words, cases, strict=True) for line in (f"{w} {case.condition}:", *case.lines)]
        return [*lines, *(["else:", *otherwise] if otherwise else [])]

    def call(self, routine: str, arguments: list[str]) -> str:
        """Return a call."""
        return f"yield from {routine}({', '.join(arguments)})"

    def read(self, name: str) -> list[str]:
        """Return an assignment of an input to a variable."""
        return [f"{self.kept(name)} = yield ReadInput({name!r})"]

    def kept(self, name: str) -> str:
        """Return the variable that keeps an input."""
        return python_name(f"in_{name}")

    def negated(self, condition: str) -> str:
        """Return not …."""
        return f"not {condition}" if condition.isidentifier() else f"not ({condition})"

    def remainder(self, counter: str, modulus: int) -> str:
        """Return what a division leaves."""
        return f"{counter} % {modulus}"

    def all_of(self, conditions: list[str]) -> str:
        """Return … and …."""
        return " and ".join(conditions)

    def table(self, kind: str, number: int) -> str:
        """Return the name of a table."""
        return f"{kind}s_{number}"

    def constant(self, value: Constant) -> str:
        """Return a constant."""
        return value.text.capitalize() if value.kind == "bool" else value.text

    def formula(self, kind: str, terms: list[str]) -> str | None:
        """Return a frame, point or number whose parts are formulas."""
        if kind == "number":
            return terms[0]
        return f"{kind}({', '.join(terms)})" if kind in {"frame", "point", "joints"} else None

    def function(self, name: str, routine: WrittenRoutine, about: str) -> list[str]:
        """Return a function that yields instructions."""
        given = ", ".join(one.name for one in routine.parameters)
        body = self.lines(routine.body) or ["yield from ()"]
        return [f"def {name}({given}):", f'    """{about}"""', *(f"    {line}" for line in body)]
