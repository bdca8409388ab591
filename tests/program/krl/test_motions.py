from __future__ import annotations

import math

import numpy as np
import pytest
from program.krl.drive import ARM, Driven, drive, library, program

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kinematics.closed import kuka_status, kuka_turn
from armlab.program.instructions import MoveC, MoveJ, MoveL, MoveSpline
from armlab.program.krl.arcs import circle, points_on_arc
from armlab.program.krl.arm import Arm

START = "PTP {A1 0, A2 -90, A3 90, A4 0, A5 45, A6 0}\n"
KUKA_ARMS = ("kuka-kr6-r700", "kuka-kr6-r900", "kuka-kr3-r540", "kuka-kr16-2", "kuka-kr210-r2700")


def flange(degrees: list[float]) -> Floats:
    return armlab.load(ARM).fk(np.radians(degrees))


def run(body: str, declared: str = "", **files: str) -> Driven:
    done = drive(program(declared + START + body, **files))
    assert [str(finding.message) for finding in done.findings] == []
    return done


def test_axes_that_a_position_does_not_have_stay() -> None:
    done = run("PTP {A1 30}\nPTP_REL {A2 5, A6 -10}")
    assert done.joints[1:] == [[30, -90, 90, 0, 45, 0], [30, -85, 90, 0, 45, -10]]


def test_components_that_a_position_does_not_have_stay() -> None:
    done = run("LIN {Z 300}")
    T = flange([0, -90, 90, 0, 45, 0])
    (move,) = (item for item in done.moves if isinstance(item, MoveL))
    expected = T.copy()
    expected[2, 3] = 0.3
    np.testing.assert_allclose(move.frames[0], expected, atol=1e-9)


def test_relative_motions_in_base_and_tool() -> None:
    done = run("LIN_REL {X 10, Y 20}\nLIN_REL {Z 30} #TOOL")
    T = flange([0, -90, 90, 0, 45, 0])
    T[:2, 3] += [0.01, 0.02]
    np.testing.assert_allclose(done.moves[1].frames[0], T, atol=1e-9)  # type: ignore[union-attr]
    np.testing.assert_allclose(done.moves[2].frames[0], T @ pose.from_xyz([0, 0, 0.03]), atol=1e-9)  # type: ignore[union-attr]


def test_positions_are_in_the_base_and_of_the_tool() -> None:
    done = run(
        "$BASE = {X 100, Y 0, Z 50, A 90, B 0, C 0}\n$TOOL = {X 0, Y 0, Z 80, A 0, B 0, C 0}\n"
        "LIN {X 200, Y -350, Z 250, A 0, B 0, C 180}"
    )
    (move,) = (item for item in done.moves if isinstance(item, MoveL))
    expected = pose.from_mm_deg([100, 0, 50, 90, 0, 0]) @ pose.from_mm_deg([200, -350, 250, 0, 0, 180])
    np.testing.assert_allclose(move.frames[0], expected, atol=1e-9)
    assert move.settings.T_flange_tool is not None
    np.testing.assert_allclose(move.settings.T_flange_tool, pose.from_xyz([0, 0, 0.08]))


@pytest.mark.parametrize("name", KUKA_ARMS)
def test_status_and_turn_lead_back_to_the_joints(name: str) -> None:
    robot = armlab.load(name)
    arm, rng = Arm(robot), np.random.default_rng(20)
    for q in rng.uniform(robot.lower, robot.upper, (200, robot.dof)):
        if abs(math.sin(q[4])) < 0.02:  # where A4 and A6 turn about one axis, no S and T tell them apart
            continue
        chosen = arm.choose(robot.fk(q), kuka_status(robot, q), kuka_turn(q), np.array(robot.home))
        assert chosen is not None
        assert (chosen.has_status, chosen.has_turn) == (True, True)
        np.testing.assert_allclose(robot.fk(chosen.q), robot.fk(q), atol=1e-6)
        assert kuka_turn(chosen.q) == kuka_turn(q)


def test_a_taught_point_is_reached_as_it_was_taught() -> None:
    taught = [20.0, -80.0, 100.0, 30.0, -40.0, -200.0]
    q = np.radians(taught)
    robot = armlab.load(ARM)
    six = Arm(robot).position_of(q, np.eye(4), np.eye(4))
    point = ", ".join(f"{name} {six[name]}" for name in ("X", "Y", "Z", "A", "B", "C", "S", "T"))
    done = run(f"PTP {{{point}}}")
    np.testing.assert_allclose(done.joints[-1], taught, atol=1e-4)


