"""What inline forms call: BAS() with its data sets, and the functions that stand behind WITH; FORWARD and INVERSE."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armlab.messages import Message, _
from armlab.program.krl.controller import Controller
from armlab.program.krl.data_types import ANY, E6AXIS, E6POS, FRAME, REAL, DataType, Value, copied, family
from armlab.program.krl.evaluation import compiled
from armlab.program.krl.faults import Fault
from armlab.program.krl.places import failing, locate_variable
from armlab.program.krl.scope import Compiled, Scope, Slots
from armlab.program.krl.system import AXES, NULLFRAME
from armlab.program.krl.tree import Call, Name
from armlab.program.span import Span

UNREACHABLE, REACHED = 1, 0


def _numbered_frame(controller: Controller, name: str, number: Value) -> Value:
    frames = controller.system[name]
    if not isinstance(number, int | float) or number != int(number) or not 0 <= number <= len(frames):
        return None
    number = int(number)
    return copied(frames[number - 1] or NULLFRAME) if number else dict(NULLFRAME)


def use_frame(controller: Controller, variable: str, number: Value, span: Span) -> None:
    """Make TOOL_DATA[number] the $TOOL, or BASE_DATA[number] the $BASE; number 0 is no tool, and the world."""
    frame = _numbered_frame(controller, f"{variable}_DATA", number)
    if frame is None:
        template = _("{name} {number}: there is no such entry in {name}_DATA")
        raise Fault("krl_no_such_frame", template, span, name=variable, number=str(number))
    controller.system[f"${variable}"] = frame
    controller.system[f"$ACT_{variable}"] = int(number)


def _use_data_set(controller: Controller, span: Span) -> None:
    data = controller.system["FDAT_ACT"] or {}
    use_frame(controller, "TOOL", data.get("TOOL_NO", 0), span)
    use_frame(controller, "BASE", data.get("BASE_NO", 0), span)
    controller.system["$IPO_MODE"] = data.get("IPO_FRAME") or "BASE"


def _capped(controller: Controller, name: str, value: Value, most: float) -> float:
    """Return a value, or the most that the controller takes where it is more, which is to be told."""
    if float(value) > most:
        template = _("{name} takes at most {most:g}, which is used instead of {value:g}")
        controller.untold.append(Message("krl_capped", template, name=name, most=most, value=float(value)))
    return min(float(value), most)


def _axis_speed(controller: Controller, percent: Value) -> float:
    """Return $VEL_AXIS of any axis as a share of the controller's default."""
    return float(controller.system["DEF_VEL_PTP"]) * _capped(controller, "VEL_PTP", percent, 100.0) / 100.0


def _axis_acceleration(controller: Controller, percent: Value) -> float:
    """Return $ACC_AXIS of any axis."""
    return _capped(controller, "ACC_PTP", percent, 100.0)


def default_speed(controller: Controller, speed: Value = None) -> dict[str, Value]:
    """Return $VEL with the controller's turning speeds; m/s, no faster than the controller's default."""
    fastest = float(controller.system["DEF_VEL_CP"])
    turning = {name: float(controller.system[f"DEF_VEL_{name}"]) for name in ("ORI1", "ORI2")}
    return {"CP": fastest if speed is None else _capped(controller, "VEL_CP", speed, fastest), **turning}


def default_acceleration(controller: Controller, percent: Value = 100.0) -> dict[str, Value]:
    """Return $ACC as a share of the controller's default."""
    share = _capped(controller, "ACC_CP", percent, 100.0) / 100.0
    return {name: float(controller.system[f"DEF_ACC_{name}"]) * share for name in ("CP", "ORI1", "ORI2")}


def _rounding_of_joints(controller: Controller, data: dict[str, Value]) -> dict[str, Value]:
    distance = data.get("APO_DIST")
    if distance is None:
        return {}
    if data.get("APO_MODE") == "CDIS":
        return {"CDIS": distance}
    return {"CPTP": _capped(controller, "APO_DIST", distance, 100.0)}


def _rounding_of_path(data: dict[str, Value]) -> dict[str, Value]:
    return {} if data.get("APO_DIST") is None else {"CDIS": data["APO_DIST"]}


def _joint_data(controller: Controller) -> None:
    data = controller.system["PDAT_ACT"] or {}
    controller.system["$ACC_AXIS"] = [_axis_acceleration(controller, data.get("ACC") or 100.0)] * AXES
    controller.system["$APO"] |= _rounding_of_joints(controller, data)


