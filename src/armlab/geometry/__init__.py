"""Poses, shapes, hulls, solids: plain geometry."""
