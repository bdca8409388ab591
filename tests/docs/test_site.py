"""The site has every page, and every public name; Sphinx itself runs in `make docs`."""

from __future__ import annotations

import re
import tomllib
from types import ModuleType

from docs.examples import COURSE, ROOT

import armlab

DOCS = ROOT / "docs"
TREE = re.compile(r"^:::\{toctree\}\n(.*?)^:::", re.DOTALL | re.MULTILINE)


def listed(text: str) -> list[str]:
    """The entries of all tables of contents in a page."""
    lines = [line.strip() for block in TREE.findall(text) for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith(":")]


def test_every_page_is_in_one_table_of_contents() -> None:
    entries = listed((DOCS / "index.md").read_text(encoding="utf-8"))
    pages = {path.stem for path in DOCS.glob("*.md") if path.stem != "index"} | {"api", "course/index"}
    assert sorted(entries) == sorted(pages)
    sheets = {path.relative_to(COURSE).with_suffix("").as_posix() for path in COURSE.glob("*/lab-*.md")}
    assert sorted(listed((COURSE / "index.md").read_text(encoding="utf-8"))) == sorted(sheets)


def test_the_reference_has_every_public_name() -> None:
    text = (DOCS / "api.rst").read_text(encoding="utf-8")
    described = set(re.findall(r"^\.\. auto\w+:: (\S+)", text, re.MULTILINE))
    for name in armlab.__all__:
        value = getattr(armlab, name)
        home = f"armlab.{armlab._HOMES[name]}"
        if not isinstance(value, ModuleType):
            assert {f"{home}.{name}", home} & described, name
    for path in described:
        module, _dot, name = path.rpartition(".")
        assert path == "armlab.errors" or hasattr(__import__(module, fromlist=[name]), name), path


def test_what_the_site_needs_is_a_group_of_its_own() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = {re.split(r"[<>=]", one)[0] for one in project["dependency-groups"]["docs"]}
    assert names == {"furo", "myst-parser", "sphinx", "sphinx-design"}