def _path_data(controller: Controller) -> None:
    data = controller.system["LDAT_ACT"] or {}
    controller.system["$ACC"] = default_acceleration(controller, data.get("ACC") or 100.0)
    controller.system["$APO"] |= _rounding_of_path(data)
    controller.system["$ORI_TYPE"] = data.get("ORI_TYP") or "VAR"


def _begin(controller: Controller, span: Span) -> None:
    system = controller.system
    system["$VEL"], system["$ACC"] = default_speed(controller), default_acceleration(controller)
    system["$VEL_AXIS"], system["$ACC_AXIS"] = [_axis_speed(controller, 100.0)] * AXES, [100.0] * AXES
    system["$APO"] = {name: float(system[f"DEF_APO_{name}"]) for name in ("CPTP", "CDIS", "CORI", "CVEL")}
    system["$ADVANCE"] = int(system["DEF_ADVANCE"])
    system["$ORI_TYPE"], system["$CIRC_TYPE"], system["$IPO_MODE"] = "VAR", "BASE", "BASE"
    use_frame(controller, "BASE", 0, span)
    use_frame(controller, "TOOL", 1, span)


def bas(  # noqa: C901 - one case per command
    controller: Controller, command: str, value: Value, span: Span
) -> None:
    """Do what BAS(#command, value) does."""
    system = controller.system
    match command:
        case "INITMOV":
            _begin(controller, span)
        case "PTP_PARAMS":
            _joint_data(controller)
            _use_data_set(controller, span)
            system["$VEL_AXIS"] = [_axis_speed(controller, value)] * AXES
        case "CP_PARAMS":
            _path_data(controller)
            _use_data_set(controller, span)
            system["$VEL"] = default_speed(controller, value)
        case "PTP_DAT":
            speed = (system["PDAT_ACT"] or {}).get("VEL") or 100.0
            system["$VEL_AXIS"] = [_axis_speed(controller, speed)] * AXES
            _joint_data(controller)
        case "CP_DAT":
            system["$VEL"] = default_speed(controller, (system["LDAT_ACT"] or {}).get("VEL"))
            _path_data(controller)
        case "FRAMES":
            _use_data_set(controller, span)
        case "TOOL" | "BASE":
            use_frame(controller, command, value, span)
        case "VEL_PTP":
            system["$VEL_AXIS"] = [_axis_speed(controller, value)] * AXES
        case "ACC_PTP":
            system["$ACC_AXIS"] = [_axis_acceleration(controller, value)] * AXES
        case "VEL_CP":
            system["$VEL"] = default_speed(controller, value)
        case "ACC_CP":
            system["$ACC"] = default_acceleration(controller, value)
        case _:
            template = _("BAS(#{command}) is not supported and ignored")
            controller.untold.append(Message("krl_bas", template, command=command))


# -- functions behind WITH -------------------------------------------------------------------------------------------


def _part(data: Value, name: str, otherwise: Value) -> Value:
    found = data.get(name) if isinstance(data, dict) else None
    return otherwise if found is None else found


def _speed(controller: Controller, given: Sequence[Value]) -> Value:
    return default_speed(controller, given[0])


def _acceleration(controller: Controller, given: Sequence[Value]) -> Value:
    return default_acceleration(controller, _part(given[0], "ACC", 100.0))


def _tool(controller: Controller, given: Sequence[Value]) -> Value:
    number = _part(given[0], "TOOL_NO", 0) if isinstance(given[0], dict) else given[0]
    return _numbered_frame(controller, "TOOL_DATA", number) or dict(NULLFRAME)


def _base(controller: Controller, given: Sequence[Value]) -> Value:
    number = _part(given[0], "BASE_NO", 0) if isinstance(given[0], dict) else given[0]
    return _numbered_frame(controller, "BASE_DATA", number) or dict(NULLFRAME)


def _rounding(controller: Controller, given: Sequence[Value]) -> Value:
    return {**controller.system["$APO"], **_rounding_of_path(given[0] if isinstance(given[0], dict) else {})}


def _joint_rounding(controller: Controller, given: Sequence[Value]) -> Value:
    data = given[0] if isinstance(given[0], dict) else {}
    return {**controller.system["$APO"], **_rounding_of_joints(controller, data), "CDIS": data.get("APO_DIST") or 0.0}


