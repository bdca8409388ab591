"""An arm from a description: one serial chain is chosen; everything else is folded into its links.

Joints outside the chain (grippers) are held at zero; what hangs on them is merged into the link that carries them, so
that the arm weighs what the file says. Joints of the chain that mimic others of it become the arm's followers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from armlab.appearance.skin import LinkSkin, make_skin
from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.formats.description import OTHER_KINDS, DescribedJoint, Description, Repairs
from armlab.formats.followers import LawfulPath, last_follower, split, with_laws
from armlab.formats.gripper import gripper_joints
from armlab.formats.link_parts import LinkParts, link_parts, part_rules
from armlab.formats.link_shapes import as_visual, link_geometry
from armlab.formats.loops import find_loops, with_loops
from armlab.geometry.inertia import Inertia, combined
from armlab.geometry.shape import Shape
from armlab.geometry.visual import Visual
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.parts import Joint, JointKind, Link
from armlab.model.robot import MAX_JOINTS, Robot

TIP_NAMES = ("tool", "tool0", "tcp", "ee_link", "end_effector", "flange")
"""The links after the last axis that are taken for the arm's end, the clearest name first."""
FREE_KINDS = ("floating", "planar", *OTHER_KINDS)
"""Joints that one number does not place: none of them is in a chain."""
MAX_CHAINS = 50


class ChainEnds(NamedTuple):
    """A serial chain of a description: its first and last link, and how many joints move between them."""

    base: str
    tip: str
    dof: int


class ArmOfFile(NamedTuple):
    """An arm, and what was guessed or repaired on the way to it."""

    robot: Robot
    findings: tuple[Finding, ...]


def chains_of(description: Description) -> tuple[ChainEnds, ...]:
    """Return the chains from the base to every end at which no axis follows, the longest first."""
    start = _standing_link(description)
    ends = sorted(_ends(description, start), key=lambda end: -end[1])
    fingers = gripper_joints(description)
    tips = ((_whole_end(description, start, name, fingers), axes) for name, axes in ends[:MAX_CHAINS] if axes)
    return tuple(ChainEnds(start, name, axes) for name, axes in tips)


def arm_of(description: Description, *, base: str | None = None, tip: str | None = None) -> ArmOfFile:
    """Return the serial arm from the link `base` (the root) to the link `tip`.

    Without `tip` it is the chain with the most axes, without its gripper, up to the best-named link that is fixed to
    its end (TIP_NAMES, or else the end of the fixed joints where they do not branch).

    Raises:
        InvalidInput: if no axis, or too many, lead from base to tip.
        UnknownName: if there is no link `base` or `tip`.
        NotSupported: if a floating or planar joint lies between two axes.
    """
    for name in (base, tip):
        if name is not None and name not in description.links:
            raise UnknownName("link", name, description.links, owner=description.file)
    repairs = Repairs(description.file)
    start = base or _standing_link(description)
    end = tip or _default_tip(description, start, repairs)
    path = _path(description, start, end)
    T_world_base = np.eye(4) if base or start == description.root else description.joint_of[start].T_parent_child
    free = next((i for i, joint in reversed([*enumerate(path)]) if joint.kind in FREE_KINDS), None)
    if free is not None:
        start, path = _after_free_joint(path, free, repairs)
        T_world_base = np.eye(4)
    lawful = with_laws(description, path, repairs)
    _check_path(description, start, end, lawful)
    try:
        robot = _robot(lawful, start, T_world_base, repairs)
    except InvalidInput as error:
        raise error.within(description.file) from None
    return ArmOfFile(robot, (*description.findings, *repairs.findings))


def _after_free_joint(path: list[DescribedJoint], i: int, repairs: Repairs) -> tuple[str, list[DescribedJoint]]:
    """Return the chain after a floating or planar joint, which cannot be one of an arm's own."""
    free = path[i]
    if any(joint.moves for joint in path[:i]):
        raise NotSupported(_free_joint(repairs.file, free))
    repairs.add(
        "warning",
        free.line,
        "free_base",
        _("joint '{joint}' is {kind}: the arm stands on link '{link}', which does not move"),
        joint=free.name,
        kind=free.kind,
        link=free.child,
    )
    return free.child, path[i + 1 :]


def _free_joint(file: str, joint: DescribedJoint) -> Message:
    return Message(
        "joint_not_supported",
        _("{file}: joint '{joint}': joints of type '{kind}' are not supported in an arm; supported: {known}"),
        file=file,
        joint=joint.name,
        kind=joint.kind,
        known=["fixed", "revolute", "continuous", "prismatic"],
    )


