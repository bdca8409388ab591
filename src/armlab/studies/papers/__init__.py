"""The five papers, each trial run again: what the paper reports, what armlab gets, whether it holds.

study       rows, figures, and how a study is run
s1 … s5     one paper each (s1_model: its CAD model and structures; s2_cell: its cell, dynamics and console)
page        everything as one HTML page, figures and files beside it
"""

from armlab.studies.papers.s1 import S1
from armlab.studies.papers.s2 import S2
from armlab.studies.papers.s3 import S3
from armlab.studies.papers.s4 import S4
from armlab.studies.papers.s5 import S5
from armlab.studies.papers.study import PaperStudy, StudyResult, StudyRow, run_study

PAPERS: dict[str, PaperStudy] = {study.tag: study for study in (S1, S2, S3, S4, S5)}

__all__ = ["PAPERS", "PaperStudy", "StudyResult", "StudyRow", "run_study"]
