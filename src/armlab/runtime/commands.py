"""What the page may ask of a session: one model per command, told apart by `type`; an imperative each.

Joint values are in the joints' units (° or mm), poses X Y Z A B C in mm and degrees, world coordinates.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from armlab.program.scenario_schema import Frame, Joints, Label, Part
from armlab.runtime.project import Project

Sequence = Annotated[int, Field(ge=0, le=2**31 - 1)]
Share = Annotated[float, Field(ge=-1.0, le=1.0, allow_inf_nan=False)]


class Edit(Part):
    """Put another project in the place of this one; `label` is what undo will say."""

    type: Literal["edit"]
    project: Project
    label: Label
    revision: int
    """The revision that was changed: an edit of an older one is refused, so that two tabs cannot undo each other."""
    joins: bool = False
    """Whether it goes on with the last edit, which has the same label: undo then takes back both at once."""


class Undo(Part):
    """Go back by one edit."""

    type: Literal["undo"]


class Redo(Part):
    """Take the last undo back."""

    type: Literal["redo"]


class JogJoints(Part):
    """Move joints as long as this is repeated: shares of their jog speed, one per joint."""

    type: Literal["jog_joints"]
    shares: Annotated[tuple[Share, ...], Field(min_length=1, max_length=64)]
    sequence: Sequence


class JogTool(Part):
    """Move the tool as long as this is repeated: shares of jog speed along x y z and about x y z of a frame."""

    type: Literal["jog_tool"]
    shares: tuple[Share, Share, Share, Share, Share, Share]
    frame: Literal["base", "tool"]
    sequence: Sequence


class MoveJoints(Part):
    """Go to joint values, within the limits of speed, acceleration and jerk."""

    type: Literal["move_joints"]
    q: Joints


class MoveTool(Part):
    """Go to a pose of the tool on the branch that the arm is on; a `sequence` is answered with `dragged`."""

    type: Literal["move_tool"]
    pose: Frame
    sequence: Sequence


class Stop(Part):
    """Stop moving now, as fast as the limits allow."""

    type: Literal["stop"]


class Play(Part):
    """Play what was made: the plan, the kept poses one after the other, the scenario, or what was recorded."""

    type: Literal["play"]
    what: Literal["plan", "poses", "scenario", "recording"]
    loop: bool = False


class Pause(Part):
    """Hold the player where it is."""

    type: Literal["pause"]


class Resume(Part):
    """Let the player go on."""

    type: Literal["resume"]


class Seek(Part):
    """Put the player at a time (s), and hold it there."""

    type: Literal["seek"]
    time: Annotated[float, Field(ge=0.0, le=1e6, allow_inf_nan=False)]


class StepOn(Part):
    """Play one step of the scenario, then hold."""

    type: Literal["step_on"]


class SetPace(Part):
    """How fast the player runs: 1 is as planned."""

    type: Literal["set_pace"]
    pace: Annotated[float, Field(ge=0.05, le=4.0, allow_inf_nan=False)]


class SetLoop(Part):
    """Whether the player begins again at its end: off, this round is its last."""

    type: Literal["set_loop"]
    on: bool


class Pick(Part):
    """Take hold of a body; without a name, of the nearest."""

    type: Literal["pick"]
    body: Label | None = None


class Place(Part):
    """Let go of what is held."""

    type: Literal["place"]


class Record(Part):
    """Start or end a recording."""

    type: Literal["record"]
    on: bool


class ResetSimulation(Part):
    """Put everything back to its start: bodies where the project says, the arm at home."""

    type: Literal["reset_simulation"]


Command: TypeAlias = (
    Edit
    | Undo
    | Redo
    | JogJoints
    | JogTool
    | MoveJoints
    | MoveTool
    | Stop
    | Play
    | Pause
    | Resume
    | Seek
    | StepOn
    | SetPace
    | SetLoop
    | Pick
    | Place
    | Record
    | ResetSimulation
)

COMMAND: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="type")])
"""Reads a command from JSON, or says what is wrong with it."""
