"""The jog panel in a real browser: buttons to hold, keys, steps, the tool's handles and fields, a gamepad."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from e2e.chromium import Workbench
from PIL import Image

from armlab import catalog, reports
from armlab.arrays import Floats
from armlab.runtime.jogging import JOINT_SHARE

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"
SHEET = reports.robot_sheet(catalog.load(ARM))
FIRST = SHEET.joints[0]
MOVING_OR_JOGGING = 3
SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket { constructor(...all) { super(...all); window.sockets.push(this); } };
"""
GAMEPAD = """
const buttons = Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 }));
window.pad = { id: "made up", index: 0, connected: true, mapping: "standard", axes: [0, 0, 0, 0], buttons };
navigator.getGamepads = () => [window.pad, null, null, null];
"""


def jog(workbench: Workbench, mode: str = "Joints") -> Any:
    """Open the page with our arm at home, and the panel in a mode; return the tab."""
    tab = workbench.open(ARM).tab
    tab.get_by_role("tab", name="Jog").click()
    choose(tab, "How to move", mode)
    tab.wait_for_function("() => armlab.live.q.length === 6")
    await_still(tab)
    return tab


def choose(tab: Any, group: str, name: str) -> None:
    """Choose one of a row of choices in the panel."""
    tab.locator(".jog").get_by_role("radiogroup", name=group).get_by_role("radio", name=name, exact=True).check()


def joints(tab: Any) -> Floats:
    """Return where the joints are, in their units."""
    return np.array(tab.evaluate("[...armlab.live.q]"))


def tool(tab: Any) -> Floats:
    """Return the tool's frame: x y z (m), w x y z."""
    return np.array(tab.evaluate("[...armlab.live.frames].slice(-7)"))


def z_axis(frame: Floats) -> Floats:
    """Return the direction of the z axis of a frame."""
    w, x, y, z = frame[3:]
    return np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])


def await_joint(tab: Any, index: int, beyond: float) -> None:
    """Wait until a joint has moved beyond a value, away from where it is now."""
    sign = 1 if beyond > joints(tab)[index] else -1
    tab.wait_for_function("([i, beyond, sign]) => (armlab.live.q[i] - beyond) * sign > 0", arg=[index, beyond, sign])


def await_value(tab: Any, index: int, value: float) -> None:
    """Wait until a joint is at a value."""
    tab.wait_for_function("([i, to]) => Math.abs(armlab.live.q[i] - to) < 0.005", arg=[index, value])


def await_still(tab: Any) -> Floats:
    """Wait until nothing moves the arm; then it must stay where it is for a while. Return its joints."""
    tab.wait_for_function(
        "(moving) => { const { time, flags, q, command } = armlab.live;"
        " return time > 0 && (flags & moving) === 0 && q.every((at, i) => Math.abs(at - command[i]) < 0.02); }",
        arg=MOVING_OR_JOGGING,
    )
    before, now = joints(tab), tab.evaluate("armlab.live.time")
    tab.wait_for_function("(then) => armlab.live.time > then", arg=now + 0.4)
    after = joints(tab)
    np.testing.assert_allclose(after, before, atol=0.05)
    return after


def press_down(tab: Any, button: str) -> None:
    """Press the mouse on a button and keep it down."""
    tab.locator(f'[data-hold="{button}"]').hover()
    tab.mouse.down()


def test_a_joint_moves_as_long_as_its_button_is_held(workbench: Workbench) -> None:
    tab = jog(workbench)
    home = joints(tab)
    press_down(tab, "A1+")
    await_joint(tab, 0, home[0] + 5)
    tab.mouse.up()
    there = await_still(tab)
    assert there[0] > home[0] + 5
    np.testing.assert_allclose(there[1:], home[1:], atol=0.05)
    shown = tab.locator('.jog-row[data-joint="A1"] .jog-value').inner_text()
    assert float(shown.split()[0].replace("−", "-")) == pytest.approx(there[0], abs=0.05)
    press_down(tab, "A1-")
    await_joint(tab, 0, there[0] - 5)
    tab.mouse.move(600, 400)  # off the button
    await_still(tab)
    tab.mouse.up()


def test_a_held_button_lets_go_when_the_window_or_its_own_focus_is_lost(workbench: Workbench) -> None:
    tab = jog(workbench)
    press_down(tab, "A1+")
    await_joint(tab, 0, 3)
    tab.evaluate("() => dispatchEvent(new Event('blur'))")
    start = await_still(tab)[1]  # although the button is still held
    tab.mouse.up()
    tab.get_by_role("button", name="A2 plus").focus()
    tab.keyboard.down("Space")
    await_joint(tab, 1, start + 3)
    tab.keyboard.press("Tab")
    await_still(tab)
    tab.keyboard.up("Space")


