"""Fixtures of the tests of robot files."""

from __future__ import annotations

from pathlib import Path

import pytest
from formats.urdf_files import Read

from armlab.formats.urdf import read_urdf
from armlab.model.robot import Robot


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """A function that reads text or bytes as the file arm.urdf."""

    def read_text(text: str | bytes, **ends: str) -> Robot:
        path = tmp_path / "arm.urdf"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_urdf(path, **ends)

    return read_text
