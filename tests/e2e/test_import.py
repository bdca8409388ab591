"""Bring an arm in the browser: drop it, read the report, choose a chain, put it on the bench, save the project."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from e2e.arm_panel import arm_of, await_arm
from e2e.bench import load_axe, serious_barriers
from e2e.chromium import Workbench
from playwright.sync_api import expect

from armlab.cell.arm import build_arm
from armlab.cell.project import ArmChoice

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

TWO_ARMS = """<?xml version="1.0"?>
<robot name="Two Arms">
  <link name="torso"/>
  {links}
</robot>"""
LINK = """
  <link name="{side}{i}"><visual><origin xyz="0 0 0.1"/><geometry><box size="0.05 0.05 0.2"/></geometry></visual></link>
  <joint name="{side}_j{i}" type="revolute"><parent link="{parent}"/><child link="{side}{i}"/>
    <origin xyz="0 {y} 0.2"/><axis xyz="0 1 0"/><limit lower="-1" upper="{upper}" velocity="2" effort="9"/></joint>"""
SIDES = {"left": 3, "right": 2}


def two_arms() -> str:
    """Return a URDF of a torso with an arm of three axes and one of two, whose first limits are reversed."""
    links = [
        LINK.format(
            side=side,
            i=i,
            parent=f"{side}{i - 1}" if i > 1 else "torso",
            y=(0.2 if side == "left" else -0.2) if i == 1 else 0,
            upper=-2 if i == 1 else 1,
        )
        for side, count in SIDES.items()
        for i in range(1, count + 1)
    ]
    return TWO_ARMS.format(links="".join(links))


def zipped(files: dict[str, str]) -> bytes:
    """Return a zip of texts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def dropped(tab: Any, name: str, data: bytes) -> Any:
    """Return what a browser tells of a file that is dragged over the page."""
    return tab.evaluate_handle(
        """([name, bytes]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(bytes)], name));
            return transfer;
        }""",
        [name, list(data)],
    )


def test_an_arm_that_is_dropped_is_reported_chosen_and_put_on_the_bench(workbench: Workbench) -> None:
    tab = workbench.open("scara").tab
    transfer = dropped(tab, "pair.zip", zipped({"pair/robots/arms.urdf": two_arms(), "pair/notes.txt": "nothing"}))
    tab.dispatch_event("body", "dragenter", {"dataTransfer": transfer})
    assert "Drop to import an arm" in tab.locator(".drop-zone").inner_text()
    tab.dispatch_event("body", "drop", {"dataTransfer": transfer})
    dialog = tab.get_by_role("dialog", name="Import: pair.zip")
    dialog.get_by_text("Two Arms").wait_for()
    assert tab.locator(".drop-zone").count() == 0
    assert dialog.locator(".import-score strong").inner_text().isdigit()
    assert dialog.locator(".import-findings li[data-level=warning]", has_text="left_j1").count() >= 1
    load_axe(tab)
    assert serious_barriers(tab) == []
    chain = dialog.get_by_label("Chain")
    assert chain.locator("option").all_inner_texts() == [
        "Automatic",
        "torso → left3, 3 axes",
        "torso → right2, 2 axes",
    ]
    chain.select_option("right2")
    use = dialog.get_by_role("button", name="Use this arm")
    tab.wait_for_function("() => document.querySelectorAll('.import-dh tbody tr').length === 2")
    use.click()
    workbench.await_arm("two-arms")
    dialog.wait_for(state="hidden")
    tab.wait_for_function("() => armlab.live.q.length === 2")
    own = arm_of(workbench)
    assert [joint.name for joint in build_arm(ArmChoice.model_validate(own)).joints] == ["right_j1", "right_j2"]
    tab.get_by_role("button", name="Undo: ").first.click()
    workbench.await_arm("scara")


def test_a_brought_arm_is_changed_saved_and_opened_with_its_project(workbench: Workbench, tmp_path: Path) -> None:
    tab = workbench.open("scara").tab
    tab.get_by_role("tab", name="Arm", exact=True).click()
    file = tmp_path / "arms.urdf"
    file.write_text(two_arms())
    tab.locator('input[type=file][aria-label="Import an arm…"]').set_input_files(file)
    dialog = tab.get_by_role("dialog", name="Import: arms.urdf")
    reach = dialog.locator(".import-facts div", has_text="Reach").locator("dd")
    reach.wait_for()
    before = reach.inner_text()
    dialog.get_by_label("Unit of length in the file").select_option("mm")
    tab.wait_for_function(
        "(text) => ![...document.querySelectorAll('.import-facts dd')].some(x => x.innerText === text)", arg=before
    )
    dialog.get_by_label("Unit of length in the file").select_option("m")
    dialog.get_by_text(before, exact=True).wait_for()
    dialog.get_by_role("button", name="Use this arm").click()
    workbench.await_arm("two-arms")
    tab.get_by_role("button", name="Limits", exact=True).click()
    tab.locator("[data-section='arm.limits'] input").first.wait_for()  # its own numbers are told, too
    saved = tab.evaluate("() => armlab.doc.value.project")
    assert len(json.dumps(saved)) < 2000
    tab.locator(".project-button").click()
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="Save to a file").click()
    project = tmp_path / str(waiting.value.suggested_filename)
    assert project.name.endswith(".armlab.zip")
    waiting.value.save_as(project)
    tab.locator(".view-present").click()
    tab.get_by_role("button", name="Link", exact=True).click()
    expect(tab.get_by_text("no room for an imported arm")).to_be_visible()
    workbench.open("ur5e")
    tab.locator('input[type=file][accept*=".json,.zip"]').first.set_input_files(project)
    workbench.await_arm("two-arms")
    await_arm(workbench, "arm.file !== null")
    assert arm_of(workbench) == saved["arms"][0]["arm"]


def test_what_is_no_arm_is_refused_with_its_reason(workbench: Workbench, tmp_path: Path) -> None:
    tab = workbench.open("scara").tab
    workbench.allow("422")
    tab.get_by_role("tab", name="Arm", exact=True).click()
    file = tmp_path / "holiday.urdf"
    file.write_text("<robot name='r'><link name='a'/></robot>")
    tab.locator('input[type=file][aria-label="Import an arm…"]').set_input_files(file)
    dialog = tab.get_by_role("dialog", name="Import: holiday.urdf")
    assert "0 moving joints" in dialog.get_by_role("alert").inner_text()
    expect(dialog.get_by_role("button", name="Use this arm")).to_be_disabled()
    dialog.get_by_role("button", name="Cancel").click()
    dialog.wait_for(state="hidden")
    assert arm_of(workbench)["name"] == "scara"
