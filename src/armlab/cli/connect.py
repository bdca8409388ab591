"""`armlab connect`: what a real arm says, and moves of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson
from armlab.cli.pacing import Pace
from armlab.cli.text import console, number, print_json, say, table
from armlab.errors import InvalidInput
from armlab.messages import _, tr

if TYPE_CHECKING:
    from armlab.link.link import ArmLink
    from armlab.link.status import LinkStatus
    from armlab.recording import Recorder

NOT_CONNECTED = 1
TICK, SHOWN = 0.01, 1.0
MARKS = {"measured": "●", "estimated": "◐", "commanded": "○", "none": " "}
LinkFileName = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", help=_("A link file: arm, driver, port, wiring."), show_default=False)
]


def connect(
    file: LinkFileName = None,
    find: Annotated[bool, typer.Option("--find", help=_("List serial ports; none is opened."))] = False,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help=_("Keep what was heard: .mcap."))
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.0, help=_("End by itself; otherwise Ctrl-C ends it."))
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run `armlab connect`."""
    if find:
        _find()
        return
    if file is None:
        raise InvalidInput("link_file_needed", _("give a link file, or --find"))
    from contextlib import nullcontext

    from armlab.link.drivers.choose import driver_of
    from armlab.link.link import ArmLink
    from armlab.link.link_file import read_link
    from armlab.recording import Recorder

    given = read_link(file)
    link = ArmLink(given, driver_of(given))
    recorder = (
        None
        if record is None
        else Recorder(record, given.robot, source={"quality": link.driver.capabilities.position[0]})
    )
    with recorder if recorder is not None else nullcontext():
        status = _watch(link, Pace(TICK, seconds), recorder, as_json=as_json)
    if as_json:
        print_json(status)
    if not link_was_heard(status):
        raise typer.Exit(NOT_CONNECTED)


def link_was_heard(status: LinkStatus) -> bool:
    """Tell whether anything was heard of an arm."""
    return status.counts.get("samples", 0) > 0


def _watch(link: ArmLink, pace: Pace, recorder: Recorder | None, *, as_json: bool) -> LinkStatus:
    from armlab.link.status import link_status

    link.connect()
    start, shown, told = pace.now, pace.now, 0
    status = link_status(link, pace.now)
    try:
        while pace.goes_on():
            link.tick(pace.now)
            if recorder is not None:
                for sample in link.new:
                    recorder.write(sample.received - start, sample.q, sample.qd, sample.tau, command_q=sample.commanded)
            status = link_status(link, pace.now)
            for reason in status.reasons[told:]:
                say(f"{reason.message.localized()}", err=True)
            told = len(status.reasons)
            if not as_json and pace.now - shown >= SHOWN:
                shown = pace.now
                _show(status)
    finally:
        link.disconnect(pace.now)
    if not as_json:
        _show(status)
    return status


def _show(status: LinkStatus) -> None:
    joints = "  ".join(f"{one.name} {number(one.value, 1)}{one.unit} {MARKS[one.source]}" for one in status.joints)
    age = "–" if status.age is None else f"{number(status.age * 1e3, 0)} ms"
    say(f"{status.state}  {age}  {joints}")


def _find() -> None:
    from armlab.link.transport import serial_package

    package = serial_package()
    ports = sorted(package.tools.list_ports.comports())
    rows = [(port.device, port.description or "", port.serial_number or "") for port in ports]
    console().print(table(tr("Serial ports"), [tr("port"), tr("what"), tr("serial number")], rows, words=(0, 1, 2)))
    say(tr("none was opened: opening a port resets an Arduino Uno, and its servos may move"))
