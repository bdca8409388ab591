"""A simulation: arms and bodies of a scene in one of three structures, commanded, stepped and read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.messages import _
from armlab.model.linkage import Linkage
from armlab.model.parts import Joint
from armlab.model.scene import Body, Scene
from armlab.motion.trajectory import Trajectory
from armlab.sim.bounds import check_machine, check_scene
from armlab.sim.drives import Drive
from armlab.sim.following import checked_rows, follow_commands
from armlab.sim.given import Drives, Grasp, all_drives, check_forces, check_given, checked_count, checked_timestep
from armlab.sim.hierarchy import Hierarchy
from armlab.sim.hooks import StepHooks, steps_per_period
from armlab.sim.mechanism import Mechanism, check_masses, of_linkage, of_scene
from armlab.sim.physics import Physics
from armlab.sim.probe import SimProbe
from armlab.sim.pushes import BodyPushes
from armlab.sim.state import ArmRow, Mode, SimRun, SimSnapshot, SimState, Structure
from armlab.sim.world import Contacts, build_world


class Simulation:
    """Arms and bodies of a scene that move in steps of `timestep` seconds; the same input gives the same bits.

    Structures: `articulation` (joint coordinates, with masses and drives), `joints` (free links tied by constraints,
    with masses and drives) and `hierarchy` (transforms, without forces).

    Args:
        scene: arms and bodies at the start.
        structure: one of the three.
        timestep: s, 0.00001 to 0.02.
        drives: one for each joint of the only arm, or such lists by the arms' names; left out, `choose_drives`.
        contacts: "all", or "none" where contacts are ignored.
        grasp: "exact", where bodies are attached and released; "friction" gives grippers fingers that close by force.

    Raises:
        InvalidInput: if the timestep or a drive cannot be used, a link has no mass, or things are inside each other.
        UnknownName: if there is no such structure or arm.
    """

    def __init__(
        self,
        scene: Scene,
        structure: Structure = "articulation",
        *,
        timestep: float = 0.001,
        drives: Drives | None = None,
        contacts: Contacts = "all",
        grasp: Grasp = "exact",
    ) -> None:
        check_given(scene, grasp, structure, contacts)
        check_scene(scene)
        self.grasp: Grasp = grasp
        self._set_up(
            of_scene(scene, with_hands=grasp == "friction", with_loops=structure != "hierarchy"),
            scene.bodies,
            scene.gravity,
            structure,
            timestep,
            drives,
            contacts,
        )

    @classmethod
    def of_linkage(
        cls,
        linkage: Linkage,
        structure: Structure = "articulation",
        *,
        timestep: float = 0.001,
        drives: Sequence[Drive] | None = None,
    ) -> Simulation:
        """Return a simulation of a closed chain; it is commanded by its driven joints, and nothing in it touches.

        Raises:
            NotSupported: for a hierarchy: transforms cannot close a chain.
        """
        if structure == "hierarchy":
            raise NotSupported(
                "hierarchy_of_closed_chain",
                _("{linkage}: a hierarchy of transforms cannot hold a closed chain"),
                linkage=linkage.name,
            )
        check_machine(linkage, linkage.name)
        made = cls.__new__(cls)
        made.grasp = "exact"
        gravity = Scene(linkage.name).gravity
        made._set_up((of_linkage(linkage),), (), gravity, structure, timestep, drives, "none")
        return made

    def _set_up(
        self,
        mechanisms: tuple[Mechanism, ...],
        bodies: tuple[Body, ...],
        gravity: Floats,
        structure: Structure,
        timestep: float,
        drives: Drives | None,
        contacts: Contacts,
    ) -> None:
        if structure not in get_args(Structure):
            raise UnknownName("structure", structure, get_args(Structure))
        if contacts not in get_args(Contacts):
            raise UnknownName("contact_mode", contacts, get_args(Contacts))
        self.structure, self.timestep = structure, checked_timestep(timestep)
        self._mechanisms, self._bodies = mechanisms, bodies
        self._indices = {mechanism.name: k for k, mechanism in enumerate(mechanisms)}
        self._core: Hierarchy | Physics
        if structure == "hierarchy":
            self._core = Hierarchy(mechanisms, bodies, self.timestep)
        else:
            for mechanism in mechanisms:
                check_masses(mechanism)
            maximal = structure == "joints"
            world = build_world(
                mechanisms,
                all_drives(mechanisms, drives, self.timestep),
                bodies,
                gravity,
                maximal=maximal,
                timestep=self.timestep,
                contacts=contacts,
            )
            self._core = Physics(world, self.timestep, maximal=maximal)
        self._step, self._token, self._hooks = 0, object(), StepHooks()
        if isinstance(self._core, Physics) and (pushes := BodyPushes(self._core, bodies)):
            pushes.add_to(self, self._hooks)
        self._start = self.snapshot()

    @property
    def step_count(self) -> int:
        """How many steps have been made."""
        return self._step

    @property
    def time(self) -> float:
        """How far the simulation is (s)."""
        return self._step * self.timestep

    @property
    def robots(self) -> tuple[str, ...]:
        """The names of the arms."""
        return tuple(mechanism.name for mechanism in self._mechanisms)

    @property
    def unknowns(self) -> int:
        """How many coordinates and constraint rows a step solves for, as things are now; none in a hierarchy."""
        return self._core.unknowns()

    def joints(self, robot: str | None = None) -> tuple[Joint, ...]:
        """Return the driven joints of an arm; commands are held within their limits."""
        made = self._mechanisms[self._index(robot)]
        return tuple(made.joints[i] for i in made.driven)

    def driven(self, robot: str | None = None) -> tuple[int, ...]:
        """Return which joints of an arm have motors: all of them, but not in a closed chain."""
        return self._mechanisms[self._index(robot)].driven

    def command(
        self,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        robot: str | None = None,
    ) -> None:
        """Tell an arm where to be, how fast to move, or how hard to pull: one value per driven joint, until the next.

        Positions may come with speeds: be at `q`, moving with `qd`, after the next step. Positions and speeds are
        held within the joints' limits. Forces are the whole of what the motors give: nothing then holds the weight.

        Raises:
            InvalidInput: if the values cannot be used; the last command then stands.
        """
        k = self._index(robot)
        if sum(v is not None for v in (q, qd, tau)) != 1 and (q is None or qd is None or tau is not None):
            raise InvalidInput("command_choice", _("command: give one of q, qd and tau, or q together with qd"))
        name = self._mechanisms[k].name
        rows = [
            None if v is None else self._row(k, v, f"{name}: {what}")
            for what, v in (("q", q), ("qd", qd), ("tau", tau))
        ]
        if rows[2] is not None:
            check_forces(name, rows[2])
        self._follow(k, *rows)

    def _follow(self, k: int, q: Floats | None, qd: Floats | None, tau: Floats | None) -> None:
        made = self._mechanisms[k]
        if q is not None:
            q = np.clip(q, made.lower[: len(q)], made.upper[: len(q)])
        if qd is not None:
            fastest = made.velocity[: len(qd)]
            qd = np.clip(qd, -fastest, fastest)
        mode: Mode = "q" if q is not None else "qd" if qd is not None else "tau"
        if self._core.modes[k] != mode:
            self._core.set_mode(k, mode)
        values = q if q is not None else qd if qd is not None else tau
        assert values is not None
        self._core.command(k, values, qd if mode == "q" else None)

    def step(self, n: int = 1) -> None:
        """Advance by `n` steps.

        Raises:
            SimulationDiverged: if numbers leave all bounds; the state is then what it was before this call, or after
                the last call of a hook.
        """
        end = self._step + checked_count(n)
        while self._step < end:
            most = end - self._step
            count = self._hooks.steps_to_next(self._step, most) if self._hooks else most
            self._core.step(count, self._step + 1)
            self._step += count
            self._hooks.call(self, self._step)

    def every(self, rate: float, call: Callable[[Simulation], object]) -> Callable[[], None]:
        """Call `call(self)` `rate` times per simulated second (Hz), after the step that is due; return how to end that.

        Sensors and loggers listen here. A call only reads: it must not step, command or restore the simulation.

        Raises:
            InvalidInput: if the period of `rate` is not a whole number of steps.
        """
        return self._hooks.add(steps_per_period(rate, self.timestep), call)

    def follow(self, q: ArrayLike, qd: ArrayLike, *, robot: str | None = None) -> None:
        """Make one step for each row of `q` and `qd` (m, n): be there, moving so, after that step.

        The same as `command` and `step` row by row, but much faster.

        Raises:
            InvalidInput: if the values cannot be used; nothing is done then.
            SimulationDiverged: if numbers leave all bounds; the state is then that of the last good step.
        """
        k = self._index(robot)
        motions = {k: checked_rows(self._mechanisms[k], q, qd)}
        follow_commands(self, self._core, motions, self._mechanisms)

    def follow_together(self, motions: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> None:
        """The same for several arms by name, each with as many rows of `q` and `qd`: all move in the same steps.

        Raises:
            InvalidInput: if the values cannot be used; nothing is done then.
            SimulationDiverged: if numbers leave all bounds; the state is then that of the last good step.
        """
        indexed = {self._index(name): rows for name, rows in motions.items()}
        checked = {k: checked_rows(self._mechanisms[k], *rows) for k, rows in indexed.items()}
        follow_commands(self, self._core, checked, self._mechanisms)

    def follow_block(self, core: Physics, arms: tuple[int, ...], q: Floats, qd: Floats) -> int:
        """Make the steps of whole blocks between calls of hooks; return how many rows that were."""
        done = 0
        while done < len(q):
            block = slice(done, done + self._hooks.steps_to_next(self._step, len(q) - done))
            if not core.follow(arms, q[block], qd[block]):
                break
            self._step, done = self._step + block.stop - done, block.stop
            self._hooks.call(self, self._step)
        return done

    def state(self, robot: str | None = None) -> SimState:
        """Return where an arm is now, what moves and pulls it, and where the bodies are; reading changes nothing."""
        return self._core.read(self._index(robot), self._step)

    def row(self, robot: str | None = None) -> ArmRow:
        """Return what the driven joints of an arm do now, with nothing else computed; reading changes nothing."""
        return self._core.row(self._index(robot))

    def measure(self) -> SimProbe:
        """Return what can be measured now anywhere in the scene: motions, wrenches and distances."""
        return SimProbe(self, self._core)

    def push(self, body: str, force: ArrayLike = (0, 0, 0), torque: ArrayLike = (0, 0, 0)) -> None:
        """Push a loose body at its centre of mass by force (N) and torque (N m) in the world, until the next call.

        Raises:
            InvalidInput: if the body is fixed, or the structure knows no forces.
        """
        wrench = np.concatenate([as_floats(force, (3,), "force"), as_floats(torque, (3,), "torque")])
        self._core.push(self._body(body), wrench)

    def snapshot(self) -> SimSnapshot:
        """Return all that is needed to go on from here."""
        return SimSnapshot(self._step, self._core.numbers(), self._core.settings(), self._token)

    def restore(self, snapshot: SimSnapshot) -> None:
        """Go back to a snapshot of this simulation."""
        if not isinstance(snapshot, SimSnapshot) or snapshot.owner is not self._token:
            raise InvalidInput("foreign_snapshot", _("restore: the snapshot is of another simulation"))
        self._core.set_settings(snapshot.settings)
        self._core.set_numbers(snapshot.numbers)
        self._step = snapshot.step

    def reset(self) -> None:
        """Go back to the start."""
        self.restore(self._start)

    def halt(self) -> None:
        """Take the speed from arms and bodies; all stay where they are, and commands stand."""
        self._core.halt()

    def attach(self, body: str, robot: str | None = None) -> None:
        """Let an arm hold a loose body exactly as it is now, whether they touch or not."""
        k, b = self._index(robot), self._body(body)
        if self._bodies[b].is_fixed:
            raise InvalidInput(
                "body_is_fixed", _("body '{body}': it is fixed; only a body with a mass can be attached"), body=body
            )
        if self._core.holder[b] >= 0:
            holder = self.robots[int(self._core.holder[b])]
            raise InvalidInput("body_is_held", _("body '{body}': '{robot}' holds it already"), body=body, robot=holder)
        self._core.attach(k, b)

    def release(self, robot: str | None = None) -> tuple[str, ...]:
        """Let an arm go of all that it holds; return the names."""
        k = self._index(robot)
        held = [b for b in range(len(self._bodies)) if self._core.holder[b] == k]
        for b in held:
            self._core.release(b)
        return tuple(self._bodies[b].name for b in held)

    def grip(self, width: float = 0.0, robot: str | None = None) -> None:
        """Close the fingers of a gripper to `width` (m) between them, or until what they press is as strong as they.

        Raises:
            InvalidInput: if the arm has no moving fingers, or the width is not a number ≥ 0.
        """
        k = self._index(robot)
        made, core = self._mechanisms[k], self._core
        if made.opening is None or not isinstance(core, Physics):
            raise InvalidInput(
                "no_fingers", _("{robot}: no moving fingers; they need a gripper and grasp='friction'"), robot=made.name
            )
        if not (width >= 0.0 and math.isfinite(width)):
            raise InvalidInput(
                "negative_width", _("{robot}: width must be ≥ 0, got {width:g} m"), robot=made.name, width=float(width)
            )
        core.grip(k, float(width))

    def open(self, robot: str | None = None) -> None:
        """Open the fingers of a gripper as far as they go."""
        made = self._mechanisms[self._index(robot)]
        self.grip(made.opening or 0.0, robot)

    def play(
        self,
        trajectory: Trajectory,
        robot: str | None = None,
        *,
        times: Floats | None = None,
        on_progress: Callable[[float], object] = lambda _share: None,
    ) -> SimRun:
        """Let an arm follow a trajectory from now on, step by step to its end, and return what happened.

        `times` (m,) says where in the trajectory each step ends; by default one timestep after the other to its end.
        `on_progress` is told now and then which share of the steps, 0 to 1, is done.

        Raises:
            InvalidInput: if the trajectory is of another arm, or longer than can be kept.
        """
        from armlab.sim.playing import play

        k = self._index(robot)
        return play(self, self._core, k, trajectory, times, on_progress)

    def _index(self, robot: str | None) -> int:
        if robot is None:
            return 0
        if robot not in self._indices:
            raise UnknownName("simulated_robot", robot, self.robots)
        return self._indices[robot]

    def _body(self, name: str) -> int:
        names = [body.name for body in self._bodies]
        if name not in names:
            raise UnknownName("simulated_body", name, names)
        return names.index(name)

    def _row(self, k: int, value: ArrayLike, who: str) -> Floats:
        """Return one value per joint from one per driven joint; the others get nothing."""
        mechanism = self._mechanisms[k]
        given = as_floats(value, (len(mechanism.driven),), who)
        if len(mechanism.driven) == mechanism.arm_dof:
            return given.copy()
        out = np.zeros(mechanism.arm_dof)
        out[list(mechanism.driven)] = given
        return out
