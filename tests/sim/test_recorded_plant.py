"""A recording as a plant: it does again what was recorded, whatever kind of file that is in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from armlab.catalog import load
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.joint import plan_joint
from armlab.recording import Recorder, export_csv, export_parquet, read_recording
from armlab.recording.recording import COMMAND_Q, QUANTITIES, TAU, Q, Recording
from armlab.sim.plant import Plant
from armlab.sim.recorded_plant import RecordedPlant
from armlab.sim.simulation import Simulation

MOVE = np.array([0.1, 0.1, -0.02, 0.1])


@pytest.fixture(scope="module")
def scara() -> Robot:
    return load("scara")


@pytest.fixture(scope="module")
def run(scara: Robot) -> Recording:
    simulation = Simulation(Scene.of(scara), timestep=0.002)
    return simulation.play(plan_joint(scara, [scara.home, scara.home + MOVE])).recording


def in_mcap(run: Recording, robot: Robot, path: Path) -> Path:
    file = path / "run.mcap"
    with Recorder(file, robot, source={"quality": "simulated"}) as recorder:
        for t, joints in zip(run.t, run.joints, strict=True):
            recorder.write_joints(float(t), joints, None)
    return file


def in_csv(run: Recording, robot: Robot, path: Path) -> Path:
    export_csv(read_recording(in_mcap(run, robot, path)), path / "run.csv")
    return path / "run.csv"


def in_parquet(run: Recording, robot: Robot, path: Path) -> Path:
    export_parquet(read_recording(in_mcap(run, robot, path)), path / "run.parquet")
    return path / "run.parquet"


@pytest.mark.parametrize("written", [in_mcap, in_csv, in_parquet])
def test_every_kind_of_file_plays_what_was_recorded(
    written: Callable[[Recording, Robot, Path], Path], run: Recording, scara: Robot, tmp_path: Path
) -> None:
    plant: Plant = RecordedPlant(read_recording(written(run, scara, tmp_path)), scara)
    assert plant.period == pytest.approx(0.002, abs=1e-6)
    np.testing.assert_allclose(plant.state("scara").q, run.q[0], atol=1e-9)
    plant.step(0.1)
    state = plant.state("scara")
    assert state.stamp == pytest.approx(0.1, abs=1e-6)
    np.testing.assert_allclose(state.q, run.q[50], atol=1e-9)
    assert state.tau is not None
    np.testing.assert_allclose(state.tau, run.tau[50], atol=1e-9)
    np.testing.assert_allclose(state.frames, scara.frames(run.q[50]), atol=1e-9)
    np.testing.assert_allclose(plant.samples("scara").q, run.q[1:51], atol=1e-9)


def test_a_recording_of_a_simulation_says_that_it_is_one(run: Recording, scara: Robot) -> None:
    assert RecordedPlant(run, scara).state("scara").quality.q == ("simulated",) * 4
    assert RecordedPlant(run, scara, quality="measured").state("scara").quality.q == ("measured",) * 4


def test_what_was_not_measured_is_estimated_or_commanded(scara: Robot) -> None:
    t = np.arange(5.0) * 0.01
    joints = np.full((5, len(QUANTITIES), 4), np.nan)
    joints[:, Q] = scara.home + t[:, None] * [1.0, 2.0, -0.5, 3.0]
    joints[:, Q, 2] = np.nan
    joints[:, COMMAND_Q, 2] = -0.05
    plant = RecordedPlant(Recording.of(scara, t, joints), scara)
    plant.step(0.02)
    state = plant.state("scara")
    assert state.quality.q == ("measured", "measured", "commanded", "measured")
    assert state.quality.qd == ("estimated",) * 4
    np.testing.assert_allclose(state.qd, [1.0, 2.0, 0.0, 3.0], atol=1e-9)
    assert state.tau is None
    assert state.quality.tau == ()
    joints[:, TAU] = 1.0
    assert RecordedPlant(Recording.of(scara, t, joints), scara).state("scara").quality.tau == ("measured",) * 4


def test_the_last_sample_before_now_counts_and_keeps_its_age(scara: Robot) -> None:
    t = np.array([5.0, 5.01, 5.02, 5.03, 5.2])
    joints = np.full((5, len(QUANTITIES), 4), np.nan)
    joints[:, Q] = scara.home + 0.01 * np.arange(5.0)[:, None] * [1.0, 1.0, -1.0, 1.0]
    plant = RecordedPlant(Recording.of(scara, t, joints), scara)
    plant.step(0.13)
    assert plant.time - plant.state("scara").stamp == pytest.approx(0.10)
    assert not plant.is_over
    kept = plant.snapshot()
    plant.step(1.0)
    assert plant.is_over
    assert plant.state("scara").stamp == pytest.approx(0.2)
    plant.restore(kept)
    np.testing.assert_array_equal(plant.state("scara").q, joints[3, Q])


def test_a_recording_takes_no_commands(run: Recording, scara: Robot) -> None:
    plant = RecordedPlant(run, scara, name="left")
    outcome = plant.command("left", scara.home)
    assert outcome.kind == "refused"
    assert outcome.finding is not None
    assert outcome.finding.code == "recording_not_commanded"
    with pytest.raises(NotSupported):
        plant.grip("left")
    with pytest.raises(NotSupported):
        plant.set_output("1", value=True)
    with pytest.raises(NotSupported):
        plant.measure()
    with pytest.raises(UnknownName):
        plant.command("right", scara.home)


def test_a_recording_that_tells_no_positions_of_the_arm_is_refused(run: Recording, scara: Robot) -> None:
    empty = np.full((1, len(QUANTITIES), 4), np.nan)
    for recording, robot, code in (
        (run, load("ur5e"), "recording_lacks_joints"),
        (Recording.of(scara, [0.0], empty), scara, "recording_without_positions"),
        (Recording.of(scara, np.zeros(0), empty[:0]), scara, "recording_empty"),
    ):
        with pytest.raises(InvalidInput) as caught:
            RecordedPlant(recording, robot)
        assert caught.value.code == code
