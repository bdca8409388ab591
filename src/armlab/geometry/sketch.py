"""Lines as a small SVG: what a robot or a motion shows of itself in a notebook, without a plotting library."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armlab.arrays import Floats

COLOURS = ("#1f6fb4", "#d2691e", "#2e8b57", "#8a4fbf", "#c23b5a", "#5f7a8a", "#b08d00")
MARGIN = 8.0


def lines_svg(lines: Sequence[Floats], width: float, height: float, *, same_scale: bool = False) -> str:
    """Return lines (m, 2), y up, fitted into a picture; with `same_scale` circles stay round."""
    points = np.concatenate([np.asarray(line, dtype=np.float64) for line in lines])
    low, size = points.min(axis=0), np.maximum(np.ptp(points, axis=0), 1e-9)
    scale = np.array([width - 2.0 * MARGIN, height - 2.0 * MARGIN]) / size
    if same_scale:
        scale[:] = scale.min()
    drawn = []
    for k, line in enumerate(lines):
        x, y = ((np.asarray(line) - low) * scale).T + MARGIN
        dots = " ".join(f"{a:.1f},{height - b:.1f}" for a, b in zip(x, y, strict=True))
        colour = COLOURS[k % len(COLOURS)]
        drawn.append(f'<polyline points="{dots}" fill="none" stroke="{colour}" stroke-width="2"/>')
    box = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img">{"".join(drawn)}</svg>'
