"""Closed-form inverse kinematics, one file per family of arms."""
