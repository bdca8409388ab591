"""Motion: paths, timing and planning; every motion becomes a Trajectory."""
