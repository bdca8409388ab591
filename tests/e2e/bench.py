"""The arm of the browser tests of the workbench, and words for what they wait for."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from e2e.chromium import ROOT, SERVER, Server, Workbench, load_browser_tool, new_profile
from PIL import Image

from armlab import catalog
from armlab.reports.kinematics import fk_report
from armlab.reports.robots import robot_sheet
from armlab.units import joint_scale

ARM = "kuka-kr6-r700"
SHEET = robot_sheet(catalog.load(ARM))
HOME = [joint.home for joint in SHEET.joints]
MOST_LOOKS = 200
SETTLED = """() => new Promise(done => {
    let frames = 0;
    const look = () => {
        frames += 1;
        const isOver = frames > 2 && (armlab.view.value.isSettled || frames > 120);
        requestAnimationFrame(isOver ? done : look);
    };
    requestAnimationFrame(look);
})"""
"""Waits until the view has drawn what was changed before; where something moves on and on, for 120 pictures."""
NEAR = 0.05
"""mm and degrees: as near as a simulated arm comes to where it was sent."""


def python_pose(values: list[float]) -> list[float]:
    """Return x y z A B C of the arm at `values` (degrees), as Python computes them."""
    robot = catalog.load(ARM)
    q = np.array([value * joint_scale(joint.kind) for value, joint in zip(values, robot.joints, strict=True)])
    report = fk_report(robot, q, with_frames=False)
    return [*report.xyz, *report.abc]


def state(bench: Workbench, what: str) -> Any:
    """Return something that the page knows: `live.time`, `doc.value.revision` …"""
    return bench.tab.evaluate(f"() => armlab.{what}")


def await_joints(bench: Workbench, expected: list[float]) -> None:
    """Wait until the simulated arm stands at `expected` (degrees)."""
    bench.tab.wait_for_function(
        """([expected, near]) => armlab.live.q.length === expected.length
            && (armlab.live.flags & 1) === 0
            && expected.every((value, i) => Math.abs(value - armlab.live.q[i]) < near)""",
        arg=[expected, NEAR],
    )


def await_shown_pose(bench: Workbench, expected: list[float]) -> None:
    """Wait until the page shows the pose `expected` (mm, degrees); 180° and -180° are the same turn."""
    bench.tab.wait_for_function(
        """([expected, near]) => ["X", "Y", "Z", "A", "B", "C"].every((name, i) => {
            const away = Math.abs(Number(document.querySelector(`[data-pose="${name}"]`).dataset.value) - expected[i]);
            return Math.min(away, i < 3 ? away : Math.abs(away - 360)) < near;
        })""",
        arg=[expected, NEAR],
    )


def at_home(bench: Workbench) -> Workbench:
    """Open the page with the arm of these tests, at home, and its jog panel in front."""
    bench.open(ARM)
    bench.tab.get_by_role("tab", name="Jog").click()
    await_joints(bench, HOME)
    return bench


@contextmanager
def server_at(port: int) -> Iterator[Server]:
    """Start a server on a port of its own, or on a given one: the same that was there before."""
    code = SERVER.replace("port=0", f"port={port}")
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    ready = next((line for line in process.stdout if "is ready" in line), "")
    link = next((word for word in ready.split() if word.startswith("http://")), "")
    server = Server(process, link)
    try:
        assert link, "the server ended before it was ready"
        yield server
    finally:
        server.stop()


@contextmanager
def fresh_tab(chromium: Any, **wishes: Any) -> Iterator[Any]:
    """Open a tab of a browser that nobody has used."""
    context = new_profile(chromium, **wishes)
    yield context.new_page()
    context.close()


def load_axe(tab: Any) -> None:
    """Let the page be checked for barriers, or leave the test out loudly."""
    axe = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.is_file():
        reason = "NO AXE: run `python hatch_build.py --tools`; the page is not checked for barriers"
        (pytest.fail if load_browser_tool().is_required() else pytest.skip)(reason)
    tab.evaluate(axe.read_text(encoding="utf-8"))


def serious_barriers(tab: Any) -> list[tuple[str, list[str]]]:
    """Return what axe finds on the page as it is: the rule, and where it is broken."""
    violations = tab.evaluate("() => axe.run().then(result => result.violations)")
    return [
        (violation["id"], [node["html"] for node in violation["nodes"]])
        for violation in violations
        if violation["impact"] in {"serious", "critical"}
    ]


def picture(tab: Any) -> bytes:
    """Return a screenshot of the view, after what was changed is drawn, and finely unless it moves on."""
    tab.evaluate(SETTLED)
    return bytes(tab.locator("canvas").first.screenshot(scale="css"))


def await_other_picture(tab: Any, before: bytes) -> bytes:
    """Look at the view until it is another one than before; return it."""
    for _ in range(MOST_LOOKS):
        now = picture(tab)
        if now != before:
            return now
    raise AssertionError("the view stayed as it was")


def brightness(png: bytes) -> float:
    """Return the mean grey of a screenshot, 0 to 255."""
    return float(np.asarray(Image.open(io.BytesIO(png)).convert("L")).mean())


def orange_pixels(tab: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return where the canvas is orange."""
    pixels = np.asarray(Image.open(io.BytesIO(picture(tab))).convert("RGB")).astype(int)
    red, green, blue = pixels[..., 0], pixels[..., 1], pixels[..., 2]
    found: np.ndarray[Any, np.dtype[np.bool_]] = (red > 150) & (red - blue > 90) & (green < red)
    return found
