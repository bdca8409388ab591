"""The fault clinic: which fault an arm has, since when, and how long it may go on; from one recording.

`diagnose` compares a recording with the model of the arm; `simulate_run` makes recordings of arms with and without
faults, and `run_trials` says how often the diagnosis is right.
"""
