"""`armlab serve`: the page in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from armlab.messages import _

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8090


def serve(
    host: Annotated[str, typer.Option("--host", help=_("The address to listen on."))] = DEFAULT_HOST,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help=_("The port; the next free one if busy."))
    ] = DEFAULT_PORT,
    no_browser: Annotated[bool, typer.Option("--no-browser", help=_("Do not open a browser."))] = False,
) -> None:
    """Run `armlab serve`."""
    from armlab.server.serve import serve as run_server

    run_server(host=host, port=port, open_browser=not no_browser, announce=lambda text: print(text, flush=True))
