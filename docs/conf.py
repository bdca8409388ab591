"""How Sphinx makes the site: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from pygments.lexers.special import TextLexer

from armlab.version import __version__

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from commands_page import commands_page
from messages_page import messages_page

project = "armlab"
author = "the armlab maintainers"
copyright = "the armlab maintainers"  # noqa: A001
release = __version__
extensions = ["myst_parser", "sphinx_design", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"armlab {release}"
html_copy_source = False
html_math_renderer = "mathml"
myst_enable_extensions = ["colon_fence", "dollarmath", "amsmath"]
myst_heading_anchors = 3
default_role = "code"  # docstrings write `name` for code
suppress_warnings = ["ref.python"]  # a literal such as "speed" in a type is also the name of some attribute
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": True}


def plain_bars(_app: Any, _what: str, _name: str, _value: Any, _options: Any, lines: list[str]) -> None:
    """Let |x| in docstrings be an absolute value, not a substitution."""
    lines[:] = [line.replace("|", r"\|") for line in lines]


def write_references(_app: Any) -> None:
    """Write the references of the command line and of all messages, which are made from the source itself."""
    for name, text in (("commands.md", commands_page()), ("messages.md", messages_page())):
        page = Path(__file__).with_name(name)
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def formula_in_line(writer: Any, node: Any) -> None:
    """Write a formula in a line as MathML, which browsers draw themselves: the site needs no network."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def formula_block(writer: Any, node: Any) -> None:
    """Write a formula on lines of its own."""
    writer.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Let tables in CSV be shown as plain text, bars in docstrings be bars, formulas be MathML."""
    app.add_lexer("csv", TextLexer)
    app.connect("builder-inited", write_references)
    app.connect("autodoc-process-docstring", plain_bars)
    app.add_html_math_renderer("mathml", (formula_in_line, None), (formula_block, None))
