"""What a session tells the page as JSON: one model per event, told apart by `type`; a noun each.

Texts are messages (armlab.messages): they are written in the language of the page that gets them.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import Field, computed_field

from armlab.cell.patch import Changes
from armlab.cell.project import Project
from armlab.messages import LONGEST_PARAMETER, Message
from armlab.program.scenario_schema import StrictModel
from armlab.reports.console import ConsoleReport
from armlab.reports.findings import FindingReport


def short_parameters(message: Message) -> dict[str, Any]:
    """Return a message's parameters as plain values in the reader's language; of long texts, their beginning."""
    return {name: _short(value) for name, value in message.facts().items()}


def _short(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_PARAMETER:
        return value[: LONGEST_PARAMETER - 1] + "…"
    return {name: _short(item) for name, item in value.items()} if isinstance(value, dict) else value


class MessageEvent(StrictModel):
    """A message to a person: its stable code, its text, and its parameters as plain values."""

    message: Message

    @computed_field  # type: ignore[prop-decorator]
    @property
    def code(self) -> str:
        """What happened; stable, made for programs."""
        return self.message.code

    @computed_field  # type: ignore[prop-decorator]
    @property
    def parameters(self) -> dict[str, Any]:
        """The facts of the message."""
        return short_parameters(self.message)


class OtherLayout(StrictModel):
    """What the numbers of an arm belong to that is not the selected one."""

    name: str
    """What the arm is called in its scene."""
    joints: tuple[str, ...]
    links: tuple[str, ...]


class Layout(StrictModel):
    """What the numbers of a `state` frame belong to: it changes with the project's revision."""

    joints: tuple[str, ...]
    links: tuple[str, ...]
    """Every link from the base on, and last the tool; model.glb has a node for each."""
    bodies: tuple[str, ...]
    others: tuple[OtherLayout, ...] = ()
    """The arms that are not selected."""


class Document(StrictModel):
    """The project as it is now; sent on connecting."""

    type: Literal["document"] = "document"
    project: Project
    revision: int
    layout: Layout
    selected: str
    """The name of the arm that commands are for."""
    undo: str | None
    """What undo would take back, or None."""
    redo: str | None


class Changed(StrictModel):
    """What has changed of the document since the last revision."""

    type: Literal["changed"] = "changed"
    changes: Changes
    revision: int
    """One more than that of the document that has changed."""
    layout: Layout | None
    """None: as it was."""
    selected: str
    undo: str | None
    redo: str | None


class Welcome(StrictModel):
    """The first event on a socket: which session this is, how many pages look at it, and which one of them this is."""

    type: Literal["welcome"] = "welcome"
    session: str
    version: str
    pages: int
    page: int = 0
    """Its number: pages are counted as they come, from 1."""
    stops: int = 0
    """How many stops there were: what is pressed from now on says so."""


class Dragged(MessageEvent):
    """The answer to `move_tool`: whether the pose can be reached on this branch, and why not."""

    type: Literal["dragged"] = "dragged"
    arm: str = ""
    sequence: int
    reached: bool


class PlayerSegment(StrictModel):
    """One step of what is played: when, and its text."""

    start: float
    end: float
    step: int
    text: str
    line: int | None = None
    """Of a program's text."""


Ending = Literal["known", "open", "never", "waits"]
"""What is known of the end of what is played: when it comes, not yet, that it never comes, or that an input is awaited.
"""


What = Literal["none", "plan", "poses", "scenario", "recording", "program", "console"]
"""What is played."""


class PlayerReport(StrictModel):
    """What the player holds: its name, its length, its segments, the tool's path (mm), and what the check found.

    Of a program they are told as its preview grows; without an end, they are of one pass of its endless loop.
    """

    type: Literal["player"] = "player"
    arm: str = ""
    what: What
    number: int = 0
    """Another one for whatever is played next; the same while more becomes known of it."""
    duration: float
    """s, as far as it is known."""
    ending: Ending = "known"
    segments: tuple[PlayerSegment, ...]
    path: tuple[tuple[float, float, float], ...]
    t: tuple[float, ...]
    q: tuple[tuple[float, ...], ...]
    qd: tuple[tuple[float, ...], ...]
    qdd: tuple[tuple[float, ...], ...]
    findings: tuple[FindingReport, ...]


