"""MuJoCo, imported when the first simulation is made, and the settings that hold for arms."""

from __future__ import annotations

import warnings
from functools import lru_cache
from threading import Lock
from typing import Any

from armlab.errors import InvalidInput
from armlab.messages import _

SHORTEST_STEP, LONGEST_STEP = 1e-5, 0.02
"""Allowed timesteps (s)."""
HARD = (0.9999, 0.9999, 1e-4, 0.5, 2.0)
"""Impedance of constraints that tie links: almost rigid."""
SHARE = 0.5
"""How much of a link's mass sits on the shaft that ties it to its parent, in the structure `joints`."""
TIE = 0.05
"""A joint's gap is measured at two points on its axis, this far (m) from its origin."""

_COMPILING = Lock()
"""Python's warnings are settings of the whole process."""


@lru_cache(maxsize=1)
def engine() -> Any:
    """Return the module mujoco; it writes no log file and prints nothing: its counters of warnings are read instead."""
    import mujoco

    config = mujoco.MjLogConfig.get()
    config.logto_console = config.logto_file = False
    config.set()
    return mujoco


def compile_model(spec: Any) -> Any:
    """Return the model of a specification; the only place where one is compiled.

    Raises:
        InvalidInput: if MuJoCo refuses it.
    """
    try:
        with _COMPILING, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what it warns of shows as divergence, which is looked for
            return spec.compile()
    except (ValueError, OverflowError, engine().FatalError) as error:
        raise InvalidInput(
            "not_simulable", _("this scene cannot be simulated; MuJoCo says: {reason}"), reason=reason_of(error)
        ) from None


def reason_of(error: Exception) -> str:
    """Return the first line of what MuJoCo says."""
    return str(error).partition("\n")[0].removeprefix("Error: ").strip()


def tie_reference(timestep: float) -> tuple[float, float]:
    """Return time constant and damping ratio of constraints that tie links: a violation is gone within a step.

    The integrator that holds them is implicit, so that so little damping does not ring: what a step of orbiting links
    opens, the next one closes.
    """
    return timestep / 2.0, 0.25
