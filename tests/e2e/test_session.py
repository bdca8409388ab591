"""The session behind the page: who may come in, reloads, second tabs, and a server that is restarted."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from e2e.bench import ARM, HOME, SHEET, at_home, await_joints, fresh_tab, load_axe, serious_barriers, server_at, state
from e2e.chromium import Workbench
from e2e.jogging import await_rest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_the_printed_link_lets_a_browser_in_and_leaves_no_token_behind(chromium: Any) -> None:
    with server_at(0) as server:
        with fresh_tab(chromium) as tab:
            bench = Workbench(tab, server.url).open()
            assert "token" not in tab.url
            assert state(bench, "link.value") == "open"
            assert bench.complaints == []
        with fresh_tab(chromium) as tab:  # the link has been used: it is worth nothing now
            tab.goto(server.url)
            card = tab.get_by_role("alertdialog")
            card.wait_for()
            assert card.get_by_role("heading").inner_text() == "Open the link that armlab printed"


def test_a_reload_comes_back_to_the_same_session(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    workbench.joint(SHEET.joints[0].name).get_by_role("slider").press("PageUp")
    await_joints(workbench, [HOME[0] + 10, *HOME[1:]])
    before = state(workbench, "session.value")
    tab.reload()
    workbench.await_arm(ARM)
    assert state(workbench, "session.value") == before
    await_joints(workbench, [HOME[0] + 10, *HOME[1:]])


def test_a_second_tab_looks_at_the_same_session_and_both_are_told(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    other = tab.context.new_page()
    other.goto(workbench.url)
    other.wait_for_selector(f'canvas[data-arm="{ARM}"]')
    assert other.evaluate("() => armlab.session.value") == state(workbench, "session.value")
    assert "2 pages show this session" in tab.locator(".toast").inner_text()
    other.locator(".structure").get_by_role("radio", name="bodies + constraints").check()
    tab.wait_for_function("() => armlab.doc.value.project.structure === 'joints'")
    expect(tab.locator(".structure").get_by_role("radio", name="bodies + constraints")).to_be_checked()


def test_a_restarted_server_under_the_page_gets_project_and_stance_back(chromium: Any) -> None:
    """Two tabs look on: neither loses anything, and both come to the same new session."""
    with server_at(0) as first, fresh_tab(chromium) as tab:
        bench = jogged(Workbench(tab, first.url).open(ARM))
        tab.locator(".structure").get_by_role("radio", name="bodies + constraints").check()
        tab.wait_for_function("() => armlab.doc.value.project.structure === 'joints'")
        other = tab.context.new_page()
        other.goto(first.url.partition("?")[0])
        other.wait_for_selector(f'canvas[data-arm="{ARM}"]')
        half = bench.joint(SHEET.joints[1].name).get_by_role("textbox")
        tab.bring_to_front()
        half.fill("-4")
        stood, old = state(bench, "live.command"), state(bench, "session.value")
        first.stop()
        banner = tab.locator(".banner")
        banner.wait_for()
        assert "The server does not answer. Your project is saved in this browser" in banner.inner_text()
        load_axe(tab)
        assert serious_barriers(tab) == []
        other.get_by_role("button", name="Save pose").click()
        other.get_by_text("failed: The server does not answer.").wait_for()
        with server_at(urlsplit(first.url).port or 0):
            for page in (tab, other):
                page.wait_for_function("(old) => armlab.link.value === 'open' && armlab.session.value !== old", arg=old)
            assert banner.count() == 0
            assert other.evaluate("() => armlab.session.value") == state(bench, "session.value")
            project = state(bench, "doc.value.project")
            assert (project["arms"][0]["arm"]["name"], project["structure"]) == (ARM, "joints")
            await_joints(bench, stood)
            assert (half.input_value(), half.evaluate("field => field === document.activeElement")) == ("-4", True)
            half.press("Escape")
            assert shown_joints(bench) == pytest.approx(stood, abs=0.05)


def test_where_the_arm_stood_is_kept_when_page_and_server_are_closed(chromium: Any) -> None:
    with server_at(0) as first, fresh_tab(chromium) as tab:
        bench = jogged(Workbench(tab, first.url).open(ARM))
        stood = state(bench, "live.command")
        tab.goto("about:blank")
        first.stop()
        with server_at(urlsplit(first.url).port or 0):
            tab.goto(first.url.partition("?")[0])
            bench.await_arm(ARM)
            await_joints(bench, stood)
            tab.locator(".toast", has_text="The server was restarted").wait_for()


def jogged(bench: Workbench) -> Workbench:
    """Hold a key until the arm has left home; wait until it stands."""
    bench.tab.locator(".view canvas").focus()
    bench.tab.keyboard.down("d")
    bench.tab.wait_for_function("(home) => Math.abs(armlab.live.q[0] - home) > 3", arg=HOME[0])
    bench.tab.keyboard.up("d")
    await_rest(bench.tab)
    return bench


def shown_joints(bench: Workbench) -> list[float]:
    """Return the joint values that stand in the fields of the panel."""
    fields = [bench.joint(joint.name).get_by_role("textbox").input_value() for joint in SHEET.joints]
    return [float(text.replace("−", "-")) for text in fields]
