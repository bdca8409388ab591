"""`armlab emulate`: an arm without hardware, at a port of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armlab.cli.pacing import Pace
from armlab.cli.text import say
from armlab.messages import _, tr

TICK = 0.005


def emulate(
    arm: Annotated[str, typer.Argument(metavar="ARM", help=_("braccio, kr6, scara, ur5e."), show_default=False)],
    fault: Annotated[
        list[str] | None,
        typer.Option(
            "--fault", metavar="KIND:JOINT@S", help=_("stuck, weak or slip, from that second on; repeatable.")
        ),
    ] = None,
    feedback: Annotated[
        bool, typer.Option("--feedback", help=_("With position feedback, where the arm has none."))
    ] = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help=_("TCP port of this machine; 0: any."))] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help=_("Write a link file to it."))
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.0, help=_("End by itself; otherwise Ctrl-C ends it."))
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help=_("Of its noise."))] = 0,
) -> None:
    """Run `armlab emulate`."""
    from armlab.files import write_whole
    from armlab.link.peers.arms import emulated_arm
    from armlab.link.peers.server import PeerServer

    emulated = emulated_arm(arm, tuple(fault or ()), has_feedback=feedback, seed=seed)
    server = PeerServer(emulated.peer, port)
    try:
        address = f"tcp://127.0.0.1:{server.port}"
        if output is not None:
            write_whole(output, emulated.link_text(address).encode())
        say(
            tr(
                "{arm}: {driver} at {address}; no hardware, all of it is emulated",
                arm=arm,
                driver=emulated.driver,
                address=address,
            )
        )
        if output is not None:
            say(tr("{file}: written", file=str(output)))
        pace = Pace(TICK, seconds)
        while pace.goes_on():
            server.tick(pace.now)
    finally:
        server.close()