def test_wrong_status_and_turn_are_told_with_the_right_ones() -> None:
    point = "X 400, Y 0, Z 400, A 0, B 90, C 0"
    right = Arm(armlab.load(ARM))
    done = drive(program(f"{START}PTP {{{point}, S 2, T 200}}"))
    assert done.codes == ["turn"]
    facts = done.findings[0].message.parameters
    q = np.radians(done.joints[-1])
    assert (facts["right_status"], facts["right_turn"]) == (2, kuka_turn(q))
    assert right.has_status
    robot = armlab.load(ARM)
    reachable = {int(kuka_status(robot, s.q)) for s in armlab.all_ik(robot, pose.from_mm_deg([400, 0, 400, 0, 90, 0]))}
    missing = min(set(range(8)) - reachable)
    assert drive(program(f"{START}PTP {{{point}, S {missing}, T 2}}")).codes == ["status"]


def test_speeds_and_rounding_come_from_system_variables() -> None:
    done = run(
        "$VEL.CP = 0.25\n$ACC.CP = 1.5\n$VEL.ORI1 = 90\n$APO.CDIS = 12\n$OV_PRO = 50\nLIN_REL {X -10} C_DIS\n"
        "$APO.CPTP = 30\nBAS(#VEL_PTP, 40)\nPTP_REL {A1 5} C_PTP\nPTP_REL {A1 5}"
    )
    line, rounded, exact = done.moves[1:]
    assert (line.settings.tool_speed, line.settings.tool_acceleration) == (0.125, 1.5)
    assert line.settings.turn_speed == pytest.approx(math.radians(45))
    assert line.settings.blend is not None
    assert line.settings.blend.radius == pytest.approx(0.012)
    assert rounded.settings.blend is not None
    assert (rounded.settings.blend.joints, rounded.settings.speed) == (0.3, 0.2)
    assert exact.settings.blend is None


def test_arcs_have_a_point_on_the_way_and_an_angle() -> None:
    done = run("CIRC_REL {X -20, Y 20}, {Y 40}, CA 360\nLIN_REL {Z 10}")
    begin = flange([0, -90, 90, 0, 45, 0])[:3, 3]
    arc, line = done.moves[1:]
    assert isinstance(arc, MoveC)
    assert isinstance(line, MoveL)
    np.testing.assert_allclose(arc.via, begin + np.array([-0.02, 0.02, 0]))
    assert arc.angle == pytest.approx(2 * math.pi)
    np.testing.assert_allclose(
        line.frames[0][:3, 3], begin + np.array([0, 0, 0.01]), atol=1e-9
    )  # a whole turn ends where it began


def test_points_on_an_arc_are_on_its_circle() -> None:
    rng = np.random.default_rng(3)
    for _round in range(50):
        begin, end = (pose.from_xyz_rpy(rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)) for _end in range(2))
        via = rng.uniform(-1, 1, 3)
        found = circle(begin[:3, 3], via, end[:3, 3])
        assert found is not None
        centre, axis = found
        radius = float(np.linalg.norm(begin[:3, 3] - centre))
        points = np.array([T[:3, 3] for T in points_on_arc(begin, via, end, 6)] + [via, end[:3, 3]])
        np.testing.assert_allclose(np.linalg.norm(points - centre, axis=1), radius, rtol=1e-6)
        np.testing.assert_allclose((points - centre) @ axis, 0.0, atol=1e-6 * radius)


def test_spline_blocks_are_one_curve_and_joint_splines_one_motion() -> None:
    done = run(
        "SPLINE\nSPL {X 450, Y 0, Z 400}\nSPL {X 450, Y 50, Z 420}\nSPL {X 450, Y 100, Z 400}\nENDSPLINE C_SPL\n"
        "PTP_SPLINE\nSPTP {A1 10}\nSPTP {A1 20, A2 -80}\nENDSPLINE"
    )
    curve, joints = done.moves[1:]
    assert isinstance(curve, MoveSpline)
    assert isinstance(joints, MoveJ)
    assert [round(T[1, 3], 9) for T in curve.frames] == [0.0, 0.05, 0.1]
    assert curve.settings.blend is not None
    assert len(joints.targets) == 2


DATA = """DEFDAT t
DECL E6POS XP1={X 400,Y 10,Z 400,A 0,B 90,C 0,S 2,T 35,E1 0,E2 0,E3 0,E4 0,E5 0,E6 0}
DECL FDAT FP1={TOOL_NO 2,BASE_NO 1,IPO_FRAME #BASE,POINT2[] " ",TQ_STATE FALSE}
DECL PDAT PPDAT1={VEL 100,ACC 60,APO_DIST 70,APO_MODE #CPTP}
DECL LDAT LCPDAT1={VEL 2,ACC 50,APO_DIST 25,APO_FAC 50,ORI_TYP #VAR,CIRC_TYP #BASE}
ENDDAT
"""
CONFIG = """DEFDAT $CONFIG PUBLIC
DECL FRAME TOOL_DATA[16]
DECL FRAME BASE_DATA[32]
TOOL_DATA[2]={X 0,Y 0,Z 100,A 0,B 0,C 0}
BASE_DATA[1]={X 0,Y 5,Z 0,A 0,B 0,C 0}
ENDDAT
"""


