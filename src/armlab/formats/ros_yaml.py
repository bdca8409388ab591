"""YAML files as ROS writes them: with tags for angles, and without anything that could be run."""

from __future__ import annotations

from pathlib import Path

import yaml

from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.formats.expression import Value, evaluate
from armlab.messages import _

MAX_BYTES = 500_000
MAX_PARTS = 100_000
"""Of a file, each counted as often as aliases repeat it."""
LONGEST_NUMBER = 100
"""Letters; YAML has numbers of base 60, whose digits take ever longer."""


class _Loader(yaml.SafeLoader):
    """YAML with ROS's tags for angles."""


_Loader.add_constructor("!degrees", lambda loader, node: _angle(loader.construct_scalar(node), 0.017453292519943295))  # type: ignore[arg-type]
_Loader.add_constructor("!radians", lambda loader, node: _angle(loader.construct_scalar(node), 1.0))  # type: ignore[arg-type]


def read_ros_yaml(path: Path) -> Value:
    """Return what a YAML file says.

    Raises:
        InvalidInput: if it is not YAML, or too large.
    """
    try:
        loader = _Loader(read_bounded(path, MAX_BYTES))
        node = loader.get_single_node()
        _check_size(node)
        found: Value = None if node is None else loader.construct_document(node)
    except (yaml.YAMLError, RecursionError):
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
        raise InvalidInput(
            "yaml_too_large",
            _("the file has more than {most} parts, or a number of more than {longest} letters"),
            most=MAX_PARTS,
            longest=LONGEST_NUMBER,
        )


def _angle(text: object, scale: float) -> float:
    return float(evaluate(str(text), _no_names)) * scale


def _no_names(name: str) -> Value:
    raise KeyError(name)
