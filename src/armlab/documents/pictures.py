"""Figures as the bytes of a PNG, the same for the same figure."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from armlab.figures.style import DOTS_PER_INCH, in_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def png_of(figure: Figure) -> bytes:
    """Return a figure as PNG."""
    stream = io.BytesIO()
    with in_style():
        figure.savefig(
            stream,
            format="png",
            dpi=DOTS_PER_INCH,
            metadata={"Software": None},
            bbox_inches="tight",
            pad_inches=0.12,
        )
    return stream.getvalue()
