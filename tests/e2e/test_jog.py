"""The jog panel in a real browser: buttons to hold, keys, steps, fields, a gamepad."""

from __future__ import annotations

import numpy as np
import pytest
from e2e.chromium import Workbench
from e2e.jogging import (
    FIRST,
    GAMEPAD,
    SOCKETS,
    TWO_PICTURES,
    await_joint,
    await_still,
    await_value,
    choose,
    jog,
    joints,
    press_down,
    tool,
    z_axis,
)
from playwright.sync_api import expect

from armlab.cell.jogging import JOINT_SHARE

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_a_joint_moves_as_long_as_its_button_is_held(workbench: Workbench) -> None:
    tab = jog(workbench)
    home = joints(tab)
    press_down(tab, "A1+")
    await_joint(tab, 0, home[0], 5)
    tab.mouse.up()
    there = await_still(tab)
    assert there[0] > home[0] + 5
    np.testing.assert_allclose(there[1:], home[1:], atol=0.05)
    shown = tab.locator('.jog-row[data-joint="A1"] .jog-value').inner_text()
    assert float(shown.rstrip("°").replace("−", "-")) == pytest.approx(there[0], abs=0.05)
    press_down(tab, "A1-")
    await_joint(tab, 0, there[0], -5)
    tab.mouse.move(600, 400)  # off the button
    await_still(tab)
    tab.mouse.up()


def test_a_held_button_lets_go_when_the_window_or_its_own_focus_is_lost(workbench: Workbench) -> None:
    tab = jog(workbench)
    press_down(tab, "A1+")
    await_joint(tab, 0, 0, 3)
    tab.evaluate("() => dispatchEvent(new Event('blur'))")
    start = await_still(tab)[1]  # although the button is still held
    tab.mouse.up()
    tab.get_by_role("button", name="A2 plus").focus()
    tab.keyboard.down("Space")
    await_joint(tab, 1, start, 3)
    tab.keyboard.press("Tab")
    await_still(tab)
    tab.keyboard.up("Space")


def test_a_lost_socket_ends_the_jog_for_good(workbench: Workbench) -> None:
    workbench.tab.add_init_script(SOCKETS)
    tab = jog(workbench)
    press_down(tab, "A1+")
    await_joint(tab, 0, 0, 3)
    workbench.allow("WebSocket is already in CLOSING or CLOSED state")  # a beat may meet the closing socket
    tab.evaluate("() => sockets.at(-1).close()")
    tab.wait_for_function("() => armlab.link.value !== 'open'")
    tab.wait_for_function("() => armlab.link.value === 'open'")
    await_still(tab)  # although the button is still held
    tab.mouse.up()


def test_keys_move_joints_by_their_place_and_slower_with_shift(workbench: Workbench) -> None:
    tab = jog(workbench, "Sliders")
    assert tab.locator('.joint[data-joint="A1"] kbd').all_inner_texts() == ["A", "D"]
    tab.locator("canvas").first.focus()
    assert FIRST.velocity is not None
    full = FIRST.velocity * JOINT_SHARE * 0.5
    at_speed = "(speed) => Math.abs(armlab.live.qd[0] - speed) < 0.05 * Math.abs(speed)"
    tab.keyboard.down("d")
    tab.wait_for_function(at_speed, arg=full)
    tab.keyboard.down("Shift")
    tab.wait_for_function(at_speed, arg=full / 5)
    tab.keyboard.up("Shift")
    tab.keyboard.up("d")
    there = await_still(tab)
    tab.keyboard.down("s")
    await_joint(tab, 1, there[1], -2)
    tab.keyboard.up("s")
    there = await_still(tab)
    for place in (tab.get_by_label("Tool, X"), tab.locator(".language select")):
        place.focus()  # a key that is typed in a field, or looks for a choice, moves nothing
        tab.keyboard.down("d")
        np.testing.assert_allclose(await_still(tab), there, atol=0.01)
        tab.keyboard.up("d")
    tab.keyboard.press("Escape")


def test_a_step_moves_a_joint_by_exactly_its_size_and_says_where_the_limit_is(workbench: Workbench) -> None:
    tab = jog(workbench)
    choose(tab, "Step", "10°")
    plus = tab.get_by_role("button", name="A1 plus")
    plus.click()
    plus.click()
    await_value(tab, 0, FIRST.home + 20)
    plus.press("Enter")
    await_value(tab, 0, FIRST.home + 30)
    tab.keyboard.down("a")
    tab.keyboard.down("a")  # a key that repeats is one press
    tab.keyboard.up("a")
    await_value(tab, 0, FIRST.home + 20)
    await_still(tab)
    choose(tab, "Jog mode", "Sliders")
    field = tab.locator('.joint[data-joint="A1"]').get_by_role("textbox")
    field.fill(str(FIRST.upper - 4))
    field.press("Enter")
    choose(tab, "Jog mode", "Joints")
    plus.click()
    tab.get_by_text("A1 is at its limit.").wait_for()
    await_value(tab, 0, FIRST.upper)


