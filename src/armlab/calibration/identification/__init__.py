"""Identification of an arm's dynamics: what motions to record, and what the recorded torques tell.

`excite` finds a motion, `identify` the base parameters, friction and a possible arm from a recording of it, and
`identify_payload` what the arm carries.
"""
