"""The real arm in a real browser: chosen, shown beside the nominal one, calibrated, diagnosed, undone, and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from e2e.bench import await_other_picture, picture
from e2e.chromium import Workbench

import armlab
from armlab.calibration import Poses, read_real_arm, real_arm, real_fk, write_real_arm
from armlab.calibration.measurement_file import write_measurements

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"
SEED = 3
NEAR_MM = 0.02
"""The simulated joints stand a hair beside where the nominal ones are told to be."""


@pytest.fixture
def tab(workbench: Workbench) -> Any:
    """Return the page with the panel of the real arm open."""
    tab = workbench.open(ARM).tab
    tab.get_by_role("tab", name="As-built & health", exact=True).click()
    tab.get_by_role("button", name="Make an imperfect arm").wait_for()
    return tab


def drawn(tab: Any, seed: int = SEED) -> None:
    """Draw a real arm as a person does."""
    field = tab.get_by_label("Seed", exact=True)
    field.fill(str(seed))
    field.press("Enter")
    tab.get_by_role("button", name="Make an imperfect arm").click()
    tab.wait_for_function("() => document.querySelector('[data-distance]')?.dataset.distance > ''")


def await_real(tab: Any, expected: str) -> None:
    """Wait until the project's real arm is what an expression of `real` says."""
    tab.wait_for_function(f"() => {{ const real = armlab.project.value.real; return {expected}; }}")


def distance_mm(seed: int) -> float:
    """Return how far the two tools are apart at home, as Python computes it."""
    robot = armlab.load(ARM)
    real = real_arm(robot, "industrial", seed=seed)
    off = real_fk(real, robot.home)[:3, 3] - robot.fk(robot.home)[:3, 3]
    return float(np.linalg.norm(off)) * 1e3


def test_the_tools_are_apart_as_far_as_the_library_says_and_the_ghost_is_enlarged(tab: Any) -> None:
    drawn(tab)
    tab.wait_for_function(
        "([mm, near]) => Math.abs(document.querySelector('[data-distance]').dataset.distance - mm) < near",
        arg=[distance_mm(SEED), NEAR_MM],
    )
    for factor in (10, 100):
        before = picture(tab)
        tab.get_by_role("button", name=f"×{factor}", exact=True).click()
        await_other_picture(tab, before)
    before = picture(tab)
    tab.get_by_label("Show in the view").uncheck()
    await_other_picture(tab, before)
    shown = float(tab.locator("[data-distance]").get_attribute("data-distance"))
    assert shown == pytest.approx(distance_mm(SEED), abs=NEAR_MM)  # numbers are not enlarged


def test_the_choice_is_undone_and_another_arm_starts_without_it(workbench: Workbench, tab: Any) -> None:
    drawn(tab)
    await_real(tab, f"real?.kind === 'drawn' && real.seed === {SEED}")
    tab.get_by_label("Tolerance", exact=True).select_option("hobby")
    await_real(tab, "real?.tolerance === 'hobby'")
    tab.evaluate("() => armlab.send({ type: 'undo' })")
    await_real(tab, "real?.tolerance === 'industrial'")
    tab.get_by_role("button", name="Remove real arm").click()
    await_real(tab, "real === null")
    tab.get_by_text("No real arm is chosen").wait_for()
    tab.evaluate("() => armlab.send({ type: 'undo' })")
    await_real(tab, "real?.tolerance === 'industrial'")
    tab.get_by_role("tab", name="Arm", exact=True).click()
    card = tab.locator('[data-arm-name="scara-s3"]').get_by_role("img")
    card.scroll_into_view_if_needed()
    card.click()
    workbench.await_arm("scara-s3")
    await_real(tab, "real === null")


def test_a_simulated_calibration_finds_the_arm_which_becomes_the_real_one(tab: Any) -> None:
    drawn(tab)
    tab.get_by_role("button", name="Simulate and calibrate").click()
    tab.locator("[data-map=after]").wait_for()
    before, after = (
        float(tab.locator(f"[data-map={name}]").get_attribute("data-mean")) for name in ("before", "after")
    )
    assert after < 0.1 * before
    tab.get_by_role("button", name="Parameters", exact=True).click()
    rows = tab.locator(".real-parameters tbody tr")
    assert rows.count() > 30
    assert "yes" in rows.nth(0).inner_text()
    with tab.expect_download() as download:
        tab.locator(".real-found").get_by_role("link", name="Download real.toml").click()
    robot = armlab.load(ARM)
    found = read_real_arm(download.value.path().rename(download.value.path().with_suffix(".toml")), robot)
    true = real_arm(robot, "industrial", seed=SEED)
    assert np.linalg.norm((real_fk(found, robot.home) - real_fk(true, robot.home))[:3, 3]) < 3e-4
    tab.get_by_role("button", name="Use as real arm").click()
    await_real(tab, "real.kind === 'file' && real.text.includes('calibration')")
    tab.reload()
    tab.locator("[data-map=after]").wait_for()  # results stay with the session


