"""The tool moved in the 3D view: by its handles, on arms whose base is turned, and by fingers on a tablet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from e2e.chromium import Server, Workbench, new_profile
from e2e.handles import Arrow, Fingers, await_calm, handle_arrow, on_the_arm
from e2e.jogging import (
    HANGING,
    SCROLL,
    TURNED,
    ZOOM,
    await_joint,
    await_rest,
    await_still,
    await_value,
    choose,
    jog,
    joints,
    press_down,
    tool,
)

from armlab.geometry import pose
from armlab.units import MM_PER_M

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture
def workbench(chromium: Any, server: Server) -> Iterator[Workbench]:
    """Return a fresh tab with all of its pixels; it must not complain."""
    context = new_profile(chromium, server, device_scale_factor=1)
    bench = Workbench(context.new_page(), server.url)
    yield bench
    context.close()
    assert bench.complaints == []


@pytest.fixture
def tablet(request: pytest.FixtureRequest, chromium: Any, server: Server) -> Iterator[Workbench]:
    """Return a fresh tab on a tablet with all of its pixels, which a test may hold upright; it must not complain."""
    width, height = getattr(request, "param", (1180, 820))
    screen = {"viewport": {"width": width, "height": height}, "device_scale_factor": 1}
    context = new_profile(chromium, server, **screen, has_touch=True, is_mobile=True)
    bench = Workbench(context.new_page(), server.url)
    yield bench
    context.close()
    assert bench.complaints == []


def test_the_tool_is_dragged_by_its_handles_and_the_arm_follows(workbench: Workbench) -> None:
    tab = jog(workbench, "Sliders")
    for _ in range(6):
        tab.locator("canvas").first.press("-")  # so that the tool can be dragged far away
    tab.get_by_role("button", name="Drag in 3D").click()
    tab.locator(".jog-handles").wait_for()
    x, y = base_arrow(tab, 2).tip
    start = tool(tab)
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x, y - 20)
    tab.wait_for_function("(z) => armlab.live.frames.at(-5) > z + 0.02", arg=start[2])
    assert tab.evaluate("() => armlab.dragged.value.reached")
    tab.mouse.move(x, 60)
    tab.locator(".jog-refusal").wait_for()
    tab.mouse.up()
    await_rest(tab)
    np.testing.assert_allclose(tool(tab)[1], start[1], atol=5e-3)
    assert not tab.evaluate("() => armlab.dragged.value.reached")


def test_handles_stay_and_work_when_another_panel_is_opened(workbench: Workbench) -> None:
    tab = jog(workbench, "Sliders")
    tab.locator('[data-tab="mathematics"]').click()
    tab.locator(".strip-fold").click()  # folded, it hides nothing of the view
    tab.locator("canvas").first.press("-")
    tab.locator('[data-tab="jog"]').click()
    tab.get_by_role("button", name="Drag in 3D").click()
    tab.locator('[data-tab="mathematics"]').click()
    arrow = base_arrow(tab, 2)
    start = tool(tab)
    tab.mouse.move(*arrow.tip)
    tab.mouse.down()
    tab.mouse.move(*arrow.along(20))
    tab.wait_for_function("(z) => Math.abs(armlab.live.frames.at(-5) - z) > 0.01", arg=start[2])
    tab.mouse.up()
    await_rest(tab)


def test_escape_ends_a_drag_of_the_tool_and_stops_the_arm(workbench: Workbench) -> None:
    tab = jog(workbench, "Sliders")
    arrow = grip(tab, 2)
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
    arrow = grip(tab, 0)
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
    await_rest(tab)
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
    tab.get_by_role("button", name="Find all solutions").click()
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


@pytest.mark.parametrize("tablet", [(1180, 820), (820, 1180)], ids=["wide", "tall"], indirect=True)
def test_a_finger_drags_the_tool_by_a_handle_that_it_does_not_quite_hit(tablet: Workbench) -> None:
    tab = jog(tablet, "Sliders")
    arrow = grip(tab, 2, finger=True)
    start = tool(tab)
    fingers = Fingers(tab)
    x, y = arrow.tip
    scrolled = tab.evaluate(SCROLL)
    fingers.down((x + 14, y))  # beside it
    fingers.move((x + 14, y - 25))
    tab.wait_for_function("(z) => armlab.live.frames.at(-5) > z + 0.01", arg=start[2])
    fingers.up()
    await_rest(tab)  # the last pose of the drag may still be on its way
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
    arrow = grip(tab, 2, finger=True)
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
            const project = armlab.project.value, { revision } = armlab.doc.value;
            armlab.send({ type: "edit", label: "base", revision,
                changes: [{ path: [], value: armlab.wholeOf({ ...project, arm: { ...project.arm, base } }) }] });
        }""",
        base,
    )
    tab.wait_for_function("(z) => Math.abs(armlab.live.frames[2] * 1000 - z) < 1e-3", arg=base[2])
    await_still(tab)
    tab.get_by_role("button", name="Fit", exact=True).click()


def grip(tab: Any, axis: int, *, finger: bool = False) -> Arrow:
    """Give the tool handles, and return the one along an axis of the base."""
    for _ in range(3):
        tab.locator("canvas").first.press("-")
    tab.get_by_role("button", name="Drag in 3D").click()
    tab.locator(".jog-handles").wait_for()
    return base_arrow(tab, axis, finger=finger)


def base_arrow(tab: Any, axis: int, *, finger: bool = False) -> Arrow:
    """Return the tool's handle along an axis of the base, however the base stands."""
    base = np.array(tab.evaluate("[...armlab.live.frames].slice(0, 7)"))
    axes = pose.from_xyz_quaternion(base[:3], base[3:])[:3, :3]
    return handle_arrow(tab, tool(tab)[:3] * MM_PER_M, axes, axis, finger=finger)
