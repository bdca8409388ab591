"""Variables: where they are kept, how their indices and components are followed, to read and to write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from armlab.messages import _
from armlab.program.krl.data_types import ANY, CHAR, INT, DataType, Value, new_array
from armlab.program.krl.faults import Fault
from armlab.program.krl.scope import Binding, Compiled, Evaluate, Scope, Slots
from armlab.program.krl.tree import Expression, Name
from armlab.program.span import Span

Locate: TypeAlias = Callable[[Slots], tuple[Any, Any]]
"""Gives the container and the key of a place."""
Compile: TypeAlias = Callable[[Expression, Scope], Compiled]


def unassigned(name: str, span: Span) -> Fault:
    """Return what to raise where a variable without a value is read."""
    return Fault("krl_unassigned", _("'{name}' is read before anything is assigned to it"), span, name=name)


def full_name(node: Name) -> str:
    """Return a variable as it is written, without its indices."""
    name = node.name + ("[…]" if node.indices else "")
    return f"{name}.{full_name(node.component)}" if node.component is not None else name


def failing(span: Span) -> Evaluate:
    """Return what an expression evaluates to that was reported as wrong."""

    def evaluate(_slots: Slots) -> Value:
        raise Fault("krl_not_executable", _("this statement was reported as wrong and cannot be executed"), span)

    return evaluate


def read_variable(binding: Binding, node: Name, scope: Scope, compile_index: Compile) -> Compiled:
    """Return the value of a variable with its indices and components."""
    value = Compiled(binding.type, _read_root(binding, node))
    return read_path(value, node, scope, compile_index)


def _read_root(binding: Binding, node: Name) -> Evaluate:
    name, span, key, container = node.name, node.span, binding.key, binding.container
    if container is None:

        def read_slot(slots: Slots) -> Value:
            value = slots[key]  # type: ignore[index]
            if value is None:
                raise unassigned(name, span)
            return value

        return read_slot

    def read(_slots: Slots) -> Value:
        value = container[key]
        if value is None:
            raise unassigned(name, span)
        return value

    return read


def read_path(value: Compiled, node: Name, scope: Scope, compile_index: Compile) -> Compiled:
    """Follow the indices of a name, and its components."""
    if node.indices:
        value = _indexed(value, node, scope, compile_index)
    if node.component is None:
        return value
    part = node.component
    kind = component_type(value.type, part, scope)
    return read_path(Compiled(kind, _read_component(value.evaluate, part)), part, scope, compile_index)


def _read_component(evaluate: Evaluate, part: Name) -> Evaluate:
    name, span = part.name, part.span

    def read(slots: Slots) -> Value:
        value = evaluate(slots)
        found = value.get(name) if isinstance(value, dict) else None
        if found is None:
            raise unassigned(name, span)
        return found

    return read


def component_type(kind: DataType, part: Name, scope: Scope) -> DataType:
    """Return the type of a structure's component."""
    fields = scope.fields(kind)
    if fields is None:
        if kind.name != ANY.name:
            template = _("{kind} has no component '{name}'")
            scope.report("krl_no_component", template, part.span, kind=str(kind), name=part.name)
        return ANY
    if part.name not in fields:
        template = _("{kind} has no component '{name}'")
        scope.report("krl_no_component", template, part.span, kind=str(kind), name=part.name)
        return ANY
    return fields[part.name].type


def _index_of(node: Expression, scope: Scope, compile_index: Compile) -> Evaluate:
    index = compile_index(node, scope)
    if index.type not in {INT, ANY, CHAR}:
        template = _("an index is INT, got {kind}")
        scope.report("krl_index_type", template, node.span, kind=str(index.type))
    return index.evaluate


def _rest_of_array(kind: DataType, node: Name, scope: Scope) -> tuple[list[Expression], DataType]:
    """Return the indices that are given, and the type of what they lead to."""
    given = [index for index in node.indices if index is not None]
    is_whole = len(given) < len(node.indices)
    if kind.name == ANY.name:
        return given, ANY
    if len(given) > kind.dimensions or (not is_whole and len(given) != kind.dimensions):
        template = _("'{name}' has {dimensions} dimensions, got {count} indices")
        if kind.dimensions == 0:
            scope.report("krl_no_array", _("'{name}' is not an array"), node.span, name=node.name)
        else:
            count = len(node.indices)
            scope.report("krl_dimensions", template, node.span, name=node.name, dimensions=kind.dimensions, count=count)
        return given, ANY
    return given, DataType(kind.name, kind.dimensions - len(given))


def _indexed(value: Compiled, node: Name, scope: Scope, compile_index: Compile) -> Compiled:
    given, kind = _rest_of_array(value.type, node, scope)
    evaluate = value.evaluate
    for index in given:
        evaluate = _read_item(evaluate, _index_of(index, scope, compile_index), node)
    return Compiled(kind, evaluate)


def _read_item(array: Evaluate, index: Evaluate, node: Name) -> Evaluate:
    name, span = node.name, node.span

    def read(slots: Slots) -> Value:
        items, i = array(slots), index(slots)
        if type(items) is not list or not 1 <= i <= len(items):
            raise _outside(items, i, name, span)
        value = items[int(i) - 1]
        if value is None:
            raise unassigned(f"{name}[{int(i)}]", span)
        return value

    return read


def _outside(items: Value, index: Value, name: str, span: Span) -> Fault:
    if not isinstance(items, list):
        return Fault("krl_not_indexed", _("'{name}' has a value without indices"), span, name=name)
    template = _("{name}[{index}]: the index is outside 1 … {most}")
    return Fault("krl_index", template, span, name=name, index=index, most=len(items))


def locate_variable(binding: Binding, node: Name, scope: Scope, compile_index: Compile) -> tuple[DataType, Locate]:
    """Return the type of a place, and what finds it: structures on the way there are made where they are missing."""
    container, key = binding.container, binding.key

    def root(slots: Slots) -> tuple[Any, Any]:
        return (slots if container is None else container), key

    return _locate_path(binding.type, root, node, scope, compile_index)


def _locate_path(
    kind: DataType, locate: Locate, node: Name, scope: Scope, compile_index: Compile
) -> tuple[DataType, Locate]:
    if node.indices:
        given, kind = _rest_of_array(kind, node, scope)
        for index in given:
            locate = _locate_item(locate, _index_of(index, scope, compile_index), node)
    if node.component is None:
        return kind, locate
    part = node.component
    fields = scope.fields(kind)
    sizes = fields[part.name].sizes if fields is not None and part.name in fields else ()
    part_kind = component_type(kind, part, scope)
    return _locate_path(part_kind, _locate_component(locate, part, sizes), part, scope, compile_index)


def _locate_item(locate: Locate, index: Evaluate, node: Name) -> Locate:
    name, span = node.name, node.span

    def item(slots: Slots) -> tuple[Any, Any]:
        container, key = locate(slots)
        items, i = container[key], index(slots)
        if type(items) is not list or not 1 <= i <= len(items):
            raise _outside(items, i, name, span)
        return items, int(i) - 1

    return item


def _locate_component(locate: Locate, part: Name, sizes: tuple[int, ...]) -> Locate:
    name, span = part.name, part.span

    def component(slots: Slots) -> tuple[Any, Any]:
        container, key = locate(slots)
        value = container[key]
        if value is None:
            value = container[key] = {}
        if not isinstance(value, dict):
            raise Fault("krl_not_a_structure", _("what '{name}' belongs to is not a structure"), span, name=name)
        if name not in value:
            value[name] = new_array(sizes) if sizes else None
        return value, name

    return component
