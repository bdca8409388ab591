"""An arm from a robot file of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from armlab.catalog.build import build_robot
from armlab.catalog.files import MAX_ROBOT_BYTES, read_table, table_of_text
from armlab.catalog.schema import RobotTable
from armlab.errors import CatalogError, InvalidInput
from armlab.formats.glb_read import NO_MESHES, LinkMeshes, read_link_meshes
from armlab.messages import Message, _
from armlab.model.robot import Robot


def load_robot_file(path: Path) -> Robot:
    """Return the arm of a robot file of ours, with the meshes that stand beside it.

    Raises:
        CatalogError: if it cannot be used; the message says where and why.
    """
    return _built(
        read_table(path, RobotTable, MAX_ROBOT_BYTES), path, lambda name: read_link_meshes(path.parent / name)
    )


def load_robot_text(text: str, name: str, meshes: Callable[[str], LinkMeshes] | None = None) -> Robot:
    """Return the arm of the text of a robot file; `name` is what messages call it, `meshes` reads what it names.

    Raises:
        CatalogError: if it is not the text of a robot file, or names meshes where there are none to read.
    """
    path = Path(f"{name}.toml")
    table = table_of_text(text, RobotTable, path)
    if meshes is None and table.meshes is not None:
        raise CatalogError(path, "meshes", Message("text_with_meshes", _("a file beside this text cannot be read")))
    return _built(table, path, meshes or (lambda _name: NO_MESHES))


def _built(table: RobotTable, path: Path, meshes: Callable[[str], LinkMeshes]) -> Robot:
    try:
        own = NO_MESHES if table.meshes is None else meshes(table.meshes)
        return build_robot(table, own)
    except CatalogError:
        raise
    except InvalidInput as error:
        raise CatalogError(path, "", error.message) from None
