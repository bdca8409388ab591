"""Following rows of positions and speeds: one step for each row, of one arm or of several at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.sim.given import check_forces
from armlab.sim.hierarchy import Hierarchy
from armlab.sim.mechanism import Mechanism
from armlab.sim.physics import Physics

if TYPE_CHECKING:
    from armlab.sim.simulation import Simulation


def checked_command(
    made: Mechanism, q: ArrayLike | None, qd: ArrayLike | None, tau: ArrayLike | None
) -> tuple[Floats | None, Floats | None, Floats | None]:
    """Return positions, speeds and forces (n,) where given: within the limits, 0 where no motor is.

    Raises:
        InvalidInput: if they cannot be used.
    """
    if sum(v is not None for v in (q, qd, tau)) != 1 and (q is None or qd is None or tau is not None):
        raise InvalidInput("command_choice", _("command: give one of q, qd and tau, or q together with qd"))
    rows = (None if v is None else _row(made, v, what) for v, what in ((q, "q"), (qd, "qd"), (tau, "tau")))
    wanted, speeds, forces = rows
    if forces is not None:
        check_forces(made.name, forces)
    return *_clipped(made, wanted, speeds), forces


def _row(made: Mechanism, value: ArrayLike, what: str) -> Floats:
    out = np.zeros(made.arm_dof)
    out[list(made.driven)] = as_floats(value, (len(made.driven),), f"{made.name}: {what}")
    return out


def _clipped(made: Mechanism, q: Floats | None, qd: Floats | None) -> tuple[Floats | None, Floats | None]:
    """Return positions and speeds (n,) of all joints of an arm within their limits."""
    n = made.arm_dof
    if q is not None:
        q = np.clip(q, made.lower[:n], made.upper[:n])
    if qd is not None:
        qd = np.clip(qd, -made.velocity[:n], made.velocity[:n])
    return q, qd


def checked_rows(made: Mechanism, q: ArrayLike, qd: ArrayLike) -> tuple[Floats, Floats]:
    """Return positions and speeds (m, n) of an arm's driven joints.

    Raises:
        InvalidInput: if they cannot be used.
    """
    n = len(made.driven)
    rows, speeds = (as_floats(v, (None, n), f"{made.name}: {who}") for v, who in ((q, "q"), (qd, "qd")))
    if rows.shape != speeds.shape:
        raise InvalidInput(
            "row_counts_differ",
            _("the numbers of rows differ: {counts}"),
            counts=[f"q {len(rows)}", f"qd {len(speeds)}"],
        ).within(made.name)
    return rows, speeds


def follow_commands(
    simulation: Simulation,
    core: Hierarchy | Physics,
    motions: Mapping[int, tuple[Floats, Floats]],
    mechanisms: tuple[Mechanism, ...],
) -> None:
    """Make one step for each row; arms that are not in `motions` keep their last command.

    Raises:
        SimulationDiverged: if numbers leave all bounds; the state is then that of the last good step.
    """
    count = {len(q) for q, _qd in motions.values()}
    if len(count) != 1:
        counts = [str(n) for n in sorted(count)]
        raise InvalidInput("follow_counts_differ", _("q: the numbers of rows differ: {counts}"), counts=counts)
    done = 0
    if core.can_follow(tuple(motions)):
        within = [_within_limits(mechanisms[k], *rows) for k, rows in motions.items()]
        q, qd = within[0] if len(within) == 1 else (np.concatenate(rows, axis=1) for rows in zip(*within, strict=True))
        done = simulation.follow_block(core, tuple(motions), q, qd)
    for i in range(done, *count):
        for k, (rows, speeds) in motions.items():
            simulation.command(q=rows[i], qd=speeds[i], robot=mechanisms[k].name)
        simulation.step()


def _within_limits(made: Mechanism, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
    own = list(made.driven)
    fastest = made.velocity[own]
    return np.clip(q, made.lower[own], made.upper[own]), np.clip(qd, -fastest, fastest)
