"""Runtime: a live session with its clock, player and recorder; the only room with threads."""
