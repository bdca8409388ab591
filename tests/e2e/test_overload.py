"""An arm that carries too much: a warning over the view that lasts, and the links that give way in red."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from e2e.bench import load_axe, picture, serious_barriers
from e2e.chromium import Workbench
from PIL import Image
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

LOAD = """(mass) => {
    const project = armlab.project.value, { revision } = armlab.doc.value;
    const changed = { ...project, arm: { ...project.arm, payload: mass === 0 ? null : { mass, com: [0, 0, 0] } } };
    armlab.send({ type: "edit", changes: [{ path: [], value: armlab.wholeOf(changed) }], label: "load", revision });
}"""
TITLES = {"en": "Overload", "ru": "Перегрузка", "uk": "Перевантаження"}


def red_pixels(tab: Any) -> int:
    """Count the pixels of the view that are red: no part of this arm is."""
    pixels = np.asarray(Image.open(io.BytesIO(picture(tab))).convert("RGB")).astype(int)
    red, green, blue = pixels[..., 0], pixels[..., 1], pixels[..., 2]
    return int(((red - green > 50) & (red - blue > 50)).sum())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_overloaded_arm_is_warned_of_and_its_links_are_tinted_until_the_load_is_gone(
    workbench: Workbench, theme: str
) -> None:
    workbench.tab.emulate_media(color_scheme=theme)
    tab = workbench.open("franka-panda").tab
    tab.wait_for_function("() => armlab.live.frames.length > 0")
    load_axe(tab)
    card = tab.locator(".overload")
    before = red_pixels(tab)
    expect(card).to_have_count(0)

    tab.evaluate(LOAD, 20)
    expect(card).to_contain_text("the arm is rated for 3 kg")
    expect(card).to_contain_text("is saturated")
    tab.wait_for_function("() => document.querySelector('.view canvas').dataset.warned.includes('panda_link4')")
    assert red_pixels(tab) > before + 500
    assert serious_barriers(tab) == []

    for language, title in TITLES.items():
        tab.locator(".language select").select_option(language)
        expect(card.locator(".card-title")).to_have_text(title)
    expect(card).not_to_contain_text("rated")
    tab.reload()
    expect(card).to_be_visible()

    tab.evaluate(LOAD, 0)
    expect(card).to_have_count(0)
    tab.wait_for_function("() => document.querySelector('.view canvas').dataset.warned === ''")
    assert red_pixels(tab) < before + 100
