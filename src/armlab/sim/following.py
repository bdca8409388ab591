"""Following rows of positions and speeds: one step for each row, of one arm or of several at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.sim.hierarchy import Hierarchy
from armlab.sim.mechanism import Mechanism
from armlab.sim.physics import Physics

if TYPE_CHECKING:
    from armlab.sim.simulation import Simulation


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
            _("{robot}: {positions} rows of q, but {speeds} of qd"),
            robot=made.name,
            positions=len(rows),
            speeds=len(speeds),
        )
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
    is_whole = all(len(mechanisms[k].driven) == mechanisms[k].arm_dof for k in motions)
    if isinstance(core, Physics) and is_whole and core.can_follow(tuple(motions)):
        within = [_within_limits(mechanisms[k], *rows) for k, rows in motions.items()]
        q, qd = within[0] if len(within) == 1 else (np.concatenate(rows, axis=1) for rows in zip(*within, strict=True))
        done = simulation.follow_block(core, tuple(motions), q, qd)
    for i in range(done, *count):
        for k, (rows, speeds) in motions.items():
            simulation.command(q=rows[i], qd=speeds[i], robot=mechanisms[k].name)
        simulation.step()


def _within_limits(made: Mechanism, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
    n = made.arm_dof
    fastest = made.velocity[:n]
    return np.clip(q, made.lower[:n], made.upper[:n]), np.clip(qd, -fastest, fastest)
