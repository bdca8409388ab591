"""Where arms and bodies begin after an edit: where they are now, as far as the edit leaves them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.cell.arms import all_arms, arm_choices
from armlab.cell.project import Project
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
    old, new = arm_choices(before), arm_choices(after)
    kept = {name: now[name] for name in new if name in now and old[name].name == new[name].name}
    return Start(kept.pop(after.arm_name, None), places_after(session, before, after), kept)


def places_after(session: Session, before: Project, after: Project) -> Mapping[str, Floats]:
    """Return where the bodies are that an edit does not touch."""
    same = {body.name for body in before.bodies if body in after.bodies}
    return {name: T for name, T in session.state.bodies.items() if name in same}


def holds_after(session: Session, before: Project, after: Project) -> list[tuple[str, str]]:
    """Return which arm still holds which body after an edit: the same arm the same body, where it is."""
    old, new, places = arm_choices(before), arm_choices(after), places_after(session, before, after)
    same = {name for name in new if name in old and old[name].moves_like(new[name])}
    states = session.states()
    return [(name, body) for name in states if name in same for body in states[name].held if body in places]


def is_same_setup(before: Project, after: Project) -> bool:
    """Tell whether both projects have the same arms, structure and bodies, whichever arm is selected."""
    same = before.structure == after.structure and before.bodies == after.bodies
    same = same and len(before.others) == len(after.others)  # a name that is given twice is one choice
    return same and arm_choices(before) == arm_choices(after)


def has_same_models(before: Project, after: Project) -> bool:
    """Tell whether the same arm is selected, and every arm has the same sensors and the same real arm."""
    models = [[(arm.name, arm.sensors, arm.real) for arm in all_arms(project)] for project in (before, after)]
    return before.arm_name == after.arm_name and models[0] == models[1]


def check_apart(before: Project, after: Project, scene: Scene) -> None:
    """Check that no two arms of `scene` touch, where an edit has changed the arms.

    Raises:
        InvalidInput: if two do.
    """
    if len(scene.robots) < 2 or arm_choices(before) == arm_choices(after):
        return
    for contact in Checker(scene).contacts({placed.name: placed.q for placed in scene.robots}):
        arms = {name.partition("/")[0] for name in (contact.first, contact.second) if "/" in name}
        if len(arms) > 1:
            text = _("'{first}' and '{second}' overlap; give one of the arms another base")
            raise InvalidInput("arms_overlap", text, first=contact.first, second=contact.second)
