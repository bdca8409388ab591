"""The generator of the page's types."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel

ROOT = Path(__file__).resolve().parents[2]


def _load_tool() -> Any:
    spec = importlib.util.spec_from_file_location("protocol_tool", ROOT / "tools" / "protocol.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool = _load_tool()


class Inner(BaseModel):
    """What is inside."""

    point: tuple[float, float]


class Outer(BaseModel):
    kind: Literal["a", "b"]
    only: Literal["c"]
    count: int = 3
    maybe: Inner | None = None
    rows: tuple[tuple[float, ...], ...]
    either: list[int | str]
    free: dict[str, Any]
    named: dict[str, Inner]
    on: bool


def test_models_become_interfaces_with_every_field_there() -> None:
    text = tool.typescript([Outer])
    assert text.startswith("// Written by tools/protocol.py")
    assert text.partition("\n\n")[2] == (
        "/** What is inside. */\n"
        "export interface Inner {\n"
        "  readonly point: readonly [number, number];\n"
        "}\n"
        "\n"
        "export interface Outer {\n"
        '  readonly kind: "a" | "b";\n'
        '  readonly only: "c";\n'
        "  readonly count: number;\n"
        "  readonly maybe: Inner | null;\n"
        "  readonly rows: readonly (readonly number[])[];\n"
        "  readonly either: readonly (number | string)[];\n"
        "  readonly free: { readonly [key in string]: unknown };\n"
        "  readonly named: { readonly [key in string]: Inner };\n"
        "  readonly on: boolean;\n"
        "}\n"
    )


def test_what_the_page_sends_may_leave_out_what_has_a_default() -> None:
    text = tool.typescript([Outer], [Outer])
    assert "  readonly count?: number;\n  readonly maybe?: Inner | null;\n  readonly rows: " in text


def test_every_command_and_every_event_is_in_its_union() -> None:
    text = tool.text_of_all()
    for name, models in (("Command", tool.models_of(tool.commands)), ("Event", tool.models_of(tool.events))):
        union = text.partition(f"export type {name} =")[2].partition(";")[0]
        named = [model.__name__ for model in models if "type" in model.model_fields]
        assert sorted(union.replace("|", " ").split()) == sorted(named)


def test_a_schema_that_has_no_type_here_is_an_error() -> None:
    with pytest.raises(ValueError, match="no TypeScript type is known"):
        tool.type_of({"type": "colour"})


def test_a_stale_file_is_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tool, "TARGET", tmp_path / "protocol.gen.ts")
    assert tool.main(["--check"]) == 1
    assert capsys.readouterr().err == "web/src/protocol.gen.ts is out of date; run `python tools/protocol.py`\n"
    assert tool.main([]) == 0
    assert tool.main(["--check"]) == 0


def test_the_pages_types_are_in_step_with_python() -> None:
    assert tool.main(["--check"]) == 0
