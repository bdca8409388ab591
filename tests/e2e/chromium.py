"""What the browser tests stand on: a server process, a Chromium, and a page that reports what went wrong in it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from armlab.server.access import COOKIE

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_MS = 120_000
"""How long a page may take for anything: a test that passes waits for what happens, never for this."""
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--process-per-site",  # tabs of one profile share a process, and with it the compiled page
    "--webgl-msaa-sample-count=0",  # without a graphics card every pixel costs CPU time: no smoothed edges
    "--webgl-antialiasing-mode=none",
)
COARSE = 0.5
"""Device pixels per CSS pixel: a quarter of the pixels to paint; layout and pointer see CSS pixels as ever."""
SERVER = """
from armlab.server.serve import serve
serve(port=0, open_browser=False, announce=lambda text: print(text, flush=True))
"""


def load_browser_tool() -> Any:
    """Return tools/browser.py, which is a script and not on the path."""
    spec = importlib.util.spec_from_file_location("browser_tool", ROOT / "tools" / "browser.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def new_profile(browser: Any, server: Server | None = None, **wishes: Any) -> Any:
    """Return a browser's profile that nobody has used: in English, with little motion, let into `server`."""
    usual = {
        "viewport": {"width": 1366, "height": 768},
        "device_scale_factor": COARSE,
        "locale": "en-GB",
        "color_scheme": "light",
        "reduced_motion": "reduce",
    }
    context = browser.new_context(**{**usual, **wishes})
    if server is not None:
        context.add_cookies([server.cookie])
    return context


@dataclass
class Server:
    """A server process, its address, and the key that the link it printed was exchanged for."""

    process: subprocess.Popen[str]
    url: str
    key: str = ""

    @property
    def cookie(self) -> dict[str, str]:
        """What lets a browser in, as Playwright takes it."""
        return {"name": COOKIE, "value": self.key, "url": self.url}

    def stop(self) -> None:
        """End it; its port is free afterwards."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


@contextmanager
def running_server() -> Iterator[Server]:
    """Start the real server with the real page, on a port of its own."""
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    link = ""
    for line in process.stdout:
        if "is ready" in line:
            link = next(word for word in line.split() if word.startswith("http://"))
            break
    server = Server(process, link.partition("?")[0])
    try:
        assert link, "the server ended before it was ready"
        server.key = httpx.get(link).cookies[COOKIE]
        yield server
    finally:
        server.stop()


@dataclass
class Workbench:
    """The armlab page in a browser tab, with a record of its complaints and of whom it asked."""

    tab: Any
    url: str
    heard: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tab.set_default_timeout(PATIENCE_MS)
        self.tab.on("pageerror", lambda error: self.heard.append(str(error)))
        self.tab.on("console", self._hear)
        self.tab.on("request", lambda request: self.requests.append(request.url))

    def _hear(self, message: Any) -> None:
        if message.type == "error":
            self.heard.append(message.text)

    @property
    def complaints(self) -> list[str]:
        """What the page or the browser complained of, but for what the test expects."""
        return [text for text in self.heard if not any(part in text for part in self.allowed)]

    def allow(self, part: str) -> None:
        """Expect complaints with this text, whenever they come: the browser reports each refused request."""
        self.allowed.append(part)

    def open(self, arm: str = "") -> Workbench:
        """Go to the page; wait until the arm is drawn."""
        self.tab.goto(f"{self.url}#{arm}" if arm else self.url)
        self.await_arm(arm)
        return self

    def await_arm(self, arm: str) -> None:
        """Wait until the shape of `arm`, or of any arm, is on the stage."""
        wanted = f'[data-arm="{arm}"]' if arm else ':not([data-arm=""])'
        self.tab.wait_for_selector(f"canvas{wanted}")

    def tool_pose(self) -> list[float]:
        """Return x y z A B C as the page holds them."""
        cells = [self.tab.locator(f'[data-pose="{name}"]') for name in "XYZABC"]
        return [float(cell.get_attribute("data-value")) for cell in cells]

    def await_pose(self, expected: list[float]) -> None:
        """Wait until the page shows the pose `expected` (mm, degrees)."""
        self.tab.wait_for_function(
            """(expected) => ["X", "Y", "Z", "A", "B", "C"].every((name, i) => {
                const shown = Number(document.querySelector(`[data-pose="${name}"]`).dataset.value);
                return Math.abs(shown - expected[i]) < 1e-6;
            })""",
            arg=expected,
        )

    def joint(self, name: str) -> Any:
        """Return the row of one joint."""
        return self.tab.locator(f'[data-joint="{name}"]')
