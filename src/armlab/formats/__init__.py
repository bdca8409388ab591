"""Robots from and to the formats of others: URDF in and out, GLB for the page."""
