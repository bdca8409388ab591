"""Ways to bring an arm in the browser: a folder dropped, several files, two tabs, another language, a fresh profile."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
import trimesh
from e2e.arm_panel import arm_of
from e2e.chromium import Server, Workbench, new_profile
from e2e.test_project import open_file, save

from armlab.cell.arm import build_arm
from armlab.cell.project import ArmChoice

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

URDF = """<robot name="{name}"><link name="base"/>
<link name="one"><visual><geometry><mesh filename="package://{name}/meshes/Ring.STL"/></geometry></visual></link>
<link name="two"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>
<collision><geometry><mesh filename="package://{name}/meshes/lost.stl"/></geometry></collision></link>
<joint name="a" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="b" type="revolute"><parent link="one"/><child link="two"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""
RING = trimesh.creation.annulus(0.1, 0.2, 0.1, sections=32)


def folder(root: Path, name: str = "ringed") -> Path:
    """Return a folder of an arm with one mesh that is there and one that is not."""
    (root / name / "meshes").mkdir(parents=True)
    (root / name / "urdf").mkdir()
    (root / name / "urdf" / f"{name}.urdf").write_text(URDF.format(name=name), encoding="utf-8")
    RING.export(root / name / "meshes" / "ring.stl", file_type="stl")
    return root / name


def drop(tab: Any, files: list[Path], root: Path) -> None:
    """Drop a folder as a browser tells of it: an entry for each folder and file, asked one after another."""
    contents = [[file.relative_to(root).as_posix(), list(file.read_bytes())] for file in files]
    tab.evaluate(
        """(contents) => {
            const entry = (path, children) => ({
                name: path.split("/").at(-1), fullPath: `/${path}`, isFile: children === null,
                isDirectory: children !== null,
                file: (done) => done(new File([new Uint8Array(contents.find(([name]) => name === path)[1])], path)),
                createReader: () => {
                    let told = false;
                    return { readEntries: (done) => { done(told ? [] : children); told = true; } };
                },
            });
            const tree = (prefix) => {
                const below = contents.filter(([path]) => path.startsWith(`${prefix}/`));
                const names = new Set(below.map(([path]) => path.slice(prefix.length + 1).split("/")[0]));
                return [...names].map((name) => {
                    const path = `${prefix}/${name}`;
                    return contents.some(([file]) => file === path) ? entry(path, null) : entry(path, tree(path));
                });
            };
            const top = contents[0][0].split("/")[0];
            const transfer = new DataTransfer();
            transfer.items.add(new File([], top));
            const event = new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
            DataTransferItem.prototype.webkitGetAsEntry = () => entry(top, tree(top));
            document.body.dispatchEvent(event);
        }""",
        contents,
    )


def test_a_folder_that_is_dropped_is_read_with_its_meshes(workbench: Workbench, tmp_path: Path) -> None:
    root = folder(tmp_path)
    tab = workbench.open("scara").tab
    drop(tab, sorted(file for file in root.rglob("*") if file.is_file()), tmp_path)
    dialog = tab.get_by_role("dialog", name="Import: ringed")
    dialog.locator(".import-findings li", has_text="lost.stl").wait_for()
    dialog.get_by_role("button", name="Use this arm").click()
    workbench.await_arm("ringed")
    own = build_arm(ArmChoice.model_validate(arm_of(workbench)))
    (surface,) = own.links[1].visuals
    assert len(surface.faces) == len(RING.faces)
    assert not own.links[2].visuals
    assert own.links[2].shapes


def zipped(root: Path) -> bytes:
    """Return a zip of a folder's files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for file in sorted(root.rglob("*")):
            archive.write(file, file.relative_to(root.parent))
    return out.getvalue()


def test_one_of_several_arms_is_chosen_and_the_report_follows_the_language(
    workbench: Workbench, tmp_path: Path
) -> None:
    root = folder(tmp_path / "both", "ringed")
    (root / "urdf" / "second.urdf").write_text(URDF.format(name="ringed").replace("ringed", "second", 1))
    tab = workbench.open("scara").tab
    workbench.allow("422")
    tab.get_by_role("tab", name="Arm", exact=True).click()
    upload = {"name": "both.zip", "mimeType": "application/zip", "buffer": zipped(root)}
    tab.locator('input[type=file][aria-label="Import an arm…"]').set_input_files(upload)
    dialog = tab.get_by_role("dialog", name="Import: both.zip")
    dialog.get_by_text("Several files describe an arm.").wait_for()
    assert dialog.get_by_role("alert").count() == 0
    dialog.get_by_label("Which file is the arm?").select_option("ringed/urdf/second.urdf")
    dialog.locator(".import-findings li", has_text="the link does without it").wait_for()
    dialog.get_by_role("button", name="Cancel").click()
    tab.locator(".language select").select_option("uk")
    tab.locator('input[type=file][aria-label="Імпортувати маніпулятор…"]').set_input_files(upload)
    dialog = tab.get_by_role("dialog", name="Імпорт: both.zip")
    dialog.get_by_label("Який файл описує маніпулятор?").select_option("ringed/urdf/ringed.urdf")
    dialog.locator(".import-findings li", has_text="ланка залишається без неї").wait_for()


def test_both_tabs_of_a_session_show_the_arm_a_reload_keeps_it_and_the_other_tab_undoes_it(
    workbench: Workbench, profile: Any, server: Server, tmp_path: Path
) -> None:
    tab = workbench.open("scara").tab
    other = Workbench(profile.new_page(), server.url)
    other.open()
    tab.get_by_role("tab", name="Arm", exact=True).click()
    upload = {"name": "ringed.zip", "mimeType": "application/zip", "buffer": zipped(folder(tmp_path))}
    tab.locator('input[type=file][aria-label="Import an arm…"]').set_input_files(upload)
    tab.get_by_role("dialog").get_by_role("button", name="Use this arm").click()
    workbench.await_arm("ringed")
    before = arm_of(workbench)
    other.await_arm("ringed")
    assert arm_of(other) == before
    tab.reload()
    workbench.await_arm("ringed")
    assert arm_of(workbench) == before
    other.tab.get_by_role("button", name="Undo: ").first.click()
    other.await_arm("scara")
    workbench.await_arm("scara")
    assert other.complaints == []
    other.tab.close()


def test_a_saved_project_opens_in_a_profile_that_never_saw_the_arm(
    workbench: Workbench, chromium: Any, server: Server, tmp_path: Path
) -> None:
    tab = workbench.open("scara").tab
    tab.get_by_role("tab", name="Arm", exact=True).click()
    upload = {"name": "ringed.zip", "mimeType": "application/zip", "buffer": zipped(folder(tmp_path))}
    tab.locator('input[type=file][aria-label="Import an arm…"]').set_input_files(upload)
    tab.get_by_role("dialog").get_by_role("button", name="Use this arm").click()
    workbench.await_arm("ringed")
    before = arm_of(workbench)
    file = save(tab, tmp_path)
    context = new_profile(chromium, server)
    fresh = Workbench(context.new_page(), server.url)
    fresh.open("ur5e")
    open_file(fresh.tab, file)
    fresh.await_arm("ringed")
    assert arm_of(fresh) == before
    assert fresh.complaints == []
    context.close()
