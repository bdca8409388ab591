"""Write web/src/protocol.gen.ts: the page's types, from the pydantic models that the server answers with.

`python tools/protocol.py` writes the file; with `--check` it only tells whether the file is up to date.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from armlab import reports
from armlab.catalog import scene_schema
from armlab.program import scenario_schema
from armlab.reports import motion
from armlab.runtime import commands, events, project
from armlab.server import messages, questions

TARGET = Path(__file__).resolve().parent.parent / "web" / "src" / "protocol.gen.ts"

HEADER = "// Written by tools/protocol.py from the Python models; change those, then run it again.\n"

PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

MODULES = (reports, motion, scene_schema, scenario_schema, project, commands, events, messages, questions)
ASKED = (commands, questions)
"""Whose models the page sends: what has a default may be left out of them."""
UNIONS = {"Command": commands.Command, "Event": events.Event}

Schema = dict[str, Any]


def models_of(*modules: ModuleType) -> list[type[BaseModel]]:
    """Return the models with fields that are defined in `modules`, in the order of their definition."""
    found = [
        value
        for module in modules
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, BaseModel) and value.__module__ == module.__name__
    ]
    return [model for model in found if model.model_fields]


def typescript(models: Iterable[type[BaseModel]], asked: Iterable[type[BaseModel]] = ()) -> str:
    """Return TypeScript interfaces for `models` and whatever they hold; fields of `asked` may be optional."""
    _, schema = models_json_schema([(model, "serialization") for model in models])
    optional = {model.__name__: optional_fields(model) for model in asked}
    interfaces = [interface(name, body, optional.get(name, ())) for name, body in sorted(schema["$defs"].items())]
    return "\n".join((HEADER, *interfaces))


def optional_fields(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the fields of a model that have a default, by the names that they have in JSON."""
    return tuple(field.alias or name for name, field in model.model_fields.items() if not field.is_required())


def interface(name: str, schema: Schema, optional: Collection[str] = ()) -> str:
    """Return one interface; the server always sends every field, so only what the page sends may be optional."""
    if schema.get("type") != "object":
        return f"{comment(schema)}export type {name} = {type_of(schema)};\n"
    fields = [
        f"  readonly {field}{'?' if field in optional else ''}: {type_of(body)};\n"
        for field, body in schema.get("properties", {}).items()
    ]
    return f"{comment(schema)}export interface {name} {{\n{''.join(fields)}}}\n"


def union(name: str, choices: Any) -> str:
    """Return a type that is one of several models, told apart by their `type`."""
    return f"export type {name} =\n  | " + "\n  | ".join(choice.__name__ for choice in get_args(choices)) + ";\n"


def text_of_all() -> str:
    """Return the whole file."""
    parts = [typescript(models_of(*MODULES), models_of(*ASKED))]
    return "\n".join((*parts, *(union(name, choices) for name, choices in UNIONS.items())))


def comment(schema: Schema) -> str:
    """Return the model's docstring as a comment line, or nothing."""
    text = " ".join(schema.get("description", "").split()).replace("*/", "* /")
    return f"/** {text} */\n" if text else ""


def type_of(schema: Schema) -> str:
    """Return the TypeScript type of a JSON schema; a kind of schema that is not known here is an error."""
    match schema:
        case {"$ref": reference}:
            found = str(reference).rpartition("/")[2]
        case {"const": value}:
            found = literal(value)
        case {"enum": values}:
            found = " | ".join(literal(value) for value in values)
        case {"anyOf": choices} | {"oneOf": choices}:
            found = " | ".join(dict.fromkeys(type_of(choice) for choice in choices))
        case {"type": "array"}:
            found = array_type(schema)
        case {"type": "object"}:
            found = f"{{ readonly [key in string]: {value_type(schema)} }}"
        case {"type": kind} if kind in PLAIN:
            found = PLAIN[kind]
        case {"type": _}:
            raise ValueError(f"protocol: no TypeScript type is known for the schema {schema}")
        case _:
            found = "unknown"
    return found


def array_type(schema: Schema) -> str:
    """Return a tuple of known length, or an array of any."""
    if "prefixItems" in schema:
        return f"readonly [{', '.join(type_of(item) for item in schema['prefixItems'])}]"
    item = type_of(schema.get("items", {}))
    return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"


def value_type(schema: Schema) -> str:
    """Return the type of the values of a mapping."""
    values = schema.get("additionalProperties", True)
    return type_of(values) if isinstance(values, dict) else "unknown"


def literal(value: object) -> str:
    """Return a value as TypeScript writes it."""
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def main(arguments: list[str]) -> int:
    """Write the file, or check it; return the exit code."""
    text = text_of_all()
    is_current = TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text
    if "--check" in arguments:
        if not is_current:
            print("web/src/protocol.gen.ts is out of date; run `python tools/protocol.py`", file=sys.stderr)
        return 0 if is_current else 1
    if not is_current:
        TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
