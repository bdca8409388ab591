"""The sensors of a session: they read what the library says, belong to the project, and go with the arm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cell.editing import whole
from cell.sensed import felt, read
from coupled_arms import coupled_arm

from armlab.arrays import Floats
from armlab.catalog.write import robot_toml
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import COMMAND, Edit, MoveJoints, ResetSimulation, Undo
from armlab.cell.mover import Mover
from armlab.cell.project import ArmChoice, Project, SensorChoice, SensorKind
from armlab.cell.sensors import UNSENT
from armlab.cell.session import Session
from armlab.cell.wire import KIND_SENSORS, SENSOR_HEADER, SENSORS_HEADER
from armlab.cell.world import TIMESTEP, build_scene
from armlab.cli.main import run as cli
from armlab.errors import ArmlabError, UnknownName
from armlab.geometry import pose
from armlab.sensing.files import read_imu
from armlab.sensing.kinds import imu, imu_record
from armlab.sensing.mount import Mount
from armlab.sensing.navigate import navigate
from armlab.sensing.presets import preset
from armlab.sensing.sensor import Sensor
from armlab.sensing.truth import sensor_motion
from armlab.server.paper_projects import paper_content
from armlab.sim.simulation import Simulation

TICK = 1.0 / 60.0


def project(*sensors: SensorChoice, arm: str = "braccio") -> Project:
    return Project.of_arm(ArmChoice(name=arm), sensors=sensors)


def run(session: Session, seconds: float) -> None:
    for _tick in range(round(seconds / TICK)):
        session.advance(TICK)


def edit(session: Session, changed: Project) -> None:
    CommandHandler(session).handle(
        Edit(type="edit", changes=whole(changed), label="sensors", revision=session.history.revision)
    )


def test_an_ideal_sensor_reads_the_truth_of_the_arm_in_motion() -> None:
    session = Session(project(SensorChoice(id="a", link="gripper", preset="ideal", pose=(0, 0, 30, 0, 0, 0))))
    move = MoveJoints(type="move_joints", targets={0: 120.0, 2: 60.0}, revision=session.history.revision)
    CommandHandler(session).handle(move)
    places: list[Floats] = []
    session.world.simulation.every(60.0, lambda simulation: places.append(simulation.state().q))
    run(session, 1.0)
    samples = read(session)
    assert np.abs(felt(samples.true)[0]).max() > 0.1  # it moves
    np.testing.assert_allclose(samples.read[:, :6], samples.true[:, :6], atol=1e-12)
    mount, joints = Mount("gripper", pose.from_xyz([0, 0, 0.03])), np.array(places)
    expected = sensor_motion(session.robot, mount, joints, np.zeros_like(joints), np.zeros_like(joints))
    np.testing.assert_allclose(samples.true[:, 10:13], expected[:, 10:13], atol=1e-12)
    found = session.sensors.estimates()
    assert len(found) in {19, 20}  # the readings of the last tick are on their way
    assert max(np.degrees(np.abs(one.estimated - one.q)).max() for one in found) < 1.0


def test_the_record_of_a_sensor_is_one_that_filters_take() -> None:
    session = Session(
        project(SensorChoice(id="a", link="gripper"), SensorChoice(id="b", link="tool", preset="mpu-9250", rate=240.0))
    )
    run(session, 1.0)
    first, second = (imu_record(session.sensors.specs[i], read(session, i)) for i in range(2))
    assert [first.rate, second.rate] == pytest.approx([60.0, 240.0])
    assert first.mag is None
    assert second.mag is not None
    assert np.std(first.gyro) > 0.0
    assert len(navigate(first, "eskf").orientation) == len(first)


def test_an_arm_that_moves_is_read_the_same_on_the_page_and_in_python() -> None:
    choice = SensorChoice(id="a", link="gripper", preset="mpu-9250", pose=(0, 0, 30, 0, 0, 0), rate=120.0, seed=5)
    session = Session(project(choice))
    move = MoveJoints(type="move_joints", targets={0: 150.0, 2: 20.0}, revision=session.history.revision)
    CommandHandler(session).handle(move)
    goal = session.arm().mover.goal
    run(session, 1.0)

    scene = build_scene(session.project)
    simulation, mover = Simulation(scene, timestep=TIMESTEP), Mover(session.arm().limits, scene.robots[0].q)
    mount = Mount("gripper", pose.from_mm_deg(choice.pose))
    sensor = Sensor(imu(mount, preset("mpu-9250"), 120.0, seed=5))
    sensor.attach(simulation)
    mover.go_to(goal)
    for _tick in range(60):
        told = mover.advance(8, TIMESTEP)
        simulation.follow(told.q, told.qd)
    page, own = read(session), sensor.samples(simulation.time)
    assert len(own.t) > 100
    assert np.abs(own.true[:, :3]).max() > 0.1
    for one, other in zip(page, own, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_scenario_is_read_the_same_on_the_page_and_by_the_command(tmp_path: Path) -> None:
    """To the bit, also on a page that has been open before: what is played begins a record of its own."""
    choice = SensorChoice(id="a", on="body", link="cube", preset="mpu-9250", rate=120.0, seed=5)
    content = paper_content("s5-cube").project
    session = Session(content.with_own(content.arm_names[0], sensors=(choice,)))
    run(session, 0.5)
    CommandHandler(session).handle(COMMAND.validate_python({"type": "play", "what": "scenario"}))
    run(session, 4.0)
    page = read(session)
    out = tmp_path / "cube.parquet"
    asked = ["--imu", "cube:mpu-9250,rate=120,seed=5", "--timestep", repr(1000 * TIMESTEP), "--rest", "0"]
    assert cli(["sense", "s5-cube", *asked, "-o", str(out), "--json"]) == 0
    record = read_imu(out).record
    count = len(page.t)
    assert count == 479  # of 480, the last is on its way for 3 ms
    assert record.mag is not None
    for column, values in enumerate((record.gyro, record.acc, record.mag)):
        np.testing.assert_array_equal(page.read[:, 3 * column : 3 * column + 3], values[:count])


def test_sensors_come_and_go_with_the_project_and_start_again_with_the_simulation() -> None:
    session = Session(project())
    run(session, 0.5)
    assert session.sensors.frames() == []
    edit(session, project(SensorChoice(id="a", link="gripper")))
    run(session, 0.5)
    monitor = session.sensors
    assert len(read(session).t) > 20
    edit(session, session.project.model_copy(update={"title": "other"}))
    assert session.sensors is monitor  # nothing that it depends on has changed
    record = monitor.record
    CommandHandler(session).handle(ResetSimulation(type="reset_simulation"))
    assert monitor.record > record
    assert len(monitor.samples(0).t) == 0
    CommandHandler(session).handle(Undo(type="undo"))
    CommandHandler(session).handle(Undo(type="undo"))
    assert session.sensors.sensors == ()


def test_a_sensor_on_a_link_that_the_arm_has_not_is_refused_and_changes_nothing() -> None:
    session = Session(project(SensorChoice(id="a", link="gripper")))
    before = session.project
    for wrong in (SensorChoice(id="b", link="knee"), SensorChoice(id="b", link="tool", preset="mpu")):
        with pytest.raises(UnknownName):
            edit(session, project(wrong))
    with pytest.raises(UnknownName):  # another arm, with the sensors of this one
        edit(session, project(SensorChoice(id="a", link="gripper"), arm="kuka-kr6-r700"))
    assert session.project == before
    assert session.robot.name == "braccio"


def test_sensors_on_an_arm_with_coupled_joints_read_its_motion_without_an_estimate() -> None:
    arm = ArmChoice(name="palletiser", file=robot_toml(coupled_arm("palletiser")))
    sensor = SensorChoice(id="a", link="wrist", preset="ideal", pose=(0, 0, 30, 0, 0, 0))
    session = Session(Project.of_arm(arm, sensors=(sensor,)))
    move = MoveJoints(type="move_joints", targets={0: 60.0, 2: 40.0}, revision=session.history.revision)
    CommandHandler(session).handle(move)
    run(session, 1.0)
    true, q = read(session).true, session.q
    assert np.abs(true[:, 2]).max() > 0.1  # it turns,
    np.testing.assert_allclose(true[:, :2], 0.0, atol=1e-5)  # and is kept level by the law
    T_wrist = session.robot.frames(q)[5]
    np.testing.assert_allclose(true[-1, 10:13], T_wrist[:3, 3] + 0.03 * T_wrist[:3, 2], atol=1e-6)
    assert session.sensors.estimates() == []


def test_every_kind_of_sensor_reads_at_its_own_rate_and_later_by_its_latency() -> None:
    kinds: tuple[SensorKind, ...] = ("imu", "encoders", "torques", "wrench", "laser", "proximity", "contact")
    sensors = [SensorChoice(id=f"s{i}", kind=kind, link="tool", rate=60.0) for i, kind in enumerate(kinds)]
    sensors[1] = sensors[1].model_copy(update={"rate": 480.0, "noise": 0.5})
    sensors[3] = sensors[3].model_copy(update={"latency": 200.0})
    sensors[6] = sensors[6].model_copy(update={"link": "base"})
    session = Session(project(*sensors))
    run(session, 1.0)
    samples = [read(session, i) for i in range(len(kinds))]
    assert [len(one.t) for one in samples] == [59, 480, 60, 48, 60, 60, 60]  # the MPU-6050 takes 2 ms
    np.testing.assert_allclose(np.diff(samples[1].t), 1.0 / 480.0, atol=1e-12)
    off = np.degrees(samples[1].read - samples[1].true)
    assert np.std(off) == pytest.approx(0.5, rel=0.1)
    np.testing.assert_array_equal(samples[2].read, samples[2].true)
    frame = b"".join(session.sensors.frames())
    assert frame[0] == KIND_SENSORS


def test_frames_hold_every_sample_once_and_nothing_waits_for_ever() -> None:
    session = Session(project(SensorChoice(id="a", link="gripper"), SensorChoice(id="b", kind="encoders", link="base")))
    t: list[float] = []
    records = set()
    for _round in range(3):
        run(session, 0.5)
        for frame in session.sensors.frames():
            kind, _version, sensors, links, _none, _sequence, record, *_errors = SENSORS_HEADER.unpack_from(frame)
            name, width, _zero, count = SENSOR_HEADER.unpack_from(frame, SENSORS_HEADER.size)
            assert (kind, sensors, name.rstrip(b"\0"), width) == (KIND_SENSORS, 2, b"a", 6)
            assert links in {0, len(session.robot.frame_names)}
            records.add(record)
            t += np.frombuffer(frame, "<f8", count, SENSORS_HEADER.size + SENSOR_HEADER.size).tolist()
    assert len(records) == 1
    np.testing.assert_array_equal(t, session.sensors.samples(0).t)
    run(session, 10.0)  # nobody asks
    assert len(session.sensors.frames()) == UNSENT


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"rate": 100.0}, "rate_not_possible"),
        ({"preset": "mpu"}, "unknown_preset"),
        ({"kind": "laser", "link": "knee"}, "unknown_link"),
    ],
)
def test_sensors_that_cannot_be_are_refused_and_change_nothing(change: dict[str, object], code: str) -> None:
    session = Session(project())
    before = session.project
    with pytest.raises(ArmlabError) as refused:
        edit(session, project(SensorChoice(id="a", link="gripper").model_copy(update=change)))
    assert refused.value.code == code
    assert session.project == before
