"""Robots from URDF files: a serial chain is chosen from the tree; everything else is folded into its links.

Meshes are not loaded here: an arm whose links have only meshes gets a skin made from its joints. Joints
outside the chain (grippers, joints that mimic others) are held at zero; what hangs on them is merged into the
link that carries them, so that the arm weighs what the file says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.importing.urdf_tree import TreeJoint, UrdfTree, read_tree
from armlab.importing.urdf_write import urdf_text, write_urdf
from armlab.model import pose
from armlab.model.parts import Inertia, Joint, JointKind, Link
from armlab.model.robot import MAX_JOINTS, Robot
from armlab.model.shape import Shape
from armlab.model.skin import LinkSkin, make_skin

__all__ = ["read_urdf", "urdf_text", "write_urdf"]

TIP_NAMES = ("tool", "tool0", "tcp", "ee_link", "end_effector", "flange")
"""The links after the last axis that are taken for the arm's end, the most telling name first."""


def read_urdf(source: Path | str, *, base: str | None = None, tip: str | None = None) -> Robot:
    """Return the serial arm of a URDF file from the link `base` (the root) to the link `tip`.

    Without `tip` it is the chain with the most axes, up to the best-named link that is fixed to its end
    (TIP_NAMES, or else the end of the fixed joints where they do not branch). Continuous joints may turn ±2π.

    Raises:
        InvalidInput: if the file is no valid URDF, or several chains are equally long and `tip` must choose.
        UnknownName: if there is no link `base` or `tip`.
        NotSupported: if it has floating or planar joints, mimicking joints within the chain, or is xacro.
    """
    tree = read_tree(Path(source))
    for name in (base, tip):
        if name is not None and name not in tree.links:
            raise UnknownName(f"link of {tree.file}", name, tree.links)
    start = base or _standing_link(tree)
    end = tip or _default_tip(tree, start)
    path = _path(tree, start, end)
    _check_path(tree, start, end, path)
    T_world_base = np.eye(4) if base or start == tree.root else tree.joint_of[start].T_parent_child
    try:
        return _robot(tree, start, path, T_world_base)
    except InvalidInput as error:
        raise InvalidInput(f"{tree.file}: {error.message}") from None


def _check_path(tree: UrdfTree, start: str, end: str, path: Sequence[TreeJoint]) -> None:
    axes = sum(joint.is_axis for joint in path)
    if not 1 <= axes <= MAX_JOINTS:
        raise InvalidInput(
            f"{tree.file}: {axes} moving joints lead from '{start}' to '{end}'; 1 to {MAX_JOINTS} are allowed"
        )
    for joint in path:
        if joint.follows:
            raise NotSupported(
                f"{tree.file}: joint '{joint.name}' on the way to '{end}' mimics another joint; "
                "choose an end before it with tip="
            )


