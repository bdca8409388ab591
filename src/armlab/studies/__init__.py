"""Whole experiments made of the rooms below: the five papers (`papers/`) and the course (`course/`)."""
