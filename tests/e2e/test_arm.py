"""The panel of the arm: choosing one by its picture, and changing its lengths, limits, tool and base."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from e2e.chromium import Workbench

from armlab import catalog, reports

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

Point = np.ndarray[Any, np.dtype[np.float64]]
KUKA = "kuka-kr6-r700"
LENGTHS = "Link lengths (Denavit–Hartenberg)"
NEAR = 0.05
"""mm: as near as a simulated arm stands to where it should."""
TOOL_NOW = "[...armlab.live.frames.slice(-7, -4)].map((value) => 1000 * value)"


def arm_of(bench: Workbench) -> dict[str, Any]:
    """Return the arm of the project."""
    found: dict[str, Any] = bench.tab.evaluate("() => armlab.doc.value.project.arm")
    return found


def await_arm(bench: Workbench, condition: str, arg: Any = None) -> None:
    """Wait until the project's arm is as `condition` says."""
    bench.tab.wait_for_function(
        f"(arg) => {{ const arm = armlab.doc.value.project.arm; return {condition}; }}", arg=arg
    )


def tool(bench: Workbench) -> Point:
    """Return where the simulated tool is, in mm."""
    return np.array(bench.tab.evaluate(f"() => {TOOL_NOW}"))


def await_tool(bench: Workbench, expected: Point) -> None:
    """Wait until the simulated tool is at `expected` (mm)."""
    bench.tab.wait_for_function(
        f"([expected, near]) => {TOOL_NOW}.every((value, i) => Math.abs(value - expected[i]) < near)",
        arg=[[float(value) for value in expected], NEAR],
    )


def moved(point: Point, x: float, y: float, z: float) -> Point:
    """Return another point, that far away."""
    return np.add(point, [x, y, z])


def scara_bench(bench: Workbench, *sections: str) -> Any:
    """Open the page with the SCARA, its panel in front and `sections` of it open; return the tab."""
    tab = bench.open("scara").tab
    tab.get_by_role("tab", name="Arm").click()
    for section in sections:
        tab.get_by_role("button", name=section, exact=True).click()
    tab.wait_for_function("() => armlab.live.q.length === 4")
    return tab


def lengths_bench(bench: Workbench) -> Any:
    """Open the page with the SCARA stretched along x, its lengths on sliders; return the tab."""
    tab = scara_bench(bench, LENGTHS)
    go_to(bench, [0, 0, -50, 0])
    return tab


def go_to(bench: Workbench, q: list[float]) -> None:
    """Send the joints somewhere, and wait until the simulated arm stands there."""
    bench.tab.evaluate("(q) => armlab.send({ type: 'move_joints', q })", q)
    bench.tab.wait_for_function(
        "(q) => q.every((value, i) => Math.abs(armlab.live.q[i] - value) < 0.001) && (armlab.live.flags & 1) === 0",
        arg=q,
    )


def undo_once(bench: Workbench, label: str) -> None:
    """Press undo, and wait until the server has done it."""
    revision = bench.tab.evaluate("() => armlab.doc.value.revision")
    bench.tab.get_by_role("button", name=f"Undo: {label}").click()
    bench.tab.wait_for_function("(old) => armlab.doc.value.revision > old", arg=revision)


def hold_arrow(field: Any, key: str, times: int) -> None:
    """Hold an arrow key down in a field: the keyboard repeats it faster than the server answers."""
    field.focus()
    field.evaluate(
        """(input, [key, times]) => { for (let i = 0; i < times; i++) input.dispatchEvent(
            new KeyboardEvent('keydown', { key, repeat: i > 0, bubbles: true, cancelable: true })); }""",
        [key, times],
    )


