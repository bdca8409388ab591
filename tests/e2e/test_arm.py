"""The panel of the arm: choosing one by its picture, by words and by keyboard; its tool and its base."""

from __future__ import annotations

import numpy as np
import pytest
from e2e.arm_panel import NEAR, arm_of, await_arm, await_tool, moved, scara_bench, tool, type_in
from e2e.chromium import Workbench
from playwright.sync_api import expect

from armlab import catalog

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_an_arm_is_chosen_by_its_picture(workbench: Workbench) -> None:
    tab = scara_bench(workbench)
    card = tab.locator('[data-arm-name="scara-s3"]')
    picture = card.get_by_role("img")
    expect(picture).to_have_attribute("alt", "Picture of SCARA by DH table")
    expect(picture).to_have_attribute("loading", "lazy")
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
    expect(card).to_have_attribute("aria-current", "true")
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
    tab.get_by_role("region", name="Tool and base").get_by_label("Tool", exact=True).select_option(
        label="Parallel gripper"
    )
    await_arm(workbench, "arm.tool === 'gripper'")
    await_tool(workbench, moved(before, 0, 0, -length))  # the flange of a SCARA looks down
    height = tab.locator('[data-base="Z"]').get_by_role("textbox")
    type_in(height, "300,5")
    await_tool(workbench, moved(before, 0, 0, 300.5 - length))
    raised = np.array(tab.evaluate("() => [...armlab.live.frames]")).reshape(-1, 7)[:, :3] * 1000
    np.testing.assert_allclose(raised[:-1] - frames[:-1], [[0, 0, 300.5]] * (len(frames) - 1), atol=NEAR)
    type_in(tab.locator('[data-base="A"]').get_by_role("textbox"), "oops")
    assert tab.locator('[data-numbers="base"]').get_by_role("alert").first.inner_text() == "A: “oops” is not a number."
    assert arm_of(workbench)["base"] == [0, 0, 300.5, 0, 0, 0]
    tab.locator(".identity").get_by_role("button", name="Back to the catalog’s values").click()
    await_tool(workbench, before)
    assert arm_of(workbench) == {
        "name": "scara",
        "file": None,
        "tool": "none",
        "tcp": None,
        "payload": None,
        "base": [0] * 6,
        "dh": None,
        "limits": None,
    }


def test_poses_for_other_joints_are_told_when_they_leave_with_the_old_arm(workbench: Workbench) -> None:
    tab = scara_bench(workbench)
    tab.evaluate(
        """() => { const project = armlab.project.value, { revision } = armlab.doc.value;
            const poses = [{ id: 'one', name: 'One', q: [0, 0, -50, 0] }];
            armlab.send({ type: 'edit', label: 'poses', revision,
                changes: [{ path: [], value: armlab.wholeOf({ ...project, poses }) }] }); }"""
    )
    tab.wait_for_function("() => armlab.project.value.poses.length === 1")
    tab.get_by_label("Search arms").fill("panda")
    tab.locator('[data-arm-name="franka-panda"]').click()
    toast = tab.locator(".toast", has_text="1 saved pose was made for another number of joints")
    toast.get_by_role("button", name="Undo").click()
    tab.wait_for_function("() => armlab.project.value.poses[0]?.name === 'One'")
    workbench.await_arm("scara")
