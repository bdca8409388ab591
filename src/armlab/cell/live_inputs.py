"""Inputs that are switched while a program is played: what comes behind the switch is planned again.

A program is planned whole before it is played. An input is read only where the arm stands or a motion may be ended,
so a plan with a switch at some time is the same as the one without up to that time: the player goes on in it. The
switch counts from a moment ahead of the player, as long as the planning takes; at once where the arm stands, or is on
its way to where the program starts.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from armlab.cell import commands as c
from armlab.cell.arm_runtime import ArmRuntime
from armlab.cell.playback import check_playable
from armlab.cell.player import Player
from armlab.cell.session import Session
from armlab.errors import PlanningFailed
from armlab.messages import _
from armlab.motion.limits import limits_of
from armlab.program.signals import InputChange

SOONEST_S = 0.1
"""s of real time between a switch and when it counts, at least, while the arm moves."""
MORE = 1.5
"""The next planning may take so much longer than the last."""
TRIALS = 4


def switch_input(
    session: Session, arm: ArmRuntime, command: c.SwitchInput
) -> tuple[Callable[[], Player], Callable[[Player], None]]:
    """Return what plans the program that is played with another value of an input, and what goes on in that.

    Where no program is played, there is nothing to do: the project has the inputs of the next run.
    """
    player = arm.player
    assert player is not None
    assert player.planned_with is not None
    planned_with, limits = player.planned_with, limits_of(arm.robot)

    def stands() -> bool:
        return player.stands or (arm.player is player and arm.is_approaching)

    def compute() -> Player:
        ahead = SOONEST_S + MORE * player.planning_s
        for _trial in range(TRIALS):
            at = player.now + (0.0 if stands() else ahead * player.rate)
            begun = time.perf_counter()
            made = planned_with((*player.switched, InputChange(at, command.name, command.value)))
            made.planning_s = time.perf_counter() - begun
            check_playable(made, limits, anyway=True)
            if stands() or player.now + SOONEST_S / 2.0 * player.rate <= at:
                return made
            ahead = SOONEST_S + 2.0 * MORE * made.planning_s
        return made

    def apply(made: Player) -> None:
        now = session.arms.get(arm.name)
        if now is None or now.player is not player:
            return
        if not player.take_plan(made):
            raise PlanningFailed(
                "input_too_late",
                _("input {name}: the program was past the switch before it was planned; pause it first"),
                name=command.name,
            )
        session.tell(now.report)

    return compute, apply


def can_switch(arm: ArmRuntime) -> bool:
    """Tell whether a program is played that may see an input change."""
    return arm.player is not None and arm.player.planned_with is not None and not arm.player.is_over
