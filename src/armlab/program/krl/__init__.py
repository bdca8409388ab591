"""KUKA's robot language: modules (.src, .dat) are read, checked and executed; their motions become instructions.

text → tree
  scan, cursor                  a file → tokens, line by line; folds are kept
  tree, actions                 what a module is made of: expressions, declarations; statements, routines
  expressions, declarations, statements, parse     tokens → tree, with every mistake and not only the first
names and types
  library                       a file, a folder or a zip of a controller, indexed by routines
  data_types, system, scope     types and values; the controller's own variables; what a name means where it stands
  data_lists, program           declarations take effect; modules are loaded when a name needs them
tree → operations
  evaluation, operators, functions, places, special     expressions → Python functions, with types checked once
  routines, blocks, control, motion_code, procedures    statements → operations that give the number of the next one
running
  controller, arm, frames, arcs      the state of a run; axis values, positions, status and turn
  motions, inline_forms              positions and speeds → instructions; BAS and what stands behind WITH
  events, guarded                    triggers and interrupts; motions that an interrupt ends
  interpreter, instructions          operations → a stream of instructions, with interrupts and triggers
"""
