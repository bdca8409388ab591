"""S2's cell and its outlook: the windscreen in physics, a tool's mass, collisions, and the console in KRL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.calibration import Positions, calibrate, real_arm, real_fk
from armlab.catalog import load
from armlab.collision.answers import SweepReport
from armlab.collision.checker import Checker
from armlab.dynamics import gravity_torque, torques_along, with_payload
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.geometry.solid import hull_points
from armlab.messages import _, term
from armlab.model.robot import Robot
from armlab.model.scene import GRAVITY, Body, Scene
from armlab.motion.joint import plan_joint
from armlab.program.console import console_session
from armlab.program.run_scenario import ScenarioRun, run_scenario
from armlab.program.scenario import load_scenario
from armlab.studies.papers.study import PartResult, StudyFigure, StudyRow, at_most, near, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MM = 1e-3
ARM = "kuka-kr6-r700"
TIMESTEP = 0.002
TOOL_MASS = 3.0
"""kg"""
TRACKER = 2e-5
"""m: noise of the measurements."""
EDGE_OFF, GLASS_TURN = 3.0, 0.3
"""mm, °: of the 8 mm of gap round the glass 5 mm are left everywhere, which a bead of adhesive and a trim need."""
LIP, LIP_OFF = 2.0, 0.5
"""mm: how far the glass sinks until it lies on the lip of its opening, and by how much it may differ."""


def windscreen() -> PartResult:
    """Run the windscreen cell from end to end in physics."""
    pieces: list[Floats] = []
    run = run_scenario(
        load_scenario("windscreen"),
        timestep=TIMESTEP,
        on_run=lambda _segment, done, _simulation: pieces.append(done.q),
    )
    q = np.concatenate(pieces)[::25]
    robot = run.scenario.scene.robot(run.scenario.robot).robot
    caption = term(_("The windscreen cell: the path of the tool over the whole scenario."))
    return PartResult(windscreen_rows(run), (StudyFigure("windscreen", caption, lambda: _draw_path(robot, q)),))


def windscreen_rows(run: ScenarioRun) -> tuple[StudyRow, ...]:
    """Return whether the glass is where it belongs and nothing was touched."""
    opening, glass = run.scenario.scene.body("opening").T_world_body, run.bodies["windscreen"]
    T_opening_glass = pose.inverse(opening) @ glass
    corners = np.concatenate([hull_points(shape) for shape in run.scenario.scene.body("windscreen").shapes])
    moved_by = (pose.transform(T_opening_glass, corners) - corners) / MM
    edge, sunk = float(np.linalg.norm(moved_by[:, :2], axis=1).max()), -float(moved_by[:, 2].mean())
    turn = float(np.degrees(np.linalg.norm(pose.rotation_vector(T_opening_glass[:3, :3]))))
    gap = max(float(np.abs(segment.error).max()) for segment in run.segments)
    moved = [segment.held for segment in run.segments].count("windscreen")
    return (
        at_most(term(_("windscreen in physics: edge of the glass off in its gap of 8 mm, mm")), 0.0, edge, EDGE_OFF),
        near(term(_("windscreen in physics: glass sunk onto the lip of its opening, mm")), LIP, sunk, LIP_OFF),
        at_most(term(_("windscreen in physics: glass turned from its opening, °")), 0.0, turn, GLASS_TURN),
        at_most(term(_("windscreen in physics: largest joint error, °")), 0.0, np.degrees(gap), 0.5),
        shown(
            term(_("windscreen: events (pick up, carry, set, put down); findings")),
            term(_("scenario runs through")),
            f"{moved}; {len(run.findings)}",
            term(_("carried, and no findings")),
            holds=not run.findings and moved > 0,
        ),
    )


def dynamics(mass: float = TOOL_MASS) -> PartResult:
    """Hang a mass on the tool: torques at rest against the Jacobian's, and along a motion; `mass` for a test."""
    robot = load(ARM)
    heavy = with_payload(robot, mass)
    q = np.random.default_rng(2).uniform(robot.lower, robot.upper, (50, 6))
    extra = gravity_torque(heavy, q) - gravity_torque(robot, q)
    weight = robot.jacobian(q)[:, 2] * TOOL_MASS * GRAVITY
    off = float(np.abs(extra - weight).max())
    motion = plan_joint(robot, [robot.home, robot.home + np.radians([60, 20, -20, 0, 0, 0])])
    bare, loaded = (torques_along(one, motion).share.max() for one in (robot, heavy))
    return PartResult(
        (
            at_most(
                term(_("tool of {mass:g} kg: torques at rest against Jᵀ·m·g, N·m"), mass=TOOL_MASS), 0.0, off, 1e-9
            ),
            shown(
                term(_("largest share of a drive along a motion, bare and with the tool's mass")),
                term(_("outlook")),
                f"{bare:.2f}, {loaded:.2f}",
                term(_("larger with the mass")),
                holds=loaded > bare,
            ),
        )
    )


