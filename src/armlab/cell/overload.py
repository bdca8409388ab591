"""What overloads the arms of a session: looked at in every tick, told when it begins, changes and is over."""

from __future__ import annotations

from collections.abc import Mapping

from armlab.arrays import Floats
from armlab.cell.events import Event, Overloads, OverloadWarning
from armlab.dynamics.overload import Kind, Overload, OverloadMonitor, payload_finding
from armlab.model.scene import Scene
from armlab.sim.state import SimState

PERIOD = 0.25
"""s between two looks that may be told."""
STAYS = 1.0
"""s that a warning stays after its cause was there last: an arm that swings about its command stays overloaded."""
CHANGED = 0.05
"""Share by which the value of a warning changes before it is told again."""

Key = tuple[str, Kind, int]
"""The arm's name, what it is, and the index of the joint."""


class OverloadWatch:
    """Watches the drives and loads of all arms; what it told last is in `last`."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._arms = {placed.name: OverloadMonitor[None](placed.robot) for placed in scene.robots}
        self._time = 0.0
        self._wait = PERIOD
        self._seen: dict[Key, tuple[float, Overload]] = {}
        """What lasts, and when it was seen last (s)."""
        self._told: dict[Key, float] = {}
        """The values that were told."""
        self.last: list[Event] = []

    def look(self, states: Mapping[str, SimState], commands: Mapping[str, Floats], seconds: float) -> list[Event]:
        """Let time pass; return `Overloads` if they changed. `commands` are joint positions by the arms' names."""
        if seconds <= 0.0:
            return []
        self._time += seconds
        for name, monitor in self._arms.items():
            state = states[name]
            monitor.take(self._time, seconds, (state.q - commands[name])[None], state.tau[None], None)
            self._seen |= {(name, one.kind, one.joint): (self._time, one) for one in monitor.now(self._time)}
        self._wait -= seconds
        if self._wait > 0.0:
            return []
        self._wait = PERIOD
        self._seen = {key: seen for key, seen in self._seen.items() if self._time - seen[0] <= STAYS}
        told = Overloads(warnings=(*self._payloads(states), *self._joints()))
        if self.last and not self._is_news(told):
            return []
        self._told = {key: overload.value for key, (_, overload) in self._seen.items()}
        self.last = [told]
        return [told]

    def _payloads(self, states: Mapping[str, SimState]) -> list[OverloadWarning]:
        warnings = []
        for name, monitor in self._arms.items():
            held = sum(self._scene.body(body).inertia.mass for body in states[name].held)
            if (heavy := payload_finding(monitor.robot, held)) is not None:
                warnings.append(OverloadWarning(arm=name, message=heavy.message))
        return warnings

    def _joints(self) -> list[OverloadWarning]:
        warnings = []
        for (name, _kind, i), (_, overload) in sorted(self._seen.items(), key=lambda item: (item[0][0], item[0][2])):
            robot = self._arms[name].robot
            message = overload.message(robot)
            joint, link = robot.joints[i].name, robot.links[i + 1].name
            warnings.append(OverloadWarning(arm=name, joint=joint, link=link, message=message))
        return warnings

    def _is_news(self, told: Overloads) -> bool:
        """Tell whether other warnings are to be told, or a joint is farther from its command, or nearer."""
        assert isinstance(self.last[0], Overloads)
        if [(w.arm, w.code, w.joint) for w in told.warnings] != [
            (w.arm, w.code, w.joint) for w in self.last[0].warnings
        ]:
            return True
        values = {key: seen[1].value for key, seen in self._seen.items() if key[1] == "not_followed"}
        return any(abs(value - self._told[key]) > CHANGED * self._told[key] for key, value in values.items())
