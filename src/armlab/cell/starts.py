"""Where arms and bodies begin after an edit: where they are now, as far as the edit leaves them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.cell.project import ArmChoice, Project
from armlab.cell.session import Session
from armlab.collision import Checker
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.scene import Scene

SAME_PLACE = 1e-5
"""rad or m: arms and bodies that have moved less than this while a world was built stand where it has them."""


class Start(NamedTuple):
    """Where a world begins: joints (n,) by the arms' names, and bodies by theirs."""

    joints: Mapping[str, Floats]
    places: Mapping[str, Floats]

    def is_near(self, other: Start) -> bool:
        """Tell whether both are the same but for what cannot be seen."""
        if (self.joints.keys(), self.places.keys()) != (other.joints.keys(), other.places.keys()):
            return False
        pairs = [(T, other.places[name]) for name, T in self.places.items()]
        pairs += [(q, other.joints[name]) for name, q in self.joints.items()]
        return all(np.allclose(a, b, rtol=0.0, atol=SAME_PLACE) for a, b in pairs)


def start_after(session: Session, before: Project, after: Project) -> Start:
    """Return where arms and bodies begin after an edit."""
    now = session.world.commands()
    old, new = _choices(before), _choices(after)
    kept = {name: now[name] for name in new if name in now and old[name].name == new[name].name}
    return Start(kept, places_after(session, before, after))


def places_after(session: Session, before: Project, after: Project) -> Mapping[str, Floats]:
    """Return where the bodies are that an edit does not touch."""
    same = {body.name for body in before.bodies if body in after.bodies}
    bodies = next(iter(session.arms.values())).state.bodies
    return {name: T for name, T in bodies.items() if name in same}


def holds_after(session: Session, before: Project, after: Project) -> list[tuple[str, str]]:
    """Return which arm still holds which body after an edit: the same arm the same body, where it is."""
    old, new, places = _choices(before), _choices(after), places_after(session, before, after)
    same = {name for name in new if name in old and old[name].moves_like(new[name])}
    states = session.world.states()
    return [(name, body) for name in states if name in same for body in states[name].held if body in places]


def is_same_world(before: Project, after: Project) -> bool:
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


def _choices(project: Project) -> dict[str, ArmChoice]:
    return {arm.name: arm.arm for arm in project.arms}
