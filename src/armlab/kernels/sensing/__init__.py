"""Inertial sensors: what they feel on a moving chain, their noise, and the filters that read them."""
