"""Joint values and rates along a tool path."""