def test_inline_forms_take_their_data_sets() -> None:
    body = (
        "$BWDSTART = FALSE\nPDAT_ACT=PPDAT1\nFDAT_ACT=FP1\nBAS(#PTP_PARAMS,80)\nPTP XP1 C_PTP\n"
        "LDAT_ACT=LCPDAT1\nFDAT_ACT=FP1\nBAS(#CP_PARAMS,0.3)\nLIN XP1 C_DIS"
    )
    done = run(body, t_dat=DATA, config_dat=CONFIG)
    joint, line = done.moves[1:]
    assert (joint.settings.speed, joint.settings.acceleration) == (0.8, 0.6)
    assert joint.settings.blend is not None
    assert joint.settings.blend.joints == 0.7
    assert joint.settings.T_flange_tool is not None
    assert joint.settings.T_flange_tool[2, 3] == 0.1
    assert isinstance(line, MoveL)
    assert line.settings.tool_speed == 0.3
    assert line.settings.tool_acceleration == pytest.approx(1.15)
    np.testing.assert_allclose(line.frames[0][:3, 3], [0.4, 0.015, 0.4], atol=1e-12)


def test_settings_behind_with_hold_for_one_motion() -> None:
    body = (
        "SPTP XP1 WITH $VEL_AXIS[1] = SVEL_JOINT(30.0), $TOOL = STOOL2(FP1), $BASE = SBASE(FP1.BASE_NO),"
        " $ACC_AXIS[1] = SACC_JOINT(PPDAT1), $APO = SAPO_PTP(PPDAT1), $GEAR_JERK[1] = SGEAR_JERK(PPDAT1) C_SPL\n"
        "SLIN XP1 WITH $VEL = SVEL_CP(0.4, , LCPDAT1), $ACC = SACC_CP(LCPDAT1), $APO = SAPO(LCPDAT1) C_SPL\n"
        "PTP_REL {A1 1}"
    )
    done = run(body, t_dat=DATA, config_dat=CONFIG)
    first, second, third = done.moves[1:]
    assert (first.settings.speed, first.settings.acceleration) == (0.3, 0.6)
    assert second.settings.tool_speed == 0.4
    assert second.settings.blend is not None
    assert second.settings.blend.radius == pytest.approx(0.025)
    assert third.settings.speed == 1.0
    assert third.settings.T_flange_tool is not None
    np.testing.assert_array_equal(third.settings.T_flange_tool, np.eye(4))


def test_forward_and_inverse_undo_each_other() -> None:
    body = (
        "a = {A1 10, A2 -80, A3 100, A4 20, A5 30, A6 -40}\np = FORWARD(a, e)\n"
        "b = INVERSE(p, a, e)\nPTP b\n$ANOUT[1] = e\np.Z = 9000\nb = INVERSE(p, a, e)\n$ANOUT[1] = e"
    )
    done = run(body, "E6AXIS a, b\nE6POS p\nINT e\n")
    np.testing.assert_allclose(done.joints[-1], [10, -80, 100, 20, 30, -40], atol=1e-6)
    assert [value for _name, value in done.outputs] == [0.0, 1.0]


def test_where_the_arm_is_can_be_read() -> None:
    done = run("a = $AXIS_ACT\na.A1 = a.A1 + 5\nPTP a\n$ANOUT[1] = $POS_ACT.X", "E6AXIS a\n")
    assert done.joints[-1] == [5, -90, 90, 0, 45, 0]
    assert done.outputs[0][1] == pytest.approx(flange([5, -90, 90, 0, 45, 0])[0, 3] * 1000)


def test_external_axes_and_axes_that_the_arm_lacks_are_told() -> None:
    done = drive(program("PTP {A1 1, E1 500}\nPTP {A1 2, E1 600}"))
    assert done.codes == ["external_axes"]
    assert done.findings[0].message.parameters["axes"] == ["E1"]
    done = drive(program("PTP {A1 1, A2 1, A3 0, A6 5}"), robot=armlab.load("scara"))
    assert done.codes == ["axes_ignored"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("$VEL.CP = 0\nLIN_REL {X 1}", "not_positive"),
        ("$OV_PRO = 0\nPTP {A1 1}", "override"),
        ("BAS(#VEL_PTP, 0)\nPTP {A1 1}", "percent"),
        ("BAS(#TOOL, 400)", "no_such_frame"),
        ("LIN {X 1E30, Y 0, Z 0}", "not_finite"),
        ("PTP 3", "position"),
        ("PTP {X 1, A1 2}", "position_components"),
    ],
)
def test_motions_that_cannot_be_made_are_findings(body: str, code: str) -> None:
    assert code in drive(program(START + body)).codes


def test_limits_of_the_machine_data_are_compared() -> None:
    made = library(t_src="DEF t()\nEND\n")
    made.add("R1/Mada/$machine.dat", b"DEFDAT $MACHINE\n$SOFTP_END[1]=160.0\n$SOFTN_END[1]=-170.0\nENDDAT\n")
    done = drive(made)
    assert done.codes == ["machine_limit"]
    assert done.findings[0].message.parameters["axis"] == "A1"