def _robot(tree: UrdfTree, start: str, path: Sequence[TreeJoint], T_world_base: Floats) -> Robot:
    chain = _folded(start, path)
    lower = np.array([joint.lower for joint in chain.joints])
    upper = np.array([joint.upper for joint in chain.joints])
    bodies = _bodies(tree, chain.link_names)
    shapes = _looks(chain, [_placed_shapes(tree, body) for body in bodies])
    return Robot(
        name=_catalog_name(tree.name),
        title=tree.name,
        source=tree.file,
        joints=chain.joints,
        links=tuple(
            Link(name if name != "tool" else "tool_link", _merged(tree, body), looks)
            for name, body, looks in zip(chain.link_names, bodies, shapes, strict=True)
        ),
        home=np.clip(0.0, lower, upper),
        base=T_world_base,
        flange=chain.T_link_end,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Chain:
    joints: tuple[Joint, ...]
    link_names: tuple[str, ...]
    T_link_end: Floats


def _folded(start: str, path: Sequence[TreeJoint]) -> _Chain:
    """Return the chain of a path, with its fixed joints folded into the next moving one."""
    joints, names, T_link_here = [], [start], np.eye(4)
    for step in path:
        T_link_here = T_link_here @ step.T_parent_child
        if step.is_axis:
            kind: JointKind = "prismatic" if step.kind == "prismatic" else "revolute"
            joints.append(
                Joint(
                    step.name,
                    kind,
                    T_link_here,
                    step.axis,
                    step.lower,
                    step.upper,
                    velocity=step.velocity,
                    effort=step.effort,
                )
            )
            names.append(step.child)
            T_link_here = np.eye(4)
    return _Chain(tuple(joints), tuple(names), T_link_here)


def _path(tree: UrdfTree, start: str, end: str) -> list[TreeJoint]:
    path, name = [], end
    while name != start:
        if name == tree.root:
            raise InvalidInput(f"{tree.file}: link '{end}' does not hang on '{start}'")
        path.append(tree.joint_of[name])
        name = path[-1].parent
    return path[::-1]


def _standing_link(tree: UrdfTree) -> str:
    """Return the root, or, where the root is only a name for the world, the one link that is fixed to it."""
    joints = tree.joints_from[tree.root]
    root = tree.links[tree.root]
    is_frame = tree.root == "world" and not root.shapes and root.inertia.mass == 0.0
    return joints[0].child if is_frame and len(joints) == 1 and joints[0].kind == "fixed" else tree.root


def _default_tip(tree: UrdfTree, start: str) -> str:
    """Return the end of the chain from `start` that has the most axes."""
    axes, carrier = {start: 0}, {start: start}
    for name in tree.links:  # parents come first
        for joint in tree.joints_from[name] if name in axes else ():
            axes[joint.child] = axes[name] + joint.is_axis
            carrier[joint.child] = joint.child if joint.is_axis else carrier[name]
    most = max(axes.values())
    ends = list(dict.fromkeys(carrier[name] for name, count in axes.items() if count == most))
    if len(ends) > 1:
        raise InvalidInput(
            f"{tree.file}: {len(ends)} chains have {most} axes; choose one with tip=, which may be "
            f"{', '.join(ends[:8])}",
            tips=ends,
        )
    return _fixed_end(tree, ends[0])


def _fixed_end(tree: UrdfTree, last: str) -> str:
    """Return the link that is the arm's end among those fixed to the last moving link."""
    fixed, branches = [last], False
    for name in fixed:
        children = [joint.child for joint in tree.joints_from[name] if joint.kind == "fixed"]
        branches = branches or len(children) > 1
        fixed.extend(children)
    named = [name for name in TIP_NAMES if name in fixed]
    if named:
        return named[0]
    return last if branches else fixed[-1]


Body = list[tuple[str, Floats]]
"""What moves as one: links of the file, each with T_link_part, its place on the link that carries it."""


def _bodies(tree: UrdfTree, link_names: Iterable[str]) -> list[Body]:
    """Return for each link of the chain everything that is on it, all joints outside the chain at zero."""
    chain = dict.fromkeys(link_names)
    bodies = []
    for start in chain:
        body: Body = [(start, np.eye(4))]
        for name, T_link_part in body:
            body.extend(
                (joint.child, T_link_part @ joint.T_parent_child)
                for joint in tree.joints_from[name]
                if joint.child not in chain
            )
        bodies.append(body)
    return bodies


def _placed_shapes(tree: UrdfTree, body: Body) -> tuple[Shape, ...]:
    return tuple(
        replace(shape, T_link_shape=T_link_part @ shape.T_link_shape)
        for name, T_link_part in body
        for shape in tree.links[name].shapes
    )


def _looks(chain: _Chain, shapes: list[tuple[Shape, ...]]) -> Sequence[tuple[Shape, ...]]:
    """Return the file's own shapes, or a skin where none of the moving links has any."""
    if any(shapes[1:]):
        return shapes
    return make_skin(chain.joints, chain.T_link_end, [LinkSkin() for _ in shapes])


def _merged(tree: UrdfTree, body: Body) -> Inertia:
    """Return the inertia of everything on a link as one, in the frame of the link."""
    parts = [(tree.links[name].inertia, T) for name, T in body]
    mass = sum(part.mass for part, _ in parts)
    centres = [pose.transform(T, part.com) for part, T in parts]
    if len(parts) == 1:
        return parts[0][0]
    com = np.zeros(3)
    if mass > 0.0:
        com = sum((part.mass * c for (part, _), c in zip(parts, centres, strict=True)), com) / mass
    matrix = np.zeros((3, 3))
    for (part, T), centre in zip(parts, centres, strict=True):
        R, r = T[:3, :3], centre - com
        matrix += R @ part.matrix @ R.T + part.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Inertia(mass, com, (matrix + matrix.T) / 2.0)


def _catalog_name(name: str) -> str:
    """Return `name` as the catalog writes names: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "robot"
