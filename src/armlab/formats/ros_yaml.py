"""YAML files as ROS writes them: with tags for angles, and without anything that could be run."""

from __future__ import annotations

from pathlib import Path

import yaml

from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.formats.expression import Value, evaluate
from armlab.messages import _

MAX_BYTES = 2_000_000


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
        found: Value = yaml.load(read_bounded(path, MAX_BYTES), _Loader)
    except yaml.YAMLError:
        raise InvalidInput("yaml_syntax", _("not valid YAML")).within(path.name) from None
    return found


def _angle(text: object, scale: float) -> float:
    return float(evaluate(str(text), _no_names)) * scale


def _no_names(name: str) -> Value:
    raise KeyError(name)
