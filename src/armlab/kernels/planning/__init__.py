"""Searches for motions round obstacles, over proved straight motions."""
