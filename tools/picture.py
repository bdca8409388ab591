"""Take the pictures for the README: the page with an arm in a pose, and a scenario that runs.

python -m tools.picture     writes docs/images/armlab.png and docs/images/armlab.gif
"""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

from tools.browser import NONE_FOUND, find_chromium

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
ARM = "kuka-kr6-r900"
POSE = {"A1": "-28", "A2": "-72", "A3": "98", "A5": "54"}
WIDTH, HEIGHT = 1366, 768
SETTLE_MS = 600
SCENARIO = "Three cubes into their bins"
FRAMES, FRAME_MS, FILM_WIDTH, COLOURS = 40, 200, 840, 120
RATE = 0.4
"""Slower than life: a picture takes a while where there is no graphics card."""
VISITED = "() => localStorage.setItem('armlab.visited', 'yes')"
SERVER = """
from armlab.server.serve import serve
serve(port=0, open_browser=False, announce=lambda text: print(text, flush=True))
"""


def take(url: str, chromium: str) -> None:
    """Open the page at `url`, move the arm and write the picture."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, locale="en-GB", color_scheme="light", reduced_motion="reduce"
        )
        page.goto(url)
        page.evaluate(VISITED)  # the guide for newcomers would lie over the picture
        IMAGES.mkdir(parents=True, exist_ok=True)
        _picture(page)
        _film(page)
        browser.close()


def _picture(page: Any) -> None:
    page.goto(f"{page.url.partition('#')[0]}#{ARM}")
    page.reload()
    page.wait_for_selector(f'canvas[data-arm="{ARM}"]')
    for joint, value in POSE.items():
        field = page.locator(f'[data-joint="{joint}"] input[type="text"]')
        field.fill(value)
        field.press("Enter")
    page.wait_for_function("() => (armlab.live.flags & 1) === 1")
    page.wait_for_function("() => (armlab.live.flags & 1) === 0")
    page.get_by_role("button", name="Fit").click()
    page.mouse.move(WIDTH / 2, HEIGHT / 2)
    page.wait_for_timeout(SETTLE_MS)
    page.screenshot(path=IMAGES / "armlab.png")


def _film(page: Any) -> None:
    """Run a scenario, and keep what is seen as a short animation."""
    from PIL import Image

    page.get_by_role("tab", name="Scenario").click()
    page.get_by_text(SCENARIO).first.click()
    page.wait_for_function("() => armlab.doc.value.project.bodies.length > 5")
    page.wait_for_timeout(3 * SETTLE_MS)
    page.get_by_role("button", name="Fit").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_function("() => (armlab.live.flags & 4) === 4")
    page.evaluate("rate => armlab.send({type: 'set_rate', rate})", RATE)
    shots: list[Image.Image] = []
    while len(shots) < FRAMES and page.evaluate("() => (armlab.live.flags & 4) === 4"):
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        shots.append(shot.resize((FILM_WIDTH, FILM_WIDTH * HEIGHT // WIDTH), Image.Resampling.LANCZOS))
    palette = _palette(shots[len(shots) // 2])
    pictures = [shot.quantize(palette=palette, dither=Image.Dither.NONE) for shot in shots]
    pictures[0].save(
        IMAGES / "armlab.gif", save_all=True, append_images=pictures[1:], duration=FRAME_MS, loop=0, optimize=True
    )


def _palette(shot: Any) -> Any:
    """Return a palette of the most frequent colours, which are greys, and of the widest range: the cubes are small."""
    from PIL import Image

    ways = (Image.Quantize.MEDIANCUT, Image.Quantize.MAXCOVERAGE)
    found = [value for way in ways for value in shot.quantize(COLOURS, way).getpalette()[: 3 * COLOURS]]
    palette = Image.new("P", (1, 1))
    palette.putpalette(found)
    return palette


def main() -> int:
    """Start the server, take the picture, end the server; return the exit code."""
    chromium = find_chromium()
    if chromium is None:
        print(NONE_FOUND, file=sys.stderr)
        return 1
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            ready = next((line for line in server.stdout if "is ready" in line), "")
            take(next(word for word in ready.split() if word.startswith("http://")), chromium)
        finally:
            server.kill()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
