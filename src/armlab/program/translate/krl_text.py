"""Names, texts, inline forms and loops as KRL writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armlab.program.translate.nodes import WrittenRoutine
from armlab.program.translate.render import Renderer, ShownCase, inputs_in, loop_depth
from armlab.program.translate.text import identifier

FORM = ";%{{PE}}%R 8.3.0,%MKUKATPBASIS,%CMOVE,%V{kind},%P {values}"
HEADER = (
    "&ACCESS RVP",
    "&REL 1",
    "&PARAM EDITMASK = *",
    r"&PARAM TEMPLATE = C:\KRC\Roboter\Template\vorgabe",
    r"&PARAM DISKPATH = KRC:\R1\Program",
)
EXTERNAL = (
    ";FOLD EXTERNAL DECLARATIONS;%{PE}%MKUKATPBASIS,%CEXT,%VCOMMON,%P",
    ";FOLD BASISTECH EXT;%{PE}%MKUKATPBASIS,%CEXT,%VEXT,%P",
    "EXT BAS (BAS_COMMAND :IN,REAL :IN)",
    "DECL INT SUCCESS",
    ";ENDFOLD (BASISTECH EXT)",
    ";FOLD USER EXT;%{E}%MKUKATPUSER,%CEXT,%VEXT,%P",
    ";Make your modifications here",
    ";ENDFOLD (USER EXT)",
    ";ENDFOLD (EXTERNAL DECLARATIONS)",
)
"""What a data list begins with."""
SLOW = 20
"""% of the joints' top speed on the way to where a program starts."""
FRAME_IS = (
    "",
    "DEFFCT BOOL frame_is(a :IN, b :IN)",
    "; Is one frame the other, within 0.1 mm and 0.1 degrees?",
    "DECL FRAME a, b",
    "DECL BOOL place, turn",
    "place = (ABS(a.X - b.X) < 0.1) AND (ABS(a.Y - b.Y) < 0.1) AND (ABS(a.Z - b.Z) < 0.1)",
    "turn = (ABS(a.A - b.A) < 0.1) AND (ABS(a.B - b.B) < 0.1) AND (ABS(a.C - b.C) < 0.1)",
    "RETURN place AND turn",
    "ENDFCT",
)


def ini_fold(user: Sequence[str]) -> list[str]:
    """Return the fold INI, with lines of its own in USER INI."""
    return [
        ";FOLD INI;%{PE}",
        "  ;FOLD BASISTECH INI",
        "    GLOBAL INTERRUPT DECL 3 WHEN $STOPMESS==TRUE DO IR_STOPM ( )",
        "    INTERRUPT ON 3",
        "    BAS (#INITMOV,0 )",
        "  ;ENDFOLD (BASISTECH INI)",
        "  ;FOLD USER INI",
        "    ;Make your modifications here",
        *(f"    {line}" for line in user),
        "  ;ENDFOLD (USER INI)",
        ";ENDFOLD (INI)",
    ]


def entry_lines(kind: str, k: int, *, has_load: bool) -> list[str]:
    """Return what fills in an empty entry of a tool or base, and stops where another one stands there."""
    load = [f"  LOAD_DATA[{k}] = LOAD{k}_HERE"] if has_load else []
    return [
        f"IF frame_is ({kind}_DATA[{k}], $NULLFRAME) THEN",
        f"  {kind}_DATA[{k}] = {kind}{k}_HERE",
        *load,
        "ENDIF",
        f"IF NOT frame_is ({kind}_DATA[{k}], {kind}{k}_HERE) THEN",
        f'  MsgNotify ("{kind}_DATA[{k}] is not what this program was made with")',
        "  HALT",
        "ENDIF",
    ]


