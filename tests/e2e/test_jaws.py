"""The jaws of a gripper in the view: closed on what is held, open otherwise; played, scrubbed and reloaded."""

from __future__ import annotations

from typing import Any

import pytest
from e2e.chromium import Workbench

from armlab.catalog import load_tool
from armlab.catalog.scenes import load_scene
from armlab.geometry import solid
from armlab.model.jaws import jaws_of

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

JAWS = "Number(document.querySelector('canvas').dataset.jaws)"


def closed_on(body: str) -> float:
    """Return how far each jaw closes on a cube of the sorting table, mm."""
    jaws = jaws_of(load_tool("gripper"))
    assert jaws is not None
    (shape,) = next(one for one in load_scene("sorting-table").bodies if one.name == body).shapes
    x = solid.mesh(shape).vertices[:, 0]
    return 1000.0 * jaws.travel_to(float(x.max() - x.min()))


def pick_and_place(bench: Workbench) -> Any:
    """Open the scenario that picks and places cubes with a gripper."""
    tab = bench.open().tab
    tab.locator('[data-tab="scenario"]').click()
    tab.locator('[data-scenario="pick-and-place"]').click()
    tab.wait_for_function("() => armlab.project.value.arm.tool === 'gripper'")
    return tab


def await_jaws(tab: Any, travel: float) -> None:
    """Wait until each jaw in the view has closed by `travel` mm."""
    tab.wait_for_function(f"(travel) => Math.abs({JAWS} - travel) < 0.6", arg=travel)


def test_the_jaws_close_on_a_cube_and_open_when_it_is_placed_scrubbed_to_and_after_a_reload(
    workbench: Workbench,
) -> None:
    tab = pick_and_place(workbench)
    await_jaws(tab, 0.0)
    tab.evaluate("() => armlab.send({ type: 'play', what: 'scenario', loop: false, anyway: true })")
    tab.wait_for_function("() => armlab.holding.value === 'cube-red'")
    held = closed_on("cube-red")
    assert held > 3.0
    await_jaws(tab, held)
    at = tab.evaluate("() => { armlab.send({ type: 'pause' }); return armlab.live.playerTime; }")
    tab.evaluate("() => armlab.send({ type: 'seek', time: 0 })")
    tab.wait_for_function("() => armlab.holding.value === null")
    await_jaws(tab, 0.0)
    tab.evaluate("(time) => armlab.send({ type: 'seek', time })", at + 0.2)
    tab.wait_for_function("() => armlab.holding.value === 'cube-red'")
    await_jaws(tab, held)
    tab.reload()
    workbench.await_arm("")
    await_jaws(tab, held)
    tab.evaluate("() => armlab.send({ type: 'place' })")
    await_jaws(tab, 0.0)