def pull(tab: Any, slider: Any, share: float) -> None:
    """Take hold of the thumb of a slider and pull it to a share of its way; it is not let go."""
    box = slider.bounding_box()
    at = slider.evaluate("(input) => (input.value - input.min) / (input.max - input.min)")
    inside = box["width"] - 16
    tab.mouse.move(box["x"] + 8 + at * inside, box["y"] + box["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 8 + share * inside, box["y"] + box["height"] / 2, steps=8)


def type_in(field: Any, text: str) -> None:
    """Type another text into a field, as a person does."""
    field.click()
    field.fill(text)
    field.press("Enter")


def test_an_arm_is_chosen_by_its_picture(workbench: Workbench) -> None:
    tab = scara_bench(workbench)
    card = tab.locator('[data-arm-name="scara-s3"]')
    picture = card.get_by_role("img")
    assert picture.get_attribute("alt") == "Picture of SCARA by DH table"
    assert picture.get_attribute("loading") == "lazy"
    picture.scroll_into_view_if_needed()
    tab.wait_for_function(
        """() => { const image = document.querySelector('[data-arm-name="scara-s3"] img');
            return image.complete && image.naturalWidth === 320; }"""
    )
    box = picture.bounding_box()
    assert box["width"] / box["height"] == pytest.approx(4 / 3, rel=0.03)
    picture.click()
    workbench.await_arm("scara-s3")
    assert arm_of(workbench)["name"] == "scara-s3"
    assert card.get_attribute("aria-current") == "true"
    assert tab.locator(".identity h2").inner_text() == "SCARA by DH table"


def test_an_arm_is_found_and_chosen_by_keyboard_alone(workbench: Workbench) -> None:
    tab = scara_bench(workbench)
    assert tab.locator(".count").inner_text() == f"{len(catalog.robot_names())} arms"
    tab.get_by_label("Search arms").fill("no such arm")
    assert "No arm matches “no such arm”." in tab.locator(".none").inner_text()
    tab.get_by_role("button", name="Clear the search").click()
    tab.get_by_label("Search arms").focus()
    tab.keyboard.type("universal")
    assert tab.locator(".count").inner_text() == "3 arms match"
    names = tab.locator(".arm-card").evaluate_all("(cards) => cards.map((card) => card.dataset.armName)")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("() => document.activeElement.dataset.armName") == names[1]
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("End")
    tab.keyboard.press("Enter")
    await_arm(workbench, "arm.name === arg", names[-1])
    search = tab.get_by_label("Search arms")
    search.fill("panda")
    search.press("Enter")  # there is only one
    await_arm(workbench, "arm.name === 'franka-panda'")


def test_a_longer_link_moves_the_tool_by_that_much_and_undo_brings_it_back(workbench: Workbench) -> None:
    """With the first joint at zero, the first link of the SCARA lies along x."""
    tab = scara_bench(workbench, LENGTHS)
    go_to(workbench, [0, 30, -50, 0])
    before = tool(workbench)
    field = tab.get_by_label("a of Q1, mm")
    assert field.input_value() == "250"
    shapes = sum("/model.glb" in url for url in workbench.requests)
    type_in(field, "300")
    await_tool(workbench, moved(before, 50, 0, 0))
    dh = arm_of(workbench)["dh"]
    assert [row["a"] for row in dh] == [300, 250, 0, 0]
    assert field.get_attribute("title") == "changed; in the catalog 250 mm"
    assert "Changed here: link lengths and angles." in tab.locator(".identity").inner_text()
    assert sum("/model.glb" in url for url in workbench.requests) > shapes  # its new shape is asked for at once
    field.press("ArrowUp")
    field.press("Shift+ArrowUp")
    await_tool(workbench, moved(before, 51.1, 0, 0))
    while arm_of(workbench)["dh"] is not None:
        undo_once(workbench, "a of Q1")
    await_tool(workbench, before)
    assert field.input_value() == "250"
    type_in(tab.get_by_label("d of Q1, mm"), "500")
    await_tool(workbench, moved(before, 0, 0, 80))
    tab.locator('[data-section="arm.dh"]').get_by_role("button", name="Back to the catalog’s values").click()
    await_tool(workbench, before)
    await_arm(workbench, "arm.dh === null")


def test_the_arm_changes_while_a_slider_is_pulled_and_one_undo_takes_the_pull_back(workbench: Workbench) -> None:
    tab = lengths_bench(workbench)
    before = tool(workbench)
    revision = tab.evaluate("() => armlab.doc.value.revision")
    slider = tab.get_by_role("slider", name="a of Q1")
    assert slider.get_attribute("aria-valuetext") == "250 mm, 100 % of the catalog’s"
    pull(tab, slider, 0.6)
    await_arm(workbench, "arm.dh !== null && arm.dh[0].a > 300")
    shown = tab.get_by_label("a of Q1, mm").input_value()
    await_tool(workbench, moved(before, float(shown) - 250, 0, 0))  # the hand still holds it
    box = slider.bounding_box()
    tab.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2, steps=8)
    tab.mouse.up()
    tab.wait_for_function(
        "() => armlab.doc.value.project.arm.dh?.[0].a === Number(document.querySelector"
        "('[data-length=\"Q1 a\"] .number').value) && armlab.doc.value.project.arm.dh[0].a > 330"
    )
    await_tool(workbench, moved(before, arm_of(workbench)["dh"][0]["a"] - 250, 0, 0))
    assert tab.evaluate("() => armlab.doc.value.revision") >= revision + 2
    undo_once(workbench, "a of Q1")
    await_tool(workbench, before)
    assert arm_of(workbench)["dh"] is None
    assert tab.evaluate("() => armlab.doc.value.undo") != "a of Q1"
    assert slider.input_value() == "250"


def test_a_slider_is_pulled_by_keys_and_a_button_brings_the_catalogs_length_back(workbench: Workbench) -> None:
    tab = workbench.open(KUKA).tab
    tab.get_by_role("tab", name="Arm").click()
    tab.get_by_role("button", name=LENGTHS, exact=True).click()
    slider = tab.get_by_role("slider", name="d of A1")
    for _ in range(5):
        slider.press("ArrowRight")  # the catalog says −400: it grows to the right
    await_arm(workbench, "arm.dh !== null && arm.dh[0].d === -405")
    row = tab.locator('[data-length="A1 d"]')
    assert row.get_by_role("textbox").input_value() == "−405"
    row.get_by_role("button", name="Back to −400 mm, the catalog’s value").click()
    await_arm(workbench, "arm.dh === null")
    assert row.get_by_role("button").count() == 0
    undo_once(workbench, "d of A1")
    assert arm_of(workbench)["dh"][0]["d"] == -405
    undo_once(workbench, "d of A1")
    assert arm_of(workbench)["dh"] is None


def test_a_pull_into_a_body_is_answered_in_place_and_goes_back(workbench: Workbench) -> None:
    tab = lengths_bench(workbench)
    tab.evaluate(
        """() => { const { project, revision } = armlab.doc.value;
            const post = { name: 'post', kind: 'box', size: [40, 200, 1200], xyz: [640, 0, 600] };
            armlab.send({ type: 'edit', label: 'post', revision, project: { ...project, bodies: [post] } }); }"""
    )
    tab.wait_for_function("() => armlab.doc.value.project.bodies.length === 1")
    slider = tab.get_by_role("slider", name="a of Q1")
    pull(tab, slider, 1.0)
    alert = tab.locator('[data-length="Q1 a"]').get_by_role("alert")
    tab.wait_for_function(
        "() => document.querySelector('[data-length=\"Q1 a\"] .problem').textContent.includes('inside')"
    )
    tab.mouse.up()
    assert alert.inner_text().startswith("Q1, a: ")
    assert "post" in alert.inner_text()
    dh = arm_of(workbench)["dh"]
    held = 250 if dh is None else dh[0]["a"]
    assert held < 400
    tab.wait_for_function(
        "(held) => Number(document.querySelector('[data-length=\"Q1 a\"] input[type=range]').value) === held", arg=held
    )
    slider.press("ArrowLeft")  # a shorter one is fine again
    await_arm(workbench, "arm.dh !== null && arm.dh[0].a === arg", held - 1)
    tab.wait_for_function("() => document.querySelector('[data-length=\"Q1 a\"] .problem').textContent === ''")


def test_wrong_text_in_the_table_is_answered_in_place_and_nothing_is_lost(workbench: Workbench) -> None:
    tab = scara_bench(workbench, LENGTHS)
    tab.get_by_role("radio", name="Standard").check()
    revision = tab.evaluate("() => armlab.doc.value.revision")
    field = tab.get_by_label("a of Q2, mm")
    alert = tab.locator('[data-row="Q2"] + .arm-problem').get_by_role("alert")
    for typed, answer in (
        ("long", "Q2, a: “long” is not a number."),
        ("", "Q2, a: “” is not a number."),
        ("99999", "Q2, a: 99999 mm is outside −10000 … 10000 mm."),
    ):
        type_in(field, typed)
        assert alert.inner_text() == answer
        assert field.input_value() == typed
        assert field.get_attribute("aria-invalid") == "true"
    assert tab.evaluate("() => armlab.doc.value.revision") == revision
    field.press("Escape")
    assert (field.input_value(), field.get_attribute("aria-invalid")) == ("250", "false")
    assert not alert.is_visible()
    tab.get_by_role("radio", name="Modified").check()
    assert tab.locator('[data-convention="modified"]').get_by_role("textbox").count() == 0


def test_the_table_is_the_catalogs_in_either_convention(workbench: Workbench) -> None:
    tab = scara_bench(workbench, LENGTHS)
    sheet = reports.robot_sheet(catalog.load("scara"))
    tab.get_by_role("radio", name="Standard").check()
    tab.wait_for_selector('[data-convention="standard"] tbody input')
    shown = tab.locator('[data-convention="standard"] tbody input').evaluate_all("(all) => all.map((one) => one.value)")
    values = [float(text.replace("−", "-")) for text in shown]
    expected = [value for row in sheet.dh_standard for value in (row.theta, row.d, row.a, row.alpha)]
    np.testing.assert_allclose(values, expected, atol=0.000501)
    tab.get_by_role("radio", name="Modified").check()
    table = tab.locator('[data-convention="modified"] tbody tr')
    cells = [text.split("\t")[1:] for text in table.all_inner_texts()]
    values = [float(cell.replace("−", "-")) for row in cells for cell in row]
    expected = [value for row in sheet.dh_modified for value in (row.theta, row.d, row.a, row.alpha)]
    np.testing.assert_allclose(values, expected, atol=0.00501)


def test_a_narrower_limit_clips_the_slider_and_names_the_poses_that_no_longer_fit(workbench: Workbench) -> None:
    tab = scara_bench(workbench, "Limits")
    kept = [{"id": "far", "name": "Far left", "q": [100, 0, -50, 0]}]
    tab.evaluate(
        """(poses) => { const { project, revision } = armlab.doc.value;
            armlab.send({ type: 'edit', label: 'poses', revision, project: { ...project, poses } }); }""",
        kept,
    )
    tab.wait_for_function("() => armlab.doc.value.project.poses.length === 1")
    upper = tab.get_by_label("Q1 to, °")
    type_in(upper, "-140")
    problem = tab.locator('[data-section="arm.limits"] .arm-problem').get_by_role("alert").first
    assert problem.inner_text() == "Q1, To: must be above −135 °, where the range begins."
    assert arm_of(workbench)["limits"] is None
    type_in(upper, "40")
    await_arm(workbench, "arm.limits !== null && arm.limits[0].upper === 40 && arm.limits[0].lower === -135")
    tab.locator(".card", has_text="Far left").wait_for()
    assert "1 kept pose lies outside the limits of this arm: Far left." in tab.locator(".card").inner_text()
    tab.get_by_role("tab", name="Jog").click()
    slider = workbench.joint("Q1").get_by_role("slider")
    tab.wait_for_function("() => document.querySelector('[data-joint=Q1] input[type=range]').max === '40'")
    slider.press("End")
    tab.wait_for_function("() => Math.abs(armlab.live.q[0] - 40) < 0.01 && (armlab.live.flags & 1) === 0")
    tab.get_by_role("tab", name="Arm").click()
    tab.locator('[data-section="arm.limits"]').get_by_role("button", name="Back to the catalog’s values").click()
    await_arm(workbench, "arm.limits === null")
    tab.locator(".card", has_text="Far left").wait_for(state="detached")


def test_a_held_arrow_key_is_one_step_of_undo(workbench: Workbench) -> None:
    tab = scara_bench(workbench, "Limits")
    hold_arrow(tab.locator('[data-base="X"]').get_by_role("textbox"), "ArrowUp", 12)
    await_arm(workbench, "arm.base[0] === 12")
    hold_arrow(tab.get_by_label("Q1 from, °"), "ArrowUp", 5)
    hold_arrow(tab.get_by_label("Q1 to, °"), "ArrowDown", 5)
    await_arm(workbench, "arm.limits?.[0].lower === -130 && arm.limits[0].upper === 130")
    undo_once(workbench, "limits of Q1")
    assert (arm_of(workbench)["limits"], arm_of(workbench)["base"][0]) == (None, 12)
    undo_once(workbench, "X of the base")
    assert arm_of(workbench)["base"] == [0] * 6


@pytest.mark.parametrize(
    ("language", "label", "axes", "maker", "title"),
    [
        ("ru", "Поиск манипулятора", "7 осей", "кука", "Плоский двухзвенный манипулятор"),
        ("uk", "Пошук маніпулятора", "7 осей", "кука", "Плоский дволанковий маніпулятор"),
    ],
)
def test_arms_are_found_in_the_readers_words(
    workbench: Workbench, language: str, label: str, axes: str, maker: str, title: str
) -> None:
    tab = scara_bench(workbench)
    tab.get_by_role("combobox", name="Language").select_option(language)
    search = tab.get_by_label(label)
    names = "(cards) => cards.map((card) => card.dataset.armName)"
    search.fill(axes)
    assert tab.locator(".arm-card").evaluate_all(names) == ["franka-panda", "kuka-iiwa14"]
    search.fill(maker)
    found = tab.locator(".arm-card").evaluate_all(names)
    assert found == [name for name in catalog.robot_names() if name.startswith("kuka")]
    search.fill(title.split()[1])
    assert title in tab.locator(".arm-card-title").all_inner_texts()


def test_every_arm_has_its_own_picture(workbench: Workbench) -> None:
    """Pictures are told apart by what they show, and names are not cut off."""
    tab = scara_bench(workbench)
    pictures = set()
    for name in catalog.robot_names():
        answer = tab.request.get(f"{workbench.url}api/robots/{name}/picture.png")
        assert answer.ok
        pictures.add(answer.body())
    assert len(pictures) == len(catalog.robot_names())
    cut = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
    assert tab.locator(".arm-card-title").evaluate_all(cut) == []


def test_a_tool_moves_the_tool_frame_and_the_base_moves_everything(workbench: Workbench) -> None:
    tab = scara_bench(workbench)
    before = tool(workbench)
    frames = np.array(tab.evaluate("() => [...armlab.live.frames]")).reshape(-1, 7)[:, :3] * 1000
    length = 1000 * float(np.linalg.norm(catalog.load_tool("gripper").T_flange_tool[:3, 3]))
    tab.get_by_label("Tool", exact=True).select_option(label="Parallel gripper")
    await_arm(workbench, "arm.tool === 'gripper'")
    await_tool(workbench, moved(before, 0, 0, -length))  # the flange of a SCARA looks down
    height = tab.locator('[data-base="Z"]').get_by_role("textbox")
    type_in(height, "300,5")
    await_tool(workbench, moved(before, 0, 0, 300.5 - length))
    raised = np.array(tab.evaluate("() => [...armlab.live.frames]")).reshape(-1, 7)[:, :3] * 1000
    np.testing.assert_allclose(raised[:-1] - frames[:-1], [[0, 0, 300.5]] * (len(frames) - 1), atol=NEAR)
    type_in(tab.locator('[data-base="A"]').get_by_role("textbox"), "oops")
    assert tab.locator(".arm-base").get_by_role("alert").first.inner_text() == "A: “oops” is not a number."
    assert arm_of(workbench)["base"] == [0, 0, 300.5, 0, 0, 0]
    tab.locator(".identity").get_by_role("button", name="Back to the catalog’s values").click()
    await_tool(workbench, before)
    assert arm_of(workbench) == {"name": "scara", "tool": "none", "base": [0] * 6, "dh": None, "limits": None}


def test_poses_for_other_joints_are_told_when_they_leave_with_the_old_arm(workbench: Workbench) -> None:
    tab = scara_bench(workbench)
    tab.evaluate(
        """() => { const { project, revision } = armlab.doc.value;
            const poses = [{ id: 'one', name: 'One', q: [0, 0, -50, 0] }];
            armlab.send({ type: 'edit', label: 'poses', revision, project: { ...project, poses } }); }"""
    )
    tab.wait_for_function("() => armlab.doc.value.project.poses.length === 1")
    tab.get_by_label("Search arms").fill("panda")
    tab.locator('[data-arm-name="franka-panda"]').click()
    toast = tab.locator(".toast", has_text="1 kept pose was made for another number of joints")
    toast.get_by_role("button", name="Undo").click()
    workbench.await_arm("scara")
    assert tab.evaluate("() => armlab.doc.value.project.poses[0].name") == "One"
