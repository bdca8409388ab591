"""Speed against other libraries: same inputs, one run, ratios first."""
