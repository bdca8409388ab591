"""The robot: a frozen serial chain that answers where it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, as_rows, read_only
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.geometry.shape import Palette
from armlab.kernels import chain
from armlab.kernels.chain import KIND, Chain
from armlab.kernels.jit import DirectCall
from armlab.kernels.trig import LARGEST
from armlab.messages import Message, _, term
from armlab.model.coupling import Coupling, Follower, coupled_chain, coupling_of, in_order
from armlab.model.pair_rule import PairRule
from armlab.model.parts import NO_TOOL, Joint, Link, Tool

if TYPE_CHECKING:
    from armlab.model.loops import Loops
from armlab.threads import map_slices
from armlab.validation import shown

MAX_JOINTS = 64

# robot.fk(q) takes half a microsecond: names at hand instead of attributes, and no dispatch by types
_ARRAY, _FLOAT64, _empty, _POSE = np.ndarray, np.dtype(np.float64), np.empty, (4, 4)
_fk = DirectCall(chain.fk_into, np.zeros((2, KIND + 1)), np.zeros(1), np.empty((4, 4)))
_jacobian = DirectCall(chain.jacobian_into, np.zeros((2, KIND + 1)), np.zeros(1), np.empty((6, 1)))
_NO_ROW_FITS = np.zeros((0, KIND + 1))
"""Constants that no row of joint values fits, for arms whose values are expanded before a kernel sees them."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Robot:
    """A serial arm: what it is made of, its limits and its names, and nothing that changes.

    `links[0]` stands on the base; `joints[i]` moves `links[i + 1]` against `links[i]`. Arrays have one value per
    joint, shape (n,), in rad or m. With `followers`, the chain has more joints than the arm: those of `uncoupled`.
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
    configurations: Mapping[str, Floats] = field(default_factory=dict)
    payload: float | None = None
    estimated: tuple[str, ...] = ()
    palette: Palette = field(default_factory=Palette)
    loops: Loops | None = None
    """Rods beside the chain that close loops; the simulation moves them, kinematics and dynamics do without."""
    followers: tuple[Follower, ...] = ()
    """Joints of the chain that follow one of `joints`, and have no value of their own."""
    pair_rules: tuple[PairRule, ...] = ()
    """Pairs of parts that are left out of collision checks, or are compared after all, by a file's or a user's word."""

    lower: Floats = field(init=False)
    upper: Floats = field(init=False)
    velocity: Floats = field(init=False)
    acceleration: Floats = field(init=False)
    effort: Floats = field(init=False)
    _shape: tuple[int] = field(init=False)
    _jacobian_shape: tuple[int, int] = field(init=False)
    chain: Chain = field(init=False)
    """The same numbers as kernels take them; see armlab.kernels.chain."""
    coupling: Coupling | None = field(init=False)
    """How the values of all joints of the chain follow from those of `joints`; None without followers."""
    _constants: Floats = field(init=False)

    def __post_init__(self) -> None:
        _check_parts(self)
        put: Any = lambda name, value: object.__setattr__(self, name, value)  # noqa: E731
        for limit in ("lower", "upper", "velocity", "acceleration", "effort"):
            put(limit, read_only(np.array([getattr(joint, limit) for joint in self.joints])))
        put("base", read_only(pose.as_one_pose(self.base, f"{self.name}: base")))
        put("flange", read_only(pose.as_one_pose(self.flange, f"{self.name}: flange")))
        put("home", read_only(as_floats(self.home, (len(self.joints),), f"{self.name}: home")))
        named = {name: read_only(as_floats(q, (len(self.joints),), name)) for name, q in self.configurations.items()}
        put("configurations", MappingProxyType(named))
        put("_shape", (len(self.joints),))
        put("_jacobian_shape", (6, len(self.joints)))
        put("coupling", coupling_of(self.joints, self.followers) if self.followers else None)
        put("chain", coupled_chain(self.joints, self.uncoupled.chain) if self.followers else _chain_of(self))
        put("_constants", _NO_ROW_FITS if self.followers else self.chain.constants)

    def __repr__(self) -> str:
        return f"Robot('{self.name}', {self.dof} axes, tool '{self.tool.name}')"

    def _repr_html_(self) -> str:
        """Show the arm in a notebook: its links at home seen from the side, and its joints."""
        from armlab.model.robot_html import robot_html

        return robot_html(self)

    @property
    def dof(self) -> int:
        """How many joints the arm has."""
        return len(self.joints)

    @cached_property
    def uncoupled(self) -> Robot:
        """The arm whose followers move on their own; itself where there are none."""
        if self.coupling is None:
            return self
        return self._changed(
            joints=in_order(self.joints, self.followers),
            followers=(),
            home=self.coupling.expand(self.home),
            configurations={name: self.coupling.expand(q) for name, q in self.configurations.items()},
        )

    @property
    def frame_names(self) -> tuple[str, ...]:
        """The names of what `frames` returns: every link from the base on, and last the tool."""
        return (*(link.name for link in self.links), "tool")

    @property
    def part_names(self) -> tuple[str, ...]:
        """The names of all parts from the base on: links, what is fixed to them under a name of its own, the tool."""
        names: list[str] = []
        for link in self.links:
            names += [link.name, *dict.fromkeys(shape.part for shape in link.shapes if shape.part)]
        return (*names, "tool")

    def fk(self, q: ArrayLike) -> Floats:
        """Return the pose of the tool, T_world_tool: q (n,) → (4, 4), q (m, n) → (m, 4, 4)."""
        if type(q) is _ARRAY and q.dtype is _FLOAT64 and q.ndim == 1:
            one: Floats = _empty(_POSE)
            if _fk.call(self._constants, q, one):
                return one
            if self._is_strided(q):
                return self.fk(q.copy())
        rows, single = self._rows(q)
        if self.coupling is not None:
            T = self.uncoupled.fk(self._expanded(rows))
            return T[0] if single else T
        out = np.empty((rows.shape[0], 4, 4))
        self._fill(partial(chain.fk_batch_into, self.chain.constants, self.chain.revolute), rows, out)
        return out[0] if single else out

    def frames(self, q: ArrayLike) -> Floats:
        """Return every link's frame and last the tool's, in world coordinates: (n + 2, 4, 4) or (m, n + 2, 4, 4).

        An arm with followers has a frame more for each of them.
        """
        rows, single = self._rows(q)
        if self.coupling is not None:
            frames = self.uncoupled.frames(self._expanded(rows))
            return frames[0] if single else frames
        out = np.empty((rows.shape[0], self.dof + 2, 4, 4))
        constants, revolute, _, _, to_link = self.chain
        self._fill(partial(chain.frames_batch_into, constants, revolute, to_link, self.base.copy()), rows, out)
        return out[0] if single else out

    def jacobian(self, q: ArrayLike) -> Floats:
        """Return the Jacobian (6, n) or (m, 6, n): joint speeds → velocity of the tool point, then angular velocity.

        Both in world coordinates.
        """
        if type(q) is _ARRAY and q.dtype is _FLOAT64 and q.ndim == 1:
            one: Floats = _empty(self._jacobian_shape)
            if _jacobian.call(self._constants, q, one):
                return one
            if self._is_strided(q):
                return self.jacobian(q.copy())
        rows, single = self._rows(q)
        if self.coupling is not None:
            J = self.coupling.fold(self.uncoupled.jacobian(self._expanded(rows)))
            return J[0] if single else J
        out = np.empty((rows.shape[0], 6, self.dof))
        self._fill(partial(chain.jacobian_batch_into, self.chain.constants, self.chain.revolute), rows, out)
        return out[0] if single else out

    def with_tool(self, tool: Tool) -> Robot:
        """Return the same arm with another tool."""
        if not isinstance(tool, Tool):
            raise InvalidInput(
                "not_a_tool",
                _("tool: {given} is not a Tool; armlab.load_tool loads one by its name"),
                given=shown(tool),
            )
        return self._changed(tool=tool)

    def with_base(self, base: ArrayLike) -> Robot:
        """Return the same arm standing at T_world_base = `base`."""
        return self._changed(base=base)

    def with_pair_rules(self, rules: Iterable[PairRule]) -> Robot:
        """Return the same arm with more rules about which parts are compared; they come after those it has."""
        return self._changed(pair_rules=(*self.pair_rules, *rules))

    def configuration(self, name: str) -> Floats:
        """Return the joint values kept under `name`; `home` is always known.

        Raises:
            UnknownName: if the robot has no configuration of that name.
        """
        if name == "home":
            return self.home
        if name not in self.configurations:
            raise UnknownName("configuration", name, ("home", *self.configurations), owner=self.name)
        return self.configurations[name]

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by what the robot was made of."""
        made_of = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return _rebuilt, ({**made_of, "configurations": dict(self.configurations)},)

    def _changed(self, **changes: Any) -> Robot:
        return replace(self, **{"configurations": dict(self.configurations), **changes})

    def is_plain_row(self, q: object) -> TypeGuard[Floats]:
        """Tell whether `q` is a row of n doubles, which needs no conversion; the values are not looked at."""
        return type(q) is np.ndarray and q.shape == self._shape and q.dtype is _FLOAT64

    def _rows(self, q: ArrayLike) -> tuple[Floats, bool]:
        if type(q) is np.ndarray and q.ndim == 2 and q.shape[1] == self.dof and q.dtype is _FLOAT64 and q.flags.carray:
            return q, False  # the kernels check the values
        return as_rows(q, self.dof, f"{self.name}: q")

    def _expanded(self, rows: Floats) -> Floats:
        """Return the values of all joints of the chain, those of the arm's own checked."""
        assert self.coupling is not None
        if not (np.abs(rows) <= LARGEST).all():
            self._refuse(rows)
        return self.coupling.expand(rows)

    def _is_strided(self, q: Floats) -> bool:
        return self.is_plain_row(q) and not q.flags.c_contiguous

    def _fill(self, kernel: Callable[[Floats, Floats], bool], rows: Floats, out: Floats) -> None:
        """Run a batch kernel over `rows`, on all cores where there are many; every value must be usable."""
        if not all(map_slices(lambda part: kernel(rows[part], out[part]), rows.shape[0])):
            self._refuse(rows)

    def _refuse(self, rows: Floats) -> None:
        as_rows(rows, self.dof, f"{self.name}: q")
        row, i = np.unravel_index(int(np.argmax(np.abs(rows))), rows.shape)
        joint, value = self.joints[i], float(rows[row, i])
        if joint.kind == "revolute":
            template = _("joint '{joint}': {value:g} rad is outside ±{largest:g} rad; is it in another unit?")
        else:
            template = _("joint '{joint}': {value:g} m is outside ±{largest:g} m; is it in another unit?")
        raise InvalidInput("joint_value_too_large", template, joint=joint.name, value=value, largest=LARGEST)


