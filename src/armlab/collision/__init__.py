"""Collisions: distances between convex parts of arms and scenes."""
