"""Distances and contacts of convex solids."""
