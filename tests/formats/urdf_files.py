"""Pieces of URDF text from which the tests build their files, and the type of the function that reads them."""

from __future__ import annotations

from typing import Protocol

from armlab.model.robot import Robot

LIMIT = '<limit lower="-2" upper="1.5" velocity="3" effort="50"/>'


def link(name: str, inside: str = "") -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(
    name: str, parent: str, child: str, kind: str = "revolute", *, xyz: str = "0 0 0.5", inside: str = LIMIT
) -> str:
    """Return a joint about the z axis, half a metre above its parent."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="0 0 1"/>{inside}</joint>'
    )


def inertial(mass: float, xyz: str = "0 0 0", inside: str = '<inertia ixx="1" iyy="1" izz="1"/>') -> str:
    return f'<inertial><origin xyz="{xyz}"/><mass value="{mass}"/>{inside}</inertial>'


def robot_text(*parts: str) -> str:
    return f'<?xml version="1.0"?>\n<robot name="My Arm 3.5">{"".join(parts)}</robot>'


ONE_AXIS = (link("base"), link("arm"), joint("A1", "base", "arm"))


class Read(Protocol):
    """The type of the fixture `read`."""

    def __call__(self, text: str | bytes, **ends: str) -> Robot: ...


def ask(read: Read, *parts: str, **ends: str) -> Robot:
    return read(robot_text(*parts), **ends)


def geometry(inside: str, kind: str = "visual", more: str = "") -> str:
    return f'<{kind}><origin xyz="0 0 1"/><geometry>{inside}</geometry>{more}</{kind}>'
