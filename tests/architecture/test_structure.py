"""The house rules that a linter does not know."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import armlab

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "armlab"
PROGRAMS = SOURCE / "program" / "programs"
"""Programs for arms: their language is a part of Python, and their names are armlab's own."""
PYTHON_FILES = sorted(path for path in SOURCE.rglob("*.py") if PROGRAMS not in path.parents)
LONGEST_FILE = 400
LONGEST_FUNCTION = 60
HEAVY = (
    "fastapi",
    "uvicorn",
    "mujoco",
    "sympy",
    "matplotlib",
    "numba",
    "scipy",
    "trimesh",
    "lxml",
    "pydantic",
    "serial",
    "aiomqtt",
    "asyncua",
    "foxglove",
    "cyclonedds",
    "pymodbus",
)


def _functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_files_stay_short_enough_to_read() -> None:
    lengths = {str(p): len(p.read_text(encoding="utf-8").splitlines()) for p in PYTHON_FILES}
    assert {path: n for path, n in lengths.items() if n > LONGEST_FILE} == {}


def test_functions_outside_the_kernels_stay_short_enough_to_read() -> None:
    files = [p for p in PYTHON_FILES if SOURCE / "kernels" not in p.parents]
    long = {f"{p.name}:{f.name}": f.end_lineno - f.lineno + 1 for p in files for f in _functions(p) if f.end_lineno}
    assert {name: n for name, n in long.items() if n > LONGEST_FUNCTION} == {}


def test_a_class_name_is_defined_once() -> None:
    homes: dict[str, list[str]] = {}
    for path in PYTHON_FILES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_kernels_never_raise() -> None:
    kernels = sorted((SOURCE / "kernels").rglob("*.py"))
    assert len(kernels) >= 4
    raising = [p.name for p in kernels if any(isinstance(n, ast.Raise) for n in ast.walk(ast.parse(p.read_text())))]
    assert raising == []


def test_importing_armlab_imports_nothing_heavy() -> None:
    code = "import armlab, json, sys; print(json.dumps([m for m in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("name", armlab.__all__)
def test_every_public_name_is_there_and_explains_itself(name: str) -> None:
    value = getattr(armlab, name)
    assert inspect.getdoc(value)


def test_the_list_of_public_names_is_sorted_and_true() -> None:
    assert list(armlab.__all__) == sorted(armlab.__all__)
    assert set(armlab.__all__) == set(armlab._HOMES)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        armlab.nonsense  # noqa: B018


def test_every_public_function_and_class_has_a_docstring() -> None:
    silent = []
    for path in PYTHON_FILES:
        name = ".".join(("armlab", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
        if name.endswith("__main__"):
            continue
        module = import_module(name)
        assert inspect.getdoc(module), name
        for member, value in vars(module).items():
            mine = getattr(value, "__module__", None) == name and not member.startswith("_")
            if mine and callable(value) and not inspect.getdoc(value):
                silent.append(f"{name}.{member}")
    assert silent == []


def test_versions_agree() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{armlab.__version__}"' in project
    assert armlab.__version__ in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
