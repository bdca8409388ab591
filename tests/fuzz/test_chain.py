"""Joint values in every form that NumPy knows: the same answer as from a list, or an error of our own."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput

EXAMPLES = int(os.environ.get("ARMLAB_FUZZ", "1")) * 60
GOOD = (
    "list",
    "tuple",
    "read-only",
    "strided",
    "reversed",
    "unaligned",
    "byte order",
    "column",
    "integers",
    "subclass",
)
BAD = ("short", "long", "empty", "number", "three axes", "nan", "infinity", "too large", "text", "complex", "masked")


def _good(kind: str, q: Floats) -> Any:
    forms: dict[str, Any] = {
        "list": q.tolist(),
        "tuple": tuple(q),
        "strided": np.repeat(q, 3)[::3],
        "reversed": q[::-1].copy()[::-1],
        "byte order": q.astype(">f8"),
        "column": np.asfortranarray(np.stack([q, q]))[1],
        "integers": q.astype(np.int64),
        "subclass": q.view(type("Own", (np.ndarray,), {})),
    }
    if kind == "read-only":
        forms[kind] = q.copy()
        forms[kind].setflags(write=False)
    if kind == "unaligned":
        buffer = np.zeros(8 * len(q) + 1, np.uint8)
        forms[kind] = buffer[1:].view(np.float64)
        forms[kind][:] = q
    return forms[kind]


def _bad(kind: str, q: Floats, i: int) -> Any:
    wrong = {"nan": np.nan, "infinity": -np.inf, "too large": 1e9}
    if kind in wrong:
        q[i] = wrong[kind]
        return q
    forms: dict[str, Any] = {
        "short": q[:-1],
        "long": np.append(q, 0.0),
        "empty": np.empty(0),
        "number": np.float64(1.0),
        "three axes": q[None, None],
        "text": np.array(["a"] * len(q)),
        "complex": q.astype(complex),
        "masked": np.ma.masked_array(q, np.arange(len(q)) == i),
    }
    return forms[kind]


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "scara", "planar2"])
def test_any_form_of_joint_values_gives_the_same_answer_or_is_refused(name: str) -> None:
    robot, rng = armlab.load(name), np.random.default_rng(11)
    for example in range(EXAMPLES):
        q = rng.uniform(robot.lower, robot.upper)
        kind = GOOD[example % len(GOOD)]
        given = _good(kind, q)
        expected = np.asarray(given, dtype=np.float64).tolist()
        for ask in (robot.fk, robot.jacobian, robot.frames):
            np.testing.assert_allclose(ask(given), ask(np.array(expected)), rtol=0.0, atol=1e-15, err_msg=kind)
        given = _bad(BAD[example % len(BAD)], q, int(rng.integers(robot.dof)))
        for ask in (robot.fk, robot.jacobian, robot.frames):
            with pytest.raises(InvalidInput):
                ask(given)
