"""The sheets in three languages say the same: the same parts, formulas, code, picture; notebooks are made of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from armlab.cli.main import run
from armlab.messages import LANGUAGES
from armlab.studies.course.labs import LABS, lab_of
from armlab.studies.course.notebook import notebook_text, sheet_cells
from armlab.studies.course.sheets import sheet_text, sheets_folder

NUMBERS = [lab.number for lab in LABS]
CODE = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
FORMULA = re.compile(r"^\$\$\n(.*?)\n\$\$", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]+\]\(([^)]+)\)")


def structure(text: str) -> dict[str, object]:
    """What must be the same in every language."""
    return {
        "levels": [len(mark) for mark in re.findall(r"^(#+) ", text, re.MULTILINE)],
        "code": CODE.findall(text),
        "formulas": FORMULA.findall(text),
        "pictures": PICTURE.findall(text),
        "items": [len(part) for part in re.findall(r"(?:^\d+\. .*\n?)+", text, re.MULTILINE) if part] != [],
        "counts": [part.count("\n") for part in re.findall(r"(?:^\d+\. .*\n)+", text, re.MULTILINE)],
        "commands": re.findall(r"`(armlab [^`]+)`", text),
    }


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
@pytest.mark.parametrize("number", NUMBERS)
def test_a_sheet_is_in_step_with_the_english_one(number: int, language: str) -> None:
    assert structure(sheet_text(number, language)) == structure(sheet_text(number, "en"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_sheet_has_all_its_parts_in_its_own_language(number: int, language: str) -> None:
    text = sheet_text(number, language)
    assert text.count("\n## ") == 6
    assert text.startswith("# ")
    assert len(FORMULA.findall(text)) >= 1
    (picture,) = PICTURE.findall(text)
    assert (sheets_folder() / language / picture).resolve().is_file()
    words = CODE.sub("", FORMULA.sub("", text))
    cyrillic = len(re.findall(r"[а-яёіїєґ]", words.lower()))
    assert (cyrillic > 800) == (language != "en")
    if language == "uk":
        assert not re.search(r"[ыэъё]", words.lower())
    if language == "ru":
        assert not re.search(r"[іїєґ]", words.lower())


def test_every_lab_has_a_sheet_in_every_language_and_there_are_no_others() -> None:
    wanted = {f"lab-{number:02d}.md" for number in NUMBERS}
    for language in LANGUAGES:
        assert {path.name for path in (sheets_folder() / language).glob("*.md")} == wanted


@pytest.mark.parametrize("number", NUMBERS)
def test_a_notebook_has_the_sheets_words_and_code(number: int) -> None:
    book = json.loads(notebook_text(lab_of(number), "23", "en"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    code = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    assert code[0] == "%load_ext armlab"
    assert code[1] == CODE.findall(sheet_text(number, "en"))[0][1].strip()
    assert code[-1] == f"!armlab lab {number} --check answers.toml"
    ids = [cell["id"] for cell in book["cells"]]
    assert len(set(ids)) == len(ids)
    for text in code[1:-1]:
        compile(text, "cell", "exec")


def test_cells_and_words_alternate() -> None:
    cells = sheet_cells("# A\n\nwords\n\n```python\nx = 1\n```\n\n![p](q.png)\n\nend\n")
    assert cells == [("markdown", "# A\n\nwords"), ("code", "x = 1"), ("markdown", "end")]


def test_the_command_writes_a_notebook(tmp_path: Path) -> None:
    assert run(["lab", "2", "--notebook", "-o", str(tmp_path), "--lang", "uk"]) == 0
    assert "Мета" in (tmp_path / "lab-02.ipynb").read_text(encoding="utf-8")
