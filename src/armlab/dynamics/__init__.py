"""Dynamics: forces and torques of an arm, as functions that take a Robot.

Joint forces `tau` are N m for turning joints and N for sliding ones. Links and tool count with their masses; friction
and the inertia of motors and gears do not. Every function that takes joint values takes one row (n,) or many (m, n);
one row of speeds beside many rows of positions stands for all of them.
"""

from armlab.dynamics.along import Timed, TorqueReport, torques_along
from armlab.dynamics.bodies import moving_mass, with_payload
from armlab.dynamics.check_inertias import check_inertias
from armlab.dynamics.energy import kinetic_energy, potential_energy
from armlab.dynamics.forces import (
    GRAVITY,
    coriolis_matrix,
    coriolis_torque,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    mass_matrix,
)
from armlab.dynamics.overload import Overload, OverloadMonitor, payload_finding
from armlab.dynamics.regressor import (
    BODY_PARAMETERS,
    DRIVE_PARAMETERS,
    inertial_parameters,
    parameter_names,
    torque_regressor,
)

__all__ = [
    "BODY_PARAMETERS",
    "DRIVE_PARAMETERS",
    "GRAVITY",
    "Overload",
    "OverloadMonitor",
    "Timed",
    "TorqueReport",
    "check_inertias",
    "coriolis_matrix",
    "coriolis_torque",
    "forward_dynamics",
    "gravity_torque",
    "inertial_parameters",
    "inverse_dynamics",
    "kinetic_energy",
    "mass_matrix",
    "moving_mass",
    "parameter_names",
    "payload_finding",
    "potential_energy",
    "torque_regressor",
    "torques_along",
    "with_payload",
]
