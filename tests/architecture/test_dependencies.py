"""What the package imports is what it declares; what it declares is there for a reason."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "armlab"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
INDIRECT = {
    "lz4": "mcap packs with it",
}
"""Dependencies that are not imported by name, and who needs them."""
CARRIED = {"pydantic-core": "each pydantic requires one exact version of it"}
"""Packages that are imported but come with a declared one."""


def _name(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def _imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - {"armlab"}


def _declared() -> set[str]:
    return {_name(requirement) for requirement in PROJECT["project"]["dependencies"]}


@cache
def _homes() -> dict[str, set[str]]:
    """Return which distributions have each imported package."""
    distributions = packages_distributions()
    homes: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for package in _imported(path):
            homes[package] = {_name(name) for name in distributions.get(package, [package])}
    return homes


def test_every_imported_package_is_a_declared_dependency() -> None:
    declared = _declared() | set(CARRIED)
    assert {package for package, homes in _homes().items() if homes.isdisjoint(declared)} == set()


def test_every_declared_dependency_is_imported_or_needed_by_another() -> None:
    used = set().union(*_homes().values())
    assert _declared() - used == set(INDIRECT)


def test_every_requirement_has_its_pinned_version() -> None:
    groups = PROJECT["dependency-groups"].values()
    wanted = _declared() | {_name(requirement) for group in groups for requirement in group}
    wanted |= {_name(requirement) for requirement in PROJECT["build-system"]["requires"]}
    pinned = {
        _name(line) for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if "==" in line
    }
    assert wanted - pinned == set()
