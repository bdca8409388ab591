"""The player: an execution as a page has it in its hands, and what is known of it before it is over."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count, islice
from typing import NamedTuple

from armlab.arrays import Floats
from armlab.cell.events import PlayerProgress, PlayerReport, What
from armlab.cell.preview import Preview, preview_of
from armlab.errors import InvalidInput, LimitViolation
from armlab.messages import _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.limits import Limits
from armlab.motion.trajectory import Trajectory
from armlab.motion.verify import exact_excesses
from armlab.program.execution import Execution
from armlab.program.execution.execution import KEPT_S
from armlab.program.execution.history import Again
from armlab.program.executor import Event, Executor, Piece
from armlab.program.instructions import Pick, Place, ReadInput
from armlab.program.signals import InputChange, Value, inputs_read

NO_PLAYER = PlayerReport(what="none", duration=0.0, segments=(), path=(), t=(), q=(), qd=(), qdd=(), findings=())
MOST_ACTS = 10_000
"""Picks and places that are kept, so that bodies can be put to where they are at any time."""
MOST_VALUES = 256
"""Outputs, and variables, that a page is told."""
BEFORE = 1e-3
"""s: a step back goes to the statement that began at least so long ago."""


_NUMBERS = count(1)


class Act(NamedTuple):
    """A pick or place at a time (s), with the joints (n,) at that moment."""

    time: float
    instruction: Pick | Place
    q: Floats


class PlayGuard:
    """Follows what a player plans ahead, and refuses what must not be played: position limits hold always.

    Args:
        limits: those of the arm
        anyway: whether what exceeds other limits is played all the same
    """

    def __init__(self, limits: Limits, *, anyway: bool) -> None:
        self.held: str | None = None
        self._limits, self._anyway = limits, anyway

    def take(self, item: Piece | Event) -> list[Finding]:
        """Return why an item must not be played."""
        if isinstance(item, Event):
            if isinstance(item.instruction, Pick | Place):
                self.held = item.instruction.body if isinstance(item.instruction, Pick) else None
            return []
        try:
            check_positions(item.trajectory, self._limits, item.start)
        except LimitViolation as error:
            span = item.instruction.span
            return [Finding("error", error.message, {} if span is None else {"line": span.line})]
        return [] if self._anyway else [found for found in item.findings if found.severity == "error"]


def check_positions(trajectory: Trajectory, limits: Limits, start: float = 0.0) -> None:
    """Check that a motion that begins at a time (s) stays within the position limits.

    Raises:
        LimitViolation: if it does not.
    """
    outside = next(iter(exact_excesses(trajectory.pieces, limits, 0)), None)
    if outside is not None:
        raise LimitViolation(
            "motion_outside_joint_limits",
            _("joint {number} would leave its position limits at {time:.2f} s; change the points or the scheme"),
            number=outside.joint + 1,
            time=start + outside.time,
        )


class Player(Execution):
    """An execution that a page plays: with a preview, inputs to switch, and bodies that are picked and placed.

    Args:
        what: what is played
        items: an executor, or pieces and events that are planned already
        preview: what is known of it so far
        again: begins it once more; without it all of it is kept
        guard: refuses what must not be played
        inputs: digital inputs by name at its beginning, which may be switched
    """

    def __init__(
        self,
        what: What,
        items: Iterable[Piece | Event],
        preview: Preview,
        *,
        again: Again | None = None,
        guard: PlayGuard | None = None,
        inputs: dict[str, Value] | None = None,
    ) -> None:
        kept = float("inf") if again is None else KEPT_S
        super().__init__(items, follower=guard, listeners=(self._note,), again=again, kept=kept)
        self.what = what
        self.number = next(_NUMBERS)
        """Tells it from others."""
        self.preview = preview
        self.inputs = None if inputs is None else dict(inputs)
        """What digital inputs are now."""
        self.switched: list[InputChange] = []
        """Which inputs were switched, and when: whoever goes back comes by there again."""
        self.loop = False
        """Whether it begins again at its end."""
        self.look_further: Callable[[], Preview] | None = None
        """Runs it ahead for a better preview; for a job."""
        self.acts: list[Act] = []
        self.acts_done = 0
        """How many picks and places were done, or passed over."""
        self.look_ahead(is_there=False)

    @classmethod
    def of(cls, what: What, trajectory: Trajectory, findings: tuple[Finding, ...] = ()) -> Player:
        """Return a player with a motion that is planned whole."""
        return cls(what, [Piece(0.0, trajectory, ())], preview_of(trajectory, findings))

    def _note(self, item: Piece | Event) -> None:
        if not isinstance(item, Event) or not isinstance(item.instruction, Pick | Place):
            return
        while self.acts and self.acts[-1].time >= item.time:  # it was gone back to before this
            self.acts.pop()
        self.acts.append(Act(item.time, item.instruction, self.at(item.time).q))

    @property
    def duration(self) -> float:
        """How long it takes (s), as far as that is known."""
        return self.end if self.is_whole else max(self.preview.duration, self.end)

    @property
    def has_own_bodies(self) -> bool:
        """Whether it finds bodies where the project has them."""
        return self.what in {"scenario", "program"}

    def advance(self, seconds: float) -> list[Event]:
        """Let time pass, and return the events whose time has come."""
        due = super().advance(seconds)
        self.acts_done += sum(isinstance(event.instruction, Pick | Place) for event in due)
        return due

    def seek(self, time: float) -> None:
        """Be at another time, or at the end, and hold there; picks and places before it are not done.

        What was read before that time is as it was; what is read behind it, as the inputs are now.
        """
        super().seek(time)
        self.acts_done = len(self.acts_before(self.time))
        if self.inputs is not None and isinstance(self.executor, Executor):
            signals = self.executor.signals
            before = [change for change in self.switched if change.at <= self.time]
            now = [InputChange(self.time, *one) for one in self.inputs.items() if signals.inputs.get(one[0]) != one[1]]
            self.switched[:] = [*before, *now]
            signals.script = ()
            signals.inputs.update(self.inputs)

    def switch(self, name: str, value: Value) -> None:
        """Give an input another value: a program sees it from now on."""
        if self.inputs is None or not isinstance(self.executor, Executor):
            return
        self.inputs[name] = self.executor.signals.inputs[name] = value
        self.switched.append(InputChange(self.time, name, value))

    def acts_before(self, time: float) -> list[Act]:
        """Return the picks and places that begin before a time (s).

        Raises:
            InvalidInput: if there were so many that they are not kept.
        """
        if len(self.acts) > MOST_ACTS:
            raise InvalidInput("execution_forgotten", _("what was done so long ago is not kept"))
        return [act for act in self.acts if act.time < time]

    def start_of_last(self) -> float:
        """Return when (s) the statement began that a step back goes to."""
        before = self.statement_at(self.time - BEFORE)
        return 0.0 if before is None else before.time

    def report(self, robot: Robot) -> PlayerReport:
        """Return what is played, sampled for the page."""
        known = {"duration": round(self.end, 6), "ending": "known"} if self.is_whole else {}
        return self.preview.report(self.what, robot).model_copy(update={"number": self.number, **known})

    def progress(self) -> PlayerProgress:
        """Return where it is."""
        at, waits = self.statement_at(self.time), self.waits_for
        names: tuple[str, ...] | None = None
        if waits is not None:
            names = (waits.name,) if isinstance(waits, ReadInput) else tuple(inputs_read(waits.condition))
        return PlayerProgress(
            line=None if at is None or at.span is None else at.span.line,
            step=at.index if at is not None and self.what == "scenario" else None,
            waits=names,
            outputs=_first(self.values.outputs),
            variables=_first({k: v for k, v in self.values.variables.items() if not k.startswith("#5")}),
            is_over=self.is_over,
        )


def _first(values: dict[str, Value]) -> dict[str, Value]:
    return dict(islice(values.items(), MOST_VALUES))
