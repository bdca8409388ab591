"""Long work beside whoever asks for it: handed over, followed, cancelled, bounded.

`submit(Ticket(ASKED, owner), function, …)` gives a `Job`. What it runs says how far it is with `tell`. See
armlab.jobs.lane for what a lane may use, armlab.jobs.board for the order, armlab.jobs.process for the processes.
"""

from __future__ import annotations

from armlab.jobs.board import BOARD, JobBoard, submit
from armlab.jobs.job import Job, JobState, Ticket
from armlab.jobs.lane import ASKED, COMMAND, COMPILE, STUDY, UPLOAD, Lane
from armlab.jobs.process import preload
from armlab.jobs.progress import at_home, tell

__all__ = [
    "ASKED",
    "BOARD",
    "COMMAND",
    "COMPILE",
    "STUDY",
    "UPLOAD",
    "Job",
    "JobBoard",
    "JobState",
    "Lane",
    "Ticket",
    "at_home",
    "preload",
    "submit",
    "tell",
]
