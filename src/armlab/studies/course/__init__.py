"""The course "Robotisation of production": ten labs, a variant for each student, grades by properties.

lab                                             what a lab is
kinematic_labs, inverse_labs, motion_labs, physics_labs       the labs; arms: what their variants are made of
results                                         answer files, signed result files
sheets, notebook                                the sheets of docs/course, and the same as notebooks
"""
