"""How Sphinx makes the site: `make docs`."""

from __future__ import annotations

from typing import Any

from pygments.lexers.special import TextLexer

from armlab.version import __version__

project = "armlab"
author = "the armlab maintainers"
copyright = "the armlab maintainers"  # noqa: A001
release = __version__
extensions = ["myst_parser", "sphinx_design", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"armlab {release}"
html_copy_source = False
myst_enable_extensions = ["colon_fence", "dollarmath", "amsmath"]
myst_heading_anchors = 3
default_role = "code"  # docstrings write `name` for code
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": True}


def plain_bars(_app: Any, _what: str, _name: str, _value: Any, _options: Any, lines: list[str]) -> None:
    """Let |x| in docstrings be an absolute value, not a substitution."""
    lines[:] = [line.replace("|", r"\|") for line in lines]


def setup(app: Any) -> None:
    """Let tables in CSV be shown as plain text, and bars in docstrings be bars."""
    app.add_lexer("csv", TextLexer)
    app.connect("autodoc-process-docstring", plain_bars)
