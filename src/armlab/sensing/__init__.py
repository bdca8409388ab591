"""Sensing: virtual inertial sensors on arms and bodies, their noise, and the filters that navigate by them."""
