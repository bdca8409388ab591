"""Levenberg–Marquardt search, one target or a batch."""