def _check_path(description: Description, start: str, end: str, lawful: LawfulPath) -> None:
    axes = sum(joint.moves for joint in lawful.path)
    free = next((joint for joint in description.joint_of.values() if joint.kind in FREE_KINDS), None)
    if axes == 0 and free is not None:
        raise NotSupported(_free_joint(description.file, free))
    if not 1 <= axes <= MAX_JOINTS:
        raise InvalidInput(
            "urdf_axis_count",
            _("{file}: {count} moving joints lead from '{start}' to '{end}'; 1 to {most} are allowed"),
            file=description.file,
            count=axes,
            start=start,
            end=end,
            most=MAX_JOINTS,
        )


def _robot(lawful: LawfulPath, start: str, T_world_base: Floats, repairs: Repairs) -> Robot:
    description, chain = lawful.description, _folded(start, lawful.path)
    joints, followers = split(chain.joints, lawful.laws, repairs)
    lower, upper = (np.array([getattr(joint, side) for joint in joints]) for side in ("lower", "upper"))
    bodies = _bodies(description, chain.link_names)
    found = find_loops(description, chain.link_names)
    shapes, visuals, parts = _shapes(chain, description, bodies, [joint.child for joint in found.joints])
    apart = _bodies(description, [*chain.link_names, *(joint.child for joint in found.joints)])
    weights = [_merged(description, body, repairs) for body in apart]
    robot = Robot(
        name=_catalog_name(description.name),
        title=description.name,
        source=description.file,
        joints=joints,
        followers=followers,
        links=tuple(
            Link(_own_name(name), weight.inertia, solids, surfaces)
            for name, weight, solids, surfaces in zip(parts.links, weights, shapes, visuals, strict=False)
        ),
        home=np.clip(0.0, lower, upper),
        base=T_world_base,
        flange=chain.T_link_end,
        estimated=("link masses",) if any(weight.is_estimated for weight in weights) else (),
        pair_rules=part_rules(description.rules, parts.part_of),
    )
    return with_loops(robot, found, [weight.inertia for weight in weights[len(chain.link_names) :]], repairs)


@dataclass(frozen=True, slots=True, eq=False)
class _FoldedChain:
    joints: tuple[Joint, ...]
    link_names: tuple[str, ...]
    T_link_end: Floats


def _folded(start: str, path: Sequence[DescribedJoint]) -> _FoldedChain:
    """Return the chain of a path, with its fixed joints folded into the next moving one."""
    joints, names, T_link_here = [], [start], np.eye(4)
    for step in path:
        T_link_here = T_link_here @ step.T_parent_child
        if step.moves:
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
    return _FoldedChain(tuple(joints), tuple(names), T_link_here)


def _path(description: Description, start: str, end: str) -> list[DescribedJoint]:
    path, name = [], end
    while name != start:
        if name == description.root:
            raise InvalidInput(
                "urdf_tip_not_below_base",
                _("{file}: link '{end}' is not below link '{start}'"),
                file=description.file,
                end=end,
                start=start,
            )
        path.append(description.joint_of[name])
        name = path[-1].parent
    return path[::-1]


def _standing_link(description: Description) -> str:
    """Return the root, or, where the root is only a name for the world, the one link that is fixed to it."""
    joints = description.joints_from[description.root]
    root = description.links[description.root]
    is_frame = description.root == "world" and not (root.seen or root.felt or root.meshes) and root.inertia.mass == 0.0
    return joints[0].child if is_frame and len(joints) == 1 and joints[0].kind == "fixed" else description.root


def _ends(description: Description, start: str, *, without: frozenset[str] = frozenset()) -> list[tuple[str, int]]:
    """Return the last moving links of all chains from `start` with their axes, in the order of the file."""
    axes, carrier = {start: 0}, {start: start}
    for name in description.links:  # parents come first
        for joint in description.joints_from[name] if name in axes else ():
            if joint.name in without or (axes[name] and joint.kind in FREE_KINDS):
                continue
            axes[joint.child] = axes[name] + joint.is_axis
            carrier[joint.child] = joint.child if joint.is_axis else carrier[name]
    ends = dict.fromkeys(carrier.values())
    for name in axes:
        if carrier[name] == name and name != start:
            ends.pop(carrier[description.joint_of[name].parent], None)
    return [(name, axes[name]) for name in ends]


def _default_tip(description: Description, start: str, repairs: Repairs) -> str:
    """Return the end of the chain from `start` that has the most axes; a gripper's own do not count."""
    fingers = gripper_joints(description)
    ends = _ends(description, start, without=fingers)
    if not any(axes for _name, axes in ends):
        ends = _ends(description, start)
    most = max(axes for _name, axes in ends)
    longest = [name for name, axes in ends if axes == most]
    tip = _whole_end(description, start, longest[0], fingers)
    if len(longest) > 1:
        repairs.add(
            "warning",
            None,
            "tip_chosen",
            _("{count} chains have {axes} axes; the one to '{tip}' was taken. Others end at {others}"),
            count=len(longest),
            axes=most,
            tip=tip,
            others=longest[1:8],
        )
    return tip


