"""The site has every page, and every public name; Sphinx itself runs in `make docs`."""

from __future__ import annotations

import ast
import re
import runpy
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType

from docs.examples import COURSE, ROOT, blocks
from latex2mathml.converter import convert

import armlab
from armlab.catalog import tool_names
from armlab.cli.main import COMMANDS

DOCS = ROOT / "docs"
TREE = re.compile(r"^:::\{toctree\}\n(.*?)^:::", re.DOTALL | re.MULTILINE)


def listed(text: str) -> list[str]:
    """The entries of all tables of contents in a page."""
    lines = [line.strip() for block in TREE.findall(text) for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith(":")]


def test_every_page_is_in_one_table_of_contents() -> None:
    entries = listed((DOCS / "index.md").read_text(encoding="utf-8"))
    pages = {path.stem for path in DOCS.glob("*.md") if path.stem != "index"} | {
        "api",
        "commands",
        "course/index",
        "messages",
        "modules",
    }
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


def imported_names() -> set[tuple[str, str]]:
    """The (module, name) of everything that the code blocks of README and docs import from armlab."""
    trees = [ast.parse(code) for _where, code in blocks("python")]
    imports = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {
        (str(node.module), each.name)
        for node in imports
        for each in node.names
        if str(node.module).startswith("armlab")
    }


def test_the_reference_has_every_name_that_the_docs_import() -> None:
    text = "".join((DOCS / page).read_text(encoding="utf-8") for page in ("api.rst", "modules.rst"))
    described = set(re.findall(r"^\.\. auto\w+:: (\S+)", text, re.MULTILINE))
    for module, name in imported_names():
        value = getattr(import_module(module), name)
        home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", module)
        home = home if str(home).startswith("armlab") else module  # a constant of a foreign type
        assert {home, f"{home}.{name}"} & described, f"{home}.{name}"


def test_the_commands_page_has_every_command_and_option() -> None:
    text = runpy.run_path(str(ROOT / "tools" / "commands_page.py"))["commands_page"]()
    assert [name for name in COMMANDS if f"\n## armlab {name}\n" not in text] == []
    assert "`--configuration NAME`" in text
    assert ", ".join(tool_names()) in text
    assert "{" not in re.sub(r"`[^`]*`", "", text)


def test_the_messages_page_has_every_code_with_its_text_and_other_facts() -> None:
    text = runpy.run_path(str(ROOT / "tools" / "messages_page.py"))["messages_page"]()
    rows = {row.split(" | ")[0].strip("| `"): row for row in text.splitlines() if row.startswith("| `")}
    assert "is outside {lower} … {upper} | `index` |" in rows["joint_outside"]
    assert {"unknown_robot", "key_missing", "krl_expected"} <= set(rows)
    assert all(row.count(" | ") == 3 for row in rows.values())


def test_only_the_course_has_formulas_and_each_of_them_is_drawn() -> None:
    for page in DOCS.glob("*.md"):
        assert "$" not in without_code(page), f"{page.name}: a dollar sign outside of code begins a formula"
    for sheet in COURSE.glob("*/*.md"):
        for formula in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", without_code(sheet), re.DOTALL):
            drawn = re.sub(r"<[^>]*>", "", convert("".join(formula).strip()))
            assert "\\" not in drawn, f"{sheet}: {formula}"


def without_code(page: Path) -> str:
    """The text of a page without its code."""
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def test_the_site_loads_nothing_from_other_hosts() -> None:
    conf = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert "mathjax" not in conf
    assert 'html_math_renderer = "mathml"' in conf


def test_what_the_site_needs_is_a_group_of_its_own() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = {re.split(r"[<>=]", one)[0] for one in project["dependency-groups"]["docs"]}
    assert names == {"furo", "latex2mathml", "myst-parser", "sphinx", "sphinx-design"}
