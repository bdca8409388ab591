"""System variables that belong to the arm's time: inputs, outputs, timers, where the arm is; and SIGNAL names for them.

Reading one asks the executor, which first finishes the motions before it, as a controller stops its advance run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias

from armlab.messages import _
from armlab.program.instructions import Answer, Instruction, SetOutput
from armlab.program.krl.controller import Controller, Timer
from armlab.program.krl.data_types import ANY, BOOL, INT, REAL, DataType, Value
from armlab.program.krl.faults import Fault
from armlab.program.krl.places import Compile, failing, read_path
from armlab.program.krl.scope import Compiled, Effect, Evaluate, Scope, Slots
from armlab.program.krl.system import ARM, CLOCKS, INPUTS, NUMBERED, OUTPUTS
from armlab.program.krl.tree import Name, Number, Signal
from armlab.program.span import Span

Write: TypeAlias = Callable[[Slots, Value], Generator[Instruction, Answer, None]]
MOST_BITS = 32


def signal_name(variable: str, number: int) -> str:
    """Return what the executor calls `$IN[5]` and `$OUT[5]` ("5"), `$ANIN[2]` and `$ANOUT[2]` ("analog 2")."""
    return f"analog {number}" if variable in {"$ANIN", "$ANOUT"} else str(number)


def read(node: Name, scope: Scope, compile_index: Compile) -> Compiled | None:
    """Return the value of such a variable; None if it is another one."""
    if node.name in INPUTS:
        return _read_input(node, scope, compile_index)
    if node.name in OUTPUTS:
        return _read_output(node, scope, compile_index)
    if node.name in CLOCKS:
        return _read_timer(node, scope, compile_index)
    if node.name in ARM:
        return _read_arm(node, scope, compile_index)
    return None


def _numbered(node: Name, scope: Scope, compile_index: Compile) -> Evaluate | None:
    """Return the number in brackets, checked when it is evaluated."""
    most, span, name = NUMBERED[node.name.lstrip("$").removesuffix("_STOP").removesuffix("_FLAG")], node.span, node.name
    if len(node.indices) != 1 or node.indices[0] is None or node.component is not None:
        scope.report("krl_number_missing", _("{name} needs a number in brackets"), span, name=name)
        return None
    index = compile_index(node.indices[0], scope)
    if index.type not in {INT, ANY}:
        scope.report("krl_index_type", _("an index is INT, got {kind}"), span, kind=str(index.type))
        return None
    evaluate = index.evaluate

    def number(slots: Slots) -> int:
        value = evaluate(slots)
        if not isinstance(value, int) or not 1 <= value <= most:
            template = _("{name}[{index}]: the index is outside 1 … {most}")
            raise Fault("krl_index", template, span, name=name, index=value, most=most)
        return value

    return number


def _asked(kind: DataType, effect: Effect, live: Evaluate | None, node: Name, scope: Scope) -> Compiled:
    """Return a value that is asked for before the statement, or read on the spot in a condition."""
    if scope.is_live and live is not None:
        scope.live_reads += 1
        return Compiled(kind, live)
    evaluate = None if scope.is_live else scope.hoisted(effect)
    if evaluate is None:
        scope.report("krl_not_here", _("{name} cannot be used here"), node.span, name=node.name)
        return Compiled(kind, failing(node.span))
    return Compiled(kind, evaluate)


def _signals_of(controller: Controller) -> Callable[[str], bool | float]:
    def read_now(name: str) -> bool | float:
        return False if controller.signals is None else controller.signals.read(name)

    return read_now


def _read_input(node: Name, scope: Scope, compile_index: Compile) -> Compiled:
    number = _numbered(node, scope, compile_index)
    kind, controller, span, name = INPUTS[node.name], scope.universe.controller, node.span, node.name
    if number is None:
        return Compiled(kind, failing(span))
    cast: Callable[[Value], Value] = bool if kind == BOOL else float
    read_now = _signals_of(controller)

    def effect(slots: Slots) -> Generator[Instruction, Answer, Value]:
        return cast((yield from controller.read_input(signal_name(name, number(slots)), span)))

    return _asked(kind, effect, lambda slots: cast(read_now(signal_name(name, number(slots)))), node, scope)


def _read_output(node: Name, scope: Scope, compile_index: Compile) -> Compiled:
    number = _numbered(node, scope, compile_index)
    kind, outputs, name = OUTPUTS[node.name], scope.universe.controller.outputs, node.name
    if number is None:
        return Compiled(kind, failing(node.span))
    none = False if kind == BOOL else 0.0
    return Compiled(kind, lambda slots: outputs.get(signal_name(name, number(slots)), none))


def _timer_value(name: str, timer: Timer, now: float) -> Value:
    if name == "$TIMER":
        return timer.read(now)
    return timer.since is None if name == "$TIMER_STOP" else timer.read(now) >= 0


def _read_timer(node: Name, scope: Scope, compile_index: Compile) -> Compiled:
    number = _numbered(node, scope, compile_index)
    kind, controller, span, name = CLOCKS[node.name], scope.universe.controller, node.span, node.name
    if number is None:
        return Compiled(kind, failing(span))

    def effect(slots: Slots) -> Generator[Instruction, Answer, Value]:
        now = yield from controller.now(span)
        return _timer_value(name, controller.timers[number(slots) - 1], now)

    def live(slots: Slots) -> Value:
        now = 0.0 if controller.signals is None else controller.signals.time
        return _timer_value(name, controller.timers[number(slots) - 1], now)

    return _asked(kind, effect, live, node, scope)


def _read_arm(node: Name, scope: Scope, compile_index: Compile) -> Compiled:
    controller, span, name = scope.universe.controller, node.span, node.name
    is_planned, is_interrupted = name.endswith("_FOR"), name.endswith(("_INT", "_RET"))

    def effect(_slots: Slots) -> Generator[Instruction, Answer, Value]:
        if is_interrupted and controller.q_interrupted is not None:
            q = controller.q_interrupted
        else:
            q = yield from (controller.joints(span) if is_planned else controller.where(span))
        return controller.arm.axes_of(q) if ARM[name] == "E6AXIS" else controller.position(q, span)

    value = _asked(DataType(ARM[name]), effect, None, node, scope)
    return read_path(value, node, scope, compile_index)


# -- writing ---------------------------------------------------------------------------------------------------------


def writer(node: Name, scope: Scope, compile_index: Compile) -> tuple[DataType, Write] | None:
    """Return the type of such a variable, and what writes it; None if it is another one."""
    if node.name in INPUTS or (node.name in ARM and not node.name.endswith("_RET")):
        scope.report("krl_read_only", _("{name} cannot be written"), node.span, name=node.name)
        return ANY, _nothing
    if node.name not in OUTPUTS and node.name not in CLOCKS:
        return None
    number = _numbered(node, scope, compile_index)
    if number is None:
        return ANY, _nothing
    if node.name in OUTPUTS:
        return OUTPUTS[node.name], _write_output(node, number, scope.universe.controller)
    return CLOCKS[node.name], _write_timer(node, number, scope.universe.controller)


def _nothing(_slots: Slots, _value: Value) -> Generator[Instruction, Answer, None]:
    yield from ()


def set_output(
    controller: Controller, name: str, value: bool | float, span: Span, pulse: float | None = None
) -> Generator[Instruction, Answer, None]:
    """Give an output a value: now, with the motion after CONTINUE, or where a TRIGGER says."""
    if pulse is None:
        controller.outputs[name] = value
    shift = controller.shift
    if shift is not None:
        yield SetOutput(name, value, True, shift.delay, shift.distance, pulse, span)
    else:
        yield SetOutput(name, value, controller.is_continued, pulse=pulse, span=span)


def _write_output(node: Name, number: Evaluate, controller: Controller) -> Write:
    span, variable = node.span, node.name
    cast: Callable[[Value], Value] = bool if OUTPUTS[variable] == BOOL else float

    def write(slots: Slots, value: Value) -> Generator[Instruction, Answer, None]:
        yield from set_output(controller, signal_name(variable, number(slots)), cast(value), span)

    return write


def _write_timer(node: Name, number: Evaluate, controller: Controller) -> Write:
    span, is_value, is_stop = node.span, node.name == "$TIMER", node.name == "$TIMER_STOP"

    def write(slots: Slots, value: Value) -> Generator[Instruction, Answer, None]:
        timer = controller.timers[number(slots) - 1]
        now = yield from controller.now(span)
        if is_value:
            timer.value, timer.since = float(value), None if timer.since is None else now
        elif is_stop and value and timer.since is not None:
            timer.value, timer.since = float(timer.read(now)), None
        elif is_stop and not value and timer.since is None:
            timer.since = now

    return write


# -- SIGNAL ----------------------------------------------------------------------------------------------------------


def _bits(signal: Signal, scope: Scope) -> tuple[str, list[int]] | None:
    """Return the variable and the numbers of a signal, the lowest bit first."""
    first, last = signal.first, signal.last or signal.first
    ends = [node.indices[0] if len(node.indices) == 1 else None for node in (first, last)]
    if first.name != last.name or first.name not in INPUTS | OUTPUTS:
        scope.report(
            "krl_signal", _("SIGNAL {name}: $IN, $OUT, $ANIN or $ANOUT expected"), signal.span, name=signal.name
        )
        return None
    numbers = [end.value for end in ends if isinstance(end, Number) and isinstance(end.value, int)]
    if len(numbers) != len(ends):
        scope.report("krl_signal_number", _("SIGNAL {name}: a number is expected"), signal.span, name=signal.name)
        return None
    low, high = numbers
    if not 1 <= low <= high <= NUMBERED[first.name.lstrip("$")] or high - low >= MOST_BITS:
        template = _("SIGNAL {name}: {low} to {high} is not a range of at most {most} signals")
        scope.report("krl_signal_range", template, signal.span, name=signal.name, low=low, high=high, most=MOST_BITS)
        return None
    return first.name, list(range(low, high + 1))


def signal_type(signal: Signal) -> DataType:
    """Return the type of a SIGNAL: BOOL for one digital signal, INT for several, REAL for an analog one."""
    if signal.first.name in {"$ANIN", "$ANOUT"}:
        return REAL
    return BOOL if signal.last is None else INT


def read_signal(signal: Signal, scope: Scope, span: Span, compile_index: Compile) -> Compiled:
    """Return the value of a SIGNAL."""
    bits, kind = _bits(signal, scope), signal_type(signal)
    if bits is None:
        return Compiled(kind, failing(span))
    variable, numbers = bits
    parts = [read(Name(variable, span, (Number(number, span),)), scope, compile_index) for number in numbers]
    values = [part.evaluate for part in parts if part is not None]
    if kind != INT:
        return Compiled(kind, values[0])
    return Compiled(INT, lambda slots: sum(1 << i for i, value in enumerate(values) if value(slots)))


def write_signal(signal: Signal, scope: Scope, span: Span) -> tuple[DataType, Write]:
    """Return the type of a SIGNAL, and what writes it."""
    bits, kind, controller = _bits(signal, scope), signal_type(signal), scope.universe.controller
    if bits is None or bits[0] in INPUTS:
        scope.report("krl_read_only", _("{name} cannot be written"), span, name=signal.name)
        return kind, _nothing
    variable, numbers = bits

    def write(_slots: Slots, value: Value) -> Generator[Instruction, Answer, None]:
        for i, number in enumerate(numbers):
            bit = value if kind != INT else bool(int(value) >> i & 1)
            yield from set_output(controller, signal_name(variable, number), bit, span)

    return kind, write
