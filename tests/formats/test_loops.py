"""Loops of MJCF files: kept with the arm, closed by the simulation as MuJoCo closes them."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import armlab
from armlab.catalog.importing import ImportedArm, import_arm
from armlab.catalog.write import write_robot
from armlab.model.scene import Scene
from armlab.sim import Simulation

PALLETISER = """<mujoco model="palletiser"><compiler angle="radian"/><worldbody>
<body name="column" pos="0 0 0.2"><joint name="A1" axis="0 0 1" range="-3 3"/>
 <inertial mass="8" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>
 <body name="arm"><joint name="A2" axis="0 1 0" range="-1 1"/>
  <inertial mass="4" pos="0 0 0.2" diaginertia="0.05 0.05 0.01"/>
  <body name="forearm" pos="0 0 0.4"><joint name="A3" axis="0 1 0" range="-0.8 0.8"/>
   <inertial mass="3" pos="0.15 0 0" diaginertia="0.01 0.05 0.05"/>
   <site name="heel" pos="-0.1 0 0.02"/>
   <body name="tool" pos="0.4 0 0"><geom type="sphere" size="0.02" mass="0.5"/></body>
  </body>
 </body>
 <body name="crank"><joint name="C" axis="0 1 0" range="-2 2"/>
  <inertial mass="1" pos="-0.05 0 0" diaginertia="0.002 0.002 0.002"/>
  <body name="rod" pos="-0.1 0 0.02"><joint name="R" axis="0 1 0" range="-2 2"/>
   <inertial mass="0.8" pos="0 0 0.2" diaginertia="0.01 0.01 0.0005"/><site name="top" pos="0 0 0.4"/></body>
 </body>
</body></worldbody><equality>CLOSED</equality></mujoco>"""
BY_SITES = '<connect site1="top" site2="heel"/>'
BY_BODIES = '<connect body1="rod" body2="forearm" anchor="0 0 0.4"/>'


def brought(folder: Path, closed: str = BY_SITES, text: str = PALLETISER) -> ImportedArm:
    (folder / "arm.xml").write_text(text.replace("CLOSED", closed), encoding="utf-8")
    return import_arm(folder / "arm.xml")


def rod_angles(closed_text: str, q: np.ndarray) -> np.ndarray:
    """Return the angles of crank and rod where MuJoCo's own constraint of the same file has no error."""
    model = mujoco.MjModel.from_xml_string(PALLETISER.replace("CLOSED", closed_text))
    data = mujoco.MjData(model)
    at = {model.joint(i).name: int(model.jnt_qposadr[i]) for i in range(model.njnt)}
    jacobian = np.zeros((3, 2))
    values = np.zeros(2)
    for _step in range(30):
        data.qpos[[at[name] for name in ("A1", "A2", "A3", "C", "R")]] = [*q, *values]
        mujoco.mj_forward(model, data)
        error = data.efc_pos[:3].copy()
        for i in range(2):
            shifted = [*q, *(values + 1e-7 * np.eye(2)[i])]
            data.qpos[[at[name] for name in ("A1", "A2", "A3", "C", "R")]] = shifted
            mujoco.mj_forward(model, data)
            jacobian[:, i] = (data.efc_pos[:3] - error) / 1e-7
        values = values - np.linalg.lstsq(jacobian, error, rcond=None)[0]
    return values


@pytest.mark.parametrize("closed", [BY_SITES, BY_BODIES])
def test_the_loop_of_an_arm_closes_where_mujoco_closes_it(closed: str, tmp_path: Path) -> None:
    made = brought(tmp_path, closed)
    robot, loops = made.robot, made.robot.loops
    assert "loop_kept" in {finding.code for finding in made.findings}
    assert ([joint.name for joint in robot.joints], robot.dof) == (["A1", "A2", "A3"], 3)
    assert loops is not None
    for q in np.random.default_rng(1).uniform(-0.6, 0.6, (5, 3)):
        values = loops.closed(robot.frames(q)[:-1], robot.name)
        np.testing.assert_allclose(values, rod_angles(closed, q), atol=1e-6)


