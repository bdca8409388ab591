"""Dragging the tool: inverse kinematics that stays on the branch that the arm is on."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.cell.events import Dragged
from armlab.kinematics.all_ik import all_ik, branch_of
from armlab.kinematics.ik import track_ik
from armlab.kinematics.why import why_not
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.motion.segments import line

BISECTIONS = 8
REACHED = Message("reached", _("the target is reached"))


class Dragger:
    """Finds joint values for poses of the tool; the branch on which a drag began is kept until it ends."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._branch: str | None = None

    def begin(self, q: Floats) -> None:
        """Remember the branch that a drag begins on; one that goes on keeps its branch."""
        if self._branch is None:
            self._branch = branch_of(self._robot, q)

    def end(self) -> None:
        """Forget the branch: somebody moves the arm otherwise."""
        self._branch = None

    def drag(self, T_world_tool: Floats, q: Floats, sequence: int) -> tuple[Floats | None, Dragged]:
        """Return joint values for a pose of the tool, near `q` and on its branch, and what to tell the page.

        A pose that cannot be reached at all moves the arm as far as it gets on the straight line there; one that only
        another branch reaches leaves the arm where it is: a hand that drags must not make it flip.
        """
        self.begin(q)
        found = self._on_branch(T_world_tool, q)
        if found is not None:
            return found, Dragged(sequence=sequence, reached=True, message=REACHED)
        diagnosis = why_not(self._robot, T_world_tool)
        if diagnosis.reachable:
            text = _("the arm's branch '{branch}' does not reach this pose; another one does")
            message = Message("branch", text, branch=self._branch)
            return None, Dragged(sequence=sequence, reached=False, message=message)
        answer = Dragged(sequence=sequence, reached=False, message=diagnosis.summary)
        return self._on_the_way(T_world_tool, q), answer

    def _on_the_way(self, T_world_tool: Floats, q: Floats) -> Floats:
        """Return the farthest joints on our branch along the straight line to a pose that cannot be reached."""
        path = line(self._robot.fk(q), T_world_tool)
        best, low, high = q, 0.0, path.length
        for _step in range(BISECTIONS):
            middle = 0.5 * (low + high)
            found = self._on_branch(path.at(middle), best)
            if found is None:
                high = middle
            else:
                best, low = found, middle
        return best

    def _on_branch(self, T_world_tool: Floats, q: Floats) -> Floats | None:
        """Return the solution on our branch that is nearest to `q`, if there is one."""
        result = track_ik(self._robot, T_world_tool, start=q)
        if not result.converged:
            return None
        if branch_of(self._robot, result.q) == self._branch:
            return result.q
        others = [s.q for s in all_ik(self._robot, T_world_tool, turns=True) if s.branch == self._branch]
        return min(others, key=lambda other: float(np.abs(other - q).sum())) if others else None
