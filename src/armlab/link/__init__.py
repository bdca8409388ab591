"""Real arms: drivers, the clock of a board, the guard before every motion, and a real arm as a plant.

Nothing here has a thread or a clock of its own: whoever owns a link calls `tick(now)`.
"""
