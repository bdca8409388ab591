"""LaTeX: formulas as text, and a whole document that plain pdflatex sets."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from armlab.documents.blocks import (
    Block,
    Formulas,
    Heading,
    Links,
    Paragraph,
    Picture,
    Table,
    Text,
    picture_name,
    title_of,
)
from armlab.documents.layout import LINE, lines, width
from armlab.documents.notation import GREEK, Fn, Frac, Matrix, Node, Num, Op, Root, Row, Sup, Sym, Unit
from armlab.messages import ENGLISH, reader

_HEAD = r"""\documentclass[10pt,a4paper]{article}
\usepackage[margin=22mm]{geometry}
\usepackage{amsmath,amssymb}
\usepackage{booktabs,longtable}
\usepackage{graphicx}
\allowdisplaybreaks
\setcounter{MaxMatrixCols}{40}
\setlength{\parindent}{0pt}
\renewcommand{\arraystretch}{1.12}
\setlength{\parskip}{0.4\baselineskip}
\AtBeginDocument{\abovedisplayskip=4pt plus 2pt \belowdisplayskip=6pt plus 3pt}
\setlength{\emergencystretch}{3em}
"""
_LANGUAGES = {
    "en": "",
    "ru": "\\usepackage[T2A]{fontenc}\n\\usepackage[utf8]{inputenc}\n\\usepackage[russian]{babel}\n",
    "uk": "\\usepackage[T2A]{fontenc}\n\\usepackage[utf8]{inputenc}\n\\usepackage[ukrainian]{babel}\n",
}
"""What a document in another language needs besides."""
_CYRILLIC = frozenset("абвгґдеєёжзиіїйклмнопрстуфхцчшщъыьэюяАБВГҐДЕЄЁЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ«»№")
LONGEST_TABLE = 40
"""Rows of a table that stays on one page."""
_SECTIONS = {2: "section", 3: "subsection"}
_FUNCTIONS = {"sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "arccos": r"\arccos", "det": r"\det"}
_SIGNS = {"−": "-", "·": r"\cdot", "‖": r"\|", "≤": r"\le"}
_LETTERS = {letter: name for name, letter in GREEK.items()}
_TEXT = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "°": r"$^\circ$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "−": "$-$",
    "‖": r"$\|$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "’": "'",
    "ß": r"\ss{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "æ": r"\ae{}",
    "²": "$^2$",
    "³": "$^3$",
}
_ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030a": "r", "\u030c": "v"}
_ACCENTS |= {"\u0327": "c"}


def row_latex(row: Row) -> str:
    """Return a formula as LaTeX, to stand between dollar signs."""
    return " ".join(_node(node) for node in row)


def _node(node: Node) -> str:
    match node:
        case Frac(above, below):
            return rf"\frac{{{row_latex(above)}}}{{{row_latex(below)}}}"
        case Root(inside):
            return rf"\sqrt{{{row_latex(inside)}}}"
        case Sup(base, power):
            return rf"{_grouped(base)}^{{{row_latex(power)}}}"
        case Matrix(rows):
            cells = r" \\ ".join(" & ".join(row_latex(cell) for cell in line) for line in rows)
            return rf"\begin{{bmatrix}} {cells} \end{{bmatrix}}"
        case _:
            return _leaf(node)


def _leaf(node: Sym | Num | Op | Fn | Unit) -> str:
    match node:
        case Sym():
            return _symbol(node)
        case Num(text):
            return text if reader.get() == ENGLISH else text.replace(".", "{,}")
        case Op(text, kind):
            sign = _SIGNS.get(text, text)
            return {"prefix": f"{{{sign}}}", "list": rf"{sign}\quad"}.get(kind, sign)
        case Fn(name):
            return _FUNCTIONS.get(name, rf"\operatorname{{{name}}}")
        case Unit(text):
            return (
                r"{}^{\circ}" if text == "°" else rf"\,\mathrm{{{text}}}" if text.isascii() else rf"\,\text{{{text}}}"
            )


def _grouped(base: Row) -> str:
    text = row_latex(base)
    return text if len(base) == 1 and isinstance(base[0], Fn | Sym) else f"{{{text}}}"


def _symbol(sign: Sym) -> str:
    if sign.base in GREEK:
        letter = rf"\{sign.base}"
    elif len(sign.base) == 1:
        letter = sign.base
    else:
        letter = rf"\mathrm{{{as_latex(sign.base)}}}"
    if sign.dot:
        letter = rf"\dot{{{letter}}}"
    if not sign.sub:
        return letter
    below = sign.sub.replace("−", "-")
    return rf"{letter}_{{\mathrm{{{below}}}}}" if below.isalpha() and len(below) > 1 else f"{letter}_{{{below}}}"


def equation_lines(block: Formulas) -> list[str]:
    """Return the equations as lines of an `aligned` or `align*`, long ones broken before a plus or minus."""
    out = []
    for equation in block.equations:
        first, *rest = lines(equation.right, LINE - width(equation.left) - 2.0)
        out.append(f"{row_latex(equation.left)} &= {row_latex(first)}")
        out += [rf"&\quad {{}}{row_latex(line)}" for line in rest]
    return out


def as_latex(text: str) -> str:
    """Return words as LaTeX; what its plain fonts do not have becomes a question mark."""
    return "".join(_letter(letter) for letter in text)


def _letter(letter: str) -> str:
    if letter in _TEXT:
        return _TEXT[letter]
    if letter in _LETTERS:
        return rf"$\{_LETTERS[letter]}$"
    if letter.isascii():
        return letter if letter.isprintable() else " "
    if letter in _CYRILLIC and reader.get() != ENGLISH:
        return letter
    parts = unicodedata.normalize("NFKD", letter)
    if len(parts) == 2 and parts[0].isascii() and parts[0].isalpha() and parts[1] in _ACCENTS:
        return rf"\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    return "?"


def to_latex(blocks: Sequence[Block], stem: str) -> str:
    """Return a whole document; its pictures are called as `picture_files(blocks, stem)` says."""
    body = ""
    for block in blocks:  # no empty line before a formula: it belongs to the sentence
        body += ("\n" if isinstance(block, Formulas) else "\n\n") + _block(block, stem)
    title = rf"\title{{{as_latex(title_of(blocks))}}}" + "\n\\author{}\n\\date{}\n"
    return f"{_HEAD}{_LANGUAGES[reader.get()]}{title}\\begin{{document}}{body}\n\n\\end{{document}}\n"


def _block(block: Block, stem: str) -> str:
    match block:
        case Heading(level, text):
            return r"\maketitle" if level == 1 else rf"\{_SECTIONS[level]}{{{as_latex(text)}}}"
        case Paragraph(text):
            return _text(text)
        case Formulas():
            return "\\begin{align*}\n" + " \\\\\n".join(equation_lines(block)) + "\n\\end{align*}"
        case Table():
            return _table(block)
        case Picture(_, _, alt):
            name = picture_name(block, stem)
            size = r"width=0.8\linewidth,height=0.5\textheight,keepaspectratio"
            return f"\\begin{{center}}\n\\includegraphics[{size}]{{{name}}}\\\\\n{as_latex(alt)}\n\\end{{center}}"
        case Links(items):
            lines = (rf"\item {as_latex(words)}: \texttt{{{as_latex(address)}}}" for words, address in items)
            return "\\begin{itemize}\n" + "\n".join(lines) + "\n\\end{itemize}"


def _text(text: Text) -> str:
    return "".join(as_latex(part) if isinstance(part, str) else f"${row_latex(part)}$" for part in text)


def _table(table: Table) -> str:
    columns = range(len(table.header))
    shape = "".join(_column(table, i) for i in columns)
    head = " & ".join(_text(cell) for cell in table.header)
    rows = "\n".join(" & ".join(_text(cell) for cell in row) + r" \\" for row in table.rows)
    if len(table.rows) <= LONGEST_TABLE:
        inside = f"\\toprule\n{head} \\\\\n\\midrule\n{rows}\n\\bottomrule"
        tabular = f"\\begin{{tabular}}{{@{{}}{shape}@{{}}}}\n{inside}\n\\end{{tabular}}"
        return f"\\begin{{center}}\n{tabular}\n\\end{{center}}"
    return (
        f"\\begin{{longtable}}{{@{{}}{shape}@{{}}}}\n\\toprule\n{head} \\\\\n\\midrule\n\\endhead\n"
        f"\\bottomrule\n\\endfoot\n{rows}\n\\end{{longtable}}"
    )


def _column(table: Table, i: int) -> str:
    """Return the column's letter; one of long sentences gets lines that break."""
    if i not in table.words:
        return "r"
    longest = max((len("".join(p for p in row[i] if isinstance(p, str))) for row in table.rows), default=0)
    return r"p{0.42\linewidth}" if longest > 40 else "l"
