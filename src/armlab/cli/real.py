"""What the commands that know of a real arm share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.messages import _

if TYPE_CHECKING:
    from armlab.model.scene import PlacedRobot
    from armlab.program.run import Simulate

RealOption = Annotated[
    Path | None,
    typer.Option("--real", metavar="REAL.toml", help=_("The arm as it really is, from `armlab calibrate`.")),
]


def simulate_of(real: Path | None, arm: PlacedRobot) -> Simulate:
    """Return what makes the simulation: of the arm as drawn or, where a file is given, of the real one."""
    from armlab.sim.simulation import Simulation

    if real is None:
        return Simulation
    from armlab.calibration import read_real_arm
    from armlab.calibration.plant import simulate_as

    return simulate_as({arm.name: read_real_arm(real, arm.robot)})
