"""Programs in one language become programs in another: what a program does is recorded, and written down again."""