def _whole_end(description: Description, start: str, last: str, fingers: frozenset[str]) -> str:
    """Return the arm's end after the last axis: behind joints that follow those of the chain, too."""
    return _fixed_end(description, last_follower(description, _path(description, start, last), last, fingers))


def _fixed_end(description: Description, last: str) -> str:
    """Return the link that is the arm's end among those fixed to the last moving link."""
    fixed, branches = [last], False
    for name in fixed:
        children = [joint.child for joint in description.joints_from[name] if joint.kind == "fixed"]
        branches = branches or len(children) > 1
        fixed.extend(children)
    named = [name for name in TIP_NAMES if name in fixed]
    if named:
        return named[0]
    return last if branches else fixed[-1]


PlacedLinks = list[tuple[str, Floats]]
"""What moves as one: links of the file, each with T_link_part, its place on the link that carries it."""


def _bodies(description: Description, link_names: Iterable[str]) -> list[PlacedLinks]:
    """Return for each link of the chain everything that is on it, all joints outside the chain at zero."""
    chain = dict.fromkeys(link_names)
    bodies = []
    for start in chain:
        body: PlacedLinks = [(start, np.eye(4))]
        for name, T_link_part in body:
            body.extend(
                (joint.child, T_link_part @ joint.T_parent_child)
                for joint in description.joints_from[name]
                if joint.child not in chain
            )
        bodies.append(body)
    return bodies


def _shapes(
    chain: _FoldedChain, description: Description, bodies: list[PlacedLinks], loops: Sequence[str]
) -> tuple[Sequence[tuple[Shape, ...]], Sequence[tuple[Visual, ...]], LinkParts]:
    """Return the file's own solids and surfaces, and which parts of the arm the bodies are.

    It is a skin where no moving link has any, or most lost their meshes.
    """
    made = [[(name, *link_geometry(description.links[name], T)) for name, T in body] for body in bodies]
    shaped = {name for body in made for name, solids, _surfaces in body if solids}
    parts = link_parts(description, chain.link_names, [[name for name, _T in body] for body in bodies], shaped, loops)
    shapes = [
        tuple(_as_part(shape, parts.part_of[name], link) for name, solids, _surfaces in body for shape in solids)
        for link, body in zip(parts.links, made, strict=True)
    ]
    visuals = [_surfaces([(solids, surfaces) for _name, solids, surfaces in body]) for body in made]
    has_meshes = [any(description.links[name].meshes for name, _T in body) for body in bodies]
    shown = sum(map(bool, shapes[1:]))
    if shown > sum(meshed and not own for meshed, own in zip(has_meshes[1:], shapes[1:], strict=True)):
        named = {name: _own_name(part) for name, part in parts.part_of.items() if name in shaped}
        return shapes, visuals, parts._replace(part_of=named)
    skin = make_skin(chain.joints, chain.T_link_end, [LinkSkin() for _ in shapes])
    own = LinkParts(tuple(chain.link_names), {name: _own_name(name) for name in chain.link_names})
    return skin, [()] * len(shapes), own


def _as_part(shape: Shape, part: str, link: str) -> Shape:
    return shape if part == link else replace(shape, part=_own_name(part))


def _own_name(name: str) -> str:
    """Return the name of a part: "tool" is the arm's own."""
    return name if name != "tool" else "tool_link"


def _surfaces(body: Sequence[tuple[tuple[Shape, ...], tuple[Visual, ...]]]) -> tuple[Visual, ...]:
    """Return what a body shows where a part of it has surfaces of its own; its other parts then show their solids."""
    if not any(visuals for _solids, visuals in body):
        return ()
    return tuple(each for solids, visuals in body for each in visuals or map(as_visual, solids))


class _Weight(NamedTuple):
    inertia: Inertia
    is_estimated: bool


def _merged(description: Description, body: PlacedLinks, repairs: Repairs) -> _Weight:
    """Return the inertia of everything on a link as one, in the frame of the link; by volume if nothing weighs."""
    links = [description.links[name] for name, _T in body]
    guessed = not any(link.inertia.mass > 0.0 for link in links) and any(link.estimate for link in links)
    found = [link.estimate or Inertia() if guessed else link.inertia for link in links]
    inertia = (
        found[0] if len(found) == 1 else combined([(each, T) for each, (_name, T) in zip(found, body, strict=True)])
    )
    if guessed:
        repairs.add(
            "note",
            None,
            "mass_estimated",
            _("link '{link}': no mass is given; {mass:.3g} kg are estimated from its volume"),
            link=links[0].name,
            mass=inertia.mass,
        )
    return _Weight(inertia, guessed)


def _catalog_name(name: str) -> str:
    """Return `name` as the catalog writes names: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "robot"
