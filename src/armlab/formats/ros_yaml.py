"""YAML files as ROS writes them: with tags for angles, and without anything that could be run."""

from __future__ import annotations

from pathlib import Path

import yaml

from armlab.errors import InvalidInput
from armlab.files import bounded_bytes
from armlab.formats.expression import Value, evaluate
from armlab.formats.xml_attributes import printable
from armlab.messages import _

MAX_BYTES = 500_000
MAX_PARTS = 20_000
"""Of a file, each counted as often as aliases repeat it: PyYAML takes 0.1 ms for each."""
LONGEST_NUMBER = 100
"""Letters; YAML has numbers of base 60, whose digits take ever longer."""


DEEPEST = 50
"""Lists and tables inside each other: PyYAML takes time with the square of it."""


class _Loader(yaml.SafeLoader):
    """YAML with ROS's tags for angles, and bounds of depth and size."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._depth = self._parts = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Return the next node, unless it lies too deep or is one too many."""
        self._depth, self._parts = self._depth + 1, self._parts + 1
        if self._depth > DEEPEST:
            raise InvalidInput("nested_too_deeply", _("nested too deeply"))
        if self._parts > MAX_PARTS:
            raise _too_large()
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


_Loader.add_constructor("!degrees", lambda loader, node: _angle(loader.construct_scalar(node), 0.017453292519943295))  # type: ignore[arg-type]
_Loader.add_constructor("!radians", lambda loader, node: _angle(loader.construct_scalar(node), 1.0))  # type: ignore[arg-type]


def read_ros_yaml(path: Path) -> Value:
    """Return what a YAML file says.

    Raises:
        InvalidInput: if it is not YAML, or too large.
    """
    try:
        loader = _Loader(bounded_bytes(path, MAX_BYTES))
        node = loader.get_single_node()
        _check_size(node)
        found: Value = None if node is None else loader.construct_document(node)
    except InvalidInput as error:
        raise error.within(path.name) from None
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date that no calendar has
        raise InvalidInput("yaml_syntax", _("not valid YAML")).within(path.name) from None
    return found


def _check_size(root: yaml.Node | None) -> None:
    """Refuse a file that aliases make large, or endless.

    Raises:
        InvalidInput: if so.
    """
    sizes: dict[int, int] = {}

    def size(node: yaml.Node) -> int:
        if id(node) in sizes:
            return sizes[id(node)]
        sizes[id(node)] = MAX_PARTS + 1  # what an alias to something around it would be
        if isinstance(node, yaml.ScalarNode):
            is_number = node.tag in {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}
            total = MAX_PARTS + 1 if is_number and len(node.value) > LONGEST_NUMBER else 1
        else:
            parts = (
                node.value if isinstance(node, yaml.SequenceNode) else [part for pair in node.value for part in pair]
            )
            total = 1 + sum(map(size, parts))
        sizes[id(node)] = total
        return total

    if root is not None and size(root) > MAX_PARTS:
        raise _too_large()


def _too_large() -> InvalidInput:
    return InvalidInput(
        "yaml_too_large",
        _("the file has more than {most} parts, or a number of more than {longest} letters"),
        most=MAX_PARTS,
        longest=LONGEST_NUMBER,
    )


def _angle(text: object, scale: float) -> float:
    angle = evaluate(str(text), _no_names)
    if not isinstance(angle, int | float):
        raise InvalidInput("yaml_angle", _("'{text}' is not an angle"), text=printable(text))
    return angle * scale


def _no_names(name: str) -> Value:
    raise KeyError(name)