def test_the_weight_of_the_rods_is_counted_once(tmp_path: Path) -> None:
    closed, plain = brought(tmp_path).robot, brought(tmp_path, "").robot
    assert closed.loops is not None
    rods = sum(part.link.inertia.mass for part in closed.loops.parts)
    assert sum(link.inertia.mass for link in closed.links) + rods == pytest.approx(17.3)
    assert sum(link.inertia.mass for link in plain.links) == pytest.approx(17.3)
    q = np.array([0.3, 0.2, -0.4])
    np.testing.assert_array_equal(closed.fk(q), plain.fk(q))


@pytest.mark.parametrize("structure", ["articulation", "joints"])
def test_the_simulation_keeps_the_loop_closed_while_the_arm_moves(structure: str, tmp_path: Path) -> None:
    robot = brought(tmp_path).robot
    simulation = Simulation(Scene.of(robot), structure, contacts="none")  # type: ignore[arg-type]
    goal = np.array([0.4, 0.3, -0.3])
    simulation.command(q=goal)
    gaps = []
    for _step in range(40):
        simulation.step(50)
        gaps.append(float(simulation.state().closure_gaps.max()))
    state = simulation.state()
    np.testing.assert_allclose(state.q, goal, atol=2e-3)
    assert 0.0 < max(gaps) < 5e-4
    assert state.frames.shape == (5, 4, 4)


def test_transforms_alone_do_without_the_loop(tmp_path: Path) -> None:
    simulation = Simulation(Scene.of(brought(tmp_path).robot), "hierarchy")
    simulation.command(q=[0.1, 0.1, 0.1])
    simulation.step(2000)
    np.testing.assert_allclose(simulation.state().q, 0.1)


def test_the_loop_is_written_with_the_arm_and_read_again(tmp_path: Path) -> None:
    robot = brought(tmp_path).robot
    write_robot(robot, tmp_path / "arm.toml")
    again = armlab.load(tmp_path / "arm.toml")
    assert robot.loops is not None
    assert again.loops is not None
    for one, other in zip(robot.loops.parts, again.loops.parts, strict=True):
        assert (one.link.name, one.joint.name, one.parent) == (other.link.name, other.joint.name, other.parent)
        np.testing.assert_allclose(one.joint.T_parent_joint, other.joint.T_parent_joint, atol=1e-12)
        np.testing.assert_allclose(one.link.inertia.matrix, other.link.inertia.matrix, atol=1e-12)
    frames = robot.frames([0.1, 0.2, -0.3])[:-1]
    np.testing.assert_allclose(again.loops.closed(frames, "again"), robot.loops.closed(frames, "first"), atol=1e-9)


def test_a_loop_that_ties_the_axes_to_each_other_is_left_out_and_said(tmp_path: Path) -> None:
    made = brought(tmp_path, '<connect body1="forearm" body2="column" anchor="0.2 0 0"/>')
    assert "loop_left_out" in {finding.code for finding in made.findings}
    assert made.robot.loops is None


def test_a_weld_is_said_unless_it_is_a_handle_of_the_world(tmp_path: Path) -> None:
    weld = '<weld body1="hand" body2="forearm"/>'
    for mocap, codes in (("true", set()), ("false", {"mjcf_weld"})):
        hand = f'<body name="hand" mocap="{mocap}"><geom size="0.01"/></body></worldbody>'
        made = brought(tmp_path, weld, PALLETISER.replace("</worldbody>", hand))
        assert {finding.code for finding in made.findings} & {"mjcf_weld", "loop_kept", "loop_left_out"} == codes


def test_a_loop_within_a_gripper_stays_as_it_is(tmp_path: Path) -> None:
    fingers = """<body name="one" pos="0 0.02 0"><joint name="finger1" axis="1 0 0"/><geom size="0.01"/></body>
    <body name="two" pos="0 -0.02 0"><joint name="finger2" axis="1 0 0"/><geom size="0.01"/></body></body>"""
    text = PALLETISER.replace('mass="0.5"/></body>', f'mass="0.5"/>{fingers}')
    made = brought(tmp_path, '<connect body1="one" body2="two" anchor="0 -0.02 0"/>', text)
    assert made.robot.loops is None
    assert not {"loop_kept", "loop_left_out"} & {finding.code for finding in made.findings}
