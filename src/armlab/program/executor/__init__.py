"""The executor: one interpreter of instructions for checks, runs, the page's player and translations.

executor                 reads instructions, yields pieces and events in the order of time
single                   one move by itself, from rest to rest
continuous, windows      moves joined without a stop, planned window by window
tool_segments, tool_windows, joint_windows     their geometry
asking, tracking, state  signals that are waited for; what has happened so far
"""

from armlab.program.executor.executor import Executor
from armlab.program.executor.pieces import CoveredTime, Event, Piece
from armlab.program.executor.state import ExecutorState

__all__ = ["CoveredTime", "Event", "Executor", "ExecutorState", "Piece"]
