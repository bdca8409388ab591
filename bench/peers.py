"""Other libraries, each behind the same few functions; targets take a peer's own form before the clock starts.

A peer that is not installed on this platform, or cannot do an arm, says so with `Cannot`; its rows stay empty.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.model.robot import Robot

BASE, TIP = "base", "tool"


class Cannot(Exception):
    """A peer that has no answer for this arm; the message says why."""


def as_is(T: Floats) -> Any:
    """A target in the form of most peers."""
    return T


@dataclass(frozen=True)
class IkPeer:
    """A solver: `solve(form(T), start)` returns joints, or None."""

    label: str
    solve: Callable[[Any, Floats], Any]
    form: Callable[[Floats], Any] = as_is


@dataclass(frozen=True)
class AllPeer:
    """A solver of everything: `solve(form(T))` returns its own answer, `rows` reads joints (k, n) out of it."""

    label: str
    solve: Callable[[Any], Any]
    rows: Callable[[Any], Any]
    form: Callable[[Floats], Any] = as_is
    batch: Callable[[Any], Any] | None = None
    batch_label: str = ""


Builders: TypeAlias = Sequence[tuple[str, Callable[[Robot], Any]]]
"""Peers by their labels; each is built for one arm."""


def each(builders: Builders, robot: Robot) -> Iterator[tuple[str, Any, str]]:
    """Yield label, peer and an empty text; or label, None and why the peer is left out."""
    for label, build in builders:
        try:
            yield label, build(robot), ""
        except Cannot as cannot:
            yield label, None, f"cannot: {cannot}"
        except ImportError:
            yield label, None, "not installed here"


class Pinocchio:
    """Pinocchio on the URDF that we write."""

    def __init__(self, robot: Robot) -> None:
        import pinocchio as pin

        self.model = pin.buildModelFromXML(armlab.urdf_text(robot))
        self.pin, self.data = pin, self.model.createData()
        self.frame = self.model.getFrameId(TIP)

    def fk(self, q: Any) -> Any:
        self.pin.forwardKinematics(self.model, self.data, q)
        return self.pin.updateFramePlacement(self.model, self.data, self.frame)

    def matrix(self, q: Any) -> Any:
        return self.fk(q).homogeneous

    def jacobian(self, q: Any) -> Any:
        return self.pin.computeFrameJacobian(self.model, self.data, q, self.frame, self.pin.LOCAL_WORLD_ALIGNED)


class Toolbox:
    """roboticstoolbox's elementary transform sequence, its fastest form."""

    def __init__(self, robot: Robot) -> None:
        from roboticstoolbox import ET, ETS

        parts = []
        for i, row in enumerate(robot.chain.constants):
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = row[:9].reshape(3, 3), row[9:12]
            parts.append(ET.SE3(T))
            if i < robot.dof:
                limits = [robot.lower[i], robot.upper[i]]
                kind = ET.Rz if robot.chain.revolute[i] else ET.tz
                parts.append(kind(jindex=i, qlim=limits))
        self.ets = ETS(parts)
        self.fk = self.matrix = self.fk_batch = self.ets.eval
        self.jacobian = self.ets.jacob0

    def ik(self, T: Any, start: Any) -> Any:
        answer = self.ets.ik_LM(T, q0=start, tol=1e-13)
        return answer.q if answer.success else None


def opw_robot() -> Any:
    """The KUKA KR6 R700 of py-opw-kinematics, with our zero and our signs, through its raw and faster binding."""
    from py_opw_kinematics import KinematicModel
    from py_opw_kinematics._internal import Robot as Raw

    model = KinematicModel(
        a1=0.025,
        a2=-0.035,
        b=0.0,
        c1=0.400,
        c2=0.315,
        c3=0.365,
        c4=0.080,
        offsets=(0.0, -np.pi / 2, 0.0, 0.0, 0.0, 0.0),
        flip_axes=(True, False, False, True, False, True),
    )
    return Raw(model, degrees=False)


def toolbox_ik(robot: Robot) -> IkPeer:
    return IkPeer("roboticstoolbox", Toolbox(robot).ik)


def ssik_ik(robot: Robot) -> IkPeer:
    module = _ssik_module(robot)

    def solve(T: Any, _start: Any) -> Any:
        found = module.solve(T, max_solutions=1)
        return found[0].q if found else None

    return IkPeer("ssik", solve)


def optik_ik(robot: Robot) -> IkPeer:
    import optik

    if not robot.chain.revolute.all():
        raise Cannot("it panics on sliding joints")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.urdf"
        armlab.write_urdf(robot, path)
        arm = optik.Robot.from_urdf_file(str(path), BASE, TIP)
    arm.set_parallelism(1)
    tight = optik.SolverConfig(max_time=0.1, tol_f=1e-13, tol_df=-1.0, tol_dx=-1.0)

    def solve(T: Any, start: Any) -> Any:
        answer = arm.ik(tight, T, start)
        return None if answer is None else answer[0]

    return IkPeer("OptIK", solve)


def trac_ik(robot: Robot) -> IkPeer:
    import pytracik

    text = re.sub(
        "<inertial>.*?</inertial>", "", armlab.urdf_text(robot), count=1, flags=re.DOTALL
    )  # no mass at the base
    solver = pytracik.TRAC_IK(BASE, TIP, text, 0.05, 5e-7, pytracik.SolveType.Speed)

    def form(T: Floats) -> Any:
        w, x, y, z = pose.as_quaternion(T).tolist()
        return (*T[:3, 3].tolist(), x, y, z, w)

    def solve(target: Any, start: Any) -> Any:
        answer = pytracik.ik(solver, start, *target)
        return answer[1:] if answer[0] >= 0 else None

    return IkPeer("TRAC-IK, 2 threads", solve, form)