def test_the_tool_is_jogged_and_stepped_along_its_own_axis_or_that_of_the_base(workbench: Workbench) -> None:
    tab = jog(workbench, "Tool")
    choose(tab, "Frame", "Tool")
    start = tool(tab)
    press_down(tab, "Z+")
    tab.wait_for_function("(z) => armlab.live.frames.at(-5) < z - 0.02", arg=start[2])
    tab.mouse.up()
    await_still(tab)
    moved = tool(tab)[:3] - start[:3]
    along = float(moved @ z_axis(start))
    assert along > 0.02
    np.testing.assert_allclose(moved, along * z_axis(start), atol=2e-3)
    choose(tab, "Frame", "Base")
    low = tool(tab)
    press_down(tab, "Z+")
    tab.wait_for_function("(z) => armlab.live.frames.at(-5) > z + 0.02", arg=low[2])
    tab.mouse.up()
    await_still(tab)
    np.testing.assert_allclose(tool(tab)[:2], low[:2], atol=2e-3)
    choose(tab, "Frame", "Tool")
    choose(tab, "Step", "50 mm 10°")
    start = tool(tab)
    tab.get_by_role("button", name="Z plus").click()
    tab.wait_for_function("(z) => Math.abs(armlab.live.frames.at(-5) - z) < 1e-4", arg=start[2] - 0.05)
    await_still(tab)
    np.testing.assert_allclose(tool(tab)[:3], start[:3] + 0.05 * z_axis(start), atol=3e-4)
    tab.get_by_role("button", name="A plus").click()
    tab.wait_for_function("() => Math.abs(Math.abs(armlab.live.q[5]) - 10) < 0.05")  # the flange looks straight down


def test_a_typed_pose_is_reached_and_one_that_cannot_be_says_why(workbench: Workbench) -> None:
    tab = jog(workbench)
    field = tab.get_by_label("Tool, Y")
    field.fill("120")
    field.press("Enter")
    tab.wait_for_function("() => Math.abs(armlab.live.frames.at(-6) - 0.12) < 1e-4")
    field = tab.get_by_label("Tool, X")
    field.fill("far")
    field.press("Enter")
    tab.get_by_text("“far” is not a number.").wait_for()
    field.fill("5000")
    field.press("Enter")
    card = tab.locator(".jog-refusal")
    card.get_by_text("Target unreachable.").wait_for()
    assert "out of reach" in card.inner_text()
    assert tab.evaluate("armlab.dragged.value.code") == "out_of_reach"
    assert float(np.linalg.norm(tool(tab)[:2])) < 1.0
    tab.locator('[data-hold="A1+"]').click()  # something else moves the arm: the sentence is over
    card.wait_for(state="detached")


def test_a_gamepad_moves_the_arm_only_while_its_dead_man_button_is_held(workbench: Workbench) -> None:
    workbench.tab.add_init_script(GAMEPAD)
    tab = jog(workbench)
    home = joints(tab)
    status = tab.locator(".jog-pad")
    assert "hold LB or RB to move" in status.inner_text()
    tab.evaluate("pad.axes[0] = 1")
    np.testing.assert_allclose(await_still(tab), home, atol=0.01)
    tab.evaluate("pad.buttons[4].pressed = true")
    await_joint(tab, 0, home[0], 3)
    expect(status).to_have_attribute("data-state", "held")
    tab.evaluate("pad.buttons[4].pressed = false")
    there = await_still(tab)
    tab.evaluate("pad.axes[0] = 0.1; pad.buttons[5].pressed = true")
    np.testing.assert_allclose(joints(tab), there, atol=0.05)
    status.and_(tab.locator('[data-state="held"]')).wait_for()
    tab.evaluate("pad.buttons[5].pressed = false")
    await_still(tab)


