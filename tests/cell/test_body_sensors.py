"""Sensors on bodies of a session: exact against the laws of motion, and they go with their body."""

from __future__ import annotations

import numpy as np
import pytest
from cell.driven import TICK
from cell.editing import whole
from cell.sensed import felt, read

from armlab.catalog.scene_schema import BodyTable, PushTable
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import COMMAND
from armlab.cell.events import Notice
from armlab.cell.project import ArmChoice, Project, ProjectArm, SensorChoice
from armlab.cell.session import Session
from armlab.errors import InvalidInput, NotSupported
from armlab.geometry import pose
from armlab.model.scene import GRAVITY
from armlab.sensing.kinds import imu_record
from armlab.sensing.navigate import navigate
from armlab.sensing.truth import turned_back
from armlab.server.paper_projects import paper_content

UP = np.array([0.0, 0.0, GRAVITY])
POSE = (30.0, -20.0, 10.0, 40.0, -25.0, 70.0)
"""X Y Z A B C: off the middle, and turned about all axes."""
CUBE = BodyTable(name="cube", kind="box", size=(40, 40, 40), xyz=(0, 600, 2000), mass=0.5)
ON_CUBE = SensorChoice(id="c", on="body", link="cube", preset="ideal")


class Driven:
    """A session of a project whose time is driven by the test."""

    def __init__(self, made: Project) -> None:
        self.session = Session(made)

    def run(self, seconds: float) -> None:
        for _tick in range(round(seconds / TICK)):
            self.session.advance(TICK)

    def handle(self, **command: object) -> None:
        CommandHandler(self.session).handle(COMMAND.validate_python(command))

    def edit(self, changed: Project) -> None:
        self.handle(type="edit", changes=whole(changed), label="change", revision=self.session.revision)


def project(*bodies: BodyTable, sensors: tuple[SensorChoice, ...] = (ON_CUBE,), **parts: object) -> Project:
    made = Project.of_arm(ArmChoice(name="braccio"), sensors=sensors)
    return made.model_copy(update={"bodies": bodies, **parts})


def test_a_cube_that_rests_is_pushed_and_falls_reads_the_forces_on_it() -> None:
    made = paper_content("s5-cube").project
    sensor = made.arms[0].sensors[0].model_copy(update={"pose": POSE})
    driven = Driven(made.with_own(made.arms[0].name, sensors=(sensor,)))
    driven.run(5.2)
    samples = read(driven.session)
    rate, force_felt = felt(samples.true)
    R = pose.from_mm_deg(POSE)[:3, :3]
    for start, end, force in ((1.0, 2.5, UP), (2.5, 5.0, np.array([0.0, 0.0, 54.05 / 5.0])), (5.0, 5.2, 0.0 * UP)):
        during = (samples.t > start + 1e-3) & (samples.t < end - 1e-3)
        assert during.sum() > 5
        np.testing.assert_allclose(force_felt[during], np.tile(force @ R, (during.sum(), 1)), atol=1e-6)
        np.testing.assert_allclose(rate[during], 0.0, atol=1e-9)
    np.testing.assert_allclose(samples.read[:, :6], samples.true[:, :6], atol=1e-12)


def test_a_bar_that_is_turned_reads_its_ramp_and_what_pulls_a_sensor_off_its_axis() -> None:
    torque, inertia, r = 5.0, 2.65, 0.7
    bar = BodyTable(
        name="bar",
        kind="box",
        size=(1500, 50, 50),
        xyz=(0, 600, 3000),
        mass=10,
        inertia=(0.00416666667, inertia, inertia, 0, 0, 0),
        push=(PushTable(force=(0, 0, 10 * GRAVITY), torque=(0, 0, torque)),),
    )
    sensor = SensorChoice(id="b", on="body", link="bar", preset="ideal", pose=(1000 * r, 0, 0, 0, 0, 0))
    driven = Driven(project(bar, sensors=(sensor,)))
    driven.run(1.0)
    samples = read(driven.session)
    turning, force_felt = felt(samples.true)
    rate, still = torque * samples.t / inertia, np.zeros(len(samples.t))
    np.testing.assert_allclose(turning, np.stack([still, still, rate], axis=1), atol=1e-9)
    expected = np.stack([-(rate**2) * r, still + torque * r / inertia, still + GRAVITY], axis=1)
    np.testing.assert_allclose(force_felt, expected, atol=1e-9)
    record = imu_record(driven.session.sensors.specs[0], samples)
    assert len(navigate(record, "strapdown").orientation) == len(record)


