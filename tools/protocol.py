"""Write web/src/protocol.gen.ts: the page's types, from the pydantic models that the server answers with.

`python tools/protocol.py` writes the file; with `--check` it only tells whether the file is up to date.
"""

from __future__ import annotations

import ast
import inspect
import re
import struct
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from armlab import errors
from armlab.catalog import scene_schema
from armlab.cell import commands, events, patch, project, wire
from armlab.cell.pack_state import SEVEN
from armlab.motion.joint import SCHEMES
from armlab.program import scenario_schema
from armlab.program.gcode.dialects import DIALECTS
from armlab.reports import (
    calibration,
    comparison,
    diagnosis,
    findings,
    formula,
    imported,
    kinematics,
    live_sensors,
    motion,
    program,
    robots,
    sensing,
    singularity,
    tool,
)
from armlab.server import messages, real_messages, requests

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "web" / "src" / "protocol.gen.ts"
SOURCE = ROOT / "src" / "armlab"
MAKERS = {"Message"} | {
    name for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, errors.ArmlabError)
}
"""What is called with a code first: messages, and errors with one."""
HEADER_TYPES = {"B": "u8", "H": "u16", "I": "u32", "f": "f32", "d": "f64"}

HEADER = "// Written by tools/protocol.py from the Python models; change those, then run it again.\n"

PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

MODULES = (
    robots,
    tool,
    kinematics,
    singularity,
    findings,
    formula,
    imported,
    live_sensors,
    sensing,
    calibration,
    diagnosis,
    program,
    motion,
    comparison,
    scene_schema,
    scenario_schema,
    project,
    patch,
    commands,
    events,
    messages,
    requests,
    real_messages,
)
ASKED = (commands, requests)
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
        f"  readonly {field}{'?' if field in optional else ''}: {field_type(field, body)};\n"
        for field, body in schema.get("properties", {}).items()
    ]
    return f"{comment(schema)}export interface {name} {{\n{''.join(fields)}}}\n"


def field_type(field: str, schema: Schema) -> str:
    """Return the type of a field; a `code` is one of those that there are, so that the page cannot ask for others."""
    return "MessageCode" if field == "code" and schema.get("type") == "string" else type_of(schema)


def union(name: str, choices: Any) -> str:
    """Return a type that is one of several models, told apart by their `type`."""
    return f"export type {name} =\n  | " + "\n  | ".join(choice.__name__ for choice in get_args(choices)) + ";\n"


def text_of_all() -> str:
    """Return the whole file."""
    parts = [typescript(models_of(*MODULES), models_of(*ASKED))]
    unions = [union(name, choices) for name, choices in UNIONS.items()]
    return "\n".join(
        (*parts, *unions, state_layout(), names("SCHEMES", SCHEMES), names("DIALECTS", DIALECTS), message_codes())
    )


def header_fields(names: Iterable[str], layout: struct.Struct) -> str:
    """Return where which number of a header is, and its type."""
    fields, offset = [], 0
    for name, kind in zip(names, layout.format.lstrip("<"), strict=True):
        fields.append(f'  {name}: {{ offset: {offset}, type: "{HEADER_TYPES[kind]}" }},\n')
        offset += struct.calcsize(f"<{kind}")
    return "".join(fields)


def state_layout() -> str:
    """Return the layout of the binary frames, as armlab.cell.wire has it: where which number is."""
    state, sensors = (
        header_fields(names, layout)
        for names, layout in ((wire.HEADER_FIELDS, wire.HEADER), (wire.SENSORS_FIELDS, wire.SENSORS_HEADER))
    )
    flags = "".join(f"  {str(flag.name).lower()}: {flag.value},\n" for flag in wire.Flag)
    return "\n".join(
        (
            f'export const SUBPROTOCOL = "{wire.SUBPROTOCOL}";\n',
            f"export const STATE_KIND = {wire.KIND_STATE};\n",
            f"export const STATE_VERSION = {wire.VERSION};\n",
            f"export const STATE_HEADER_BYTES = {wire.HEADER.size};\n",
            f"export const NUMBERS_PER_FRAME = {SEVEN};\n",
            f"/** Little-endian. */\nexport const STATE_HEADER = {{\n{state}}} as const;\n",
            f"export const SENSORS_KIND = {wire.KIND_SENSORS};\n",
            f"export const SENSORS_HEADER_BYTES = {wire.SENSORS_HEADER.size};\n",
            f"/** Little-endian. */\nexport const SENSORS_HEADER = {{\n{sensors}}} as const;\n",
            f"export const SENSOR_HEADER_BYTES = {wire.SENSOR_HEADER.size};\n",
            f"/** Bytes of a sensor's id, at the beginning of its header. */\n"
            f"export const SENSOR_ID_BYTES = {wire.SENSOR_ID_BYTES};\n",
            f"/** Bits of a state's flags. */\nexport const Flag = {{\n{flags}}} as const;\n",
            names("JOINT_ROWS", wire.JOINT_ROWS),
            names("STATE_EXTRAS", wire.EXTRAS),
            names("OTHER_EXTRAS", wire.OTHER_EXTRAS),
        )
    )


def names(name: str, values: Iterable[str]) -> str:
    """Return a list of names as a constant."""
    return f"export const {name} = [\n" + "".join(f'  "{value}",\n' for value in values) + "] as const;\n"


def message_codes() -> str:
    """Return the codes of all messages: what the page may decide by."""
    codes = {code for path in SOURCE.rglob("*.py") for code in codes_in(path)}
    codes |= {f"unknown_{kind}" for kind in get_args(errors.NameKind)}
    listed = names("MESSAGE_CODES", sorted(codes))
    return f"{listed}\nexport type MessageCode = (typeof MESSAGE_CODES)[number];\n"


def codes_in(path: Path) -> Iterable[str]:
    """Return the first arguments of calls that make messages or errors: their codes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(code)), _, *_]) if name in MAKERS:
                if re.fullmatch(r"[a-z][a-z0-9_]*", code):
                    yield code
            case ast.Call(args=[ast.Constant(value=str(code)), ast.Call(func=ast.Name(id="_" | "n_")), *_]) if code:
                yield code


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
