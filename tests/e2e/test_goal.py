"""Where the sliders send the arm: a goal belongs to the arm and the motion that it was made for, and to one joint."""

from __future__ import annotations

from typing import Any

import pytest
from e2e.bench import HOME, at_home, await_joints
from e2e.chromium import Workbench

from armlab import catalog
from armlab.reports.robots import RobotSheet, robot_sheet

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SHEETS: dict[str, RobotSheet] = {name: robot_sheet(catalog.load(name)) for name in catalog.robot_names()}
NEAR = 0.02
"""° and mm: as near as the page shows where a simulated arm is."""

STANDS = """([names, values, near]) => {
    const { live, goal } = armlab;
    const rows = [...document.querySelectorAll("#right .joint")];
    return (live.flags & 1) === 0 && goal.value === null && live.q.length === values.length
        && rows.map(row => row.dataset.joint).join() === names.join()
        && values.every((value, i) => Math.abs(live.q[i] - value) < near
            && Math.abs(rows[i].querySelector("input[type=range]").valueAsNumber - value) < near);
}"""
"""Whether the arm stands where it is said to, and each slider shows just that."""


def await_stands(tab: Any, arm: str, values: list[float]) -> None:
    """Wait until the arm stands at `values`, and the sliders show them."""
    tab.wait_for_function(STANDS, arg=[[joint.name for joint in SHEETS[arm].joints], values, NEAR])


def nudged(arm: str, values: list[float], index: int) -> tuple[str, list[float]]:
    """Return the key that moves a joint by one unit away from its nearer end, and where the arm is afterwards."""
    joint = SHEETS[arm].joints[index]
    by = 1.0 if values[index] + 1.0 <= joint.upper else -1.0
    return ("ArrowRight" if by > 0 else "ArrowLeft"), [v + by * (i == index) for i, v in enumerate(values)]


def slider(tab: Any, arm: str, index: int) -> Any:
    """Return the slider of a joint."""
    return tab.locator(f'#right .joint[data-joint="{SHEETS[arm].joints[index].name}"] input[type=range]')


def home(arm: str) -> list[float]:
    """Return where an arm begins, in ° and mm."""
    return [joint.home for joint in SHEETS[arm].joints]


def choose_arm(tab: Any, arm: str) -> None:
    """Put another arm on the bench, and come back to the sliders."""
    tab.get_by_role("tab", name="Arm", exact=True).click()
    tab.locator(f'[data-arm-name="{arm}"]').click()
    tab.locator(f'canvas[data-arm="{arm}"]').wait_for()
    tab.get_by_role("tab", name="Jog", exact=True).click()


def test_the_guided_start_leads_to_every_arm_with_sliders_of_its_own(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    guide = tab.get_by_role("region", name="First steps")
    slider(tab, "kuka-kr6-r700", 0).press("PageUp")
    guide.get_by_role("button", name="Turn the view").click()
    tab.keyboard.press("ArrowLeft")
    guide.locator("[aria-current=step]", has_text="Choose another arm").wait_for()
    for arm in [name for name in SHEETS if name != "kuka-kr6-r700"] + ["kuka-kr6-r700"]:
        choose_arm(tab, arm)
        await_stands(tab, arm, home(arm))
        index = SHEETS[arm].dof - 1
        key, expected = nudged(arm, home(arm), index)
        slider(tab, arm, index).press(key)
        await_stands(tab, arm, expected)
    assert guide.count() == 0


def test_an_arm_that_is_chosen_while_another_moves_stands_at_its_own_home(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    slider(tab, "kuka-kr6-r700", 0).press("End")
    for _ in range(5):
        slider(tab, "kuka-kr6-r700", 1).press("PageDown")
    choose_arm(tab, "ur5e")
    await_stands(tab, "ur5e", home("ur5e"))
    slider(tab, "ur5e", 1).press("ArrowRight")
    await_stands(tab, "ur5e", [value + (i == 1) for i, value in enumerate(home("ur5e"))])


TAKE_OVER = "() => armlab.send({ type: 'take_arm' })"
"""What the button says that a page gets while another one moves the arm."""


def test_a_joint_that_another_tab_has_moved_stays_there(workbench: Workbench) -> None:
    first = at_home(workbench).tab
    slider(first, "kuka-kr6-r700", 0).press("PageUp")
    await_joints(workbench, [HOME[0] + 10, *HOME[1:]])
    second = first.context.new_page()
    other = Workbench(second, workbench.url)
    other.open()
    second.get_by_role("tab", name="Jog", exact=True).click()
    second.evaluate(TAKE_OVER)
    slider(second, "kuka-kr6-r700", 0).press("PageDown")
    slider(second, "kuka-kr6-r700", 1).press("PageUp")
    expected = [HOME[0], HOME[1] + 10, *HOME[2:]]
    await_joints(other, expected)
    await_stands(first, "kuka-kr6-r700", expected)
    first.evaluate(TAKE_OVER)
    slider(first, "kuka-kr6-r700", 2).press("PageDown")
    expected[2] -= 10
    for tab in (first, second):
        await_stands(tab, "kuka-kr6-r700", expected)
    assert other.complaints == []


def test_undo_a_new_project_and_a_change_of_the_scene_leave_no_goal_behind(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    choose_arm(tab, "planar3")
    await_stands(tab, "planar3", home("planar3"))
    slider(tab, "planar3", 0).press("PageUp")
    tab.get_by_role("button", name="Undo").click()  # while it moves
    await_stands(tab, "kuka-kr6-r700", HOME)
    slider(tab, "kuka-kr6-r700", 5).press("PageUp")
    tab.get_by_role("button", name="Redo").click()
    await_stands(tab, "planar3", home("planar3"))
    slider(tab, "planar3", 0).press("PageUp")
    tab.locator(".project-button").click()
    tab.get_by_role("button", name="New project").click()
    await_stands(tab, "planar3", [value + 10 * (i == 0) for i, value in enumerate(home("planar3"))])  # the arm stays
    choose_arm(tab, "kuka-kr6-r700")
    await_stands(tab, "kuka-kr6-r700", HOME)
    slider(tab, "kuka-kr6-r700", 1).press("PageUp")
    tab.get_by_role("tab", name="Scene", exact=True).click()
    tab.get_by_role("button", name="Box", exact=True).click()
    tab.wait_for_function("() => armlab.doc.value.project.bodies.length > 0 && armlab.goal.value === null")
    tab.evaluate("() => armlab.send({ type: 'reset_simulation' })")
    tab.get_by_role("tab", name="Jog", exact=True).click()
    await_stands(tab, "kuka-kr6-r700", HOME)
