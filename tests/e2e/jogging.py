"""What the browser tests of jogging share: the panel opened, joints read, and waiting for the arm."""

from __future__ import annotations

from typing import Any

import numpy as np
from e2e.chromium import Workbench

from armlab import catalog
from armlab.arrays import Floats
from armlab.reports.robots import robot_sheet

ARM = "kuka-kr6-r700"
SHEET = robot_sheet(catalog.load(ARM))
FIRST = SHEET.joints[0]
MOVING_OR_JOGGING = 3
LOOKS = 50
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
TWO_PICTURES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
SCROLL = "[scrollX, scrollY, ...[...document.querySelectorAll('*')].map(e => e.scrollTop)].reduce((a, b) => a + b)"

POSES = [{"id": f"p{i + 1}", "name": f"P{i}", "q": [60.0 * i, -60.0, 60.0, 0.0, 0.0, 0.0]} for i in (-1, 1)]
SEND_POSES = """(poses) => armlab.send({ type: "edit", label: "poses", revision: armlab.doc.value.revision,
    changes: [{ path: [], value: armlab.wholeOf({ ...armlab.project.value, poses }) }] })"""
PLAYS = "() => (armlab.live.flags & 1) !== 0 && armlab.player.value !== null && armlab.live.playerTime > 0.1"
STANDS = "() => (armlab.live.flags & 1) === 0 && armlab.player.value === null"


def jog(workbench: Workbench, mode: str = "Joints") -> Any:
    """Open the page with our arm at home, and the panel in a mode; return the tab."""
    tab = workbench.open(ARM).tab
    tab.get_by_role("tab", name="Jog").click()
    choose(tab, "Jog mode", mode)
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


def await_rest(tab: Any) -> Floats:
    """Wait until the arm has come to rest, wherever what was sent last takes it; return its joints."""
    for _ in range(LOOKS):
        before, now = joints(tab), tab.evaluate("armlab.live.time")
        tab.wait_for_function("(then) => armlab.live.time > then", arg=now + 0.4)
        if np.abs(joints(tab) - before).max() < 0.02:
            return await_still(tab)
    raise AssertionError("the arm never comes to rest")


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


def move_to_and_fro(tab: Any) -> None:
    """Let the arm go to and fro until somebody stops it."""
    if tab.evaluate("() => armlab.project.value.poses.length") == 0:
        tab.evaluate(SEND_POSES, POSES)
    tab.evaluate("() => armlab.send({ type: 'play', what: 'poses', loop: true })")
    tab.wait_for_function(PLAYS)


def await_stop(tab: Any) -> None:
    """Wait until the arm stands, and nothing is played."""
    tab.wait_for_function(STANDS)
