"""Modal groups of G and M codes, and which words they need."""

from __future__ import annotations

from armlab.messages import _
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.scan import Block

MOTION, PLANE, DISTANCE, ARC_DISTANCE, FEED_MODE, UNITS = "motion", "plane", "distance", "arc distance", "feed", "units"
RADIUS, LENGTH, RETRACT, SYSTEM, PATH, SPINDLE_MODE = "radius", "length", "retract", "system", "path", "spindle mode"
ONCE, DIAMETER = "once", "diameter"

G_GROUPS: dict[int, str] = {
    **dict.fromkeys((40, 100, 280, 281, 300, 301, 520, 530, 920, 921, 922, 923), ONCE),
    **dict.fromkeys((0, 10, 20, 30, 50, 51, 382, 383, 384, 385, 730, 800, 810, 820, 830, 840, 850), MOTION),
    **dict.fromkeys((860, 870, 880, 890, 740), MOTION),
    **dict.fromkeys((170, 180, 190), PLANE),
    **dict.fromkeys((900, 910), DISTANCE),
    **dict.fromkeys((901, 911), ARC_DISTANCE),
    **dict.fromkeys((930, 940, 950), FEED_MODE),
    **dict.fromkeys((200, 210), UNITS),
    **dict.fromkeys((400, 410, 411, 420, 421), RADIUS),
    **dict.fromkeys((430, 431, 432, 490), LENGTH),
    **dict.fromkeys((980, 990), RETRACT),
    **dict.fromkeys((540, 550, 560, 570, 580, 590, 591, 592, 593), SYSTEM),
    **dict.fromkeys((610, 611, 640), PATH),
    **dict.fromkeys((960, 970), SPINDLE_MODE),
    **dict.fromkeys((70, 80), DIAMETER),
}
LATHE = frozenset({330, 331, 700, 701, 702, 710, 711, 712, 720, 721, 722, 760})
"""Cycles of lathes and motion that follows a spindle: an arm has none."""

M_GROUPS: dict[int, str] = {
    **dict.fromkeys((0, 1, 2, 30, 60), "stop"),
    **dict.fromkeys((3, 4, 5), "spindle"),
    19: "orient",
    **dict.fromkeys((6, 61), "tool"),
    **dict.fromkeys((7, 8, 9), "coolant"),
    **dict.fromkeys((48, 49, 50, 51, 52, 53), "override"),
    **dict.fromkeys((62, 63, 64, 65, 66, 67, 68), "port"),
    **dict.fromkeys((70, 71, 72, 73), "state"),
    **dict.fromkeys((98, 99), "call"),
}
USER_CODES = range(100, 200)
MOST_M = 10

CANCEL = 800
CYCLES = frozenset({730, 740, 810, 820, 830, 840, 850, 860, 870, 880, 890})
AXIS_WORDS = frozenset("xyzabcuvw")


def name_of(code: int, letter: str = "G") -> str:
    """Return a code as people write it: 382 → G38.2."""
    if letter == "M":
        return f"M{code}"
    return f"G{code // 10}" if code % 10 == 0 else f"G{code // 10}.{code % 10}"


def group_codes(block: Block, *, is_cancel_apart: bool = False) -> tuple[dict[str, int], dict[str, list[int]]]:
    """Return the block's codes by group; `is_cancel_apart`: G80 may stand beside G0 … G3, which end a cycle anyway.

    Raises:
        BadBlock: if a code does not exist, is one of lathes, or shares its group with another.
    """
    g: dict[str, int] = {}
    codes = block.g
    if is_cancel_apart and set(codes) & {0, 10, 20, 30}:
        codes = [code for code in codes if code != CANCEL]
    for code in codes:
        group = G_GROUPS.get(code)
        if code in LATHE:
            raise BadBlock("lathe", _("{code} is for lathes and spindles; an arm cannot do it"), code=name_of(code))
        if group is None:
            raise BadBlock("code_unknown_g", _("{code} is not known"), code=name_of(code))
        if group in g:
            raise BadBlock(
                "same_group",
                _("{first} and {second} exclude each other in one line"),
                first=name_of(g[group]),
                second=name_of(code),
            )
        g[group] = code
    return g, _m_codes(block)


def _m_codes(block: Block) -> dict[str, list[int]]:
    m: dict[str, list[int]] = {}
    if len(block.m) > MOST_M:
        raise BadBlock("too_many_m", _("more than {most} M codes in one line"), most=MOST_M)
    for code in block.m:
        group = "user" if code in USER_CODES else M_GROUPS.get(code)
        if group is None:
            raise BadBlock("code_unknown_m", _("{code} is not known"), code=name_of(code, "M"))
        if group in m and not (group == "coolant" and {*m[group], code} == {7, 8}):
            raise BadBlock(
                "same_group",
                _("{first} and {second} exclude each other in one line"),
                first=name_of(m[group][-1], "M"),
                second=name_of(code, "M"),
            )
        m.setdefault(group, []).append(code)
    return m
