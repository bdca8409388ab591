"""The robot: a frozen serial chain that answers where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, as_rows, read_only
from armlab.errors import InvalidInput, UnknownName
from armlab.kernels import chain
from armlab.kernels.trig import LARGEST
from armlab.model import pose
from armlab.model.parts import NO_TOOL, Joint, Link, Tool
from armlab.model.shape import Palette

MAX_JOINTS = 64

_FLOAT64 = np.dtype(np.float64)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Robot:
    """A serial arm: what it is made of, its limits and its names, and nothing that changes.

    `links[0]` stands on the base; `joints[i]` moves `links[i + 1]` against `links[i]`. Arrays have one value per
    joint, shape (n,), in rad or m.
    """

    name: str
    joints: tuple[Joint, ...]
    links: tuple[Link, ...]
    home: Floats
    source: str
    title: str = ""
    maker: str = ""
    notes: str = ""
    base: Floats = field(default_factory=lambda: np.eye(4))
    """T_world_base: where the arm stands."""
    flange: Floats = field(default_factory=lambda: np.eye(4))
    """T_link_flange: the flange in the frame of the last link."""
    tool: Tool = NO_TOOL
    poses: Mapping[str, Floats] = field(default_factory=dict)
    payload: float | None = None
    estimated: tuple[str, ...] = ()
    palette: Palette = field(default_factory=Palette)

    lower: Floats = field(init=False)
    upper: Floats = field(init=False)
    velocity: Floats = field(init=False)
    acceleration: Floats = field(init=False)
    effort: Floats = field(init=False)
    _shape: tuple[int] = field(init=False)
    _constants: Floats = field(init=False)
    _revolute: Floats = field(init=False)
    _to_link: Floats = field(init=False)

    def __post_init__(self) -> None:
        _check_parts(self)
        put: Any = lambda name, value: object.__setattr__(self, name, value)  # noqa: E731
        for limit in ("lower", "upper", "velocity", "acceleration", "effort"):
            put(limit, read_only(np.array([getattr(joint, limit) for joint in self.joints])))
        put("base", read_only(pose.as_one_pose(self.base, f"{self.name}: base")))
        put("flange", read_only(pose.as_one_pose(self.flange, f"{self.name}: flange")))
        put("home", read_only(as_floats(self.home, (len(self.joints),), f"{self.name}: home")))
        named = {name: read_only(as_floats(q, (len(self.joints),), name)) for name, q in self.poses.items()}
        put("poses", MappingProxyType(named))
        put("_shape", (len(self.joints),))
        put("_revolute", np.array([1.0 if joint.kind == "revolute" else 0.0 for joint in self.joints]))
        constants, to_link = _chain_constants(self)
        put("_constants", constants)
        put("_to_link", to_link)

    def __repr__(self) -> str:
        return f"Robot('{self.name}', {self.dof} axes, tool '{self.tool.name}')"

    @property
    def dof(self) -> int:
        """How many joints the arm has."""
        return len(self.joints)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """The names of what `frames` returns: every link from the base on, and last the tool."""
        return (*(link.name for link in self.links), "tool")

    def fk(self, q: ArrayLike) -> Floats:
        """Return the pose of the tool, T_world_tool: q (n,) → (4, 4), q (m, n) → (m, 4, 4)."""
        if self.is_plain_row(q):
            one = np.empty((4, 4))
            if chain.fk_into(self._constants, self._revolute, q if q.flags.carray else q.copy(), one):
                return one
        rows, single = self._rows(q)
        out = np.empty((rows.shape[0], 4, 4))
        if not chain.fk_batch_into(self._constants, self._revolute, rows, out):
            self._refuse(rows)
        return out[0] if single else out

    def frames(self, q: ArrayLike) -> Floats:
        """Return every link's frame and last the tool's, in world coordinates: (n + 2, 4, 4) or (m, n + 2, 4, 4)."""
        rows, single = self._rows(q)
        out = np.empty((rows.shape[0], self.dof + 2, 4, 4))
        out[:, 0] = self.base
        if not chain.frames_batch_into(self._constants, self._revolute, self._to_link, rows, out):
            self._refuse(rows)
        return out[0] if single else out

    def jacobian(self, q: ArrayLike) -> Floats:
        """Return the Jacobian (6, n) or (m, 6, n): joint speeds → velocity of the tool point, then angular velocity.

        Both in world coordinates.
        """
        if self.is_plain_row(q):
            one = np.empty((6, self.dof))
            if chain.jacobian_into(self._constants, self._revolute, q if q.flags.carray else q.copy(), one):
                return one
        rows, single = self._rows(q)
        out = np.empty((rows.shape[0], 6, self.dof))
        if not chain.jacobian_batch_into(self._constants, self._revolute, rows, out):
            self._refuse(rows)
        return out[0] if single else out

    def with_tool(self, tool: Tool) -> Robot:
        """Return the same arm with another tool."""
        if not isinstance(tool, Tool):
            raise InvalidInput(f"tool: {tool!r} is no Tool; armlab.load_tool finds one by its name")
        return self._changed(tool=tool)

    def with_base(self, base: ArrayLike) -> Robot:
        """Return the same arm standing at T_world_base = `base`."""
        return self._changed(base=base)

    def pose(self, name: str) -> Floats:
        """Return the joint values kept under `name`; `home` is always known.

        Raises:
            UnknownName: if the robot has no pose of that name.
        """
        if name == "home":
            return self.home
        if name not in self.poses:
            raise UnknownName(f"pose of {self.name}", name, ("home", *self.poses))
        return self.poses[name]

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by what the robot was made of."""
        made_of = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return _rebuilt, ({**made_of, "poses": dict(self.poses)},)

    def _changed(self, **changes: Any) -> Robot:
        return replace(self, poses=dict(self.poses), **changes)

    def is_plain_row(self, q: ArrayLike | None) -> TypeGuard[Floats]:
        """Tell whether `q` is a row of n doubles, which needs no conversion; the values are not looked at."""
        return type(q) is np.ndarray and q.shape == self._shape and q.dtype is _FLOAT64

    def _rows(self, q: ArrayLike) -> tuple[Floats, bool]:
        if type(q) is np.ndarray and q.ndim == 2 and q.shape[1] == self.dof and q.dtype is _FLOAT64 and q.flags.carray:
            return q, False  # the kernels check the values
        return as_rows(q, self.dof, f"{self.name}: q")

    def _refuse(self, rows: Floats) -> None:
        as_rows(rows, self.dof, f"{self.name}: q")
        row, i = np.unravel_index(int(np.argmax(np.abs(rows))), rows.shape)
        unit = "rad" if self.joints[i].kind == "revolute" else "m"
        raise InvalidInput(
            f"joint '{self.joints[i].name}': {rows[row, i]:g} {unit} is outside ±{LARGEST:g} {unit}; "
            "is it in another unit?"
        )


