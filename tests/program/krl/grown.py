"""Programs that grow from a grammar: blocks are closed, and types mostly fit, so most of them run."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

DATA = """DEFDAT t
DECL INT i = 2, j = -3, a[3], g[2,2]
DECL REAL x = 3.5, y = -0.25
DECL BOOL b = TRUE, d = FALSE
DECL CHAR c[8]
ENUM COL RED, BLUE
DECL COL k = #RED
STRUC BOX INT w, FRAME at
DECL BOX bb = {w 3, at {X 1, Y 2, Z 3, A 0, B 0, C 0}}
DECL FRAME f = {X 400, Y 0, Z 300, A 0, B 180, C 0}
DECL E6POS p = {X 420, Y 60, Z 350, A 0, B 170, C 0, S 2, T 2}
DECL E6AXIS q = {A1 10, A2 -80, A3 95, A4 5, A5 20, A6 -10, E1 0, E2 0, E3 0, E4 0, E5 0, E6 0}
a[1] = 1
a[2] = 5
g[1,1] = 4
c[] = "abc"
ENDDAT
"""
HELPERS = """DEF helpers()
END
GLOBAL DEF sub(n:IN, z:OUT)
INT n
REAL z
z = n * 2.0
$OUT[7] = TRUE
END
GLOBAL DEFFCT REAL fun(n:IN)
INT n
IF n > 3 THEN
RETURN 1.0
ENDIF
RETURN n + 0.5
ENDFCT
GLOBAL DEF handler()
BRAKE
$OUT[8] = NOT $OUT[8]
END
"""
LEAVES = {
    "i": "i|j|a[1]|a[i]|g[1,1]|bb.w|3|0|7|StrLen(c[])|'HF'|$OV_PRO|$TIMER[1]",
    "r": "x|y|f.X|p.Z|q.A1|bb.at.Y|1.5|2E2|$POS_ACT.X|$VEL.CP|fun(i)|SQRT(x)|SIN(x)",
    "b": 'b|d|TRUE|FALSE|$IN[1]|$IN[i]|$OUT[2]|k == #RED|c[1] == "a"|$FLAG[3]',
    "f": "f|p|bb.at|{X 10, Y -5}|{X 400, Y 50, Z 300, A 0, B 180, C 0}|$POS_ACT|INV_POS(f)|$BASE",
    "n": "1|2|3|4|5|6",
    "c": "|| C_DIS| C_PTP| C_VEL",
}
"""What stands for <i> (INT), <r> (REAL), <b> (BOOL), <f> (a frame), <n> (a number), <c> (how a point is rounded)."""
BRANCHES = {
    "i": "(<i> + <i>)|(<i> - <i>)|(<i> * <i>)|(<i> / <i>)|<i> B_AND <i>|<i> B_OR <i>|<i> B_EXOR <i>|-<i>|(B_NOT <i>)",
    "r": "<r> + <i>|<r> - <i>|<r> * <i>|<r> / <i>|ABS(<r>)|-(<r>)",
    "b": "(<r> < <i>)|(<r> >= <i>)|(<i> == <i>)|(<i> <> <i>)|(<b> AND <b>)|(<b> OR <b>)|(<b> EXOR <b>)|NOT (<b>)",
    "f": "<f> : <f>",
}
STATEMENTS = """
i = <i>|a[<i>] = <i>|j = <r>|x = <r>|y = <i>|b = <b>|d = <b>|f = <f>|p = <f>|bb.at = <f>|bb.w = <i>|k = #BLUE
f.Z = <r>|q = $AXIS_ACT|q.A<n> = <r>|c[] = "ab"|c[] = ""|PTP {A1 <r>}|PTP q C_PTP|PTP <f>|PTP p<c>|LIN p<c>
LIN_REL {X <i>, Z 5}<c>|LIN <f>|LIN f|PTP_REL {A2 <i>}|CIRC <f>, <f>|CIRC p, f, CA <i>|SLIN p|SPTP q|SCIRC <f>, p
SLIN_REL {Y 4}|$OUT[<i>] = <b>|$ANOUT[1] = <r>|WAIT FOR <b>|WAIT SEC <r>|$VEL.CP = <r>|$APO.CDIS = <i>
$VEL_AXIS[1] = <i>|$OV_PRO = <i>|$TOOL = <f>|$BASE = $NULLFRAME|BAS(#TOOL, <i>)|BAS(#VEL_PTP, <i>)|CONTINUE|HALT
sub(<i>, x)|x = fun(<i>)|$TIMER[1] = <i>|$TIMER_STOP[1] = FALSE|TRIGGER WHEN DISTANCE=1 DELAY=<i> DO $OUT[3]=<b>
TRIGGER WHEN PATH=<r> DELAY=0 DO sub(<i>, x) PRIO=-1|INTERRUPT DECL <n> WHEN <b> DO handler()|INTERRUPT ON <n>
INTERRUPT OFF|GOTO l|RETURN|PULSE($OUT[2], TRUE, <r>)|$ADVANCE = <i>|q = INVERSE(<f>, q, i)|p = FORWARD(q, i)
"""
BLOCKS = (
    "IF <b> THEN/-/ELSE/-/ENDIF", "FOR j = <i> TO <n> STEP 2/-/ENDFOR", "FOR j = <n> TO <i> STEP -1/-/ENDFOR",
    "WHILE <b>/-/ENDWHILE", "WHILE <b>/-/IF <b> THEN/EXIT/ENDIF/ENDWHILE", "REPEAT/-/UNTIL <b>", "LOOP/-/ENDLOOP",
    "LOOP/-/IF <b> THEN/EXIT/ENDIF/ENDLOOP", "SWITCH <i>/CASE 1, 2/-/DEFAULT/-/ENDSWITCH",
    "SPLINE/SPL p/SLIN <f>/ENDSPLINE",
)  # fmt: skip
"""Lines of blocks; `-` is a block inside."""
DATA_LINES = """
i = <i>|x = <r>|f = <f>|XP1 = <f>|a[2] = <i>|bb.at = <f>|bb.w = <b>|c[] = "x"|DECL INT n = <i>|DECL REAL n = <r>
DECL FRAME n = <f>|DECL COL n = <i>|DECL BOX n = <f>|DECL GLOBAL BOOL n = <b>|DECL NONE n = <i>|DECL INT m[<i>, <n>]
CONST REAL pi = <r>|SIGNAL s $OUT[<n>] TO $OUT[<n>]|SIGNAL s $OUT[0]|IMPORT INT u IS /R1/t..i
IMPORT INT u IS /R1/none..i|IMPORT INT u IS /R1/other..i|IMPORT REAL u IS /R1/other..back|i = u
"""
OTHER = """DEFDAT other PUBLIC
DECL INT i = 4
IMPORT INT back IS /R1/t..i
ENDDAT
"""
"""A data list that imports, and is imported from."""
DEEPEST = 3
_PLACE = re.compile("<([irbfnc])>")


def _choices(text: str) -> list[str]:
    return [choice for line in text.strip("\n").splitlines() for choice in line.split("|")]


_LEAVES, _BRANCHES = ({kind: _choices(text) for kind, text in of.items()} for of in (LEAVES, BRANCHES))
_STATEMENTS, _DATA_LINES = _choices(STATEMENTS), _choices(DATA_LINES)


def filled(rng: random.Random, text: str, depth: int = 0) -> str:
    """Return a text with something of its type in each place."""

    def choose(found: re.Match[str]) -> str:
        kind = found[1]
        if kind not in _BRANCHES or depth >= DEEPEST or rng.random() < 0.45:
            return rng.choice(_LEAVES[kind])
        return filled(rng, rng.choice(_BRANCHES[kind]), depth + 1)

    return _PLACE.sub(choose, text)


def block(rng: random.Random, depth: int = 0) -> list[str]:
    """Return the lines of a block."""
    lines: list[str] = []
    for _number in range(rng.randint(1, 4)):
        if depth >= DEEPEST or rng.random() < 0.75:
            lines.append(filled(rng, rng.choice(_STATEMENTS)))
            continue
        for line in rng.choice(BLOCKS).split("/"):
            lines += block(rng, depth + 1) if line == "-" else [filled(rng, line)]
    return lines


def grown_program(rng: random.Random) -> str:
    """Return the text of a program whose data list is DATA and that calls HELPERS."""
    lines = block(rng)
    lines.insert(rng.randrange(len(lines) + 1), "l:")
    return "\n".join(("DEF t()", "PTP XHOME", *lines, "END", ""))


def grown_data(rng: random.Random, pieces: Sequence[str]) -> str:
    """Return a data list of declarations and values, and of lines that do not belong there."""
    lines = [*DATA.splitlines()[1:-1], "DECL E6POS XP1 = {X 400, Y 0, Z 300, A 0, B 180, C 0, S 2, T 2}"]
    for _edit in range(rng.randint(1, 5)):
        made = filled(rng, rng.choice(_DATA_LINES)) if rng.random() < 0.8 else rng.choice(pieces)
        lines.insert(rng.randrange(len(lines) + 1), made)
    if rng.random() < 0.2:
        rng.shuffle(lines)
    return "\n".join(("DEFDAT t PUBLIC", *lines, "ENDDAT", ""))