def calibration(noise: float = TRACKER) -> PartResult:
    """Give the arm errors of manufacture, measure its tool, calibrate it, and judge on other configurations.

    `noise` (m) of the measurements, for a test.
    """
    robot = load(ARM)
    real = real_arm(robot, "industrial", seed=2)
    rng = np.random.default_rng(2)
    q = rng.uniform(robot.lower, robot.upper, (90, 6))
    points = real_fk(real, q)[:, :3, 3]
    seen = points[:60] + noise * rng.standard_normal((60, 3))
    found = calibrate(robot, Positions(q[:60], seen, noise=noise))
    rest = slice(60, None)
    nominal = float(np.linalg.norm(robot.fk(q[rest])[:, :3, 3] - points[rest], axis=1).mean()) / MM
    after = float(np.linalg.norm(real_fk(found.real, q[rest])[:, :3, 3] - points[rest], axis=1).mean()) / MM
    return PartResult(
        (
            shown(
                term(_("calibration errors: tool off before and after, mean of 30 other configurations, mm")),
                term(_("outlook")),
                f"{nominal:.3f}, {after:.4f}",
                term(_("at most a tenth is left")),
                holds=after < 0.1 * nominal,
            ),
        )
    )


def collisions(width: float = 0.1) -> PartResult:
    """Move past a post and through it; `width` (m) of the post, for a test."""
    robot = load(ARM)
    post = Body("post", (Shape("box", (width, width, 1.2), np.eye(4)),), pose.from_xyz([0.32, 0.32, 0.6]))
    checker = Checker(Scene.of(robot, bodies=(post,)))
    start, end = np.radians([0, -60, 90, 0, 60, 0]), np.radians([-90, -60, 90, 0, 60, 0])
    above = np.radians([-45, -100, 20, 0, 60, 0])
    straight = checker.sweep(plan_joint(robot, [start, end]))
    around = checker.sweep(plan_joint(robot, [start, np.radians([0, -110, 60, 0, 60, 0]), above,
                                              np.radians([-90, -110, 60, 0, 60, 0]), end]))  # fmt: skip
    return PartResult(collision_rows(straight, around))


def collision_rows(straight: SweepReport, around: SweepReport) -> tuple[StudyRow, ...]:
    """Return whether the direct motion hits the post and the one around it is free."""
    hit = straight.first_contact
    return (
        shown(
            term(_("collision with a post on the direct path")),
            term(_("outlook")),
            term(_("none"))
            if hit is None
            else term(_("{first} – {second} at {time:.2f} s"), first=hit.first, second=hit.second, time=hit.time),
            term(_("a contact is found")),
            holds=hit is not None,
        ),
        shown(
            term(_("the same motion over two more points: least distance, mm")),
            term(_("outlook")),
            round(around.min_distance / MM, 1),
            term(_("free all along")),
            holds=around.is_free,
        ),
    )


def console(turn: str = "PTP {A1 30}", shift: str = "LIN_REL {Z -20}", refused: str = "PTP {A1 300}") -> PartResult:
    """Talk to the arm in KRL; the three lines, so that a test can change them."""
    session = console_session(load(ARM), "krl")
    session.enter(turn)
    (angle,) = session.enter("? $AXIS_ACT.A1").values
    (before,) = session.enter("? $POS_ACT.Z").values
    straight = session.enter(shift)
    (after,) = session.enter("? $POS_ACT.Z").values
    wrong = session.enter(refused)
    return PartResult(
        (
            near(term(_("KRL console: PTP {{A1 30}}, then $AXIS_ACT.A1, °")), 30.0, float(angle.plain), 1e-9),
            near(
                term(_("KRL console: LIN_REL {{Z -20}} moves Z by, mm")),
                -20.0,
                float(after.plain) - float(before.plain),
                1e-6,
            ),
            shown(
                term(_("KRL console: PTP {{A1 300}} is refused")),
                term(_("outlook")),
                wrong.findings[0].message if wrong.findings else term(_("not refused")),
                term(_("refused, and the line before it was done")),
                holds=bool(wrong.findings) and straight.outcome == "done",
            ),
        )
    )


def _draw_path(robot: Robot, q: Floats) -> Figure:
    from armlab.figures.arm import draw_path

    return draw_path(robot, q)
