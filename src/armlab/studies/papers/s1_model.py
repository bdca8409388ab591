"""S1's model: a CAD assembly with wrong units, axes and pivots is repaired; three structures are measured."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.catalog.importing import ImportedArm, ImportOptions, import_arm
from armlab.dynamics.bodies import moving_mass
from armlab.errors import SimulationDiverged
from armlab.formats.glb import scene_glb
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.geometry.solid import inertia
from armlab.messages import _, term
from armlab.model.linkage import four_bar
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.sim.compare import StructureComparison, compare, standard_motion
from armlab.sim.simulation import Simulation
from armlab.sim.state import Structure
from armlab.studies.papers.study import PartResult, StudyFigure, StudyFile, StudyRow, at_most, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MM = 1e-3
LENGTH, LEVEL = 250.0, 400.0
"""mm: of either arm of the drawn SCARA, and where its joints are."""
PARTS = {
    "column": ((90.0, 90.0, 400.0), (0.0, 0.0, 200.0)),
    "arm_1": ((340.0, 90.0, 40.0), (125.0, 0.0, 400.0)),
    "arm_2": ((340.0, 90.0, 40.0), (375.0, 0.0, 440.0)),
}
"""mm: size and middle of each part as it was drawn, z up."""
SHEET_CORNER = (-200.0, 150.0, LEVEL)
"""mm: where the drawing program left every pivot."""
CLOSED = 2e-5
"""m: how far the pin of a closed chain may open."""
CHAINS = (2, 4, 6, 8)
STEPS_MS = (0.5, 1.0, 2.0, 4.0)


def write_assembly(path: Path) -> None:
    """Write the drawn SCARA as GLB: numbers are millimetres where glTF means metres, and y points up."""
    y_up = pose.from_xyz_abc([0.0, 0.0, 0.0], [0.0, 0.0, -np.pi / 2.0])
    bodies = [
        Body(name, (Shape("box", size, y_up @ pose.from_xyz(middle)),), np.eye(4))
        for name, (size, middle) in PARTS.items()
    ]
    path.write_bytes(scene_glb(Scene(name="scara", robots=(), bodies=tuple(bodies))))


def joints_text(pivots: tuple[tuple[float, ...], ...], scale: float) -> str:
    """Return the file that names the joints of the assembly; pivots in mm, `scale` in m per unit of the file."""
    lines = ['name = "scara-cad"', f"scale = {scale!r}", 'base = ["column"]']
    for name, part, pivot in zip(("Q1", "Q2"), ("arm_1", "arm_2"), pivots, strict=True):
        lines += ["[[joint]]", f'name = "{name}"', f'parts = ["{part}"]', "axis = [0, 0, 1]"]
        lines += [f"pivot = {[float(value) for value in pivot]}", "limits = { lower = -135, upper = 135 }"]
    return "\n".join(lines) + "\n"


def brought(folder: Path, pivots: tuple[tuple[float, ...], ...], scale: float) -> ImportedArm:
    """Import the assembly of a folder with joints at these pivots."""
    joints = folder / "joints.toml"
    joints.write_text(joints_text(pivots, scale), encoding="utf-8")
    return import_arm(folder / "scara-cad.glb", ImportOptions(joints=joints))


def pivots_off(arm: ImportedArm) -> dict[str, tuple[float, ...]]:
    """Return the pivots (mm) that the importer proposes, by joint."""
    found = [finding.message.parameters for finding in arm.findings if finding.code == "pivot_off_axis"]
    return {str(one["joint"]): tuple(one["fix"]) for one in found}


def repaired(folder: Path) -> tuple[ImportedArm, ImportedArm]:
    """Return the arm as it was drawn, and as it is after the importer's own proposals have been followed."""
    write_assembly(folder / "scara-cad.glb")
    drawn = brought(folder, (SHEET_CORNER, SHEET_CORNER), 1.0)
    sized = brought(folder, (SHEET_CORNER, SHEET_CORNER), MM)
    pivots = pivots_off(sized)
    for _round in range(3):  # moving one pivot may show that the next one is off, too
        sized = brought(folder, tuple(pivots.get(name, SHEET_CORNER) for name in ("Q1", "Q2")), MM)
        if not (more := pivots_off(sized)):
            break
        pivots |= more
    return drawn, sized


def cad_model() -> PartResult:
    """Bring in the drawn SCARA and repair it."""
    with TemporaryDirectory() as name:
        drawn, made = repaired(Path(name))
    return PartResult(model_rows(drawn, made), (), (StudyFile("scara-cad.glb", write_assembly), *_joint_files()))


