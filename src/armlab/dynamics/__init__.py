"""Dynamics: forces and torques of an arm, as functions that take a Robot."""
