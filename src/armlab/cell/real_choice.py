"""Which real arm a project sees beside its nominal one: drawn at random, or from a file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from armlab.program.scenario_schema import StrictModel

MAX_REAL_FILE = 60_000
"""Letters of a real arm's file; every edit carries it."""
MAX_SEED = 2**31 - 1


class DrawnReal(StrictModel):
    """A real arm drawn within tolerances; the same seed gives the same arm."""

    kind: Literal["drawn"]
    tolerance: Literal["iso", "industrial", "hobby"] = "industrial"
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 0


class FileReal(StrictModel):
    """A real arm from the text of a file (TOML), as `armlab calibrate` writes it."""

    kind: Literal["file"]
    text: Annotated[str, Field(min_length=1, max_length=MAX_REAL_FILE)]


RealChoice = Annotated[DrawnReal | FileReal, Field(discriminator="kind")]
