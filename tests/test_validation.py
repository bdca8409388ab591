"""What pydantic and the parsers refuse, as messages with codes."""

from __future__ import annotations

import json
import tomllib
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from armlab.errors import InvalidInput
from armlab.validation import parsed_json, problems_of, refusal, shown, summary, toml_syntax

SHORT = 400


class Wheel(BaseModel):
    """A small table with one constraint of each kind."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["round", "square"] = "round"
    radius: Annotated[float, Field(strict=True, gt=0, le=10, allow_inf_nan=False)] = 1.0
    spokes: Annotated[int, Field(strict=True, ge=3, lt=100)] = 3
    name: Annotated[str, Field(min_length=2, max_length=5, pattern="^[a-z]+$")] = "ab"
    points: Annotated[tuple[float, ...], Field(min_length=1, max_length=3)] = (0.0,)
    hub: dict[str, float] | None = None
    is_spare: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="after")
    def _check(self) -> Wheel:
        if self.kind == "square" and self.radius > 5:
            raise InvalidInput("wheel_too_large", "radius {radius:g}", radius=self.radius)
        return self


def refused(**keys: Any) -> InvalidInput:
    with pytest.raises(ValidationError) as caught:
        Wheel.model_validate(keys)
    return refusal(caught.value)


@pytest.mark.parametrize(
    ("keys", "code", "text"),
    [
        ({"radius": 0}, "not_above", "radius: must be > 0, got 0"),
        ({"radius": 11.0}, "above_most", "radius: must be ≤ 10, got 11.0"),
        ({"radius": float("nan")}, "not_finite", "radius: must be a finite number, got nan"),
        ({"radius": "1"}, "not_a_number", "radius: must be a number, got '1'"),
        ({"spokes": 2}, "below_least", "spokes: must be ≥ 3, got 2"),
        ({"spokes": 100}, "not_below", "spokes: must be < 100, got 100"),
        ({"spokes": 3.5}, "not_whole", "spokes: must be a whole number, got 3.5"),
        ({"name": "a"}, "text_too_short", "name: must have at least 2 letters, got 'a'"),
        ({"name": "abcdef"}, "text_too_long", "name: must have at most 5 letters, got 'abcdef'"),
        ({"name": "A1"}, "pattern_mismatch", "name: must match ^[a-z]+$, got 'A1'"),
        ({"name": 3}, "not_text", "name: must be text, got 3"),
        ({"points": []}, "too_few_items", "points: must have at least 1 items, got 0"),
        ({"points": [1, 2, 3, 4]}, "too_many_items", "points: must have at most 3 items, got 4"),
        ({"points": 1}, "not_a_list", "points: must be a list, got 1"),
        ({"hub": 1}, "not_a_table", "hub: must be a table of keys and values, got 1"),
        ({"is_spare": 1}, "not_true_or_false", "is_spare: must be true or false, got 1"),
        ({"kind": "oval"}, "not_allowed", "kind: must be one of 'round', 'square', got 'oval'"),
        ({"colour": "red"}, "key_unknown", "colour: unknown key"),
        ({"kind": "square", "radius": 6.0}, "wheel_too_large", "radius 6"),
    ],
)
def test_each_refusal_has_a_code_of_ours_and_names_its_key(keys: dict[str, Any], code: str, text: str) -> None:
    error = refused(**keys)
    assert error.code == code
    assert str(error) == text


def test_several_problems_are_one_message_with_the_code_of_the_first() -> None:
    error = refused(radius=0, spokes=0, name="", points=[], kind="", colour=1)
    assert error.code == "not_allowed"
    assert str(error).count(";") == 4
    assert str(error).endswith("; and 2 more")


def test_problems_of_a_large_input_are_quoted_in_part() -> None:
    wide = {f"key{i}" * 1000: "x" * 1000 for i in range(200)}
    assert len(str(refused(**wide))) < 5 * SHORT
    assert len(str(refused(radius=["x" * 50_000] * 50))) < SHORT


def test_any_value_can_be_shown() -> None:
    long = 1 << 16_000
    for value in (long, [long], {"a": long}, "x\n" * 9999):
        assert len(shown(value)) <= 60
        assert "\n" not in shown(value)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "json_syntax"),
        (b"\xff\xfe\x00", "not_text_file"),
        (b'{"a": 1, "b": 2, "a": 3}', "key_twice"),
        (b"[" * 100_000, "nested_too_deeply"),
        (b"[" + b"1" * 10_000 + b"]", "json_number_too_long"),
    ],
)
def test_what_is_not_json_is_refused_with_a_code(data: bytes, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parsed_json(data)
    assert caught.value.code == code


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(InvalidInput) as caught:
        parsed_json(b'{"a": 1,\n "b": }')
    assert (caught.value.parameters["line"], caught.value.parameters["column"]) == (2, 7)
    with pytest.raises(tomllib.TOMLDecodeError) as refused_toml:
        tomllib.loads("a = 1\nb = ?")
    assert toml_syntax(refused_toml.value).parameters == {"line": 2, "column": 5}


def test_many_different_keys_are_looked_at_once() -> None:
    pairs = {f"k{i}": i for i in range(90_000)}
    assert parsed_json(json.dumps(pairs).encode()) == pairs


def test_a_summary_keeps_the_key_of_the_first_problem() -> None:
    with pytest.raises(ValidationError) as caught:
        Wheel.model_validate({"points": [1, "x"]})
    key, message = summary(problems_of(caught.value))
    assert key == "points[2]"
    assert message.code == "not_a_number"
