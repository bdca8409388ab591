"""Write the firmware of an arm to a folder, with a link file for it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from armlab.catalog import load
from armlab.errors import InvalidInput, UnknownName
from armlab.files import write_whole
from armlab.link.peers.arms import braccio_tables
from armlab.messages import _

FIRMWARE = ("braccio",)
SKETCH = "armlab_braccio"


def firmware_text(name: str) -> str:
    """Return a file of the firmware: the sketch, or its README."""
    return files("armlab.link.firmware").joinpath(name).read_text(encoding="utf-8")


def write_firmware(arm: str, folder: Path) -> list[Path]:
    """Write sketch, README and link file to a folder, and return their paths.

    Raises:
        UnknownName: if there is no firmware for such an arm.
        InvalidInput: if the folder has them already, or they cannot be written.
    """
    if arm not in FIRMWARE:
        raise UnknownName("robot", arm, FIRMWARE)
    rest = ", ".join(f"{value:g}" for value in load(arm).configurations["upright"] * 57.29577951308232)
    head = f'schema = 1\narm = "{arm}"\ndriver = "lines"\nport = "serial:///dev/ttyACM0?baud=115200"\n'
    texts = {
        folder / SKETCH / f"{SKETCH}.ino": firmware_text(f"{SKETCH}.ino"),
        folder / "README.md": firmware_text("README.md"),
        folder / f"{arm}.toml": f"{head}rest = [{rest}]\n{braccio_tables()}",
    }
    taken = next((path for path in texts if path.exists()), None)
    if taken is not None:
        raise InvalidInput("file_exists", _("{path}: the file exists already; choose another name"), path=str(taken))
    try:
        (folder / SKETCH).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        unwritable = InvalidInput("file_unwritable", _("cannot be written ({reason})"), reason=error.strerror or "")
        raise unwritable.within(str(folder)) from None
    for path, text in texts.items():
        write_whole(path, text.encode())
    return list(texts)
