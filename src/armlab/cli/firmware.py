"""`armlab firmware`: our own firmware for an arm's board, with a link file for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armlab.cli.text import say
from armlab.messages import _, tr


def firmware(
    arm: Annotated[str, typer.Argument(metavar="ARM", help=_("braccio."), show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help=_("The folder; it may be new."))],
) -> None:
    """Run `armlab firmware`."""
    from armlab.link.firmware.files import write_firmware

    for path in write_firmware(arm, output):
        say(tr("{file}: written", file=str(path)))
