"""Numbers over a plane as colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.figures.style import INK, in_style, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_heat_map(
    values: Floats, extent: tuple[float, float, float, float], title: str, labels: tuple[str, str, str]
) -> Figure:
    """Return a figure of `values` (rows, columns), the first row lowest; NaN stays blank.

    `extent` is left, right, bottom, top; `labels` name the two axes and the colours.
    """
    figure = new_figure(6.4, 5.0)
    with in_style():
        axes = figure.subplots()
    shown = axes.imshow(np.ma.masked_invalid(values), origin="lower", extent=extent, aspect="auto", cmap="viridis")
    axes.set(xlabel=labels[0], ylabel=labels[1])
    figure.colorbar(shown, ax=axes, label=labels[2])
    figure.suptitle(title, fontsize=11, color=INK, x=0.01, ha="left")
    return figure