def model_rows(drawn: ImportedArm, made: ImportedArm) -> tuple[StudyRow, ...]:
    """Return what had to be repaired, and how far the repaired arm is from the drawing."""
    size = float(np.ptp(np.concatenate([visual.vertices for visual in drawn.robot.links[1].visuals]), axis=0).max())
    upright = [abs(float((T[:3, :3] @ joint.axis)[2])) for T, joint in zip(
        made.robot.frames([0.0, 0.0])[1:-1], made.robot.joints, strict=True
    )]  # fmt: skip
    top = float(made.robot.links[0].visuals[0].vertices[:, 2].max()) / MM
    places = made.robot.frames([0.0, 0.0])[1:3, :2, 3] / MM
    off = float(np.abs(places - [[0.0, 0.0], [LENGTH, 0.0]]).max())
    return (
        shown(
            term(_("CAD model: length of the first arm in the file, and with `scale = 0.001`, mm")),
            term(_("units fixed by hand")),
            f"{size / MM:.0f} → {PARTS['arm_1'][0][0]:.0f}",
            term(_("the file is 1000 times as long, the import right to 1 µm")),
            holds=abs(_length(made) - PARTS["arm_1"][0][0]) < 1e-3 and abs(size / MM - 1000.0 * _length(made)) < 1.0,
        ),
        shown(
            term(_("CAD model: y up in the file; height of the column after the import, mm")),
            term(_("axes fixed by hand")),
            round(top, 6),
            term(_("axes upright to 1e-12, height right to 1 µm")),
            holds=min(upright) > 1.0 - 1e-12 and abs(top - LEVEL) < 1e-3,
        ),
        at_most(term(_("CAD model: pivots moved into their joints; largest error, mm")), 0.0, off, 1e-3),
        shown(
            term(_("CAD model: findings that are left")),
            "0",
            str(len(pivots_off(made))),
            term(_("none, and two axes")),
            holds=not pivots_off(made) and made.robot.dof == 2,
        ),
    )


def _length(made: ImportedArm) -> float:
    return float(np.ptp(made.robot.links[1].visuals[0].vertices[:, 0])) / MM


def _joint_files() -> tuple[StudyFile, ...]:
    def write(path: Path) -> None:
        path.write_text(joints_text((SHEET_CORNER, SHEET_CORNER), MM), encoding="utf-8")

    return (StudyFile("scara-cad-joints.toml", write),)


def structures() -> PartResult:
    """Measure the three structures of the SCARA: each is driven by its own call."""
    robot = load("scara")
    made = compare(robot)
    caption = term(_("Three structures of the same SCARA along one motion: errors, joint gaps, cost, energy."))
    figures = (StudyFigure("structures", caption, lambda: _draw(made)),)
    by_step = [largest_gap(robot, "joints", ms * MM) for ms in STEPS_MS]
    by_links = [largest_gap(chain(links), "joints", 1e-3) for links in CHAINS]
    reduced = [largest_gap(chain(links), "articulation", 1e-3) for links in CHAINS]
    rows = (*structure_rows(made), *stability_rows(by_step, by_links, reduced), closed_chain_row(pin_openings()))
    return PartResult(rows, figures)


def _draw(made: StructureComparison) -> Figure:
    from armlab.figures.compare import draw_comparison

    return draw_comparison(made)


