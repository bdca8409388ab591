"""Physics against a bare MuJoCo loop and PyBullet; collision checks against coal; dynamics against Pinocchio."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import armlab
from armlab.collision import Checker
from armlab.dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.sim import Simulation
from bench.peers import Pinocchio
from bench.timing import Line, best_of

STEPS = 2_000
CHECKS = 4_000
BATCH = 4_096
ROUNDS = 3


def lines() -> Iterator[Line]:
    """Yield one line per measure, arm and peer."""
    for name in ("kuka-kr6-r700", "ur5e", "franka-panda"):
        robot = armlab.load(name)
        yield from _physics(robot)
        yield from _collisions(robot)
        yield from _dynamics(robot)


def _physics(robot: Robot) -> Iterator[Line]:
    simulation = Simulation(Scene.of(robot), "articulation", contacts="none")
    simulation.command(q=robot.home)
    rounds = [(best_of(partial(simulation.step, STEPS), STEPS), _bare_mujoco(simulation)) for _ in range(ROUNDS)]
    ours, bare = (min(times) for times in zip(*rounds, strict=True))  # in turn: other programs disturb both alike
    yield Line("physics with servos, step(n)", robot.name, ours, "MuJoCo, bare loop", bare)
    bullet = _bullet(robot)
    if bullet is not None:
        yield Line("physics with servos, step(n)", robot.name, ours, "PyBullet", bullet)
    tied = Simulation(Scene.of(robot), "joints", contacts="none")
    tied.command(q=robot.home)
    note = f"{best_of(partial(tied.step, STEPS), STEPS) / ours:.1f} times the articulation's time"
    yield Line("physics, links tied by constraints", robot.name, best_of(partial(tied.step, STEPS), STEPS), note=note)


def _bare_mujoco(simulation: Simulation) -> float:
    """Return seconds per step of a Python loop over the same model."""
    mujoco = importlib.import_module("mujoco")
    core: Any = simulation._core
    model, data = core.world.model, mujoco.MjData(core.world.model)
    mujoco.mj_copyData(data, model, core.data)  # the same state: what a step costs depends on it

    def loop() -> None:
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    return best_of(loop, STEPS)


def _bullet(robot: Robot) -> float | None:
    try:
        bullet = importlib.import_module("pybullet")
        client_of = importlib.import_module("pybullet_utils.bullet_client")
    except ImportError:
        return None
    from armlab.formats.urdf_write import urdf_text

    client = client_of.BulletClient(bullet.DIRECT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.urdf"
        path.write_text(urdf_text(robot), encoding="utf-8")
        body = client.loadURDF(str(path), useFixedBase=True, flags=bullet.URDF_USE_INERTIA_FROM_FILE)
    client.setTimeStep(0.001)
    client.setGravity(0, 0, -9.81)
    moving = [i for i in range(client.getNumJoints(body)) if client.getJointInfo(body, i)[2] != bullet.JOINT_FIXED]
    target = robot.home.tolist()

    def loop() -> None:
        for _ in range(STEPS // 4):
            client.setJointMotorControlArray(body, moving, bullet.POSITION_CONTROL, targetPositions=target)
            client.stepSimulation()

    try:
        return best_of(loop, STEPS // 4)
    finally:
        client.disconnect()


def obstacles() -> list[Body]:
    """Ten boxes, balls and cylinders round an arm."""
    rng = np.random.default_rng(3)
    bodies = []
    for i in range(10):
        angle, distance, height = rng.uniform(-np.pi, np.pi), rng.uniform(0.45, 0.9), rng.uniform(0.1, 0.9)
        size = rng.uniform(0.05, 0.15, 3)
        T = pose.from_xyz_rpy([distance * np.cos(angle), distance * np.sin(angle), height], rng.uniform(-1, 1, 3))
        kinds = (("box", tuple(2 * size)), ("sphere", (size[0],)), ("cylinder", (size[0], 2 * size[1])))
        kind, sizes = kinds[i % 3]
        bodies.append(Body(f"obstacle_{i}", (Shape(kind, sizes, np.eye(4)),), T))  # type: ignore[arg-type]
    return bodies


def _collisions(robot: Robot) -> Iterator[Line]:
    checker = Checker(Scene.of(robot, bodies=obstacles()))
    rng = np.random.default_rng(4)
    q = rng.uniform(np.maximum(robot.lower, -np.pi), np.minimum(robot.upper, np.pi), (CHECKS, robot.dof))
    free = np.asarray(checker.is_free(q))
    seconds = best_of(partial(checker.is_free, q), CHECKS)
    note = f"{1e-3 / seconds:.0f} thousand/s, {free.mean():.0%} free"
    yield Line("collision with itself and 10 obstacles, batch", robot.name, seconds, note=note)
    one = [row.copy() for row in q[:200]]
    yield Line("collision, one call", robot.name, best_of(lambda: [checker.is_free(row) for row in one], len(one)))
    yield Line(
        "least distance, one call", robot.name, best_of(lambda: [checker.distance(row) for row in one], len(one))
    )


def _dynamics(robot: Robot) -> Iterator[Line]:
    try:
        peer = Pinocchio(robot)
    except ImportError:
        return
    pin = importlib.import_module("pinocchio")
    rng = np.random.default_rng(5)
    q, qd, qdd = (rng.uniform(-1.0, 1.0, (BATCH, robot.dof)) for _ in range(3))
    rows = list(zip(q[:500], qd[:500], qdd[:500], strict=True))
    for what, ours, theirs in (
        ("inverse dynamics, batch", partial(inverse_dynamics, robot, q, qd, qdd), pin.rnea),
        ("forward dynamics, batch", partial(forward_dynamics, robot, q, qd, qdd), pin.aba),
    ):
        call = lambda f=theirs: [f(peer.model, peer.data, *row) for row in rows]  # noqa: E731
        yield Line(what, robot.name, best_of(ours, BATCH), "Pinocchio in a loop", best_of(call, len(rows)))
    call = lambda: [pin.crba(peer.model, peer.data, row[0]) for row in rows]  # noqa: E731
    yield Line(
        "mass matrix, batch",
        robot.name,
        best_of(partial(mass_matrix, robot, q), BATCH),
        "Pinocchio in a loop",
        best_of(call, len(rows)),
    )
