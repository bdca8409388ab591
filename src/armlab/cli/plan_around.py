"""`armlab plan --around`: a motion round what stands in a scene."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from armlab.cli.arguments import check_range
from armlab.cli.text import number
from armlab.errors import InvalidInput, PlanningFailed
from armlab.messages import _, term, tr
from armlab.units import M_PER_MM, MM_PER_M

if TYPE_CHECKING:
    from armlab.arrays import Floats
    from armlab.model.scene import Scene
    from armlab.motion.limits import Limits
    from armlab.motion.trajectory import Trajectory
    from armlab.planning.free_path import FreePath
    from armlab.reports.motion import FreeReport

LARGEST_CLEARANCE = 1000.0
"""mm"""
SMALLEST_LEAN = 0.1
"""°"""


AroundFlag = Annotated[
    bool, typer.Option("--around", help=_("Round everything in the scene, proved to touch nothing."))
]
ClearanceOption = Annotated[
    float, typer.Option("--clearance", metavar="MM", help=_("That --around keeps from everything."))
]
UprightOption = Annotated[
    float | None,
    typer.Option("--upright", metavar="°", help=_("With --around: how far the tool may lean from pointing down.")),
]
SeedOption = Annotated[int, typer.Option("--seed", help=_("Of the search of --around."))]


class Around(NamedTuple):
    """How `--around` plans."""

    scene: Scene
    arm: str
    clearance: float
    """mm"""
    seed: int
    upright: float | None = None
    """°"""


def around_from(scene: Scene, arm: str, clearance: float, seed: int, upright: float | None) -> Around:
    """Return what is asked for."""
    check_range("--clearance", clearance, 0.0, LARGEST_CLEARANCE, term(_("mm")))
    if seed < 0:
        raise InvalidInput("seed_negative", _("--seed: must be ≥ 0, got {seed}"), seed=seed)
    if upright is not None:
        check_range("--upright", upright, SMALLEST_LEAN, 180.0, "°")
    return Around(scene, arm, clearance, seed, upright)


def refuse_with_around(given: Mapping[str, object]) -> None:
    """Raise InvalidInput for the first option that a path round obstacles does not take."""
    for option, value in given.items():
        if value:
            raise InvalidInput("not_with_around", _("{option} does not go with --around"), option=option)


def planned_around(
    around: Around, begin: Floats, q: Floats | None, T_world_tool: Floats, limits: Limits, scheme: str
) -> tuple[FreePath, Trajectory, str]:
    """Return a path to joint values, or where there are none to a pose, the motion along it, and its scheme."""
    from armlab.planning import PoseGoal, Upright, find_opening, plan_free

    timing, goal, clearance = (
        _scheme_of(scheme),
        PoseGoal(T_world_tool) if q is None else q,
        around.clearance * M_PER_MM,
    )
    kept = [] if around.upright is None else [Upright(math.radians(around.upright))]
    try:
        path = plan_free(
            around.scene, begin, goal, robot=around.arm, clearance=clearance, constraints=kept, seed=around.seed
        )
    except PlanningFailed as error:
        if kept or error.code not in ("no_path_found", "no_path_exists"):
            raise
        opening = find_opening(around.scene, begin, goal, robot=around.arm, clearance=clearance, seed=around.seed)
        if opening is None:
            raise
        raise PlanningFailed(
            "passage_too_narrow",
            _("{problem}; a path is found once these are {smaller:.1f} mm smaller on every side: {bodies}"),
            problem=error.message,
            smaller=opening.smaller * MM_PER_M,
            bodies=opening.bodies,
        ) from None
    return path, path.trajectory(limits, scheme=timing), timing


def free_line(free: FreeReport) -> str:
    """Return what is proved of a path, in words."""
    facts = {"points": len(free.points), "clearance": number(free.clearance, 2), "count": free.motions}
    return tr("free: {points} points, {clearance} mm kept; straight motions looked at: {count}", **facts)


def _scheme_of(scheme: str) -> Literal["jerk", "fastest"]:
    """Return how the path is timed; other schemes do not run on it."""
    if scheme in {"", "jerk"}:
        return "jerk"
    if scheme == "fastest":
        return "fastest"
    raise InvalidInput(
        "scheme_not_free",
        _("--scheme {scheme} does not stay on a path that is proved free; with --around take jerk or fastest"),
        scheme=scheme,
    )
