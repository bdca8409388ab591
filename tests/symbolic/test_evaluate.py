from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from refusals import refused
from symbolic.derived import Convention, derived, poses

import armlab
from armlab.errors import InvalidInput
from armlab.kinematics.symbolic.evaluate import evaluate
from armlab.model.dh import DhRow, DhTable

CASES = [(name, "standard") for name in armlab.robot_names()]
CASES += [(name, "modified") for name in ("braccio", "fanuc-lrmate200id", "kuka-iiwa14", "scara", "stanford", "xarm6")]


def link(convention: Convention, row: DhRow, value: float) -> np.ndarray:
    """A_i as the numeric table has it: a table of that row alone."""
    return DhTable(convention, (row,), np.eye(4), np.eye(4)).fk([value])


@pytest.mark.parametrize(("name", "convention"), CASES)
def test_symbols_and_kernels_agree_step_by_step_on_every_arm(name: str, convention: Convention) -> None:
    robot, d = armlab.load(name), derived(name, convention)
    table = armlab.dh_table(robot, convention)
    for q in poses(name):
        found = evaluate(d, q)
        np.testing.assert_allclose(found.tool, robot.fk(q), atol=1e-12, rtol=0)
        np.testing.assert_allclose(found.jacobian, robot.jacobian(q), atol=1e-12, rtol=0)
        T = table.base
        np.testing.assert_allclose(found.products[0], T, atol=1e-12, rtol=0)
        for i, (row, value) in enumerate(zip(table.rows, q.tolist(), strict=True)):
            A = link(convention, row, value)
            T = T @ A
            np.testing.assert_allclose(found.links[i], A, atol=1e-12, rtol=0)
            np.testing.assert_allclose(found.products[i + 1], T, atol=1e-12, rtol=0)
        if found.determinant is not None:
            minor = np.linalg.det(robot.jacobian(q)[list(d.task_rows)])
            assert found.determinant == pytest.approx(minor, abs=1e-12)
    assert (d.determinant is None) == (robot.dof > 6)


def test_joint_values_of_the_wrong_shape_are_refused() -> None:
    with refused("wrong_shape", InvalidInput, who="planar2: q"):
        evaluate(derived("planar2"), np.zeros(3))


def test_the_compiled_functions_are_forgotten_with_their_derivation() -> None:
    copy = replace(derived("planar2"))
    evaluate(copy, np.zeros(2))
    watched = weakref.ref(copy)
    del copy
    gc.collect()
    assert watched() is None
