"""The real arm of a session: it belongs to the project, is checked against the arm, and is enlarged as it should be."""

from __future__ import annotations

import numpy as np
import pytest
from cell.editing import whole

import armlab
from armlab.calibration import RealArm, real_arm, real_arm_toml, real_fk
from armlab.calibration.static_pose import real_frames
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import Edit, Undo
from armlab.cell.project import ArmChoice, Project, ProjectArm
from armlab.cell.real_arm import build_real, chosen_real, deviation
from armlab.cell.real_choice import DrawnReal, FileReal
from armlab.cell.session import Session
from armlab.errors import CatalogError, InvalidInput

ARM = ArmChoice(name="ur5e")
PATIENCE_S = 60.0


def edit(session: Session, changed: Project) -> None:
    CommandHandler(session).handle(
        Edit(type="edit", changes=whole(changed), label="real", revision=session.history.revision)
    )


@pytest.mark.parametrize("arm", ["ur5e", "scara", "kuka-kr6-r700"])
def test_the_frames_of_a_perfect_arm_are_those_of_the_robot_and_the_tool_is_that_of_fk(arm: str) -> None:
    robot = armlab.load(arm)
    q = np.random.default_rng(2).uniform(robot.lower, robot.upper, (20, robot.dof))
    np.testing.assert_allclose(real_frames(RealArm(robot), q), robot.frames(q), atol=1e-12)
    real = real_arm(robot, "hobby", seed=5)
    np.testing.assert_allclose(real_frames(real, q)[:, -1], real_fk(real, q), atol=1e-12)
    assert real_frames(real, q[0]).shape == (robot.dof + 2, 4, 4)


def test_shifts_and_turns_are_enlarged_and_the_stated_distance_is_not() -> None:
    real = build_real(DrawnReal(kind="drawn", seed=4), ARM)
    q = real.nominal.home
    nominal, actual = real.nominal.frames(q), real_frames(real, q)
    once, ten = deviation(real, q), deviation(real, q, 10.0)
    np.testing.assert_allclose(once.frames, actual, atol=1e-12)
    np.testing.assert_allclose(
        ten.frames[:, :3, 3] - nominal[:, :3, 3], 10.0 * (actual - nominal)[:, :3, 3], atol=1e-12
    )
    np.testing.assert_allclose(ten.shift, once.shift, atol=0.0)
    turned = np.arccos((np.trace(ten.frames[-1, :3, :3] @ nominal[-1, :3, :3].T) - 1.0) / 2.0)
    assert turned == pytest.approx(10.0 * once.turn, rel=1e-6)


def test_a_real_arm_is_part_of_the_document_and_undone() -> None:
    session = Session(Project.of_arm(ARM))
    with pytest.raises(InvalidInput) as caught:
        chosen_real(session.project.arms[0])
    assert caught.value.code == "no_real_arm"
    edit(session, session.project.with_own("arm", real=DrawnReal(kind="drawn", tolerance="hobby", seed=7)))
    assert chosen_real(session.project.arms[0]).source == "tolerance hobby, seed 7"
    CommandHandler(session).handle(Undo(type="undo"))
    assert session.project.arms[0].real is None


def test_a_file_of_another_arm_and_a_broken_file_leave_the_document_as_it_is() -> None:
    session = Session(Project.of_arm(ARM))
    other = real_arm_toml(real_arm(armlab.load("scara"), seed=1))
    for text, code in ((other, "real_arm_of_another"), ("schema = 1\nrobot = [", "toml_ends_early")):
        with pytest.raises(CatalogError) as caught:
            edit(session, session.project.with_own("arm", real=FileReal(kind="file", text=text)))
        assert caught.value.code == code
        assert session.project.arms[0].real is None
    good = real_arm_toml(real_arm(armlab.load("ur5e"), seed=1))
    edit(session, session.project.with_own("arm", real=FileReal(kind="file", text=good)))
    with pytest.raises(CatalogError):  # the file stays, the arm goes
        edit(session, session.project.with_own("arm", arm=ArmChoice(name="scara")))
    assert session.project.arms[0].arm == ARM


def test_the_real_arms_of_all_arms_are_checked_before_one_is_selected() -> None:
    session = Session(Project.of_arm(ARM))
    first = session.project.arms[0]
    other = ProjectArm(name="right", arm=ArmChoice(name="scara", base=(0.0, 2000.0, 0.0, 0.0, 0.0, 0.0)))
    wrong = FileReal(kind="file", text=real_arm_toml(real_arm(armlab.load("ur5e"), seed=1)))
    for before in ((), (other,)):
        edit(session, session.project.model_copy(update={"arms": (first, *before)}))
        with pytest.raises(CatalogError):
            edit(
                session, session.project.model_copy(update={"arms": (first, other.model_copy(update={"real": wrong}))})
            )
        assert session.project.arms == (first, *before)
