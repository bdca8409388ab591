"""What is told about a program that was translated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from armlab.program.translate.translation import TargetLanguage, Translation
from armlab.reports.program import ProgramFinding, program_findings
from armlab.reports.report import ReportModel


class TranslatedFileReport(ReportModel):
    """A file of a translation: where it was written, or what is in it where nothing was written."""

    name: str
    path: str | None = None
    text: str | None = None


class TranslationReport(ReportModel):
    """A program in another language."""

    program: str
    language: TargetLanguage
    files: tuple[TranslatedFileReport, ...]
    findings: tuple[ProgramFinding, ...]
    path_difference: float | None = None
    """mm: how far the translation leaves the path at most; None where armlab does not read the language."""
    time_difference: float | None = None
    """Share of the original's duration."""


def translation_report(program: str, translation: Translation, paths: Sequence[Path] | None) -> TranslationReport:
    """Return what a command tells about a translation that was written to `paths`, or nowhere."""
    files = []
    for k, file in enumerate(translation.files):
        if paths is None:
            files.append(TranslatedFileReport(name=file.name, text=file.text))
        else:
            files.append(TranslatedFileReport(name=file.name, path=str(paths[k])))
    difference = translation.difference
    return TranslationReport(
        program=program,
        language=translation.language,
        files=tuple(files),
        findings=program_findings(translation.findings),
        path_difference=None if difference is None else round(difference.path_mm, 6),
        time_difference=None if difference is None else round(difference.time_share, 6),
    )
