"""What a KRL module does: statements, routines, modules; frozen values with their places in the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from armlab.program.krl.tree import Call, Declaration, Expression, Name
from armlab.program.span import Span

# -- statements ------------------------------------------------------------------------------------------------------

MotionKind = Literal[
    "PTP", "LIN", "CIRC", "PTP_REL", "LIN_REL", "CIRC_REL", "SPTP", "SLIN", "SCIRC", "SPL", "SPTP_REL", "SLIN_REL",
    "SCIRC_REL", "SPL_REL",
]  # fmt: skip
Approximation = Literal["", "C_PTP", "C_DIS", "C_VEL", "C_ORI", "C_SPL"]


@dataclass(frozen=True, slots=True)
class Motion:
    """A motion: its points (auxiliary first), the angle of an arc, how corners are rounded, settings of its own."""

    kind: MotionKind
    points: tuple[Expression, ...]
    span: Span
    angle: Expression | None = None
    approximations: tuple[Approximation, ...] = ()
    settings: tuple[tuple[Name, Expression], ...] = ()
    reference: str = ""
    """BASE or TOOL of a relative motion."""


@dataclass(frozen=True, slots=True)
class SplineBlock:
    """SPLINE … ENDSPLINE, PTP_SPLINE … ENDSPLINE."""

    is_joint: bool
    body: tuple[Statement, ...]
    span: Span
    approximations: tuple[Approximation, ...] = ()
    settings: tuple[tuple[Name, Expression], ...] = ()


@dataclass(frozen=True, slots=True)
class Assign:
    """target = value."""

    target: Name
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class CallStatement:
    """A call whose result, if any, nobody takes."""

    call: Call
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """IF … THEN … ELSE … ENDIF."""

    condition: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Case:
    """CASE a, b …; no values: DEFAULT."""

    values: tuple[Expression, ...]
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Switch:
    """SWITCH … CASE … DEFAULT … ENDSWITCH."""

    value: Expression
    cases: tuple[Case, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """FOR i = a TO b STEP c … ENDFOR."""

    variable: Name
    first: Expression
    last: Expression
    step: Expression | None
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    """WHILE … ENDWHILE."""

    condition: Expression
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Repeat:
    """REPEAT … UNTIL."""

    body: tuple[Statement, ...]
    condition: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Loop:
    """LOOP … ENDLOOP."""

    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Exit:
    """EXIT: leave the innermost loop."""

    span: Span


@dataclass(frozen=True, slots=True)
class Goto:
    """GOTO label."""

    label: str
    span: Span


@dataclass(frozen=True, slots=True)
class Label:
    """A line that GOTO can go to."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class WaitSeconds:
    """WAIT SEC t."""

    seconds: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class WaitFor:
    """WAIT FOR condition."""

    condition: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Return:
    """RETURN, RETURN value."""

    value: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Simple:
    """A word that stands alone."""

    word: Literal["HALT", "CONTINUE", "BRAKE", "BRAKE F", "RESUME", "ON_ERROR_PROCEED"]
    span: Span


@dataclass(frozen=True, slots=True)
class Confirm:
    """CONFIRM number: a message is acknowledged."""

    number: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class InterruptDeclaration:
    """[GLOBAL] INTERRUPT DECL priority WHEN condition DO statement."""

    priority: Expression
    condition: Expression
    action: Statement
    span: Span
    is_global: bool = False


@dataclass(frozen=True, slots=True)
class InterruptSwitch:
    """INTERRUPT ON|OFF|ENABLE|DISABLE [priority]."""

    mode: Literal["ON", "OFF", "ENABLE", "DISABLE"]
    priority: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Trigger:
    """TRIGGER WHEN DISTANCE|PATH = where DELAY = ms DO statement [PRIO = n]."""

    what: Literal["DISTANCE", "PATH"]
    where: Expression
    delay: Expression
    action: Statement
    priority: Expression | None
    span: Span
    is_from_start: bool = False
    """ONSTART: PATH counts from the start point and not from the end point."""


Statement: TypeAlias = (
    Motion | SplineBlock | Assign | CallStatement | If | Switch | For | While | Repeat | Loop | Exit | Goto | Label
    | WaitSeconds | WaitFor | Return | Simple | Confirm | InterruptDeclaration | InterruptSwitch | Trigger
)  # fmt: skip

# -- modules ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter:
    """name:IN or name:OUT."""

    name: str
    is_output: bool
    span: Span
    is_array: bool = False


@dataclass(frozen=True, slots=True)
class Routine:
    """DEF … END, DEFFCT … ENDFCT."""

    name: str
    parameters: tuple[Parameter, ...]
    result: str
    """The type of a function; empty for a procedure."""
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]
    span: Span
    is_global: bool = False
    result_dimensions: int = 0

    @property
    def motions(self) -> int:
        """How many motions stand in its text."""
        return _motions(self.body)


def _motions(body: tuple[Statement, ...]) -> int:
    total = 0
    for statement in body:
        match statement:
            case Motion():
                total += 1
            case If():
                total += _motions(statement.body) + _motions(statement.otherwise)
            case Switch():
                total += sum(_motions(case.body) for case in statement.cases)
            case For() | While() | Repeat() | Loop() | SplineBlock():
                total += _motions(statement.body)
            case _:
                continue
    return total


@dataclass(frozen=True, slots=True)
class Fold:
    """;FOLD title … ;ENDFOLD: the lines from `first` to `last`, both included."""

    title: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Module:
    """A .src or a .dat file, or both."""

    name: str
    routines: tuple[Routine, ...] = ()
    data: tuple[Declaration, ...] = ()
    """What the data list declares and sets."""
    is_public: bool = False
    folds: tuple[Fold, ...] = ()
    header: dict[str, str] = field(default_factory=dict)
    """&ACCESS, &REL, &COMMENT …"""
    unread: frozenset[str] = frozenset()
    """Names in lines that could not be read."""
