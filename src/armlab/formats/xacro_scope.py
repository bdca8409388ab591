"""The names that a part of a xacro template knows, and what they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from armlab.formats.expression import Value

NAMESPACES = ("http://www.ros.org/wiki/xacro", "http://ros.org/wiki/xacro", "http://wiki.ros.org/xacro", "xacro")
"""The last is of documents that do not declare the prefix."""
DIRECTIVES = frozenset(
    {"property", "macro", "arg", "include", "if", "unless", "insert_block", "call", "element", "attribute"}
)
"""Elements of xacro's own; any other in its namespace calls a macro."""


def directive_name(element: Any) -> str | None:
    """Return the name of an element in xacro's namespace; None for any other."""
    name = etree.QName(element)
    return name.localname if name.namespace in NAMESPACES else None


@dataclass
class Macro:
    """What a call of a macro becomes."""

    parameters: list[tuple[str, str | None, bool]]
    """Name (with * or ** for a block), default as text, whether it is taken from outside (^)."""
    body: Any
    folder: Path


@dataclass
class TemplateScope:
    """Names that a part of a template knows: properties as text or value, blocks, macros."""

    parent: TemplateScope | None = None
    properties: dict[str, Value] = field(default_factory=dict)
    blocks: dict[str, list[Any]] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)

    def holder(self, name: str) -> TemplateScope | None:
        """Return the innermost scope that has a property."""
        scope: TemplateScope | None = self
        while scope is not None and name not in scope.properties:
            scope = scope.parent
        return scope

    def block(self, name: str) -> list[Any] | None:
        """Return the elements that a name stands for."""
        scope: TemplateScope | None = self
        while scope is not None and name not in scope.blocks:
            scope = scope.parent
        return None if scope is None else scope.blocks[name]

    def macro(self, name: str) -> Macro | None:
        """Return the macro of a name."""
        scope: TemplateScope | None = self
        while scope is not None and name not in scope.macros:
            scope = scope.parent
        return None if scope is None else scope.macros[name]

    @property
    def outermost(self) -> TemplateScope:
        """The scope of the whole document."""
        return self if self.parent is None else self.parent.outermost


@dataclass(frozen=True)
class Lazy:
    """The text of a property that nobody has asked for yet."""

    text: str
