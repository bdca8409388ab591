"""Windows of a run of tool moves: corners blended, the path followed by the joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import ArmlabError
from armlab.kinematics.task import as_task
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.follow.follow import attempt_follow
from armlab.motion.limits import Limits, limits_of
from armlab.motion.timing.stream import PathPart
from armlab.motion.toolpath.toolpath import ToolPath
from armlab.program.executor.tool_segments import ToolSegment, blended_path, demands_of
from armlab.program.executor.windows import MoveSegment, SegmentFailed, Window, WindowEnds, apart


@dataclass(frozen=True, slots=True, eq=False)
class _CutPath:
    """A tool path as `follow` asks for it, with a knot wherever one element ends: no blend is overlooked."""

    path: ToolPath

    @property
    def length(self) -> float:
        return self.path.length

    @property
    def stops(self) -> Floats:
        return self.path.stops

    @property
    def knots(self) -> Floats:
        rows = self.path.rows
        return apart(rows.breaks[1:-1][np.diff(rows.owner) != 0], np.array([0.0, self.path.length]), self.path.stops)

    @property
    def nodes(self) -> Floats:
        return self.path.nodes

    def at(self, s: ArrayLike) -> Floats:
        return self.path.at(s)

    def derivatives(self, s: ArrayLike) -> Floats:
        return self.path.derivatives(s)


class ToolWindows:
    """Plans windows of tool moves from joints `q` (n,) and the frame that the first segment starts from."""

    def __init__(self, robot: Robot, q: Floats, T_start: Floats, task: str) -> None:
        self.q, self.T_start = q, T_start
        """Where the next window begins: joints, and the start of its first segment."""
        self._robot, self._task = robot, as_task(task)
        self.can_continue = robot.dof <= self._task.rows
        """Whether the joints are determined by the path, so that windows join without a stop."""

    def window(self, segments: Sequence[MoveSegment], ends: WindowEnds) -> Window:
        """Return the window along segments; see WindowPlanner."""
        own = [segment for segment in segments if isinstance(segment, ToolSegment)]
        blended = blended_path(self.T_start, own)
        start = 0.0 if ends.starts_at_rest else float(blended.middles[0])
        end = blended.path.length if ends.is_last else float(blended.middles[-1])
        path = blended.path if (start, end) == (0.0, blended.path.length) else blended.path.part(start, end)
        places = np.append(blended.ends[:-1], end) - start
        try:
            followed = attempt_follow(self._robot, _CutPath(path), start=self.q, task=self._task)
        except ArmlabError as error:
            raise SegmentFailed(0, Finding("error", error.message)) from None
        if followed.path is None:
            k = min(int(np.searchsorted(places, followed.reached + 1e-9)), len(own) - 1)
            raise SegmentFailed(k, followed.findings[0])
        demands = demands_of(blended, path, start, own)
        cuts = apart(demands.jumps(), followed.path.breaks)
        part = PathPart(followed.path, self._limits(own), demands, path.stops, cuts, ends.starts_at_rest, ends.is_last)
        self.q = followed.path.values([followed.path.end])[0, 0]
        self.T_start = own[-1].frame if ends.is_last else (own[-2].frame if len(own) > 1 else self.T_start)
        return Window(part, segments, places, followed.findings)

    def explained(self, segment: MoveSegment, finding: Finding) -> Finding:
        """Return what is wrong with a segment by itself, as far as that shows it."""
        if not isinstance(segment, ToolSegment):
            return finding
        path = blended_path(self.T_start, [segment]).path
        try:
            followed = attempt_follow(self._robot, _CutPath(path), start=self.q, task=self._task)
        except ArmlabError:
            return finding
        return finding if followed.path is not None else followed.findings[0]

    def _limits(self, segments: Sequence[ToolSegment]) -> Limits:
        each = {id(segment.settings): segment.settings for segment in segments}.values()
        return limits_of(self._robot).scaled(min(p.speed for p in each), min(p.acceleration for p in each))
