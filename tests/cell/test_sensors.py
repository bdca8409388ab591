"""The sensors of a session: they read what the library says, belong to the project, and go with the arm."""

from __future__ import annotations

import numpy as np
import pytest
from coupled_arms import coupled_arm

from armlab.catalog.write import robot_toml
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import Edit, MoveJoints, ResetSimulation, Undo
from armlab.cell.project import ArmChoice, ImuChoice, Project
from armlab.cell.session import Session
from armlab.errors import UnknownName
from armlab.sensing.mount import Mount
from armlab.sensing.navigate import navigate
from armlab.sensing.truth import sensor_motion

TICK = 1.0 / 60.0


def project(*sensors: ImuChoice, arm: str = "braccio") -> Project:
    return Project.of_arm(ArmChoice(name=arm), sensors=sensors)


def run(session: Session, seconds: float) -> None:
    for _tick in range(round(seconds / TICK)):
        session.advance(TICK)


def edit(session: Session, changed: Project) -> None:
    CommandHandler(session).handle(
        Edit(type="edit", project=changed, label="sensors", revision=session.history.revision)
    )


def test_an_ideal_sensor_reads_the_truth_of_the_arm_in_motion() -> None:
    session = Session(project(ImuChoice(id="a", link="gripper", preset="ideal", pose=(0, 0, 30, 0, 0, 0))))
    move = MoveJoints(type="move_joints", targets={0: 120.0, 2: 60.0}, revision=session.history.revision)
    CommandHandler(session).handle(move)
    run(session, 1.0)
    rows = session.sensors.rows()
    assert np.abs(rows.motion[:, 0, :3]).max() > 0.1  # it moves
    np.testing.assert_allclose(rows.read[:, 0, :6], rows.motion[:, 0, :6], atol=1e-12)
    mount = Mount("gripper", session.sensors.mounts[0].T)
    still = np.zeros_like(rows.q)
    expected = sensor_motion(session.robot, mount, rows.q, still, still)
    np.testing.assert_allclose(rows.motion[:, 0, 10:13], expected[:, 10:13], atol=1e-12)
    assert np.degrees(np.abs(rows.estimated - rows.q)).max() < 1.0


def test_the_record_of_a_sensor_is_one_that_filters_take() -> None:
    session = Session(project(ImuChoice(id="a", link="gripper"), ImuChoice(id="b", link="tool", preset="mpu-9250")))
    run(session, 1.0)
    first, second = (session.sensors.imu_record(i) for i in range(2))
    assert first.rate == pytest.approx(60.0)
    assert first.mag is None
    assert second.mag is not None
    assert np.std(first.gyro) > 0.0
    assert len(navigate(first, "eskf").orientation) == len(first)
    later = session.sensors.rows(float(session.sensors.rows().t[-1]) - 0.1)
    assert 0 < len(later.t) <= 7


def test_sensors_come_and_go_with_the_project_and_start_again_with_the_simulation() -> None:
    session = Session(project())
    run(session, 0.5)
    assert len(session.sensors.rows().t) == 0
    edit(session, project(ImuChoice(id="a", link="gripper")))
    run(session, 0.5)
    monitor = session.sensors
    assert len(monitor.rows().t) > 20
    edit(session, session.project.model_copy(update={"title": "other"}))
    assert session.sensors is monitor  # nothing that it depends on has changed
    record = monitor.record
    CommandHandler(session).handle(ResetSimulation(type="reset_simulation"))
    assert monitor.record > record
    assert len(monitor.rows().t) == 0
    CommandHandler(session).handle(Undo(type="undo"))
    CommandHandler(session).handle(Undo(type="undo"))
    assert session.sensors.sensors == ()


def test_a_sensor_on_a_link_that_the_arm_has_not_is_refused_and_changes_nothing() -> None:
    session = Session(project(ImuChoice(id="a", link="gripper")))
    before = session.project
    for wrong in (ImuChoice(id="b", link="knee"), ImuChoice(id="b", link="tool", preset="mpu")):
        with pytest.raises(UnknownName):
            edit(session, project(wrong))
    with pytest.raises(UnknownName):  # another arm, with the sensors of this one
        edit(session, project(ImuChoice(id="a", link="gripper"), arm="kuka-kr6-r700"))
    assert session.project == before
    assert session.robot.name == "braccio"


def test_sensors_on_an_arm_with_coupled_joints_read_its_motion_without_an_estimate() -> None:
    arm = ArmChoice(name="palletiser", file=robot_toml(coupled_arm("palletiser")))
    sensor = ImuChoice(id="a", link="wrist", preset="ideal", pose=(0, 0, 30, 0, 0, 0))
    session = Session(Project.of_arm(arm, sensors=(sensor,)))
    move = MoveJoints(type="move_joints", targets={0: 60.0, 2: 40.0}, revision=session.history.revision)
    CommandHandler(session).handle(move)
    run(session, 1.0)
    rows, still = session.sensors.rows(), np.zeros((1, 4))
    assert np.abs(rows.motion[:, 0, 2]).max() > 0.1  # it turns,
    np.testing.assert_allclose(rows.motion[:, 0, :2], 0.0, atol=1e-12)  # and is kept level by the law
    T_wrist = session.robot.frames(rows.q)[:, 5]
    expected = T_wrist[:, :3, 3] + 0.03 * T_wrist[:, :3, 2]
    np.testing.assert_allclose(rows.motion[:, 0, 10:13], expected, atol=1e-9)
    at_end = sensor_motion(session.robot, session.sensors.mounts[0], rows.q[-1:], still, still)
    np.testing.assert_allclose(rows.motion[-1:, 0, 10:13], at_end[:, 10:13], atol=1e-12)
    assert np.isnan(rows.estimated).all()
