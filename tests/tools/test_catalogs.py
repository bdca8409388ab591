"""The catalogs of messages stay in step with the templates in the code."""

from __future__ import annotations

import gettext
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

CODE = """
from armlab.messages import Message, _, n_, tr

def finding(mass):
    return Message("mass", _("mass must be > 0, got {mass:g} kg"), mass=mass)

def joints(count):
    return Message("joints", n_("{count} joint", "{count} joints"), count=count)

def head():
    return tr("reach")
"""


def _module(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


catalogs = _module("catalogs", ROOT / "tools" / "catalogs.py")
hatch_build = _module("hatch_build", ROOT / "hatch_build.py")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    catalogs.update(["ru"], tmp_path)
    return tmp_path


def _po(source: Path) -> Path:
    path: Path = catalogs.catalog_path(source / "locale", "ru")
    return path


def _translate(source: Path, **texts: str) -> None:
    """Fill in translations by the first letters of their template; the plural gets its three forms."""
    text = _po(source).read_text(encoding="utf-8")
    given = {"mass": "масса должна быть > 0, задано {mass:g} кг", "reach": "досягаемость", "plural": "{count} звено"}
    given |= texts
    text = text.replace('{mass:g} kg"\nmsgstr ""', f'{{mass:g}} kg"\nmsgstr "{given["mass"]}"')
    text = text.replace('msgid "reach"\nmsgstr ""', f'msgid "reach"\nmsgstr "{given["reach"]}"')
    for form in range(3):
        text = text.replace(f'msgstr[{form}] ""', f'msgstr[{form}] "{given["plural"]}"')
    _po(source).write_text(text, encoding="utf-8")


def _problems(source: Path) -> list[str]:
    found: list[str] = catalogs.problems(source)
    return [problem for problem in found if not problem.startswith("uk:")]


def test_every_marked_template_gets_into_the_catalog_and_is_reported_until_it_is_translated(source: Path) -> None:
    assert _problems(source) == [
        "ru: missing: 'mass must be > 0, got {mass:g} kg'",
        "ru: missing: '{count} joint'",
        "ru: missing: 'reach'",
    ]
    _translate(source)
    assert _problems(source) == []


def test_updating_twice_changes_nothing_and_keeps_translations(source: Path) -> None:
    _translate(source)
    before = _po(source).read_bytes()
    catalogs.update(["ru"], source)
    assert _po(source).read_bytes() == before
    assert b"Date" not in before


def test_a_template_that_changed_is_missing_and_its_old_translation_is_stale(source: Path) -> None:
    _translate(source)
    code = (source / "code.py").read_text(encoding="utf-8").replace("reach", "largest reach")
    (source / "code.py").write_text(code, encoding="utf-8")
    assert _problems(source) == ["ru: missing: 'largest reach'", "ru: stale: 'reach'"]
    catalogs.update(["ru"], source)
    assert _problems(source) == ["ru: missing: 'largest reach'"]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("mass", "масса {masse:g} кг", "ru: placeholders {masse:g} instead of {mass:g}"),
        ("mass", "масса {mass:.1f} кг", "ru: placeholders {mass:.1f} instead of {mass:g}"),
        ("mass", "масса {mass:g кг", "ru: placeholders"),
        ("reach", "досягаемость {mm}", "ru: placeholders {mm} instead of none"),
        ("plural", "звено", "ru: placeholders none instead of {count}"),
        ("plural", "", "ru: missing: '{count} joint'"),
    ],
)
def test_placeholders_and_plural_forms_must_be_those_of_the_template(
    source: Path, name: str, text: str, problem: str
) -> None:
    _translate(source, **{name: text})
    found = _problems(source)
    assert found
    assert all(line.startswith(problem) for line in found)


def test_a_template_that_is_put_together_at_run_time_is_reported_with_its_place(source: Path) -> None:
    code = 'def f(x):\n    return _(f"joint {x}")\n\ndef g(text):\n    return tr(text)\n'
    (source / "other.py").write_text(code, encoding="utf-8")
    _translate(source)
    assert _problems(source) == ["other.py:2: the template in _(…) must be one string literal"]


def test_a_function_that_uses_the_mark_as_a_variable_is_reported(source: Path) -> None:
    (source / "other.py").write_text('def f(p):\n    x, _ = p\n    return _("reach")\n', encoding="utf-8")
    _translate(source)
    assert _problems(source) == ["other.py:1: f assigns to _ and calls it"]


def test_compiled_catalogs_are_read_by_gettext_and_written_once(source: Path) -> None:
    _translate(source)
    assert hatch_build.compile_catalogs(source / "locale") == [_po(source).with_suffix(".mo")]
    assert hatch_build.compile_catalogs(source / "locale") == []
    read = gettext.translation("armlab", source / "locale", ["ru"])
    assert read.gettext("reach") == "досягаемость"
    assert read.ngettext("{count} joint", "{count} joints", 5) == "{count} звено"
