"""A roadmap for one arm in one scene: made once, then paths are found between its nodes in a fraction of the time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.errors import InvalidInput
from armlab.kernels.planning import roadmap as kernels
from armlab.messages import _
from armlab.model.scene import Scene
from armlab.planning.enclosure import found_or_reason
from armlab.planning.ends import free_goals, read_question, refuse_touching
from armlab.planning.free_path import FreePath
from armlab.planning.goals import Goal
from armlab.planning.search import MOST_POINTS, SAMPLES, SHORTCUTS, Search

NODES, MOST_NODES = 300, 3000
NEIGHBOURS = 10
"""A node is joined to so many of the nearest ones."""
SHARE_FREE = 40
"""Of so many samples at least one must be free, on average."""
TRIES = 12
"""A start or a goal is joined to one of so many nearest nodes, or the roadmap does not serve for it."""
MOST_GOALS = 4
"""So many goals are tried on the roadmap, the nearest first."""


class Roadmap:
    """Nodes of one arm's joint space joined by proved motions; paths over it are as certain as those of `plan_free`.

    It is of the scene as it was: obstacles that move need another. What it answers depends on its seed and on what it
    has learned, never on what it was asked before. It is of one thread.
    """

    def __init__(
        self,
        scene: Scene | Checker,
        *,
        robot: str | None = None,
        clearance: float = 1e-3,
        nodes: int = NODES,
        seed: int = 0,
    ) -> None:
        if not 1 <= nodes <= MOST_NODES:
            raise InvalidInput(
                "roadmap_nodes",
                _("roadmap: {count} nodes asked for; from 1 to {most} are possible"),
                count=nodes,
                most=MOST_NODES,
            )
        self.checker = scene if isinstance(scene, Checker) else Checker(scene)
        self.robot = self.checker.scene.robot(robot).name
        self.clearance, self.seed = clearance, seed
        self._search = Search(self.checker, self.robot, clearance, seed)
        work = self._search
        out = np.empty((nodes, len(work.scale)))
        sampling = work.sampling(work.motions.model.lower, work.motions.model.upper)
        count = kernels.free_nodes_into(
            work.motions.model, sampling, 0, SHARE_FREE * nodes, clearance, work.motions.room, out
        )
        self._pairs = np.zeros((0, 2), np.int64)
        self._take(out[:count].copy(), 0)

    @property
    def nodes(self) -> Floats:
        """Configurations (m, n) of the arm that it knows."""
        return np.array([self._search.motions.own(row) for row in self._map.nodes])

    @property
    def joined(self) -> int:
        """How many pairs of nodes are joined by a proved motion."""
        return len(self._pairs)

    def learn(self, path: FreePath) -> None:
        """Take the points of a path of the same arm, scene and at least the same clearance as nodes."""
        is_same = path.checker is self.checker and path.robot_name == self.robot
        if not (is_same and path.certificate.clearance >= self.clearance):
            raise InvalidInput(
                "path_of_another_scene", _("roadmap: the path is of another checker or arm, or keeps less clearance")
            )
        motions, m = self._search.motions, len(self._map.nodes)
        rows = np.array([motions.row(q) for q in path.points])
        numbers = np.arange(m, m + len(rows))
        self._pairs = np.concatenate([self._pairs, np.column_stack([numbers[:-1], numbers[1:]])])
        self._take(np.concatenate([self._map.nodes, rows]), m)

    def plan(
        self,
        start: ArrayLike,
        goal: Goal,
        *,
        samples: int = SAMPLES,
        shortcuts: int = SHORTCUTS,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> FreePath:
        """Return a free path over the roadmap; where it does not join start and goal, one of a search as `plan_free`.

        Raises:
            LimitViolation, Unreachable, PlanningFailed: as `plan_free`.
        """
        question = read_question(self.checker, start, goal, self.robot)
        search = self._search
        search.begin()
        motions, out = search.motions, np.empty((MOST_POINTS, len(search.scale)))
        begin, goals = question.start, question.goals
        order = np.argsort(np.linalg.norm(goals - begin, axis=1), kind="stable")[:MOST_GOALS]
        count = kernels.path_between(
            motions.model, self._map, motions.row(begin), np.array([motions.row(q) for q in goals[order]]),
            search.scale, TRIES, self.clearance, motions.room, out,
        )  # fmt: skip
        if count > 0:
            points = search.without_detours(out, count)
        else:
            refuse_touching(self.checker, begin, self.clearance, self.robot)
            goals = free_goals(self.checker, begin, goals, self.clearance, self.robot)
            points = found_or_reason(search, self.checker, begin, goals, samples, shortcuts, goes_on)
        return FreePath(self.checker, self.robot, points, search.certificate(), goals)

    def _take(self, nodes: Floats, begin: int) -> None:
        """Join the nodes from `begin` on to the others, and find the shortest paths between all of them."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        search, m = self._search, len(nodes)
        pairs = np.empty((NEIGHBOURS * (m - begin), 2), np.int64)
        count = kernels.join_into(
            search.motions.model, nodes, begin, search.scale, NEIGHBOURS, self.clearance, search.motions.room, pairs
        )
        known = np.sort(np.concatenate([self._pairs, pairs[:count]]), axis=1)
        self._pairs = np.unique(known, axis=0)
        i, j = self._pairs.T
        steps = np.linalg.norm((nodes[i] - nodes[j]) * search.scale, axis=1)
        graph = csr_array((np.maximum(steps, 1e-12), (i, j)), shape=(m, m))
        lengths, before = dijkstra(graph, directed=False, return_predecessors=True)
        self._map = kernels.RoadmapGraph(np.ascontiguousarray(nodes), before.astype(np.int64), lengths)
