"""Firmware of our own for boards, as text."""
