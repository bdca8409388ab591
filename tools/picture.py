"""Take the picture for the README: the page with an arm in a pose, in docs/images/armlab.png.

python -m tools.picture
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.browser import NONE_FOUND, find_chromium

TARGET = Path(__file__).resolve().parent.parent / "docs" / "images" / "armlab.png"
ARM = "kuka-kr6-r900"
POSE = {"A1": "-28", "A2": "-72", "A3": "98", "A5": "54"}
WIDTH, HEIGHT = 1366, 768
SETTLE_MS = 600
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
        page.goto(f"{url}#{ARM}")
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
        TARGET.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=TARGET)
        browser.close()


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
