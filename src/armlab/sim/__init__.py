"""Simulation: an arm in three structures, with real physics; the only room that knows MuJoCo."""

from armlab.sim.drives import FREE, Drive, choose_drives
from armlab.sim.simulation import Simulation
from armlab.sim.state import Contact, Energy, Run, SimState, Snapshot, Structure

__all__ = [
    "FREE",
    "Contact",
    "Drive",
    "Energy",
    "Run",
    "SimState",
    "Simulation",
    "Snapshot",
    "Structure",
    "choose_drives",
]
