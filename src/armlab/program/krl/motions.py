"""Motions of KRL become instructions: partial and relative positions, status and turn, speeds, rounding."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import TypeAlias

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import Message, _
from armlab.program.instructions import Answer, Blend, Instruction, MotionSettings, MoveC, MoveJ, MoveL, MoveSpline
from armlab.program.krl.actions import Approximation, MotionKind
from armlab.program.krl.arcs import points_on_arc, turned_about
from armlab.program.krl.arm import AXIS_NAMES, EXTERNAL_NAMES, Chosen
from armlab.program.krl.controller import Controller
from armlab.program.krl.data_types import Value
from armlab.program.krl.faults import Fault
from armlab.program.krl.frames import LETTERS, as_frame, as_matrix
from armlab.program.span import Span
from armlab.units import M_PER_MM, RAD_PER_DEG

Steps: TypeAlias = Generator[Instruction, Answer, None]
JOINT_MOTIONS = frozenset({"PTP", "PTP_REL", "SPTP", "SPTP_REL"})
SEGMENT_POINTS = 8
"""Into how many pieces a straight line or an arc inside a spline block is cut."""


class MotionMaker:
    """Sends the arm to positions of KRL."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._system = controller.system

    def move(
        self,
        kind: MotionKind,
        points: Sequence[dict[str, Value]],
        span: Span,
        *,
        angle: float | None = None,
        approximations: Sequence[Approximation] = (),
        reference: str = "",
    ) -> Steps:
        """Move as a statement says; points as it has them, auxiliary first; angle in degrees."""
        yield from self._report_ignored(points, span)
        self._controller.place_before = self._controller.place()
        if kind in JOINT_MOTIONS:
            target = yield from self._joint_target(points[-1], span, reference, is_relative=kind.endswith("_REL"))
            blend = self._blend(approximations, span, 0.0, 0.0)
            yield MoveJ((target,), settings=self._joint_settings(blend, span), span=span)
            return
        is_relative = kind.endswith("_REL")
        begin, frames = self._T_world_tool(span), []
        for point in points:
            frames.append((yield from self._frame(point, span, reference, is_relative=is_relative)))
        end = self._turned_as_told(begin, frames[-1])
        travel, turn = _travel(begin, end)
        settings = self._tool_settings(self._blend(approximations, span, travel, turn), span)
        if len(points) == 1:
            yield MoveL((end,), settings=settings, span=span)
        else:
            radians = None if angle is None else math.radians(angle)
            yield MoveC(frames[0][:3, 3].copy(), end, radians, settings=settings, span=span)
            if radians is not None:
                end = turned_about(begin, frames[0][:3, 3], end, radians, span)
        self._arrive(end, span)

    def spline(
        self,
        segments: Sequence[tuple[MotionKind, Sequence[dict[str, Value]]]],
        span: Span,
        approximations: Sequence[Approximation] = (),
        reference: str = "",
    ) -> Steps:
        """Move on one curve through the end points of a spline block."""
        self._controller.place_before = self._controller.place()
        frames: list[Floats] = []
        for kind, points in segments:
            yield from self._report_ignored(points, span)
            begin, ends = self._T_world_tool(span), []
            for point in points:
                ends.append((yield from self._frame(point, span, reference, is_relative=kind.endswith("_REL"))))
            end = self._turned_as_told(begin, ends[-1])
            if kind.startswith("SLIN"):
                frames += points_on_arc(begin, None, end, SEGMENT_POINTS)
            elif len(points) > 1:
                frames += points_on_arc(begin, ends[0][:3, 3], end, SEGMENT_POINTS)
            frames.append(end)
            self._arrive(end, span)
        if len(frames) > len(segments):
            template = _("straight lines and arcs inside a spline block are followed through points on them")
            yield from self._controller.note(Message("krl_spline_segments", template), span)
        if frames:
            blend = self._blend(approximations, span, 0.0, 0.0)
            yield MoveSpline(tuple(frames), settings=self._tool_settings(blend, span), span=span)

    def joint_spline(
        self, points: Sequence[dict[str, Value]], span: Span, approximations: Sequence[Approximation] = ()
    ) -> Steps:
        """Move the joints through the points of a PTP_SPLINE block without a stop."""
        yield from self._report_ignored(points, span)
        targets = []
        for point in points:
            targets.append((yield from self._joint_target(point, span, "", is_relative=False)))
        if targets:
            blend = self._blend(approximations, span, 0.0, 0.0)
            yield MoveJ(tuple(targets), settings=self._joint_settings(blend, span), span=span)

    # -- where to ----------------------------------------------------------------------------------------------------

    def _T_world_tool(self, span: Span) -> Floats:
        return self._controller.place() @ self._controller.T_flange_tool(span)

    def _arrive(self, T_world_tool: Floats, span: Span) -> None:
        self._controller.q = None
        self._controller.T_world_flange = T_world_tool @ pose.inverse(self._controller.T_flange_tool(span))

    def _turned_as_told(self, begin: Floats, end: Floats) -> Floats:
        """Return the end with the orientation of the beginning where $ORI_TYPE is #CONSTANT."""
        if self._system["$ORI_TYPE"] != "CONSTANT":
            return end
        held = end.copy()
        held[:3, :3] = begin[:3, :3]
        return held

    def _joint_target(
        self, point: dict[str, Value], span: Span, reference: str, *, is_relative: bool
    ) -> Generator[Instruction, Answer, Floats]:
        """Return joint values (n,), or the tool's pose (4, 4) where only the executor can tell them."""
        controller = self._controller
        if any(point.get(name) is not None for name in AXIS_NAMES):
            yield from self._report_missing_axes(point, span)
            is_whole = not is_relative and all(point.get(name) is not None for name in controller.arm.names)
            q = controller.arm.robot.home if is_whole else (yield from controller.joints(span))
            if is_relative:
                now = controller.arm.axes_of(q)
                point = {name: now.get(name, 0.0) + value for name, value in point.items() if value is not None}
            target = controller.arm.joints_of(point, q)
            if not np.isfinite(target).all():
                raise Fault("krl_axis_not_finite", _("an axis value is not a number"), span)
            controller.q, controller.T_world_flange = target, None
            return target
        T_world_tool = yield from self._frame(point, span, reference, is_relative=is_relative)
        status, turn = (None, None) if is_relative else (point.get("S"), point.get("T"))
        T_world_flange = T_world_tool @ pose.inverse(controller.T_flange_tool(span))
        q_known = controller.q
        if controller.arm.has_status and (q_known is not None or (status is not None and turn is not None)):
            near = controller.arm.robot.home if q_known is None else q_known
            chosen = controller.arm.choose(T_world_flange, status, turn, near)
            if chosen is not None:
                if not (chosen.has_status and chosen.has_turn):
                    yield from self._report_status((status, turn), chosen, span)
                controller.q, controller.T_world_flange = chosen.q, None
                return chosen.q
        controller.q, controller.T_world_flange = None, T_world_flange
        return T_world_tool

    def _report_status(self, given: tuple[Value, Value], right: Chosen, span: Span) -> Steps:
        names = {"status": given[0], "turn": given[1], "right_status": right.status, "right_turn": right.turn}
        if not right.has_status:
            template = _("no solution has S {status}; the nearest has S {right_status}, T {right_turn}")
            yield from self._controller.tell("error", Message("krl_status", template, **names), span)
        else:
            template = _("no solution inside the limits has T {turn}; the nearest has S {right_status}, T {right_turn}")
            yield from self._controller.tell("warning", Message("krl_turn", template, **names), span)

    def _frame(
        self, point: dict[str, Value], span: Span, reference: str, *, is_relative: bool
    ) -> Generator[Instruction, Answer, Floats]:
        """Return the tool's pose (4, 4) that a position means; components that it does not have stay as they are."""
        controller = self._controller
        T_world_base = controller.T_world_base(span)
        if any(point.get(name) is not None for name in AXIS_NAMES):
            q = controller.arm.joints_of(point, (yield from controller.joints(span)))
            return controller.arm.T_world_flange(q) @ controller.T_flange_tool(span)
        now = pose.inverse(T_world_base) @ self._T_world_tool(span)
        if is_relative:
            change = as_matrix(point, span)
            if reference == "TOOL":
                return T_world_base @ now @ change
            moved = now.copy()
            moved[:3, 3] += change[:3, 3]
            moved[:3, :3] = change[:3, :3] @ now[:3, :3]
            return T_world_base @ moved
        given = {name: point[name] for name in LETTERS if point.get(name) is not None}
        if len(given) < len(LETTERS):
            given = {**as_frame(now), **given}
        return T_world_base @ as_matrix(given, span)

    # -- what is told ------------------------------------------------------------------------------------------------

    def _report_ignored(self, points: Sequence[dict[str, Value]], span: Span) -> Steps:
        used = sorted({name for point in points for name in EXTERNAL_NAMES if point.get(name)})
        if used:
            template = _("external axes are not simulated; ignored: {axes}")
            yield from self._controller.note(Message("krl_external_axes", template, axes=used), span, str(used))
        if self._system["$IPO_MODE"] == "TCP":
            template = _("$IPO_MODE #TCP (a tool that stands outside of the arm) is not supported; the tool is moved")
            yield from self._controller.note(Message("krl_external_tool", template), span)

    def _report_missing_axes(self, point: dict[str, Value], span: Span) -> Steps:
        names = self._controller.arm.names
        extra = [name for name in AXIS_NAMES if point.get(name) and name not in names]
        if extra:
            template = _("{robot} has {count} axes; ignored: {axes}")
            robot = self._controller.arm.robot.name
            message = Message("krl_axes_ignored", template, robot=robot, count=len(names), axes=extra)
            yield from self._controller.note(message, span)

    # -- how fast, how round -----------------------------------------------------------------------------------------

    def _percent(self, name: str, span: Span) -> float:
        values = self._system[name][: self._controller.arm.robot.dof]
        if any(value is None or not 0 < value <= 200 for value in values):
            template = _("{name} must be above 0 % and at most 200 %, got {values}")
            raise Fault("krl_percent", template, span, name=name, values=[str(value) for value in values])
        return min(1.0, float(min(values)) / 100.0)

    def _override(self, span: Span) -> float:
        value = self._system["$OV_PRO"]
        if value is None or not 0 < value <= 100:
            raise Fault("krl_override", _("$OV_PRO must be 1 … 100 %, got {value}"), span, value=str(value))
        return float(value) / 100.0

    def _joint_settings(self, blend: Blend | None, span: Span) -> MotionSettings:
        controller = self._controller
        return MotionSettings(
            speed=self._percent("$VEL_AXIS", span) * self._override(span),
            acceleration=self._percent("$ACC_AXIS", span),
            blend=blend,
            T_flange_tool=controller.T_flange_tool(span),
            T_world_base=controller.T_world_base(span),
        )

    def _positive(self, name: str, part: str, span: Span) -> float:
        value = (self._system[name] or {}).get(part)
        if value is None or not 0.0 < value < math.inf:
            template = _("{name} must be above 0, got {value}")
            raise Fault("krl_not_positive", template, span, name=f"{name}.{part}", value=str(value))
        return float(value)

    def _tool_settings(self, blend: Blend | None, span: Span) -> MotionSettings:
        controller, override = self._controller, self._override(span)
        return MotionSettings(
            tool_speed=self._positive("$VEL", "CP", span) * override,
            tool_acceleration=self._positive("$ACC", "CP", span),
            turn_speed=self._positive("$VEL", "ORI1", span) * RAD_PER_DEG * override,
            blend=blend,
            T_flange_tool=controller.T_flange_tool(span),
            T_world_base=controller.T_world_base(span),
        )

    def _blend(self, approximations: Sequence[Approximation], span: Span, travel: float, turn: float) -> Blend | None:
        """Return how the corner is rounded; `travel` (m) and `turn` (rad) are those of the motion to it."""
        if not approximations or not self._system["$ADVANCE"]:
            return None
        apo = self._system["$APO"] or {}
        radius = joints = 0.0
        for word in approximations:
            if word == "C_PTP":
                joints = min(max(float(apo.get("CPTP") or 0.0) / 100.0, 0.0), 1.0)
            elif word in {"C_DIS", "C_SPL"}:
                radius = max(float(apo.get("CDIS") or 0.0), 0.0) * M_PER_MM
            elif word == "C_VEL":  # from where the brakes leave this share of the speed
                speed = self._positive("$VEL", "CP", span) * float(apo.get("CVEL") or 0.0) / 100.0
                radius = speed**2 / (2.0 * self._positive("$ACC", "CP", span))
            elif turn > 0.0:  # C_ORI: from where this angle is left
                radius = travel * min(1.0, math.radians(float(apo.get("CORI") or 0.0)) / turn)
        return Blend(radius=radius, joints=joints) if radius > 0.0 or joints > 0.0 else None


def _travel(begin: Floats, end: Floats) -> tuple[float, float]:
    turn = float(np.linalg.norm(pose.rotation_vector(begin[:3, :3].T @ end[:3, :3])))
    return float(np.linalg.norm(end[:3, 3] - begin[:3, 3])), turn
