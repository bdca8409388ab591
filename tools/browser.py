"""Find a Chromium for the browser tests, or install one; print where it is.

    python tools/browser.py

Without one the browser tests are left out: that is said loudly, and is a failure where CI=true.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
VARIABLE = "ARMLAB_CHROMIUM"
NONE_FOUND = (
    f"NO BROWSER: there is no Chromium on the PATH or in {VARIABLE}, and none could be installed; "
    "the browser tests are left out"
)


def find_chromium(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the Chromium to use: the variable's, else one on the PATH, else Playwright's own, else None."""
    named = environment.get(VARIABLE)
    if named:
        return shutil.which(named)
    on_path = (shutil.which(name, path=environment.get("PATH")) for name in NAMES)
    return next((found for found in on_path if found), None) or playwright_chromium()


def playwright_chromium() -> str | None:
    """Return the Chromium that Playwright has downloaded, or None."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = str(playwright.chromium.executable_path)
    return path if Path(path).is_file() else None


def install_chromium() -> None:
    """Install Debian's package where we may, else Playwright's download; the caller looks again."""
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        if run("apt-get", "update", "-qq"):
            run("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium")
    else:
        run(sys.executable, "-m", "playwright", "install", "chromium")


def run(*command: str) -> bool:
    """Run a command with its output on standard error; return whether it succeeded."""
    try:
        return subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0
    except OSError:
        return False


def is_required(environment: Mapping[str, str] = os.environ) -> bool:
    """Tell whether tests without a browser count as a failure."""
    return environment.get("CI", "").lower() == "true"


def main() -> int:
    """Print the path of a Chromium, installing one if need be; return the exit code."""
    found = find_chromium()
    if found is None:
        install_chromium()
        found = find_chromium()
    if found is None:
        print(NONE_FOUND, file=sys.stderr)
        return 1 if is_required() else 0
    print(found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