def test_a_lost_socket_ends_the_jog_for_good(workbench: Workbench) -> None:
    workbench.tab.add_init_script(SOCKETS)
    tab = jog(workbench)
    press_down(tab, "A1+")
    await_joint(tab, 0, 3)
    tab.evaluate("() => sockets.at(-1).close()")
    tab.wait_for_function("() => armlab.link.value !== 'open'")
    tab.wait_for_function("() => armlab.link.value === 'open'")
    await_still(tab)  # although the button is still held
    tab.mouse.up()
    workbench.complaints.clear()  # Chromium's own: a beat may meet the closing socket


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
    await_joint(tab, 1, there[1] - 2)
    tab.keyboard.up("s")
    there = await_still(tab)
    for place in (tab.get_by_label("Tool, X"), tab.get_by_role("button", name="Stop")):
        place.focus()  # a key that is typed in a field, or elsewhere, moves nothing
        tab.keyboard.down("d")
        np.testing.assert_allclose(await_still(tab), there, atol=0.01)
        tab.keyboard.up("d")
    tab.keyboard.press("Escape")


def test_a_step_moves_a_joint_by_exactly_its_size_and_says_where_the_limit_is(workbench: Workbench) -> None:
    tab = jog(workbench)
    choose(tab, "Step", "10")
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
    choose(tab, "How to move", "Sliders")
    field = tab.locator('.joint[data-joint="A1"]').get_by_role("textbox")
    field.fill(str(FIRST.upper - 4))
    field.press("Enter")
    choose(tab, "How to move", "Joints")
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
    choose(tab, "Step", "50")
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
    card.get_by_text("The tool cannot get there.").wait_for()
    assert "out of the arm's reach" in card.inner_text()
    assert tab.evaluate("armlab.dragged.value.code") == "out_of_reach"
    assert float(np.linalg.norm(tool(tab)[:2])) < 1.0
    tab.locator('[data-hold="A1+"]').click()  # something else moves the arm: the sentence is over
    card.wait_for(state="detached")


def test_the_tool_is_dragged_by_its_handles_and_the_arm_follows(workbench: Workbench) -> None:
    tab = jog(workbench, "Sliders")
    for _ in range(6):
        tab.locator("canvas").first.press("-")  # so that the tool can be dragged far away
    await_calm(tab)
    plain = picture(tab)
    tab.get_by_role("button", name="Drag in 3D").click()
    tab.locator(".jog-handles").wait_for()
    x, y = upper_blue(tab, plain)
    start = tool(tab)
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x, y - 20)
    tab.wait_for_function("(z) => armlab.live.frames.at(-5) > z + 0.02", arg=start[2])
    assert tab.evaluate("() => armlab.dragged.value.reached")
    tab.mouse.move(x, 60)
    tab.locator(".jog-refusal").wait_for()
    tab.mouse.up()
    await_still(tab)
    np.testing.assert_allclose(tool(tab)[1], start[1], atol=5e-3)
    assert not tab.evaluate("() => armlab.dragged.value.reached")


def test_a_gamepad_moves_the_arm_only_while_its_dead_man_button_is_held(workbench: Workbench) -> None:
    workbench.tab.add_init_script(GAMEPAD)
    tab = jog(workbench)
    home = joints(tab)
    status = tab.locator(".jog-pad")
    assert "hold LB or RB to move" in status.inner_text()
    tab.evaluate("pad.axes[0] = 1")
    np.testing.assert_allclose(await_still(tab), home, atol=0.01)
    tab.evaluate("pad.buttons[4].pressed = true")
    await_joint(tab, 0, home[0] + 3)
    assert status.get_attribute("data-state") == "held"
    tab.evaluate("pad.buttons[4].pressed = false")
    there = await_still(tab)
    tab.evaluate("pad.axes[0] = 0.1; pad.buttons[5].pressed = true")
    np.testing.assert_allclose(joints(tab), there, atol=0.05)
    status.and_(tab.locator('[data-state="held"]')).wait_for()
    tab.evaluate("pad.buttons[5].pressed = false")
    await_still(tab)


def picture(tab: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the canvas as it looks now, (height, width, 3)."""
    shot = tab.locator("canvas").first.screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(np.int64)


def await_calm(tab: Any) -> None:
    """Wait until the view has drawn what there is to draw."""
    before = picture(tab)
    for _ in range(20):
        now = picture(tab)
        if (now == before).all():
            return
        before = now
    pytest.fail("the view never comes to rest")


def upper_blue(tab: Any, plain: np.ndarray[Any, np.dtype[np.int64]]) -> tuple[float, float]:
    """Return a point on the page on the blue arrow that has come into the view: the highest patch of blue."""
    for _ in range(20):
        now = picture(tab)
        red, green, blue = now[..., 0], now[..., 1], now[..., 2]
        is_new = (np.abs(now - plain).sum(axis=2) > 60) & (blue - red > 60) & (blue - green > 40)
        if is_new.sum() > 20:
            break
    else:
        pytest.fail("no handles have come into the view")
    rows, columns = np.nonzero(is_new)
    top = rows <= rows.min() + 8
    box = tab.locator("canvas").first.bounding_box()
    return box["x"] + float(np.median(columns[top])), box["y"] + float(rows.min()) + 6
