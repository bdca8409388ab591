"""The jog panel in a real browser: buttons to hold, keys, steps, the tool's handles and fields, a gamepad."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from e2e.chromium import Server, Workbench
from e2e.handles import Arrow, Fingers, await_calm, upper_arrow

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
TURNED = [0, 0, 300, 90, 0, 0]
HANGING = [0, 0, 1500, 0, 0, 180]
ZOOM = "visualViewport.scale"
SCROLL = "[scrollX, scrollY, ...[...document.querySelectorAll('*')].map(e => e.scrollTop)].reduce((a, b) => a + b)"


@pytest.fixture(params=[(1180, 820), (820, 1180)], ids=["wide", "tall"])
def tablet(request: pytest.FixtureRequest, chromium: Any, server: Server) -> Iterator[Workbench]:
    """Return a fresh tab on a tablet, held either way; it must not complain."""
    width, height = request.param
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        has_touch=True,
        is_mobile=True,
        locale="en-GB",
        color_scheme="light",
        reduced_motion="reduce",
    )
    context.add_cookies([server.cookie])
    bench = Workbench(context.new_page(), server.url)
    yield bench
    context.close()
    assert bench.complaints == []


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


def await_joint(tab: Any, index: int, start: float, by: float) -> None:
    """Wait until a joint has moved by more than `by` away from where it was."""
    gone = "([i, start, by]) => (armlab.live.q[i] - start) * Math.sign(by) > Math.abs(by)"
    tab.wait_for_function(gone, arg=[index, float(start), by])


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
    await_joint(tab, 0, home[0], 5)
    tab.mouse.up()
    there = await_still(tab)
    assert there[0] > home[0] + 5
    np.testing.assert_allclose(there[1:], home[1:], atol=0.05)
    shown = tab.locator('.jog-row[data-joint="A1"] .jog-value').inner_text()
    assert float(shown.split()[0].replace("−", "-")) == pytest.approx(there[0], abs=0.05)
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
    await_joint(tab, 1, there[1], -2)
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
    plain = await_calm(tab)
    tab.get_by_role("button", name="Drag in 3D").click()
    tab.locator(".jog-handles").wait_for()
    x, y = upper_arrow(tab, plain, "blue").tip
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
    await_joint(tab, 0, home[0], 3)
    assert status.get_attribute("data-state") == "held"
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
        start = joints(tab)[0]
        tab.evaluate("pad.axes[0] *= armlab.live.q[0] > 60 ? -1 : 1; pad.buttons[4].pressed = true")
        tab.wait_for_function("(q) => Math.abs(armlab.live.q[0] - q) > 2", arg=start)

    hold_on()
    tab.keyboard.press("Escape")
    await_still(tab)  # although the dead-man button is still held
    assert status.get_attribute("data-state") == "free"
    hold_on()
    tab.get_by_role("button", name="Stop").click()
    await_still(tab)
    hold_on()
    tab.evaluate("() => dispatchEvent(new Event('blur'))")
    await_still(tab)
    hold_on()
    tab.evaluate("() => sockets.at(-1).close()")
    tab.wait_for_function("() => armlab.link.value !== 'open'")
    tab.wait_for_function("() => armlab.link.value === 'open'")
    await_still(tab)
    workbench.complaints.clear()  # Chromium's own: a beat may meet the closing socket


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


def test_escape_ends_a_drag_of_the_tool_and_stops_the_arm(workbench: Workbench) -> None:
    tab = jog(workbench, "Sliders")
    arrow = grip(tab, "blue")
    start = tool(tab)
    tab.mouse.move(*arrow.tip)
    tab.mouse.down()
    tab.mouse.move(*arrow.along(30))
    tab.wait_for_function("(z) => Math.abs(armlab.live.frames.at(-5) - z) > 0.01", arg=start[2])
    tab.keyboard.press("Escape")
    there = await_still(tab)
    tab.mouse.move(*arrow.along(60))  # the hand is still down
    np.testing.assert_allclose(await_still(tab), there, atol=0.05)
    tab.mouse.up()


@pytest.mark.parametrize(("base", "expected"), [(TURNED, [0, 1, 0]), (HANGING, [1, 0, 0])], ids=["turned", "hanging"])
def test_handles_have_the_axes_of_a_base_that_is_turned(
    workbench: Workbench, base: list[float], expected: list[float]
) -> None:
    tab = jog(workbench, "Tool")
    stand(tab, base)
    choose(tab, "Frame", "Base")
    arrow = grip(tab, "red")  # the X axis of the base
    start = tool(tab)
    tab.mouse.move(*arrow.tip)
    tab.mouse.down()
    tab.mouse.move(*arrow.along(10))
    tab.mouse.move(*arrow.along(-12))
    tab.wait_for_function(
        "([x, y]) => Math.hypot(armlab.live.frames.at(-7) - x, armlab.live.frames.at(-6) - y) > 0.02",
        arg=list(start[:2]),
    )
    tab.mouse.up()
    await_still(tab)
    moved = tool(tab)[:3] - start[:3]
    np.testing.assert_allclose(np.abs(moved) / np.linalg.norm(moved), expected, atol=0.1)
    low = tool(tab)
    press_down(tab, "Z+" if base is HANGING else "Z-")  # down
    tab.wait_for_function("(z) => armlab.live.frames.at(-5) < z - 0.02", arg=low[2])
    tab.mouse.up()
    await_still(tab)
    np.testing.assert_allclose(tool(tab)[:2], low[:2], atol=3e-3)


@pytest.mark.parametrize("base", [TURNED, HANGING], ids=["turned", "hanging"])
def test_ghosts_of_an_arm_with_a_turned_base_stand_on_that_base(workbench: Workbench, base: list[float]) -> None:
    tab = jog(workbench)
    stand(tab, base)
    tab.locator('[data-tab="kinematics"]').click()
    tab.get_by_role("radio", name="Inverse").check()
    tab.get_by_role("button", name="Find all").click()
    tab.wait_for_function("() => armlab.view.value.overlay('ghosts').children.length > 0")
    feet = tab.evaluate(
        "armlab.view.value.overlay('ghosts').children.map(ghost => ghost.children[0])"
        ".map(({ position: p, quaternion: q }) => [p.x, p.y, p.z, q.w, q.x, q.y, q.z])"
    )
    foot = np.array(tab.evaluate("[...armlab.live.frames].slice(0, 7)"))
    for place in np.array(feet):
        np.testing.assert_allclose(place[:3], foot[:3], atol=1e-4)
        assert abs(float(place[3:] @ foot[3:])) == pytest.approx(1, abs=1e-5)


def test_a_finger_chooses_turns_the_view_and_two_bring_it_nearer(tablet: Workbench) -> None:
    tab = jog(tablet)
    before = await_calm(tab)
    box = tab.locator("canvas").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.45
    tab.touchscreen.tap(*on_the_arm(tab))
    tab.wait_for_function("() => ['link', 'tool'].includes(armlab.selection.value?.kind)")
    fingers = Fingers(tab)
    scrolled = tab.evaluate(SCROLL)
    fingers.down((x, y + 60))
    fingers.move((x + 90, y + 60))
    fingers.up()
    turned = await_calm(tab)
    assert (turned != before).any(axis=2).mean() > 0.02
    fingers.down((x - 30, y), 0)
    fingers.down((x + 30, y), 1)
    for spread in (50, 70, 90):
        fingers.move((x - spread, y), 0, steps=2)
        fingers.move((x + spread, y), 1, steps=2)
    fingers.up(1)
    fingers.up(0)
    assert (await_calm(tab) != turned).any(axis=2).mean() > 0.02
    assert (tab.evaluate(ZOOM), tab.evaluate(SCROLL)) == (1, scrolled)


def test_a_finger_drags_the_tool_by_a_handle_that_it_does_not_quite_hit(tablet: Workbench) -> None:
    tab = jog(tablet, "Sliders")
    arrow = grip(tab, "blue")
    start = tool(tab)
    fingers = Fingers(tab)
    x, y = arrow.tip
    scrolled = tab.evaluate(SCROLL)
    fingers.down((x + 14, y))  # beside it
    fingers.move((x + 14, y - 25))
    tab.wait_for_function("(z) => armlab.live.frames.at(-5) > z + 0.01", arg=start[2])
    fingers.up()
    await_still(tab)
    moved = tool(tab)[:3] - start[:3]
    assert 0.01 < moved[2] < 0.3
    np.testing.assert_allclose(moved[:2], 0, atol=5e-3)
    assert (tab.evaluate(ZOOM), tab.evaluate(SCROLL)) == (1, scrolled)


def test_a_touch_that_is_taken_away_stops_the_drag_and_the_held_button(tablet: Workbench) -> None:
    tab = jog(tablet)
    fingers = Fingers(tab)
    button = tab.locator('[data-hold="A1+"]')
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert min(box["width"], box["height"]) >= 44
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for end in (fingers.up, fingers.cancel):
        start = joints(tab)[0]
        fingers.down(middle)
        await_joint(tab, 0, start, 3)
        end()
        await_still(tab)
    arrow = grip(tab, "blue")
    height = tool(tab)[2]
    fingers.down(arrow.tip)
    fingers.move(arrow.along(20))
    tab.wait_for_function("(z) => armlab.live.frames.at(-5) > z + 0.005", arg=height)
    fingers.cancel()
    await_still(tab)
    assert not tab.evaluate("armlab.view.value.gizmo.isDragging")


def test_a_finger_pulls_a_slider(tablet: Workbench) -> None:
    tab = jog(tablet, "Sliders")
    slider = tab.locator('.joint[data-joint="A1"] input[type="range"]')
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box["height"] >= 44
    y = box["y"] + box["height"] / 2
    fingers = Fingers(tab)
    fingers.down((box["x"] + box["width"] / 2, y))
    fingers.move((box["x"] + box["width"] * 0.7, y))
    fingers.up()
    tab.wait_for_function("() => armlab.live.q[0] > 20")
    goal = float(slider.input_value())
    await_value(tab, 0, goal)
    assert tab.evaluate(ZOOM) == 1


def stand(tab: Any, base: list[float]) -> None:
    """Put the arm's base somewhere else, and wait until the arm stands there."""
    tab.evaluate(
        """base => {
            const { project, revision } = armlab.doc.value;
            armlab.send({ type: "edit", label: "base", revision,
                project: { ...project, arm: { ...project.arm, base } } });
        }""",
        base,
    )
    tab.wait_for_function("(z) => Math.abs(armlab.live.frames[2] * 1000 - z) < 1e-3", arg=base[2])
    await_still(tab)
    tab.get_by_role("button", name="Fit", exact=True).click()


def grip(tab: Any, colour: str) -> Arrow:
    """Give the tool handles, and return the one of a colour."""
    for _ in range(3):
        tab.locator("canvas").first.press("-")
    plain = await_calm(tab)
    tab.get_by_role("button", name="Drag in 3D").click()
    tab.locator(".jog-handles").wait_for()
    await_calm(tab)
    return upper_arrow(tab, plain, colour)


def on_the_arm(tab: Any) -> tuple[float, float]:
    """Return a point of the page where the arm is: the middle of its orange."""
    now = await_calm(tab)
    rows, columns = np.nonzero((now[..., 0] - now[..., 2] > 120) & (now[..., 1] < 140))
    box = tab.locator("canvas").first.bounding_box()
    middle = np.median(rows)
    columns = columns[np.abs(rows - middle) < 2]
    return box["x"] + float(np.median(columns)), box["y"] + float(middle)
