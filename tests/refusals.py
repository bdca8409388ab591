"""How tests say that something is refused: by the code and the facts of the error, not by its wording."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from armlab.errors import ArmlabError


@contextmanager
def refused(code: str, kind: type[ArmlabError] = ArmlabError, /, **facts: Any) -> Iterator[None]:
    """Expect an error of this kind with this code, and with these among its facts; `where` is the place it is about."""
    with pytest.raises(kind) as caught:
        yield
    assert caught.value.code == code
    told = {**caught.value.message.facts(), **caught.value.parameters}
    assert {name: told.get(name) for name in facts} == facts
    assert str(caught.value)
