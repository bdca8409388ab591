"""What the page may ask of a session: one model per command, told apart by `type`; an imperative each.

Joint values are in the joints' units (° or mm), poses X Y Z A B C in mm and degrees, world coordinates.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from armlab.cell.patch import Changes
from armlab.cell.project import Id
from armlab.program.scenario_schema import Frame, Label, Number, StrictModel

MAX_JOINTS = 64

Sequence = Annotated[int, Field(ge=0, le=2**31 - 1)]
JointIndex = Annotated[int, Field(ge=0, lt=MAX_JOINTS)]
ArmName: TypeAlias = Label | None
Share = Annotated[float, Field(ge=-1.0, le=1.0, allow_inf_nan=False)]


class Edit(StrictModel):
    """Change the project, with all that is said or not at all; `label` is what undo will say."""

    type: Literal["edit"]
    changes: Changes
    label: Label
    revision: int
    """The revision that was changed: an edit of an older one is refused, so that two tabs cannot undo each other."""
    coalesce: bool = False
    """Whether it continues the last edit, which has the same label: undo then takes back both at once."""


class Undo(StrictModel):
    """Go back by one edit."""

    type: Literal["undo"]


class Redo(StrictModel):
    """Take the last undo back."""

    type: Literal["redo"]


class ForArm(StrictModel):
    """What one arm is told, by its name in the scene; without one, the arm that the pages show."""

    arm: ArmName = None


class Press(ForArm):
    """What is repeated as long as somebody holds or drags something; a stop ends it until it is begun again."""

    stops: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    """How many stops the page had heard of when the press or the drag began: one from before the last is refused."""


class JogJoints(Press):
    """Move joints as long as this is repeated: shares of their jog speed, one per joint."""

    type: Literal["jog_joints"]
    shares: Annotated[tuple[Share, ...], Field(min_length=1, max_length=64)]
    sequence: Sequence


class JogTool(Press):
    """Move the tool as long as this is repeated: shares of jog speed along x y z and about x y z of a frame.

    The axes are those of the arm's base, of the tool, or of a reference: a user frame by its id, else the world.
    """

    type: Literal["jog_tool"]
    shares: tuple[Share, Share, Share, Share, Share, Share]
    frame: Literal["base", "tool", "reference"]
    reference: Id | None = None
    sequence: Sequence


class MoveJoints(Press):
    """Move the named joints to their targets, by index from 0; the others keep the targets that they have."""

    type: Literal["move_joints"]
    revision: int
    """The revision of the project that the targets were chosen for: a target for another arm is refused as stale."""
    targets: Annotated[dict[JointIndex, Number], Field(min_length=1, max_length=MAX_JOINTS)]


class MoveTool(Press):
    """Go to a pose of the tool on the branch that the arm is on; a `sequence` is answered with `dragged`."""

    type: Literal["move_tool"]
    pose: Frame
    sequence: Sequence


class StopMotion(StrictModel):
    """Stop moving now, as fast as the limits allow: every arm, or one by its name in the scene.

    What is held or dragged in any page is void after that; a `release` only ends a press of the page's own.
    """

    type: Literal["stop"]
    arm: ArmName = None
    release: bool = False


class ForPlayer(ForArm):
    """What is told of what an arm plays."""


class Play(ForPlayer):
    """Play what was made: the plan, the saved poses in their order, the scenario, the program, or what was recorded."""

    type: Literal["play"]
    what: Literal["plan", "poses", "scenario", "recording", "program"]
    loop: bool = False
    anyway: bool = False
    """Whether a motion is played that exceeds limits of speed, acceleration, jerk or effort; of position: never."""


class PausePlayer(ForPlayer):
    """Hold the player where it is."""

    type: Literal["pause"]


class ResumePlayer(ForPlayer):
    """Let the player go on."""

    type: Literal["resume"]


class Seek(ForPlayer):
    """Put the player at a time (s), and hold it there."""

    type: Literal["seek"]
    time: Annotated[float, Field(ge=0.0, le=1e6, allow_inf_nan=False)]


class SingleStep(ForPlayer):
    """Play one step of the scenario or one statement of the program, then hold.

    A statement is stepped into, over, or out of the routine that it stands in; "back" goes to where the last one began.
    """

    type: Literal["single_step"]
    how: Literal["into", "over", "out", "back"] = "into"


class ConsoleLine(ForArm):
    """A line of the console: it is carried out from where the arm stands, and the arm follows."""

    type: Literal["console_line"]
    language: Literal["krl", "gcode", "python"]
    line: Annotated[str, Field(max_length=10_000)]
    inputs: Annotated[dict[Label, bool], Field(default_factory=dict, max_length=256)]
    """Digital inputs by name."""


class SwitchInput(ForPlayer):
    """Give a digital input another value: the program that is played sees it."""

    type: Literal["switch_input"]
    name: Label
    value: bool


class SetBreakpoints(ForPlayer):
    """At which lines of its program the player holds, now and when it is played again."""

    type: Literal["set_breakpoints"]
    lines: Annotated[frozenset[Annotated[int, Field(ge=1)]], Field(max_length=1000)]


class RunToLine(ForPlayer):
    """Play to the next time that a line of the program begins, or to a breakpoint before it, then hold."""

    type: Literal["run_to_line"]
    line: Annotated[int, Field(ge=1)]


class SetRate(ForPlayer):
    """How fast the player runs: 1 is as planned."""

    type: Literal["set_rate"]
    rate: Annotated[float, Field(ge=0.05, le=4.0, allow_inf_nan=False)]


class SetLoop(ForPlayer):
    """Whether the player starts over at its end: off, this round is its last."""

    type: Literal["set_loop"]
    on: bool


class PickObject(ForArm):
    """Take hold of a body; without a name, of the nearest."""

    type: Literal["pick"]
    body: Label | None = None


class ReleaseObject(ForArm):
    """Let go of what is held."""

    type: Literal["place"]


class Record(StrictModel):
    """Start or end a recording."""

    type: Literal["record"]
    on: bool


class ResetSimulation(StrictModel):
    """Put everything back to its start: bodies where the project says, the arm at home."""

    type: Literal["reset_simulation"]


class TakeArm(ForArm):
    """Hand an arm over to the page that sends this, whoever moves it now: what that page holds down ends."""

    type: Literal["take_arm"]


class SelectArm(StrictModel):
    """Let another arm of the scene be the selected one, for all pages; what the arms do goes on."""

    type: Literal["select_arm"]
    name: Label


class SetLanguage(StrictModel):
    """Tell this page from now on in another language; for the page that sends it only."""

    type: Literal["set_language"]
    language: Literal["en", "ru", "uk"]


class ShowDocument(StrictModel):
    """Tell this page the whole document once more: it has missed a change."""

    type: Literal["show_document"]


class Watch(StrictModel):
    """Hold what is played when this page falls silent: repeated four times a second, until it is switched off."""

    type: Literal["watch"]
    on: bool = True


QuickArmCommand: TypeAlias = JogJoints | JogTool | MoveJoints | PickObject | ReleaseObject
"""What an arm is told that never takes long."""

QuickCommand: TypeAlias = QuickArmCommand | TakeArm | StopMotion | Record | SetLanguage | ShowDocument | Watch
"""What never takes long."""

PlayerCommand: TypeAlias = (
    Play | PausePlayer | ResumePlayer | Seek | SingleStep | SwitchInput | SetBreakpoints | RunToLine | SetRate | SetLoop
)

Command: TypeAlias = (
    QuickCommand | PlayerCommand | Edit | Undo | Redo | MoveTool | ConsoleLine | ResetSimulation | SelectArm
)

COMMAND: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="type")])
"""Reads a command from JSON, or says what is wrong with it."""
