"""What the server says besides the reports: its version, and why there is no answer."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from armlab.catalog.scene_schema import BodyTable
from armlab.cell.project import ArmChoice, Project, ProjectArm
from armlab.messages import Message
from armlab.program.scenario_schema import ScenarioFile
from armlab.reports.findings import FindingReport
from armlab.reports.imported import ImportReport
from armlab.reports.kinematics import IkReport, WhyReport
from armlab.reports.program import LineTimeReport, ProgramFinding
from armlab.reports.robots import RobotRow
from armlab.reports.singularity import StatusTurn
from armlab.reports.translation import TranslationReport


class ServerMessage(BaseModel):
    """A frozen message; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class VersionReport(ServerMessage):
    """Which armlab is answering."""

    version: str


class EntryToken(ServerMessage):
    """What stands behind `?token=` in a link that lets one more browser in, once."""

    token: str


class AssetReport(ServerMessage):
    """A file that is kept: what documents call it, and its bytes."""

    asset: str
    size: int


class ErrorBody(ServerMessage):
    """Why there is no answer: a code for programs, a text in the reader's language, and its parameters as values."""

    code: str
    message: Message
    parameters: dict[str, Any] = {}


class SessionReport(ServerMessage):
    """A session: its name, and the revision of its project."""

    session: str
    revision: int


class PoseJoints(ServerMessage):
    """The joint values of a saved pose, in the joints' units."""

    q: tuple[float, ...]


class FramePose(ServerMessage):
    """A frame in the world or in an object's frame: X Y Z A B C, mm and degrees."""

    pose: tuple[float, float, float, float, float, float]


class PastLimit(ServerMessage):
    """A joint that would have to be past its limits, ° or mm."""

    joint: str
    unit: str
    value: float
    lower: float
    upper: float


class OutsideReport(ServerMessage):
    """A solution that only the joint limits rule out, and the joints that are past them."""

    q: tuple[float, ...]
    branch: str
    past: tuple[PastLimit, ...]
    kuka: StatusTurn | None


class SolutionsReport(ServerMessage):
    """All solutions for a pose; `why` says why there is none."""

    ik: IkReport
    why: WhyReport | None
    kuka: tuple[StatusTurn, ...] | None
    """S and T of each solution, for arms of KUKA's."""
    outside: tuple[OutsideReport, ...]
    """What the geometry would allow, but not the limits."""


class StepRow(ServerMessage):
    """One step that was tried: joint values (° or mm), ‖e‖ in mm, ‖Jᵀe‖, λ, ‖Δθ‖ in rad (m where joints slide)."""

    q: tuple[float, ...]
    error: float
    gradient: float
    damping: float
    step: float
    accepted: bool


class StepsReport(ServerMessage):
    """Levenberg and Marquardt's method step by step, and why it ended: error, step, gradient or steps."""

    steps: tuple[StepRow, ...]
    q: tuple[float, ...]
    error: float
    position_error: float
    rotation_error: float
    converged: bool
    stop: str


class StartSolution(ServerMessage):
    """A solution that some starts end in: joint values (° or mm), its branch, and how many cells."""

    q: tuple[float, ...]
    branch: str
    cells: int


class StartMapReport(ServerMessage):
    """Where Levenberg and Marquardt's method ends for a grid of starts; rows go up, columns to the right."""

    joints: tuple[int, int]
    across: tuple[float, ...]
    """Start values of the first joint, ° or mm."""
    up: tuple[float, ...]
    solution: tuple[tuple[int, ...], ...]
    """The number of the solution, -1 where the target was not reached."""
    steps: tuple[tuple[int, ...], ...]
    solutions: tuple[StartSolution, ...]
    is_continuum: bool
    """Whether ends are told apart by their branch only: there are too many different ones."""
    start: tuple[float, ...]
    """Where the joints stand that are not varied."""


class VolumeReport(ServerMessage):
    """Where the tool point can be: cubes in the world, mm; lists have one entry per cube that is reached."""

    low: tuple[float, float, float]
    """The corner with the smallest coordinates."""
    cell: float
    shape: tuple[int, int, int]
    reached: tuple[int, ...]
    """The number of each cube, (ix · ny + iy) · nz + iz."""
    manipulability: tuple[int, ...]
    """The highest one in each cube, 0 to 255 of `most`."""
    most: float
    branches: tuple[int, ...] | None
    """In how many branches its point was reached; None where the arm has no named ones in closed form."""


class WorkspaceProgress(ServerMessage):
    """The workspace of an arm, or how much of the work is done; `revision` is that of the project it belongs to."""

    revision: int
    share: float
    """0 to 1"""
    volume: VolumeReport | None


