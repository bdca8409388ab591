"""One page about a program: its path seen from above and from the side, its lines with their times and findings.

The page needs nothing else: no network; it is light or dark as the reader likes. A line under the pointer is drawn
stronger in the path, and a stroke of the path marks its line.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from armlab.arrays import Floats
from armlab.messages import reader, tr
from armlab.program.trace import PathTrace
from armlab.reports.program import LineTimeReport, ProgramCheckReport, ProgramFinding
from armlab.units import MM_PER_M

MOST_LINES = 5000
"""Lines of the program that are listed."""
MOST_STROKES = 20_000
WIDTH, HEIGHT, EDGE = 640.0, 480.0, 24.0

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --quiet: #5b6470; --line: #d5d9de;
  --soft: #f3f5f7; --feed: #1f6feb; --rapid: #9aa4b0; --mark: #e2632c; --error: #c62828; --warning: #a15c00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --paper: #16191d; --quiet: #a0a8b3; --line: #3a4048; --soft: #1e2329;
    --feed: #6cb0ff; --rapid: #66707c; --mark: #ff9a62; --error: #ff7b72; --warning: #e3a33c; } }
* { box-sizing: border-box; }
body { font: .95rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0;
  padding: 1.25rem; }
h1 { font-size: 1.4rem; margin: 0 0 .6rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1rem 0 .3rem; color: var(--quiet); font-weight: 600; }
dl { display: flex; flex-wrap: wrap; gap: .2rem 2rem; margin: 0 0 1rem; }
dt { color: var(--quiet); font-size: .8rem; }
dd { margin: 0; font-variant-numeric: tabular-nums; }
main { display: grid; grid-template-columns: minmax(18rem, 1fr) minmax(20rem, 1.1fr); gap: 1.5rem; }
@media (max-width: 60rem) { main { grid-template-columns: 1fr; } }
.views { position: sticky; top: 1rem; align-self: start; }
svg { width: 100%; height: auto; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; }
svg text { fill: var(--quiet); font-size: 13px; }
.feed { stroke: var(--feed); stroke-width: 1.6; } .rapid { stroke: var(--rapid); stroke-dasharray: 4 3; }
polyline { fill: none; vector-effect: non-scaling-stroke; stroke-linecap: round; stroke-linejoin: round; }
polyline.on { stroke: var(--mark); stroke-width: 3.5; stroke-dasharray: none; }
.lines { border: 1px solid var(--line); border-radius: 6px; overflow: auto; font: .85rem/1.5 ui-monospace, monospace; }
.row { display: grid; grid-template-columns: 3.5rem 1fr auto; gap: .6rem; padding: 0 .6rem; white-space: pre-wrap; }
.row.on, .row:hover { background: var(--soft); } .row.on { box-shadow: inset 3px 0 var(--mark); }
.no, .s { color: var(--quiet); text-align: right; font-variant-numeric: tabular-nums; user-select: none; }
.said { padding: .1rem .6rem .2rem 4.7rem; font-family: system-ui, sans-serif; overflow-wrap: anywhere; }
.error { color: var(--error); } .warning { color: var(--warning); } .note { color: var(--quiet); }
@media print { main { display: block; } .views { position: static; } }
"""

_SCRIPT = """
const mark = (line, on) => {
  for (const e of document.querySelectorAll(`[data-line="${line}"]`)) e.classList.toggle("on", on);
};
for (const e of document.querySelectorAll("[data-line]")) {
  e.addEventListener("mouseenter", () => mark(e.dataset.line, true));
  e.addEventListener("mouseleave", () => mark(e.dataset.line, false));
}
document.querySelectorAll("polyline").forEach(e => e.addEventListener("click", () =>
  document.querySelector(`.row[data-line="${e.dataset.line}"]`)?.scrollIntoView({block: "center"})));
"""


