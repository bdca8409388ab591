"""An arm with coupled joints in the browser: its own joints have sliders, and its followers move with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from coupled_arms import PALLETISER, coupled_arm
from e2e.chromium import Workbench
from e2e.test_import import dropped

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def frames_shown(tab: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(tab.evaluate("() => [...armlab.live.frames]")).reshape(-1, 7)


def put_on_the_bench(workbench: Workbench) -> Any:
    """Bring the palletiser as a person does; return its tab."""
    tab = workbench.open("scara").tab
    transfer = dropped(tab, "palletiser.urdf", PALLETISER.encode())
    tab.dispatch_event("body", "drop", {"dataTransfer": transfer})
    dialog = tab.get_by_role("dialog", name="Import: palletiser.urdf")
    dialog.get_by_text("joint 'upright' follows joint 'shoulder'").wait_for()
    dialog.get_by_role("button", name="Use this arm").click()
    workbench.await_arm("palletiser")
    tab.wait_for_function("() => armlab.live.q.length === 4 && armlab.live.frames.length === 7 * 8")
    return tab


def test_followers_move_with_the_sliders_of_their_leaders(workbench: Workbench) -> None:
    tab = put_on_the_bench(workbench)
    robot = coupled_arm("palletiser")
    np.testing.assert_allclose(frames_shown(tab)[:, :3], robot.frames(robot.home)[:, :3, 3], atol=1e-4)
    tab.get_by_role("tab", name="Jog", exact=True).click()
    tab.get_by_role("radio", name="Sliders").click()
    tab.locator('.joint[data-joint="spin"]').wait_for()
    named = tab.locator(".joint[data-joint]").evaluate_all("rows => rows.map(row => row.dataset.joint)")
    assert named == ["turn", "shoulder", "lift", "spin"]
    tab.locator("canvas").first.focus()
    tab.keyboard.down("s")
    tab.wait_for_function("() => armlab.live.q[1] < -10")
    tab.keyboard.up("s")
    tab.wait_for_function("() => Math.abs(armlab.live.qd[1]) < 0.01")
    moved = frames_shown(tab)
    q = np.radians(tab.evaluate("() => [...armlab.live.q]"))
    np.testing.assert_allclose(moved[:, :3], robot.frames(q)[:, :3, 3], atol=1e-3)
    tab.get_by_role("tab", name="Kinematics").click()
    tab.get_by_role("button", name="Use current pose").first.click()
    tab.get_by_role("button", name="Find all solutions").click()
    tab.locator("[data-solution]").first.wait_for()
    tab.get_by_role("tab", name="Arm", exact=True).click()
    tab.get_by_role("button", name="Limits", exact=True).wait_for()
    assert tab.get_by_role("button", name="Link lengths").count() == 0
    tab.get_by_role("button", name="Coupled joints", exact=True).click()
    tab.get_by_role("row", name="level lift").wait_for()


def test_a_sensor_on_a_coupled_arm_shows_its_signals_and_no_estimate(workbench: Workbench) -> None:
    tab = put_on_the_bench(workbench)
    tab.get_by_role("tab", name="Sensors", exact=True).click()
    tab.get_by_role("button", name="Add sensor").click()
    tab.get_by_text("are not estimated").wait_for()
    tab.get_by_role("rowheader", name="eskf").or_(tab.get_by_role("cell", name="eskf")).first.wait_for()
    assert tab.get_by_role("checkbox", name="Show the estimated arm").count() == 0
    assert tab.evaluate("() => armlab.project.value.sensors.length") == 1
