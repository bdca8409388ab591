"""The code blocks of README and docs; needs nothing but Python, because the wheel's own environment reads them, too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
COURSE = ROOT / "docs" / "course"
PAGES = [
    README,
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    COURSE / "index.md",
    *sorted((COURSE / "en").glob("*.md")),  # the other languages have the same code: tests/studies/test_sheets.py
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(language: str, pages: Iterable[Path] = PAGES) -> list[tuple[str, str]]:
    """Return (page:line, code) of every block in `language`."""
    found = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            if match[1] == language:
                found.append((f"{page.name}:{text[: match.start()].count(chr(10)) + 1}", match[2]))
    return found


def command_blocks(pages: Iterable[Path] = PAGES) -> list[tuple[str, list[str]]]:
    """Return (page:line, command lines) of every block of the shell that has an `armlab …`."""
    found = []
    for where, block in blocks("sh", pages):
        lines = [line.partition("#")[0].strip() for line in block.splitlines()]
        found.append((where, [line for line in lines if line.startswith("armlab ")]))
    return [(where, lines) for where, lines in found if lines]


def commands(pages: Iterable[Path] = PAGES) -> list[tuple[str, str]]:
    """Return (page:line of the block, command line) of every `armlab …` in a block of the shell."""
    return [(where, line) for where, lines in command_blocks(pages) for line in lines]
