"""What a planned motion touches first, as a finding: whoever plans through points may get another path between them."""

from __future__ import annotations

from armlab.collision.checker import Checker
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.motion.trajectory import Trajectory
from armlab.units import MM_PER_M


def motion_contacts(checker: Checker, trajectory: Trajectory, robot: str | None = None) -> tuple[Finding, ...]:
    """Return an error for the first contact along a motion as it is timed: the pair, the time, the place."""
    first = checker.first_contact(trajectory, robot=robot)
    if first is None:
        return ()
    x, y, z = (first.p_second * MM_PER_M).tolist()
    text = _("'{first}' and '{second}' touch after {time:.2f} s at X {x:.0f}, Y {y:.0f}, Z {z:.0f} mm")
    facts = {"first": first.first, "second": first.second, "time": first.time, "x": x, "y": y, "z": z}
    return (Finding("error", Message("contact", text, **facts), facts),)
