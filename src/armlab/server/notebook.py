"""The workbench in a notebook: where a server of this user runs, an arm of the catalog is shown in a frame."""

from __future__ import annotations

import json
import os
import urllib.request
from html import escape
from string import Template
from typing import Any
from urllib.error import URLError
from urllib.parse import quote, urlsplit

import numpy as np

from armlab.catalog import load, robot_names
from armlab.messages import tr
from armlab.model.robot import Robot
from armlab.model.robot_html import robot_html
from armlab.server.access import COOKIE, kept_key

SERVER = "http://127.0.0.1:8090"
"""Where `armlab serve` answers by itself; `ARMLAB_SERVER` names another place."""
PATIENCE_S = 0.5
LONGEST_ANSWER = 1000
_FRAME = Template("""<iframe title="$title" style="width:100%;height:0;border:0" data-port="$port" data-armlab="$query">
</iframe>
<script>
{
  const frame = document.querySelector('iframe[data-armlab="$query"]:not([src])');
  const host = location.hostname;
  if (frame && ["localhost", "127.0.0.1"].includes(host)) {
    frame.style.height = "640px";
    frame.src = "http://" + host + ":" + frame.dataset.port + "/" + frame.dataset.armlab;
  }
}
</script>""")
"""Cookies belong to one name: the frame asks the server by the name that the notebook is asked by."""


def register_viewer(shell: Any) -> None:
    """Tell an IPython shell to show arms with the workbench, where that can be."""
    shell.display_formatter.formatters["text/html"].for_type(Robot, robot_with_viewer)


def robot_with_viewer(robot: Robot) -> str:
    """Return the arm as HTML, with the workbench below where a server runs and has the arm."""
    return robot_html(robot) + viewer_html(robot, os.environ.get("ARMLAB_SERVER", SERVER))


def viewer_html(robot: Robot, server: str) -> str:
    """Return a frame with the arm in the workbench of a server on this machine; nothing where that cannot be."""
    place = urlsplit(server)
    if place.hostname not in {"localhost", "127.0.0.1"} or not _is_of_catalog(robot):
        return ""
    token = entry_token(server)
    if token is None:
        return ""
    title = tr("{robot} in the workbench", robot=robot.title or robot.name)
    query = f"?token={quote(token)}#{quote(robot.name)}"
    return _FRAME.substitute(title=escape(title), query=escape(query), port=place.port or 80)


def entry_token(server: str) -> str | None:
    """Return what lets a browser in, or None where no server of this user answers."""
    request = urllib.request.Request(f"{server.rstrip('/')}/api/entry", headers={"Cookie": f"{COOKIE}={kept_key()}"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=PATIENCE_S) as answer:
            return str(json.loads(answer.read(LONGEST_ANSWER))["token"])
    except (URLError, OSError, ValueError, KeyError, TypeError):
        return None


def _is_of_catalog(robot: Robot) -> bool:
    """Tell whether the arm is the catalog's: the server knows no other."""
    if robot.name not in robot_names():
        return False
    known = load(robot.name)
    return known.dof == robot.dof and np.array_equal(known.frames(known.home), robot.frames(known.home))
