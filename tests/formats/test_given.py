"""What was given: files found by the names that descriptions use, and nothing outside of it."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest
from formats.urdf_files import ONE_AXIS, robot_text

from armlab.catalog.importing import ImportOptions, import_arm
from armlab.errors import InvalidInput
from armlab.formats import given
from armlab.formats.given import GivenFiles, given_files


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "arm_support" / "meshes" / "visual").mkdir(parents=True)
    (root / "arm_support" / "meshes" / "collision").mkdir()
    (root / "arm_support" / "urdf").mkdir()
    (root / "arm_support" / "package.xml").write_text("<package><name>arm_support</name></package>", encoding="utf-8")
    for kind in ("visual", "collision"):
        (root / "arm_support" / "meshes" / kind / "Link_1.STL").write_text(kind, encoding="utf-8")
    (tmp_path / "secret.stl").write_text("secret", encoding="utf-8")
    return root


@pytest.mark.parametrize(
    "name",
    [
        "package://arm_support/meshes/visual/Link_1.STL",
        "package://another_name/meshes/visual/Link_1.STL",
        "model://arm_support/meshes/visual/Link_1.STL",
        "file:///home/somebody/ws/src/arm_support/meshes/visual/Link_1.STL",
        "../meshes/visual/Link_1.STL",
        "/opt/arm_support/meshes/visual/Link_1.STL",
        "package://arm_support/meshes/Visual/link_1.stl",
        "arm_support\\meshes\\visual\\Link_1.STL",
    ],
)
def test_a_mesh_is_found_by_whatever_its_file_calls_it(package: Path, name: str) -> None:
    found = GivenFiles(package).find(name, package / "arm_support" / "urdf")
    assert found is not None
    assert found.read_text(encoding="utf-8") == "visual"


@pytest.mark.parametrize(
    "name", ["../../../secret.stl", "file:///etc/passwd", "/etc/passwd", "secret.stl", "", "..", "package://", "a\0b"]
)
def test_nothing_outside_is_found(package: Path, name: str) -> None:
    assert GivenFiles(package).find(name, package / "arm_support" / "urdf") is None


def test_a_link_that_leads_outside_is_not_followed(package: Path) -> None:
    (package / "arm_support" / "out.stl").symlink_to(package.parent / "secret.stl")
    assert GivenFiles(package).find("out.stl", package) is None


def test_a_package_is_known_by_what_it_says_or_by_its_folder(package: Path) -> None:
    (package / "renamed").mkdir()
    (package / "renamed" / "package.xml").write_text("<package><name>tool</name></package>", encoding="utf-8")
    files = GivenFiles(package)
    assert files.package("tool") == (package / "renamed").resolve()
    assert files.package("arm_support") == (package / "arm_support").resolve()
    assert files.package("../..") is None
    assert files.package("missing") is None


def zipped(path: Path, *parts: tuple[str | zipfile.ZipInfo, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts:
            archive.writestr(name, text)
    return path


def test_an_arm_is_read_from_a_zip(tmp_path: Path) -> None:
    path = zipped(tmp_path / "arm.zip", ("my/urdf/arm.urdf", robot_text(*ONE_AXIS)), ("my/package.xml", "<package/>"))
    arm = import_arm(path)
    assert (arm.format, arm.robot.dof, arm.file) == ("urdf", 1, "arm.urdf")


def test_of_several_arms_one_must_be_chosen(tmp_path: Path) -> None:
    path = zipped(tmp_path / "arm.zip", *((f"{name}.urdf", robot_text(*ONE_AXIS)) for name in ("one", "two")))
    with pytest.raises(InvalidInput) as caught:
        import_arm(path)
    assert caught.value.code == "import_several"
    assert caught.value.parameters["files"] == ["one.urdf", "two.urdf"]
    assert import_arm(path, ImportOptions(file="two.urdf")).file == "two.urdf"


def linked() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("arm.urdf")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("part", "text", "code"),
    [
        ("../arm.urdf", "x", "zip_path"),
        ("/etc/arm.urdf", "x", "zip_path"),
        ("a\\..\\arm.urdf", "x", "zip_path"),
        ("C:arm.urdf", "x", "zip_path"),
        (linked(), "/etc/passwd", "zip_path"),
        ("arm.urdf", " " * 5_000_000, "zip_bomb"),
        ("readme.txt", "no arm", "import_nothing"),
    ],
)
def test_a_hostile_zip_is_refused(tmp_path: Path, part: str | zipfile.ZipInfo, text: str, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        import_arm(zipped(tmp_path / "arm.zip", (part, text)))
    assert caught.value.code == code
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.zip"]


def test_a_zip_with_too_much_in_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "MAX_ZIP_BYTES", 10)
    with pytest.raises(InvalidInput) as caught, given_files(zipped(tmp_path / "arm.zip", ("a.urdf", "x" * 11))):
        pass
    assert caught.value.code == "zip_too_large"


def test_a_folder_with_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "MAX_FILES", 3)
    for i in range(4):
        (tmp_path / f"{i}.urdf").write_text("<robot/>", encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        import_arm(tmp_path)
    assert caught.value.code == "folder_too_large"


def test_a_zip_with_a_password_says_so(tmp_path: Path) -> None:
    path = zipped(tmp_path / "arm.zip", ("arm.urdf", "<robot/>"))
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    path.write_bytes(data)
    with pytest.raises(InvalidInput) as caught:
        import_arm(path)
    assert (caught.value.code, caught.value.parameters["part"]) == ("zip_encrypted", "arm.urdf")


def test_a_broken_zip_and_a_missing_path_are_refused(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "arm.zip", ("a.urdf", "x" * 1000)).read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[:40] + b"?" * 10 + whole[50:])
    for name, code in (("cut.zip", "zip_broken"), ("missing.zip", "file_missing")):
        with pytest.raises(InvalidInput) as caught:
            import_arm(tmp_path / name)
        assert caught.value.code == code