@pytest.mark.parametrize("structure", ["articulation", "joints"])
def test_a_cube_that_is_held_reads_how_its_speed_changes(structure: str) -> None:
    driven = Driven(project(CUBE, structure=structure))
    driven.session.world.simulation.attach("cube")
    driven.handle(type="move_joints", targets={0: 140.0, 1: 60.0}, revision=driven.session.revision)
    simulation = driven.session.world.simulation
    driven.run(0.3)
    worst, fastest = 0.0, 0.0
    for _tick in range(20):
        before = simulation.measure().body_motion("cube", np.eye(4))
        driven.session.stepper.step(1)
        after = simulation.measure().body_motion("cube", np.eye(4))
        force = after.T_world[:3, :3] @ after.specific_force
        change = (after.velocity - before.velocity) / simulation.timestep
        worst, fastest = max(worst, float(np.abs(change + UP - force).max())), max(fastest, float(np.abs(change).max()))
    assert fastest > 0.5
    assert worst < 1e-6


def test_a_body_with_the_name_of_a_link_is_told_from_it() -> None:
    body = CUBE.model_copy(update={"name": "gripper"})
    on_link = SensorChoice(id="l", link="gripper", preset="ideal")
    on_body = ON_CUBE.model_copy(update={"link": "gripper"})
    driven = Driven(project(body, sensors=(on_body, on_link)))
    driven.run(0.5)
    falls, stands = read(driven.session, 0).true, read(driven.session, 1).true
    np.testing.assert_allclose(felt(falls)[1], 0.0, atol=1e-9)
    np.testing.assert_allclose(turned_back(stands[:, 6:10], UP), felt(stands)[1], atol=1e-3)
    found = driven.session.sensors.estimates()  # from the link's alone
    assert len(found) > 5
    assert max(np.degrees(np.abs(one.estimated - one.q)).max() for one in found) < 1.0


def test_a_file_from_before_sensors_on_bodies_opens_and_a_new_one_comes_back() -> None:
    old = {"schema": 1, "arm": {"name": "braccio"}, "sensors": [{"id": "a", "link": "gripper"}]}
    assert Project.model_validate(old).arms[0].sensors[0].on == "link"
    made = project(CUBE)
    again = Project.model_validate_json(made.model_dump_json(by_alias=True))
    assert again == made
    assert Driven(again).session.sensors.sensors == (ON_CUBE,)


def test_a_sensor_goes_with_its_body_for_every_arm_and_comes_back_with_it() -> None:
    base = (0.0, 1500.0, 0.0, 0.0, 0.0, 0.0)
    other = ProjectArm(name="second", arm=ArmChoice(name="scara", base=base), sensors=(ON_CUBE,))
    on_link = SensorChoice(id="l", link="gripper")
    one = project(CUBE, sensors=(on_link, ON_CUBE))
    driven = Driven(one.model_copy(update={"arms": (*one.arms, other)}))
    session = driven.session
    before = session.project
    driven.edit(before.model_copy(update={"bodies": ()}))
    assert session.project.arms[0].sensors == session.sensors.sensors == (on_link,)
    assert session.project.arms[1].sensors == ()
    told = [event.message for event in session.take_events() if isinstance(event, Notice)]
    assert [(message.code, message.parameters["body"]) for message in told] == [("sensor_went", "cube")] * 2
    driven.run(0.2)
    driven.handle(type="select_arm", name="second")
    driven.handle(type="select_arm", name="arm")
    driven.handle(type="undo")
    assert session.project == before
    driven.run(0.2)
    assert len(read(session, 1).t) > 0


def test_sensors_on_bodies_that_are_not_there_or_have_no_forces_are_refused() -> None:
    driven = Driven(project(CUBE, sensors=()))
    before = driven.session.project
    lost = ON_CUBE.model_copy(update={"link": "crate"})
    with pytest.raises(InvalidInput) as refused:
        driven.edit(before.with_own("arm", sensors=(lost,)))
    assert refused.value.code == "no_such_object"
    with pytest.raises(NotSupported) as unsupported:
        driven.edit(project(CUBE, structure="hierarchy"))
    assert unsupported.value.code == "sensor_needs_forces"
    for kind in ("torques", "wrench", "laser", "proximity", "contact"):
        without = SensorChoice(id="w", kind=kind, link="tool")
        with pytest.raises(NotSupported):
            driven.edit(project(sensors=(without,), structure="hierarchy"))
    assert driven.session.project == before


def test_bodies_that_are_put_back_start_another_record() -> None:
    driven = Driven(paper_content("s5-cube").project)
    driven.run(0.5)
    monitor = driven.session.sensors
    record = monitor.record
    driven.handle(type="play", what="scenario")
    driven.run(0.5)
    assert monitor.record > record
    assert 0 < len(read(driven.session).t) < 0.6 / TICK
    driven.edit(driven.session.project.model_copy(update={"title": "other"}))
    assert driven.session.sensors is monitor
