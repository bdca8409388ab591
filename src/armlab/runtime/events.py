"""What a session tells the page as JSON: one model per event, told apart by `type`; a noun each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from armlab.program.scenario_schema import Part
from armlab.reports.motion import FindingReport
from armlab.runtime.project import Project


class Layout(Part):
    """What the numbers of a `state` frame belong to: it changes with the project's revision."""

    joints: tuple[str, ...]
    links: tuple[str, ...]
    """Every link from the base on, and last the tool; model.glb has a node for each."""
    bodies: tuple[str, ...]


class Document(Part):
    """The project as it is now; sent on connecting and after each change."""

    type: Literal["document"] = "document"
    project: Project
    revision: int
    layout: Layout
    undo: str | None
    """What undo would take back, or None."""
    redo: str | None


class Welcome(Part):
    """The first event on a socket: which session this is, and how many pages look at it."""

    type: Literal["welcome"] = "welcome"
    session: str
    version: str
    pages: int


class Dragged(Part):
    """The answer to `move_tool`: whether the pose can be reached on this branch, and why not."""

    type: Literal["dragged"] = "dragged"
    sequence: int
    reached: bool
    code: str
    sentence: str


class Leg(Part):
    """One step of what is played: when, and its text."""

    start: float
    end: float
    step: int
    text: str


class PlayerReport(Part):
    """What the player holds: its name, its length, its legs, the tool's way (mm), and what the check found."""

    type: Literal["player"] = "player"
    what: Literal["none", "plan", "poses", "scenario", "recording"]
    duration: float
    legs: tuple[Leg, ...]
    path: tuple[tuple[float, float, float], ...]
    t: tuple[float, ...]
    q: tuple[tuple[float, ...], ...]
    qd: tuple[tuple[float, ...], ...]
    qdd: tuple[tuple[float, ...], ...]
    findings: tuple[FindingReport, ...]


class Touch(Part):
    """Two parts that touch or come near: names, distance (mm, negative inside), and the two points (mm)."""

    first: str
    second: str
    distance: float
    p_first: tuple[float, float, float]
    p_second: tuple[float, float, float]


class Touches(Part):
    """The nearest pairs, and those that touch; sent when they change."""

    type: Literal["touches"] = "touches"
    nearest: tuple[Touch, ...]
    contacts: tuple[Touch, ...]


class Holding(Part):
    """What the tool holds, or None."""

    type: Literal["holding"] = "holding"
    body: str | None


class Notice(Part):
    """Something happened that nobody asked for: a code for the page's own words, and its facts."""

    type: Literal["notice"] = "notice"
    code: str
    """jog_stopped · limit_reached · singular · diverged · contact · other_page · player_ended · player_dropped …"""
    facts: Mapping[str, str | float] = {}


class Failed(Part):
    """A command that could not be done: which one, a code, and a sentence."""

    type: Literal["failed"] = "failed"
    command: str
    code: str
    message: str
    step: int | None = None
    """Which step of the scenario, where it is one that failed."""


Event: TypeAlias = Document | Welcome | Dragged | PlayerReport | Touches | Holding | Notice | Failed
