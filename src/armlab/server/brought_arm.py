"""An arm that somebody brought, as the store of assets keeps it: a robot file, and its meshes as they came."""

from __future__ import annotations

from armlab.assets import PREFIX, AssetStore
from armlab.catalog import load_text, robot_names
from armlab.catalog.write import robot_toml
from armlab.formats.glb import link_meshes_glb
from armlab.formats.glb_read import link_meshes
from armlab.model.robot import Robot

LONGEST_NAME = 50


def free_name(name: str) -> str:
    """Return a name for an arm that no arm of the catalog has."""
    short = name[:LONGEST_NAME].strip("-") or "arm"
    return f"{short}-own" if short in robot_names() else short


def keep_arm(robot: Robot, store: AssetStore) -> str:
    """Keep the file of an arm in `store`, and its meshes in another; return what a document calls it.

    Raises:
        CatalogError: if a number of the arm has no place in a robot file.
        InvalidInput: if it is too large, or cannot be kept.
    """
    glb = link_meshes_glb(robot)
    meshes = None if glb is None else f"{store.keep(glb)}.glb"
    text = robot_toml(robot, meshes)
    load_text(text, robot.name, lambda _name: link_meshes(glb or b""))
    return PREFIX + store.keep(text.encode())
