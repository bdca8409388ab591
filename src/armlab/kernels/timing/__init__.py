"""Time-optimal and jerk-limited timing along a path."""
