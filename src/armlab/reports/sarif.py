"""Findings in SARIF 2.1.0 (OASIS), which editors and build servers show beside the lines of a program."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from armlab.reports.program import ProgramFinding
from armlab.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "note": "note"}


def as_sarif(findings: Iterable[ProgramFinding], program: str) -> dict[str, Any]:
    """Return findings as one run of a SARIF log; those without a place are about the file `program`."""
    found = list(findings)
    codes = sorted({finding.code for finding in found})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "armlab",
                        "version": __version__,
                        "rules": [{"id": code, "name": _as_name(code)} for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, codes.index(finding.code), program) for finding in found],
            }
        ],
    }


def _result(finding: ProgramFinding, rule: int, program: str) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file or program)}}
    if finding.line is not None and finding.line >= 1:
        place["region"] = {"startLine": finding.line, "startColumn": max(1, finding.column or 1)}
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": LEVELS[finding.severity],
        "message": {"text": finding.message.localized()},
        "locations": [{"physicalLocation": place}],
    }


def _uri(file: str) -> str:
    """Return a path as a URI reference: relative as it is, absolute with its scheme."""
    if file == "-":
        return "stdin"
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _as_name(code: str) -> str:
    return "".join(part.capitalize() for part in code.split("_"))
