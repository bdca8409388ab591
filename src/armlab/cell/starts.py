"""Where arms and bodies begin after an edit: where they are now, as far as the edit leaves them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.cell.project import ArmChoice, Project
from armlab.cell.sensors import SensorMonitor, build_sensors
from armlab.cell.session import Session
from armlab.collision import Checker
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.scene import Scene

SAME_PLACE = 1e-5
"""rad or m: arms and bodies that have moved less than this while a setup was built stand where it has them."""


class Start(NamedTuple):
    """Where a setup begins: joints (n,), or None for home, bodies by their names, and the other arms by theirs."""

    q: Floats | None
    places: Mapping[str, Floats]
    others: Mapping[str, Floats]

    def is_near(self, other: Start) -> bool:
        """Tell whether both are the same but for what cannot be seen."""
        keys = (self.q is None, self.places.keys(), self.others.keys())
        if keys != (other.q is None, other.places.keys(), other.others.keys()):
            return False
        pairs = [(T, other.places[name]) for name, T in self.places.items()]
        pairs += [(q, other.others[name]) for name, q in self.others.items()]
        if self.q is not None and other.q is not None:
            pairs.append((self.q, other.q))
        return all(np.allclose(a, b, rtol=0.0, atol=SAME_PLACE) for a, b in pairs)


def start_after(session: Session, before: Project, after: Project) -> Start:
    """Return where arms and bodies begin after an edit."""
    setup = session.setup
    now = {setup.name: setup.mover.state.q} | {other.name: other.mover.state.q for other in setup.others}
    old, new = _choices(before), _choices(after)
    kept = {name: now[name] for name in new if name in now and old[name].name == new[name].name}
    return Start(
        kept.pop(selected_after(session.selected, before, after), None), places_after(session, before, after), kept
    )


def selected_after(selected: str, before: Project, after: Project) -> str:
    """Return which arm is selected after an edit: that of the same name, or at the same place in the list."""
    names = after.arm_names
    if selected in names:
        return selected
    return names[min(before.arm_names.index(selected), len(names) - 1)]


def places_after(session: Session, before: Project, after: Project) -> Mapping[str, Floats]:
    """Return where the bodies are that an edit does not touch."""
    same = {body.name for body in before.bodies if body in after.bodies}
    return {name: T for name, T in session.state.bodies.items() if name in same}


def holds_after(session: Session, before: Project, after: Project) -> list[tuple[str, str]]:
    """Return which arm still holds which body after an edit: the same arm the same body, where it is."""
    old, new, places = _choices(before), _choices(after), places_after(session, before, after)
    same = {name for name in new if name in old and old[name].moves_like(new[name])}
    states = session.states()
    return [(name, body) for name in states if name in same for body in states[name].held if body in places]


def is_same_setup(before: Project, after: Project) -> bool:
    """Tell whether both projects have the same arms, structure and bodies, whatever the order of the arms."""
    arms = [sorted((arm.name, arm.arm.model_dump_json()) for arm in project.arms) for project in (before, after)]
    return before.structure == after.structure and before.bodies == after.bodies and arms[0] == arms[1]


def has_same_models(before: Project, after: Project) -> bool:
    """Tell whether every arm has the same sensors and the same real arm."""
    models = [{arm.name: (arm.sensors, arm.real) for arm in project.arms} for project in (before, after)]
    return models[0] == models[1]


def check_apart(before: Project, after: Project, scene: Scene) -> None:
    """Check that no two arms of `scene` touch, where an edit has changed the arms.

    Raises:
        InvalidInput: if two do.
    """
    if len(scene.robots) < 2 or _choices(before) == _choices(after):
        return
    for contact in Checker(scene).contacts({placed.name: placed.q for placed in scene.robots}):
        arms = {name.partition("/")[0] for name in (contact.first, contact.second) if "/" in name}
        if len(arms) > 1:
            text = _("'{first}' and '{second}' overlap; give one of the arms another base")
            raise InvalidInput("arms_overlap", text, first=contact.first, second=contact.second)


def select_arm(session: Session, name: str) -> tuple[Callable[[], SensorMonitor], Callable[[SensorMonitor], None]]:
    """Return what builds the sensors of another arm, and what lets that arm be the selected one."""
    project, robot = session.project, session.scene.robot(session.project.arm(name).name).robot

    def apply(sensors: SensorMonitor) -> None:
        if name != session.selected:
            session.swap(name)
            session.sensors = sensors
            session.history.revision += 1  # states from before are another arm's
            session.events += [session.document(), *session.arm_events()]

    return lambda: build_sensors(project, name, robot), apply


def _choices(project: Project) -> dict[str, ArmChoice]:
    return {arm.name: arm.arm for arm in project.arms}
