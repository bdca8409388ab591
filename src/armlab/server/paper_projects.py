"""The experiments of the papers as projects ready to be played: arm, scene, plan, program, sensors, panel, plots."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from armlab.catalog import load
from armlab.cell.project import ArmChoice, JointPlan, ProgramText, Project, SavedPose, SensorChoice, ToolPlan
from armlab.errors import UnknownName
from armlab.geometry import pose
from armlab.messages import _, term
from armlab.server.builtin_content import scenario_content
from armlab.server.messages import PaperContent, PaperRow, PlotSetup
from armlab.studies.papers.s1 import GCODE
from armlab.studies.papers.s2 import ARM, TABLE, TIMES, node_frames
from armlab.units import DEG_PER_RAD, MM_PER_M


class PaperExperiment(NamedTuple):
    """An experiment: whose, what it shows, which panel it is looked at in, how its project is made, what moves."""

    name: str
    paper: str
    title: str
    panel: str
    make: Callable[[], Project]
    plays: Literal["plan", "poses", "scenario", "program"]
    plots: PlotSetup | None = None


def paper_rows() -> tuple[PaperRow, ...]:
    """Return one row per experiment, in the reader's language."""
    return tuple(
        PaperRow(name=one.name, paper=one.paper, title=term(one.title), panel=one.panel) for one in EXPERIMENTS
    )


def paper_content(name: str) -> PaperContent:
    """Return the project of an experiment, the panel that shows it, what is played, and its plots.

    Raises:
        UnknownName: if there is no such experiment.
    """
    for one in EXPERIMENTS:
        if one.name == name:
            return PaperContent(panel=one.panel, project=_made(one), plays=one.plays, plots=one.plots)
    raise UnknownName("paper", name, [one.name for one in EXPERIMENTS])


def _made(one: PaperExperiment) -> Project:
    return _project(one.name).model_copy(update={"title": f"{one.paper}: {term(one.title).localized()}"[:60]})


@cache
def _project(name: str) -> Project:
    return next(one.make() for one in EXPERIMENTS if one.name == name)


def _tied_scara() -> Project:
    poses = (_pose("a", "left", [60.0, -90.0, -20.0, 0.0]), _pose("b", "right", [-60.0, 90.0, -120.0, 0.0]))
    return Project.of_arm(ArmChoice(name="scara"), "joints", poses=poses)


def _elbows() -> Project:
    poses = (_pose("a", "elbow right", [0.0, 70.0]), _pose("b", "elbow left", [57.0, -70.0]))
    return Project.of_arm(ArmChoice(name="planar2"), poses=poses)


def _gcode() -> Project:
    return Project.of_arm(ArmChoice(name="scara"), program=ProgramText(language="gcode", text=GCODE, inputs={}))


def _four_points() -> Project:
    points = tuple(row for row, _error in TABLE)
    return Project.of_arm(ArmChoice(name=ARM), plan=JointPlan(kind="joint", points=points, scheme="4-3-4", times=TIMES))


def _nodes() -> Project:
    frames = []
    for T in node_frames(load(ARM)):
        x, y, z, a, b, c = np.concatenate([T[:3, 3] * MM_PER_M, pose.as_abc(T) * DEG_PER_RAD]).round(6).tolist()
        frames.append((x, y, z, a, b, c))
    return Project.of_arm(ArmChoice(name=ARM), plan=ToolPlan(kind="tool", frames=tuple(frames), path="quadratic"))


def _windscreen() -> Project:
    return scenario_content("windscreen").project


def _dh_scara() -> Project:
    robot = load("scara-s3")
    poses = tuple(
        _pose(str(k), name, (robot.configuration(name) * [DEG_PER_RAD, DEG_PER_RAD, MM_PER_M]).tolist())
        for k, name in enumerate(("paper", "stretched", "left"), start=1)
    )
    return Project.of_arm(ArmChoice(name="scara-s3", tcp=(0.0, 0.0, -15.0, 0.0, 0.0, 0.0)), poses=poses)


def _search() -> Project:
    poses = (_pose("a", "start", [30.0, 30.0, 20.0]), _pose("b", "result", [38.4, 68.8, 62.8]))
    return Project.of_arm(ArmChoice(name="planar3"), poses=poses)


def _braccio() -> Project:
    robot = load("braccio")
    poses = tuple(
        _pose(str(k), name, (q * DEG_PER_RAD).tolist()) for k, (name, q) in enumerate(robot.configurations.items(), 1)
    )
    return Project.of_arm(ArmChoice(name="braccio", tool="braccio-gripper"), poses=poses)


def _scenario_with(name: str, *places: str, on: Literal["link", "body"] = "link") -> Callable[[], Project]:
    """Return what makes the project of a scenario with ideal sensors on links or bodies."""

    def make() -> Project:
        sensors = tuple(SensorChoice(id=f"s{k}", on=on, link=place, preset="ideal") for k, place in enumerate(places))
        project = scenario_content(name).project
        return project.with_own(project.arms[0].name, sensors=sensors)

    return make


def _pose(key: str, name: str, q: list[float]) -> SavedPose:
    return SavedPose(id=key, name=name, q=tuple(q))


JOINTS, TOOL, GAP = PlotSetup(quantity="q"), PlotSetup(quantity="xyz"), PlotSetup(quantity="gap")
EXPERIMENTS = (
    PaperExperiment("s1-structures", "S1", _("a SCARA of bodies tied by joints"), "jog", _tied_scara, "poses", GAP),
    PaperExperiment("s1-elbows", "S1", _("two elbows, one target"), "kinematics", _elbows, "poses", JOINTS),
    PaperExperiment("s1-gcode", "S1", _("a G-code file"), "programs", _gcode, "program", TOOL),
    PaperExperiment("s2-four-points", "S2", _("four points, scheme 4-3-4"), "planner", _four_points, "plan", JOINTS),
    PaperExperiment("s2-nodes", "S2", _("node frames, quadratic"), "planner", _nodes, "plan", TOOL),
    PaperExperiment(
        "s2-windscreen",
        "S2",
        _("mounting a windscreen"),
        "scenario",
        _windscreen,
        "scenario",
        PlotSetup(quantity="q", seconds="60"),
    ),
    PaperExperiment("s3-scara", "S3", _("DH matrices of a SCARA"), "mathematics", _dh_scara, "poses", TOOL),
    PaperExperiment("s4-search", "S4", _("Levenberg–Marquardt, three links"), "kinematics", _search, "poses", JOINTS),
    PaperExperiment("s4-braccio", "S4", _("the whole Braccio"), "poses", _braccio, "poses", JOINTS),
    PaperExperiment(
        "s5-tilt",
        "S5",
        _("a: gravity on a tilting link"),
        "sensors",
        _scenario_with("s5-tilt", "cross_bar"),
        "scenario",
    ),
    PaperExperiment(
        "s5-cube",
        "S5",
        _("b: a cube is pushed and falls"),
        "sensors",
        _scenario_with("s5-cube", "cube", on="body"),
        "scenario",
    ),
    PaperExperiment(
        "s5-carousel", "S5", _("c: a carousel"), "sensors", _scenario_with("s5-carousel", "bar"), "scenario"
    ),
    PaperExperiment(
        "s5-bar",
        "S5",
        _("d: run-up of a bar"),
        "sensors",
        _scenario_with("s5-bar", *(f"bar-{k}" for k in range(1, 7)), on="body"),
        "scenario",
    ),
)