def program_page(report: ProgramCheckReport, lines: Sequence[str], trace: PathTrace) -> str:
    """Return the page of a checked program."""
    title = f"{report.program} · {report.robot or ''}"
    return (
        f'<!DOCTYPE html>\n<html lang="{reader.get()}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        f"{_facts(report)}\n{_general(report)}\n<main>\n<div class=views>{_views(trace)}</div>\n"
        f"<div><h2>{escape(tr('Program'))}</h2>{_listing(report, lines)}</div>\n</main>\n"
        f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _facts(report: ProgramCheckReport) -> str:
    facts = [(tr("motions"), str(report.motions))]
    if report.cycle_time is not None:
        facts.append((tr("cycle time"), f"{report.cycle_time:.3f} {tr('s')}"))
    if report.box is not None:
        for axis, low, high in zip("XYZ", report.box.lower, report.box.upper, strict=True):
            facts.append((axis, f"{low:.1f} … {high:.1f} {tr('mm')}"))
    if report.reach is not None:
        facts.append((tr("reach"), f"{report.reach:.1f} {tr('mm')}"))
    for severity, word in (("error", tr("errors")), ("warning", tr("warnings")), ("note", tr("notes"))):
        facts.append((word, str(sum(finding.severity == severity for finding in report.findings))))
    inner = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    return f"<dl>{inner}</dl>"


def _general(report: ProgramCheckReport) -> str:
    """Return findings that belong to no line."""
    return "\n".join(_said(finding) for finding in report.findings if finding.line is None)


def _said(finding: ProgramFinding) -> str:
    words = {"error": tr("error"), "warning": tr("warning"), "note": tr("note")}
    text = f"{words[finding.severity]}: {finding.message.localized()} [{finding.code}]"
    return f'<div class="said {finding.severity}">{escape(text)}</div>'


def _listing(report: ProgramCheckReport, lines: Sequence[str]) -> str:
    main = next((line.file for line in report.lines), "")
    own = [finding for finding in report.findings if finding.line is not None]
    files = {finding.file for finding in own if finding.file} | {line.file for line in report.lines}
    main = next((file for file in files if file.endswith(report.program)), main)
    times = {line.line: line for line in report.lines if line.file == main}
    found: dict[int, list[ProgramFinding]] = {}
    for finding in own:
        if finding.file in {None, main} or len(files) == 1:
            found.setdefault(finding.line or 0, []).append(finding)
    rows = []
    for number, text in enumerate(lines[:MOST_LINES], start=1):
        rows.append(_row(number, text, times.get(number)))
        rows.extend(_said(finding) for finding in found.get(number, ()))
    if len(lines) > MOST_LINES:
        rows.append(f'<div class="said note">{escape(tr("lines in all: {count}", count=len(lines)))}</div>')
    others = [finding for finding in own if finding.file not in {None, main} and len(files) > 1]
    rows.extend(f"<div class=said>{escape(f'{f.file}:{f.line}')}</div>{_said(f)}" for f in others)
    return f"<div class=lines>{''.join(rows)}</div>"


def _row(number: int, text: str, time: LineTimeReport | None) -> str:
    seconds = "" if time is None else f"{time.time:.3f} {tr('s')}"
    if time is not None and time.count > 1:
        seconds += f" · {time.count}×"
    return (
        f'<div class=row data-line="{number}"><span class=no>{number}</span>'
        f"<span>{escape(text)}</span><span class=s>{escape(seconds)}</span></div>"
    )


def _views(trace: PathTrace) -> str:
    if not trace.moves:
        return f"<p>{escape(tr('nothing moves'))}</p>"
    above = _view(trace, 0, 1, tr("From above"))
    points = np.concatenate([move.points for move in trace.moves])
    spread = points.max(axis=0) - points.min(axis=0)
    side = (0, 2, tr("From the front")) if spread[0] >= spread[1] else (1, 2, tr("From the side"))
    return above + _view(trace, *side)


def _view(trace: PathTrace, across: int, up: int, title: str) -> str:
    """Return the path along two axes of the world, both at the same scale."""
    points = np.concatenate([move.points[:, (across, up)] for move in trace.moves]) * MM_PER_M
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.maximum(high - low, 1e-3)
    scale = float(min((WIDTH - 2 * EDGE) / size[0], (HEIGHT - 2 * EDGE) / size[1]))
    height = min(HEIGHT, max(120.0, float(size[1]) * scale + 2 * EDGE + 20.0))
    offset = (WIDTH - float(size[0]) * scale) / 2.0, (height - 20.0 - float(size[1]) * scale) / 2.0
    strokes = []
    for move in trace.moves[:MOST_STROKES]:
        xy = (move.points[:, (across, up)] * MM_PER_M - low) * scale
        strokes.append(_stroke(xy, offset, height - 20.0, move.is_rapid, move.span.line if move.span else 0))
    names = "XYZ"
    axes = f"{names[across]} {low[0]:.1f} … {high[0]:.1f} mm, {names[up]} {low[1]:.1f} … {high[1]:.1f} mm"
    return (
        f'<h2>{escape(title)}</h2><svg viewBox="0 0 {WIDTH:g} {height:.1f}" role="img" aria-label="{escape(title)}">'
        f'{"".join(strokes)}<text x="{EDGE:g}" y="{height - 8:.1f}">{escape(axes)}</text></svg>'
    )


def _stroke(xy: Floats, offset: tuple[float, float], height: float, is_rapid: bool, line: int) -> str:
    spots = " ".join(f"{x + offset[0]:.2f},{height - y - offset[1]:.2f}" for x, y in xy.tolist())
    return f'<polyline class="{"rapid" if is_rapid else "feed"}" data-line="{line}" points="{spots}"/>'
