"""MathML Core, which browsers set by themselves: no script, no font from elsewhere."""

from __future__ import annotations

from html import escape

from armlab.documents.blocks import Formulas
from armlab.documents.layout import LINE, lines, width
from armlab.documents.notation import GREEK, Fn, Frac, Matrix, Node, Num, Op, Root, Row, Sup, Sym, Unit
from armlab.messages import ENGLISH, reader

_THIN = '<mspace width="0.17em"></mspace>'
_WIDE = '<mspace width="1em"></mspace>'
_APPLY = "<mo>&#x2061;</mo>"
_FORMS = {"binary": "infix", "relation": "infix", "prefix": "prefix", "open": "prefix", "close": "postfix"}


def row_mathml(row: Row) -> str:
    """Return a formula's elements inside one `mrow`."""
    out = []
    for i, node in enumerate(row):
        before = row[i - 1] if i else None
        if _is_function(node) and before is not None and not (isinstance(before, Op) and before.kind != "close"):
            out.append(_THIN)
        out.append(_node(node))
        if _is_function(node):
            after = row[i + 1] if i + 1 < len(row) else None
            out.append(_APPLY if isinstance(after, Op) else _APPLY + _THIN)
    return f"<mrow>{''.join(out)}</mrow>"


def _is_function(node: Node) -> bool:
    return isinstance(node, Fn) or (isinstance(node, Sup) and isinstance(node.base[0], Fn))


def _node(node: Node) -> str:
    match node:
        case Frac(above, below):
            return f"<mfrac>{row_mathml(above)}{row_mathml(below)}</mfrac>"
        case Root(inside):
            return f"<msqrt>{row_mathml(inside)}</msqrt>"
        case Sup((Sym(base, sub, False),), power) if sub:
            return f"<msubsup>{_letter(base)}{_below(sub)}{row_mathml(power)}</msubsup>"
        case Sup(base, power):
            return f"<msup>{row_mathml(base)}{row_mathml(power)}</msup>"
        case Matrix(rows):
            cells = "".join(f"<mtr>{''.join(f'<mtd>{row_mathml(c)}</mtd>' for c in line)}</mtr>" for line in rows)
            left, right = '<mo form="prefix" stretchy="true">[</mo>', '<mo form="postfix" stretchy="true">]</mo>'
            return f'<mrow>{left}<mtable class="grid">{cells}</mtable>{right}</mrow>'
        case _:
            return _leaf(node)


def _leaf(node: Sym | Num | Op | Fn | Unit) -> str:
    match node:
        case Sym():
            return _symbol(node)
        case Num(text):
            return f"<mn>{text if reader.get() == ENGLISH else text.replace('.', ',')}</mn>"
        case Op():
            return _operator(node)
        case Fn(text):
            return f"<mi>{text}</mi>"
        case Unit(text):
            return f"{'' if text == '°' else _THIN}<mtext>{escape(text)}</mtext>"


def _operator(sign: Op) -> str:
    text = escape(sign.text)
    if sign.kind in {"comma", "list"}:
        return f'<mo separator="true">{text}</mo>' + (_WIDE if sign.kind == "list" else "")
    return f'<mo form="{_FORMS[sign.kind]}" stretchy="false">{text}</mo>'


def _symbol(sign: Sym) -> str:
    letter = _letter(sign.base)
    if sign.dot:
        letter = f'<mover accent="true">{letter}<mo stretchy="false">˙</mo></mover>'
    if not sign.sub:
        return letter
    return f"<msub>{letter}{_below(sign.sub)}</msub>"


def _letter(base: str) -> str:
    return f"<mi>{escape(GREEK.get(base, base))}</mi>"


def _below(text: str) -> str:
    """Return what stands below a letter; letters there are upright only if there are several."""
    if text.isdigit():
        return f"<mn>{text}</mn>"
    return f"<mi>{escape(text)}</mi>" if len(text) == 1 else f"<mtext>{escape(text)}</mtext>"


def inline_mathml(row: Row) -> str:
    """Return a formula that stands among words."""
    return f"<math>{row_mathml(row)}</math>"


def block_mathml(block: Formulas) -> str:
    """Return equations with their equals signs in line, long ones broken before a plus or minus."""
    out = []
    for equation in block.equations:
        first, *rest = lines(equation.right, LINE - width(equation.left) - 2.0)
        out.append(_line(row_mathml(equation.left), f'<mo form="infix">=</mo>{row_mathml(first)}'))
        out += [_line("", f'<mspace width="2em"></mspace>{row_mathml(line)}') for line in rest]
    return f'<math display="block"><mtable class="equations" displaystyle="true">{"".join(out)}</mtable></math>'


def _line(left: str, right: str) -> str:
    return f'<mtr><mtd class="left">{left}</mtd><mtd class="right"><mrow>{right}</mrow></mtd></mtr>'
