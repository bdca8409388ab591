"""The execution of a program: one loop over its executor, for checks, runs, consoles and the page.

execution    pulls pieces and events: as fast as it goes, up to a statement, or as time passes
statements   what begins when, and where to stop
values       outputs and variables at a time of it
history      states that are kept now and then, so that any time can be gone back to
"""

from armlab.program.execution.execution import Execution, MotionFollower
from armlab.program.execution.statements import Statement

__all__ = ["Execution", "MotionFollower", "Statement"]
