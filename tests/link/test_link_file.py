"""A link file with a mistake is refused with its name and the key; and nothing is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from armlab.errors import CatalogError, InvalidInput
from armlab.link.link_file import read_link
from armlab.link.peers.arms import emulated_arm
from armlab.link.transport import transport_of

GOOD = emulated_arm("braccio").link_text("tcp://127.0.0.1:9000")


def written(folder: Path, text: str) -> Path:
    path = folder / "arm.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "key", "code"),
    [
        ('arm = "braccio"', 'arm = "bracio"', "arm", "unknown_robot"),
        ('driver = "lines"', 'driver = "line"', "driver", "not_allowed"),
        ("schema = 1", "schema = 1\nspeed = 3", "speed", "key_unknown"),
        ("channel = 10", "channel = 11", "joints.shoulder", "channel_twice"),
        ("shoulder =", "sholder =", "joints.sholder", "unknown_joint"),
        ("wire = [544, 2400]", "wire = [544, 544]", "joints.base", "wire_degenerate"),
        ("rest = [", "rest = [7, ", "rest", "rest_count"),
        ('port = "tcp://127.0.0.1:9000"', "", "port", "key_missing"),
        ("lag = 0.04", 'lag = "slow"', "follow.lag", "not_a_number"),
    ],
)
def test_a_mistake_is_named_with_its_key(tmp_path: Path, old: str, new: str, key: str, code: str) -> None:
    assert old in GOOD
    with pytest.raises(CatalogError) as refused:
        read_link(written(tmp_path, GOOD.replace(old, new, 1)))
    assert (refused.value.parameters["key"], refused.value.code) == (key, code)


def test_a_link_file_says_degrees_and_the_wiring_turns_them_into_pulses(tmp_path: Path) -> None:
    file = read_link(written(tmp_path, GOOD))
    assert file.wires is not None
    assert file.wires.to_wire(file.wires.from_wire([544, 1472, 2400, 1000, 2000])).tolist() == pytest.approx(
        [544, 1472, 2400, 1000, 2000]
    )
    assert file.wires.from_wire([544, 1472, 2400, 544, 544])[:3] * 180 / 3.141592653589793 == pytest.approx(
        [0, 90, 180]
    )


@pytest.mark.parametrize(
    "port",
    ["", "COM3", "tcp://", "tcp://host", "tcp://host:99999", "serial://", "serial:///dev/x?baud=fast", "ftp://a:1"],
)
def test_what_is_no_port_is_refused(port: str) -> None:
    with pytest.raises(InvalidInput, match="port: expected"):
        transport_of(port)