class PlayerProgress(StrictModel):
    """Where the program is that is played: its line, its values, and what it waits for."""

    type: Literal["progress"] = "progress"
    arm: str = ""
    line: int | None = None
    """Of a program's text."""
    step: int | None = None
    """Of a scenario, from 0."""
    waits: tuple[str, ...] | None = None
    """The inputs that it waits for; None where it does not wait."""
    outputs: dict[str, bool | float] = Field(default_factory=dict)
    variables: dict[str, bool | float] = Field(default_factory=dict)
    is_over: bool = False


class ConsoleReply(StrictModel):
    """What a line of the console did."""

    type: Literal["console"] = "console"
    arm: str
    report: ConsoleReport


class ProximityPair(StrictModel):
    """Two parts that touch or come near: names, distance (mm, negative inside), and the two points (mm)."""

    first: str
    second: str
    distance: float
    p_first: tuple[float, float, float]
    p_second: tuple[float, float, float]


class Proximity(StrictModel):
    """The nearest pairs, and those that touch; sent when they change."""

    type: Literal["proximity"] = "proximity"
    nearest: tuple[ProximityPair, ...]
    contacts: tuple[ProximityPair, ...]


class OverloadWarning(MessageEvent):
    """An arm that carries more than it is rated for, or a joint whose drive is saturated or that does not follow."""

    arm: str
    joint: str | None = None
    link: str | None = None
    """What that joint moves."""


class Overloads(StrictModel):
    """All that overloads the arms at the moment; sent when it changes."""

    type: Literal["overloads"] = "overloads"
    warnings: tuple[OverloadWarning, ...]


class Stopped(StrictModel):
    """Somebody has stopped every arm, or one by its name: who, and how many stops there were."""

    type: Literal["stopped"] = "stopped"
    stops: int
    arm: str | None
    by: Literal["this_page", "other_page", "server"]


class Holding(StrictModel):
    """What the tool of an arm holds, or None."""

    type: Literal["holding"] = "holding"
    arm: str
    body: str | None
    jaw: float | None = None
    """mm that each jaw of a gripper has closed on it; None where nothing is held, or the tool has no jaws."""


class Lease(StrictModel):
    """Which page moves an arm, by its number; None: the arm is free."""

    type: Literal["lease"] = "lease"
    arm: str
    holder: int | None


class RecordingReport(StrictModel):
    """The recording of an arm: whether it runs, since when (s of the session), and where its file is."""

    type: Literal["recording"] = "recording"
    arm: str = ""
    is_running: bool
    started: float | None = None
    duration: float | None = None
    """s; None while it runs, and before the first one."""
    name: str | None = None
    """Of the file in the list of recordings; None where it is in memory only."""
    path: str | None = None


class Notice(MessageEvent):
    """Something happened that nobody asked for, to one arm or to all."""

    type: Literal["notice"] = "notice"
    arm: str | None = None


class Failed(MessageEvent):
    """A command that could not be done: which one, and why."""

    type: Literal["failed"] = "failed"
    command: str
    arm: str | None = None
    """Which arm it was for."""
    step: int | None = None
    """Which step of the scenario, from 0, where it is one that failed."""
    line: int | None = None
    """Which line of the program."""


Event: TypeAlias = (
    Document
    | Changed
    | Welcome
    | Dragged
    | PlayerReport
    | PlayerProgress
    | ConsoleReply
    | Proximity
    | Overloads
    | Stopped
    | Holding
    | Lease
    | RecordingReport
    | Notice
    | Failed
)