def test_a_measured_file_is_calibrated_and_a_wrong_one_is_refused_with_its_row(tab: Any, tmp_path: Path) -> None:
    robot = armlab.load(ARM)
    rng = np.random.default_rng(1)
    q = rng.uniform(0.8 * robot.lower, 0.8 * robot.upper, (30, robot.dof))
    T = real_fk(real_arm(robot, "industrial", seed=SEED), q)
    T[:, :3, 3] += rng.normal(scale=5e-5, size=(30, 3))
    good, bad = tmp_path / "poses.csv", tmp_path / "bad.csv"
    write_measurements(Poses(q, T), robot, good)
    lines = good.read_text().splitlines()
    lines[7] = lines[7].replace(lines[7].split(",")[3], "tilted", 1)
    bad.write_text("\n".join(lines))
    field = tab.get_by_label("Open CSV …").locator("xpath=self::input")
    field.set_input_files(bad)
    note = tab.get_by_role("alert").filter(has_text="line 8")
    note.wait_for()
    assert "q4" in note.inner_text()
    field.set_input_files(good)
    tab.get_by_text("poses.csv: 30 measurements").wait_for()
    assert tab.get_by_role("alert").filter(has_text="line 8").count() == 0


def test_a_real_arm_of_another_robot_and_a_broken_file_change_nothing(tab: Any, tmp_path: Path) -> None:
    other, broken, good = tmp_path / "other.toml", tmp_path / "broken.toml", tmp_path / "good.toml"
    write_real_arm(real_arm(armlab.load("ur5e"), "industrial", seed=1), other)
    broken.write_text("schema = 1\nrobot = [")
    write_real_arm(real_arm(armlab.load(ARM), "industrial", seed=1), good)
    field = tab.get_by_label("Open real.toml …").locator("xpath=self::input")
    for path, word in ((other, "ur5e"), (broken, "TOML")):
        field.set_input_files(path)
        tab.get_by_role("alert").filter(has_text=word).wait_for()
        await_real(tab, "real === null")
    field.set_input_files(good)
    await_real(tab, "real?.kind === 'file'")
    assert tab.get_by_role("alert").filter(has_text="TOML").count() == 0


def test_the_clinic_names_an_injected_fault_with_joint_onset_and_life(tab: Any, tmp_path: Path) -> None:
    tab.get_by_label("Fault", exact=True).select_option("gear_wear")
    tab.get_by_label("Joint", exact=True).select_option("A2")
    tab.get_by_role("button", name="Simulate and diagnose").click()
    found = tab.locator('[data-cause="gear_wear"]')
    found.wait_for()
    assert found.locator("[data-right=true]").count() == 1
    assert "A2" in found.locator(".card-title").inner_text()
    assert "…" in found.locator("[data-life]").inner_text()
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Recording as CSV").click()
    text = download.value.path().read_text()
    recording, cut = tmp_path / "run.csv", tmp_path / "cut.csv"
    recording.write_text(text)
    cut.write_text("\n".join(text.splitlines()[:100]))
    field = tab.get_by_label("Open recording …").locator("xpath=self::input")
    field.set_input_files(cut)
    tab.get_by_role("alert").filter(has_text="at least 10 s").wait_for()
    field.set_input_files(recording)
    tab.get_by_text("Recording: run.csv").wait_for()
    assert "A2" in tab.locator('[data-cause="gear_wear"] .card-title').inner_text()


def test_a_healthy_minute_is_told_healthy_in_the_readers_language(tab: Any) -> None:
    tab.get_by_label("Fault", exact=True).select_option("none")
    tab.get_by_role("button", name="Simulate and diagnose").click()
    tab.locator('[data-cause="none"]').wait_for()
    tab.locator(".language select").select_option("uk")
    tab.wait_for_function(
        "() => /справн/i.test(document.querySelector('[data-cause=none] .card-title')?.innerText ?? '')"
    )