class FormulaItem(ServerMessage):
    r"""A part of a section: words, equations as LaTeX lines, or a table of cells; words may hold LaTeX in dollars.

    A dollar of a name has a backslash before it.
    Symbols of a joint are marked with `\htmlData{link=2 3}{…}`: the places of their links in the layout's list.
    """

    title: str = ""
    text: str = ""
    latex: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    links: tuple[str, ...] = ()
    """Links of the arm that it is about."""
    numbers: tuple[str, ...] = ()
    """Per line of `latex` the same with numbers put in, empty where there are none; only where asked for."""
    live: str = ""
    """Which of `DerivationNumbers` its last line shows: links.2, products.0, tool, jacobian, singular.1 …"""


class FormulaSection(ServerMessage):
    """A section of the derivation."""

    id: str
    title: str
    items: tuple[FormulaItem, ...]


class DerivationPage(ServerMessage):
    """The derivation of an arm, to be typeset by the page."""

    robot: str
    sections: tuple[FormulaSection, ...]


class DerivationNumbers(ServerMessage):
    """The numbers of all formulas at one pose: mm, and turns without unit; `determinant` and `singular` in mm too."""

    q: tuple[float, ...]
    links: tuple[tuple[tuple[float, ...], ...], ...]
    products: tuple[tuple[tuple[float, ...], ...], ...]
    tool: tuple[tuple[float, ...], ...]
    jacobian: tuple[tuple[float, ...], ...]
    determinant: float | None
    singular: tuple[float, ...]


class RecordingRow(ServerMessage):
    """One line of the list of recordings: its file's name, arm, start, size (bytes) and length (s)."""

    name: str
    robot: str
    started: datetime
    size: int
    duration: float | None
    """None while it is running."""


class SceneRow(ServerMessage):
    """One line of the list of scenes."""

    name: str
    title: str
    notes: str
    bodies: int
    arm: str | None
    """The catalog's name of its first arm."""
    arms: int


class SceneContent(ServerMessage):
    """A scene as parts of a project: its arms, and all bodies as convex shapes."""

    name: str
    title: str
    arms: tuple[ProjectArm, ...]
    """Those of the catalog; the others cannot come along."""
    bodies: tuple[BodyTable, ...]


class ScenarioRow(ServerMessage):
    """One line of the list of scenarios."""

    name: str
    title: str
    notes: str
    steps: int


class ScenarioContent(ServerMessage):
    """A scenario, and a whole project in which it can be played at once."""

    scenario: ScenarioFile
    project: Project


class PaperRow(ServerMessage):
    """One experiment of a paper: `panel` is where it is looked at."""

    name: str
    paper: str
    title: Message
    panel: str


class PlotSetup(ServerMessage):
    """What the plots show of an experiment, and over how many seconds."""

    quantity: Literal["q", "xyz", "gap"]
    seconds: Literal["5", "15", "60"] = "15"


class PaperContent(ServerMessage):
    """An experiment of a paper as a whole project, the panel to open with it, what is played, and its plots.

    Where there are no plots, the panel itself shows what happens.
    """

    panel: str
    project: Project
    plays: Literal["plan", "poses", "scenario", "program"]
    plots: PlotSetup | None


class ScenarioCheck(ServerMessage):
    """What a scenario would do: how long it takes (s), and what was found; `where` has the step, from 1."""

    duration: float
    findings: tuple[FindingReport, ...]


class ImportContent(ServerMessage):
    """An arm that somebody brought: what was read and repaired, and the arm as a project holds it."""

    report: ImportReport
    row: RobotRow
    arm: ArmChoice


class ProgramExample(ServerMessage):
    """A program that comes with armlab."""

    name: str
    language: Literal["gcode", "krl", "python"]
    text: str


class ProgramPath(ServerMessage):
    """Where the tool goes because of a line, mm in the world; `rapid` where it goes at the arm's own speed."""

    line: int | None
    rapid: bool
    points: tuple[tuple[float, float, float], ...]


class ProgramTextCheck(ServerMessage):
    """What is wrong with a program's text, how long it takes (s), and where the tool goes."""

    findings: tuple[ProgramFinding, ...]
    left_out: int = 0
    motions: int = 0
    duration: float = 0.0
    lines: tuple[LineTimeReport, ...] = ()
    paths: tuple[ProgramPath, ...] = ()
    said: tuple[str, ...] = ()
    """What the program tells its operator."""
    inputs: tuple[str, ...] = ()
    """Digital inputs that the program reads."""
    outputs: tuple[str, ...] = ()


class ProgramTranslation(ServerMessage):
    """A program in another language."""

    report: TranslationReport


class ProgramWord(ServerMessage):
    """A word of a language, and a line of help."""

    word: str
    help: Message
