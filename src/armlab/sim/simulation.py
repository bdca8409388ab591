"""A simulation: arms and bodies of a scene in one of three structures, commanded, stepped and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import ArmlabError, InvalidInput, UnknownName
from armlab.messages import _
from armlab.model.linkage import Linkage
from armlab.model.parts import Joint
from armlab.model.scene import Body, Scene
from armlab.motion.trajectory import Trajectory
from armlab.sim.bounds import check_scene
from armlab.sim.drives import Drive
from armlab.sim.following import checked_command, checked_rows, follow_commands
from armlab.sim.given import (
    Drives,
    Grasp,
    all_drives,
    check_free,
    check_given,
    check_grip,
    check_linkage,
    check_names,
    checked_count,
    checked_timestep,
)
from armlab.sim.hierarchy import Hierarchy
from armlab.sim.hooks import StepHooks, steps_per_period
from armlab.sim.mechanism import Mechanism, check_masses, of_linkage, of_scene
from armlab.sim.physics import Physics
from armlab.sim.placing import ArmStates, place
from armlab.sim.probe import SimProbe
from armlab.sim.pushes import BodyPushes
from armlab.sim.state import Mode, SimRun, SimSnapshot, SimState, Structure
from armlab.sim.step_log import StepLog
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
        check_linkage(linkage, structure)
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
        check_names(structure, contacts)
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
        at, speeds, forces = checked_command(self._mechanisms[k], q, qd, tau)
        mode: Mode = "q" if at is not None else "qd" if speeds is not None else "tau"
        if self._core.modes[k] != mode:
            self._core.set_mode(k, mode)
        values = at if at is not None else speeds if speeds is not None else forces
        assert values is not None
        self._core.command(k, values, speeds if mode == "q" else None)

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

        The same as `command` and `step` row by row, but much faster; see `follow_together`.
        """
        self.follow_together({self.robots[self._index(robot)]: (q, qd)})

    def follow_together(self, motions: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> None:
        """The same for several arms by name, each with as many rows of `q` and `qd`: all move in the same steps.

        Raises:
            InvalidInput: if the values cannot be used; nothing is done then.
            SimulationDiverged: if numbers leave all bounds; the state is then that of the last good step.
        """
        indexed = {self._index(name): rows for name, rows in motions.items()}
        checked = {k: checked_rows(self._mechanisms[k], *rows) for k, rows in indexed.items()}
        follow_commands(self, self._core, checked, self._mechanisms)

    def follow_block(self, core: Hierarchy | Physics, arms: tuple[int, ...], q: Floats, qd: Floats) -> int:
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

    @contextmanager
    def logged(self) -> Iterator[StepLog]:
        """Note in a log what all joints do in the steps that are made meanwhile."""
        log = StepLog(self._core)
        before, self._core.log = self._core.log, log
        try:
            yield log
        finally:
            self._core.log = before

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

    def reset(self, q: ArrayLike | Mapping[str, ArrayLike] | None = None) -> None:
        """Go back to the start; with `q`, arms start there: (n,) of the only arm, or such values by the arms' names.

        Raises:
            InvalidInput, UnknownName: as in `set_state`; the simulation then stays as it is.
        """
        starts = {} if q is None else q if isinstance(q, Mapping) else {self.robots[0]: q}
        self._place(self._start, {name: (values, None) for name, values in starts.items()}, {})

    def set_state(
        self,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        *,
        robot: str | None = None,
        bodies: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        """Put an arm at `q`, moving with `qd` or at rest, and loose bodies at poses T_world_body, at rest.

        What the arm holds goes with it. If it follows positions, it is told to stay there; speeds and forces that it
        is told stand. The time goes on.

        Raises:
            InvalidInput, UnknownName: if it cannot be there; the simulation then stays as it is.
            NotSupported: for a closed chain.
        """
        if q is None and qd is not None:
            raise InvalidInput("speeds_without_positions", _("set_state: qd needs q"))
        name = self.robots[self._index(robot)]
        self._place(self.snapshot(), {} if q is None else {name: (q, qd)}, bodies or {})

    def _place(self, base: SimSnapshot, arms: ArmStates, bodies: Mapping[str, ArrayLike]) -> None:
        indexed = {self._index(name): state for name, state in arms.items()}
        before = self.snapshot()
        self.restore(base)
        try:
            place(self._core, self._mechanisms, indexed, bodies)
        except ArmlabError:
            self.restore(before)
            raise

    def halt(self) -> None:
        """Take the speed from arms and bodies; all stay where they are, and commands stand."""
        self._core.halt()

    def attach(self, body: str, robot: str | None = None) -> None:
        """Let an arm hold a loose body exactly as it is now, whether they touch or not."""
        k, b = self._index(robot), self._body(body)
        holder = int(self._core.holder[b])
        check_free(self._bodies[b], self.robots[holder] if holder >= 0 else None)
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
        check_grip(made, isinstance(core, Physics), width)
        if isinstance(core, Physics):
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
