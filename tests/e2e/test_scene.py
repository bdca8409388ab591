"""The panel of the scene, used as a person would: bodies, collisions, picking and placing, whole scenes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from e2e.chromium import Workbench
from e2e.handles import Arrow, await_view, handle_arrow, handle_ring

from armlab.arrays import Floats

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

AIM = "[...armlab.view.value.showing.aim]"
"""Where the camera is and what it looks at."""

TOOL = "(() => { const f = armlab.live.frames; return Array.from(f.slice(f.length - 7, f.length - 4)); })()"


@pytest.fixture
def scene(workbench: Workbench) -> Any:
    """Return a tab with the panel of the scene open."""
    tab = workbench.open().tab
    tab.locator('[data-tab="scene"]').click()
    tab.locator('[data-add="box"]').wait_for()
    tab.locator(".strip-fold").click()  # folded, it hides nothing of the view
    return tab


def test_a_box_is_added_moved_by_its_fields_and_comes_back_after_a_delete(scene: Any) -> None:
    add(scene, "box")
    type_number(scene, "X", "520")
    type_number(scene, "Yaw", "30")
    assert body(scene, "box")["xyz"][0] == 520
    assert body(scene, "box")["rpy"] == [0, 0, 30]
    until(scene, f"Math.abs({place('box')}[0] - 0.52) < 0.02")  # the simulation has it there too

    scene.get_by_role("button", name="Delete box").click()
    until(scene, "!armlab.doc.value.layout.bodies.includes('box')")
    scene.locator(".toast").get_by_role("button", name="Undo").click()
    until(scene, "armlab.doc.value.layout.bodies.includes('box')")
    assert body(scene, "box")["xyz"][0] == 520


def test_copies_get_names_and_places_of_their_own(scene: Any) -> None:
    add(scene, "cylinder")
    scene.get_by_role("button", name="Duplicate cylinder").click()
    until(scene, "armlab.doc.value.layout.bodies.includes('cylinder-2')")
    add(scene, "cylinder", "cylinder-3")
    places = [tuple(body(scene, name)["xyz"]) for name in ("cylinder", "cylinder-2", "cylinder-3")]
    assert len(set(places)) == 3


def test_a_body_inside_the_arm_is_refused_in_words_and_nothing_is_lost(scene: Any) -> None:
    add(scene, "box")
    before = body(scene, "box")
    type_number(scene, "X", "0", done=False)
    card = scene.locator(".scene-refusal")
    card.wait_for()
    assert "overlap by" in card.inner_text()
    assert "Nothing was changed" in card.inner_text()
    assert body(scene, "box") == before
    type_number(scene, "X", "500")
    assert card.count() == 0


def test_nonsense_in_a_field_is_said_at_the_field(scene: Any) -> None:
    add(scene, "box")
    field = scene.locator(".scene-editor").get_by_label("along x", exact=True)
    for text, words in (("abc", "is not a number"), ("-5", "is outside")):
        field.fill(text)
        field.press("Enter")
        assert words in scene.locator(".scene-editor .problem:not(:empty)").inner_text()
    assert body(scene, "box")["size"] == [60, 60, 60]


def test_what_is_in_the_arms_way_is_shown_with_its_distance_and_then_as_a_contact(scene: Any) -> None:
    add(scene, "box")
    scene.locator(".scene-editor").get_by_role("radio", name="Fixed").check()
    until(scene, "armlab.doc.value.project.bodies.find(b => b.name === 'box').mass === null")
    x, _, z = (value * 1000 for value in scene.evaluate(TOOL))
    type_number(scene, "X", f"{x:.1f}")
    type_number(scene, "Z", f"{z - 90:.1f}")  # 60 mm of air below the flange
    row = scene.locator(".scene-touches li", has_text="box").first
    row.wait_for()
    shown = float(row.get_attribute("data-distance"))
    assert 40 < shown < 75
    assert scene.evaluate("armlab.proximity.value.nearest.some(pair => [pair.first, pair.second].includes('box'))")

    scene.evaluate("armlab.send({type: 'move_joints', revision: armlab.doc.value.revision, targets: {1: -60}})")
    contact = scene.locator('.scene-touches li[data-contact="true"]', has_text="box").first
    contact.wait_for()
    assert "contact" in contact.inner_text()


def test_a_box_is_picked_follows_the_tool_and_is_placed(scene: Any) -> None:
    add(scene, "box")
    type_number(scene, "X", "420")
    scene.get_by_role("button", name="Pick", exact=True).click()
    scene.get_by_text("mm from the tool").wait_for()  # too far: said in place

    scene.get_by_role("button", name="Go there").click()
    until(scene, f"{tool_to('box')} < 0.1 && (armlab.live.flags & 1) === 0")
    scene.get_by_role("button", name="Pick", exact=True).click()
    scene.locator('[data-held="box"]').wait_for()
    away, start = scene.evaluate(tool_to("box")), scene.evaluate(place("box"))

    scene.evaluate("armlab.send({type: 'move_joints', revision: armlab.doc.value.revision, targets: {0: 40}})")
    until(scene, f"Math.hypot(...{place('box')}.map((v, i) => v - {start}[i])) > 0.15")
    until(scene, "(armlab.live.flags & 1) === 0")
    assert scene.evaluate(tool_to("box")) == pytest.approx(away, abs=0.005)

    scene.get_by_role("button", name="Release", exact=True).click()
    scene.locator('[data-held=""]').wait_for()


def test_a_scene_brings_arm_tool_and_bodies_in_one_edit(scene: Any) -> None:
    before = scene.evaluate("armlab.project.value.arm.name")
    scene.get_by_role("button", name="Built-in scenes", exact=True).click()
    scene.locator('[data-scene="sorting-table"]').click()
    until(scene, "armlab.doc.value.layout.bodies.includes('cube-red')")
    arm = scene.evaluate("armlab.project.value.arm")
    assert (arm["name"], arm["tool"], arm["base"][2]) == ("ur5e", "gripper", 750.5)
    assert scene.locator(".scene-body").count() == len(scene.evaluate("armlab.doc.value.layout.bodies"))
    scene.locator(".toast").get_by_role("button", name="Undo").click()
    until(scene, f"armlab.project.value.arm.name === '{before}'")
    assert scene.locator(".scene-body").count() == 0


def test_a_body_is_dragged_by_an_arrow_in_one_step_of_undo_and_stays_there(scene: Any) -> None:
    add(scene, "box")
    before, revision = body(scene, "box")["xyz"], scene.evaluate("armlab.doc.value.revision")
    arrow = grip(scene, handle_along_x)
    scene.mouse.move(*arrow.tip)
    scene.mouse.down()
    scene.mouse.move(*arrow.along(15))
    scene.mouse.move(*arrow.along(40))
    shown = field_value(scene, "X")
    assert abs(shown - before[0]) > 20  # its fields follow the hand
    assert drawn(scene, "box")[0] * 1000 == pytest.approx(shown, abs=0.06)  # and so does its picture
    assert scene.evaluate("armlab.doc.value.revision") == revision
    scene.mouse.up()
    until(scene, f"armlab.doc.value.revision === {revision + 1}")
    put = body(scene, "box")["xyz"]
    assert put[0] == pytest.approx(shown, abs=0.06)
    assert put[1:] == pytest.approx(before[1:], abs=2)
    now = scene.evaluate("armlab.live.time")
    until(scene, f"armlab.live.time > {now} + 0.5")
    np.testing.assert_allclose(scene.evaluate(place("box")), np.array(put) / 1000, atol=2e-3)
    np.testing.assert_allclose(drawn(scene, "box"), scene.evaluate(place("box")), atol=1e-3)

    scene.get_by_role("button", name="Undo").first.click()
    until(scene, f"armlab.doc.value.revision === {revision + 2}")
    assert body(scene, "box")["xyz"] == before


def test_a_body_is_turned_by_a_ring_and_keeps_its_place(scene: Any) -> None:
    add(scene, "box")
    before = body(scene, "box")
    scene.locator(".scene-editor").get_by_role("radio", name="Rotate").check()
    ring = grip(scene, handle_ring)
    revision = scene.evaluate("armlab.doc.value.revision")
    scene.mouse.move(*ring.tip)
    scene.mouse.down()
    for step in (10, 20, 30):
        scene.mouse.move(*ring.along(step))
    scene.mouse.up()
    until(scene, f"armlab.doc.value.revision === {revision + 1}")
    after = body(scene, "box")
    roll, pitch, yaw = after["rpy"]
    assert abs(yaw) > 5
    assert (roll, pitch) == pytest.approx((0, 0), abs=1)
    np.testing.assert_allclose(after["xyz"], before["xyz"], atol=2)


def test_escape_takes_a_drag_back(scene: Any) -> None:
    add(scene, "box")
    before, revision = body(scene, "box"), scene.evaluate("armlab.doc.value.revision")
    arrow = grip(scene, handle_along_x)
    scene.mouse.move(*arrow.tip)
    scene.mouse.down()
    scene.mouse.move(*arrow.along(40))
    assert abs(field_value(scene, "X") - before["xyz"][0]) > 20
    scene.keyboard.press("Escape")
    assert field_value(scene, "X") == pytest.approx(before["xyz"][0], abs=0.1)
    camera = scene.evaluate(AIM)
    scene.mouse.move(*arrow.along(60))  # the hand is still down: nothing follows it, nor does the view turn
    scene.mouse.move(700, 470)
    await_view(scene)
    assert scene.evaluate(AIM) == camera
    scene.mouse.up()
    np.testing.assert_allclose(drawn(scene, "box"), scene.evaluate(place("box")), atol=1e-3)
    assert scene.evaluate("armlab.doc.value.revision") == revision
    assert body(scene, "box") == before
    assert scene.locator('.scene-editor[data-edited="box"]').count() == 1


def test_a_click_on_a_handle_does_not_choose_what_is_behind(scene: Any) -> None:
    add(scene, "box")
    arrow = grip(scene, handle_along_x)
    scene.mouse.click(*arrow.tip)
    scene.mouse.click(*arrow.tip)
    assert scene.evaluate("armlab.selection.value.name") == "box"


def handle_along_x(tab: Any, place: Floats) -> Arrow:
    """Return the arrow along X of the handles at a place (mm)."""
    return handle_arrow(tab, place, np.eye(3), 0)


def grip(tab: Any, handle: Callable[[Any, Floats], Arrow]) -> Arrow:
    """Return a handle of the chosen body, which stands clear of all else."""
    if tab.locator(".guide").count() > 0:
        tab.keyboard.press("Escape")
    name = tab.evaluate("armlab.selection.value.name")
    tab.locator(f'.scene-editor[data-edited="{name}"]').wait_for()
    return handle(tab, np.array(body(tab, name)["xyz"]))


def drawn(tab: Any, name: str) -> list[float]:
    """Return x y z (m) of a body as the view shows it."""
    found: list[float] = tab.evaluate(
        """name => {
            const { parent: world } = armlab.view.value.overlay("paths");
            const { x, y, z } = world.getObjectByProperty("uuid", find(world)).position;
            return [x, y, z];
            function find(node) {
                if (node.userData.part === name) return node.uuid;
                return node.children.map(find).find(uuid => uuid !== undefined);
            }
        }""",
        name,
    )
    return found


def field_value(tab: Any, label: str) -> float:
    """Return the number that a field of the chosen body shows."""
    text: str = tab.locator(".scene-editor").get_by_label(label, exact=True).input_value()
    return float(text.replace("−", "-"))


def add(tab: Any, kind: str, name: str = "") -> None:
    """Add a body by its button, and wait until it is chosen."""
    tab.locator(f'[data-add="{kind}"]').click()
    tab.locator(f'.scene-editor[data-edited="{name or kind}"]').wait_for()


def body(tab: Any, name: str) -> dict[str, Any]:
    """Return a body as the project has it."""
    found: dict[str, Any] = tab.evaluate(
        "name => armlab.doc.value.project.bodies.find(body => body.name === name)", name
    )
    return found


def place(name: str) -> str:
    """Return an expression for x y z of a body in the simulation, in metres."""
    index = f"armlab.doc.value.layout.bodies.indexOf('{name}')"
    return f"(i => Array.from(armlab.live.bodies.slice(7 * i, 7 * i + 3)))({index})"


def tool_to(name: str) -> str:
    """Return an expression for the distance between the tool and the middle of a body, in metres."""
    return f"((a, b) => Math.hypot(...a.map((v, i) => v - b[i])))({TOOL}, {place(name)})"


def type_number(tab: Any, label: str, text: str, *, done: bool = True) -> None:
    """Type into a field of the chosen body; wait until the project has changed."""
    revision = tab.evaluate("armlab.doc.value.revision")
    field = tab.locator(".scene-editor").get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")
    if done:
        until(tab, f"armlab.doc.value.revision > {revision}")


def until(tab: Any, expression: str) -> None:
    """Wait until an expression of the page is true."""
    tab.wait_for_function(f"() => {expression}")