def structure_rows(made: StructureComparison) -> tuple[StudyRow, ...]:
    """Return the paper's table of properties, measured."""
    metrics, robot = made.metrics, made.robot
    tree, tied, reduced = (metrics[name] for name in ("hierarchy", "joints", "articulation"))
    drift, none = tied.energy_drift or 0.0, term(_("none"))
    return (
        shown(
            term(_("parent–child: forces and energy")),
            none,
            none if tree.energy_drift is None and not np.any(tree.run.tau) else term(_("some")),
            term(_("neither")),
            holds=tree.energy_drift is None and not np.any(tree.run.tau),
        ),
        shown(
            term(_("joints, articulation: moving mass, kg; largest drive force, N or N·m")),
            term(_("masses, forces")),
            f"{moving_mass(robot):.2f}; {np.abs(tied.run.tau).max():.1f}, {np.abs(reduced.run.tau).max():.1f}",
            term(_("all above zero")),
            holds=moving_mass(robot) > 0.0 and np.abs(tied.run.tau).max() > 0.0 and np.abs(reduced.run.tau).max() > 0.0,
        ),
        shown(
            term(_("tool error along the motion, mm rms: parent–child, joints, articulation")),
            term(_("not stated")),
            ", ".join(f"{one.tool_rms / MM:.4f}" for one in (tree, tied, reduced)),
            term(_("parent–child exact, the others below 0.3")),
            holds=tree.tool_rms < 1e-12 and max(tied.tool_rms, reduced.tool_rms) < 0.3 * MM,
        ),
        shown(
            term(_("cost: unknowns per step (µs): parent–child, joints, articulation")),
            term(_("joints are costly")),
            ", ".join(f"{one.unknowns} ({one.us_per_step:.2f})" for one in (tree, tied, reduced)),
            term(_("parent–child < articulation < joints")),
            holds=tree.unknowns < reduced.unknowns < tied.unknowns,
        ),
        shown(
            term(_("energy drift of a free fall, J: joints, articulation")),
            term(_("joints can become unstable")),
            f"{drift:.2g}, {reduced.energy_drift:.2g}",
            term(_("articulation < 1e-6 < joints")),
            holds=reduced.energy_drift is not None and reduced.energy_drift < 1e-6 < drift,
        ),
    )


def stability_rows(by_step: list[float], by_links: list[float], reduced: list[float]) -> tuple[StudyRow, ...]:
    """Return how the joints' gaps (m) grow with the step and with the chain; the articulation has none."""
    return (
        shown(
            term(_("joints: largest joint gap at steps of 0.5, 1, 2, 4 ms, µm")),
            term(_("grows")),
            _micrometres(by_step),
            term(_("larger at every longer step")),
            holds=all(a < b for a, b in pairwise(by_step)),
        ),
        shown(
            term(_("joints: largest joint gap of chains of 2, 4, 6, 8 links, µm")),
            term(_("grows")),
            _micrometres(by_links),
            term(_("larger with 8 links than with 2")),
            holds=by_links[-1] > by_links[0],
        ),
        shown(
            term(_("articulation: the same, µm")),
            term(_("none")),
            _micrometres(reduced),
            term(_("exactly 0")),
            holds=max(reduced) == 0.0,
        ),
    )


def _micrometres(gaps: list[float]) -> str:
    return ", ".join("∞" if np.isinf(gap) else f"{gap * 1e6:.3g}" for gap in gaps)


def chain(links: int) -> Robot:
    """Return a planar chain of bars, 0.1 m and 0.2 kg each."""
    shape = Shape("box", (0.1, 0.02, 0.02), pose.from_xyz([0.05, 0.0, 0.0]))
    joints = tuple(
        Joint(f"q{k}", "revolute", pose.from_xyz([0.1 if k else 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), -3.0, 3.0,
              velocity=2.0, effort=20.0)
        for k in range(links)
    )  # fmt: skip
    bar = inertia((shape,), mass=0.2)
    return Robot(
        name=f"chain-{links}",
        joints=joints,
        links=(Link("base"), *(Link(f"bar_{k}", shapes=(shape,), inertia=bar) for k in range(links))),
        home=np.zeros(links),
        source="a chain of equal bars",
        flange=pose.from_xyz([0.1, 0.0, 0.0]),
    )


def largest_gap(robot: Robot, structure: Structure, timestep: float) -> float:
    """Return how far a joint comes apart at most along the standard motion (m); infinite where physics diverges."""
    path = standard_motion(robot)
    simulation = Simulation(Scene.of(robot, q=path.start), structure, timestep=timestep, contacts="none")
    try:
        return float(simulation.play(path).gap.max())
    except SimulationDiverged:
        return float("inf")


def pin_openings() -> Floats:
    """Return how far (m) the pin of a four-bar in reduced coordinates opens while its crank turns."""
    simulation = Simulation.of_linkage(four_bar(0.1, 0.3, 0.25, 0.3), "articulation")
    simulation.command(qd=[6.28])
    gaps: list[float] = []
    for _step in range(20):
        simulation.step(50)
        gaps.append(simulation.state().gap)
    return np.array(gaps)


def closed_chain_row(gaps: Floats) -> StudyRow:
    """Return whether reduced coordinates take a closed chain, which Unity's cannot; how far (m) its pin opened."""
    return shown(
        term(_("closed chain (four-bar) with reduced coordinates: largest opening of the pin, mm")),
        term(_("not possible")),
        round(float(np.max(gaps)) / MM, 6),
        term(_("below {most:g}"), most=CLOSED / MM),
        holds=float(np.max(gaps)) < CLOSED,
    )
