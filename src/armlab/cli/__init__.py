"""The commands. Printing and progress bars live here and nowhere else."""
