"""The ten labs by number."""

from __future__ import annotations

from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.studies.course.inverse_labs import LAB_3, LAB_4
from armlab.studies.course.kinematic_labs import LAB_1, LAB_2
from armlab.studies.course.lab import Lab
from armlab.studies.course.motion_labs import LAB_5, LAB_6, LAB_8
from armlab.studies.course.physics_labs import LAB_7, LAB_9, LAB_10

LABS: tuple[Lab, ...] = (LAB_1, LAB_2, LAB_3, LAB_4, LAB_5, LAB_6, LAB_7, LAB_8, LAB_9, LAB_10)


def lab_of(number: int) -> Lab:
    """Return a lab.

    Raises:
        InvalidInput: if there is none with this number.
    """
    for lab in LABS:
        if lab.number == number:
            return lab
    template = _("no lab {number}; there are labs 1 … {most}")
    raise InvalidInput("unknown_lab", template, number=number, most=len(LABS))
