"""Joint values along a tool path: candidates, branch choice, findings."""
