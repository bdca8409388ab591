"""Emulated arms: what stands at the other end of a wire, for tests and for people without hardware."""
