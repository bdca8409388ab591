"""Bodies that the scene itself pushes: Newton's law while it lasts, nothing before and after."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armlab
from armlab.catalog.scenes import load_scene, write_scene
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.model.scene import Body, Push, Scene

MASS = 2.0
SHAPE = Shape("box", (1.0, 1.0, 1.0), np.eye(4))


def scene(*pushes: Push) -> Scene:
    """Return a cube of 2 kg far from the arm, without gravity."""
    body = Body(
        "cube", (Shape("box", (0.1, 0.1, 0.1), np.eye(4)),), pose.from_xyz([3.0, 0.0, 2.0]), MASS, pushes=pushes
    )
    found = Scene.of(armlab.load("planar2"), bodies=[body])
    return Scene(found.name, found.robots, found.bodies, np.zeros(3))


def test_a_push_accelerates_by_force_over_mass_while_it_lasts() -> None:
    simulation = armlab.Simulation(scene(Push(np.array([4.0, 0.0, 0.0]), start=0.1, end=0.3)))
    speeds = []
    simulation.every(1000.0, lambda s: speeds.append(s.measure().motion("cube", np.eye(4)).velocity[0]))
    simulation.step(500)
    t = np.arange(1, 501) * 0.001
    assert speeds == pytest.approx(4.0 / MASS * np.clip(t - 0.1, 0.0, 0.2), abs=1e-12)


def test_pushes_add_up_and_the_moment_of_inertia_counts() -> None:
    turn = Push(torque=np.array([0.0, 0.0, 0.01]))
    simulation = armlab.Simulation(scene(turn, turn, Push(np.array([0.0, 1.0, 0.0]))))
    simulation.step(100)
    motion = simulation.measure().motion("cube", np.eye(4))
    inertia = MASS * (0.1**2 + 0.1**2) / 12.0
    assert motion.angular_rate == pytest.approx([0.0, 0.0, 0.02 / inertia * 0.1], rel=1e-9)
    assert motion.velocity[1] == pytest.approx(0.1 / MASS, rel=1e-9)


def test_a_torque_pauses_at_its_set_speed() -> None:
    simulation = armlab.Simulation(scene(Push(torque=np.array([0.0, 0.0, 0.01]), until_rate=math.radians(30.0))))
    simulation.step(3000)
    step = 0.01 / (MASS * 0.02 / 12.0) * 0.001
    rate = simulation.measure().motion("cube", np.eye(4)).angular_rate[2]
    assert math.radians(30.0) <= rate < math.radians(30.0) + step


def test_a_reset_and_a_restored_snapshot_push_as_before() -> None:
    simulation = armlab.Simulation(scene(Push(np.array([4.0, 0.0, 0.0]), start=0.05)))
    simulation.step(80)
    kept = simulation.snapshot()
    simulation.step(40)
    after = simulation.state().bodies["cube"]
    simulation.restore(kept)
    simulation.step(40)
    assert np.array_equal(simulation.state().bodies["cube"], after)
    simulation.reset()
    simulation.step(120)
    assert np.array_equal(simulation.state().bodies["cube"], after)


def test_a_hierarchy_knows_no_forces_and_does_not_push() -> None:
    simulation = armlab.Simulation(scene(Push(np.array([4.0, 0.0, 0.0]))), "hierarchy")
    simulation.step(100)
    assert simulation.state().bodies["cube"][:3, 3] == pytest.approx([3.0, 0.0, 2.0])


def test_pushes_are_written_and_read_again(tmp_path: Path) -> None:
    bars = load_scene("s5-bar")
    write_scene(bars, tmp_path / "bars.toml")
    again = load_scene(tmp_path / "bars.toml")
    for one, two in zip(bars.bodies, again.bodies, strict=True):
        assert len(one.pushes) == len(two.pushes)
        for p, q in zip(one.pushes, two.pushes, strict=True):
            assert np.array_equal(p.force, q.force)
            assert np.array_equal(p.torque, q.torque)
            assert (p.start, p.end) == (q.start, q.end)
            assert p.until_rate == pytest.approx(q.until_rate)


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (lambda: Push(start=2.0, end=1.0), "push_times"),
        (lambda: Push(start=-1.0), "push_times"),
        (lambda: Push(until_rate=0.0), "push_times"),
        (lambda: Body("wall", (SHAPE,), pushes=(Push(),)), "push_without_mass"),
        (lambda: Body("cube", (SHAPE,), mass=1.0, pushes=(Push(),) * 101), "push_count"),
    ],
)
def test_impossible_pushes_are_refused(made: Callable[[], object], code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        made()
    assert refused.value.code == code
