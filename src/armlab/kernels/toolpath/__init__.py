"""Tool paths: where a frame is on a smooth element, how it moves on, and how long a curve is."""
