from __future__ import annotations

import pickle

from armlab.errors import ArmlabError, CatalogError, InvalidInput, UnknownName


def test_an_unknown_name_offers_near_ones() -> None:
    error = UnknownName("robot", "ur55", ["ur5e", "ur10e", "planar2"])
    assert str(error).startswith("no robot named 'ur55'; near: ur5e")
    assert error.details["near"][0] == "ur5e"


def test_an_unknown_name_far_from_all_lists_what_is_known() -> None:
    assert str(UnknownName("tool", "xyzzy", ["pen", "gripper"])) == "no tool named 'xyzzy'; known: gripper, pen"


def test_a_catalog_error_names_file_and_key() -> None:
    error = CatalogError("arm.toml", "joint[2].limits", "is missing")
    assert str(error) == "arm.toml: joint[2].limits: is missing"
    assert isinstance(error, InvalidInput)
    assert isinstance(error, ValueError)


def test_errors_cross_the_border_of_a_process() -> None:
    for error in (UnknownName("robot", "ur55", ["ur5e"]), CatalogError("a.toml", "key", "is missing")):
        twin = pickle.loads(pickle.dumps(error))
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert twin.details == error.details


def test_every_error_has_a_code_of_its_own() -> None:
    def family(kind: type[ArmlabError]) -> list[type[ArmlabError]]:
        return [kind, *(k for child in kind.__subclasses__() for k in family(child))]

    codes = [kind.code for kind in family(ArmlabError)]
    assert len(codes) == len(set(codes))
