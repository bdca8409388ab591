"""Recording: what a simulation did, as files that other programs open."""
