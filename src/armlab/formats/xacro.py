"""xacro templates become plain XML: properties, arguments, macros, conditions and includes, all by ourselves.

No ROS is needed and none is asked: `$(find PACKAGE)` and includes are looked for in what was given, and nowhere else;
`${…}` is worked out by `expression.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.formats.description import Repairs
from armlab.formats.expression import Value, evaluate, text_of
from armlab.formats.given import GivenFiles
from armlab.formats.ros_yaml import read_ros_yaml
from armlab.formats.safe_xml import parse_xml
from armlab.formats.xacro_scope import DIRECTIVES, Lazy, Macro, TemplateScope, directive_name
from armlab.formats.xml_attributes import printable
from armlab.messages import _

MAX_BYTES = 20_000_000
MAX_DEPTH = 150
"""How deep macros, includes and properties may refer to each other."""
MAX_ELEMENTS = 200_000
MAX_WORK = 20_000_000
"""Letters that are written or included in all; those of expressions, and parts of their values, count tenfold."""
EXPRESSION_WORK, SEARCH_WORK = 10, 10_000
_SUBSTITUTION = re.compile(r"\$\$[{(]|\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\$\([^()]*\)")
_PARAMETER = re.compile(r"(\*{0,2}[\w.]+)(?::?=(\^\|?)?((?:\"[^\"]*\"|'[^']*'|\$\{[^}]{0,500}\}|\S)*))?")


def is_xacro(root: Any) -> bool:
    """Tell whether a document is a template: it has elements, or attribute values, that only xacro understands.

    Calls of macros alone are not: where nothing could define them, they are left over from a template.
    """
    for element in root.iter(etree.Element):
        if directive_name(element) in DIRECTIVES:
            return True
        if any("${" in value or "$(" in value for value in element.attrib.values()):
            return True
    return False


def expand_xacro(
    root: Any, file: Path, files: GivenFiles, repairs: Repairs, arguments: Mapping[str, str] | None = None
) -> Any:
    """Return the element <robot> that a template makes, with `arguments` in place of its defaults.

    Raises:
        InvalidInput: if a macro, name or file is missing, an expression cannot be worked out, or it never ends.
    """
    try:
        return _Expander(file, files, repairs, dict(arguments or {})).expand(root)
    except InvalidInput:
        raise
    except ValueError:  # of lxml, which refuses to write what its own parser lets pass
        template = _("{file}: a name or namespace in the template is not allowed in XML")
        raise InvalidInput("xacro_name", template, file=repairs.file) from None


class _Expander:
    def __init__(self, file: Path, files: GivenFiles, repairs: Repairs, arguments: dict[str, str]) -> None:
        self._file, self._files, self._repairs = file, files, repairs
        self._given, self._defaults = arguments, {}  # type: tuple[dict[str, str], dict[str, str]]
        self._folder = file.parent
        self._count = 0
        self._depth = 0
        self._work = 0
        self._tables: dict[Path, Value] = {}

    def expand(self, root: Any) -> Any:
        scope = TemplateScope()
        made = etree.Element(root.tag)
        made.extend(self._children(root, scope))
        try:
            for key, value in root.attrib.items():  # last: they may use arguments that the document declares
                made.set(key, self._text(value, scope))
        except InvalidInput as error:
            raise self._error(root, error) from None
        return made

    # elements

    def _spend(self, work: int) -> None:
        """Count work; a short template can ask for any amount of it."""
        self._work += work
        if self._work > MAX_WORK:
            raise _endless()

    def _children(self, element: Any, scope: TemplateScope) -> list[Any]:
        made: list[Any] = []
        for child in element.iterchildren(etree.Element):
            made.extend(self._element(child, scope))
        return made

    def _element(self, element: Any, scope: TemplateScope) -> list[Any]:
        """Return what one element becomes: nothing, itself with its numbers, or the body of a macro."""
        self._count += 1
        self._depth += 1
        if self._count > MAX_ELEMENTS or self._depth > MAX_DEPTH:
            raise self._error(element, _endless())
        try:
            name = directive_name(element)
            if name is None and element.tag == "property" and element.get("value") is not None:
                name = "property"  # as old templates have it; URDF itself has none
            if name is not None:
                return self._directive(name, element, scope)
            return [self._plain(element, scope)]
        except InvalidInput as error:
            raise self._error(element, error) from None
        finally:
            self._depth -= 1

    def _plain(self, element: Any, scope: TemplateScope) -> Any:
        """Return an element of the robot itself with its texts replaced."""
        made = etree.Element(element.tag)
        for key, value in element.attrib.items():
            made.set(key, self._text(value, scope))
        made.text = None if element.text is None else self._text(element.text, scope)
        made.sourceline = element.sourceline
        made.extend(self._children(element, scope))
        return made

    def _error(self, element: Any, error: InvalidInput) -> InvalidInput:
        """Return an error with the place of the innermost element that it concerns."""
        if "line" in error.parameters:
            return error
        line = element.sourceline or 0
        return InvalidInput(
            "xacro_problem",
            _("{file}: line {line}: {problem}"),
            file=self._repairs.file,
            line=line,
            problem=error.message,
        )

    def _directive(self, name: str, element: Any, scope: TemplateScope) -> list[Any]:
        made: list[Any] = []
        match name:
            case "property":
                self._property(element, scope)
            case "macro":
                self._define(element, scope)
            case "arg":
                self._defaults.setdefault(element.get("name", ""), element.get("default", ""))
            case "include":
                made = self._include(element, scope)
            case "if" | "unless":
                made = self._children(element, scope) if self._truth(element, scope) == (name == "if") else []
            case "insert_block":
                made = self._insert(self._text(element.get("name", ""), scope), scope)
            case "call":
                made = self._call(self._text(element.get("macro", ""), scope), element, scope)
            case _:
                made = self._call(name, element, scope)
        return made

    def _property(self, element: Any, scope: TemplateScope) -> None:
        name = element.get("name", "")
        target = {"parent": scope.parent or scope, "global": scope.outermost}.get(element.get("scope", ""), scope)
        if element.get("default") is not None:
            if scope.holder(name) is None:
                target.properties[name] = Lazy(element.get("default"))
        elif element.get("value") is not None:
            value = Lazy(element.get("value"))
            is_own = target is not scope or f"{{{name}" in value.text or name in value.text
            target.properties[name] = self._whole(value.text, scope) if is_own else value
        else:
            target.blocks[name] = list(element.iterchildren(etree.Element))
            if not target.blocks[name]:
                target.properties[name] = ""

    def _define(self, element: Any, scope: TemplateScope) -> None:
        parameters = []
        self._spend(EXPRESSION_WORK * len(element.get("params", "")))
        for found in _PARAMETER.finditer(element.get("params", "")):
            name, outside, default = found.group(1), found.group(2), found.group(3)
            has_default = ":" in found.group() or "=" in found.group()
            text = None if not has_default or (outside == "^" and not default) else _unquoted(default or "")
            parameters.append((name, text, outside is not None))
        macro = Macro(parameters, element, self._folder)
        scope.macros[element.get("name", "").removeprefix("xacro:")] = macro

    def _include(self, element: Any, scope: TemplateScope) -> list[Any]:
        name = self._text(element.get("filename", ""), scope)
        path = self._found(name)
        if path is None:
            if element.get("optional", "").lower() in {"true", "1"}:
                return []
            raise InvalidInput(
                "xacro_include",
                _("'{name}' to include is not among the given files; give the folder that has both"),
                name=printable(name),
            )
        repairs = Repairs(path.name)
        data = read_bounded(path, MAX_BYTES)
        self._spend(len(data))
        root = parse_xml(data, repairs)
        folder, self._folder = self._folder, path.parent
        self._depth += 10
        try:
            inner = scope
            if prefix := element.get("ns"):
                inner = TemplateScope(scope)
            made = self._children(root, inner)
            if prefix:
                scope.macros |= {f"{prefix}.{key}": macro for key, macro in inner.macros.items()}
                scope.properties[prefix] = {key: self._of(inner, key) for key in inner.properties}
            return made
        finally:
            self._folder = folder
            self._depth -= 10

    def _truth(self, element: Any, scope: TemplateScope) -> bool:
        value = self._whole(element.get("value", ""), scope)
        if isinstance(value, str):
            known = {"true": True, "false": False, "1": True, "0": False}
            if value.strip().lower() not in known:
                raise InvalidInput("xacro_condition", _("'{value}' is neither true nor false"), value=printable(value))
            return known[value.strip().lower()]
        return bool(value)

    def _insert(self, name: str, scope: TemplateScope) -> list[Any]:
        block = scope.block(name)
        if block is None:
            raise InvalidInput("xacro_block", _("there is no block '{name}'"), name=printable(name))
        return [part for element in block for part in self._element(element, scope)]

    def _call(self, name: str, element: Any, scope: TemplateScope) -> list[Any]:
        macro = scope.macro(name)
        if macro is None:
            raise InvalidInput("xacro_macro", _("there is no macro '{name}'"), name=printable(name))
        inner = TemplateScope(scope)
        blocks = list(element.iterchildren(etree.Element))
        for parameter, default, is_outer in macro.parameters:
            plain = parameter.lstrip("*")
            if parameter.startswith("**"):
                container = blocks.pop(0) if blocks else None
                expanded = [] if container is None else self._children(container, scope)
                inner.blocks[plain] = expanded
            elif parameter.startswith("*"):
                inner.blocks[plain] = self._element(blocks.pop(0), scope) if blocks else []
            else:
                inner.properties[plain] = self._argument(plain, element.get(plain), default, is_outer, scope)
        folder, self._folder = self._folder, macro.folder
        try:
            return self._children(macro.body, inner)
        finally:
            self._folder = folder

    def _argument(
        self, name: str, given: str | None, default: str | None, is_outer: bool, scope: TemplateScope
    ) -> Value:
        if given is not None:
            return self._whole(given, scope)
        if is_outer and scope.holder(name) is not None:
            return self._of(scope, name)
        if default is None:
            raise InvalidInput("xacro_parameter", _("parameter '{name}' of the macro is missing"), name=printable(name))
        return self._whole(default, scope)

    # texts

    def _of(self, scope: TemplateScope, name: str) -> Value:
        """Return the value of a property."""
        holder = scope.holder(name)
        if holder is None:
            raise KeyError(name)
        value = holder.properties[name]
        if isinstance(value, Lazy):
            self._depth += 5
            if self._depth > MAX_DEPTH:
                raise InvalidInput("xacro_circle", _("property '{name}' refers to itself"), name=printable(name))
            try:
                value = self._whole(value.text, scope)
            finally:
                self._depth -= 5
        return value

    def _whole(self, text: str, scope: TemplateScope) -> Value:
        """Return what a text stands for; a single ${…} keeps its type, and a plain number is one."""
        parts = list(_SUBSTITUTION.finditer(text))
        if len(parts) == 1 and parts[0].group() == text.strip() and text.strip().startswith("${"):
            return self._expression(text.strip()[2:-1], scope)
        return _literal(self._text(text, scope))

    def _text(self, text: str, scope: TemplateScope) -> str:
        """Return a text with all that is to be replaced in it replaced."""
        self._spend(len(text))
        return _SUBSTITUTION.sub(lambda found: self._replaced(found.group(), scope), text) if "$" in text else text

    def _replaced(self, part: str, scope: TemplateScope) -> str:
        if part.startswith("$$"):
            return part[1:]
        inside = part[2:-1]
        return text_of(self._expression(inside, scope)) if part[1] == "{" else self._command(inside, scope)

    def _expression(self, text: str, scope: TemplateScope) -> Value:
        functions = {"load_yaml": lambda name: self._yaml(str(name)), "property": lambda name: self._of(scope, name)}
        spend = lambda parts: self._spend(EXPRESSION_WORK * parts)  # noqa: E731
        return evaluate(self._text(text, scope), lambda name: self._of(scope, name), functions, spend)

    def _command(self, text: str, scope: TemplateScope) -> str:
        """Return what $(find …), $(arg …) and their like stand for."""
        name, _space, rest = text.strip().partition(" ")
        rest = rest.strip()
        if name == "arg":
            found = self._given.get(rest, self._defaults.get(rest))
            if found is None:
                raise InvalidInput("xacro_argument", _("argument '{name}' has no value"), name=printable(rest))
            self._depth += 5  # it may refer to others, or to itself
            if self._depth > MAX_DEPTH:
                raise _endless()
            try:
                return self._text(found, scope)
            finally:
                self._depth -= 5
        if name == "find":
            self._spend(SEARCH_WORK)
            package = self._files.package(rest)
            return str(package) if package is not None else f"package://{rest}"
        if name == "eval":
            return text_of(self._expression(rest, scope))
        if name in {"dirname", "cwd"}:
            return str(self._folder)
        if name in {"env", "optenv"}:
            return rest.partition(" ")[2]
        raise InvalidInput("xacro_command", _("'$({command} …)' is not known"), command=printable(name))

    def _yaml(self, name: str) -> Value:
        path = self._found(name)
        if path is None:
            raise InvalidInput(
                "xacro_include",
                _("'{name}' to include is not among the given files; give the folder that has both"),
                name=printable(name),
            )
        if path not in self._tables:
            self._tables[path] = read_ros_yaml(path)
        return self._tables[path]

    def _found(self, name: str) -> Path | None:
        self._spend(SEARCH_WORK)
        return self._files.find(name, self._folder)


def _endless() -> InvalidInput:
    return InvalidInput("xacro_endless", _("the template grows without an end, or is nested too deeply"))


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _literal(text: str) -> Value:
    """Return a text as the number or truth value that it is, or else itself."""
    plain = text.strip()
    if plain in {"True", "true"}:
        return True
    if plain in {"False", "false"}:
        return False
    for kind in (int, float):
        try:
            return kind(plain) if "_" not in plain else text
        except ValueError:
            continue
    return text