WITH_FUNCTIONS: dict[str, tuple[DataType, Callable[[Controller, Sequence[Value]], Value]]] = {
    "SVEL_JOINT": (REAL, lambda controller, given: _axis_speed(controller, given[0])),
    "SACC_JOINT": (REAL, lambda controller, given: _axis_acceleration(controller, _part(given[0], "ACC", 100.0))),
    "SVEL_CP": (DataType("CP"), _speed),
    "SACC_CP": (DataType("CP"), _acceleration),
    "STOOL": (FRAME, _tool),
    "STOOL2": (FRAME, _tool),
    "SBASE": (FRAME, _base),
    "SLOAD": (ANY, lambda _controller, _given: None),
    "SIPO_MODE": (DataType("IPO_MODE"), lambda _controller, given: given[0]),
    "SORI_TYP": (DataType("ORI_TYPE"), lambda _controller, given: _part(given[0], "ORI_TYP", "VAR")),
    "SCIRC_TYP": (DataType("CIRC_TYPE"), lambda _controller, given: _part(given[0], "CIRC_TYP", "BASE")),
    "SCIRC_M": (ANY, lambda _controller, _given: None),
    "SAPO": (DataType("APO"), _rounding),
    "SAPO_PTP": (DataType("APO"), _joint_rounding),
    "SGEAR_JERK": (ANY, lambda _controller, _given: 0.0),
    "SJERK": (ANY, lambda _controller, _given: 0.0),
    "USE_CM_PRO_VALUES": (ANY, lambda _controller, _given: 0.0),
}


def inline_form(node: Call, scope: Scope) -> Compiled | None:
    """Return the value of a function behind WITH in an inline form; None if the name is not one of them."""
    if node.name not in WITH_FUNCTIONS:
        return None
    kind, function = WITH_FUNCTIONS[node.name]
    controller = scope.universe.controller
    values = [None if argument is None else compiled(argument, scope).evaluate for argument in node.arguments]
    if not values or values[0] is None:
        scope.report("krl_argument_missing", _("{name}: an argument is missing"), node.span, name=node.name)
        return Compiled(kind, failing(node.span))

    def evaluate(slots: Slots) -> Value:
        given = [None if value is None else value(slots) for value in values]
        if isinstance(given[0], str | list) and kind == REAL:
            raise Fault("krl_not_a_number", _("a number is expected, got '{value}'"), node.span, value=str(given[0]))
        return function(controller, given)

    return Compiled(kind, evaluate)


# -- kinematics ------------------------------------------------------------------------------------------------------


def _status_place(node: Call, number: int, scope: Scope) -> Callable[[Slots, int], None]:
    """Return what writes the last argument, which tells whether there is an answer."""
    argument = node.arguments[number] if len(node.arguments) > number else None
    binding = scope.lookup(argument.name) if isinstance(argument, Name) else None
    if not isinstance(argument, Name) or binding is None:
        scope.report("krl_error_variable", _("{name}: the last argument is a variable"), node.span, name=node.name)
        return lambda _slots, _value: None
    scope.assigned.add(argument.name)
    _kind, locate = locate_variable(binding, argument, scope, compiled)

    def put(slots: Slots, value: int) -> None:
        container, key = locate(slots)
        container[key] = value

    return put


def forward_or_inverse(node: Call, scope: Scope) -> Compiled | None:
    """Return FORWARD(axes, error) or INVERSE(position, start, error); None for another name."""
    if node.name not in {"FORWARD", "INVERSE"}:
        return None
    controller, span = scope.universe.controller, node.span
    wanted = ("AXIS",) if node.name == "FORWARD" else ("FRAME", "AXIS")
    values = [compiled(argument, scope) for argument in node.arguments[: len(wanted)] if argument is not None]
    kind = E6POS if node.name == "FORWARD" else E6AXIS
    if len(values) != len(wanted) or any(
        value.type != ANY and family(value.type) != name for value, name in zip(values, wanted, strict=True)
    ):
        scope.report("krl_kinematics", _("FORWARD takes (AXIS, INT), INVERSE takes (POS, AXIS, INT)"), span)
        return Compiled(kind, failing(span))
    put = _status_place(node, len(wanted), scope)
    rest: Any = np.zeros(controller.arm.robot.dof)

    def forward(slots: Slots) -> Value:
        q = controller.arm.joints_of(values[0].evaluate(slots), rest)
        put(slots, REACHED)
        return controller.position(q, span)

    def inverse(slots: Slots) -> Value:
        start = controller.arm.joints_of(values[1].evaluate(slots), rest)
        position = values[0].evaluate(slots)
        base, tool = controller.T_world_base(span), controller.T_flange_tool(span)
        q = controller.arm.inverse(position, base, tool, start, span)
        put(slots, UNREACHABLE if q is None else REACHED)
        return controller.arm.axes_of(start if q is None else q)

    return Compiled(kind, forward if node.name == "FORWARD" else inverse)