def eaik_all(robot: Robot) -> AllPeer:
    from eaik.pybindings import EAIK

    if robot.dof > 6 or not robot.chain.revolute.all():
        raise Cannot("up to 6 turning joints only")
    z, steps, R_home = _axes(robot)
    arm = EAIK.Robot(z.T, steps.T, R_home, [], True)
    if not arm.has_known_decomposition():
        raise Cannot("no known decomposition")

    def solve(T: Any) -> Any:
        answer = arm.calculate_IK(T)
        return answer.Q, answer.is_LS

    def rows(answer: Any) -> Any:
        return [q for q, least_squares in zip(*answer, strict=True) if not least_squares]

    return AllPeer(
        "EAIK",
        solve,
        rows,
        batch=lambda T: arm.calculate_IK_batched(list(T), 1),
        batch_label="EAIK batched, 1 worker",
    )


def ik_geo_all(robot: Robot) -> AllPeer:
    """ik-geo wants the wrist's axes to share a point where they meet, and hands matrices over column by column."""
    import ik_geo

    kinds = {
        "kuka-kr6-r700": ("spherical_two_parallel", (3, 4, 5)),
        "ur5e": ("three_parallel_two_intersecting", (4, 5)),
    }
    if robot.name not in kinds:
        raise Cannot("its kind is not set up here")
    kind, meeting = kinds[robot.name]
    z, steps, R_home = _axes(robot, meeting)
    arm = getattr(ik_geo.Robot, kind)(z.tolist(), steps.tolist())

    def rows(answer: Any) -> Any:
        return [q for q, least_squares in answer if not least_squares]

    return AllPeer(
        "ik-geo", lambda target: arm.get_ik(*target), rows, lambda T: (R_home @ T[:3, :3].T, T[:3, 3].copy())
    )


def opw_all(robot: Robot) -> AllPeer:
    if robot.name != "kuka-kr6-r700":
        raise Cannot("it needs a spherical wrist; only the KR6 R700 is set up here")
    arm = opw_robot()
    return AllPeer(
        "py-opw-kinematics",
        arm.inverse,
        np.array,
        batch=lambda T: arm.reach(T.reshape(-1, 16), threads=1),
        batch_label="py-opw-kinematics reach, 1 thread",
    )


def ssik_all(robot: Robot) -> AllPeer:
    module = _ssik_module(robot)

    def solve(T: Any) -> Any:
        return module.solve(T, respect_limits=False, enumerate_windings=False)

    return AllPeer("ssik", solve, lambda answer: [solution.q for solution in answer])


def ssik_inside(robot: Robot) -> AllPeer:
    """What lies inside the limits, each whole turn listed: what `all_ik` with `turns` gives."""
    module = _ssik_module(robot)
    return AllPeer("ssik, with limits and turns", module.solve, lambda answer: [solution.q for solution in answer])


ONE_SOLUTION: tuple[tuple[str, Callable[[Robot], IkPeer]], ...] = (
    ("ssik", ssik_ik),
    ("roboticstoolbox", toolbox_ik),
    ("OptIK", optik_ik),
    ("TRAC-IK, 2 threads", trac_ik),
)
ALL_SOLUTIONS: tuple[tuple[str, Callable[[Robot], AllPeer]], ...] = (
    ("ik-geo", ik_geo_all),
    ("py-opw-kinematics", opw_all),
    ("EAIK", eaik_all),
    ("ssik", ssik_all),
)


def _ssik_module(robot: Robot) -> Any:
    """The module that `ssik build` writes for the arm: its fastest way."""
    import ssik

    if robot.dof not in {6, 7} or not robot.chain.revolute.all():
        raise Cannot("6 or 7 turning joints only")
    name = f"ssik_{ssik.__version__}_{robot.name}".replace("-", "_").replace(".", "_")
    if name in sys.modules:
        return sys.modules[name]
    with tempfile.TemporaryDirectory() as folder:
        urdf, module = Path(folder) / "arm.urdf", Path(folder) / f"{name}.py"
        armlab.write_urdf(robot, urdf)
        build = [str(Path(sys.executable).with_name("ssik")), "build", str(urdf), "--base", BASE, "--ee", TIP]
        options = ["--no-validate", "--module-name", name, "--out", str(module)]
        subprocess.run([*build, *options], check=True, capture_output=True)
        sys.path.insert(0, folder)
        try:
            return importlib.import_module(name)
        finally:
            sys.path.remove(folder)


def _axes(robot: Robot, meeting: tuple[int, ...] = ()) -> tuple[Floats, Floats, Floats]:
    """Return the axes' directions (n, 3), the steps (n+1, 3) from point to point, and the tool's rotation, all at zero.

    The axes named in `meeting` get the point where the last two of them meet.
    """
    frames = robot.frames(np.zeros(robot.dof))
    z = np.array([T[:3, :3] @ joint.axis for T, joint in zip(frames[1:], robot.joints, strict=False)])
    points = frames[1:-1, :3, 3].copy()
    if meeting:
        i, j = meeting[-2:]
        along = np.linalg.lstsq(np.column_stack([z[i], -z[j]]), points[j] - points[i], rcond=None)[0]
        points[list(meeting)] = points[i] + along[0] * z[i]
    steps = np.diff(np.vstack([np.zeros(3), points, frames[-1, :3, 3]]), axis=0)
    return z, steps, frames[-1, :3, :3]
