"""Commands, steps, snapshots: what every simulation promises."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused
from sim.machines import box, pendulum, smooth, turntable, with_bodies

from armlab.catalog import load
from armlab.dynamics import inverse_dynamics
from armlab.errors import InvalidInput, NotSupported, SimulationDiverged, UnknownName
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.model.parts import Link
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene
from armlab.motion.trajectory import Trajectory
from armlab.sim.drive_choice import choose_drives
from armlab.sim.drives import FREE, Drive
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimState, Structure

STRUCTURES: tuple[Structure, ...] = ("articulation", "hierarchy", "joints")
each_structure = pytest.mark.parametrize("structure", STRUCTURES)


@pytest.fixture(scope="module")
def ur() -> Robot:
    return load("ur5e")


def two_arms() -> Scene:
    left, right = load("planar2"), load("scara").with_base(pose.from_xyz([3.0, 0.0, 0.0]))
    return Scene("pair", (PlacedRobot("left", left, left.home), PlacedRobot("right", right, right.home)))


def bits(state: SimState) -> bytes:
    rows = [state.q, state.qd, state.qdd, state.tau, state.frames, *state.bodies.values()]
    return b"".join(np.ascontiguousarray(row).tobytes() for row in rows)


def stir(simulation: Simulation, seed: int, *, look: bool = False) -> None:
    """Command this and that."""
    rng = np.random.default_rng(seed)
    home = simulation.state().q
    for _ in range(5):
        simulation.command(q=home + rng.uniform(-0.2, 0.2, len(home)))
        simulation.step(7)
        if look:
            simulation.state()
        simulation.command(qd=rng.uniform(-0.2, 0.2, len(home)))
        simulation.step(6)
        if simulation.structure != "hierarchy":
            simulation.command(tau=rng.uniform(-1.0, 1.0, len(home)))
            simulation.step(5)


@each_structure
def test_the_same_commands_give_the_same_bits(ur: Robot, structure: Structure) -> None:
    ends = []
    for look in (False, True):
        simulation = Simulation(Scene.of(ur, bodies=(box("part", [0.9, 0.9, 0.2], 1.0),)), structure)
        stir(simulation, 5, look=look)
        ends.append(bits(simulation.state()))
    assert ends[0] == ends[1]


@each_structure
def test_a_snapshot_brings_back_every_bit(ur: Robot, structure: Structure) -> None:
    simulation = Simulation(Scene.of(ur, bodies=(box("part", [0.9, 0.9, 0.2], 1.0),)), structure)
    stir(simulation, 1)
    kept, before = simulation.snapshot(), bits(simulation.state())
    stir(simulation, 2)
    first, count = bits(simulation.state()), simulation.step_count
    simulation.restore(kept)
    assert bits(simulation.state()) == before
    stir(simulation, 2)
    assert bits(simulation.state()) == first
    assert simulation.step_count == count
    assert first != before


@each_structure
def test_a_snapshot_in_the_middle_of_a_way_goes_on_with_it(structure: Structure) -> None:
    simulation = Simulation(Scene.of(load("scara")), structure, contacts="none")
    simulation.command(q=[0.5, 0.5, -0.05, 0.5])
    simulation.step(50)
    kept = simulation.snapshot()
    simulation.step(100)
    first = bits(simulation.state())
    simulation.restore(kept)
    simulation.step(100)
    assert bits(simulation.state()) == first


@each_structure
def test_reset_goes_back_to_the_start(ur: Robot, structure: Structure) -> None:
    simulation = Simulation(Scene.of(ur), structure, contacts="none")
    stir(simulation, 3)
    first = bits(simulation.state())
    simulation.reset()
    assert simulation.time == 0.0
    np.testing.assert_allclose(simulation.state().q, ur.home, atol=1e-15)
    stir(simulation, 3)
    assert bits(simulation.state()) == first


@each_structure
def test_many_steps_at_once_are_as_many_single_steps(ur: Robot, structure: Structure) -> None:
    ends = []
    for steps in ([60], [1] * 60, [7, 13, 40]):
        simulation = Simulation(Scene.of(ur), structure, contacts="none")
        simulation.command(q=ur.home + 0.02)
        for n in steps:
            simulation.step(n)
        ends.append(simulation.state().q)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-14)
    np.testing.assert_allclose(ends[0], ends[2], atol=1e-14)


@each_structure
def test_frames_are_those_of_forward_kinematics(structure: Structure) -> None:
    robot = load("stanford", tool="gripper").with_base(pose.from_xyz_rpy([0.3, -0.2, 0.5], [0.1, 0.2, 0.3]))
    simulation = Simulation(Scene.of(robot), structure, contacts="none")
    simulation.command(q=robot.home + np.array([0.3, -0.2, 0.05, 0.2, -0.1, 0.3]))
    simulation.step(1500)
    state = simulation.state()
    assert state.frames.shape == (robot.dof + 2, 4, 4)
    np.testing.assert_allclose(state.frames, robot.frames(state.q), atol=2e-5)


@each_structure
def test_arms_of_one_scene_are_commanded_and_read_by_name(structure: Structure) -> None:
    simulation = Simulation(two_arms(), structure)
    assert simulation.robots == ("left", "right")
    simulation.command(q=[0.2, -0.3, -0.1, 0.4], robot="right")
    simulation.step(1000)
    np.testing.assert_allclose(simulation.state("right").q, [0.2, -0.3, -0.1, 0.4], atol=1e-6)
    np.testing.assert_allclose(simulation.state("left").q, load("planar2").home, atol=1e-6)
    np.testing.assert_array_equal(simulation.state().q, simulation.state("left").q)
    with refused("unknown_simulated_robot", UnknownName, name="middle"):
        simulation.command(q=[0.0], robot="middle")
    with refused("unknown_simulated_robot", UnknownName, name="centre"):
        simulation.state("centre")


@each_structure
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q": [0.0, math.nan]}, r"planar2: q\[1\]: nan is not a finite number"),
        ({"qd": [math.inf, 0.0]}, r"planar2: qd\[0\]: inf is not a finite number"),
        ({"q": [0.0, 0.0, 0.0]}, r"planar2: q: expected shape \(2,\), got \(3,\)"),
        ({"q": "up"}, "planar2: q: 'up' is not an array of numbers"),
        ({}, "command: give one of q, qd and tau, or q together with qd"),
        ({"q": [0.0, 0.0], "tau": [0.0, 0.0]}, "command: give one of q, qd and tau"),
        ({"tau": [0.0, -1e10]}, r"planar2: tau: 1e\+10 N m or N is more than 1e\+09"),
    ],
)
def test_a_command_that_cannot_be_used_changes_nothing(
    structure: Structure, given: dict[str, Any], message: str
) -> None:
    simulation = Simulation(Scene.of(load("planar2")), structure)
    simulation.command(q=[0.3, 0.3])
    simulation.step(10)
    before = bits(simulation.state())
    with pytest.raises(InvalidInput, match=message):
        simulation.command(**given)
    assert bits(simulation.state()) == before


@each_structure
def test_commands_beyond_the_limits_are_held_at_them(structure: Structure) -> None:
    robot = load("planar2")
    simulation = Simulation(Scene.of(robot), structure, contacts="none")
    simulation.command(q=[100.0, -100.0])
    simulation.step(4000)
    np.testing.assert_allclose(simulation.state().q, [robot.upper[0], robot.lower[1]], atol=1e-6)


@pytest.mark.parametrize("timestep", [0.0, -0.001, math.nan, math.inf, 1e-6, 0.05, "fast"])
def test_a_timestep_outside_its_range_is_refused(timestep: Any) -> None:
    with refused("timestep_outside", InvalidInput):
        Simulation(Scene.of(pendulum()), timestep=timestep)


@pytest.mark.parametrize(
    ("timestep", "structure"),
    [(1e-4, "articulation"), (0.005, "articulation"), (0.02, "articulation"), (1e-4, "joints"), (0.005, "joints")],
)
def test_chosen_drives_fit_the_timestep(ur: Robot, timestep: float, structure: Structure) -> None:
    simulation = Simulation(Scene.of(ur), structure, timestep=timestep, contacts="none")
    goal = ur.home + 0.05
    simulation.command(q=goal)
    simulation.step(round(2.0 / timestep) if timestep > 1e-3 else 6000)
    np.testing.assert_allclose(simulation.state().q, goal, atol=np.radians(0.01))


def test_unknown_names_are_refused(ur: Robot) -> None:
    unknown: Any = "ragdoll"
    with refused("unknown_structure", UnknownName, name="ragdoll"):
        Simulation(Scene.of(ur), unknown)
    with refused("unknown_contact_mode", UnknownName, name="ragdoll"):
        Simulation(Scene.of(ur), contacts=unknown)
    with refused("scene_without_robot", InvalidInput, scene="empty"):
        Simulation(Scene("empty"))
    with refused("unknown_simulated_robot", UnknownName, name="other"):
        Simulation(Scene.of(ur), drives={"other": choose_drives(ur)})
    with refused("drives_by_name", InvalidInput, count=2):
        Simulation(two_arms(), drives=[Drive(1.0, 1.0)])


@pytest.mark.parametrize("n", [0, -1, 1.5, True, 10**9])
def test_a_number_of_steps_that_makes_no_sense_is_refused(n: Any) -> None:
    with refused("step_count", InvalidInput):
        Simulation(Scene.of(pendulum())).step(n)


def test_a_snapshot_of_another_simulation_is_refused() -> None:
    a, b = (Simulation(Scene.of(pendulum())) for _ in range(2))
    with refused("foreign_snapshot", InvalidInput):
        a.restore(b.snapshot())


def test_a_simulation_that_diverges_says_when_and_where_and_keeps_its_last_good_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    robot = load("kuka-kr6-r700")
    simulation = Simulation(Scene.of(robot), drives=[Drive(1e8, 0.0)] * 6, contacts="none")
    simulation.step(3)
    simulation.command(q=robot.home + 0.001, qd=np.zeros(6))
    good = bits(simulation.state())
    with pytest.raises(SimulationDiverged, match=r"step \d+: kuka-kr6-r700: joint 'A\d' left all bounds") as raised:
        simulation.step(5000)
    assert 4 <= raised.value.parameters["step"] <= 5003
    assert bits(simulation.state()) == good
    assert simulation.step_count == 3
    simulation.reset()
    simulation.step(2)
    assert list(tmp_path.iterdir()) == []
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


@pytest.mark.parametrize("structure", ["articulation", "joints"])
def test_a_force_beyond_all_measure_is_noticed_at_its_first_step(structure: Structure) -> None:
    simulation = Simulation(Scene.of(pendulum()), structure, drives=[FREE] * 2)
    simulation.step(10)
    kept, good = simulation.snapshot(), bits(simulation.state())
    simulation.command(tau=[0.0, 1e9])
    with refused("simulation_diverged", SimulationDiverged, step=11):
        simulation.step(100)
    simulation.restore(kept)
    assert bits(simulation.state()) == good
    simulation.step(10)


def test_a_setpoint_that_the_engine_would_ignore_is_noticed() -> None:
    simulation = Simulation(Scene.of(turntable()), drives=[Drive(1e9, 1e6)])
    simulation.command(q=[100.0], qd=[0.0])
    with refused("simulation_diverged", SimulationDiverged, step=1):
        simulation.step()


def test_things_too_light_to_compute_with_are_refused() -> None:
    table = turntable()
    dust = replace(table, links=(table.links[0], Link("plate", Inertia(1e-9, np.zeros(3), 1e-15 * np.eye(3)))))
    with refused("mass_not_simulable", InvalidInput):
        Simulation(Scene.of(dust))
    with refused("mass_not_simulable", InvalidInput):
        Simulation(with_bodies(box("dust", [0.0, 0.0, 1.0], 1e-12)))


def test_things_of_another_kind_are_refused() -> None:
    wrong: Any = load("planar2")
    with refused("not_a_scene", InvalidInput):
        Simulation(wrong)
    simulation = Simulation(Scene.of(wrong))
    with refused("not_a_trajectory", InvalidInput):
        simulation.play(wrong)
    with refused("foreign_snapshot", InvalidInput):
        simulation.restore(wrong)
    with refused("not_a_drive", InvalidInput, robot="planar2"):
        Simulation(Scene.of(wrong), drives=[wrong, wrong])


def test_importing_armlab_and_the_simulation_does_not_import_mujoco() -> None:
    code = "import armlab, armlab.sim.simulation, sys; print('mujoco' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_hierarchy_is_exact_and_keeps_speeds() -> None:
    robot = load("scara")
    simulation = Simulation(Scene.of(robot), "hierarchy")
    goal = np.array([1.0, -1.0, -0.1, 2.0])
    simulation.command(q=goal)
    simulation.step()
    moved = simulation.state()
    np.testing.assert_allclose(np.abs(moved.qd), robot.velocity)
    np.testing.assert_allclose(np.abs(moved.q - robot.home), robot.velocity * 0.001)
    simulation.step(1000)
    np.testing.assert_array_equal(simulation.state().q, goal)
    np.testing.assert_array_equal(simulation.state().qd, np.zeros(4))
    np.testing.assert_array_equal(simulation.state().frames, robot.frames(goal))
    with refused("no_forces", NotSupported):
        simulation.command(tau=np.zeros(4))


@each_structure
def test_a_trajectory_is_followed_and_told(structure: Structure) -> None:
    robot = load("scara")
    end = np.array([0.4, -0.3, -0.05, 0.5])
    run = Simulation(Scene.of(robot), structure, contacts="none").play(smooth(robot.home, end, 0.5))
    assert run.q.shape == run.qd.shape == run.tau.shape == run.commanded.shape == (500, 4)
    assert run.time[-1] == pytest.approx(0.5)
    assert run.rms < 1e-3
    assert np.abs(run.error[-1]).max() < 1e-3
    assert (run.rms == 0.0) == (structure == "hierarchy") or run.rms < 1e-15
    assert run.gap.max() < 1e-5


@pytest.mark.parametrize("structure", ["articulation", "joints"])
def test_what_drives_give_along_a_motion_is_what_its_dynamics_ask_for(ur: Robot, structure: Structure) -> None:
    path = smooth(ur.home, ur.home + 0.3, 0.8)
    simulation = Simulation(Scene.of(ur), structure, contacts="none")
    told, wanted, accelerations = [], [], []
    for t in path.times(0.02)[1:]:
        for s in t - np.arange(19, -1, -1) * 0.001:
            simulation.command(q=path.at(s).q, qd=path.at(s).qd)
            simulation.step()
        state, there = simulation.state(), path.at(t)
        told.append(state.tau)
        accelerations.append(state.qdd - there.qdd)
        wanted.append(inverse_dynamics(ur, there.q, there.qd, there.qdd))
    np.testing.assert_allclose(told, wanted, atol=0.03 * np.abs(wanted).max())
    assert np.abs(accelerations).max() < 0.3
    run = Simulation(Scene.of(ur), structure, contacts="none").play(path)
    np.testing.assert_allclose(run.tau[19::20], told, atol=0.01 * np.abs(wanted).max())


@each_structure
def test_a_command_is_felt_with_the_next_step_only(structure: Structure) -> None:
    simulation = Simulation(Scene.of(load("planar2")), structure)
    simulation.command(q=[0.3, 0.3])
    simulation.step(20)
    before = bits(simulation.state())
    simulation.command(q=[0.1, 0.1], qd=[1.0, 1.0])
    assert bits(simulation.state()) == before


def test_a_trajectory_of_another_arm_is_refused() -> None:
    with refused("joint_count_differs", InvalidInput, robot="planar2", given=3, needed=2):
        Simulation(Scene.of(load("planar2"))).play(Trajectory.rest([0.0, 0.0, 0.0], 1.0))


def test_a_motor_follows_a_new_position_from_the_speed_it_has() -> None:
    simulation = Simulation(Scene.of(turntable(velocity=2.0)))
    simulation.command(qd=[1.0])
    simulation.step(1000)
    simulation.command(q=[float(simulation.state().q[0]) + 0.5])
    speeds = []
    for _ in range(100):
        simulation.step(10)
        speeds.append(float(simulation.state().qd[0]))
    assert np.abs(np.diff([1.0, *speeds])).max() < 2.0 / 0.25 * 0.01 * 1.5  # no jolt
    assert speeds[-1] == pytest.approx(0.0, abs=1e-6)


def test_a_scene_of_loose_things_can_be_simulated_without_contacts() -> None:
    simulation = Simulation(with_bodies(box("falling", [0.0, 0.0, 1.0], 1.0), box("floor", [0, 0, 0])), contacts="none")
    simulation.step(1000)
    assert simulation.state().bodies["falling"][2, 3] < -3.0
