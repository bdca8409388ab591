from __future__ import annotations

import pytest

from armlab.cli.main import run


def test_warmup_says_where_the_kernels_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["warmup"]) == 0
    assert "kernels compiled" in capsys.readouterr().out
