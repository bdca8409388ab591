"""Statements of a script are executed, with counted steps, and yield instructions."""

from __future__ import annotations

import ast
from collections.abc import Generator, Sequence
from typing import Any

from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.program.instructions import Answer, Instruction, Instructions, Mark, Report, Stop
from armlab.program.python.commands import COMMAND_NAMES, Commands
from armlab.program.python.holdings import Holdings, size_of
from armlab.program.python.reading import as_read, finding_at, leaves, span_of
from armlab.program.python.script_values import (
    CONSTANTS,
    FUNCTIONS,
    ScriptFault,
    ScriptValue,
    binary,
    call,
    checked,
    compare,
    fault,
    is_number,
    item,
    type_name,
)
from armlab.program.span import Span

MOST_STEPS = 1_000_000
"""Steps without a motion, a wait or a question to the arm."""
MOST_QUIET = 100_000
"""Waits and questions without a motion."""
DEEPEST = 100
"""Calls inside each other."""
ITEMS_PER_STEP = 10
Run = Generator[Instruction, Answer, Any]


class _Left(Exception):
    """Break, continue or return."""

    def __init__(self, how: str, value: ScriptValue = None) -> None:
        self.how, self.value = how, value


class _LoopFollowed(Exception):
    """A loop without an end was followed often enough."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding


class ScriptInterpreter:
    """Executes scripts for one arm; variables and functions stay from one to the next.

    `passes` is how often `while True:` without a way out is followed; None: for ever.
    """

    def __init__(self, commands: Commands, *, with_marks: bool = False, passes: int | None = 1) -> None:
        self.commands, self._with_marks, self._passes = commands, with_marks, passes
        self.variables: dict[str, ScriptValue] = {}
        self.functions: dict[str, tuple[ast.FunctionDef, str, int]] = {}
        """Functions with the file and the first line that they were read from."""
        self.frames: list[dict[str, ScriptValue]] = [self.variables]
        """The variables of the script, and of the calls that are under way."""
        self.at: Span | None = None
        self._file, self._first = "", 1
        self._steps, self._quiet, self._busy = MOST_STEPS, MOST_QUIET, 0
        self._holdings = Holdings(self.frames)
        self._routines: list[str] = [""]
        self._shown: dict[int, dict[str, bool | float]] = {}
        """Variables of the functions by their depth, as marks have told them."""

    def run(self, tree: ast.Module, file: str, first: int = 1) -> Instructions:
        """Yield the instructions of a script; an error ends it with a report and `Stop`."""
        self.frames, self._routines = [self.variables], [""]
        self._file, self._first = file, first
        self._steps, self._quiet, self._holdings = MOST_STEPS, MOST_QUIET, Holdings(self.frames)
        try:
            yield from self._guarded(tree.body)
        except ScriptFault as problem:
            yield Report(finding_at(problem.message, problem.span), problem.span)
            yield Stop(problem.span)
        except _LoopFollowed as ended:
            yield Report(ended.finding)
            yield Stop()
        except _Left:
            pass  # break or return outside of a loop or function: Python's own parser refuses most of them

    def _guarded(self, body: Sequence[ast.stmt]) -> Run:
        try:
            yield from self._block(body)
        except RecursionError:
            raise _too_deep(self.at or Span(self._file, self._first)) from None

    def evaluate(self, node: ast.expr, file: str, first: int = 1) -> Run:
        """Return the value of an expression, with the variables of the innermost call.

        Raises:
            ScriptFault: if it cannot be computed.
        """
        before, height = (self._file, self._first, self._steps, self._quiet), len(self._holdings.pending)
        self._file, self._first, self._steps, self._quiet = file, first, MOST_STEPS, MOST_QUIET
        try:
            return (yield from self._value(node))
        except RecursionError:
            raise _too_deep(self._span(node)) from None
        finally:
            self._file, self._first, self._steps, self._quiet = before
            del self._holdings.pending[height:]

    # -- statements --------------------------------------------------------------------------------------------------

    def _span(self, node: ast.AST) -> Span:
        return span_of(node, self._file, self._first)

    def _step(self, node: ast.AST) -> None:
        self._steps -= 1
        if self._steps <= 0:
            template = _("{most} steps without a motion: the program does not get on")
            raise fault(self._span(node), "script_no_motion", template, most=MOST_STEPS)

    def _charge(self, *values: ScriptValue) -> None:
        """Count the items of lists that are gone through at once."""
        self._steps -= sum(len(value) for value in values if isinstance(value, list | range)) // ITEMS_PER_STEP

    def _while_held(self, value: ScriptValue, node: ast.expr) -> Run:
        """Return the value of an expression; `value` is held while it is computed."""
        self._holdings.pending.append(value)
        result = yield from self._value(node)
        self._holdings.pending.pop()
        return result

    def _block(self, body: Sequence[ast.stmt]) -> Run:
        for statement in body:
            self._step(statement)
            self.at = self._span(statement)
            if self._with_marks:
                yield Mark(self.at, self._routines[-1], len(self._routines) - 1, self._changes())
            yield from self._statement(statement)

    def _changes(self) -> tuple[tuple[str, bool | float | None], ...]:
        """Return the variables that have got another value, or are no longer there, since the last mark."""
        now = {name: value for name, value in self.frames[-1].items() if isinstance(value, bool | int | float)}
        shown, depth = self._shown, len(self._routines) - 1
        gone = {name for deeper in [d for d in shown if d > depth] for name in shown.pop(deeper)}
        gone |= set(shown.get(depth, {})) - set(now)
        new = [(name, value) for name, value in now.items() if shown.get(depth, {}).get(name) != value or name in gone]
        shown[depth] = now
        others = {name for values in shown.values() for name in values}
        return (*((name, None) for name in sorted(gone - others)), *new)

    def _statement(self, node: ast.stmt) -> Run:  # noqa: C901 - one case per kind
        match node:
            case ast.Expr():
                yield from self._value(node.value)
            case ast.Assign():
                value = yield from self._value(node.value)
                for target in node.targets:
                    yield from self._assign(target, value)
            case ast.AugAssign():
                before = yield from self._value(as_read(node.target))
                value = yield from self._value(node.value)
                self._charge(before, value)
                result = binary(node.op, before, value, self._span(node))
                yield from self._assign(node.target, self._holdings.made(result, self._span(node)))
            case ast.If():
                test = yield from self._value(node.test)
                yield from self._block(node.body if test else node.orelse)
            case ast.While():
                yield from self._while(node)
            case ast.For():
                yield from self._for(node)
            case ast.FunctionDef():
                self.functions[node.name] = (node, self._file, self._first)
            case ast.Return():
                raise _Left("return", None if node.value is None else (yield from self._value(node.value)))
            case ast.Break():
                raise _Left("break")
            case ast.Continue():
                raise _Left("continue")
            case _:
                return

    def _while(self, node: ast.While) -> Run:
        is_endless = isinstance(node.test, ast.Constant) and bool(node.test.value) and not leaves(node.body)
        passes = 0
        while (yield from self._value(node.test)):
            busy = self._busy
            if not (yield from self._pass(node.body)):
                return
            self._step(node)
            passes += self._busy != busy
            if is_endless and self._passes is not None and passes >= self._passes:
                template = _("this loop never ends; it was followed for {count} passes")
                found = finding_at(Message("script_endless_loop", template, count=passes), self._span(node))
                raise _LoopFollowed(Finding("note", found.message, found.where))

    def _for(self, node: ast.For) -> Run:
        items = yield from self._value(node.iter)
        if not isinstance(items, list | range):
            template = _("for goes through a list or range, got {kind}")
            raise fault(self._span(node), "script_for", template, kind=type_name(items))
        self._charge(items)
        items, height = list(items), len(self._holdings.pending)
        self._holdings.pending.append(items)
        self._holdings.made(items, self._span(node))
        for one in items:
            yield from self._assign(node.target, one)
            if not (yield from self._pass(node.body)):
                break
        del self._holdings.pending[height:]

    def _pass(self, body: Sequence[ast.stmt]) -> Run:
        """Go through the body of a loop once; return whether the loop goes on."""
        height = len(self._holdings.pending)
        try:
            yield from self._block(body)
        except _Left as left:
            if left.how == "return":
                raise
            del self._holdings.pending[height:]
            return left.how == "continue"
        return True

    def _assign(self, target: ast.expr, value: ScriptValue) -> Run:
        span = self._span(target)
        match target:
            case ast.Name():
                if target.id in COMMAND_NAMES or target.id in FUNCTIONS or target.id in CONSTANTS:
                    raise fault(span, "script_reserved", _("'{name}' has a meaning of its own"), name=target.id)
                self.frames[-1][target.id] = value
            case ast.Subscript():
                items, index = yield from self._item(target)
                if not isinstance(items, list):
                    raise fault(span, "script_not_a_list", _("{kind} has no items to change"), kind=type_name(items))
                items[index] = item(value, span)
                self._holdings.made(value, span, size_of(value))
            case ast.List() | ast.Tuple():
                if not isinstance(value, list) or len(value) != len(target.elts):
                    template = _("{count} values are needed here")
                    raise fault(span, "script_unpack", template, count=len(target.elts))
                for part, one in zip(target.elts, value, strict=True):
                    yield from self._assign(part, one)
            case _:
                raise fault(span, "script_target", _("nothing can be assigned to this"))

    # -- expressions -------------------------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Run:  # noqa: C901, PLR0911, PLR0912 - one case per kind
        self._step(node)
        match node:
            case ast.Constant():
                return checked(node.value, self._span(node))
            case ast.Name():
                return self._variable(node)
            case ast.List() | ast.Tuple():
                items = yield from self._values(node.elts)
                made = checked([item(one, self._span(node)) for one in items], self._span(node))
                return self._holdings.made(made, self._span(node), size_of(made))
            case ast.Subscript():
                items, index = yield from self._item(node)
                return items[index]
            case ast.UnaryOp():
                return self._unary(node, (yield from self._value(node.operand)))
            case ast.BinOp():
                left = yield from self._value(node.left)
                right = yield from self._while_held(left, node.right)
                self._charge(left, right)
                result = binary(node.op, left, right, self._span(node))
                return self._holdings.made(result, self._span(node))
            case ast.BoolOp():
                value: ScriptValue = None
                for part in node.values:
                    value = yield from self._value(part)
                    if bool(value) != isinstance(node.op, ast.And):
                        break
                return value
            case ast.Compare():
                return (yield from self._compared(node))
            case ast.IfExp():
                test = yield from self._value(node.test)
                return (yield from self._value(node.body if test else node.orelse))
            case ast.Call():
                return (yield from self._call(node))
            case _:
                raise fault(self._span(node), "script_expression", _("this expression cannot be used here"))

    def _values(self, nodes: Sequence[ast.expr]) -> Run:
        found: list[ScriptValue] = []
        for node in nodes:
            found.append((yield from self._while_held(found, node)))
        return found

    def _variable(self, node: ast.Name) -> ScriptValue:
        for frame in (self.frames[-1], self.variables, CONSTANTS):
            if node.id in frame:
                return frame[node.id]
        raise fault(self._span(node), "script_unknown_name", _("nothing is named '{name}'"), name=node.id)

    def _unary(self, node: ast.UnaryOp, value: ScriptValue) -> ScriptValue:
        if isinstance(node.op, ast.Not):
            return not value
        if not is_number(value):
            template = _("{a} and {b} cannot be combined so")
            raise fault(self._span(node), "script_operands", template, a="-", b=type_name(value))
        return -value if isinstance(node.op, ast.USub) else value

    def _compared(self, node: ast.Compare) -> Run:
        left = yield from self._value(node.left)
        for kind, other in zip(node.ops, node.comparators, strict=True):
            right = yield from self._while_held(left, other)
            self._charge(left, right)
            if not compare(kind, left, right, self._span(node)):
                return False
            left = right
        return True

    def _item(self, node: ast.Subscript) -> Run:
        """Return the list, and the index in it, that a subscript means."""
        items = yield from self._value(node.value)
        index = yield from self._value(node.slice)
        span = self._span(node)
        if not isinstance(items, list | range | str) or not isinstance(index, int) or isinstance(index, bool):
            template = _("{a} and {b} cannot be combined so")
            raise fault(span, "script_operands", template, a=type_name(items), b=f"[{type_name(index)}]")
        if not -len(items) <= index < len(items):
            template = _("index {index} is outside a list of {count} items")
            raise fault(span, "script_index", template, index=index, count=len(items))
        return items, index

    # -- calls -------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Run:
        span = self._span(node)
        arguments = yield from self._values(node.args)
        if isinstance(node.func, ast.Attribute):
            return self._append((yield from self._while_held(arguments, node.func.value)), arguments, span)
        assert isinstance(node.func, ast.Name)  # the reader saw to it
        name = node.func.id
        named: dict[str, ScriptValue] = {}
        for keyword in node.keywords:
            before = [*arguments, *named.values()]
            named[keyword.arg or "**"] = yield from self._while_held(before, keyword.value)
        if name in self.functions and not named:
            return (yield from self._function(name, arguments, span))
        if name in FUNCTIONS and not named:
            self._charge(*arguments)
            result = call(name, arguments, span)
            return self._holdings.made(result, span)
        if name in COMMAND_NAMES:
            return (yield from self._command(name, arguments, named, span))
        raise fault(span, "script_unknown_function", _("no function is named '{name}'"), name=name)

    def _append(self, items: ScriptValue, arguments: list[ScriptValue], span: Span) -> None:
        if not isinstance(items, list) or len(arguments) != 1:
            raise fault(span, "script_not_a_list", _("{kind} has no items to change"), kind=type_name(items))
        items.append(item(arguments[0], span))
        self._holdings.made(items, span, 1 + size_of(arguments[0]))
        checked(items, span)

    def _command(self, name: str, arguments: list[ScriptValue], named: dict[str, ScriptValue], span: Span) -> Run:
        self._busy += 1
        self._quiet = MOST_QUIET if name.startswith("move_") else self._quiet - 1
        if self._quiet <= 0:
            template = _("{most} looks at inputs without a motion: the program does not get on")
            raise fault(span, "script_no_answer", template, most=MOST_QUIET)
        value = yield from self.commands.run(name, arguments, named, span)
        self._steps = MOST_STEPS
        return value

    def _function(self, name: str, arguments: list[ScriptValue], span: Span) -> Run:
        node, file, first = self.functions[name]
        parameters = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
        if len(arguments) != len(parameters):
            raise fault(span, "script_arguments", _("{name} takes ({known})"), name=name, known=parameters)
        if len(self.frames) > DEEPEST:
            raise _too_deep(span)
        before = self._file, self._first
        self.frames.append(dict(zip(parameters, arguments, strict=True)))
        self._routines.append(name)
        self._file, self._first, height = file, first, len(self._holdings.pending)
        try:
            yield from self._block(node.body)
        except _Left as left:
            del self._holdings.pending[height:]
            return left.value
        finally:
            self.frames.pop()
            self._routines.pop()
            self._file, self._first = before
        return None


def _too_deep(span: Span) -> ScriptFault:
    return fault(span, "script_calls_too_deep", _("calls are nested more than {most} deep"), most=DEEPEST)
