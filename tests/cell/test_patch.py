"""Changes of documents: they lead from one to the other, are few, and refuse what is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cell.driven import Driven
from cell.editing import whole
from hypothesis import given
from hypothesis import strategies as st

from armlab.cell.commands import COMMAND
from armlab.cell.document import as_json
from armlab.cell.events import Changed
from armlab.cell.patch import SetValue, Splice, applied, difference
from armlab.cell.project import Project
from armlab.errors import InvalidInput

KEYS = st.sampled_from(["arm", "name", "q", "0"])
LETTERS = st.text(alphabet="ab😀д\n", max_size=8)
TEXTS = LETTERS | st.builds(lambda one, two: f"{one}{'x' * 150}{two}", LETTERS, LETTERS)
LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2.0, 2.0) | TEXTS
DOCUMENTS = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=20
)
SMALL = 2000


def numbered(value: Any) -> Any:
    """Return a document with every number as a float: 1 and 1.0 are the same JSON, `true` is another."""
    if isinstance(value, dict):
        return {key: numbered(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [numbered(item) for item in value]
    return float(value) + 0.0 if isinstance(value, int | float) and not isinstance(value, bool) else value


@given(before=DOCUMENTS, after=DOCUMENTS)
def test_a_difference_leads_from_one_document_to_the_other(before: Any, after: Any) -> None:
    kept, changes = json.dumps(before), difference(before, after)
    sent = [json.loads(change.model_dump_json()) for change in changes]
    read = COMMAND.validate_json(json.dumps({"type": "edit", "changes": sent, "label": "x", "revision": 1}))
    assert read.type == "edit"
    assert json.dumps(numbered(applied(before, read.changes))) == json.dumps(numbered(after))
    assert json.dumps(before) == kept


@given(document=DOCUMENTS)
def test_what_has_not_changed_makes_no_change(document: Any) -> None:
    assert difference(document, json.loads(json.dumps(document))) == ()


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"a": 1, "b": [1]}, {"a": 2, "b": [1]}, (SetValue(path=("a",), value=2),)),
        ({"a": [1, 2, 3]}, {"a": [1, 3]}, (Splice(path=("a",), at=1, remove=1, insert=()),)),
        ([{"n": 1}, {"n": 2}], [{"n": 1}, {"n": 3}], (SetValue(path=(1, "n"), value=3),)),
        ("😀" * 120, "😀" * 119 + "😁", (Splice(path=(), at=238, remove=2, insert="😁"),)),
        ({"a": True}, {"a": 1}, (SetValue(path=("a",), value=1),)),
    ],
    ids=["value", "list", "item", "text", "true is not 1"],
)
def test_a_difference_says_only_what_has_changed(before: Any, after: Any, changes: Any) -> None:
    assert difference(before, after) == changes


def test_very_many_changes_are_the_whole_document() -> None:
    before = [{"n": n} for n in range(2000)]
    after = [{"n": -n - 1} for n in range(2000)]
    assert difference(before, after) == (SetValue(path=(), value=after),)


@pytest.mark.parametrize(
    "change",
    [
        SetValue(path=("nothing", "name"), value=1),
        SetValue(path=("list", 2), value=1),
        SetValue(path=("list", "0"), value=1),
        SetValue(path=("text", 0), value="x"),
        Splice(path=("list",), at=1, remove=2, insert=()),
        Splice(path=("list",), at=0, remove=0, insert="text"),
        Splice(path=("text",), at=3, remove=4, insert=""),
        Splice(path=("text",), at=1, remove=0, insert="in the middle of a letter"),
        Splice(path=("text",), at=0, remove=0, insert=(1,)),
        Splice(path=(), at=0, remove=0, insert=()),
    ],
)
def test_a_change_of_what_is_not_there_is_refused(change: SetValue | Splice) -> None:
    with pytest.raises(InvalidInput) as refused:
        applied({"list": [1, 2], "text": "😀bcd"}, (change,))
    assert refused.value.code == "patch_place"


def heard(driven: Driven) -> Changed:
    """Return the change that was told last."""
    return driven.of(Changed)[-1]


def test_an_edit_of_a_name_is_small_on_the_wire_in_both_directions() -> None:
    path = Path(__file__).parents[1] / "server" / "projects" / "0.1-imported-arms.armlab.json"
    project = Project.model_validate_json(path.read_bytes()).without_positions()
    long = project.model_copy(update={"notes": "n" * 600, "structure": "hierarchy"})
    driven = Driven("planar3", structure="hierarchy")
    driven.ask("edit", changes=whole(long), label="open", revision=1)
    after = {**as_json(long), "title": "Another name"}
    changes = [change.model_dump(mode="json") for change in difference(as_json(long), after)]
    sent = json.dumps({"type": "edit", "changes": changes, "label": "title of the project", "revision": 2})
    driven.ask(**{"kind" if key == "type" else key: value for key, value in json.loads(sent).items()})
    told = heard(driven).model_dump_json(by_alias=True)
    assert max(len(sent.encode()), len(told.encode())) < SMALL
    assert driven.session.project.title == "Another name"
    driven.ask("undo")
    assert len(heard(driven).model_dump_json(by_alias=True)) < SMALL
    assert driven.session.project == long


def test_pages_that_apply_what_they_are_told_have_the_document() -> None:
    driven = Driven("planar3", structure="hierarchy")
    page = as_json(driven.session.project)
    edits: list[dict[str, Any]] = [
        {"path": ["arms", 0, "program"], "value": {"language": "gcode", "text": "G1 X1\n" * 100}},
        {"path": ["arms", 0, "program", "text"], "at": 6, "remove": 12, "insert": "; 😀\n"},
        {"path": ["arms", 0, "poses"], "at": 0, "remove": 0, "insert": [{"id": "p1", "name": "P", "q": [0, 0, 0]}]},
        {"path": ["arms", 0, "arm", "base", 2], "value": 120.0},
        {"path": ["arms", 0, "poses", 0, "name"], "value": "Q"},
    ]
    for change in edits:
        driven.ask("edit", changes=[change], label="x", revision=driven.session.revision)
        page = applied(page, heard(driven).changes)
        assert page == as_json(driven.session.project)
    for _undone in edits:
        driven.ask("undo")
        page = applied(page, heard(driven).changes)
        assert page == as_json(driven.session.project)


@pytest.mark.parametrize(
    ("changes", "revision", "code"),
    [
        ([{"path": ["title"], "value": "late"}], 0, "stale"),
        ([{"path": ["title"], "value": "half"}, {"path": ["nothing", "x"], "value": 1}], 1, "patch_place"),
        ([{"path": ["title"], "value": "half"}, {"path": ["nothing"], "value": 1}], 1, "key_unknown"),
        ([{"path": ["schema"], "value": 99}], 1, "not_allowed"),
        ([{"path": ["arms", 0, "arm", "file"], "value": "sha256:" + "0" * 64}], 1, "asset_missing"),
        ([{"path": ["arms", 0, "arm", "file"], "value": "sha256:0"}], 1, "pattern_mismatch"),
    ],
)
def test_an_edit_that_does_not_fit_is_one_message_and_changes_nothing(changes: Any, revision: int, code: str) -> None:
    driven = Driven("planar3", structure="hierarchy")
    before = driven.session.project
    with pytest.raises(InvalidInput) as refused:
        driven.ask("edit", changes=changes, label="x", revision=revision)
    assert refused.value.code == code
    assert (driven.session.project, driven.session.revision) == (before, 1)
    assert driven.of(Changed) == []
