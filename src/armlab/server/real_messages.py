"""What the page asks and is told of the real arm: where it stands, its calibration, and the fault clinic."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from armlab.calibration.clinic.faults import FaultKind
from armlab.cell.real_choice import MAX_SEED
from armlab.messages import Message
from armlab.program.scenario_schema import Label, StrictModel
from armlab.reports.calibration import CalibrationReport
from armlab.reports.diagnosis import DiagnosisReport
from armlab.server.messages import ErrorBody, ServerMessage

ModelChoice = Literal["auto", "offsets", "geometry", "elastic", "full"]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]
Seconds = Annotated[float, Field(ge=0.0, le=60.0, allow_inf_nan=False)]
MOST_POSES = 500


class MeasureQuestion(StrictModel):
    """A measurement to be simulated on the real arm, and what is to be found from it; `noise` in mm."""

    poses: Annotated[int, Field(ge=2, le=MOST_POSES)] = 40
    noise: Annotated[float, Field(ge=0.001, le=10.0, allow_inf_nan=False)] = 0.05
    seed: Seed = 0
    model: ModelChoice = "auto"


class InjectQuestion(StrictModel):
    """A minute of work to be simulated, with a fault or without; what is left out is drawn."""

    fault: FaultKind | None = None
    joint: Label | None = None
    onset: Seconds | None = None
    seed: Seed = 0


class RealPose(ServerMessage):
    """Where the real arm is beside the nominal one: mm and degrees, as they are; `frames` enlarged."""

    source: str
    """Where the real arm's numbers come from."""
    distance: float
    """mm, between the two tools."""
    shift: tuple[float, float, float]
    turn: float
    frames: tuple[float, ...]
    """Links and tool of the real arm, 7 numbers each as in a state."""


class InjectedFault(ServerMessage):
    """What was wrong with a simulated minute."""

    cause: str
    title: Message
    joint: str | None
    onset: float


class RealJob(ServerMessage):
    """How far work on the real arm is."""

    id: int
    state: Literal["none", "running", "done", "failed"]
    share: float
    step: Message | None = None
    failure: ErrorBody | None = None
    source: str = ""
    """The file; empty where it is simulated."""


class CalibrationJob(RealJob):
    """A calibration, and its result when it is done."""

    result: CalibrationReport | None = None


class ClinicJob(RealJob):
    """A diagnosis, and its result when it is done."""

    result: DiagnosisReport | None = None
    injected: InjectedFault | None = None
    """The truth of a simulated minute; null: it was healthy, or recorded."""
