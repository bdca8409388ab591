"""Timing of a path under limits."""
