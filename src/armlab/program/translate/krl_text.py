"""Names, texts, inline forms and loops as KRL writes them."""

from __future__ import annotations

from collections.abc import Sequence

from armlab.program.translate.structure import Node, RepeatedBlock, RoutineCall
from armlab.program.translate.text import identifier

FORM = ";%{{PE}}%R 8.3.0,%MKUKATPBASIS,%CMOVE,%V{kind},%P {values}"
KEYWORDS = frozenset({
    "and", "b_and", "b_or", "bool", "brake", "case", "char", "circ", "confirm", "const", "continue", "decl", "def",
    "deffct", "default", "defdat", "delay", "do", "else", "end", "enddat", "endfct", "endfor", "endfold", "endif",
    "endloop", "endspline", "endswitch", "endwhile", "enum", "exit", "ext", "extfct", "false", "fold", "for", "frame",
    "global", "goto", "halt", "if", "import", "int", "interrupt", "lin", "loop", "not", "off", "on", "or", "pos",
    "ptp", "pulse", "real", "repeat", "resume", "return", "signal", "spline", "struc", "switch", "then", "to",
    "trigger", "true", "until", "wait", "when", "while", "axis", "e6axis", "e6pos", "sec", "bas",
})  # fmt: skip


def krl_name(name: str) -> str:
    """Return a name that KRL takes: at most 24 letters, digits and underscores, and not one of its words."""
    plain = identifier(name, 20)
    return f"{plain}_p" if plain.lower() in KEYWORDS else plain


def quoted(text: str) -> str:
    """Return a text as KRL can have it between quotes."""
    return (
        "".join(c for c in text if c.isprintable()).replace('"', "'").encode("cp1252", "replace").decode("cp1252")[:80]
    )


def fold(title: str, kind: str, values: str, lines: list[str]) -> list[str]:
    """Return the lines of an inline form."""
    return [f";FOLD {title}{FORM.format(kind=kind, values=values)}", "$BWDSTART = FALSE", *lines, ";ENDFOLD"]


def loop_depth(bodies: Sequence[tuple[Node, ...]]) -> int:
    """Return how deep loops stand in each other."""
    return max(
        (1 + loop_depth([node.body]) for body in bodies for node in body if isinstance(node, RepeatedBlock)),
        default=0,
    )


def rendered(nodes: tuple[Node, ...], level: int) -> list[str]:
    """Return the lines of a program's structure; `level` counts the loops around it."""
    out: list[str] = []
    for node in nodes:
        match node:
            case RoutineCall(routine=routine):
                out.append(f"{routine} ( )")
            case RepeatedBlock(count=count, body=body):
                inside = rendered(body, level + 1)
                out += [f"FOR loop{level + 1} = 1 TO {count}", *(f"  {line}" for line in inside), "ENDFOR"]
            case _:
                out += node.lines
    return out
