"""G-code as LinuxCNC documents it (RS-274/NGC): text → blocks → canonical motions, streamed.

scan          a line → words, parameter settings, O-word, comments
expressions   values: numbers, parameters, brackets, functions
parameters    numbered and named parameters, and their file
codes         modal groups, and which codes exist
canon         the canonical motions and commands: what an interpreter tells a machine
machine       modal state, coordinate systems, offsets
control       O-words: subroutines, loops, decisions
moves, arcs, cycles, splines, compensation    what motions become
interpreter   blocks executed in their order
"""
