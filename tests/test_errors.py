from __future__ import annotations

import pickle
from typing import get_args

import pytest

from armlab.errors import CatalogError, InvalidInput, NameKind, UnknownName
from armlab.messages import Message

MISSING = Message("key_missing", "is missing")


def test_an_unknown_name_offers_near_ones() -> None:
    error = UnknownName("robot", "ur55", ["ur5e", "ur10e", "planar2"])
    assert str(error).startswith("no robot named 'ur55'; did you mean ur5e")
    assert error.parameters["near"][0] == "ur5e"


def test_an_unknown_name_far_from_all_lists_what_is_known() -> None:
    assert str(UnknownName("tool", "xyzzy", ["pen", "gripper"])) == "no tool named 'xyzzy'; known: gripper, pen"


@pytest.mark.parametrize("kind", get_args(NameKind))
@pytest.mark.parametrize("known", [(), ("near",), ("other", "name")])
def test_every_kind_of_unknown_name_has_a_code_and_a_sentence(kind: NameKind, known: tuple[str, ...]) -> None:
    error = UnknownName(kind, "nea", known, owner="whose")
    assert error.code == f"unknown_{kind}"
    assert "'nea'" in str(error)
    assert ("did you mean near?" in str(error)) == ("near" in known)
    assert ("none is known" in str(error)) == (not known)


def test_a_long_unknown_name_is_quoted_in_part() -> None:
    assert len(str(UnknownName("robot", "x" * 50_000, ["ur5e"]))) < 300


def test_a_catalog_error_names_file_and_key() -> None:
    error = CatalogError("arm.toml", "joint[2].limits", MISSING)
    assert str(error) == "arm.toml: joint[2].limits: is missing"
    assert isinstance(error, InvalidInput)
    assert isinstance(error, ValueError)


def test_errors_cross_the_border_of_a_process() -> None:
    for error in (UnknownName("robot", "ur55", ["ur5e"]), CatalogError("a.toml", "key", MISSING)):
        twin = pickle.loads(pickle.dumps(error))
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert twin.parameters == error.parameters
