"""Arms of the package rtb-data, as their makers and users publish them: armlab reads the arms that its peers read.

URDF files are compared with Pinocchio; templates with what the package xacro makes of them, read by Pinocchio.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xacro
from xacro import substitution_args

from armlab.catalog.importing import DEFAULTS, describe_file
from armlab.errors import ArmlabError
from armlab.formats.chain import arm_of, chains_of
from armlab.formats.description import Description
from armlab.formats.given import GivenFiles
from armlab.geometry import pose

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for this platform")

found = importlib.util.find_spec("rtbdata")
assert found is not None, "the package rtb-data is in the group `test`"
assert found.submodule_search_locations is not None
FOLDER = Path(found.submodule_search_locations[0])
FILES = sorted(path for path in FOLDER.rglob("*") if path.suffix in {".urdf", ".xacro"})


def given_for(path: Path) -> GivenFiles:
    templates = FOLDER / "xacro"
    return GivenFiles(templates if templates in path.parents else path.parent)


def peers_model(path: Path, files: GivenFiles, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return Pinocchio's model; None where it is no robot, or the package xacro does not find what is included."""
    monkeypatch.setattr(substitution_args, "_eval_find", lambda package: str(files.package(package) or package))
    try:
        text = path.read_text() if path.suffix == ".urdf" else xacro.process_file(str(path)).toxml()
        return pin.buildModelFromXML(text)
    except (xacro.XacroException, ValueError):
        return None


def check_chains(description: Description, model: Any) -> None:
    data, rng = model.createData(), np.random.default_rng(1)
    for chain in chains_of(description)[:4]:
        robot = arm_of(description, base=chain.base, tip=chain.tip).robot
        q = rng.uniform(np.maximum(robot.lower, -3.0), np.minimum(robot.upper, 3.0))
        v = np.zeros(model.nv)
        for joint, value in zip(robot.joints, q, strict=True):
            v[model.joints[model.getJointId(joint.name)].idx_v] = value
        pin.framesForwardKinematics(model, data, pin.integrate(model, pin.neutral(model), v))
        base, tip = (data.oMf[model.getFrameId(name, pin.BODY)].homogeneous for name in (chain.base, chain.tip))
        np.testing.assert_allclose(
            pose.inverse(robot.base) @ robot.fk(q), np.linalg.inv(base) @ tip, rtol=0.0, atol=1e-12
        )


def described(path: Path, files: GivenFiles) -> Description | None:
    """Return what a file says; None where it is refused."""
    try:
        description = describe_file(path.resolve(), files, DEFAULTS)
        arm_of(description)
    except ArmlabError:
        return None
    return description


@pytest.mark.parametrize("path", [pytest.param(path, id=str(path.relative_to(FOLDER))) for path in FILES])
def test_a_public_arm_is_read_as_its_peers_read_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = given_for(path)
    description, model = described(path, files), peers_model(path, files, monkeypatch)
    if description is None:  # a library of macros, a mount for a sensor, broken XML
        assert model is None or model.njoints == 1
    elif model is not None:
        check_chains(description, model)


def test_all_files_that_describe_arms_are_read() -> None:
    assert sum(described(path, given_for(path)) is not None for path in FILES) >= 45
