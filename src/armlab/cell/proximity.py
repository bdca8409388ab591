"""What the arm touches and what it is near to, looked at a few times a second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from armlab.arrays import Floats
from armlab.cell.events import Event, Notice, Proximity, ProximityPair
from armlab.collision import Checker, Distance
from armlab.geometry import pose
from armlab.messages import Message, _
from armlab.model.scene import Scene
from armlab.program.reach import REACH, body_at_tool
from armlab.sim.state import SimState
from armlab.units import MM_PER_M

PERIOD = 0.1
"""s between two looks."""
WITHIN = 0.1
"""m: pairs farther apart than this are not told."""
MOST_SHOWN = 8
CHANGED_MM = 0.5
MOVED = 1e-3
"""m, and the same number for turns: a loose body that moved less lies where it lay."""


class ProximityMonitor:
    """Looks at distances between arm and bodies; what it told last is in `last`."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._checker = Checker(scene)
        self._names = tuple(placed.name for placed in scene.robots)
        self._seen: tuple[dict[str, str], dict[str, Floats]] = ({}, {b.name: b.T_world_body for b in scene.bodies})
        """Which arm holds which body, by the bodies' names, and where bodies were."""
        self._wait = 0.0
        self.last: list[Event] = []
        self.is_touching = False
        self._rests: dict[str, set[str]] = {}
        """What a held body lay on when it was picked, as long as it has not left that: no contact to warn of."""

    def look(self, states: Mapping[str, SimState], seconds: float) -> list[Event]:
        """Let time pass; return a `Proximity` if it is time to look and what is seen has changed, and a new contact.

        `states` are those of all arms by name.
        """
        self._wait -= seconds
        if self._wait > 0.0:
            return []
        self._wait = PERIOD
        self._keep_up(states)
        held = {body for state in states.values() for body in state.held}
        found = self._checker.distances(self._joints(states), within=WITHIN)
        told = Proximity(
            nearest=tuple(_touch(pair) for pair in found[:MOST_SHOWN] if pair.value > 0.0),
            contacts=tuple(_touch(pair) for pair in found[:MOST_SHOWN] if pair.value <= 0.0),
        )
        self._leave_rest(held, told)
        was_touching = self.is_touching
        touch = next((touch for touch in told.contacts if not self._is_rest(touch)), None)
        self.is_touching = touch is not None
        events: list[Event] = []
        if not self.last or _is_news(self.last[0], told):
            self.last = [told]
            events.append(told)
        if touch is not None and not was_touching:
            text = _("contact: '{first}' and '{second}'")
            events.append(Notice(message=Message("touching", text, first=touch.first, second=touch.second)))
        return events

    def _joints(self, states: Mapping[str, SimState]) -> Floats | dict[str, Floats]:
        """Return where the joints of the only arm are within its limits, or those of all arms by name."""
        placed = self._scene.robots
        inside = {one.name: np.clip(states[one.name].q, one.robot.lower, one.robot.upper) for one in placed}
        return inside[self._names[0]] if len(inside) == 1 else inside

    def _leave_rest(self, held: set[str], told: Proximity) -> None:
        touched = {name for touch in told.contacts for name in (touch.first, touch.second)}
        self._rests = {body: self._rests[body] & touched if body in self._rests else touched for body in held}

    def _is_rest(self, touch: ProximityPair) -> bool:
        """Tell whether a contact is that of a held body with what it lay on."""
        pair = {touch.first, touch.second}
        return any(pair - {body} <= self._rests[body] for body in pair if body in self._rests)

    def body_to_pick(self, state: SimState, name: str | None, reach: float | None = None) -> str:
        """Return the loose body that a pick takes: the one named, or the nearest; within `reach` (m) of the tool.

        Raises:
            UnknownName: if there is no body of that name.
            InvalidInput: if none is near enough, or it cannot be picked.
        """
        allowed = REACH if reach is None else reach
        return body_at_tool(self._as_now(state.bodies), name, state.frames[-1], allowed).name

    def _as_now(self, bodies: Mapping[str, Floats]) -> Scene:
        return replace(self._scene, bodies=tuple(body.at(bodies[body.name]) for body in self._scene.bodies))

    def _keep_up(self, states: Mapping[str, SimState]) -> None:
        """Make another checker if what is held, or where loose bodies lie, has changed."""
        holders = {body: name for name, state in states.items() for body in state.held}
        bodies = next(iter(states.values())).bodies
        seen_holders, seen = self._seen
        loose = [body.name for body in self._scene.bodies if not body.is_fixed and body.name not in holders]
        if holders == seen_holders and all(np.abs(bodies[name] - seen[name]).max() < MOVED for name in loose):
            return
        checker = Checker(self._as_now(bodies))
        for body, name in holders.items():
            T_world_tool = self._scene.robot(name).robot.fk(states[name].q)
            checker = checker.with_held(body, pose.inverse(T_world_tool) @ bodies[body], robot=name)
        self._checker, self._seen = checker, (holders, dict(bodies))


def _touch(pair: Distance) -> ProximityPair:
    return ProximityPair(
        first=pair.first,
        second=pair.second,
        distance=round(pair.value * MM_PER_M, 2),
        p_first=_point(pair.p_first),
        p_second=_point(pair.p_second),
    )


def _point(p: Floats) -> tuple[float, float, float]:
    x, y, z = (round(value * MM_PER_M, 2) for value in p.tolist())
    return x, y, z


def _is_news(before: Event, now: Proximity) -> bool:
    """Tell whether another pair is seen, or one has moved by half a millimetre or more."""
    assert isinstance(before, Proximity)
    for old, new in ((before.contacts, now.contacts), (before.nearest, now.nearest)):
        if [(t.first, t.second) for t in old] != [(t.first, t.second) for t in new]:
            return True
        if any(_moved(one, other) for one, other in zip(old, new, strict=True)):
            return True
    return False


def _moved(one: ProximityPair, other: ProximityPair) -> bool:
    gaps = (*(a - b for a, b in zip(one.p_first, other.p_first, strict=True)), one.distance - other.distance)
    return max(map(abs, gaps)) > CHANGED_MM
