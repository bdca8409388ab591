"""What files say of pairs of links: SRDF beside a URDF, MJCF's exclusions and masks, and robot files of ours."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import armlab
from armlab.catalog.importing import ImportOptions, import_arm
from armlab.catalog.write import write_robot
from armlab.collision import Checker, allowed_pairs
from armlab.collision.pair_findings import pair_findings
from armlab.collision.pairs import excluded_pairs
from armlab.model.pair_rule import PairRule
from armlab.model.robot import Robot
from armlab.model.scene import Scene

LINK = (
    '<link name="{name}"><collision><origin xyz="{xyz}"/><geometry><box size="{size}"/></geometry></collision></link>'
)
JOINT = (
    '<joint name="{child}_joint" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
    '<origin xyz="{xyz}"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>'
)


def _urdf(fixed: str = "") -> str:
    """Return three bars that turn against each other; a hand is fixed to the last, and reaches to the one before it."""
    bars = "".join(LINK.format(name=n, xyz="0 0 0.1", size="0.04 0.04 0.15") for n in ("base", "upper", "fore"))
    hand = LINK.format(name="hand", xyz="0 0 -0.05", size="0.02 0.02 0.2")
    joints = JOINT.format(parent="base", child="upper", kind="revolute", xyz="0 0 0.2")
    joints += JOINT.format(parent="upper", child="fore", kind="revolute", xyz="0 0 0.2")
    joints += JOINT.format(parent="fore", child="hand", kind="fixed", xyz="0 0 0.05")
    return f'<robot name="bars">{bars}{hand}{joints}{fixed}</robot>'


def _srdf(body: str, name: str = "bars") -> str:
    return f'<robot name="{name}">{body}</robot>'


def _touching(robot: Robot) -> set[frozenset[str]]:
    return {frozenset((c.first, c.second)) for c in Checker(Scene.of(robot)).contacts(robot.home)}


HAND_UPPER = frozenset(("hand", "upper"))


def test_what_is_fixed_to_a_link_is_a_part_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "bars.urdf").write_text(_urdf())
    robot = import_arm(tmp_path).robot
    assert robot.part_names == ("base", "upper", "fore", "hand", "tool")
    assert _touching(robot) == {HAND_UPPER}  # "fore" is adjacent to "upper", the hand on it is not
    assert {pair[:3] for pair in excluded_pairs(robot).values()} == {
        ("base", "upper", "adjacent"),
        ("upper", "fore", "adjacent"),
    }
    (finding,) = pair_findings(robot)
    assert (finding.code, finding.where) == ("touch_at_home", {"first": "upper", "second": "hand"})


def test_a_table_under_the_base_is_not_adjacent_to_the_first_link(tmp_path: Path) -> None:
    table = LINK.format(name="table", xyz="0 0 0.15", size="1 1 0.01") + JOINT.format(
        parent="table", child="base", kind="fixed", xyz="0 0 0"
    )
    (tmp_path / "bars.urdf").write_text(_urdf(table))
    robot = import_arm(tmp_path).robot
    adjacent = {pair[:2] for pair in allowed_pairs(robot) if pair.reason == "adjacent"}
    assert robot.part_names[:2] == ("base", "table")
    assert adjacent == {("base", "upper"), ("upper", "fore")}


@pytest.mark.parametrize("as_zip", [False, True])
def test_an_srdf_file_beside_a_urdf_file_is_read(tmp_path: Path, as_zip: bool) -> None:
    files = {
        "urdf/bars.urdf": _urdf(),
        "config/bars.srdf": _srdf('<disable_collisions link1="hand" link2="upper" reason="Default"/>'),
        "config/other.srdf": _srdf('<disable_collisions link1="fore" link2="base"/>', "other"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    given = tmp_path
    if as_zip:
        given = tmp_path / "bars.zip"
        with zipfile.ZipFile(given, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    robot = import_arm(given).robot
    assert robot.pair_rules == (PairRule("hand", "upper", reason="bars.srdf: Default"),)
    assert HAND_UPPER not in _touching(robot)
    assert [finding.code for finding in pair_findings(robot)] == ["pairs_excluded"]
    write_robot(robot, tmp_path / "kept.toml")
    kept = armlab.load(str(tmp_path / "kept.toml"))
    assert kept.pair_rules == robot.pair_rules
    assert kept.part_names == robot.part_names
    assert _touching(kept) == _touching(robot)


def test_default_collisions_of_srdf_hold_but_for_the_pairs_that_it_enables(tmp_path: Path) -> None:
    (tmp_path / "bars.urdf").write_text(_urdf())
    rules = '<disable_default_collisions link="hand"/><enable_collisions link1="hand" link2="upper"/>'
    (tmp_path / "bars.srdf").write_text(_srdf(rules))
    robot = import_arm(tmp_path / "bars.urdf").robot
    assert HAND_UPPER in _touching(robot)
    assert ("base", "hand", "excluded", "bars.srdf") in allowed_pairs(robot)


def test_srdf_files_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    (tmp_path / "bars.urdf").write_text(_urdf())
    (tmp_path / "bars.srdf").write_text(_srdf('<disable_collisions link1="claw" link2="upper"/>'))
    (tmp_path / "broken.srdf").write_text("<robot")
    arm = import_arm(tmp_path)
    assert {"srdf_links", "srdf_unreadable"} <= {finding.code for finding in arm.findings}
    assert arm.robot.pair_rules == ()
    for name in ("one.srdf", "two.srdf"):
        (tmp_path / name).write_text(_srdf(""))
    (tmp_path / "bars.srdf").unlink()
    assert "srdf_several" in {finding.code for finding in import_arm(tmp_path).findings}


def test_the_user_has_the_last_word(tmp_path: Path) -> None:
    (tmp_path / "bars.urdf").write_text(_urdf())
    (tmp_path / "bars.srdf").write_text(_srdf('<disable_collisions link1="hand" link2="upper"/>'))
    compared = ImportOptions(pairs=(PairRule("upper", "hand", is_compared=True),))
    assert HAND_UPPER in _touching(import_arm(tmp_path, compared).robot)
    (tmp_path / "bars.srdf").unlink()
    allowed = ImportOptions(pairs=(PairRule("upper", "hand", reason="--allow"),))
    assert HAND_UPPER not in _touching(import_arm(tmp_path, allowed).robot)


def _mjcf(contact: str = "", hand: str = "", second_joint: str = "") -> str:
    geom = '<geom name="{0}" type="box" size="0.02 0.02 0.075" pos="0 0 0.1" {1}/>'
    return f"""<mujoco model="bars"><worldbody>
      <body name="base">{geom.format("b", "")}
        <body name="upper" pos="0 0 0.2"><joint name="j1" axis="0 1 0" range="-57 57"/>{second_joint}
          {geom.format("u", "")}
          <body name="fore" pos="0 0 0.2"><joint name="j2" axis="0 1 0" range="-57 57"/>{geom.format("f", "")}
            <body name="hand" pos="0 0 0.05">
              <geom name="h" type="box" size="0.01 0.01 0.1" pos="0 0 -0.05" {hand}/>
            </body></body></body></body></worldbody>
      <contact>{contact}</contact></mujoco>"""


@pytest.mark.parametrize(
    ("contact", "hand", "touches"),
    [
        ("", "", True),
        ('<exclude body1="upper" body2="hand"/>', "", False),
        ("", 'contype="2" conaffinity="2"', False),
        ("", 'contype="2" conaffinity="3"', True),
        ('<pair geom1="u" geom2="h"/>', 'contype="2" conaffinity="2"', True),
    ],
)
def test_mjcf_says_which_bodies_touch(tmp_path: Path, contact: str, hand: str, touches: bool) -> None:
    (tmp_path / "bars.xml").write_text(_mjcf(contact, hand))
    assert (HAND_UPPER in _touching(import_arm(tmp_path).robot)) is touches


def test_mujoco_leaves_out_parent_and_child_whatever_joints_are_between_them(tmp_path: Path) -> None:
    (tmp_path / "bars.xml").write_text(_mjcf(second_joint='<joint name="j1b" axis="1 0 0" range="-9 9"/>'))
    robot = import_arm(tmp_path).robot
    assert ("base", "upper", "excluded", "MJCF: parent and child") in allowed_pairs(robot)
