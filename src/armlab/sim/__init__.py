"""Simulation: an arm in three structures, with real physics; the only room that knows MuJoCo."""
