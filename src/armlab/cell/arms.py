"""The arms of a project: one is selected, and the document's arm, poses, plan, programs and sensors are its own."""

from __future__ import annotations

from armlab.cell.project import ArmChoice, OtherArm, Project
from armlab.errors import UnknownName


def all_arms(project: Project) -> tuple[OtherArm, ...]:
    """Return every arm of a project with what is its own, the selected one among them, in the order of the list."""
    selected = OtherArm.model_construct(
        name=project.arm_name, **{field: getattr(project, field) for field in OWN_FIELDS}
    )
    at = min(project.arm_index, len(project.others))
    return (*project.others[:at], selected, *project.others[at:])


OWN_FIELDS = tuple(field for field in OtherArm.model_fields if field != "name")
"""What a project holds for each arm; all else is of the scene."""


def arm_choices(project: Project) -> dict[str, ArmChoice]:
    """Return the arms by name, the selected one first."""
    return {project.arm_name: project.arm} | {other.name: other.arm for other in project.others}


def with_selected(project: Project, name: str) -> Project:
    """Return the project with the arm called `name` selected.

    Raises:
        UnknownName: if there is none.
    """
    if name == project.arm_name:
        return project
    arms = all_arms(project)
    names = [arm.name for arm in arms]
    if name not in names:
        raise UnknownName("scene_robot", name, names, owner=project.title)
    at = names.index(name)
    own = {field: getattr(arms[at], field) for field in OWN_FIELDS}
    change = own | {"arm_name": name, "arm_index": at, "others": (*arms[:at], *arms[at + 1 :])}
    return project.model_copy(update=change)


def keeping_selected(project: Project, name: str) -> Project:
    """Return the project with the arm called `name` selected where it has such an arm; else as it is."""
    return with_selected(project, name) if name in arm_choices(project) else project