def _rebuilt(made_of: dict[str, Any]) -> Robot:
    return Robot(**made_of)


def _check_parts(robot: Robot) -> None:
    who: str | Message = robot.name or term(_("robot"))
    joints = len(robot.joints) + len(robot.followers)
    check_joint_count(joints, who)
    if len(robot.links) != joints + 1:
        raise InvalidInput(
            "link_count",
            _("{who}: {joints} joints need {expected} links, got {links}"),
            who=who,
            joints=joints,
            expected=joints + 1,
            links=len(robot.links),
        )
    joint_names = [joint.name for joint in (*robot.joints, *(follower.joint for follower in robot.followers))]
    _check_unique(who, _("{who}: two joints are named '{name}'"), joint_names)
    names = robot.part_names
    _check_unique(who, _("{who}: two links are named '{name}'"), names)
    for rule in robot.pair_rules:
        for name in (rule.first, rule.second):
            if name not in names:
                raise UnknownName("link", name, names, owner=robot.name)


def check_joint_count(count: int, who: str | Message) -> None:
    """Raise InvalidInput unless an arm or linkage can have that many joints."""
    if not 1 <= count <= MAX_JOINTS:
        raise InvalidInput(
            "joint_count_range",
            _("{who}: {count} joints given; 1 to {most} are allowed"),
            who=who,
            count=count,
            most=MAX_JOINTS,
        )


