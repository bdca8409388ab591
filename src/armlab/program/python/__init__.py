"""Programs in a small part of Python: read by Python's own parser, and interpreted here. Nothing is handed to Python.

reading        text → tree; what is not in the language is a finding
script_values  numbers, texts and lists; functions of them
commands       calls that move the arm, wait, read inputs, set outputs
evaluation     expressions, with counted steps
interpreter    statements → a stream of instructions
instructions   programs for the executor; what is wrong with a text
"""
