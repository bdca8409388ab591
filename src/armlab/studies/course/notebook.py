"""A lab as a Jupyter notebook: the sheet's words and formulas as text, its Python as cells, a cell for the check."""

from __future__ import annotations

import json
import re
from typing import Any

from armlab.messages import tr
from armlab.studies.course.lab import Lab, question_text, variant
from armlab.studies.course.results import blank_answers
from armlab.studies.course.sheets import sheet_text

CODE = re.compile(r"^```python\n(.*?)^```\n?", re.DOTALL | re.MULTILINE)
SHOW = "%load_ext armlab"
"""The first cell: robots, motions and figures show themselves."""
SHOWN = {
    1: "robot",
    2: "robot",
    3: "from armlab.figures.arm import draw_path\n\ndraw_path(robot, np.array([one.q for one in solutions]))",
    4: "from armlab.figures.convergence import draw_convergence\n\ndraw_convergence(trace)",
    5: "smooth",
    6: 'armlab.load("scara")',
    7: "simulation = armlab.Simulation(armlab.Scene.of(robot))\nsimulation.step(200)\nsimulation",
    8: "armlab.plan_joint(robot, [start, *back, end])",
    9: "from armlab.figures.sensing import draw_experiment\n\ndraw_experiment(turning)",
    10: "from armlab.figures.calibration import draw_errors\n\ndraw_errors(*(1000 * each for each in errors))",
}
"""By lab: what shows itself below the sheet's Python, an arm, a motion, a simulation or a figure."""
IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)\n?")


def notebook_text(lab: Lab, student: str | None, language: str) -> str:
    """Return the notebook (nbformat 4.5) of a lab; with a student, the questions of the variant and an answer cell."""
    cells = [("code", SHOW), *with_shown(sheet_cells(sheet_text(lab.number, language)), SHOWN[lab.number])]
    if student is not None:
        values = variant(lab, student)
        asked = [f"- `{one.key}`: {question_text(one, values).localized()}" for one in lab.questions]
        title = tr("Your variant: {student}", student=student)
        cells.append(("markdown", f"## {title}\n\n" + "\n".join(asked)))
        answers = blank_answers(lab, student)
        cells.append(
            (
                "code",
                f"from pathlib import Path\n\nPath(\"answers.toml\").write_text(r'''{answers}''', encoding=\"utf-8\");",
            )
        )
        cells.append(("code", f"!armlab lab {lab.number} --check answers.toml"))  # fmt: skip
    return json.dumps(_document(cells), indent=1, ensure_ascii=False) + "\n"


def sheet_cells(text: str) -> list[tuple[str, str]]:
    """Return a sheet as cells: ("markdown" or "code", text); pictures stay in the sheet."""
    cells, at = [], 0
    text = IMAGE.sub("", text)
    for match in CODE.finditer(text):
        cells.append(("markdown", text[at : match.start()].strip()))
        cells.append(("code", match[1].strip()))
        at = match.end()
    cells.append(("markdown", text[at:].strip()))
    return [(kind, part) for kind, part in cells if part]


def with_shown(cells: list[tuple[str, str]], shown: str) -> list[tuple[str, str]]:
    """Return the cells of a sheet with one more behind the last code: what it made is shown."""
    last = max(k for k, (kind, _text) in enumerate(cells) if kind == "code")
    return [*cells[: last + 1], ("code", shown), *cells[last + 1 :]]


def _document(cells: list[tuple[str, str]]) -> dict[str, Any]:
    made = []
    for number, (kind, text) in enumerate(cells, start=1):
        cell: dict[str, Any] = {
            "cell_type": kind,
            "id": f"cell-{number}",
            "metadata": {},
            "source": text.splitlines(keepends=True),
        }
        made.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    metadata = {**kernel, "language_info": {"name": "python"}}
    return {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
