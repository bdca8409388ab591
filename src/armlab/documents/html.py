"""One HTML file that needs nothing else: no network, no script; light or dark as the reader likes, and printable."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

from armlab.documents.blocks import Block, Formulas, Heading, Links, Paragraph, Picture, Table, Text, title_of
from armlab.documents.mathml import block_mathml, inline_mathml
from armlab.messages import reader

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --quiet: #5b6470; --line: #d5d9de; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --paper: #16191d; --quiet: #a0a8b3; --line: #3a4048; }
}
body { font: 1rem/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 56rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.3rem; margin: 2.4rem 0 .6rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p { margin: .6rem 0; }
a { color: inherit; }
.wide { overflow-x: auto; overflow-y: hidden; margin: .6rem 0; padding: .2rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem; border-bottom: 1px solid var(--line); text-align: right; }
th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
.word { text-align: left; }
math { font-size: 1.06em; }
mtable.equations > mtr > mtd { padding: .28em .15em; }
mtable.grid > mtr > mtd { padding: .2em .5em; }
mtd.left { text-align: right; }
mtd.right { text-align: left; }
figure { margin: 1.2rem 0; text-align: center; }
figure img { max-width: 100%; height: auto; border-radius: 6px; background: #ffffff; }
figcaption { color: var(--quiet); font-size: .9rem; }
@media print {
  :root { color-scheme: light; --ink: #000000; --paper: #ffffff; --quiet: #444444; --line: #bbbbbb; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2, h3 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  .wide { overflow: visible; }
}
"""


def to_html(blocks: Sequence[Block]) -> str:
    """Return a whole page with its pictures in it."""
    body = "\n".join(_block(block) for block in blocks)
    return (
        f'<!DOCTYPE html>\n<html lang="{reader.get()}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title_of(blocks))}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _block(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{_text(text)}</p>"
        case Formulas():
            return f'<div class="wide">{block_mathml(block)}</div>'
        case Table():
            return _table(block)
        case Picture(_, png, alt):
            source = base64.b64encode(png).decode("ascii")
            words = escape(alt)
            image = f'<img src="data:image/png;base64,{source}" alt="{words}">'
            return f"<figure>{image}<figcaption>{words}</figcaption></figure>"
        case Links(items):
            lines = (f'<li><a href="{escape(address)}">{escape(words)}</a></li>' for words, address in items)
            return f"<ul>{''.join(lines)}</ul>"


def _text(text: Text) -> str:
    return "".join(escape(part) if isinstance(part, str) else inline_mathml(part) for part in text)


def _table(table: Table) -> str:
    head = "".join(_cell("th", table, i, cell) for i, cell in enumerate(table.header))
    rows = "\n".join(
        f"<tr>{''.join(_cell('td', table, i, cell) for i, cell in enumerate(row))}</tr>" for row in table.rows
    )
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>'


def _cell(tag: str, table: Table, i: int, cell: Text) -> str:
    kind = ' class="word"' if i in table.words else ""
    return f"<{tag}{kind}>{_text(cell)}</{tag}>"
