"""Sensors on bodies of the scene: they go with their body."""

from __future__ import annotations

from armlab.catalog.scene_schema import BodyTable
from armlab.cell.events import Notice
from armlab.cell.project import Project, ProjectArm, SensorChoice
from armlab.errors import InvalidInput, NotSupported
from armlab.messages import Message, _

WITHOUT_FORCES = frozenset({"imu", "encoders"})
"""Kinds that read something on an arm that only moves."""


def carrying(project: Project, arm: ProjectArm) -> tuple[BodyTable, ...]:
    """Return the bodies that an arm's sensors sit on."""
    names = {sensor.link for sensor in arm.sensors if sensor.on == "body" and sensor.has_place}
    return tuple(body for body in project.bodies if body.name in names)


def check_carriers(project: Project) -> None:
    """Check that the bodies are there on which any arm has sensors, and that all sensors can be read.

    Raises:
        InvalidInput: if a body is not there.
        NotSupported: if the structure has no forces, and a sensor needs them.
    """
    names = {body.name for body in project.bodies}
    for arm in project.arms:
        for sensor in arm.sensors:
            is_on_body = sensor.on == "body" and sensor.has_place
            if is_on_body and sensor.link not in names:
                raise InvalidInput("no_such_object", _("there is no object '{body}' in the scene"), body=sensor.link)
            if project.structure == "hierarchy" and (is_on_body or sensor.kind not in WITHOUT_FORCES):
                raise NotSupported(
                    "sensor_needs_forces",
                    _("sensor on '{body}': the structure 'hierarchy' has no forces on objects; use another structure"),
                    body=sensor.link,
                )


def without_lost_sensors(before: Project, after: Project) -> tuple[Project, list[Notice]]:
    """Return an edited project without the sensors on bodies that the edit removes, and what there is to tell."""
    lost = {body.name for body in before.bodies} - {body.name for body in after.bodies}
    told: list[Notice] = []

    def kept(sensors: tuple[SensorChoice, ...]) -> tuple[SensorChoice, ...]:
        gone = [sensor for sensor in sensors if sensor.on == "body" and sensor.has_place and sensor.link in lost]
        for sensor in gone:
            text = _("the sensor on '{body}' went with the object")
            told.append(Notice(message=Message("sensor_went", text, body=sensor.link)))
        return tuple(sensor for sensor in sensors if sensor not in gone)

    arms = tuple(arm.model_copy(update={"sensors": kept(arm.sensors)}) for arm in after.arms)
    return (after.model_copy(update={"arms": arms}), told) if told else (after, told)
