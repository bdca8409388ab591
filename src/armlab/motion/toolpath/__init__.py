"""Paths of the tool: lines, arcs, curves through frames."""