def _check_unique(who: str | Message, template: str, names: Sequence[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise InvalidInput("name_twice", template, who=who, name=name)


def _chain_of(robot: Robot) -> Chain:
    """Return the arm as the kernels take it; its arrays are writable, as all kernels expect, and never written to."""
    constants = np.zeros((robot.dof + 1, KIND + 1))
    to_link = np.empty((robot.dof, 3, 3))
    revolute = np.array([1.0 if joint.kind == "revolute" else 0.0 for joint in robot.joints])
    T = robot.base
    for i, joint in enumerate(robot.joints):
        aligned = np.eye(4)
        aligned[:3, :3] = turn_z_to(joint.axis)
        constants[i, :KIND] = _flat(T @ joint.T_parent_joint @ aligned)
        constants[i, KIND] = revolute[i]
        to_link[i] = aligned[:3, :3].T
        T = pose.inverse(aligned)
    constants[-1, :KIND] = _flat(T @ robot.flange @ robot.tool.T_flange_tool)
    return Chain(constants, revolute, robot.lower.copy(), robot.upper.copy(), to_link)


def turn_z_to(axis: Floats) -> Floats:
    """Return a rotation (3, 3) that takes the z axis to the unit vector `axis`, and is the identity for z itself."""
    flip = np.diag([1.0, -1.0, -1.0]) if axis[2] < 0 else np.eye(3)
    x, y, z = axis if axis[2] >= 0 else -axis
    K = np.array([[0.0, 0.0, x], [0.0, 0.0, y], [-x, -y, 0.0]])
    R: Floats = (np.eye(3) + K + K @ K / (1.0 + z)) @ flip
    return R


def _flat(T: Floats) -> Floats:
    return np.concatenate([T[:3, :3].ravel(), T[:3, 3]])
