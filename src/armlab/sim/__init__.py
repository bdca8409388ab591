"""Simulation: an arm in three structures, with real physics; the only room that knows MuJoCo."""

from armlab.sim.drive_choice import choose_drives
from armlab.sim.drives import FREE, Drive
from armlab.sim.simulation import Simulation
from armlab.sim.state import Energy, SimContact, SimRun, SimSnapshot, SimState, Structure

__all__ = [
    "FREE",
    "Drive",
    "Energy",
    "SimContact",
    "SimRun",
    "SimSnapshot",
    "SimState",
    "Simulation",
    "Structure",
    "choose_drives",
]