def _rebuilt(made_of: dict[str, Any]) -> Robot:
    return Robot(**made_of)


def _check_parts(robot: Robot) -> None:
    who = robot.name or "robot"
    if not 1 <= len(robot.joints) <= MAX_JOINTS:
        raise InvalidInput(f"{who}: {len(robot.joints)} joints given; 1 to {MAX_JOINTS} are allowed")
    if len(robot.links) != len(robot.joints) + 1:
        raise InvalidInput(
            f"{who}: {len(robot.joints)} joints need {len(robot.joints) + 1} links, got {len(robot.links)}"
        )
    for what, names in (
        ("joint", [j.name for j in robot.joints]),
        ("link", [*(k.name for k in robot.links), "tool"]),
    ):
        for name in names:
            if names.count(name) > 1:
                raise InvalidInput(f"{who}: two {what}s are named '{name}'")


def _chain_constants(robot: Robot) -> tuple[Floats, Floats]:
    """Return the kernel's `constants` (n + 1, 12) and `to_link` (n, 3, 3); see armlab.kernels.chain."""
    constants = np.empty((robot.dof + 1, 12))
    to_link = np.empty((robot.dof, 3, 3))
    T = robot.base
    for i, joint in enumerate(robot.joints):
        aligned = np.eye(4)
        aligned[:3, :3] = turn_z_to(joint.axis)
        constants[i] = _flat(T @ joint.T_parent_joint @ aligned)
        to_link[i] = aligned[:3, :3].T
        T = pose.inverse(aligned)
    constants[-1] = _flat(T @ robot.flange @ robot.tool.T_flange_tool)
    return constants, to_link


def turn_z_to(axis: Floats) -> Floats:
    """Return a rotation (3, 3) that takes the z axis to the unit vector `axis`, and is the identity for z itself."""
    flip = np.diag([1.0, -1.0, -1.0]) if axis[2] < 0 else np.eye(3)
    x, y, z = axis if axis[2] >= 0 else -axis
    K = np.array([[0.0, 0.0, x], [0.0, 0.0, y], [-x, -y, 0.0]])
    R: Floats = (np.eye(3) + K + K @ K / (1.0 + z)) @ flip
    return R


def _flat(T: Floats) -> Floats:
    return np.concatenate([T[:3, :3].ravel(), T[:3, 3]])
