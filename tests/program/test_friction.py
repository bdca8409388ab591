from __future__ import annotations

from dataclasses import replace

import numpy as np
from refusals import refused

from armlab.errors import NotSupported
from armlab.program.run_scenario import run_scenario
from armlab.program.scenario import load_scenario


def test_fingers_carry_a_cube_by_friction_alone() -> None:
    whole = load_scenario("pick-and-place")
    first = replace(whole, program=replace(whole.program, instructions=whole.program.instructions[:8]))
    run = run_scenario(first, grasp="friction")
    assert [f for f in run.findings if f.severity == "error"] == []
    cube, target = run.bodies["cube-red"], whole.scene.body("bin-red").T_world_body
    np.testing.assert_allclose(cube[:2, 3], target[:2, 3], atol=0.02)
    assert run.segments[4].held is None, "nothing is attached: the cube is only pressed"


def test_there_is_no_friction_in_a_hierarchy() -> None:
    with refused("no_friction", NotSupported):
        run_scenario(load_scenario("pick-and-place"), structure="hierarchy", grasp="friction")