def home_form() -> list[str]:
    """Return the inline form that goes to the cell's HOME."""
    form = fold(
        f"PTP HOME Vel={SLOW} % DEFAULT",
        "PTP",
        f"1:PTP, 2:HOME, 3:, 5:{SLOW}, 7:DEFAULT",
        ["PDAT_ACT = PDEFAULT", "FDAT_ACT = FHOME", f"BAS (#PTP_PARAMS,{SLOW})", "$H_POS = XHOME", "PTP XHOME"],
    )
    return [*form, ""]


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


class KrlRenderer(Renderer):
    """Loops, decisions and calls of KRL; tables stand in the data list."""

    first = 1
    counter = "loop{depth}"

    def __init__(self, inputs: Callable[[str], str]) -> None:
        super().__init__()
        self._input = inputs

    def loop(self, counter: str, count: str, body: list[str]) -> list[str]:
        """Return FOR … ENDFOR."""
        return [f"FOR {counter} = 1 TO {count}", *body, "ENDFOR"]

    def endless(self, body: list[str]) -> list[str]:
        """Return LOOP … ENDLOOP."""
        return ["LOOP", *body, "ENDLOOP"]

    def waiting(self, name: str, value: bool, body: list[str]) -> list[str]:
        """Return WHILE … ENDWHILE."""
        return [f"WHILE {'' if value else 'NOT '}{self._input(name)}", *body, "ENDWHILE"]

    def decision(self, condition: str, body: list[str], otherwise: list[str]) -> list[str]:
        """Return IF … ENDIF."""
        return [f"IF {condition} THEN", *body, *(["ELSE", *otherwise] if otherwise else []), "ENDIF"]

    def choice(self, counter: str, cases: list[ShownCase], otherwise: list[str]) -> list[str]:
        """Return SWITCH … ENDSWITCH."""
        lines = [line for case in cases for line in (f"CASE {case.values}", *case.lines)]
        return [f"SWITCH {counter}", *lines, *(["DEFAULT", *otherwise] if otherwise else []), "ENDSWITCH"]

    def call(self, routine: str, arguments: list[str]) -> str:
        """Return a call."""
        return f"{routine} ({', '.join(arguments) or ' '})"

    def read(self, name: str) -> list[str]:
        """Return an assignment of an input to a variable."""
        return [f"{self.kept(name)} = {self._input(name)}"]

    def kept(self, name: str) -> str:
        """Return the variable that keeps an input."""
        return krl_name(f"in_{name}")

    def negated(self, condition: str) -> str:
        """Return NOT …."""
        return f"NOT {condition}" if condition.isidentifier() else f"NOT ({condition})"

    def remainder(self, counter: str, modulus: int) -> str:
        """Return what a division of integers leaves."""
        return f"{counter} - {counter} / {modulus} * {modulus}"

    def all_of(self, conditions: list[str]) -> str:
        """Return … AND …; in KRL a comparison binds less than AND."""
        return " AND ".join(f"({one})" for one in conditions)

    def table(self, kind: str, number: int) -> str:
        """Return the name of a table: XT1 for points."""
        return f"{'X' if kind.startswith('E6') else ''}T{number}"

    def element(self, name: str, indices: list[str]) -> str:
        """Return an element: XT1[loop1,loop2]."""
        return f"{name}[{','.join(indices)}]"

    def routine(self, name: str, routine: WrittenRoutine) -> list[str]:
        """Return a routine with its declarations; the main program has no parameters."""
        used = inputs_in(routine.body)
        body = self.lines(routine.body)
        given = ", ".join(f"{one.name} :IN" for one in routine.parameters)
        return [
            f"DEF {name}({given or ' '})",
            *(f"DECL {KINDS.get(one.kind, one.kind)} {one.name}" for one in routine.parameters),
            *(f"DECL INT loop{level + 1}" for level in range(loop_depth(routine.body))),
            *(f"DECL BOOL {self.kept(one)}" for one in sorted(used)),
            *body,
            "END",
        ]


KINDS = {"number": "REAL", "int": "INT", "bool": "BOOL"}
