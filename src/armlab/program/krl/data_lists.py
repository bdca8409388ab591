"""Declarations take effect: variables get a place and a first value, types and signals a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from armlab.messages import _
from armlab.program.krl.data_types import TEXT, Component, DataType, Value, new_array, set_text, text_of
from armlab.program.krl.evaluation import assigned_value, compiled
from armlab.program.krl.faults import Fault
from armlab.program.krl.places import locate_variable
from armlab.program.krl.scope import Binding, Scope
from armlab.program.krl.special import signal_type
from armlab.program.krl.tree import (
    Declaration,
    Enumeration,
    Expression,
    Import,
    InitialValue,
    Name,
    Signal,
    String,
    Structure,
    Variable,
)
from armlab.program.span import Span

MOST_DIMENSIONS = 3
MOST_ITEMS = 1_000_000
"""Items of one array."""


def guarded(scope: Scope, run: Callable[[], Value], span: Span) -> Value:
    """Return a value that must be known before the program runs; what goes wrong is reported."""
    try:
        return run()
    except Fault as fault:
        scope.report(fault.code, fault.message.template, fault.span, **fault.parameters)
    except (ArithmeticError, ValueError, TypeError, IndexError):  # a local variable has no place yet
        scope.report("krl_value", _("this value cannot be computed"), span)
    return None


def _constant(node: Expression, scope: Scope) -> Value:
    return guarded(scope, lambda: compiled(node, scope).evaluate([]), node.span)


def sizes_of(variable: Variable, scope: Scope) -> tuple[int, ...] | None:
    """Return the sizes of an array; None if they are not numbers, or it is too large."""
    sizes: list[int] = []
    for node in variable.sizes:
        value = None if node is None else _constant(node, scope)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            return None
        sizes.append(value)
    total = 1
    for size in sizes:
        total *= size
    if len(sizes) > MOST_DIMENSIONS or total > MOST_ITEMS:
        template = _("'{name}' has {count} items in {dimensions} dimensions; at most {most} in {deepest}")
        parameters: dict[str, Any] = {
            "count": total,
            "dimensions": len(sizes),
            "most": MOST_ITEMS,
            "deepest": MOST_DIMENSIONS,
        }
        scope.report("krl_array_too_large", template, variable.span, name=variable.name, **parameters)
        return None
    return tuple(sizes)


def first_value(variable: Variable, scope: Scope) -> tuple[DataType, Callable[[], Value]]:
    """Return the type of a variable, and what makes its first value."""
    kind = scope.kind(variable.kind, variable.span, len(variable.sizes))
    if variable.sizes:
        if isinstance(variable.value, String) and variable.sizes == (None,):
            text = variable.value.value
            return kind, lambda: list(text)
        sizes = sizes_of(variable, scope)
        if sizes is None:
            return kind, lambda: None
        return kind, lambda: _array(sizes, variable.value, kind)
    if variable.value is None:
        return kind, lambda: None
    evaluate = assigned_value(variable.value, kind, scope)
    return kind, lambda: guarded(scope, lambda: evaluate([]), variable.span)


def _array(sizes: tuple[int, ...], value: Expression | None, kind: DataType) -> Value:
    made = new_array(sizes)
    if isinstance(value, String) and kind == TEXT:
        set_text(made, value.value)
    return made


def declare_types(declarations: Iterable[Declaration], scope: Scope) -> None:
    """Make structures and enumerations known."""
    found = list(declarations)
    for declaration in found:
        if isinstance(declaration, Enumeration):
            scope.module.enumerations[declaration.name] = frozenset(declaration.values)
        elif isinstance(declaration, Structure):  # known before its components, which may be of other structures
            scope.module.structures.setdefault(declaration.name, {})
    for declaration in found:
        if isinstance(declaration, Structure):
            fields = {}
            for part in declaration.fields:
                sizes = sizes_of(part, scope) if part.sizes else ()
                fields[part.name] = Component(scope.kind(part.kind, part.span, len(part.sizes)), sizes or ())
            scope.module.structures[declaration.name] = fields


def declare_data(declarations: Iterable[Declaration], scope: Scope, shared: dict[str, Value]) -> None:
    """Give the variables of a data list their places and values; those in `shared` keep theirs."""
    module = scope.module
    for declaration in declarations:
        match declaration:
            case Variable(name=name):
                kind, make = first_value(declaration, scope)
                container: dict[str, Value] = shared if name in shared else module.data
                value = make()
                if declaration.value is None and name in shared and not declaration.sizes:
                    value = shared[name]
                container[name] = value
                module.bindings[name] = Binding(kind, container, name, declaration.is_constant)
            case Signal(name=name):
                module.bindings[name] = Binding(signal_type(declaration), {}, "", signal=declaration)
            case Import(name=name):
                module.imports[name] = declaration
            case InitialValue():
                _set(declaration, scope)
            case _:
                continue


def _set(declaration: InitialValue, scope: Scope) -> None:
    target, span = declaration.target, declaration.span
    binding = scope.lookup(target.name)
    if binding is None or binding.signal is not None:
        if not target.name.startswith("$"):
            scope.report_unknown(target)
        return
    kind, locate = locate_variable(binding, target, scope, compiled)
    if None in _last(target).indices and kind == TEXT:
        guarded(scope, lambda: _put_text(locate([]), declaration.value, scope), span)
        return
    evaluate = assigned_value(declaration.value, kind, scope)

    def put() -> None:
        container, key = locate([])
        container[key] = evaluate([])

    guarded(scope, put, span)


def _put_text(place: tuple[Any, Any], value: Expression, scope: Scope) -> None:
    container, key = place
    text = text_of(compiled(value, scope).evaluate([]))
    if isinstance(container[key], list):
        set_text(container[key], text)
    else:
        container[key] = list(text)


def _last(node: Name) -> Name:
    return node if node.component is None else _last(node.component)
