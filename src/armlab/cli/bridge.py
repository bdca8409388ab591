"""`armlab bridge`: what other programs see of a real arm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armlab.cli.pacing import Pace
from armlab.cli.text import say
from armlab.messages import _, tr

TICK, EVERY = 0.01, 5
"""Ticks (s), and after how many of them is published: 20 times a second."""
NOT_CONNECTED = 1


def bridge(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=_("A link file."), show_default=False)],
    to: Annotated[
        list[str],
        typer.Option("--to", metavar="WHERE", help=_("metrics:PORT, rosbridge:PORT, udp://HOST:PORT; repeatable.")),
    ],
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.0, help=_("End by itself; otherwise Ctrl-C ends it."))
    ] = None,
) -> None:
    """Run `armlab bridge`."""
    from armlab.bridges.publisher import Publisher, publisher_of
    from armlab.link.drivers.choose import driver_of
    from armlab.link.link import ArmLink
    from armlab.link.link_file import read_link
    from armlab.link.status import link_status

    given = read_link(file)
    link = ArmLink(given, driver_of(given))
    publishers: list[Publisher] = []
    pace = Pace(TICK, seconds)
    try:
        for where in to:
            publishers.append(publisher_of(where))
            say(tr("published at {address}", address=publishers[-1].address))
        link.connect()
        tick = 0
        while pace.goes_on():
            link.tick(pace.now)
            tick += 1
            for publisher in publishers:
                if tick % EVERY == 1:
                    publisher.publish(link_status(link, pace.now))
                publisher.tick()
    finally:
        link.disconnect(pace.now)
        for publisher in publishers:
            publisher.stop()
    if not link.counts["samples"]:
        for reason in link.guard.reasons:
            say(reason.message.localized(), err=True)
        raise typer.Exit(NOT_CONNECTED)