def test_a_gamepad_that_is_stopped_must_be_let_go_before_it_moves_the_arm_again(workbench: Workbench) -> None:
    workbench.tab.add_init_script(SOCKETS + GAMEPAD)
    tab = jog(workbench)
    status = tab.locator(".jog-pad")

    def hold_on() -> None:
        tab.evaluate("pad.axes[0] = 1; pad.buttons[4].pressed = false")
        status.and_(tab.locator('[data-state="free"]')).wait_for()
        tab.evaluate(TWO_PICTURES)  # sticks and buttons are read once for each
        start = joints(tab)[0]
        tab.evaluate("pad.axes[0] *= armlab.live.q[0] > 60 ? -1 : 1; pad.buttons[4].pressed = true")
        tab.wait_for_function("(q) => Math.abs(armlab.live.q[0] - q) > 2", arg=start)

    hold_on()
    tab.keyboard.press("Escape")
    await_still(tab)  # although the dead-man button is still held
    expect(status).to_have_attribute("data-state", "free")
    hold_on()
    tab.get_by_role("button", name="Stop").click()
    await_still(tab)
    hold_on()
    tab.evaluate("() => dispatchEvent(new Event('blur'))")
    await_still(tab)
    hold_on()
    workbench.allow("WebSocket is already in CLOSING or CLOSED state")  # a beat may meet the closing socket
    tab.evaluate("() => sockets.at(-1).close()")
    tab.wait_for_function("() => armlab.link.value !== 'open'")
    tab.wait_for_function("() => armlab.link.value === 'open'")
    await_still(tab)


def test_a_gamepad_that_is_unplugged_while_held_stops_the_arm(workbench: Workbench) -> None:
    workbench.tab.add_init_script(GAMEPAD)
    tab = jog(workbench)
    tab.evaluate("pad.axes[0] = 1; pad.buttons[4].pressed = true")
    await_joint(tab, 0, 0, 3)
    tab.evaluate("window.kept = pad; window.pad = null; dispatchEvent(new Event('gamepaddisconnected'))")
    await_still(tab)
    assert tab.locator(".jog-pad").count() == 0
    tab.evaluate("window.pad = kept; dispatchEvent(new Event('gamepadconnected'))")
    tab.locator('.jog-pad[data-state="free"]').wait_for()  # it comes back with its button held: that does not count
    await_still(tab)
    tab.evaluate("pad.mapping = ''; pad.buttons[4].pressed = false")
    tab.locator(".jog-pad").wait_for(state="detached")  # its buttons may be anywhere


def test_a_hidden_tab_lets_go_of_keys_and_sticks(workbench: Workbench) -> None:
    workbench.tab.add_init_script(GAMEPAD)
    tab = jog(workbench)
    tab.locator("canvas").first.focus()
    for take in ("pad.axes[0] = 1; pad.buttons[4].pressed = true", ""):
        start = joints(tab)[0]
        if take:
            tab.evaluate(take)
        else:
            tab.keyboard.down("d")
        await_joint(tab, 0, start, 3)
        tab.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
        await_still(tab)
        tab.evaluate("pad.buttons[4].pressed = false")
    tab.keyboard.down("d")  # the key repeats: it was not let go
    await_still(tab)
    tab.keyboard.up("d")


def test_two_keys_move_two_joints_and_the_last_one_that_is_let_go_stops_the_arm(workbench: Workbench) -> None:
    tab = jog(workbench)
    tab.locator("canvas").first.focus()
    home = joints(tab)
    tab.keyboard.down("d")
    tab.keyboard.down("w")
    await_joint(tab, 0, home[0], 3)
    await_joint(tab, 1, home[1], 3)
    tab.keyboard.up("d")
    there = joints(tab)
    await_joint(tab, 1, there[1], 3)
    tab.keyboard.up("w")
    await_still(tab)


def test_a_held_button_that_was_stopped_does_not_begin_again_by_repeating(workbench: Workbench) -> None:
    tab = jog(workbench)
    tab.get_by_role("button", name="A1 plus").focus()
    tab.keyboard.down("Space")
    await_joint(tab, 0, 0, 3)
    tab.evaluate("() => dispatchEvent(new Event('blur'))")
    tab.keyboard.down("Space")  # the keyboard repeats it
    await_still(tab)
    tab.keyboard.up("Space")


def test_a_field_that_is_entered_while_the_arm_moves_keeps_its_number_selected(workbench: Workbench) -> None:
    tab = jog(workbench)
    far = joints(tab)[0] + 60.0
    tab.evaluate(
        "(to) => armlab.send({type: 'move_joints', revision: armlab.doc.value.revision, targets: {0: to}})", far
    )
    await_joint(tab, 0, far - 60.0, 1)
    field = tab.get_by_label("Tool, Y")
    field.focus()
    entered = field.input_value()
    await_value(tab, 0, far)
    gone = "was => Math.abs(document.querySelector('[data-pose=\"Y\"]').dataset.value - was) > 1"
    tab.wait_for_function(gone, arg=float(entered.replace("−", "-")))  # the panel shows other numbers by now
    expect(field).to_have_value(entered)
    tab.keyboard.type("100")
    expect(field).to_have_value("100")
    tab.keyboard.press("Escape")
    expect(field).not_to_have_value(entered)  # it follows the arm again
