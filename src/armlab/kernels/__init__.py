"""Numba functions over plain float64 arrays. They never raise and never allocate per step."""
